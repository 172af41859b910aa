# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's page and files, made from result folders on disk."""

from __future__ import annotations

import csv
import html
import json
import re
from pathlib import Path

import pytest
from synthetic_run import TWO_PROBLEMS, UNUSUAL, Shape, write_run
from weft_lab.errors import ResultFolderError
from weft_lab.pages.load import load_and_advise
from weft_lab.pages.page import SIZE_LIMIT_BYTES, render_page, vega_bundle
from weft_lab.suites.cells import build_report, page_of

SMALL = Shape(exponents=(3, 10, 16), launches=3, samples=6, problems=TWO_PROBLEMS)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_run(tmp_path_factory.mktemp("run"), SMALL)
    build_report(folder)
    return folder


def test_every_part_of_the_folder_is_written(built: Path) -> None:
    for name in ("report.html", "summary.json", "advice.json", "tables/decisions.csv"):
        assert (built / name).stat().st_size > 0, name
    svgs = {path.stem for path in (built / "figures").glob("*.svg")}
    pngs = {path.stem for path in (built / "figures").glob("*.png")}
    assert svgs == pngs
    assert {"problem_scaling", "problem_scaling-reduce", "strong_scaling", "break_even"} <= svgs


def test_page_is_small_and_names_no_address_to_load(built: Path) -> None:
    text = (built / "report.html").read_text(encoding="utf-8")

    assert len(text.encode()) <= SIZE_LIMIT_BYTES
    assert "default-src 'none'" in html.unescape(text)
    outside_scripts = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    loads = re.findall(r"(?:src|href)=\"(?!#|data:|figures/|tables/)[^\"]*\"", outside_scripts)
    assert loads == []
    assert "@import" not in text


def test_the_script_of_the_charts_is_made_once_for_all_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(
        "vl_convert.javascript_bundle", lambda text: made.append(text) or "x</script>"
    )
    in_new_process = vega_bundle.__wrapped__

    texts = [in_new_process(tmp_path / "kept") for _ in range(2)]

    assert texts == ["x<\\/script>"] * 2
    assert len(made) == 1
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert in_new_process(tmp_path / "file") == texts[0], "no folder can be made there"
    assert len(made) == 2


def test_page_holds_each_data_set_once(built: Path) -> None:
    content = _page_data(built)

    for figure in content["figures"].values():
        assert set(figure["datasets"]) <= set(content["datasets"])
        assert "values" not in json.dumps(figure["spec"].get("data", {}))
        assert "datasets" not in figure["spec"]


def test_csv_holds_raw_values_with_units_in_their_names(built: Path) -> None:
    with (built / "tables" / "problem_scaling.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))

    assert {"size_elements", "time_s", "gib_per_s"} <= set(rows[0])
    assert all(float(row["time_s"]) > 0 for row in rows)


@pytest.mark.parametrize("name", list(UNUSUAL))
def test_unusual_runs_still_give_a_page(tmp_path: Path, name: str) -> None:
    view = load_and_advise(write_run(tmp_path, UNUSUAL[name]))

    text = render_page(page_of(view), {})

    assert "<h1>Which backend and how many threads?</h1>" in text
    if name in ("empty", "all_wrong"):
        assert "Nothing was measured that a decision could rest on" in text
    if name == "all_wrong":
        assert "element 17 is 3, expected 4" in text
        assert view.decisions == ()
    if name == "two_types":
        assert "reduce (float)" in text


def test_hostile_strings_are_shown_and_never_run(tmp_path: Path) -> None:
    evil = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    folder = write_run(tmp_path, UNUSUAL["one_size"])
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["machine"]["details"]["cpu"]["cpu_model"] = evil
    manifest["programs"]["gnu@gcc"]["flags"] = evil
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    samples = folder / "samples.jsonl"
    text = samples.read_text(encoding="utf-8").replace(
        '"problem":"reduce"', '"problem":"</script><b>"'
    )
    samples.write_text(text, encoding="utf-8")

    view = load_and_advise(folder)
    page = render_page(page_of(view), {})

    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "</script><b>" not in page
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page
    assert "\\u003c/script>" in page


def test_torn_last_line_and_corrupt_line_are_counted_not_fatal(tmp_path: Path) -> None:
    folder = write_run(tmp_path, UNUSUAL["one_size"])
    with (folder / "samples.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('not json\n{"schema":1,"rec')

    view = load_and_advise(folder)

    assert view.num_lines_lost == 2
    assert "2 in samples.jsonl, left out" in render_page(page_of(view), {})


def test_missing_folder_says_what_to_type(tmp_path: Path) -> None:
    with pytest.raises(ResultFolderError, match="no result folder"):
        build_report(tmp_path / "nowhere")


def test_unwritable_place_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    folder = write_run(tmp_path, UNUSUAL["one_size"])
    (folder / "figures").write_text("a file where a folder must be", encoding="utf-8")

    with pytest.raises(ResultFolderError, match="cannot write the report"):
        build_report(folder)


def _page_data(folder: Path) -> dict[str, dict[str, dict[str, object]]]:
    text = (folder / "report.html").read_text(encoding="utf-8")
    match = re.search(r'id="weft-data">(.*?)</script>', text, flags=re.DOTALL)
    assert match is not None
    return dict(json.loads(match[1]))

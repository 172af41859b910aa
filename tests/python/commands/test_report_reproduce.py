# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Paper items: their list, what each measures, what is shown, and the commands around them."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from pathlib import Path

import pytest
from synthetic_run import TWO_PROBLEMS, UNUSUAL, Shape, write_run
from weft_here import call_here
from weft_lab.errors import UsageError
from weft_lab.measuring.options import RunOptions
from weft_lab.pages import papers
from weft_lab.pages.load import load
from weft_lab.pages.view import RunView
from weft_lab.storage.checkout import problems_in_checkout
from weft_lab.suites.cells import largest_size, options_for, powers_up_to, render

CHECKOUT = Path(__file__).parents[3]
SHAPE = Shape(exponents=(3, 12, 16), problems=TWO_PROBLEMS, launches=3, samples=6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("run"), SHAPE)


@pytest.fixture(scope="module")
def view(folder: Path) -> RunView:
    return load(folder)


def weft(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return call_here(*map(str, arguments))


def test_every_paper_has_items_and_every_item_a_paper() -> None:
    named = {item.paper for item in papers.items()}
    assert named == set(papers.papers())
    names = [item.name for item in papers.items()]
    assert len(names) == len(set(names))


def test_all_of_the_stl_paper_but_its_gpu_figures_can_be_done() -> None:
    impossible = {i.name for i in papers.items() if i.paper == "pstl-bench" and not i.is_possible}
    assert impossible == {"pstl-fig8", "pstl-fig9"}


def test_item_of_a_missing_suite_names_the_suite() -> None:
    with pytest.raises(UsageError, match="needs the suite 'gpu'"):
        papers.find_item("pstl-fig8")


def test_unknown_item_names_the_nearest() -> None:
    with pytest.raises(UsageError) as caught:
        papers.find_item("pstl-tabel5")
    assert "did you mean 'pstl-table5'" in caught.value.remedy


def test_problems_that_items_measure_exist() -> None:
    for item in papers.items():
        assert not item.only or set(item.only) <= set(problems_in_checkout(item.suite)), item.name


def test_published_values_are_those_of_the_paper() -> None:
    published = papers.published_pstl_bench()
    assert published["table5"]["GCC-GNU"]["sort"] == [25.4, 26.9, 66.6]
    assert published["table6"]["NVC-OMP"]["for_each k_it=1"] == [32, 32, 16]
    assert published["table7_mib"]["GCC-HPX"] == 61.98


def test_only_the_cells_an_item_needs_are_asked_for() -> None:
    item = papers.find_item("pstl-fig7b")

    options = options_for(item, RunOptions(tier="quick"), cpus=6, memory_bytes=8 << 30)

    assert options.only == ("sort",)
    assert options.threads == (1, 2, 4, 6)
    assert options.size == (1 << 20,)
    assert options.type == ("double",)


def test_what_the_user_chose_stays_chosen() -> None:
    item = papers.find_item("pstl-table5")

    options = options_for(item, RunOptions(size=(64,), threads=(3,)), cpus=4, memory_bytes=1 << 30)

    assert (options.size, options.threads) == ((64,), (3,))


def test_sizes_fit_in_memory_and_threads_are_powers() -> None:
    assert largest_size("full", 1 << 45) == 1 << 30
    assert largest_size("full", 1 << 30) == 1 << 25
    assert powers_up_to(1) == (1,)
    assert powers_up_to(4) == (1, 2, 4)


POSSIBLE = [i.name for i in papers.items() if i.is_possible and i.paper == "pstl-bench"]


@pytest.mark.parametrize("item", POSSIBLE)
def test_every_possible_item_is_shown_from_a_run(view: RunView, tmp_path: Path, item: str) -> None:
    found = papers.find_item(item)

    done = render(found, view, tmp_path)

    page = done.files[0].read_text(encoding="utf-8")
    assert found.title in page
    assert "10.1145/3673038.3673065" in page
    assert all(path.stat().st_size > 0 for path in done.files)


def test_figure_without_enough_cells_says_so(tmp_path: Path) -> None:
    view = load(write_run(tmp_path / "run", UNUSUAL["only_seq"]))

    done = render(papers.find_item("pstl-fig6b"), view, tmp_path / "out")

    assert "too little was measured" in str(done.tables[0].rows)
    assert "--budget" in done.files[0].read_text(encoding="utf-8")


def test_csv_keeps_published_and_measured_apart(view: RunView, tmp_path: Path) -> None:
    render(papers.find_item("pstl-table5"), view, tmp_path)

    with (tmp_path / "table5.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    sources = {(row["machine"], row["source"]) for row in rows}
    assert ("Hydra", "published") in sources
    assert ("synthetic", "measured") in sources


def test_command_lists_items_and_refuses_what_is_not_there() -> None:
    listed = weft("reproduce", "--list")
    refused = weft("reproduce", "pstl-fig8")
    unnamed = weft("reproduce")

    assert listed.returncode == 0
    assert "hpx-cpp-fig3" in listed.stdout
    assert refused.returncode == 2
    assert "needs the suite 'gpu'" in refused.stderr
    assert unnamed.returncode == 2


def test_merge_writes_a_page_and_tables(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    manifest = json.loads((other / "manifest.json").read_text(encoding="utf-8"))
    text = json.dumps({**manifest, "run_id": "another-synthetic"})
    (other / "manifest.json").write_text(text, encoding="utf-8")

    done = weft("merge", folder, other, "--output", tmp_path / "merged")

    assert done.returncode == 0, done.stderr
    page = (tmp_path / "merged" / "merged.html").read_text(encoding="utf-8")
    assert "VSC-5" in page
    assert "synthetic (2)" in page
    assert (tmp_path / "merged" / "table6_efficiency.csv").exists()


def test_explain_and_merge_refuse_a_folder_that_is_none(tmp_path: Path) -> None:
    for arguments in (("explain", "sort", "--from", tmp_path), ("merge", tmp_path)):
        done = weft(*arguments)
        assert done.returncode == 5
        assert "not a complete result folder" in done.stderr


@pytest.mark.long
def test_report_and_explain_tell_of_lines_they_left_out(tmp_path: Path) -> None:
    folder = write_run(tmp_path, UNUSUAL["one_size"])
    samples = folder / "samples.jsonl"
    number = samples.read_text(encoding="utf-8").count("\n") + 1
    with samples.open("a", encoding="utf-8") as stream:
        stream.write('not json\n{"schema":1,"rec')

    for done in (weft("report", folder), weft("explain", "seq", "--from", folder)):
        assert done.returncode == 0, done.stderr
        assert f"samples.jsonl, line {number} is skipped: not JSON" in done.stderr
        assert "ends in the middle of a line" in done.stderr


def test_report_of_a_finished_run_refuses_what_it_would_ignore(tmp_path: Path) -> None:
    folder = write_run(tmp_path, UNUSUAL["one_size"])

    done = weft("report", folder, "--size", "2^20")

    assert done.returncode == 2
    assert f"type ./weft report {folder}" in done.stderr
    assert not (folder / "report.html").exists()


def test_help_of_each_command_has_an_example() -> None:
    for verb in ("report", "merge", "reproduce", "explain"):
        done = weft(verb, "--help")
        assert done.returncode == 0
        assert f"./weft {verb}" in done.stdout

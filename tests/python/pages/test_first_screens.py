# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each suite's page answers its own question first, in few words, and shows no empty cells."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixed_runs import WRITERS
from synthetic_run import Shape, write_run
from typer.testing import CliRunner
from weft_lab.cli import make_app
from weft_lab.pages import formats, theme
from weft_lab.pages.charts.common import log_ticks
from weft_lab.pages.opening import WORDS_MAX
from weft_lab.pages.table import Table, columns
from weft_lab.storage.before import run_before

QUESTIONS = {
    "stl": "Which backend and how many threads?",
    "tasks": "What does a task cost, and on which runtime?",
    "inncabs": "Where does each runtime stop scaling?",
    "approaches": "Which style of asynchrony?",
    "halo": "How do I exchange halos fastest?",
    "mpi": "What does a message cost, and does the model hold?",
    "distributed": "What does a call on another rank cost?",
}
FIGURES = {
    "stl": ["choices"],
    "tasks": ["task_costs"],
    "inncabs": ["scaling"],
    "approaches": ["approach_performance", "approach_chunks"],
    "halo": ["halo_paper"],
    "mpi": ["message_cost"],
    "distributed": ["distributed_calls"],
}
CONTRAST_LEAST = 3.0
LONG = Shape(
    (3, 10, 20), launches=3, samples=5, cpu_model="Intel(R) Xeon(R) Gold 6330 CPU @ 2.00GHz"
)
WHITE, DARK = "#ffffff", "#1b2229"


def weft(*words: str, exit_code: int = 0) -> str:
    result = CliRunner().invoke(make_app(words[0]), list(words))
    assert result.exit_code == exit_code, (result.output, result.exception)
    return str(result.output) if exit_code == 0 else str(result.exception)


@pytest.fixture(scope="module", autouse=True)
def no_drawing() -> Iterator[None]:
    """Drawing takes most of the time, and a browser's tests look at it."""
    import vl_convert

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vl_convert, "vegalite_to_svg", lambda *_, **__: "<svg></svg>")
        patch.setattr(vl_convert, "svg_to_png", lambda *_, **__: b"PNG")
        patch.setattr(os, "sched_getaffinity", lambda _: {0})  # no other process draws
        yield


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A reported run of each suite."""
    place = tmp_path_factory.mktemp("runs")
    found = {name: write(place / name / "run") for name, write in WRITERS.items()}
    for folder in found.values():
        weft("report", str(folder))
    return found


def page_of(folder: Path) -> str:
    text = (folder / "report.html").read_text(encoding="utf-8")
    return re.sub(r"<(script|style|svg)\b.*?</\1>", "", text, flags=re.DOTALL)


def words_of(markup: str) -> list[str]:
    text = re.sub(r"<(select|noscript|title)\b.*?</\1>", " ", markup, flags=re.DOTALL)
    every = html.unescape(re.sub(r"<[^>]*>", " ", text)).split()
    return [word for word in every if any(map(str.isalnum, word)) or word == formats.UNKNOWN]


@pytest.mark.parametrize("suite", QUESTIONS)
def test_the_first_screen_is_the_suites_own_question_and_figure(
    suite: str, runs: dict[str, Path]
) -> None:
    page = page_of(runs[suite])

    assert f"<h1>{QUESTIONS[suite]}</h1>" in page
    assert f"<title>{QUESTIONS[suite]}" in page
    opening = page.partition('id="answer"')[2].partition("<details><summary>")[0]
    assert '<p class="lead">' in opening
    answer = page.partition('id="answer"')[2].partition('id="trust"')[0]
    assert re.findall(r'data-figure="(\w+)"', answer)[: len(FIGURES[suite])] == FIGURES[suite]


@pytest.mark.parametrize("suite", QUESTIONS)
def test_the_top_of_the_page_is_short(suite: str, runs: dict[str, Path]) -> None:
    body = page_of(runs[suite]).partition("<body>")[2]

    assert 10 < len(words_of(top_of(body))) <= WORDS_MAX


def top_of(body: str) -> str:
    """All above the first chart, without the link that only a keyboard finds."""
    return re.sub(r'<a class="skip-link".*?</a>', "", body.partition('<div class="chart"')[0])


def test_the_top_of_a_long_page_is_short_too(tmp_path: Path) -> None:
    weft("report", str(write_run(tmp_path, LONG)))

    body = page_of(tmp_path).partition("<body>")[2]

    assert body.count('<tr class="first"') == len(LONG.problems)
    assert len(words_of(top_of(body))) <= WORDS_MAX


def tables_of(page: str) -> Iterator[tuple[str, list[list[str]]]]:
    for table in re.findall(r"<table\b.*?</table>", page, flags=re.DOTALL):
        name = re.search(r'id="([\w-]+)"', table)
        rows = re.findall(r"<tr\b[^>]*>(.*?)</tr>", table.partition("<tbody>")[2], re.DOTALL)
        cells = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
        yield (name[1] if name else "", [[" ".join(words_of(c)) for c in row] for row in cells])


@pytest.mark.parametrize("suite", QUESTIONS)
def test_no_column_and_no_row_is_dashes(suite: str, runs: dict[str, Path]) -> None:
    page = page_of(runs[suite])
    found = list(tables_of(page))

    assert len(found) > 3
    for name, rows in found:
        assert rows, name
        for row in rows:
            assert any(cell not in ("", formats.UNKNOWN) for cell in row[1:]), (name, row)
        plotted = name in ("table-decisions", "table-winners", "table-matrix")
        for number, cells in enumerate(zip(*rows, strict=True)):
            is_empty = all(cell in ("", formats.UNKNOWN) for cell in cells)
            assert plotted or not is_empty, (name, number)
    assert "interval unknown" not in page


@pytest.mark.parametrize("suite", QUESTIONS)
def test_tables_have_captions_row_headers_and_scroll_by_themselves(
    suite: str, runs: dict[str, Path]
) -> None:
    page = page_of(runs[suite])

    assert page.count("<table") == page.count('<div class="scroll"')
    own = [part for part in page.split("<table")[1:] if "Counters that" not in part]
    for table in own:
        assert "<caption" in table or "counters</th>" in table
        assert '<th scope="row"' in table


@pytest.mark.parametrize("suite", QUESTIONS)
def test_every_id_stands_once(suite: str, runs: dict[str, Path]) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page_of(runs[suite]))

    assert len(ids) > 10
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.parametrize("suite", QUESTIONS)
def test_a_page_is_also_markdown(suite: str, runs: dict[str, Path]) -> None:
    text = (runs[suite] / "report.md").read_text(encoding="utf-8")

    assert text.startswith(f"# {QUESTIONS[suite]}\n")
    (picture,) = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)[:1]
    assert (runs[suite] / picture).is_file()
    heads = re.findall(r"^\|.*\|\n\| (?::--|--:)", text, re.MULTILINE)
    assert heads
    for block in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(bars) == 1, block


def test_markdown_shows_marks_as_they_are(runs: dict[str, Path]) -> None:
    assert r"by\_hand\_rows" in (runs["halo"] / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("suite", ["approaches", "halo"])
def test_promises_are_on_a_page_of_their_own(suite: str, runs: dict[str, Path]) -> None:
    page = page_of(runs[suite])
    assert "s targets, and the values" not in page
    printed = weft("claims", str(runs[suite]))

    assert "s targets, and the values" in " ".join(printed.split())
    claims = (runs[suite] / "claims.html").read_text(encoding="utf-8")
    assert "<h1>Does weft meet its own targets?</h1>" in claims
    assert "s targets, and the values" in " ".join(words_of(claims))


def test_a_suite_without_promises_says_which_have_some(runs: dict[str, Path]) -> None:
    assert "approaches" in weft("claims", str(runs["stl"]), exit_code=1)


def later_run(folder: Path, name: str, factor: float) -> Path:
    """A copy of a run, an hour later, with all times of weft and of sort times `factor`."""
    later = folder.with_name(name)
    shutil.copytree(folder, later)
    manifest = json.loads((later / "manifest.json").read_text(encoding="utf-8"))
    manifest["started_unix_s"] += 3600.0
    (later / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    lines = []
    for line in (later / "samples.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        cell = record.get("cell", {})
        if cell.get("problem") == "sort" or str(record.get("contestant")).startswith("weft"):
            for key in ("samples_s", "exchange_s"):
                if key in record:
                    record[key] = [factor * value for value in record[key]]
        lines.append(json.dumps(record))
    (later / "samples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return later


@pytest.mark.parametrize("suite", ["stl", "halo"])
def test_what_changed_since_the_last_run_is_told(suite: str, tmp_path: Path) -> None:
    first = WRITERS[suite](tmp_path / "2026-01-01T000000-here")
    slower = later_run(first, "2026-01-01T010000-here", 1.5)

    weft("report", str(slower))
    weft("report", str(first))

    page = page_of(slower)
    assert f"Changed since {first.name}" in page
    block = page.partition('id="changed"')[2].partition("</section>")[0]
    told = re.search(r"Of (\d+) times (\d+) became longer and (\d+) shorter", block)
    assert told is not None
    assert int(told[2]) > 0
    assert int(told[3]) == 0
    ((_, rows),) = tables_of(block)
    assert all("1.5" in row[3] for row in rows)
    assert f"## Changed since {first.name}" in (slower / "report.md").read_text(encoding="utf-8")
    assert 'id="changed"' not in page_of(first)


def test_the_run_before_is_of_the_same_machine_and_suite(tmp_path: Path) -> None:
    first = WRITERS["stl"](tmp_path / "2026-01-01T000000-here")
    other = WRITERS["halo"](tmp_path / "2026-01-01T003000-here")
    later = later_run(first, "2026-01-01T010000-here", 1.0)
    elsewhere = later_run(first, "2026-01-01T020000-there", 1.0)
    manifest = json.loads((elsewhere / "manifest.json").read_text(encoding="utf-8"))
    manifest["machine"]["host"] = "there"
    (elsewhere / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    assert run_before(later) == first
    assert run_before(first) is None
    assert run_before(other) is None
    assert run_before(elsewhere) is None
    assert run_before(tmp_path / "nowhere") is None


def test_an_earlier_run_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    first = WRITERS["stl"](tmp_path / "2026-01-01T000000-here")
    later = later_run(first, "2026-01-01T010000-here", 1.0)
    (first / "samples.jsonl").write_text('{"schema": 1, "record": "result"}\n', encoding="utf-8")
    (tmp_path / "2026-01-01T003000-here").mkdir()
    weird = later_run(later, "2026-01-01T004000-here", 1.0)
    (weird / "manifest.json").write_text('{"options": [], "started_unix_s": "x"}', encoding="utf-8")

    weft("report", str(later))

    assert 'id="changed"' not in page_of(later)


def test_a_table_to_read_says_once_what_all_rows_say() -> None:
    heads = columns(
        ("MPI", "mpi"),
        ("ranks", "ranks", formats.number),
        ("who", "who"),
        ("time", "time_s", formats.seconds),
        ("memory", "rss_bytes", formats.mebibytes),
    )
    rows = (
        ("a", 1, "x", 1.0, None),
        ("a", 2, "y", 2.0, None),
        ("a", 3, "z", 3.0, None),
        ("a", 4, "v", None, None),
    )

    table = Table("t", "T", heads, rows, "Note.").for_reading()

    assert [column.title for column in table.columns] == ["who", "ranks", "time"]
    assert table.rows == (("x", 1, 1.0), ("y", 2, 2.0), ("z", 3, 3.0))
    assert table.note == "All rows: MPI: a. 1 rows without a value are in tables/t.csv. Note."
    assert Table("t", "T", heads, rows[3:]).for_reading().rows == ()


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (3e-9, 2.0, [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0]),
        (15.0, 700.0, [20, 50, 100, 200, 500]),
        (0.9, 2.2, [1, 1.5, 2]),
        (1.0, 1.35, [1, 1.1, 1.2, 1.3]),
        (1.0, 1.05, [1, 1.01, 1.02, 1.03, 1.04, 1.05]),
        (0.86, 1.34, [0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3]),
        (0.0083, 0.0121, [0.0085, 0.009, 0.0095, 0.01, 0.0105, 0.011, 0.0115, 0.012]),
        (1.0, 1.0, [1]),
    ],
)
def test_ticks_of_log_axes_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert log_ticks(low, high) == pytest.approx(ticks)


def luminance(color: str) -> float:
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(
    "color",
    sorted({*theme.COLORS.values(), *theme.CATEGORY, *theme.SPARE_COLORS, theme.MIDDLE}),
)
def test_colours_are_seen_on_white_and_on_the_dark_page(color: str) -> None:
    for ground in (WHITE, DARK):
        high, low = sorted((luminance(color), luminance(ground)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= CONTRAST_LEAST, ground


def test_no_two_backends_have_both_the_same_colour_and_the_same_shape() -> None:
    looks = [(theme.color(backend), theme.shape(backend)) for backend in theme.COLORS]

    doubles = {look for look in looks if looks.count(look) > 1}
    assert len(doubles) <= 1, doubles

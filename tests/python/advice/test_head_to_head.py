# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which runtime of the suite Inncabs is fastest, how sure that is, and what memory each takes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from inncabs_run import FIB, Cell, record_of, write_inncabs_run
from rich.console import Console
from weft_lab.pages.load import load
from weft_lab.pages.terminal import print_summary
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.summaries import summarise
from weft_lab.suites.cells import build_report
from weft_lab.suites.inncabs.curves import curves
from weft_lab.suites.inncabs.head_to_head import Contest, contests
from weft_lab.suites.inncabs.head_to_head_rows import (
    HeadToHead,
    contests_of,
    failure_word,
    head_to_head,
    head_to_head_table,
)
from weft_lab.suites.inncabs.memory_table import limit_bytes, memory_table

THRESHOLD = 0.03
MIB = 1 << 20
PARAMS = {"original_graph": 1}


def launches(cell: Cell, times_s: Sequence[float]) -> list[Cell]:
    """The cell once per time, each in a process of its own."""
    return [
        replace(cell, time_s=time_s, extra={**cell.extra, "launch": launch})
        for launch, time_s in enumerate(times_s, start=1)
    ]


def race(*times_s: float, allocator: str = "default") -> list[Cell]:
    """Futures of 1 s against oneTBB with these times, four launches or one."""
    number = len(times_s)
    ours = Cell("fib", "weft_future", 1, None, allocator=allocator)
    return [
        *launches(ours, (1.0, 1.01, 1.0, 0.99)[:number]),
        *launches(replace(ours, backend="onetbb"), times_s),
    ]


def contest_of(cells: Sequence[Cell]) -> Contest:
    (found,) = contests(summaries(cells), 1, THRESHOLD)
    return found


def summaries(cells: Sequence[Cell]) -> list[CellSummary]:
    return summarise([record_of(cell) for cell in cells])


def view_of(folder: Path, cells: Sequence[Cell]) -> RunView:
    return load(write_inncabs_run(folder, cells))


def page_of(view: RunView) -> HeadToHead:
    found = head_to_head(view)
    assert found is not None
    return found


def test_a_clear_difference_over_launches_is_told() -> None:
    found = contest_of(race(2.0, 2.01, 2.0, 1.99))

    assert [(r.backend, r.verdict) for r in found.runners] == [
        ("weft_future", "faster"),
        ("onetbb", "slower"),
    ]
    ratio = found.runners[1].ratio
    assert ratio is not None
    assert ratio.value == pytest.approx(2.0)
    assert found.is_certain
    assert found.own_against_others == "faster"


@pytest.mark.parametrize("times_s", [(2.0,), (1.01, 1.02, 1.0, 1.03), (1.2, 3.0, 0.9, 2.0)])
def test_one_launch_near_ties_and_wide_intervals_tell_nothing(times_s: tuple[float, ...]) -> None:
    found = contest_of(race(*times_s))

    assert {r.verdict for r in found.runners} == {"cannot tell"}
    assert not found.is_certain
    assert found.own_against_others == "cannot tell"


def test_the_best_setting_at_that_count_of_cores_runs() -> None:
    faster = race(2.0, 2.0, 2.0, 2.0, allocator="tcmalloc")
    slower = [replace(c, allocator="default", time_s=5.0) for c in faster]

    found = contest_of([*slower, *faster])

    assert {r.setting for r in found.runners} == {"gcc, tcmalloc allocator, held to cores"}


def test_who_was_not_asked_leaves_the_fastest_uncertain() -> None:
    other = Cell("qap", "openmp", 1, 1.0)

    found = {c.benchmark: c for c in contests(summaries([*race(2, 2, 2, 2), other]), 1, THRESHOLD)}

    assert found["fib"].missing == ("openmp",)
    assert not found["fib"].is_certain
    assert found["fib"].own_against_others == "cannot tell"


def test_the_serial_program_and_failures_are_beside_the_race(tmp_path: Path) -> None:
    view = view_of(tmp_path, FIB)
    one, two = contests_of(view)

    assert one.serial is not None
    assert one.serial.time_s == 0.05
    assert [r.backend for r in one.runners] == [
        "weft_task_group", "weft_future", "onetbb", "std_async",
    ]  # fmt: skip
    assert two.runners[-1].gap is not None
    page = page_of(view)
    assert page.runtimes == ("ONETBB", "STD-ASYNC", "WEFT-FUTURE", "WEFT")
    assert [cell.text for cell in page.matrix[0].cells] == ["2.00 s", "failed", "1.50 s", "1.10 s"]
    assert "32000 tasks" in page.matrix[0].cells[1].title


def test_words_count_wins_and_name_failures(tmp_path: Path) -> None:
    assert page_of(view_of(tmp_path, FIB)).lead == (
        "With 1 core, WEFT is fastest on 1 of 1 benchmarks; certainly on none.",
        "With 2 cores, WEFT-FUTURE is fastest on 1 of 1 benchmarks; certainly on none.",
        "The better of weft's forms against all others: with 1 core faster on 0, slower on 0, "
        "cannot tell on 1; with 2 cores faster on 0, slower on 0, cannot tell on 1.",
        "STD-ASYNC failed or was stopped on 1: fib.",
    )


def test_certain_wins_say_by_how_much(tmp_path: Path) -> None:
    page = page_of(view_of(tmp_path, race(2.0, 2.01, 2.0, 1.99)))

    assert page.lead[0] == (
        "With 1 core, WEFT-FUTURE is fastest on 1 of 1 benchmarks; certainly on 1, where all "
        "others are slower by more than 3.0 %."
    )
    assert page.lead[-1] == "No runtime failed or was stopped."
    assert [c.details for c in page.matrix[0].cells] == [("2.00 × · slower",), ("faster than all",)]


@pytest.mark.parametrize(
    ("status", "code", "message", "word"),
    [
        ("hung", "", "no answer within 20 s; killed", "stopped: too slow"),
        ("crashed", "", "SIGSEGV", "crashed"),
        ("wrong", "", "element 3 is off", "wrong answer"),
        ("skipped", "memory", "needs 9 GiB", "too much memory"),
        ("skipped", "unsupported", "it was ended when it had 50001 threads", "stopped"),
        ("skipped", "unsupported", "it threw: no more threads", "failed"),
    ],
)
def test_failures_have_a_word(status: str, code: str, message: str, word: str) -> None:
    (gap,) = summaries([Cell("fib", "std_async", 1, None, message=message)])

    assert failure_word(replace(gap, status=status, code=code)) == word  # type: ignore[arg-type]


def test_searches_show_the_time_per_visited_node(tmp_path: Path) -> None:
    view = view_of(
        tmp_path,
        [
            Cell("qap", "weft_future", 1, 2.0, extra={"nodes": 1000}),
            Cell("qap", "onetbb", 1, 3.0, extra={"nodes": 3000}),
            Cell("uts", "weft_future", 1, 2.0, extra={"nodes": 500}),
            Cell("uts", "onetbb", 1, 3.0, extra={"nodes": 500}),
        ],
    )

    page = page_of(view)

    assert "searched in qap depends" in page.caption
    assert "qap with 1 core, ONETBB (1.00 ms)" in page.caption
    qap, uts = page.matrix
    assert [cell.details[-1] for cell in qap.cells] == ["1.00 ms per node", "2.00 ms per node"]
    assert not any("node" in detail for cell in uts.cells for detail in cell.details)
    rows = head_to_head_table(view, contests_of(view)).rows
    assert [row[-3] for row in rows] == [2e-3, 1e-3, 4e-3, 6e-3]


def test_variants_have_rows_of_their_own_and_no_part_in_the_count(tmp_path: Path) -> None:
    plain = [Cell("sparselu", name, 1, 1.0 + n) for n, name in enumerate(("weft_future", "onetbb"))]
    records = [record_of(cell) for cell in plain]
    for cell in plain:
        record = record_of(replace(cell, time_s=0.1))
        records.append({**record, "cell": {**record["cell"], "params": PARAMS}})
    folder = write_inncabs_run(tmp_path, plain)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "samples.jsonl").write_text(lines, encoding="utf-8")

    view = load(folder)

    assert {(c.benchmark, c.best_s) for c in curves(view.summaries) if c.backend == "onetbb"} == {
        ("sparselu", 2.0),
        ("sparselu original_graph=1", 0.1),
    }
    page = page_of(view)
    assert [row.benchmark for row in page.winners] == ["sparselu", "sparselu original_graph=1"]
    assert "1 of 1 benchmarks" in page.lead[0]
    built = build_report(folder)
    with (folder / "tables" / "classification.csv").open(encoding="utf-8") as stream:
        assert [row["benchmark"] for row in csv.DictReader(stream)] == [
            "sparselu",
            "sparselu original_graph=1",
        ]
    assert "sparselu original_graph=1" in built.page.read_text(encoding="utf-8")


def test_the_page_begins_with_the_decision_of_the_suite(tmp_path: Path) -> None:
    built = build_report(write_inncabs_run(tmp_path, FIB))

    page = built.page.read_text(encoding="utf-8")
    assert "Nothing was measured that a decision could rest on" not in page
    assert "With 1 core, WEFT is fastest on 1 of 1 benchmarks" in page
    assert page.index('id="table-winners"') < page.index('id="table-matrix"')
    assert page.index('id="table-matrix"') < page.index("Where each runtime stops scaling")
    assert page.count('id="chart-head_to_head"') == 1
    assert "Settings to copy" not in page
    with (tmp_path / "tables" / "head_to_head.csv").open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 8
    assert {row["verdict"] for row in rows} == {"cannot tell", "no time"}
    assert (tmp_path / "figures" / "head_to_head.svg").exists()


def test_the_terminal_says_who_is_fastest(tmp_path: Path) -> None:
    stream = io.StringIO()

    view = view_of(tmp_path, FIB)
    print_summary(Console(file=stream, width=120), view, None, head_to_head(view))

    assert "WEFT is fastest on 1 of 1 benchmarks" in stream.getvalue()
    assert "Nothing was measured" not in stream.getvalue()


def test_nothing_timed_is_no_race(tmp_path: Path) -> None:
    failed = [cell for cell in FIB if cell.time_s is None]

    assert head_to_head(view_of(tmp_path, failed)) is None


def memory(backend: str, threads: int, *peaks_mib: int) -> list[Cell]:
    return [
        Cell("sort", backend, threads, 1.0, extra={
            "launch": launch, "resources": {"peak_rss_bytes": peak * MIB}
        })
        for launch, peak in enumerate(peaks_mib, start=1)
    ]  # fmt: skip


def test_memory_above_the_limit_is_marked(tmp_path: Path) -> None:
    view = view_of(
        tmp_path,
        [
            *memory("seq", 1, 300, 100),
            *memory("onetbb", 1, 150),
            *memory("onetbb", 2, 170, 400),
            *memory("openmp", 2, 500, 190),
        ],
    )

    table = memory_table(view)

    (row,) = table.rows
    assert row == (
        "sort", 100 * MIB, limit_bytes(100 * MIB), 170 * MIB, 190 * MIB, "✗ OMP",
    )  # fmt: skip
    assert "1.2 × serial + 64 MB" in table.note
    assert limit_bytes(1000) == 64_001_200


def test_records_without_memory_say_so(tmp_path: Path) -> None:
    table = memory_table(view_of(tmp_path, FIB))

    assert table.note == "Not known: the records hold no peak memory."
    assert table.rows[0][-1] == "not known"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run says of a table or figure of the pSTL-Bench paper: sentences against hand values."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from synthetic_run import PROBLEMS, TWO_PROBLEMS, UNUSUAL, Shape, write_run
from weft_lab.errors import UsageError
from weft_lab.measuring.options import RunOptions
from weft_lab.pages import papers
from weft_lab.pages.load import load
from weft_lab.pages.view import Bandwidth, RunView
from weft_lab.statistics.analysis_types import (
    BreakEven,
    CellSummary,
    CounterValue,
    ThreadsWithEfficiency,
)
from weft_lab.storage.cells import Cell
from weft_lab.suites.cells import options_for, render
from weft_lab.suites.stl.figure_words import found_here, published_numbers, scaled_here

SHAPE = Shape(exponents=(3, 12, 16), problems=TWO_PROBLEMS, launches=3, samples=6)


def timed(problem: str, backend: str, time_s: float, threads: int = 2) -> CellSummary:
    launches = tuple((time_s * factor,) * 3 for factor in (1.0, 1.01, 0.99))
    return CellSummary(
        cell=Cell("stl", problem, "double", 1 << 20, threads),
        backend=backend,
        toolchain="gcc",
        variant=f"{backend}@gcc",
        status="ok",
        launches=3,
        samples_s=launches,
        time_s=time_s,
    )


def run_of(*summaries: CellSummary) -> RunView:
    return RunView(Path("run"), {}, summaries)


def words(name: str, view: RunView) -> tuple[str, ...]:
    return found_here(papers.find_item(name), view)


RACE = run_of(
    timed("sort", "seq", 8.0, 1),
    timed("sort", "gnu", 4.0),
    timed("sort", "gnu", 8.0, 1),
    timed("sort", "weft", 2.0),
    timed("find", "seq", 3.0, 1),
    timed("find", "gnu", 2.0),
)


def test_an_item_has_one_name() -> None:
    names = [item.name for item in papers.items()]

    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z-]+-((table|fig)\d+[a-z]?|all)", name) for name in names)
    assert {item.paper for item in papers.items()} == set(papers.papers())
    with pytest.raises(UsageError, match="named PAPER-TABLE") as caught:
        papers.find_item("pstl-bench:table5")
    assert "did you mean 'pstl-table5'" in caught.value.remedy


def test_every_table_and_figure_of_the_paper_but_those_on_gpus_has_a_name() -> None:
    names = [f"pstl-table{n}" for n in range(1, 8)] + [f"pstl-fig{n}" for n in range(1, 8)]

    assert all(papers.find_item(name).is_possible for name in names)
    for name in ("pstl-fig8", "pstl-fig9"):
        with pytest.raises(UsageError, match=f"'{name}'.*needs the suite 'gpu'"):
            papers.find_item(name)


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="unknown paper item 'pstl-tabel5'") as caught:
        papers.find_item("pstl-tabel5")
    assert "did you mean 'pstl-table5'" in caught.value.remedy


def test_table_2_says_how_far_bandwidth_scales() -> None:
    view = replace(run_of(), bandwidth=(Bandwidth(1, 20.0), Bandwidth(2, 30.0)))

    (line,) = words("pstl-table2", view)

    assert line == (
        "2 threads draw 30.0 GiB/s from memory, one 20.0 GiB/s: 1.50 ×, which is as far as an "
        "algorithm that only streams memory can scale (in the paper 11.5 | 7.85 | 5.85)."
    )
    slower = replace(view, bandwidth=(Bandwidth(1, 20.0), Bandwidth(2, 18.0)))
    assert "0.900 ×, so that an algorithm" in words("pstl-table2", slower)[0]
    assert "did not end" in words("pstl-table2", run_of())[0]


def test_table_3_compares_instructions_or_says_why_not() -> None:
    def counted(backend: str, value: float | None, threads: int = 2) -> CellSummary:
        counter = CounterValue(value, "events", "" if value else "no hardware counters here")
        return replace(timed("reduce", backend, 1.0, threads), counters={"instructions": counter})

    view = run_of(counted("seq", 4e6, 1), counted("gnu", 2e6), counted("weft", 1e6))
    without = run_of(counted("seq", None, 1), counted("gnu", None))

    assert words("pstl-table4", view) == (
        "seq executes the most instructions, 4.00 × those of weft (in the paper GCC-HPX executes "
        "the most of them, 16.3 × those of ICC-TBB).",
    )
    assert "no hardware counters here" in words("pstl-table4", without)[0]


def test_table_5_names_the_best_of_each_and_compares_per_thread() -> None:
    first, second = words("pstl-table5", RACE)

    assert first == (
        "best of each algorithm with 2 threads: find 1.50 × (GCC-GNU), sort 4.00 × (GCC-WEFT)."
    )
    # 32.5 of 32, 54.9 of 64, 106.7 of 128
    assert second.startswith(
        "the largest speed-up is 200 % of the number of threads (in the paper 102 % | 86 % | 83 %)"
    )


def test_table_6_counts_who_uses_all_threads() -> None:
    found = tuple(
        ThreadsWithEfficiency("stl", "sort", "double", 1 << 20, f"{n}@gcc", threads, None)
        for n, threads in enumerate((2, 2, 1, None))
    )

    (line,) = words("pstl-table6", replace(RACE, efficiencies=found))

    assert "70 % in 2 of 4 pairs" in line
    # Of 29, 24 and 29 values that the paper gives: those at 32, 64 and 128 threads.
    assert "(in the paper 10 of 29 | 3 of 23 | 4 of 29)" in line
    assert line.endswith("in 1 not even one is.")


def test_table_7_compares_the_largest_with_the_smallest() -> None:
    programs = {
        "seq@gcc": {"executable_bytes": 2 << 20},
        "weft@gcc": {"executable_bytes": 6 << 20},
    }

    (line,) = words("pstl-table7", replace(RACE, programs=programs))

    assert line == (
        "GCC-WEFT is largest, 6.00 MiB, 3.00 × the size of GCC-SEQ (in the paper GCC-HPX, 61.98 "
        "MiB, 34.2 × the size of NVC-OMP)."
    )


def test_figure_1_gives_the_extremes_and_what_is_certain() -> None:
    def touched(summary: CellSummary, time_s: float) -> CellSummary:
        cell = replace(summary.cell, allocator="first_touch")
        samples = tuple((time_s,) * 3 for _ in range(3))
        return replace(summary, cell=cell, time_s=time_s, samples_s=samples)

    sort, find = timed("sort", "gnu", 4.0), timed("find", "gnu", 2.0)
    topology = {"numa_nodes": [{"id": 0}]}
    view = replace(
        run_of(sort, find, touched(sort, 2.0), touched(find, 2.01)),
        manifest={"machine": {"details": {"topology": topology}}},
    )

    (line,) = words("pstl-fig1", view)

    assert line.startswith("from -0.5 % (find, gnu) to +100.0 % (sort, gnu); in 1 of 2 pairs")
    assert line.endswith(
        "This machine has one NUMA node: first touch decides only who zeroes the pages."
    )


def test_problem_scaling_names_from_where_each_backend_pays() -> None:
    def even(variant: str, size: int | None) -> BreakEven:
        return BreakEven("stl", "find", "double", variant, "", 2, None, size, "", "")

    rows = (even("gnu@gcc", 1 << 12), even("weft@gcc", 1 << 8), even("openmp@gcc", None))

    (line,) = words("pstl-fig4a", replace(RACE, break_evens=rows))

    assert line == (
        "find: shown to be faster than seq: from 2⁸ on weft; from 2¹² on gnu; at no measured size "
        "openmp."
    )


def test_strong_scaling_gives_best_and_worst_with_all_threads() -> None:
    view = replace(RACE, bandwidth=(Bandwidth(1, 20.0), Bandwidth(2, 30.0)))

    lines = words("pstl-fig7b", view)

    assert lines == (
        "sort with 2 threads: weft reaches 4.00 × (200 % of the threads), gnu 2.00 ×.",
        "memory bandwidth allows 1.50 × to what only streams.",
    )


def test_end_points_of_strong_scaling_are_those_of_table_5() -> None:
    (line,) = published_numbers(papers.find_item("pstl-fig5b"))

    assert line == (
        "speed-ups of inclusive_scan with all threads (Hydra 32 | Nebula 64 | VSC-5 128): "
        "GCC-TBB 4.5 | 3.1 | 4.7; GCC-HPX 3.0 | 0.9 | 1.0; ICC-TBB 4.5 | N/A | 4.7; "
        "NVC-OMP 0.9 | 0.8 | 0.9"
    )
    assert len(published_numbers(papers.find_item("pstl-fig3"))) == 2  # k_it = 1 and 1000
    assert published_numbers(papers.find_item("pstl-fig5a")) == ()


def test_what_is_smaller_than_in_the_paper_is_said() -> None:
    scaled = {name: scaled_here(papers.find_item(name), RACE) for name in
              ("pstl-table2", "pstl-table5", "pstl-fig7a", "pstl-table7")}  # fmt: skip

    assert scaled == {
        "pstl-table2": "2 threads (in the paper 32 | 64 | 128).",
        "pstl-table5": "2 threads (in the paper 32 | 64 | 128), 2²⁰ elements (in the paper 2³⁰).",
        "pstl-fig7a": "2 threads (in the paper 32 | 64 | 128), 2²⁰ elements (in the paper 2³ … "
        "2³⁰).",
        "pstl-table7": "",
    }


def test_a_figure_of_two_parts_has_a_section_and_files_for_each(tmp_path: Path) -> None:
    view = load(write_run(tmp_path / "run", SHAPE))
    item = papers.find_item("pstl-fig7")

    done = render(item, view, tmp_path / "out")

    page = done.files[0].read_text(encoding="utf-8")
    assert "Problem scaling of sort" in page
    assert "Strong scaling of sort" in page
    assert page.count("<svg") == 2
    names = {path.name for path in done.files}
    assert {"fig7.html", "fig7a.csv", "fig7b.csv"} <= names
    assert {"fig7a.svg", "fig7a.png", "fig7b.svg", "fig7b.png"} <= names
    assert any(line.startswith("fig7b. Found here: sort with") for line in done.lines)
    assert any(line.startswith("fig7a. Scaled: ") for line in done.lines)


def test_a_figure_of_two_parts_measures_what_both_need() -> None:
    options = options_for(papers.find_item("pstl-fig6"), RunOptions(tier="quick"), 4, 8 << 30)

    assert (options.only, options.size, options.threads) == (("reduce",), (), (1, 2, 4))


def test_tables_of_algorithms_leave_out_what_the_paper_does_not_show(tmp_path: Path) -> None:
    shape = replace(SHAPE, problems=tuple(p for p in PROBLEMS if p.name in ("sort", "copy")))
    view = load(write_run(tmp_path / "run", shape))

    for name in ("pstl-table5", "pstl-table6"):
        table = render(papers.find_item(name), view, tmp_path / "out").tables[0]
        assert {str(row[0]) for row in table.rows} >= {"sort"}
        assert "copy" not in {str(row[0]) for row in table.rows}


def test_items_say_so_where_nothing_was_measured(tmp_path: Path) -> None:
    view = load(write_run(tmp_path / "run", UNUSUAL["empty"]))

    for name in ("pstl-table5", "pstl-table6", "pstl-fig1", "pstl-fig2", "pstl-fig3"):
        assert words(name, view)[0].startswith("nothing of this was timed"), name

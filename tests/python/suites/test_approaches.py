# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of approaches: its plan, what it says of the paper, its page, from records by hand."""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from approaches_run import Row, steady, whole_run, write_approaches_run
from weft_lab.machine.facts import Machine
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, make_plan
from weft_lab.pages import papers
from weft_lab.pages.load import load
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import Ratio
from weft_lab.storage.checkout import (
    backend_infos,
    backends_in_checkout,
    cases,
    problems_in_checkout,
)
from weft_lab.suites.approaches import charts, compile_cost
from weft_lab.suites.approaches import findings as approaches
from weft_lab.suites.approaches import tables as approach_tables
from weft_lab.suites.cells import build_report, options_for, render

MACHINE = Machine(cpus_usable=2, memory_bytes=8 << 30)
ITEMS = [item.name for item in papers.items() if item.paper == "hpx-modern"]


def view_of(folder: Path, rows: Sequence[Row]) -> RunView:
    return load(write_approaches_run(folder, rows))


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> RunView:
    return view_of(tmp_path_factory.mktemp("run"), whole_run())


def test_every_problem_and_approach_of_the_checkout_is_planned_and_described() -> None:
    problems = problems_in_checkout("approaches")
    infos = backend_infos("approaches")

    assert {"taylor_fused", "taylor_listing", "async_get", "grain"} <= set(problems)
    assert [row.problem for row in cases("approaches", problems) if not row.sizes] == []
    assert set(backends_in_checkout("approaches")) == set(infos)
    assert [
        i.id for i in infos.values() if not {p for p, _ in i.not_offered} <= set(problems)
    ] == []
    assert set(approaches.UNITS) <= set(problems)
    assert set(approaches.APIS) <= set(infos)


def test_the_papers_sizes_are_those_of_the_largest_tier() -> None:
    rows = [row for row in cases("approaches", ["taylor_fused"]) if not row.params]

    assert rows[0].sizes["full"][-2:] == (10**8, 10**9)
    assert rows[0].sizes["default"][-1] == 10**8


def test_protocol_ten_takes_ten_samples() -> None:
    offers = [Offer("approaches", "openmp@gcc", ("taylor_fused",), is_serial=False)]

    plan = make_plan(RunOptions(suite=("approaches",), protocol="ten"), offers, MACHINE)

    assert (plan.sampling.min_samples, plan.sampling.max_samples) == (10, 10)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (0.99, 1.02, "within"),
        (1.04, 1.06, "beyond"),
        (0.90, 0.95, "beyond"),
        (1.00, 1.05, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_apart_by_three_percent_is_read_from_the_interval(
    low: float | None, high: float | None, expected: str
) -> None:
    assert approaches.spread_of(Ratio(1.0, low, high)) == expected


def test_slowest_of_six_is_compared_with_the_fastest(view: RunView) -> None:
    found = [a for a in approaches.among_themselves(view.summaries) if a.threads == 2]

    (only,) = found
    assert (only.approach, only.rival) == ("weft_task_group", "weft_future")
    assert only.ratio.value == pytest.approx(1.006 / 1.001, rel=1e-6)
    assert only.spread == "within"


def test_six_that_are_equal_are_seldom_called_apart(tmp_path: Path) -> None:
    generator = random.Random(1)
    cells = [
        Row("taylor_fused", name, 1, steady(1.0), size=size)
        for size in range(1, 101)
        for name in approaches.APIS
    ]
    summaries = view_of(tmp_path, cells).summaries
    noisy = [
        replace(s, samples_s=times, time_s=times[4][0])
        for s in summaries
        for times in [tuple((t,) for t in sorted(generator.gauss(1, 0.1) for _ in range(9)))]
    ]

    found = approaches.among_themselves(noisy)

    assert len(found) == 100
    assert [a for a in found if a.ratio.low is None or a.ratio.high is None] == []
    assert sum(not (a.ratio.low or 0) <= 1 <= (a.ratio.high or 0) for a in found) <= 2


def test_without_all_six_nothing_is_said_of_them(tmp_path: Path) -> None:
    rows = [row for row in whole_run() if row.backend != "weft_sender"]

    assert approaches.among_themselves(view_of(tmp_path / "five", rows).summaries) == []


def test_the_offset_is_the_same_at_every_thread_count(view: RunView) -> None:
    found = approaches.offsets(view.summaries)

    assert {(o.approach, o.threads) for o in found} == {
        (name, threads) for name in ("weft_future", "weft_coroutine") for threads in (1, 2)
    }
    assert [round(o.added_s, 3) for o in found] == [0.3] * 4
    assert approaches.is_constant(found)
    text = " ".join(approaches.sentences(view.summaries))
    assert "0.3 s (weft_coroutine, 2 threads)" in text
    assert "a constant, whatever the API and the threads" in text


def test_an_offset_that_shrinks_with_threads_is_no_constant(tmp_path: Path) -> None:
    rows = [
        row
        for threads in (1, 2)
        for row in (
            Row("taylor_vector", "weft_coroutine", threads, steady(2.0 / threads)),
            Row("taylor_setup_timed", "weft_coroutine", threads, steady(2.6 / threads)),
        )
    ]

    found = view_of(tmp_path, rows).summaries

    assert approaches.is_constant(approaches.offsets(found)) is False
    assert "no constant in this run" in " ".join(approaches.sentences(found))


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        (((-2.0, 5.0), (-1.0, 4.0)), None),
        (((0.2, 1.0), (0.1, 0.5)), None),
        (((0.29, 0.31), (0.28, 0.33)), True),
        (((0.58, 0.62), (0.29, 0.31)), False),
    ],
)
def test_wide_intervals_that_overlap_are_no_constant(
    view: RunView, intervals: Sequence[tuple[float, float]], expected: bool | None
) -> None:
    one = approaches.offsets(view.summaries)[0]
    group = [replace(one, low_s=low, high_s=high) for low, high in intervals]

    assert approaches.is_constant(group) is expected


def test_of_one_launch_nobody_knows_whether_it_is_a_constant(view: RunView) -> None:
    found = [replace(o, low_s=None) for o in approaches.offsets(view.summaries)]

    assert approaches.is_constant(found) is None


def test_the_papers_rate_is_a_hundred_operations_per_term() -> None:
    assert approaches.paper_gflops(10**9, 100.000028581) == pytest.approx(1.0)


def test_a_unit_shares_time_and_allocations_out_and_unknown_is_not_zero(view: RunView) -> None:
    found = {u.approach: u for u in approaches.units(view.summaries) if u.threads == 2}

    assert found["weft_future"].time_s == pytest.approx(1e-7, rel=1e-2)
    assert found["weft_future"].allocations == pytest.approx(2.0)
    assert found["weft_future"].allocated_bytes == pytest.approx(128.0)
    assert found["std_async"].allocations is None
    table = approach_tables.unit_table(view)
    assert [row[2] for row in table.rows if row[1] == 2] == ["WEFT-FUTURE", "STD-ASYNC"]


def test_least_and_most_are_of_all_samples(view: RunView) -> None:
    table = approach_tables.series_table(view)
    (row,) = [r for r in table.rows if r[:5] == ("taylor_fused", 0.5, 1000, 2, "OMP")]

    assert row[6:9] == (pytest.approx(1.0), pytest.approx(1.0009), 30)
    assert row[9] == pytest.approx(1000 / row[5])


def test_x_is_read_from_the_parameters(view: RunView) -> None:
    near_one = Row("taylor_fused", "seq", 1, steady(1.0), params=(("x_ppb", 999_999_999),))
    listing = Row("taylor_listing", "seq", 1, steady(1.0))
    found = view_of(view.folder.parent / "x", [near_one, listing])

    xs = {s.cell.problem: approach_tables.x_of(s) for s in found.summaries}
    assert xs == {"taylor_fused": 0.999999999, "taylor_listing": 0.1}


def test_chunk_sizes_are_rows_of_a_figure_of_their_own(view: RunView) -> None:
    found = {str(row["chunks"]) for row in charts.chunk_rows(view)}

    assert found == {"dynamic 1", "dynamic 1,000,000", "static 10"}


def test_efficiency_is_of_all_threads(view: RunView) -> None:
    (row,) = charts.efficiency_rows(view)

    assert (row["approach"], row["efficiency"]) == ("OMP", pytest.approx(0.5, rel=1e-3))


@pytest.mark.long
def test_the_report_has_the_section_and_its_files(view: RunView) -> None:
    costs = [compile_cost.CompileCost("weft_sender", 0.9, 1 << 27),
             compile_cost.CompileCost("hpx_future", reason="no such file")]  # fmt: skip
    text = json.dumps([vars(cost) for cost in costs])
    (view.folder / compile_cost.FILE_NAME).write_text(text, encoding="utf-8")

    built = build_report(view.folder)

    page = built.page.read_text(encoding="utf-8")
    assert approach_tables.TITLE in page
    assert "no such file" in page
    names = {path.stem for path in built.tables}
    assert {"approach_series", "approach_spread", "approach_units", "approach_offset"} <= names
    assert {"approach_performance", "approach_chunks", "approach_efficiency"} <= names
    assert any(path.stem.startswith("approach_performance") for path in built.figures)


def test_a_run_of_another_suite_has_nothing_of_it(tmp_path: Path) -> None:
    assert approach_tables.all_tables(RunView(tmp_path, {}, ())) == []
    assert [
        figure
        for build in (*charts.OPENERS, charts.efficiency)
        if (figure := build(RunView(tmp_path, {}, ())))
    ] == []


@pytest.mark.parametrize("name", ITEMS)
def test_every_item_of_the_paper_is_shown(view: RunView, tmp_path: Path, name: str) -> None:
    item = papers.find_item(name)

    done = render(item, view, tmp_path / "reproduced")

    assert done.tables[0].rows
    page = done.files[0].read_text(encoding="utf-8")
    assert item.title in page
    with done.files[1].open(encoding="utf-8", newline="") as stream:
        assert len(list(csv.reader(stream))) == len(done.tables[0].rows) + 1


def test_figure_3_has_equal_work_and_the_control_beside_it(view: RunView, tmp_path: Path) -> None:
    done = render(papers.find_item("hpx-cpp-fig3"), view, tmp_path)

    page = done.files[0].read_text(encoding="utf-8")
    assert "Equal work: how far apart the approaches are" in page
    assert "Control: the constant that the paper" in page
    assert any("within 3 %" in line for line in done.lines)
    assert any(line.startswith("The paper says: n = 10^9") for line in done.lines)


def test_tables_of_the_paper_are_quoted(view: RunView, tmp_path: Path) -> None:
    first = render(papers.find_item("hpx-cpp-table1"), view, tmp_path)
    second = render(papers.find_item("hpx-cpp-table2"), view, tmp_path)

    assert ("Charm++ (the paper)", "yes", "partly", "no", "no") in first.tables[0].rows
    assert ("weft, measured here", "100 ns", None, None, None) in first.tables[0].rows
    assert ("A64FX (the paper)", "HPX", "1.8.1") in second.tables[0].rows


@pytest.mark.parametrize("name", [name for name in ITEMS if papers.find_item(name).only])
def test_items_measure_ten_samples_of_their_problems(name: str) -> None:
    item = papers.find_item(name)

    wanted = options_for(item, RunOptions(protocol=item.protocol), 2, 1 << 33)

    assert (wanted.suite, wanted.protocol, wanted.size) == (("approaches",), "ten", ())
    assert set(wanted.only) <= set(problems_in_checkout("approaches"))


def test_programs_of_the_checkout_are_compiled_and_what_fails_says_why(tmp_path: Path) -> None:
    compiler = shutil.which("g++-12") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here")
    programs = tmp_path / "programs"
    programs.mkdir()
    shutil.copy(compile_cost.PROGRAMS / "nothing.cpp", programs)
    (programs / "broken.cpp").write_text("#include <no/such/header.hpp>\n", encoding="utf-8")

    broken, nothing = compile_cost.measure(tmp_path, compiler, programs)

    assert compile_cost.read(tmp_path) == [broken, nothing]
    assert broken.time_s is None
    assert "no/such/header.hpp" in broken.reason
    assert nothing.time_s is not None
    assert nothing.time_s > 0
    assert nothing.peak_bytes is not None
    assert nothing.peak_bytes > 1 << 20


def test_a_compiler_that_is_not_there_is_a_reason(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "nothing.cpp").write_text("int main() {}\n", encoding="utf-8")

    (cost,) = compile_cost.measure(tmp_path, "no-such-compiler", programs)

    assert cost.reason == f"no-such-compiler: {os.strerror(2)}"


def test_no_programs_no_file(tmp_path: Path) -> None:
    assert compile_cost.measure(tmp_path, "g++", tmp_path) == []
    assert compile_cost.read(tmp_path) == []

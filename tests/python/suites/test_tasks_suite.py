# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of task runtimes: its plan, its costs per task, and the shortest task that pays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from weft_lab.advice.findings import find
from weft_lab.errors import UsageError
from weft_lab.machine.facts import Machine
from weft_lab.measuring.catalog import check_options, only_toolchain
from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, budget_skips, make_plan
from weft_lab.measuring.skips import merge_skips
from weft_lab.pages.lead import lead_text
from weft_lab.pages.task_tables import cost_table, idle_table, metg_table
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary, CounterValue
from weft_lab.statistics.idle import Idle, idle
from weft_lab.statistics.metg import Grain, metg, shortest_efficient
from weft_lab.statistics.summaries import summarise
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import (
    CHECKOUT,
    backend_infos,
    backends_in_checkout,
    cases,
    is_cost,
    problems_in_checkout,
)

MACHINE = Machine(cpus_usable=2, memory_bytes=8 << 30)


def summary(variant: str, threads: int, steps: int, time_s: float) -> CellSummary:
    cell = Cell("tasks", "grain", size=1000, threads=threads, params=(("steps", steps),))
    backend, _, toolchain = variant.partition("@")
    return CellSummary(
        cell, backend, toolchain, variant, "ok", time_s=time_s, tasks=1000, peak_rss_bytes=1 << 20
    )


def test_sizes_are_the_problems_own_and_types_and_allocators_play_no_part() -> None:
    offers = [Offer("tasks", "onetbb@gcc", ("fib", "uts"), is_serial=False)]

    plan = make_plan(RunOptions(tier="quick", suite=("tasks",)), offers, MACHINE)

    cells = {task.cell for task in plan.tasks}
    assert {(c.problem, c.size) for c in cells} == {("fib", 27), ("uts", 1)}
    assert {c.threads for c in cells} == {1, 2}
    assert {(c.type, c.allocator) for c in cells} == {("double", "default")}
    assert {c.params for c in cells if c.problem == "uts"} == {(("tree", 1),), (("tree", 3),)}


def test_every_problem_is_planned_with_sizes_of_its_own() -> None:
    rows = cases("tasks", problems_in_checkout("tasks"))

    assert [row.problem for row in rows if set(row.sizes) != {"quick", "default", "full"}] == []


def test_costs_are_the_problems_whose_size_counts_operations() -> None:
    folder = CHECKOUT / "lab" / "tasks" / "problems"
    counting = {
        path.stem for path in folder.glob("*.cpp") if "operations_per_call" in path.read_text()
    }

    assert counting
    assert {name for name in problems_in_checkout("tasks") if is_cost("tasks", name)} == counting


def test_reasons_name_problems_that_exist_and_every_runtime_is_described() -> None:
    infos = backend_infos("tasks")

    problems = set(problems_in_checkout("tasks"))
    assert [i.id for i in infos.values() if not {p for p, _ in i.not_offered} <= problems] == []
    assert set(backends_in_checkout("tasks")) <= set(infos)


def test_a_guess_grows_as_the_problem_does_and_never_overflows() -> None:
    (fib,) = cases("tasks", ["fib"])
    costs = CostModel(Sampling())

    assert fib.call_s(33) / fib.call_s(32) == pytest.approx(1.618)
    assert costs.guess_s(Cell("tasks", "fib", size=1 << 20)) > 1e9


def test_two_suites_in_one_run_are_refused() -> None:
    with pytest.raises(UsageError, match="a run holds one suite"):
        check_options(RunOptions(suite=("stl", "tasks")))


def test_the_reason_why_a_runtime_lacks_a_problem_is_told() -> None:
    record = {
        "record": "result",
        "suite": "tasks",
        "variant": "onetbb@gcc",
        "backend": "onetbb",
        "cell": {"problem": "async_get", "size": 1000, "threads": 2},
        "status": "skipped",
        "code": "not_offered",
        "message": "runtime onetbb has nothing for async_get",
    }

    (skip,) = merge_skips([], [record])

    assert skip.message == "oneTBB has no futures"


def test_tasks_and_the_highest_peak_are_read_from_records() -> None:
    record = {
        "record": "result",
        "suite": "tasks",
        "variant": "onetbb@gcc",
        "cell": {"problem": "fib", "size": 20, "threads": 2},
        "status": "ok",
        "samples_s": [1e-3],
        "tasks": 20000,
        "resources": {"peak_rss_bytes": 100},
    }
    second = {**record, "launch": 1, "resources": {"peak_rss_bytes": 300}}
    unknown = {**record, "launch": 2, "resources": {"peak_rss_bytes": None}}

    (found,) = summarise([record, second, unknown])

    assert found.peak_rss_bytes == 300
    assert found.core_s_per_task == pytest.approx(2 * 1e-3 / 20000)


def test_without_a_count_of_tasks_their_cost_is_unknown() -> None:
    assert replace(summary("onetbb@gcc", 2, 10, 1e-3), tasks=None).core_s_per_task is None


def test_metg_lies_between_the_tasks_tried_on_a_logarithmic_scale() -> None:
    # Efficiency 0.25 at 100 ns and 0.75 at 10,000 ns: half way, at 1,000 ns.
    assert shortest_efficient([Grain(1e-7, 0.25), Grain(1e-5, 0.75)]) == (
        pytest.approx(1e-6),
        False,
    )


def test_metg_is_where_efficiency_passes_for_good() -> None:
    lucky = [Grain(1e-8, 0.9), Grain(1e-7, 0.25), Grain(1e-5, 0.75)]

    assert shortest_efficient(lucky)[0] == pytest.approx(1e-6)


def test_metg_says_when_it_is_only_a_bound_and_when_nothing_was_long_enough() -> None:
    assert shortest_efficient([Grain(1e-7, 0.6), Grain(1e-6, 0.9)]) == (1e-7, True)
    assert shortest_efficient([Grain(1e-7, 0.1), Grain(1e-6, 0.4)]) == (None, False)


def test_metg_takes_the_length_of_a_task_from_the_sequential_program() -> None:
    rows = [
        summary("seq@gcc", 1, 10, 1e-5),
        summary("seq@gcc#control", 1, 10, 1e-5),
        summary("onetbb@gcc", 2, 10, 1e-5),
        summary("onetbb@gcc", 2, 99, 1e-3),
    ]

    (found,) = metg(rows)

    assert found.grains == (Grain(1e-8, 0.5),)
    assert (found.variant, found.threads, found.task_s) == ("onetbb@gcc", 2, 1e-8)


def test_regions_of_main_have_as_many_tasks_as_threads() -> None:
    def region(variant: str, threads: int, time_s: float) -> CellSummary:
        row = summary(variant, threads, 10, time_s)
        cell = replace(row.cell, problem="region_from_main")
        return replace(row, cell=cell, tasks=100 * threads)

    rows = [region("seq@gcc", 1, 1e-5), region("onetbb@gcc", 2, 2e-5)]

    assert metg(rows) == []
    (found,) = metg(rows, problem="region_from_main")
    (grain,) = found.grains
    assert (grain.task_s, grain.efficiency) == (pytest.approx(1e-7), pytest.approx(0.5))


def test_tables_show_cost_memory_and_distance_from_the_fastest(tmp_path: Path) -> None:
    rows = (summary("seq@gcc", 1, 10, 1e-5), summary("onetbb@gcc", 1, 10, 4e-5))
    view = RunView(tmp_path, {}, rows)

    costs, shortest = cost_table(view), metg_table(view)

    assert [row[3] for row in costs.rows] == ["seq", "onetbb"]
    assert costs.texts()[1][7:] == ["40", "4.00 ×", "1.00 MiB"]
    assert shortest.texts() == [
        ["grain", "onetbb", "1", "–", "longer than every task tried", "25.0 %"]
    ]


def test_what_did_not_fit_the_budget_is_asked_for_in_words_the_suite_takes() -> None:
    cell = Cell("tasks", "uts", size=1, threads=2, params=(("tree", 3),))
    stl = Cell("stl", "sort", size=1 << 20)

    of_stl, of_tasks = budget_skips([Task("onetbb@gcc", cell), Task("gnu@gcc", stl)])

    assert of_tasks.remedy == "./weft run --suite tasks --only uts --size 1"
    assert of_tasks.message == "1 cells of uts tree=3 with n = 1 did not fit the time budget"
    assert of_stl.remedy == "./weft run --only sort --type double --size 2^20"


def test_a_runtime_of_one_compiler_is_built_by_that() -> None:
    assert only_toolchain("tmc") == "clang"
    assert only_toolchain("onetbb") is None


def resting(variant: str, cpu_s: float | None, reason: str = "") -> CellSummary:
    cell = Cell("tasks", "idle", size=1000, threads=2)
    counters = {"cpu_time": CounterValue(cpu_s, "s", reason, "call")}
    toolchain = variant.partition("@")[2]
    return CellSummary(cell, "", toolchain, variant, "ok", time_s=1.0, counters=counters)


def test_idle_workers_use_cpu_time_over_time() -> None:
    rows = [resting("onetbb@gcc", 0.005), resting("seq@gcc#control", 1.0)]

    assert idle(rows) == [Idle("onetbb@gcc", 2, 1.0, 0.005)]


def test_idle_cpu_time_that_is_not_known_is_not_zero(tmp_path: Path) -> None:
    view = RunView(tmp_path, {}, (resting("onetbb@gcc", None, "no clock"),))

    assert [row[-2:] for row in idle_table(view).texts()] == [["–", "no clock"]]


def test_a_rest_is_no_race() -> None:
    record = {
        "record": "result",
        "suite": "tasks",
        "variant": "seq@gcc",
        "backend": "seq",
        "toolchain": "gcc",
        "cell": {"problem": "idle", "size": 100, "threads": 1},
        "status": "ok",
        "samples_s": [0.1, 0.1],
    }

    findings = find(
        [record, {**record, "cell": {"problem": "fib", "size": 20}}],
        {"machine": {"last_level_cache_bytes": 1}},
    )

    assert [decision.label for decision in findings.decisions] == ["fib"]


def test_problems_are_not_called_algorithms_nor_their_sizes_elements(tmp_path: Path) -> None:
    view = RunView(tmp_path, {}, (summary("seq@gcc", 1, 10, 1e-5),))

    assert "faster than plain calls" in lead_text(view)
    assert view.words.size_text(32) == "n = 32"
    assert view.words.band(27, 32) == "27 … 32"
    assert RunView(tmp_path, {}, ()).words.size_text(32) == "2⁵ elements"

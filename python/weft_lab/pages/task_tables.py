# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The additions of the suite of task runtimes: the cost of one task, the memory, the shortest
worthwhile task."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns, sort_rows
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.idle import idle
from weft_lab.statistics.metg import PROBLEM, PROBLEM_FROM_MAIN, metg


def all_tables(view: RunView) -> list[Table]:
    """None for a run that counted no tasks, or counted API calls as tasks."""
    if not any(s.tasks and s.cell.suite != "approaches" for s in view.measured):
        return []
    tables = [cost_table(view), metg_table(view), idle_table(view)]
    return [table for table in tables if table.rows]


def cost_table(view: RunView) -> Table:
    """One row per problem, size, thread count and runtime, the fastest of each group first."""
    best_s: dict[tuple[str, int, int], float] = {}
    for s in view.plain():
        key = _group(view, s)
        best_s[key] = min(s.time_s or 0.0, best_s.get(key, float("inf")))
    rows = [_cost_fields(view, s, best_s[_group(view, s)]) for s in view.plain()]
    return Table(
        name="task_costs",
        title="What a task costs",
        columns=columns(
            ("problem", "case"),
            ("n", "size", formats.number),
            ("threads", "threads", formats.number),
            ("runtime", "variant"),
            ("time of a call", "time_s", formats.seconds),
            ("from", "time_low_s", formats.seconds),
            ("to", "time_high_s", formats.seconds),
            ("core-ns per task", "core_ns_per_task", formats.number),
            ("of the fastest", "time_over_fastest", formats.ratio),
            ("peak memory", "peak_rss_bytes", formats.mebibytes),
        ),
        rows=sort_rows(rows, 0, 1, 2, 4),
        note="Lower is better. Core-ns per task: the time of a call times its threads over the "
        "tasks it makes. From and to: 95 % interval of the time. Peak memory is the whole "
        "process's while the cell ran, inputs included.",
    )


def _cost_fields(view: RunView, s: CellSummary, best_s: float) -> tuple[Value, ...]:
    return (
        view.case(s),
        s.cell.size,
        s.cell.threads,
        view.name(s.variant),
        s.time_s,
        s.time_low_s,
        s.time_high_s,
        None if s.core_s_per_task is None else 1e9 * s.core_s_per_task,
        (s.time_s or 0.0) / best_s,
        s.peak_rss_bytes,
    )


def metg_table(view: RunView) -> Table:
    """One row per problem, runtime and thread count, the best first."""
    rows = [
        (
            problem,
            view.name(result.variant),
            result.threads,
            None if result.task_s is None else 1e9 * result.task_s,
            _reading(result.task_s, is_bound=result.is_bound),
            max((g.efficiency for g in result.grains), default=None),
        )
        for problem in (PROBLEM, PROBLEM_FROM_MAIN)
        for result in metg(view.summaries, problem=problem)
    ]
    return Table(
        name="metg",
        title="The shortest task that pays (METG, 50 % efficiency)",
        columns=columns(
            ("problem", "problem"),
            ("runtime", "variant"),
            ("threads", "threads", formats.number),
            ("task, ns", "metg_ns", formats.number),
            ("reading", "reading"),
            ("best efficiency", "efficiency_max", formats.percent),
        ),
        rows=sort_rows(rows, 0, 2, 3),
        note="Lower is better. From tasks of equal length: in the problem grain a tree of forks, "
        "in region_from_main a task per thread in regions that the main thread starts in a row; "
        "efficiency is their sequential time over the core time they took.",
    )


def idle_table(view: RunView) -> Table:
    """One row per runtime and thread count, the most frugal first."""
    rows = [
        (
            view.name(result.variant),
            result.threads,
            result.rest_s,
            result.cores_used,
            result.reason,
        )
        for result in idle(view.summaries)
    ]
    return Table(
        name="idle",
        title="What idle workers use",
        columns=columns(
            ("runtime", "variant"),
            ("threads", "threads", formats.number),
            ("rest", "rest_s", formats.seconds),
            ("of a core", "cores_used", formats.percent),
            ("why not known", "reason"),
        ),
        rows=sort_rows(rows, 1, 3),
        note="Lower is better. CPU time of the whole process over time, from the end of the last "
        "task on: how long workers search before they fall asleep is part of it, and weighs less "
        "the longer the rest.",
    )


def _reading(task_s: float | None, *, is_bound: bool) -> str:
    if task_s is None:
        return "longer than every task tried"
    return "shorter than every task tried" if is_bound else "between two tasks tried"


def _group(view: RunView, s: CellSummary) -> tuple[str, int, int]:
    return view.case(s), s.cell.size, s.cell.threads

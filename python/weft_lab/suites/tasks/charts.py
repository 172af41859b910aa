# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a task on each runtime, with the most threads."""

from __future__ import annotations

from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common, dots
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.task_tables import cost_table
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary

ROWS_MAX = 12


def costs(view: RunView) -> dict[str, list[CellSummary]]:
    """By case, at its largest size and with the most threads, the cheapest runtime first."""
    found: dict[str, list[CellSummary]] = {}
    for s in view.at_all_threads():
        case = view.case(s)
        if s.backend != "seq" and s.core_s_per_task and s.cell.size == view.largest_size(case):
            found.setdefault(case, []).append(s)
    for own in found.values():
        own.sort(key=lambda s: s.core_s_per_task or 0.0)
    return found


def build(view: RunView) -> Figure | None:
    found = {case: own for case, own in costs(view).items() if len(own) > 1}
    if not found:
        return None
    cheapest = sorted(found, key=lambda case: found[case][0].core_s_per_task or 0.0)[:ROWS_MAX]
    data = [
        {
            "row": case,
            "name": view.name(s.variant),
            "value": common.rounded(_per_task(s, s.time_s)),
            "low": common.rounded(_per_task(s, s.time_low_s)),
            "high": common.rounded(_per_task(s, s.time_high_s)),
            "chosen": s is own[0],
            "tip": f"{view.name(s.variant)}: {formats.seconds(s.core_s_per_task)} per task",
        }
        for case in cheapest
        for own in (found[case],)
        for s in own
    ]
    variants = [v for v in view.variants if any(row["name"] == view.name(v) for row in data)]
    remarks = {case: f"{view.name(found[case][0].variant)}" for case in cheapest}
    return dots.build(
        cost_table(view),
        dots.About(
            "Cost",
            f"With {view.threads_all} threads: the time of a call, times threads, over its tasks. "
            "Large mark: the cheapest.",
            "core time per task",
            f"./weft report --suite tasks --threads {view.threads_all}",
        ),
        data,
        dots.Look(
            tuple(cheapest),
            {view.name(v): theme.backend_of(v) for v in variants},
            remarks,
            label=common.SECONDS_LABEL,
            legend="runtime",
        ),
    )


def _per_task(s: CellSummary, time_s: float | None) -> float | None:
    return None if time_s is None or not s.tasks else time_s * s.cell.threads / s.tasks

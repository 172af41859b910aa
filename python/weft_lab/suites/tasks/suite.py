# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of task runtimes: the common part of suites of cells, and the cost of a task."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.view import RunView
from weft_lab.statistics.estimates import geometric_mean
from weft_lab.statistics.metg import metg
from weft_lab.suites.cells import CellSuite
from weft_lab.suites.tasks import charts
from weft_lab.suites.tasks.axes import AXES

NAMED_MAX = 3


class TasksSuite(CellSuite):
    """Costs come first."""

    openers = (charts.build,)

    def answer(self, view: RunView) -> tuple[str, ...]:
        found = [own for own in charts.costs(view).values() if len(own) > 1]
        if not found:
            return super().answer(view)
        over: dict[str, list[float]] = {}
        for own in found:
            for s in own:
                ratio = (s.core_s_per_task or 0.0) / (own[0].core_s_per_task or 1.0)
                over.setdefault(view.name(s.variant), []).append(ratio)
        wins = {name: sum(view.name(own[0].variant) == name for own in found) for name in over}
        best = max(wins, key=lambda name: wins[name])
        own = min(found, key=lambda own: own[0].core_s_per_task or 0.0)
        means = sorted((geometric_mean(ratios), name) for name, ratios in over.items())
        others = [f"{name} {formats.ratio(value)}" for value, name in means if name != best]
        return (
            f"With {view.threads_all} threads, tasks cost least on {best} in {wins[best]} of "
            f"{len(found)} problems; the cheapest takes "
            f"{formats.seconds(own[0].core_s_per_task)} of core time ({view.case(own[0])}).",
            f"On average of the cheapest cost: {', '.join(others[:NAMED_MAX])}.",
            *_shortest(view),
        )


def _shortest(view: RunView) -> tuple[str, ...]:
    """From which length on tasks pay."""
    found = sorted(
        (m.task_s, view.name(m.variant))
        for m in metg(view.summaries)
        if m.task_s is not None and m.threads == view.threads_all
    )
    texts = [f"{formats.seconds(task_s)} on {name}" for task_s, name in found[:NAMED_MAX]]
    return (f"Tasks fill half of the cores' time from a length of {', '.join(texts)} on.",) * bool(
        texts
    )


SUITE = TasksSuite(AXES)

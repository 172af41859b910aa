# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution, task time and scheduling overhead per core, each beside its ideal, as Figures 8 to 12
of the paper on HPX's counters.
"""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import RunView
from weft_lab.suites.inncabs.charts import runtime_looks
from weft_lab.suites.inncabs.curves import CoreTime, Curve, core_time, curves
from weft_lab.suites.inncabs.words import display

NAME = "overheads"
EXECUTION, IDEAL = "execution", "ideal scaling"
TASKS, IDEAL_TASKS = "task time per core", "ideal task time per core"
SCHEDULING = "scheduling overhead per core"
# Colour and dash; an ideal has the colour of its curve.
LOOKS = {
    EXECUTION: ("#0073b3", [1, 0]),
    IDEAL: ("#0073b3", [4, 4]),
    TASKS: ("#009e73", [1, 0]),
    IDEAL_TASKS: ("#009e73", [4, 4]),
    SCHEDULING: ("#d55e00", [1, 0]),
}


def build(view: RunView) -> Figure | None:
    found = sorted(curves(view.summaries), key=lambda c: (c.benchmark, c.backend))
    counted = [(curve, spent) for curve in found if (spent := _core_times(curve))]
    if not counted:
        return None
    data = [row for curve, spent in counted for row in rows(curve, spent)]
    return runtime_looks.figure(
        _table(counted),
        "Overheads",
        "From the runtime's own counters, read for every sample; medians. Task time and scheduling "
        "overhead are those of all workers, shared out over the cores: together they are the "
        "execution time. Ideal: the value at one core divided by the cores. Lower is better.",
        data,
        lambda shown: _layers(data, shown),
    )


def case(curve: Curve) -> str:
    """`fib by WEFT-FUTURE`."""
    return f"{curve.benchmark} by {display(curve.backend)}"


def rows(curve: Curve, spent: list[CoreTime]) -> Rows:
    """One row per thread count and quantity, in long form; ideals where one core was measured."""
    one = next((each for each in spent if each.threads == 1), None)
    found: Rows = []
    for each in spent:
        seconds = {
            EXECUTION: each.call_s,
            IDEAL: None if one is None else one.call_s / each.threads,
            TASKS: each.task_s / each.threads,
            IDEAL_TASKS: None if one is None else one.task_s / each.threads,
            SCHEDULING: each.scheduling_s / each.threads,
        }
        found += [
            {
                "case": case(curve),
                "threads": each.threads,
                "quantity": quantity,
                "time_s": common.rounded(value),
            }
            for quantity, value in seconds.items()
            if value is not None
        ]
    return found


def _core_times(curve: Curve) -> list[CoreTime]:
    return [spent for s in curve.points if (spent := core_time(s)) is not None]


def _layers(data: Rows, shown: str) -> Layers:
    colors = alt.Scale(domain=list(LOOKS), range=[color for color, _ in LOOKS.values()])
    dashes = alt.Scale(domain=list(LOOKS), range=[dash for _, dash in LOOKS.values()])
    legend = alt.Legend(symbolType="stroke", symbolSize=400)
    axis = alt.Axis(labelExpr=common.SECONDS_LABEL)
    base = (
        alt.Chart(alt.NamedData(name=NAME))
        .encode(
            x=runtime_looks.cores_axis(data),
            y=alt.Y("time_s:Q", title="time", axis=axis, scale=alt.Scale(zero=True)),
            color=alt.Color("quantity:N", title="", scale=colors, legend=legend),
        )
        .transform_filter(shown)
    )
    line = base.mark_line().encode(
        strokeDash=alt.StrokeDash("quantity:N", title="", scale=dashes, legend=legend)
    )
    points = base.mark_point(filled=True).encode(
        tooltip=["quantity:N", "threads:Q", alt.Tooltip("time_s:Q", format=".4~s")]
    )
    return alt.layer(line, points)


def _table(counted: list[tuple[Curve, list[CoreTime]]]) -> Table:
    return Table(
        name=NAME,
        title="Task time and scheduling overhead per core",
        columns=columns(
            ("benchmark", "benchmark"),
            ("runtime", "runtime"),
            ("cores", "threads", formats.number),
            ("execution", "execution_s", formats.seconds),
            ("task time per core", "task_time_per_core_s", formats.seconds),
            ("scheduling per core", "scheduling_per_core_s", formats.seconds),
            ("of it idle", "idle_per_core_s", formats.seconds),
            ("tasks", "tasks", formats.number),
            ("task, body", "task_body_s", formats.seconds),
            ("task, as HPX", "task_as_hpx_s", formats.seconds),
            ("scheduling per task", "scheduling_per_task_s", formats.seconds),
        ),
        rows=tuple(
            (
                curve.benchmark,
                display(curve.backend),
                spent.threads,
                spent.call_s,
                spent.task_s / spent.threads,
                spent.scheduling_s / spent.threads,
                None if spent.idle_s is None else spent.idle_s / spent.threads,
                spent.tasks,
                spent.task_mean_s,
                spent.task_hpx_mean_s,
                spent.scheduling_mean_s,
            )
            for curve, all_spent in counted
            for spent in all_spent
        ),
        note="Idle: searching for tasks and sleeping, a part of scheduling.",
    )

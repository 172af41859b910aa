# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How much faster each runtime gets with cores: a small chart per benchmark."""

from __future__ import annotations

from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import RunView
from weft_lab.suites.inncabs.charts import runtime_looks
from weft_lab.suites.inncabs.curves import BASELINE_BACKEND, Curve, curves, reach, time_of
from weft_lab.suites.inncabs.words import display

NAME = "scaling"
WIDTH_PX, HEIGHT_PX, COLUMNS = 235, 130, 4


def build(view: RunView) -> Figure | None:
    """None if nothing was timed with several cores."""
    found = [c for c in scaled(view) if not c.is_variant]
    data = [row for curve in found for row in _rows(curve, view.threshold)]
    if not data:
        return None
    num_cases = len({row["case"] for row in data})
    chart = _layers(data, list(dict.fromkeys(curve.backend for curve in found)))
    return Figure(
        name=NAME,
        title="Speed-up of each runtime over itself on one core",
        short_title="Scaling curves",
        caption="Each runtime at its best setting. Large mark: the last count of cores that made "
        "it faster. Dotted: ideal. Higher is better.",
        spec=common.to_spec(
            chart.properties(width=WIDTH_PX, height=HEIGHT_PX).facet(
                facet=alt.Facet("case:N", title=None), columns=min(COLUMNS, num_cases)
            )
        ),
        datasets={NAME: data},
        table=_table(data),
        command=runtime_looks.COMMAND,
    )


def scaled(view: RunView) -> list[Curve]:
    """The curves of runtimes that were timed with one core and with more."""
    found = sorted(curves(view.summaries), key=lambda c: (c.benchmark, c.backend))
    return [c for c in found if c.backend != BASELINE_BACKEND and len(c.points) > 1 and c.at(1)]


def _rows(curve: Curve, threshold: float) -> Rows:
    one_s = time_of(curve.points[0])
    last = reach(curve, threshold).cores
    return [
        {
            "case": curve.benchmark,
            "runtime": display(curve.backend),
            "threads": s.cell.threads,
            "speedup": common.rounded(one_s / time_of(s)),
            "last": s.cell.threads == last,
            "ideal": s.cell.threads,
        }
        for s in curve.points
    ]


def _layers(data: Rows, backends: list[str]) -> common.Layers:
    looks = runtime_looks.looks(backends)
    base = alt.Chart(alt.NamedData(name=NAME)).encode(x=runtime_looks.cores_axis(data))
    y = alt.Y("speedup:Q", title="speed-up", scale=alt.Scale(zero=True), axis=alt.Axis(tickCount=4))
    own = base.encode(y=y, color=looks["color"])
    ideal = base.mark_line(strokeDash=[2, 3], color=theme.MIDDLE, strokeWidth=1)
    tooltip = ["case:N", "runtime:N", "threads:Q", alt.Tooltip("speedup:Q", format=".3~r")]
    return alt.layer(
        ideal.encode(y=alt.Y("ideal:Q")),
        own.mark_line(),
        own.mark_point(filled=True).encode(
            shape=looks["shape"],
            size=alt.condition("datum.last", alt.value(110), alt.value(30)),
            tooltip=tooltip,
        ),
    )


def _table(data: Rows) -> Table:
    return Table(
        name=NAME,
        title="Speed-up over itself on one core",
        columns=columns(
            ("benchmark", "benchmark"),
            ("runtime", "runtime"),
            ("cores", "threads", formats.number),
            ("speed-up", "speedup", formats.ratio),
            ("stops here", "last"),
        ),
        rows=tuple(
            (
                *(row[key] for key in ("case", "runtime", "threads", "speedup")),
                "yes" if row["last"] else "",
            )
            for row in data
        ),
    )

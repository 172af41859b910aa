# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of the figures of the suite Inncabs: a look per runtime, a frame per figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from weft_lab.pages import theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table
from weft_lab.suites.inncabs.words import display

COMMAND = "./weft report --suite inncabs"


def looks(backends: Sequence[str]) -> dict[str, Any]:
    """Colour and shape per runtime."""
    ordered = theme.order(backends)
    names = [display(backend) for backend in ordered]
    colors = alt.Scale(domain=names, range=[theme.color(backend) for backend in ordered])
    shapes = alt.Scale(domain=names, range=[theme.shape(backend) for backend in ordered])
    return {
        "color": alt.Color("runtime:N", title="runtime", scale=colors),
        "shape": alt.Shape("runtime:N", title="runtime", scale=shapes),
    }


def cores_axis(data: Rows) -> alt.X:
    """A log axis with a tick per measured count of cores: a worker on each, unless more are asked
    for than there are.
    """
    axis: alt.X = common.threads_axis([row["threads"] for row in data]).title("cores (log scale)")
    return axis


def figure(
    table: Table,
    short_title: str,
    caption: str,
    data: Rows,
    draw: Callable[[str], Layers],
) -> Figure:
    """One chart per case; several cases are also shown side by side."""
    cases = tuple(dict.fromkeys(row["case"] for row in data))
    chart = draw(common.SELECTED).properties(width="container", height=common.CHART_HEIGHT_PX)
    return Figure(
        name=table.name,
        title=table.title,
        short_title=short_title,
        caption=caption,
        spec=common.to_spec(chart.add_params(common.case_param(cases))),
        datasets={table.name: data},
        table=table,
        command=COMMAND,
        cases=cases,
        overview=common.overview(draw, cases) if len(cases) > 1 else None,
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contestants as dots on one log axis, a row per case: their distances, and the recommendation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from weft_lab.pages import theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table

CHOSEN = "datum.chosen"
ROW_HEIGHT_PX = 27
ROWS_LEAST = 4


@dataclass(frozen=True)
class About:
    """A figure's texts. `x`: the axis' title; `command`: repeats the measurement."""

    short_title: str
    caption: str
    x: str
    command: str


@dataclass(frozen=True)
class Look:
    """The rows from top to bottom, and their contents.

    `names`: the contestants' keys in the palette by shown name. `remarks`: a text per row, right of
    the plot. `reference`: a value to compare with. `label`: a Vega expression for ticks.
    """

    rows: tuple[str, ...]
    names: Mapping[str, str]
    remarks: Mapping[str, str] = field(default_factory=dict)
    reference: float | None = None
    label: str = common.NUMBER_LABEL
    legend: str = "backend"


def build(table: Table, about: About, data: Rows, look: Look) -> Figure:
    """`data`: rows with `row`, `name`, `value`, `low`, `high`, `chosen` and `tip`; of several
    values of `case` one is shown at a time.
    """
    cases = tuple(dict.fromkeys(str(row["case"]) for row in data if "case" in row))
    chart = _layers(table.name, data, look, about.x)
    if cases:
        chart = chart.transform_filter(common.SELECTED).add_params(common.case_param(cases))
    height = ROW_HEIGHT_PX * max(ROWS_LEAST, len(look.rows))
    return Figure(
        name=table.name,
        title=table.title,
        short_title=about.short_title,
        caption=about.caption,
        spec=common.to_spec(chart.properties(width="container", height=height)),
        datasets={table.name: data},
        table=table,
        command=about.command,
        cases=cases,
    )


def _layers(dataset: str, data: Rows, look: Look, title: str) -> Layers:
    scale = alt.Scale(domain=list(look.rows))
    axis = alt.Axis(grid=True, domain=False, ticks=False)
    y = alt.Y("row:N", title=None, scale=scale, axis=axis)
    ends = [row[key] for row in data for key in ("low", "value", "high") if row[key]]
    ends += [look.reference] if look.reference else []
    x = alt.X("value:Q", **common.log_axis(ends, title, look.label))
    domain = list(look.names)
    color = alt.Color(
        "name:N",
        title=look.legend,
        scale=alt.Scale(domain=domain, range=[theme.color(key) for key in look.names.values()]),
    )
    shape = alt.Shape(
        "name:N",
        title=look.legend,
        scale=alt.Scale(domain=domain, range=[theme.shape(key) for key in look.names.values()]),
    )
    base = alt.Chart(alt.NamedData(name=dataset)).encode(y=y, color=color)
    strength = alt.condition(CHOSEN, alt.value(1.0), alt.value(0.55))
    size = alt.condition(CHOSEN, alt.value(150), alt.value(50))
    tip = alt.Tooltip("tip:N")
    layers = [
        base.mark_rule(strokeWidth=2).encode(
            x=alt.X("low:Q"),
            x2="high:Q",
            opacity=alt.condition(CHOSEN, alt.value(0.8), alt.value(0.3)),
        ),
        base.mark_point(filled=True).encode(
            x=x, shape=shape, opacity=strength, size=size, tooltip=tip
        ),
    ]
    if look.reference is not None:
        line = alt.Chart(alt.InlineData(values=[{"value": look.reference}]))
        layers.insert(0, line.mark_rule(strokeDash=[4, 3]).encode(x=alt.X("value:Q")))
    chart = alt.layer(*layers)
    return chart if not look.remarks else _remarked(chart, dataset, scale, look.remarks)


def _remarked(chart: Layers, dataset: str, scale: alt.Scale, remarks: Mapping[str, str]) -> Layers:
    """With a text per row at the right, outside of the marks."""
    texts = json.dumps(remarks, ensure_ascii=False)
    axis = alt.Axis(
        orient="right",
        labelExpr=f"{texts}[datum.value] || ''",
        labelFontWeight=600,
        domain=False,
        ticks=False,
        grid=False,
    )
    texts_only = (
        alt.Chart(alt.NamedData(name=dataset))
        .mark_point(opacity=0)
        .encode(y=alt.Y("row:N", title=None, scale=scale, axis=axis))
    )
    return alt.layer(chart, texts_only).resolve_axis(y="independent")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Interactive charts: ping-pongs with their bounds, all pairs, predictions, residuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft_lab.models.segments import Segmented
from weft_lab.pages.theme import MIDDLE
from weft_lab.suites.mpi.charts import (
    LEGEND_COLUMNS,
    Rows,
    curve_rows,
    data_of,
    quantity_axis,
    residual_rows,
    size_axis,
    size_rules,
    spec_of,
)
from weft_lab.suites.mpi.results import Series

WIDTH_PX, HEIGHT_PX, RESIDUAL_PX = 640, 250, 130
RESIDUAL_SHOWN = 0.2
CELL_PX = 64
SIDE_PX = 420
DOT_PX, LETTER_PX, LINE_PX = 7, 7, 13
SHADES = ["#eef4fb", "#7fb0de"]


def explorer(
    models: Sequence[tuple[Series, Segmented]],
    caches: Mapping[str, int],
    thresholds: Mapping[str, int],
) -> dict[str, Any]:
    """Time, bandwidth and residuals over one axis of sizes.

    A click on a transport in the legend shows it alone, shift adds others, the wheel zooms. Cache
    sizes are dotted rules, the library's thresholds dashed ones with letters.
    """
    import altair as alt

    points, lines = curve_rows(models)
    chosen = alt.selection_point(name="transports", fields=["transport"], bind="legend")
    zoom = alt.selection_interval(name="zoom", bind="scales", encodings=["x"])
    fit = alt.selection_point(name="fits", fields=["kind"], bind="legend")
    x = size_axis(points)
    color = alt.Color("transport:N", title="transport").legend(columns=LEGEND_COLUMNS)
    faded = alt.condition(chosen, alt.value(1.0), alt.value(0.04))
    panels: list[Any] = []
    for quantity in ("time_us", "bandwidth_mb_per_s"):
        y = quantity_axis(quantity, points)
        shape = alt.StrokeDash("kind:N", title="fit")
        drawn = alt.Chart(data_of(lines)).mark_line(strokeWidth=1.2).transform_filter(fit)
        tips = ["transport:N", "size_bytes:Q", "time_us:Q", "bandwidth_mb_per_s:Q"]
        dots = alt.Chart(data_of(points)).mark_point(size=24)
        seen = dots.encode(x, y, color, opacity=faded, tooltip=tips)
        layers = [
            drawn.encode(x, y, color, shape, opacity=faded),
            # All panels follow the selection of the first one.
            seen if panels else seen.add_params(zoom, chosen, fit),
            *size_rules(caches, thresholds),
        ]
        panels.append(alt.layer(*layers).properties(width=WIDTH_PX, height=HEIGHT_PX))
    y = alt.Y("residual:Q", title="regimes / measured - 1").axis(format="%")
    below = alt.Chart(data_of(residual_rows(models))).mark_line(point=True)
    residual = below.encode(x, y, color, opacity=faded)
    panels.append(residual.properties(width=WIDTH_PX, height=RESIDUAL_PX))
    return spec_of(alt.vconcat(*panels).resolve_scale(x="shared"), is_sized=True)


def heat_map(rows: Rows) -> dict[str, Any]:
    """`rows`: first, second (ranks), value and text of each panel's quantity; darker is slower."""
    import altair as alt

    ranks = sorted({row["first"] for row in rows} | {row["second"] for row in rows})
    side = CELL_PX * len(ranks)
    panels = []
    for quantity, title in (("latency_us", "1 byte, µs"), ("mb_per_s", "bandwidth, MB/s")):
        is_slow = quantity == "latency_us"
        shade = alt.Color(f"{quantity}:Q", title=title).scale(
            range=SHADES if is_slow else SHADES[::-1], zero=False
        )
        base = alt.Chart(data_of([row for row in rows if row.get(quantity) is not None])).encode(
            alt.X("first:O", title="rank").scale(domain=ranks).axis(labelAngle=0),
            alt.Y("second:O", title="rank").scale(domain=ranks),
        )
        tip = ["first:O", "second:O", "pair:N", f"{quantity}:Q"]
        text = alt.Text(f"{quantity}:Q", format=".3~g" if is_slow else ",.0f")
        tiles = base.mark_rect().encode(shade, tooltip=tip)
        words = base.mark_text(color="#111").encode(text)
        panels.append(alt.layer(tiles, words).properties(width=side, height=side, title=title))
    return spec_of(alt.hconcat(*panels).resolve_scale(color="independent"), is_sized=True)


def predicted(rows: Rows) -> dict[str, Any]:
    """Predicted over measured updates, one point per decomposition, coloured by the residual."""
    import altair as alt

    top = 1.05 * max(max(row["measured"], row["predicted"]) for row in rows)
    scale = alt.Scale(domain=[0.0, top])
    x = alt.X("measured:Q", title="measured, MLUP/s", scale=scale)
    y = alt.Y("predicted:Q", title="predicted, MLUP/s", scale=scale)
    limits = alt.Scale(scheme="redblue", domain=[-RESIDUAL_SHOWN, RESIDUAL_SHOWN], clamp=True)
    shade = alt.Color("residual:Q", title="predicted / measured - 1", scale=limits)
    shade = shade.legend(format="%")
    line = alt.Chart(
        data_of([{"measured": 0.0, "predicted": 0.0}, {"measured": top, "predicted": top}])
    )
    dots = alt.Chart(data_of(rows))
    tip = ["topology:N", "measured:Q", "predicted:Q", alt.Tooltip("residual:Q", format="+.1%")]
    layers = [
        line.mark_line(strokeDash=[4, 4], color=MIDDLE).encode(x, y),
        dots.mark_circle(size=120, stroke=MIDDLE, opacity=1.0).encode(x, y, shade, tooltip=tip),
        *_names(rows, top),
    ]
    return spec_of(alt.layer(*layers).properties(width=SIDE_PX, height=SIDE_PX), is_sized=True)


@dataclass(frozen=True)
class Box:
    """A rectangle in the chart. Units: pixels, y downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether they have a point in common."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def label_boxes(points: Sequence[tuple[float, float]], names: Sequence[str]) -> list[Box]:
    """The positions of names in a square of `SIDE_PX`: beside their point, or as close as possible
    without covering a point or an earlier name."""
    dots = [Box(x - DOT_PX, y - DOT_PX, x + DOT_PX, y + DOT_PX) for x, y in points]
    found: list[Box] = []
    for (x, y), name in zip(points, names, strict=True):
        width = LETTER_PX * len(name)
        steps = sorted(range(-len(points) - 2, len(points) + 3), key=abs)
        places = [
            Box(left, middle - LINE_PX / 2, left + width, middle + LINE_PX / 2)
            for step in steps
            for left in (x + DOT_PX + 2, x - DOT_PX - 2 - width)
            if left >= 0
            for middle in (y + step * LINE_PX,)
            if 0 <= middle <= SIDE_PX
        ]
        taken = [*dots, *found]
        free = (box for box in places if not any(box.meets(other) for other in taken))
        found.append(next(free, places[0]))
    return found


def _names(rows: Rows, top: float) -> list[Any]:
    """The topology of each point, with a line to it if the name is further away."""
    import altair as alt

    per_px = top / SIDE_PX
    ordered = sorted(rows, key=lambda row: (row["measured"], row["predicted"]))
    points = [(row["measured"] / per_px, SIDE_PX - row["predicted"] / per_px) for row in ordered]
    boxes = label_boxes(points, [str(row["topology"]) for row in ordered])
    placed: Rows = []
    for (x, y), box, row in zip(points, boxes, ordered, strict=True):
        middle = (box.top + box.bottom) / 2
        near = box.left if box.left > x else box.right
        placed.append(
            {
                "topology": row["topology"],
                "at_x": box.left * per_px,
                "at_y": (SIDE_PX - middle) * per_px,
                "near_x": near * per_px,
                "measured": row["measured"],
                "predicted": row["predicted"],
                "is_apart": abs(middle - y) > LINE_PX / 2,
            }
        )
    scale = alt.Scale(domain=[0.0, top])
    words = alt.Chart(data_of(placed)).mark_text(align="left", fontSize=10)
    apart = alt.Chart(data_of([row for row in placed if row["is_apart"]]))
    return [
        apart.mark_rule(color=MIDDLE, strokeWidth=0.7).encode(
            alt.X("measured:Q", scale=scale),
            alt.Y("predicted:Q", scale=scale),
            alt.X2("near_x:Q"),
            alt.Y2("at_y:Q"),
        ),
        words.encode(
            alt.X("at_x:Q", scale=scale), alt.Y("at_y:Q", scale=scale), alt.Text("topology:N")
        ),
    ]


def expected(rows: Rows) -> dict[str, Any]:
    """The model's prediction for more nodes: updates with the interval as a band."""
    import altair as alt

    base = alt.Chart(data_of(rows))
    x = alt.X("nodes:O", title="nodes").axis(labelAngle=0)
    y = alt.Y("mlups:Q", title="MLUP/s").scale(type="log")
    bars = base.mark_rule(strokeWidth=2).encode(x, alt.Y("low:Q"), alt.Y2("high:Q"))
    dots = base.mark_point(filled=True, size=60).encode(x, y, alt.Color("state:N", title=None))
    return spec_of(alt.layer(bars, dots))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Charts to look into: ping-pongs with what bounds them, all pairs, predictions, residuals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft_lab.models.segments import Segmented
from weft_lab.mpi.charts import (
    LEGEND_COLUMNS,
    Rows,
    curve_rows,
    data_of,
    residual_rows,
    spec_of,
)
from weft_lab.mpi.results import Series

WIDTH_PX, HEIGHT_PX, RESIDUAL_PX = 640, 250, 130
RESIDUAL_SHOWN = 0.2
CELL_PX = 64
LABEL_DY_PX = (0, -13, 13)
SHADES = ["#eef4fb", "#7fb0de"]


def explorer(
    models: Sequence[tuple[Series, Segmented]],
    caches: Mapping[str, int],
    thresholds: Mapping[str, int],
) -> dict[str, Any]:
    """Time, bandwidth and residuals over one axis of sizes: a click on a transport in the legend
    shows it alone, shift adds others, the wheel zooms.

    Cache sizes are dotted rules, the library's thresholds dashed ones.
    """
    import altair as alt

    points, lines = curve_rows(models)
    chosen = alt.selection_point(name="transports", fields=["transport"], bind="legend")
    zoom = alt.selection_interval(name="zoom", bind="scales", encodings=["x"])
    fit = alt.selection_point(name="fits", fields=["kind"], bind="legend")
    x = alt.X("size_bytes:Q", title="message size, bytes").scale(type="log")
    color = alt.Color("transport:N", title="transport").legend(columns=LEGEND_COLUMNS)
    faded = alt.condition(chosen, alt.value(1.0), alt.value(0.04))
    panels: list[Any] = []
    for quantity, title in (("time_us", "time, µs"), ("bandwidth_mb_per_s", "bandwidth, MB/s")):
        y = alt.Y(f"{quantity}:Q", title=title).scale(type="log")
        shape = alt.StrokeDash("kind:N", title="fit")
        drawn = alt.Chart(data_of(lines)).mark_line(strokeWidth=1.2).transform_filter(fit)
        tips = ["transport:N", "size_bytes:Q", "time_us:Q", "bandwidth_mb_per_s:Q"]
        dots = alt.Chart(data_of(points)).mark_point(size=24)
        seen = dots.encode(x, y, color, opacity=faded, tooltip=tips)
        layers = [
            drawn.encode(x, y, color, shape, opacity=faded),
            # All panels obey what the first one is asked.
            seen if panels else seen.add_params(zoom, chosen, fit),
            *_rules(caches, [2, 3], "cache"),
            *_rules(thresholds, [7, 3], "threshold"),
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
        line.mark_line(strokeDash=[4, 4], color="#888").encode(x, y),
        dots.mark_circle(size=120, stroke="#333", opacity=1.0).encode(x, y, shade, tooltip=tip),
        *_names(rows, x, y),
    ]
    return spec_of(alt.layer(*layers).properties(width=420, height=420), is_sized=True)


def _names(rows: Rows, x: Any, y: Any) -> list[Any]:  # noqa: ANN401 - altair has no types
    """Beside each point its topology, in turn level with it, above and below: points lie close."""
    import altair as alt

    ordered = sorted(rows, key=lambda row: row["measured"])
    found = []
    for number, dy in enumerate(LABEL_DY_PX):
        if own := ordered[number :: len(LABEL_DY_PX)]:
            base = alt.Chart(data_of(own)).mark_text(align="left", dx=9, dy=dy)
            found.append(base.encode(x, y, alt.Text("topology:N")))
    return found


def expected(rows: Rows) -> dict[str, Any]:
    """What the model expects of more nodes: updates with the interval as a band."""
    import altair as alt

    base = alt.Chart(data_of(rows))
    x = alt.X("nodes:O", title="nodes").axis(labelAngle=0)
    y = alt.Y("mlups:Q", title="MLUP/s").scale(type="log")
    bars = base.mark_rule(strokeWidth=2).encode(x, alt.Y("low:Q"), alt.Y2("high:Q"))
    dots = base.mark_point(filled=True, size=60).encode(x, y, alt.Color("state:N", title=None))
    return spec_of(alt.layer(bars, dots))


def _rules(sizes: Mapping[str, int], dash: list[int], kind: str) -> list[Any]:
    import altair as alt

    if not sizes:
        return []
    names: dict[int, list[str]] = {}
    for name, size in sizes.items():
        names.setdefault(size, []).append(name)
    rows = [{"size_bytes": size, kind: ", ".join(same)} for size, same in names.items()]
    base = alt.Chart(data_of(rows)).encode(alt.X("size_bytes:Q"), tooltip=[f"{kind}:N"])
    look: Any = alt.MarkDef(type="text", align="left", y=8, fontSize=9, color="#555")
    look.dx, look.angle = (3, 0) if kind == "cache" else (0, 90)
    text = base.encode(alt.Text(f"{kind}:N"))
    text.mark = look
    return [base.mark_rule(strokeDash=dash, color="#777"), text]

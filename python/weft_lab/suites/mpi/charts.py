# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures of the suite's report, as SVG and PNG."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft_lab.models import latency_bandwidth
from weft_lab.models.arrays import ModelError
from weft_lab.models.segments import Segmented
from weft_lab.pages.charts.common import SECONDS_LABEL, log_axis
from weft_lab.pages.theme import MIDDLE, vega_config
from weft_lab.suites.mpi.results import Series

Rows = list[dict[str, Any]]
WIDTH_PX, HEIGHT_PX = 660, 320
HEIGHT_PX_PER_BAR = 36
LEGEND_COLUMNS, TICKS_MAX = 3, 12
ROOM_ABOVE = 3.0
BYTES_LABEL = "format(datum.value, '~s')"


def curve_rows(models: Sequence[tuple[Series, Segmented]]) -> tuple[Rows, Rows]:
    """Points as measured, and lines as modelled: the regimes, and the report's two fits."""
    points: Rows = []
    lines: Rows = []
    for series, model in models:
        for size, time in zip(series.sizes, series.times_s(), strict=True):
            points.append(_row(series.name, "measured", float(size), float(time)))
            lines.append(_row(series.name, "regimes", float(size), model.time_s(float(size))))
        for method in ("ordinary", "extrapolated"):
            try:
                line = latency_bandwidth.fit(
                    "ordinary" if method == "ordinary" else "extrapolated",
                    series.sizes,
                    series.times_s(),
                )
            except ModelError:
                continue
            for size, time in zip(series.sizes, line.time_s(series.sizes), strict=True):
                if time > 0.0:
                    lines.append(_row(series.name, method, float(size), float(time)))
    return points, lines


def residual_rows(models: Sequence[tuple[Series, Segmented]]) -> Rows:
    """Predicted by the regimes over measured, minus one."""
    return [
        {
            "transport": series.name,
            "size_bytes": float(size),
            "residual": model.time_s(float(size)) / float(time) - 1.0,
        }
        for series, model in models
        for size, time in zip(series.sizes, series.times_s(), strict=True)
    ]


def _row(name: str, kind: str, size: float, time: float) -> dict[str, Any]:
    return {
        "transport": name,
        "kind": kind,
        "size_bytes": size,
        "time_us": 1e6 * time,
        "bandwidth_mb_per_s": size / time / 1e6,
    }


def size_axis(rows: Rows) -> Any:  # noqa: ANN401 - altair has no types
    """Sizes of messages, `10k` for 10,000."""
    import altair as alt

    sizes = (row["size_bytes"] for row in rows)
    axis = log_axis(sizes, "message size, bytes", BYTES_LABEL)
    return alt.X("size_bytes:Q", **{**axis, "title": "message size, bytes"})


def quantity_axis(quantity: str, rows: Rows) -> Any:  # noqa: ANN401 - altair has no types
    """Times or bandwidths with round ticks."""
    import altair as alt

    title = "time, µs" if quantity == "time_us" else "bandwidth, MB/s"
    values = [row[quantity] for row in rows]
    # Names of caches stand above the curves.
    return alt.Y(f"{quantity}:Q", **log_axis([*values, ROOM_ABOVE * max(values)], title))


def lettered(thresholds: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """A letter, bytes, and all names of that size, the smallest first: names are too long to be
    side by side in a chart."""
    sizes = sorted(set(thresholds.values()))
    return [
        (chr(ord("a") + n), size, ", ".join(sorted(k for k, v in thresholds.items() if v == size)))
        for n, size in enumerate(sizes)
    ]


def size_rules(caches: Mapping[str, int], thresholds: Mapping[str, int]) -> list[Any]:
    """Cache sizes as dotted rules with their names, and thresholds as dashed ones with letters
    below those. A chart that zooms cuts off marks outside of it."""
    import altair as alt

    names: dict[int, list[str]] = {}
    for name, size in caches.items():
        names.setdefault(size, []).append(name)
    levels = [{"size_bytes": size, "cache": ", ".join(same)} for size, same in names.items()]
    limits = [
        {"size_bytes": size, "threshold": same, "letter": letter}
        for letter, size, same in lettered(thresholds)
    ]
    layers: list[Any] = []
    looks: tuple[tuple[Rows, str, str, list[int], dict[str, Any]], ...] = (
        (levels, "cache", "cache", [2, 3], {"align": "right", "dx": -3, "y": 8}),
        (limits, "threshold", "letter", [7, 3], {"align": "right", "dx": -3, "y": 20}),
    )
    for rows, tip, text, dash, place in looks:
        if rows:
            x = alt.X("size_bytes:Q")
            base = alt.Chart(data_of(rows)).encode(x, tooltip=[f"{tip}:N"])
            layers.append(base.mark_rule(strokeDash=dash, color=MIDDLE))
            named = base.encode(alt.Text(f"{text}:N"))
            named.mark = alt.MarkDef(type="text", fontSize=10, color=MIDDLE, **place)
            layers.append(named)
    return layers


def ping_pong(
    models: Sequence[tuple[Series, Segmented]],
    quantity: str,
    caches: Mapping[str, int],
    thresholds: Mapping[str, int],
) -> dict[str, Any]:
    """Time or bandwidth over size, measured points, fitted lines, cache sizes and thresholds."""
    import altair as alt

    points, lines = curve_rows(models)
    x, y = size_axis(points), quantity_axis(quantity, points)
    color = alt.Color("transport:N", title="transport").legend(columns=LEGEND_COLUMNS)
    dash = alt.StrokeDash("kind:N", title="fit")
    layers: list[Any] = [
        alt.Chart(data_of(lines)).mark_line(strokeWidth=1.2).encode(x, y, color, dash),
        alt.Chart(data_of(points)).mark_point(size=26).encode(x, y, color),
    ]
    return spec_of(alt.layer(*layers, *size_rules(caches, thresholds)))


def residuals(models: Sequence[tuple[Series, Segmented]]) -> dict[str, Any]:
    """How far the regimes are off, size by size."""
    import altair as alt

    x = size_axis(residual_rows(models))
    y = alt.Y("residual:Q", title="modelled / measured - 1").axis(format="%")
    chart = alt.Chart(data_of(residual_rows(models))).mark_line(point=True)
    return spec_of(chart.encode(x, y, alt.Color("transport:N")))


def intervals(rows: Rows, title: str) -> dict[str, Any]:
    """A forest plot: one configuration per line, its time and interval."""
    import altair as alt

    data = data_of(rows)
    y = alt.Y("label:N", title=None, sort=None)
    axis = alt.Axis(labelExpr=SECONDS_LABEL, tickCount=6)
    x = alt.X("time_s:Q", title=title, axis=axis).scale(zero=False)
    points = alt.Chart(data).mark_point(filled=True).encode(x, y)
    bars = alt.Chart(data).mark_rule().encode(alt.X("low_s:Q"), alt.X2("high_s:Q"), y)
    return spec_of(alt.layer(bars, points))


def jacobi(rows: Rows) -> dict[str, Any]:
    """Measured and predicted updates over ranks."""
    import altair as alt

    x = _ranks_axis(rows)
    y = alt.Y("mlups:Q", title="MLUP/s")
    chart = alt.Chart(data_of(rows)).mark_line(point=True)
    return spec_of(chart.encode(x, y, alt.Color("kind:N", title=None), alt.StrokeDash("grid:N")))


def ring(lines: Rows, marks: Rows) -> dict[str, Any]:
    """Time of a cycle over ranks: measured, fitted, and where the ring leaves a domain."""
    import altair as alt

    x = _ranks_axis(lines)
    y = alt.Y("time_us:Q", title="time of a cycle, µs")
    color, dash = alt.Color("mpi:N", title="MPI"), alt.StrokeDash("kind:N", title=None)
    seen = [row for row in lines if row["kind"] == "measured"]
    fitted = [row for row in lines if row["kind"] != "measured"]
    layers: list[Any] = [alt.Chart(data_of(seen)).mark_point(size=40).encode(x, y, color)]
    if fitted:
        layers.append(alt.Chart(data_of(fitted)).mark_line().encode(x, y, color, dash))
    if marks:
        base = alt.Chart(data_of(marks)).encode(alt.X("ranks:Q"), color)
        layers.append(base.mark_rule(strokeDash=[2, 3]))
        layers.append(base.mark_text(align="left", dx=3, y=8).encode(alt.Text("boundary:N")))
    return spec_of(alt.layer(*layers))


def _ranks_axis(rows: Rows) -> Any:  # noqa: ANN401 - altair has no types
    """From the least to the most ranks, with whole numbers at the ticks."""
    import altair as alt

    numbers = sorted({row["ranks"] for row in rows})
    scale = alt.Scale(domain=[numbers[0], numbers[-1]], nice=False, padding=12)
    ticks = numbers if len(numbers) <= TICKS_MAX else alt.Undefined
    return alt.X("ranks:Q", title="ranks", scale=scale).axis(values=ticks, format="d")


def waterfall(rows: Rows) -> dict[str, Any]:
    """Bars of a prediction's parts, one per decomposition, with the measured time as a tick."""
    import altair as alt

    parts = [row for row in rows if "part" in row]
    order = list(dict.fromkeys(row["part"] for row in parts))
    y = alt.Y("topology:N", title=None, sort=None)
    x = alt.X("ms:Q", title="a sweep, ms; the tick is measured")
    color = alt.Color("part:N", title="predicted", sort=order)
    bars = alt.Chart(data_of(parts)).mark_bar().encode(x, y, color, alt.Order("order:O"))
    ticks = alt.Chart(data_of([row for row in rows if "part" not in row]))
    drawn = ticks.mark_tick(thickness=3, color=MIDDLE, size=26).encode(alt.X("measured_ms:Q"), y)
    height = HEIGHT_PX_PER_BAR * len({row["topology"] for row in rows})
    return spec_of(alt.layer(bars, drawn).properties(width=WIDTH_PX, height=height), is_sized=True)


def data_of(rows: Rows) -> Any:  # noqa: ANN401 - altair has no types
    """Rows as altair's inline data."""
    import altair as alt

    make: Any = alt.Data
    return make(values=rows)


def spec_of(chart: Any, *, is_sized: bool = False) -> dict[str, Any]:  # noqa: ANN401 - altair has no types
    """The chart in the suite's size, unless it has one, and look."""
    sized = chart if is_sized else chart.properties(width=WIDTH_PX, height=HEIGHT_PX)
    spec: dict[str, Any] = sized.to_dict()
    return spec | {"config": vega_config()}

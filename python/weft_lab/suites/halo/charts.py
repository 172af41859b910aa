# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's figures: bars of steps, speed-ups over shapes, overlap, and scaling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_lab.pages.charts.common import RATIO_LABEL, drawn_interval, log_axis
from weft_lab.pages.charts.figure import Rows
from weft_lab.pages.theme import vega_config
from weft_lab.suites.halo.results import Results, Times
from weft_lab.suites.halo.tables import STEPS, memory_shares, step_times
from weft_lab.suites.halo.verdicts import Comparison

WIDTH_PX = 660
STEP_NAMES = {"pack": "1 pack", "transfer": "2 exchange", "unpack": "3 unpack"}
STEP_COLORS = ("#0073b3", "#c58800", "#009e73")
VERDICT_COLORS = {"faster": "#0073b3", "cannot tell": "#888888", "slower": "#d55e00"}
BAR_PX = 22


def step_rows(times: list[Times]) -> Rows:
    """Milliseconds of each step, in the order in which bars are stacked."""
    return [
        {
            "contestant": each.contestant,
            "step": STEP_NAMES[step],
            "order": number,
            "time_ms": 1e3 * each.middle_s(step),
        }
        for each in times
        for number, step in enumerate(STEPS)
    ]


def steps(results: Results, job: str, mpi: str) -> dict[str, Any] | None:
    """A bar per contestant, as in the paper's figures; None if nothing was measured."""
    import altair as alt

    times = [each for each in step_times(results, (job,)) if each.mpi == mpi]
    if not times:
        return None
    color = alt.Color("step:N", title=None).scale(
        domain=list(STEP_NAMES.values()), range=list(STEP_COLORS)
    )
    x = alt.X("time_ms:Q", title=f"time per exchange, ms ({times[0].shape.text}, {mpi})")
    y = alt.Y("contestant:N", title=None, sort=None)
    chart = alt.Chart(data(step_rows(times))).mark_bar().encode(x, y, color, alt.Order("order:Q"))
    return spec(chart, height=BAR_PX * len(times))


def sweep(comparisons: Sequence[Comparison]) -> dict[str, Any] | None:
    """Speed-up of every shape with its interval, the least gain on top.

    Intervals wider than four times either way are drawn cut off.
    """
    import altair as alt

    if not comparisons:
        return None
    ordered = sorted(comparisons, key=lambda each: each.speed.value)
    rows: Rows = []
    for each in ordered:
        speed = each.speed
        low, high = drawn_interval(speed.value, speed.low, speed.high)
        rows.append(
            {
                "shape": each.shape.text,
                "contestant": f"{each.contestant} / {each.baseline}",
                "speed": speed.value,
                "low": low or speed.value,
                "high": high or speed.value,
                "verdict": each.words,
            }
        )
    shapes = list(dict.fromkeys(each.shape.text for each in ordered))
    color = alt.Color("verdict:N", title="weft is").scale(
        domain=list(VERDICT_COLORS), range=list(VERDICT_COLORS.values())
    )
    y = alt.Y("shape:N", title=None, sort=shapes)
    shape = alt.Shape("contestant:N", title=None)
    ends = [row[key] for row in rows for key in ("low", "speed", "high")]
    title = "speed-up over exchanges written by hand"
    x = alt.X("speed:Q", **log_axis(ends, title, RATIO_LABEL))
    points = alt.Chart(data(rows)).mark_point(filled=True, size=36).encode(x, y, color, shape)
    bars = alt.Chart(data(rows)).mark_rule().encode(alt.X("low:Q"), alt.X2("high:Q"), y, color)
    one = alt.Chart(data([{"speed": 1.0}])).mark_rule(strokeDash=[4, 3]).encode(alt.X("speed:Q"))
    return spec(alt.layer(bars, points, one), height=14 * len(shapes))


def memory(results: Results) -> dict[str, Any] | None:
    """Two bars per shape, on a scale on which factors add up: the memory's, then the exchange's."""
    import altair as alt

    rows: Rows = []
    for each in memory_shares(results):
        label = f"{each.shape.text}, {each.mpi}"
        middle, end = each.memory.value, each.memory.value * each.exchange.value
        rows += [
            {"shape": label, "part": "by the memory", "from": 1.0, "to": middle},
            {"shape": label, "part": "by the exchange", "from": middle, "to": end},
        ]
    if not rows:
        return None
    labels = list(dict.fromkeys(row["shape"] for row in rows))
    color = alt.Color("part:N", title=None, sort=None)
    ends = [row[key] for row in rows for key in ("from", "to")]
    title = "times as fast as rows by hand on own memory"
    x = alt.X("from:Q", **log_axis(ends, title, RATIO_LABEL))
    y = alt.Y("shape:N", title=None, sort=labels)
    offset = alt.YOffset("part:N", sort=None)
    chart = alt.Chart(data(rows)).mark_bar().encode(x, alt.X2("to:Q"), y, color, offset)
    return spec(chart, height=2 * BAR_PX * len(labels))


def overlap(results: Results) -> dict[str, Any] | None:
    """Two bars per contestant and shape: exchange and computation after each other, and at once."""
    import altair as alt

    rows: Rows = []
    for each in results.times("overlap"):
        label = f"{each.contestant}, {each.shape.size[0]}³"
        parts = (("exchange alone", "alone", 0), ("computation alone", "compute", 1))
        rows += [
            {"label": f"{label}  ", "part": part, "order": n, "time_ms": 1e3 * each.middle_s(kind)}
            for part, kind, n in parts
        ]
        both = 1e3 * each.middle_s("together")
        rows.append({"label": f"{label}: at once", "part": "at once", "order": 2, "time_ms": both})
    if not rows:
        return None
    labels = list(dict.fromkeys(row["label"] for row in rows))
    color = alt.Color("part:N", title=None, sort=None)
    x = alt.X("time_ms:Q", title="time, ms")
    y = alt.Y("label:N", title=None, sort=labels)
    chart = alt.Chart(data(rows)).mark_bar().encode(x, y, color, alt.Order("order:Q"))
    return spec(chart, height=16 * len(labels))


def weak(results: Results) -> dict[str, Any] | None:
    """Time over ranks; hollow where ranks share CPUs."""
    import altair as alt

    rows: Rows = [
        {
            "ranks": each.shape.num_ranks,
            "contestant": f"{each.contestant} ({each.mpi})",
            "time_us": 1e6 * each.middle_s(),
            "CPUs": "shared by ranks" if each.is_functional_only else "one per rank",
        }
        for each in results.times("weak")
    ]
    if not rows:
        return None
    ticks = sorted({each.shape.num_ranks for each in results.times("weak")})
    x = alt.X("ranks:Q", title="ranks (log scale)").scale(type="log", base=2).axis(values=ticks)
    y = alt.Y("time_us:Q", **log_axis((row["time_us"] for row in rows), "time per exchange, µs"))
    color = alt.Color("contestant:N", title=None).legend(labelLimit=320, columns=2)
    lines = alt.Chart(data(rows)).mark_line().encode(x, y, color)
    points = (
        alt.Chart(data(rows))
        .mark_point(size=60, filled=True)
        .encode(x, y, color, alt.Shape("CPUs:N", title="CPUs").legend(columns=1))
    )
    return spec(alt.layer(lines, points))


def data(rows: Rows) -> Any:  # noqa: ANN401 - altair has no types
    """Rows as altair takes them."""
    import altair as alt

    make: Any = alt.Data
    return make(values=rows)


def spec(chart: Any, height: int = 320) -> dict[str, Any]:  # noqa: ANN401 - altair has no types
    """The chart as a dictionary that carries the lab's look. Units: pixels."""
    made: dict[str, Any] = chart.properties(width=WIDTH_PX, height=height).to_dict()
    return made | {"config": vega_config()}

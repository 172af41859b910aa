# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The figures: times over sizes or threads or side by side, speed-ups over threads, rates below the
machine's roofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common, dots
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table
from weft_lab.suites.bench.results import BenchRun, Row
from weft_lab.suites.bench.roofline import Position
from weft_lab.suites.bench.scaling import Curve, fastest

TIMES, SPEEDUPS, ROOFLINE = "bench_times", "bench_scaling", "bench_roofline"
# The factor by which the roofline's axis of operations per byte extends beyond the data.
ROOM_BESIDE = 4.0


@dataclass(frozen=True)
class _Lines:
    """A chart of lines: its data set, its axes, and the names in their order."""

    dataset: str
    x: alt.X
    y: alt.Y
    names: tuple[str, ...]
    tip: str


@dataclass(frozen=True)
class _Words:
    """The texts around a figure."""

    name: str
    title: str
    caption: str
    command: str


def times(run: BenchRun, table: Table, command: str) -> tuple[Figure, ...]:
    """The figure of the first screen; none if nothing has a time."""
    if not run.timed:
        return ()
    if len({row.cell.size for row in run.timed}) > 1:
        return (_over_sizes(run, table, command),)
    if len({row.cell.threads for row in run.timed}) > 1:
        return (_over_threads(run, table, command),)
    return (_side_by_side(run, table, command),)


def _series(row: Row) -> str:
    return " ".join(filter(None, (row.name, row.case)))


def _names(rows: Iterable[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_series, rows)))


def _point(row: Row) -> dict[str, object]:
    low, high = common.drawn_interval(row.time_s, row.summary.time_low_s, row.summary.time_high_s)
    return {
        "name": _series(row),
        "size": row.cell.size,
        "threads": row.cell.threads,
        "value": common.rounded(row.time_s),
        "low": low,
        "high": high,
        "tip": f"{_series(row)}: {formats.seconds(row.time_s)}",
    }


def _over_sizes(run: BenchRun, table: Table, command: str) -> Figure:
    """Every contestant with its best threads."""
    best = fastest(run)
    chosen = [r for r in run.timed if best.get((r.case, r.cell.size), {}).get(r.name) is r]
    rows = chosen or run.timed  # all with more threads than CPUs
    size = run.asked.size_name
    own = ", each with its best number of threads" if run.has_threads else ""
    x = _size_axis([row.cell.size for row in rows], size)
    caption = f"Time over {size}{own}. Lower is better."
    return _times_figure(table, rows, x, _Words(TIMES, f"Time of a {run.unit}", caption, command))


def _size_axis(sizes: Sequence[int], title: str) -> alt.X:
    if all(size & (size - 1) == 0 for size in sizes):
        return common.size_axis(sizes, f"{title} (log scale)")
    return alt.X("size:Q", **common.log_axis(sizes, title))


def _over_threads(run: BenchRun, table: Table, command: str) -> Figure:
    rows = run.timed
    x = common.threads_axis([row.cell.threads for row in rows])
    words = _Words(TIMES, f"Time of a {run.unit}", "Time over threads. Lower is better.", command)
    return _times_figure(table, rows, x, words)


def _times_figure(table: Table, rows: Sequence[Row], x: alt.X, words: _Words) -> Figure:
    data = [_point(row) for row in rows]
    ends = [float(str(row[key])) for row in data for key in ("low", "value", "high") if row[key]]
    y = alt.Y("value:Q", **common.log_axis(ends, words.title.lower(), common.SECONDS_LABEL))
    chart = _lines(_Lines(TIMES, x, y, _names(rows), "tip:N"))
    return _figure(words, chart, data, table)


def _side_by_side(run: BenchRun, table: Table, command: str) -> Figure:
    names = _names(run.timed)
    chosen = {decision.backend for decision in run.view.decisions}
    data = [
        {**_point(row), "row": _series(row), "chosen": len(names) == 1 or row.name in chosen}
        for row in run.timed
    ]
    about = dots.About(
        "Times",
        "Median over launches with its 95 % interval. Left is faster.",
        f"time of a {run.unit}",
        command,
    )
    look = dots.Look(
        names,
        dict(zip(names, names, strict=True)),
        {_series(row): formats.seconds(row.time_s) for row in run.timed},
        label=common.SECONDS_LABEL,
        legend="program",
    )
    return dots.build(replace(table, title=f"Time of a {run.unit}"), about, data, look)


def speedups(run: BenchRun, table: Table, curves: Sequence[Curve], command: str) -> Figure | None:
    """The contestants at the largest size; None if no thread counts can be compared."""
    largest = max((curve.size for curve in curves), default=0)
    shown = [curve for curve in curves if curve.size == largest]
    data: Rows = []
    for curve in shown:
        least = curve.rows[0].cell.threads
        for row in curve.rows:
            ratio = curve.speedup(row)
            if ratio is None:
                continue
            is_first = row is curve.rows[0]
            low, high = common.drawn_interval(ratio.value, ratio.low, ratio.high)
            data.append(
                {
                    "name": _series(row),
                    "threads": row.cell.threads,
                    "value": common.rounded(ratio.value),
                    "low": None if is_first else low,
                    "high": None if is_first else high,
                    "tip": f"{_series(row)}, {row.cell.threads} threads: "
                    f"{formats.ratio(ratio.value)} as fast as with {least}",
                }
            )
    if not data:
        return None
    counts = [int(row["threads"]) for row in data]
    ends = [float(row[key]) for row in data for key in ("low", "value", "high") if row[key]]
    ideal = [1.0, max(counts) / min(counts)]
    y = alt.Y("value:Q", **common.log_axis([*ends, *ideal], "speed-up", common.RATIO_LABEL))
    names = tuple(dict.fromkeys(str(row["name"]) for row in data))
    lines = _lines(_Lines(SPEEDUPS, common.threads_axis(counts), y, names, "tip:N"))
    chart = alt.layer(common.ideal_line(min(counts), max(counts), "value"), lines)
    place = f" at {run.asked.size_name} = {largest}" if run.asked.size_name else ""
    caption = f"Speed-up over threads{place}; the grey line is the ideal. Higher is better."
    return _figure(_Words(SPEEDUPS, "Speed-up", caption, command), chart, data, table)


def below_roofs(
    run: BenchRun, table: Table, found: Sequence[Position], command: str
) -> Figure | None:
    """The roofline at the largest size; None where operations or a roof are unknown."""
    largest = max((each.row.cell.size for each in found), default=0)
    shown = [each for each in found if each.row.cell.size == largest and each.limit]
    if not shown:
        return None
    data = [_below_roof(each) for each in shown]
    roofs = _roof_lines(shown)
    rates = [float(row["value"]) for row in (*data, *roofs)]
    y = alt.Y("value:Q", **common.log_axis(rates, "operations per second, Gop/s"))
    ends = [float(row["per_byte"]) for row in roofs]
    x = alt.X("per_byte:Q", **common.log_axis(ends, "operations per byte"))
    names = tuple(dict.fromkeys(str(row["name"]) for row in data))
    base = alt.Chart(alt.InlineData(values=roofs)).encode(x=x, y=y)
    lines = base.mark_line(color=theme.MIDDLE, strokeWidth=1.2).encode(detail="roof:N")
    last = base.transform_filter("datum.is_last").mark_text(align="right", dy=-7)
    # The points alone: in one column, lines between them would say nothing.
    points = _lines(_Lines(ROOFLINE, x, y, names, "tip:N"), has_lines=False)
    caption = (
        f"Operations over operations per byte at {run.asked.size_name} = {largest}; grey: the "
        "most that memory (rising) and arithmetic (level) give. Higher is better."
    )
    words = _Words(ROOFLINE, "Below the machine's roofs", caption, command)
    return _figure(words, alt.layer(lines, last.encode(text="roof:N"), points), data, table)


def _below_roof(each: Position) -> dict[str, object]:
    assert each.operations is not None
    rate, share = each.operations, formats.percent(each.share.value, 0)
    low, high = common.drawn_interval(rate.value, rate.low, rate.high)
    threads = formats.threads(each.row.cell.threads)
    return {
        "name": _series(each.row),
        "per_byte": common.rounded(each.per_byte),
        "value": common.rounded(rate.value),
        "low": low,
        "high": high,
        "tip": f"{_series(each.row)}, {threads}: {formats.significant(rate.value)} Gop/s, {share} "
        "of its roof",
    }


def _roof_lines(shown: Sequence[Position]) -> Rows:
    """For each number of threads, a line that rises to the ridge and then stays level."""
    own = [each.per_byte for each in shown if each.per_byte]
    roofs = {each.roofs.threads: each.roofs for each in shown}
    ridges = [
        roof.operations_per_s / roof.bytes_per_s for roof in roofs.values() if roof.operations_per_s
    ]
    left, right = min(*own, *ridges) / ROOM_BESIDE, max(*own, *ridges) * ROOM_BESIDE
    return [
        {
            "roof": f"roof of {formats.threads(threads)}",
            "per_byte": common.rounded(at),
            "value": common.rounded(1e-9 * roof.attainable(at)),
            "is_last": at == right,
        }
        for threads, roof in sorted(roofs.items())
        for at in sorted({left, right, *ridges})
    ]


def _lines(look: _Lines, *, has_lines: bool = True) -> Layers:
    places = range(len(look.names))
    colors = [theme.CATEGORY[n % len(theme.CATEGORY)] for n in places]
    # Names that share a colour differ in their shape.
    shifted = [n + n // len(theme.CATEGORY) for n in places]
    shapes = [theme.SPARE_SHAPES[n % len(theme.SPARE_SHAPES)] for n in shifted]
    domain = list(look.names)
    base = alt.Chart(alt.NamedData(name=look.dataset)).encode(
        x=look.x,
        color=alt.Color("name:N", title="program", scale=alt.Scale(domain=domain, range=colors)),
    )
    shape = alt.Shape("name:N", title="program", scale=alt.Scale(domain=domain, range=shapes))
    points = base.mark_point(filled=True).encode(y=look.y, shape=shape, tooltip=[look.tip])
    rules = base.mark_rule().encode(y=alt.Y("low:Q"), y2="high:Q")
    return alt.layer(rules, *([base.mark_line().encode(y=look.y)] if has_lines else []), points)


def _figure(words: _Words, chart: Layers, data: Rows, table: Table) -> Figure:
    sized = chart.properties(width="container", height=common.CHART_HEIGHT_PX)
    return Figure(
        name=words.name,
        title=words.title,
        short_title=words.title,
        caption=f"{words.caption} {common.INTERVAL_NOTE}",
        spec=common.to_spec(sized),
        datasets={words.name: data},
        table=table,
        command=words.command,
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Encodings all figures share: colour, shape and dash per variant, and axes with units."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from weft_lab.pages import formats, theme
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.figure import CASE_PARAM, Rows, Spec
from weft_lab.pages.view import RunView
from weft_lab.storage.cells import format_size
from weft_lab.storage.checkout import DEFAULT_SUITE

# Altair types some of its methods as wider than what they return.
Layers = Any

# What a user may have chosen, as it is typed.
IDEAL_POINTS = 24
OPTIONS = ("suite", "only", "backend", "size", "type", "threads", "allocator", "placement", "smt",
           "launch")  # fmt: skip
MAX_SIZE_TICKS = 14
CHART_HEIGHT_PX = 340
LOG_ROOM = 1.15
INTERVAL_FACTOR_MAX = 4.0
BEST_SHOWN = 3
MAIN_NOTE = (
    f"Shown are seq, the choices and the {BEST_SHOWN} fastest; click a name in the legend for "
    "another."
)
INTERVAL_NOTE = "Intervals wider than four times either way are drawn cut off."
SELECTED = f"datum.case === {CASE_PARAM}"
SMALL_WIDTH_PX = 250
SMALL_HEIGHT_PX = 170
# Vega expressions: '2' with a raised exponent, and seconds with an SI prefix.
POWER_LABEL = (
    json.dumps([formats.size(1 << k) for k in range(64)], ensure_ascii=False)
    + "[round(log(datum.value) / LN2)]"
)
SECONDS_LABEL = "replace(format(datum.value, '~s'), regexp('([a-zµ]*)$'), ' $1') + 's'"

NUMBER_LABEL = "format(datum.value, '~r')"
RATIO_LABEL = "format(datum.value, '~r') + ' ×'"
TICKS_LEAST, TICKS_MOST = 3, 9
# Round numbers of a decade, the sparsest first; more than one decade apart: every so many.
TICK_STEPS: tuple[tuple[float, ...], ...] = (
    (1,),
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    tuple(n / 10 for n in range(10, 100)),
    tuple(n / 50 for n in range(50, 500)),
    tuple(n / 100 for n in range(100, 1000)),
)


def log_ticks(low: float, high: float, most: int = TICKS_MOST) -> list[float]:
    """Round numbers for a log axis from `low` to `high`, as many as there is room for."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    num_decades = math.floor(math.log10(high)) - math.ceil(math.log10(low)) + 1
    apart = max(1, -(-num_decades // most))
    best = [10.0**e for e in range(first, last + 1, apart)]
    best = [tick for tick in best if low <= tick <= high]
    for step in TICK_STEPS if apart == 1 else ():
        ticks = [round(m * 10.0**e, 2 - e) for e in range(first, last + 1) for m in step]
        inside = [tick for tick in ticks if low <= tick <= high]
        if len(inside) > most:
            break
        best = inside
    return best if len(best) >= TICKS_LEAST or low == high else _even_ticks(low, high, most)


def _even_ticks(low: float, high: float, most: int) -> list[float]:
    """Round numbers at equal distances, for a range that is narrow and holds a power of ten: the
    numbers of the decade below lie ten times as close as those above.
    """
    exponent = math.floor(math.log10((high - low) / most))
    for step in (factor * 10.0**exponent for factor in (1, 2, 5, 10)):
        first, last = math.ceil(low / step), math.floor(high / step)
        if last - first < most:
            break
    return [round(n * step, 1 - exponent) for n in range(first, last + 1)]


def log_domain(values: Iterable[float]) -> tuple[float, float]:
    """What a log axis spans: all values with a little room."""
    known = [value for value in values if value > 0]
    return min(known, default=1.0) / LOG_ROOM, max(known, default=1.0) * LOG_ROOM


def log_axis(
    values: Iterable[float], title: str, label: str = NUMBER_LABEL, most: int = TICKS_MOST
) -> dict[str, Any]:
    """Title, scale and ticks of an encoding whose log axis shows `values`, at round numbers."""
    low, high = log_domain(values)
    ticks = log_ticks(low, high, most)
    return {
        "title": f"{title} (log scale)",
        "scale": alt.Scale(type="log", nice=False, domain=[low, high]),
        "axis": alt.Axis(values=ticks, labelExpr=label, labelOverlap="greedy"),
    }


def rounded(value: float | None, digits: int = 5) -> float | None:
    """`value` with `digits` significant digits, which keeps the page small."""
    return None if value is None else float(f"{value:.{digits}g}")


def has_several_sizes(data: Rows) -> bool:
    """Whether any case has something to show over sizes."""
    sizes: dict[str, set[int]] = {}
    for row in data:
        sizes.setdefault(row["case"], set()).add(row["size"])
    return any(len(own) > 1 for own in sizes.values())


def cases_in(view: RunView, data: Rows) -> tuple[str, ...]:
    """The cases that `data` has rows of, in the order of the view."""
    present = {row["case"] for row in data}
    return tuple(case for case in view.cases if case in present)


def drawn_interval(
    value: float | None, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    """An interval cut off at `INTERVAL_FACTOR_MAX`: one wild cell must not rule the axis."""
    if value is None or low is None or high is None:
        return None, None
    return (
        rounded(max(low, value / INTERVAL_FACTOR_MAX)),
        rounded(min(high, value * INTERVAL_FACTOR_MAX)),
    )


def measure_again(view: RunView, **own: str) -> str:
    """The command that measures what a figure shows: the run's own options, and the figure's."""
    given: Mapping[str, Any] = view.manifest.get("options") or {}
    words = ["./weft", "report"]
    if given.get("tier") in ("quick", "full"):
        words.append(f"--{given['tier']}")
    chosen = {name: ",".join(map(_as_typed, given.get(name) or ())) for name in OPTIONS}
    if chosen["suite"] == DEFAULT_SUITE:
        chosen["suite"] = ""
    if given.get("protocol") not in (None, "robust"):
        chosen["protocol"] = str(given["protocol"])
    for name, value in (chosen | own).items():
        if value:
            words += [f"--{name}", value]
    return shlex.join(words)


def _as_typed(value: object) -> str:
    return format_size(value) if isinstance(value, int) and value >= 1 << 10 else str(value)


def without(data: Rows, *keys: str) -> Rows:
    """The rows without what only the table shows."""
    return [{key: value for key, value in row.items() if key not in keys} for row in data]


def series(view: RunView, variants: Sequence[str]) -> dict[str, Any]:
    """Colour, shape and legend encodings; the same variant looks the same in every figure."""
    names = [view.name(variant) for variant in variants]
    backends = [theme.backend_of(variant) for variant in variants]
    return {
        "color": alt.Color(
            "variant:N",
            title="backend",
            scale=alt.Scale(domain=names, range=[theme.color(b) for b in backends]),
        ),
        "shape": alt.Shape(
            "variant:N",
            title="backend",
            scale=alt.Scale(domain=names, range=[theme.shape(b) for b in backends]),
        ),
    }


def line_looks(view: RunView, variants: Sequence[str]) -> dict[str, Any]:
    """Dashes tell toolchains apart where there are several."""
    if not view.has_several_toolchains:
        return {}
    names = [view.name(variant) for variant in variants]
    dashes = [theme.DASHES.get(theme.toolchain_of(v), theme.SPARE_DASH) for v in variants]
    return {
        "strokeDash": alt.StrokeDash(
            "variant:N", title="backend", scale=alt.Scale(domain=names, range=dashes)
        )
    }


def main_names(view: RunView) -> Mapping[str, set[str]]:
    """By case, what is drawn without asking: seq, every choice, and the fastest at the largest
    size.
    """
    found: dict[str, set[str]] = {}
    for s in sorted(view.plain(), key=lambda s: s.time_s or 0.0):
        own = found.setdefault(view.case(s), set())
        is_largest = s.cell.size == view.largest_size(view.case(s))
        if s.backend != "seq" and is_largest and len(own) < BEST_SHOWN:
            own.add(view.name(s.variant))
    for case, own in found.items():
        own |= {view.name(v) for v in view.variants if theme.backend_of(v) == "seq"}
        own |= {
            view.name(d.variant) for d in view.decisions if view.case_name(d.label, d.type) == case
        }
    return found


def is_drawn(shown: str, brought_forward: alt.Parameter) -> Any:  # noqa: ANN401 - an Altair predicate
    """The filter for rows that are `main`, and those that the legend was asked for."""
    if shown != SELECTED:
        return "datum.main"
    return {"or": ["datum.main", {"param": brought_forward.name, "empty": False}]}


def highlight() -> alt.Parameter:
    """A click in the legend brings variants forward (shift-click adds one)."""
    return alt.selection_point(name="brought_forward", fields=["variant"], bind="legend")


def case_param(cases: Sequence[str]) -> alt.Parameter:
    """Which case is shown; the page's selector sets it."""
    return alt.param(name=CASE_PARAM, value=cases[0] if cases else "")


def size_axis(sizes: Sequence[int], title: str = "problem size n, elements") -> alt.X:
    """A log axis with ticks at powers of two."""
    exponents = sorted({size.bit_length() - 1 for size in sizes})
    step = max(1, -(-len(exponents) // MAX_SIZE_TICKS))
    ticks = [1 << exponent for exponent in exponents[::step]]
    domain = [min(sizes), max(sizes)] if len(set(sizes)) > 1 else [max(sizes) / 2, max(sizes) * 2]
    return alt.X(
        "size:Q",
        title=title,
        scale=alt.Scale(type="log", base=2, nice=False, domain=domain),
        axis=alt.Axis(values=ticks, labelExpr=POWER_LABEL, grid=True, labelOverlap=True),
    )


def threads_axis(threads: Sequence[int]) -> alt.X:
    """A log axis with a tick per measured thread count."""
    ticks = sorted(set(threads))
    low, high = min(ticks), max(ticks)
    domain = [low, high] if low < high else [low / 2, low * 2]
    return alt.X(
        "threads:Q",
        title="threads (log scale)",
        scale=alt.Scale(type="log", base=2, nice=False, domain=domain),
        axis=alt.Axis(values=ticks, format="d"),
    )


def seconds_axis(data: Rows, field: str = "time_s:Q") -> alt.Y:
    """A log axis of seconds with SI prefixes, the same for all cases of a figure."""
    times = [row["time_s"] for row in data if row["time_s"]]
    return alt.Y(field, **log_axis(times, "time per call", SECONDS_LABEL))


def overview(draw: Callable[[str], Layers], cases: Sequence[str]) -> Spec:
    """Every case beside the others, three in a row; `draw` makes the layers a filter leaves."""
    small = [
        draw(only(case)).properties(title=case, width=SMALL_WIDTH_PX, height=SMALL_HEIGHT_PX)
        for case in cases
    ]
    return to_spec(alt.concat(*small, columns=3))


def only(case: str) -> str:
    """The filter for one case, as a Vega expression."""
    return f"datum.case === {json.dumps(case)}"


def opacity(shown: str, brought_forward: alt.Parameter) -> Any:  # noqa: ANN401 - an Altair condition
    """Where a legend can be clicked, variants not brought forward fade."""
    return (
        alt.condition(brought_forward, alt.value(1.0), alt.value(0.12))
        if shown == SELECTED
        else alt.value(1.0)
    )


def to_spec(chart: Any) -> Spec:  # noqa: ANN401 - any Altair chart
    """The chart as a dictionary that carries the lab's look."""
    # Small inline data stays where it is used, so that a page can give each figure its data sets.
    with alt.data_transformers.enable(consolidate_datasets=False):
        spec: Spec = chart.to_dict()
    spec["config"] = theme.vega_config()
    return spec


def ideal_line(threads_min: int, threads_max: int, field: str) -> Layers:
    """A line for a speed-up (`field` of its data) that grows as the number of threads does."""
    doublings = math.log2(threads_max / threads_min)
    steps = [i * doublings / IDEAL_POINTS for i in range(IDEAL_POINTS + 1)]
    values = [{"threads": threads_min * 2**step, field: 2**step} for step in steps]
    line = alt.Chart(alt.InlineData(values=values)).mark_line(color=theme.MIDDLE, strokeWidth=1.2)
    return line.encode(x="threads:Q", y=f"{field}:Q")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speed-up against threads at the largest size, as the paper's Figures 3 and 4b to 7b."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.cell_table import cell_table
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table
from weft_lab.pages.view import RunView
from weft_lab.statistics.ratios import speedup

DATASET = "strong"


def build(view: RunView) -> Figure | None:
    data = rows(view)
    counts = {row["threads"] for row in data}
    if not data or counts == {1}:
        return None
    cases = common.cases_in(view, data)
    bound = bandwidth_bound(view)
    line = (
        ""
        if bound is None
        else (
            f" The dotted line is what memory bandwidth allows ({formats.ratio(bound)}, from the "
            "machine's own probe): "
            "an algorithm that only streams memory cannot scale further."
        )
    )
    return Figure(
        name="strong_scaling",
        title="Speed-up against threads",
        short_title="Threads",
        caption="Sequential time over parallel time at each algorithm's largest size; the grey "
        "line is the ideal. "
        f"As in the paper, x is logarithmic and y linear.{line} Higher is better. "
        f"{common.MAIN_NOTE} {common.INTERVAL_NOTE}",
        spec=common.to_spec(
            _layers(view, data, bound, common.SELECTED).properties(
                width="container", height=common.CHART_HEIGHT_PX
            )
        ),
        datasets={DATASET: common.without(data, "low", "high")},
        table=_table(data),
        command=common.measure_again(
            view, threads=",".join(str(count) for count in sorted(counts))
        ),
        cases=cases,
        overview=common.overview(lambda shown: _layers(view, data, bound, shown), cases),
    )


def rows(view: RunView) -> Rows:
    """One row per case, parallel variant and thread count, at the case's largest size."""
    found: Rows = []
    main = common.main_names(view)
    for s in view.plain():
        case = view.case(s)
        base = view.baselines.get((case, s.cell.size))
        if s.backend == "seq" or s.cell.size != view.largest_size(case) or base is None:
            continue
        ratio = speedup(s, base)
        if ratio is None:
            continue
        drawn_low, drawn_high = common.drawn_interval(ratio.value, ratio.low, ratio.high)
        found.append(
            {
                "case": case,
                "variant": view.name(s.variant),
                "main": view.name(s.variant) in main[case],
                "size": s.cell.size,
                "threads": s.cell.threads,
                "speedup": common.rounded(ratio.value),
                "low": common.rounded(ratio.low),
                "high": common.rounded(ratio.high),
                "drawn_low": drawn_low,
                "drawn_high": drawn_high,
                "efficiency": common.rounded(ratio.value / s.cell.threads),
                "oversubscribed": "yes" if s.is_oversubscribed else "",
            }
        )
    return found


def bandwidth_bound(view: RunView) -> float | None:
    """The probe's bandwidth with all threads over that with one; None if it was not measured."""
    by_threads = {point.threads: point.gib_per_s for point in view.bandwidth}
    one = by_threads.get(1)
    return max(by_threads.values()) / one if one and len(by_threads) > 1 else None


def _layers(view: RunView, data: Rows, bound: float | None, shown: str) -> Layers:
    parallel = [variant for variant in view.variants if not variant.startswith("seq@")]
    looks = common.series(view, parallel)
    counts = [row["threads"] for row in data]
    brought_forward = common.highlight()
    fade = common.opacity(shown, brought_forward)
    y = alt.Y("speedup:Q", title="speed-up vs seq (linear scale)", scale=alt.Scale(zero=True))
    base = (
        alt.Chart(alt.NamedData(name=DATASET))
        .encode(x=common.threads_axis(counts), color=looks["color"], opacity=fade)
        .transform_filter(shown)
        .transform_filter(common.is_drawn(shown, brought_forward))
    )
    line = base.mark_line().encode(y=y, **common.line_looks(view, parallel))
    bars = base.mark_rule().encode(y=alt.Y("drawn_low:Q"), y2="drawn_high:Q")
    points = base.mark_point(filled=True).encode(
        y=y,
        shape=looks["shape"],
        tooltip=[
            "variant:N",
            "threads:Q",
            alt.Tooltip("speedup:Q", format=".3~r"),
            alt.Tooltip("efficiency:Q", format=".0%"),
            "oversubscribed:N",
        ],
    )
    limits = [] if bound is None else [_bandwidth_line(bound)]
    guides = [common.ideal_line(1, max(counts), "speedup"), *limits]
    if shown == common.SELECTED:
        points = points.add_params(brought_forward)
        return alt.layer(*guides, bars, line, points).add_params(
            common.case_param(common.cases_in(view, data))
        )
    return alt.layer(*guides, bars, line, points)


def _bandwidth_line(bound: float) -> Layers:
    values = [{"bound": round(bound, 3)}]
    return alt.Chart(alt.InlineData(values=values)).mark_rule(strokeDash=[2, 3]).encode(y="bound:Q")


def _table(data: Rows) -> Table:
    return cell_table(
        "strong_scaling",
        "Speed-up against threads",
        data,
        {
            "speedup": ("speed-up vs seq", "speedup", formats.ratio),
            "low": ("from", "speedup_low", formats.ratio),
            "high": ("to", "speedup_high", formats.ratio),
            "efficiency": ("efficiency", "efficiency", formats.percent),
            "oversubscribed": ("more threads than CPUs", "oversubscribed"),
        },
        note="From and to: 95 % interval, bootstrapped over launches and samples of both.",
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time against problem size with all threads, as the paper's Figures 2 and 4a to 7a."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.cell_table import cell_table
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table
from weft_lab.pages.view import RunView, gib_per_s

DATASET = "scaling"
TABLE_ONLY = ("low_s", "high_s")


def rows(view: RunView) -> Rows:
    """One row per case, variant and size; also what the throughput figure shows."""
    found: Rows = []
    main = common.main_names(view)
    for s in view.at_all_threads():
        drawn_low_s, drawn_high_s = common.drawn_interval(s.time_s, s.time_low_s, s.time_high_s)
        found.append(
            {
                "case": view.case(s),
                "variant": view.name(s.variant),
                "main": view.name(s.variant) in main[view.case(s)],
                "size": s.cell.size,
                "threads": s.cell.threads,
                "time_s": common.rounded(s.time_s),
                "low_s": common.rounded(s.time_low_s),
                "high_s": common.rounded(s.time_high_s),
                "drawn_low_s": drawn_low_s,
                "drawn_high_s": drawn_high_s,
                "speedup": common.rounded(view.speedup(s)),
                "gib_per_s": common.rounded(gib_per_s(s.bytes_min, s.time_s)),
            }
        )
    return found


def build(view: RunView) -> Figure | None:
    data = rows(view)
    if not common.has_several_sizes(data):
        return None
    cases = common.cases_in(view, data)
    return Figure(
        name="problem_scaling",
        title="Time against problem size",
        short_title="Sizes",
        caption=f"Median time per call; seq on one thread, the others on {view.threads_all}. "
        f"Bars are 95 % intervals over process launches. Lower is better. {common.MAIN_NOTE} "
        f"{common.INTERVAL_NOTE}",
        spec=common.to_spec(
            _layers(view, data, common.SELECTED).properties(
                width="container", height=common.CHART_HEIGHT_PX
            )
        ),
        datasets={DATASET: common.without(data, *TABLE_ONLY)},
        table=_table(data),
        command=common.measure_again(view, threads=f"1,{view.threads_all}"),
        cases=cases,
        overview=common.overview(lambda shown: _layers(view, data, shown), cases),
    )


def _layers(view: RunView, data: Rows, shown: str) -> Layers:
    looks = common.series(view, view.variants)
    brought_forward = common.highlight()
    fade = common.opacity(shown, brought_forward)
    tooltip = [
        alt.Tooltip("variant:N", title="backend"),
        alt.Tooltip("size:Q", title=view.words.size, format=","),
        alt.Tooltip("threads:Q"),
        alt.Tooltip("time_s:Q", title="seconds per call", format=".4~s"),
        alt.Tooltip("speedup:Q", title="speed-up vs seq", format=".3~r"),
    ]
    base = alt.Chart(alt.NamedData(name=DATASET)).encode(
        x=common.size_axis([row["size"] for row in data], view.words.size_axis),
        color=looks["color"],
        opacity=fade,
    )
    bars = base.mark_rule(strokeWidth=1.5).encode(
        y=common.seconds_axis(data, "drawn_low_s:Q"), y2="drawn_high_s:Q"
    )
    line = base.mark_line().encode(
        y=common.seconds_axis(data), **common.line_looks(view, view.variants)
    )
    points = base.mark_point(filled=True).encode(
        y=common.seconds_axis(data), shape=looks["shape"], tooltip=tooltip
    )
    if shown == common.SELECTED:
        points = points.add_params(brought_forward)
    chart = (
        alt.layer(bars, line, points)
        .transform_filter(shown)
        .transform_filter(common.is_drawn(shown, brought_forward))
    )
    return (
        chart.add_params(common.case_param(common.cases_in(view, data)))
        if shown == common.SELECTED
        else chart
    )


def _table(data: Rows) -> Table:
    return cell_table(
        "problem_scaling",
        "Time against problem size",
        data,
        {
            "time_s": ("time per call", "time_s", formats.seconds),
            "low_s": ("from", "time_low_s", formats.seconds),
            "high_s": ("to", "time_high_s", formats.seconds),
            "speedup": ("vs seq", "speedup", formats.ratio),
            "gib_per_s": ("least traffic / time", "gib_per_s", formats.rate),
        },
    )

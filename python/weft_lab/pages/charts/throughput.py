# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Least possible memory traffic over time, with the machine's bandwidth as the roof."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common, problem_scaling
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import RunView


def build(view: RunView) -> Figure | None:
    data = problem_scaling.rows(view)
    if not any(row["gib_per_s"] for row in data):
        return None
    cases = common.cases_in(view, data)
    roofs = _roofs(view)
    roof = (
        "The dotted lines are what the triad of the machine's own probe reached, with ordinary "
        f"stores: {'; '.join(row['text'] for row in roofs)}."
        if roofs
        else ("No bandwidth probe was run, so there is no roof to compare with.")
    )
    return Figure(
        name="throughput",
        title="Throughput against the memory roof",
        short_title="Throughput",
        caption="The least bytes any implementation must move, over the measured time (not "
        "traffic measured). "
        f"{roof} Points above the lines were served from a cache or used non-temporal stores. "
        f"Higher is better. {common.MAIN_NOTE}",
        spec=common.to_spec(
            _layers(view, data, roofs, common.SELECTED).properties(
                width="container", height=common.CHART_HEIGHT_PX
            )
        ),
        datasets={problem_scaling.DATASET: common.without(data, *problem_scaling.TABLE_ONLY)},
        table=_table(view),
        command=common.measure_again(view, threads=f"1,{view.threads_all}"),
        cases=cases,
        overview=common.overview(lambda shown: _layers(view, data, roofs, shown), cases),
    )


def _roofs(view: RunView) -> Rows:
    return [
        {
            "gib_per_s": round(point.gib_per_s, 2),
            "text": f"{formats.rate(point.gib_per_s)}, {point.threads} "
            f"thread{'s' if point.threads > 1 else ''}",
        }
        for point in view.bandwidth
    ]


def _layers(view: RunView, data: Rows, roofs: Rows, shown: str) -> Layers:
    looks = common.series(view, view.variants)
    brought_forward = common.highlight()
    rates = [row["gib_per_s"] for row in (*data, *roofs) if row["gib_per_s"]]
    y = alt.Y("gib_per_s:Q", **common.log_axis(rates, "throughput, GiB/s"))
    fade = common.opacity(shown, brought_forward)
    base = (
        alt.Chart(alt.NamedData(name=problem_scaling.DATASET))
        .encode(
            x=common.size_axis([row["size"] for row in data], view.words.size_axis),
            y=y,
            color=looks["color"],
            opacity=fade,
        )
        .transform_filter(shown)
        .transform_filter(common.is_drawn(shown, brought_forward))
    )
    line = base.mark_line().encode(**common.line_looks(view, view.variants))
    points = base.mark_point(filled=True).encode(
        shape=looks["shape"],
        tooltip=[
            "variant:N",
            alt.Tooltip("size:Q", format=","),
            alt.Tooltip("gib_per_s:Q", title="GiB/s", format=".3~r"),
        ],
    )
    roof_base = alt.Chart(alt.InlineData(values=roofs)).encode(y="gib_per_s:Q")
    roof = [roof_base.mark_rule(strokeDash=[2, 3])]
    if shown != common.SELECTED:
        return alt.layer(*roof, line, points)
    return alt.layer(*roof, line, points.add_params(brought_forward)).add_params(
        common.case_param(common.cases_in(view, data))
    )


def _table(view: RunView) -> Table:
    """Only the largest size of each case: the whole series is in problem_scaling.csv."""
    best = max((point.gib_per_s for point in view.bandwidth), default=None)
    found = []
    for row in problem_scaling.rows(view):
        if row["size"] == view.largest_size(row["case"]):
            share = row["gib_per_s"] / best if best and row["gib_per_s"] else None
            found.append(
                (row["case"], row["variant"], row["size"], row["threads"], row["gib_per_s"], share)
            )
    return Table(
        name="throughput",
        title="Throughput at the largest size",
        columns=columns(
            ("algorithm", "case"),
            ("backend", "variant"),
            ("elements", "size_elements", formats.size),
            ("threads", "threads", formats.number),
            ("throughput", "gib_per_s", formats.rate),
            ("of the probe's best", "fraction_of_probe", formats.percent),
        ),
        rows=tuple(found),
    )

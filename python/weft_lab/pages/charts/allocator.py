# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The effect of a parallel first touch of the pages, in the form of the paper's Figure 1."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.cell_table import cell_table
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.ratios import speedup

DATASET = "allocator"


def build(view: RunView) -> Figure | None:
    data = rows(view)
    if not data:
        return None
    variants = [v for v in view.variants if any(row["variant"] == view.name(v) for row in data)]
    cases = [case for case in view.cases if any(row["case"] == case for row in data)]
    looks = common.series(view, variants)
    base = alt.Chart(alt.NamedData(name=DATASET)).encode(
        y=alt.Y("case:N", title=None, sort=cases),
        yOffset=alt.YOffset(
            "variant:N",
            sort=[view.name(v) for v in variants],
            scale=alt.Scale(paddingInner=0.25),
        ),
    )
    bars = base.mark_bar().encode(
        x=alt.X(
            "gain:Q",
            title="speed-up from parallel first touch (0 % = no change)",
            axis=alt.Axis(format="+.0%", tickCount=9),
        ),
        color=looks["color"],
        tooltip=["case:N", "variant:N", alt.Tooltip("gain:Q", format="+.1%")],
    )
    spans = base.mark_rule(strokeWidth=1.2).encode(x=alt.X("drawn_low:Q"), x2="drawn_high:Q")
    height = max(160, len(cases) * (16 + 9 * len(variants)))
    return Figure(
        name="allocator",
        title="Allocator effect",
        short_title="Allocator",
        caption="Time with the default allocator over time with parallel first touch, "
        f"{view.threads_all} threads, "
        "largest size. To the right of zero, first touch is faster. Lines are intervals.",
        spec=common.to_spec(alt.layer(bars, spans).properties(width="container", height=height)),
        datasets={DATASET: common.without(data, "low", "high")},
        table=_table(data),
        command=common.measure_again(
            view, allocator="default,first_touch", threads=str(view.threads_all)
        ),
    )


def rows(view: RunView) -> Rows:
    """One row per case and variant that was measured both ways with the same threads and size."""
    touched = {_key(s): s for s in view.measured if s.cell.allocator == "first_touch"}
    found: Rows = []
    for s in view.plain():
        other = touched.get(_key(s))
        ratio = speedup(other, s) if other is not None and s.backend != "seq" else None
        if other is None or ratio is None:
            continue
        drawn_low, drawn_high = common.drawn_interval(ratio.value, ratio.low, ratio.high)
        found.append(
            {
                "case": view.case(s),
                "variant": view.name(s.variant),
                "size": s.cell.size,
                "threads": s.cell.threads,
                "default_s": common.rounded(s.time_s),
                "first_touch_s": common.rounded(other.time_s),
                "gain": common.rounded(ratio.value - 1.0),
                "drawn_low": _less_one(drawn_low),
                "drawn_high": _less_one(drawn_high),
                "low": _less_one(ratio.low),
                "high": _less_one(ratio.high),
            }
        )
    return found


def _key(s: CellSummary) -> tuple[str, str, str, int, int]:
    return (s.variant, s.cell.label, s.cell.type, s.cell.size, s.cell.threads)


def _less_one(ratio: float | None) -> float | None:
    return None if ratio is None else common.rounded(ratio - 1.0)


def _table(data: Rows) -> Table:
    return cell_table(
        "allocator",
        "Allocator effect",
        data,
        {
            "default_s": ("default", "default_s", formats.seconds),
            "first_touch_s": ("first touch", "first_touch_s", formats.seconds),
            "gain": ("change", "gain_fraction", formats.signed_percent),
            "low": ("from", "gain_low_fraction", formats.signed_percent),
            "high": ("to", "gain_high_fraction", formats.signed_percent),
        },
    )

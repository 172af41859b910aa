# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Execution time against cores per runtime, as Figures 1 to 7 of the paper on HPX's counters."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import RunView
from weft_lab.suites.inncabs.charts import runtime_looks
from weft_lab.suites.inncabs.curves import BASELINE_BACKEND, Curve, curves
from weft_lab.suites.inncabs.words import display

NAME = "execution_time"
SERIAL = display(BASELINE_BACKEND)


def build(view: RunView) -> Figure | None:
    found = sorted(curves(view.summaries), key=lambda c: (c.benchmark, c.backend))
    data = rows(found)
    if not data:
        return None
    backends = list(dict.fromkeys(curve.backend for curve in found if curve.points))
    return runtime_looks.figure(
        _table(view, found),
        "Execution time",
        "Median time of a call at the best setting of each runtime, with 95 % intervals. Dashed: "
        "the same program without tasks, on one core. A runtime without a curve failed: the table "
        "says how. Lower is better.",
        data,
        lambda shown: _layers(data, backends, shown),
    )


def rows(found: list[Curve]) -> Rows:
    """One row per benchmark, runtime and thread count that was timed."""
    return [
        {
            "case": curve.benchmark,
            "runtime": display(curve.backend),
            "threads": s.cell.threads,
            "time_s": common.rounded(s.time_s),
            "low_s": common.rounded(s.time_low_s),
            "high_s": common.rounded(s.time_high_s),
            "setting": str(curve.setting),
        }
        for curve in found
        for s in curve.points
    ]


def _layers(data: Rows, backends: list[str], shown: str) -> Layers:
    looks = runtime_looks.looks(backends)
    base = (
        alt.Chart(alt.NamedData(name=NAME))
        .encode(x=runtime_looks.cores_axis(data), color=looks["color"])
        .transform_filter(shown)
    )
    serial = (
        alt.Chart(alt.NamedData(name=NAME))
        .mark_rule(strokeDash=[6, 4], strokeWidth=1.5)
        .encode(y=common.seconds_axis(data), color=looks["color"])
        .transform_filter(shown)
        .transform_filter(f"datum.runtime === '{SERIAL}'")
    )
    base = base.transform_filter(f"datum.runtime !== '{SERIAL}'")
    bars = base.mark_rule().encode(y=common.seconds_axis(data, "low_s:Q"), y2="high_s:Q")
    line = base.mark_line().encode(y=common.seconds_axis(data))
    points = base.mark_point(filled=True).encode(
        y=common.seconds_axis(data),
        shape=looks["shape"],
        tooltip=[
            "runtime:N",
            "threads:Q",
            alt.Tooltip("time_s:Q", title="seconds per call", format=".4~s"),
            "setting:N",
        ],
    )
    return alt.layer(serial, bars, line, points)


def _table(view: RunView, found: list[Curve]) -> Table:
    timed_and_not = [
        (
            curve.benchmark,
            view.words.show_size(curve.size),
            display(curve.backend),
            s.cell.threads,
            s.time_s if s in curve.points else None,
            s.time_low_s,
            s.time_high_s,
            sum(map(len, s.samples_s)) or None,
            "" if s in curve.points else s.message or s.status,
        )
        for curve in found
        for s in sorted((*curve.points, *curve.gaps), key=lambda s: s.cell.threads)
    ]
    return Table(
        name=NAME,
        title="Execution time against cores",
        columns=columns(
            ("benchmark", "benchmark"),
            ("input", "input"),
            ("runtime", "runtime"),
            ("cores", "threads", formats.number),
            ("time of a call", "time_s", formats.seconds),
            ("from", "time_low_s", formats.seconds),
            ("to", "time_high_s", formats.seconds),
            ("samples", "samples", formats.number),
            ("why not", "remark"),
        ),
        rows=tuple(timed_and_not),
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bandwidth off the cores against cores, as Figures 13 to 16 of the paper on HPX's counters.

If the bandwidth cannot be measured: the reason, and context switches in its place, labelled as
such.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import GIB, RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.suites.inncabs.charts import runtime_looks
from weft_lab.suites.inncabs.curves import BASELINE_BACKEND, Curve, curves, time_of
from weft_lab.suites.inncabs.words import display

NAME = "offcore_bandwidth"
NO_COUNTER = "the records hold no counter of bytes off the cores"


@dataclass(frozen=True)
class Quantity:
    """A curve: the summed counters, the unit, and its name."""

    counters: tuple[str, ...]
    scale: float
    axis: str


BANDWIDTH = Quantity(("offcore_bytes",), GIB, "bytes off the cores, GiB/s")
SUBSTITUTE = Quantity(
    ("context_switches_voluntary", "context_switches_involuntary"),
    1.0,
    "substitute, no bandwidth: context switches per second",
)


def build(view: RunView) -> Figure | None:
    found = sorted(curves(view.summaries), key=lambda c: (c.benchmark, c.backend))
    found = [curve for curve in found if curve.backend != BASELINE_BACKEND]
    quantity = BANDWIDTH if rows(found, BANDWIDTH) else SUBSTITUTE
    data = rows(found, quantity)
    if not data:
        return None
    backends = list(dict.fromkeys(curve.backend for curve in found if curve.points))
    return runtime_looks.figure(
        _table(found),
        "Bandwidth",
        caption(found),
        data,
        lambda shown: _layers(data, quantity, backends, shown),
    )


def caption(found: list[Curve]) -> str:
    """The shown quantity, and the reason if it is not the bandwidth."""
    if rows(found, BANDWIDTH):
        return "Bytes that the cores asked for beyond their own caches, over the time of a call."
    return (
        f"Bandwidth is not measurable here: {reason(found)}. Shown in its place, as the nearest "
        "that software counts: context switches, which show contention, and no bandwidth."
    )


def reason(found: list[Curve]) -> str:
    """Why no runtime's bytes could be counted."""
    counters = (s.counters.get("offcore_bytes") for curve in found for s in curve.points)
    reasons = sorted({c.reason for c in counters if c is not None and c.reason})
    return "; ".join(reasons) or NO_COUNTER


def rows(found: list[Curve], quantity: Quantity) -> Rows:
    """One row per benchmark, runtime and thread count where the counter has a value."""
    return [
        {
            "case": curve.benchmark,
            "runtime": display(curve.backend),
            "threads": s.cell.threads,
            "per_s": common.rounded(value / quantity.scale),
        }
        for curve in found
        for s in curve.points
        if (value := rate(s, quantity)) is not None
    ]


def rate(s: CellSummary, quantity: Quantity) -> float | None:
    """The counters' sum per second of a call; None when one of them has no value."""
    found = (s.counters.get(name) for name in quantity.counters)
    values = [None if counter is None else counter.value for counter in found]
    known = [value for value in values if value is not None]
    return sum(known) / time_of(s) if len(known) == len(values) else None


def _layers(data: Rows, quantity: Quantity, backends: list[str], shown: str) -> Layers:
    looks = runtime_looks.looks(backends)
    base = (
        alt.Chart(alt.NamedData(name=NAME))
        .encode(
            x=runtime_looks.cores_axis(data),
            y=alt.Y("per_s:Q", title=quantity.axis, scale=alt.Scale(zero=True)),
            color=looks["color"],
        )
        .transform_filter(shown)
    )
    points = base.mark_point(filled=True).encode(
        shape=looks["shape"],
        tooltip=["runtime:N", "threads:Q", alt.Tooltip("per_s:Q", format=".4~s")],
    )
    return alt.layer(base.mark_line(), points)


def _table(found: list[Curve]) -> Table:
    return Table(
        name=NAME,
        title="Bandwidth off the cores",
        columns=columns(
            ("benchmark", "benchmark"),
            ("runtime", "runtime"),
            ("cores", "threads", formats.number),
            ("bytes per second", "offcore_bytes_per_s", formats.number),
            ("why not", "reason"),
            ("context switches per second", "context_switches_per_s", formats.number),
        ),
        rows=tuple(
            (
                curve.benchmark,
                display(curve.backend),
                s.cell.threads,
                rate(s, BANDWIDTH),
                "" if rate(s, BANDWIDTH) is not None else reason([curve]),
                rate(s, SUBSTITUTE),
            )
            for curve in found
            for s in curve.points
        ),
        note="Context switches are what software counts instead; they are no bandwidth.",
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Raw samples at the largest size, one strip per backend: the distribution behind each median."""

from __future__ import annotations

from collections.abc import Sequence

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.estimates import median, quantile

DATASET = "samples"
SHOWN_PER_STRIP_MAX = 90
ROW_HEIGHT_PX = 34


def build(view: RunView) -> Figure | None:
    strips = _strips(view)
    data = [row for s in strips for row in _rows(view, s)]
    if not data:
        return None
    cases = common.cases_in(view, data)
    return Figure(
        name="samples",
        title="Raw samples",
        short_title="Samples",
        caption="Each tick is one sample at the largest size with all threads; one row of ticks "
        "per process launch. "
        f"At most {SHOWN_PER_STRIP_MAX} samples per backend are drawn, evenly thinned and always "
        "with the "
        "fastest and slowest; samples.jsonl holds all.",
        spec=common.to_spec(
            _layers(view, cases).properties(
                width="container",
                height=ROW_HEIGHT_PX * max(3, len({row["variant"] for row in data})),
            )
        ),
        datasets={DATASET: data},
        table=_table(view, strips),
        command=common.measure_again(view, threads=f"1,{view.threads_all}"),
        cases=cases,
    )


def thin(samples: Sequence[float], keep: int) -> list[float]:
    """At most `keep` samples, evenly spaced in their order, fastest and slowest included."""
    if len(samples) <= keep:
        return list(samples)
    picked = {round(i * (len(samples) - 1) / max(1, keep - 3)) for i in range(max(0, keep - 2))}
    picked |= {samples.index(min(samples)), samples.index(max(samples))}
    return [samples[i] for i in sorted(picked)]


def _strips(view: RunView) -> list[CellSummary]:
    return [s for s in view.at_all_threads() if s.cell.size == view.largest_size(view.case(s))]


def _rows(view: RunView, s: CellSummary) -> Rows:
    keep = max(3, SHOWN_PER_STRIP_MAX // max(1, len(s.samples_s)))
    return [
        {
            "case": view.case(s),
            "variant": view.name(s.variant),
            "launch": number,
            "time_s": [common.rounded(value) for value in thin(launch, keep)],
        }
        for number, launch in enumerate(s.samples_s, start=1)
    ]


def _layers(view: RunView, cases: tuple[str, ...]) -> Layers:
    names = [view.name(variant) for variant in view.variants]
    base = alt.Chart(alt.NamedData(name=DATASET)).encode(
        y=alt.Y("variant:N", title=None, sort=names),
        yOffset=alt.YOffset("launch:O", scale=alt.Scale(paddingInner=0.2)),
        x=alt.X(
            "time_s:Q",
            title="time per call, one tick per sample (the axis need not start at zero)",
            scale=alt.Scale(zero=False, padding=8),
            axis=alt.Axis(labelExpr=common.SECONDS_LABEL, tickCount=8, labelOverlap=True),
        ),
        color=common.series(view, view.variants)["color"].legend(None),
    )
    ticks = base.mark_tick(thickness=1.4, opacity=0.6).encode(
        tooltip=["variant:N", "launch:O", alt.Tooltip("time_s:Q", title="seconds", format=".4~s")]
    )
    return (
        alt.layer(ticks)
        .transform_filter(common.SELECTED)
        .transform_flatten(["time_s"])
        .add_params(common.case_param(cases))
    )


def _table(view: RunView, strips: list[CellSummary]) -> Table:
    found = []
    for s in strips:
        every = [value for launch in s.samples_s for value in launch]
        found.append(
            (
                view.case(s),
                view.name(s.variant),
                s.cell.size,
                s.cell.threads,
                len(s.samples_s),
                len(every),
                min(every),
                median(every),
                quantile(every, 0.9),
                max(every),
            )
        )
    return Table(
        name="samples",
        title="Raw samples",
        columns=columns(
            ("algorithm", "case"),
            ("backend", "variant"),
            ("elements", "size_elements", formats.size),
            ("threads", "threads", formats.number),
            ("launches", "launches", formats.number),
            ("samples", "samples", formats.number),
            ("fastest", "min_s", formats.seconds),
            ("median", "median_s", formats.seconds),
            ("90th percentile", "p90_s", formats.seconds),
            ("slowest", "max_s", formats.seconds),
        ),
        rows=tuple(found),
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The size from which each backend runs in parallel, and the size from which that is faster."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import RunView

DATASET = "break_even"
PARALLEL, PAYS = "runs in parallel from", "is faster than seq from"
EVENTS = (PARALLEL, PAYS)
ROW_HEIGHT_PX = 26


def build(view: RunView) -> Figure | None:
    data = rows(view)
    if not common.has_several_sizes(data):
        return None
    cases = common.cases_in(view, data)
    return Figure(
        name="break_even",
        title="Break-even size",
        short_title="Break-even",
        caption="Hollow: the first size from which the backend really uses several threads. "
        "Filled: the first size "
        "from which it beats seq and stays faster. When hollow is left of filled, the library "
        "goes parallel too early; "
        "the table names the setting that changes it.",
        spec=common.to_spec(
            _layers(view, data, cases, common.SELECTED).properties(
                width="container",
                height=ROW_HEIGHT_PX * max(3, len({row["variant"] for row in data})),
            )
        ),
        datasets={DATASET: data},
        table=_table(view),
        command=common.measure_again(view, threads=f"1,{view.threads_all}"),
        cases=cases,
        overview=common.overview(lambda shown: _layers(view, data, cases, shown), cases),
    )


def rows(view: RunView) -> Rows:
    """One row per case, variant and known event, in long form."""
    found: Rows = []
    for b in view.break_evens:
        case = view.case_name(b.label, b.type)
        known = {PARALLEL: b.parallel_from, PAYS: b.beats_seq_from}
        found += [
            {"case": case, "variant": view.name(b.variant), "event": event, "size": size}
            for event, size in known.items()
            if size is not None
        ]
    return found


def _marks(view: RunView, data: Rows) -> Layers:
    names = [
        view.name(v) for v in view.variants if any(row["variant"] == view.name(v) for row in data)
    ]
    y = alt.Y("variant:N", title=None, sort=names, scale=alt.Scale(domain=names))
    x = common.size_axis([s.cell.size for s in view.measured], view.words.size_axis)
    base = alt.Chart(alt.NamedData(name=DATASET)).encode(y=y)
    color = common.series(view, view.variants)["color"].legend(None)
    span = base.mark_line(strokeWidth=3, opacity=0.35).encode(x=x, detail="variant:N", color=color)
    tooltip = ["variant:N", "event:N", alt.Tooltip("size:Q", title=view.words.size, format=",")]
    layers = [span]
    # The hollow mark is larger, so that both are visible at the same size.
    for event, filled, area in ((PARALLEL, False, 190), (PAYS, True, 80)):
        marks = base.mark_point(size=area, filled=filled, strokeWidth=2, shape="circle")
        layers.append(
            marks.encode(x=x, color=color, tooltip=tooltip).transform_filter(
                f"datum.event === '{event}'"
            )
        )
    return alt.layer(*layers)


def _layers(view: RunView, data: Rows, cases: tuple[str, ...], shown: str) -> Layers:
    chosen = _marks(view, data).transform_filter(shown)
    return chosen.add_params(common.case_param(cases)) if shown == common.SELECTED else chosen


def _table(view: RunView) -> Table:
    found = tuple(
        (
            view.case_name(b.label, b.type),
            view.name(b.variant),
            b.threads,
            b.parallel_from,
            b.beats_seq_from,
            b.setting,
            b.reason,
        )
        for b in view.break_evens
    )
    return Table(
        name="break_even",
        title="Break-even size",
        columns=columns(
            ("algorithm", "case"),
            ("backend", "variant"),
            ("threads", "threads", formats.number),
            ("parallel from", "parallel_from_elements", formats.size),
            ("faster than seq from", "beats_seq_from_elements", formats.size),
            ("setting that changes it", "setting"),
            ("remark", "reason"),
        ),
        rows=found,
        note=f"{formats.UNKNOWN}: at no measured size, or not known; the remark says which.",
    )

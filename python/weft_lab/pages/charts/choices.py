# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recommendation at the largest size of each case, beside the other fast variants."""

from __future__ import annotations

from collections.abc import Iterable

from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common, dots
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.tables import decisions_in_order
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary, Decision
from weft_lab.statistics.ratios import speedup

NAME = "choices"
ROWS_MAX = 12
BEST_SHOWN = 3


def build(view: RunView) -> Figure | None:
    """None if no choice has a speed-up."""
    chosen = {view.case_name(d.label, d.type): d for d in decisions_in_order(view)}
    found = {case: rows for case, d in chosen.items() if (rows := _rows(view, case, d))}
    if not found:
        return None
    gains = {
        case: max(row["value"] for row in rows if row["chosen"]) for case, rows in found.items()
    }
    shown = sorted(sorted(gains, key=lambda case: -gains[case])[:ROWS_MAX])
    data = [row for case in shown for row in found[case]]
    every = [row for rows in found.values() for row in rows]
    names = {
        view.name(v): theme.backend_of(v)
        for v in view.variants
        if any(row["name"] == view.name(v) for row in data)
    }
    return dots.build(
        _table(view, every),
        dots.About(
            "Choices",
            f"At the largest size of {_which(view, len(shown), len(found))}. Large mark: the "
            f"choice; small: the {BEST_SHOWN} fastest. Right is faster.",
            "times as fast as seq",
            f"./weft report --threads 1,{view.threads_all}",
        ),
        data,
        dots.Look(
            tuple(shown),
            names,
            {case: _remark(view, chosen[case]) for case in shown},
            reference=1.0,
            label=common.RATIO_LABEL,
        ),
    )


def _which(view: RunView, num_shown: int, num_found: int) -> str:
    if num_shown < num_found:
        return f"the {num_shown} {view.words.case}s of {num_found} with the largest gain"
    return f"each {view.words.case}"


def _remark(view: RunView, d: Decision) -> str:
    return f"{view.name(d.variant)}, {formats.threads(d.threads)}"


def _rows(view: RunView, case: str, d: Decision) -> Rows:
    """The choice and the fastest others, each at its best count of threads; empty without any."""
    size = view.largest_size(case)
    base = view.baselines.get((case, size or 0))
    if base is None or not d.size_low <= (size or 0) <= d.size_high:
        return []
    best: dict[str, CellSummary] = {}
    own = [s for s in view.plain() if view.case(s) == case and s.cell.size == size]
    for s in sorted(own, key=lambda s: s.time_s or 0.0):
        if s.variant != d.variant or s.cell.threads == d.threads:
            best.setdefault(s.variant, s)
    if d.variant not in best:
        return []
    return [_row(view, case, s, base, is_chosen=s.variant == d.variant) for s in _best(best, d)]


def _best(best: dict[str, CellSummary], d: Decision) -> Iterable[CellSummary]:
    others = [s for variant, s in best.items() if variant != d.variant]
    return [*others[:BEST_SHOWN], best[d.variant]]


def _row(
    view: RunView, case: str, s: CellSummary, base: CellSummary, *, is_chosen: bool
) -> dict[str, object]:
    ratio = speedup(s, base)
    value = ratio.value if ratio else 1.0
    low, high = (None, None) if s is base or ratio is None else (ratio.low, ratio.high)
    low, high = common.drawn_interval(value, low, high)
    name = view.name(s.variant)
    return {
        "row": case,
        "name": name,
        "size": s.cell.size,
        "threads": s.cell.threads,
        "value": common.rounded(value),
        "low": low,
        "high": high,
        "chosen": is_chosen,
        "tip": f"{name}, {s.cell.threads} threads: {formats.ratio(value)}",
    }


def _table(view: RunView, data: Rows) -> Table:
    keys = ("row", "size", "name", "threads", "value", "low", "high")
    rows = (*((*(row[key] for key in keys), "chosen" if row["chosen"] else "") for row in data),)
    return Table(
        name=NAME,
        title="What to use at the largest size",
        columns=columns(
            (view.words.case, "case"),
            (view.words.size, "size_elements", view.words.show_size),
            ("backend", "variant"),
            ("threads", "threads", formats.number),
            ("faster than seq", "speedup", formats.ratio),
            ("from", "speedup_low", formats.ratio),
            ("to", "speedup_high", formats.ratio),
            ("choice", "choice"),
        ),
        rows=rows,
    )

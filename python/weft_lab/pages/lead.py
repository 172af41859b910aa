# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The answer in a few sentences: where threads are faster, where better code is, with what
confidence."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from weft_lab.pages import formats
from weft_lab.pages.tables import decisions_in_order
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary, Decision
from weft_lab.statistics.estimates import RatioEstimate, geometric_mean, median
from weft_lab.statistics.ratios import time_ratio
from weft_lab.storage.store import argument_for
from weft_lab.storage.variants import is_control

BUDGET_NEXT_S = 600.0
BUDGET_FACTOR = 4.0
MINUTES_SHOWN_MAX = 180.0
NOT_REACHED = ("budget", "stopped")


@dataclass(frozen=True)
class _Gain:
    """A decision and its speed-up over its comparison; it is certainly more than `low`."""

    decision: Decision
    value: float
    low: float

    @property
    def case(self) -> tuple[str, str]:
        return self.decision.label, self.decision.type


def lead_text(view: RunView) -> str:
    """The gains. Threads are compared with the best code on one thread, so that a better algorithm
    does not count as parallel speed. A gain counts only if its whole interval is a gain."""
    decisions = decisions_in_order(view)
    threads = _worthwhile(view, map(partial(_gain_from_threads, view), decisions))
    code = _worthwhile(view, map(_gain_from_code, decisions))
    if not threads and not code:
        return f"No choice was significantly faster than {view.words.baseline} in this run."
    total = len({(d.label, d.type) for d in decisions})
    return " ".join(filter(None, (_threads_text(view, threads, total), _code_text(view, code))))


def confidence_text(view: RunView) -> str:
    """Why decisions are not sure, and the command for surer ones; empty if all are sure."""
    decisions = decisions_in_order(view)
    unsure = [d for d in decisions if d.confidence != "sure"]
    launches = [s.launches for s in view.measured]
    if not unsure or not launches:
        return ""
    middle = median(launches)
    return (
        f"{len(unsure)} of {len(decisions)} choices are not sure: after {middle:g} "
        f"launch{'' if middle == 1 else 'es'} of each cell another may be as good. For more: "
        f"{resume_command(view)}"
    )


def resume_command(view: RunView) -> str:
    """The commands for more launches, and for the cells that did not fit."""
    spent_s = float(view.manifest.get("measured_s") or 0.0)
    needed_s = float(view.manifest.get("needed_s") or 0.0)
    minutes = max(BUDGET_NEXT_S, BUDGET_FACTOR * spent_s, needed_s) / 60.0
    budget = f"{minutes:.0f}m" if minutes < MINUTES_SHOWN_MAX else f"{math.ceil(minutes / 60)}h"
    return f"./weft resume {argument_for(view.folder)} --budget {budget}"


def extent_text(view: RunView) -> str:
    """How far the run came if it did not reach all sizes; empty if it did."""
    reached: dict[tuple[str, str], int] = defaultdict(int)
    for summary in view.measured:
        case = summary.cell.label, summary.cell.type
        reached[case] = max(reached[case], summary.cell.size)
    asked = dict(reached)
    for row in view.skipped:
        case = str(row.get("label")), str(row.get("type"))
        if row.get("code") in NOT_REACHED and row.get("size") and row.get("label"):
            asked[case] = max(asked.get(case, 0), int(row["size"]))
    short = [case for case, size in asked.items() if size > reached.get(case, 0)]
    if not short:
        return ""
    worst = min(short, key=lambda case: (reached.get(case, 0), case))
    place = view.words.size_text
    done = place(reached[worst]) if reached.get(worst) else "no size"
    return (
        f"Not complete: {view.case_name(*worst)} was measured to {done} of {place(asked[worst])}"
        + (f", and {len(short) - 1} more fell short" if len(short) > 1 else "")
        + f". For the rest: {resume_command(view)}"
    )


def _threads_text(view: RunView, gains: Sequence[_Gain], total: int) -> str:
    if not gains:
        return f"Parallel code was not significantly faster for any of {total} {view.words.case}s."
    wins = Counter(view.name(gain.decision.variant) for gain in gains)
    most, count = min(wins.items(), key=lambda row: (-row[1], row[0]))
    best = max(gains, key=lambda gain: gain.value)
    return (
        f"Parallel code pays for {len({gain.case for gain in gains})} of {total} "
        f"{view.words.case}s: up to {formats.ratio(best.value)} as fast as the best code on one "
        f"thread ({_place(view, best)}, {best.decision.threads} threads). Most frequent "
        f"recommendation: {most} ({count} of {len(gains)} rows)."
    )


def _code_text(view: RunView, gains: Sequence[_Gain]) -> str:
    if not gains:
        return ""
    best = max(gains, key=lambda gain: gain.value)
    num_cases = len({gain.case for gain in gains})
    better = view.words.code
    return (
        f"A better {better} on one thread pays for {num_cases}: up to {formats.ratio(best.value)} "
        f"({_place(view, best)})."
    )


def _place(view: RunView, gain: _Gain) -> str:
    d = gain.decision
    return f"{view.case_name(d.label, d.type)} on {view.name(d.variant)}"


def _worthwhile(view: RunView, gains: Iterable[_Gain | None]) -> list[_Gain]:
    return [
        gain
        for gain in gains
        if gain is not None
        and gain.low > 1.0 + view.threshold
        and gain.decision.confidence != "cannot tell"
    ]


def _gain_from_code(d: Decision) -> _Gain | None:
    """The gain of a choice with one thread over the baseline."""
    if d.threads > 1 or d.backend == "seq" or d.speedup is None:
        return None
    return _Gain(d, d.speedup.value, d.speedup.low or 0.0)


def _gain_from_threads(view: RunView, d: Decision) -> _Gain | None:
    """The gain of a choice with several threads over the best one with one thread, size by size."""
    if d.threads == 1:
        return None
    by_size: dict[int, list[CellSummary]] = defaultdict(list)
    for summary in view.plain():
        cell = summary.cell
        if (cell.label, cell.type) == (d.label, d.type) and d.size_low <= cell.size <= d.size_high:
            by_size[cell.size].append(summary)
    estimates = [estimate for rows in by_size.values() if (estimate := _against_one(rows, d))]
    if not estimates:
        return None
    low = min(e.low or 0.0 for e in estimates)
    return _Gain(d, geometric_mean([e.value for e in estimates]), low)


def _against_one(rows: Sequence[CellSummary], d: Decision) -> RatioEstimate | None:
    chosen = [s for s in rows if (s.variant, s.cell.threads) == (d.variant, d.threads)]
    serial = [s for s in rows if s.cell.threads == 1 and not is_control(s.variant)]
    if not chosen or not serial:
        return None
    return time_ratio(chosen[0], min(serial, key=lambda s: s.time_s or 0.0))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What to use: the best variant and thread count per problem, type and band of sizes, and how sure
that is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from weft_lab.statistics import estimates
from weft_lab.statistics.analysis_types import CellSummary, Confidence, Decision, Ratio
from weft_lab.statistics.ratios import speedup, time_ratio
from weft_lab.storage.cells import Cell
from weft_lab.storage.variants import BASELINE, is_control

CONFIDENCE_ORDER: tuple[Confidence, ...] = ("cannot tell", "likely", "sure")
Choice = tuple[str, int]  # variant, threads


LAUNCHES_SURE = 3


@dataclass(frozen=True)
class _Contest:
    """One size: who is as good as the best (`equals`), and who may be (`rivals`); fastest first."""

    size: int
    equals: tuple[CellSummary, ...]
    rivals: tuple[CellSummary, ...]
    baseline: CellSummary | None
    missing: tuple[str, ...] = ()


def decide(
    summaries: Iterable[CellSummary],
    threshold: float = estimates.THRESHOLD_MIN,
    baseline: str = BASELINE,
) -> list[Decision]:
    """One decision per band of neighbouring sizes with the same choice.

    Only plain cells take part: placement `none`, SMT on, default allocator, not oversubscribed,
    plausible.
    What is slower than the fastest by no more than `threshold` counts as equal to it; among equals
    the baseline and fewer threads are preferred, and a choice that lasts over more sizes. A size
    at which the baseline was not timed, though it was at others, is left out: a run stopped there.
    """
    series: dict[tuple[str, str, str], list[CellSummary]] = defaultdict(list)
    for summary in summaries:
        if _takes_part(summary):
            series[summary.cell.suite, summary.cell.label, summary.cell.type].append(summary)
    decisions: list[Decision] = []
    for members in series.values():
        decisions += _bands(_contests(members, threshold, baseline), threshold, baseline)
    return decisions


def _takes_part(summary: CellSummary) -> bool:
    cell = summary.cell
    is_plain = cell.placement == "none" and cell.smt == "on" and cell.allocator == "default"
    is_measured = summary.status == "ok" and summary.time_s is not None
    return (
        is_plain
        and is_measured
        and not summary.is_oversubscribed
        and not is_control(summary.variant)
    )


def _contests(members: Sequence[CellSummary], threshold: float, baseline: str) -> list[_Contest]:
    by_size: dict[int, list[CellSummary]] = defaultdict(list)
    for summary in members:
        by_size[summary.cell.size].append(summary)
    variants = {s.variant for s in members}
    contests = []
    for size, runners in sorted(by_size.items()):
        contest = _contest(size, runners, threshold, baseline)
        missing = tuple(sorted(variants - {s.variant for s in runners}))
        if contest.baseline or baseline not in variants:
            contests.append(replace(contest, missing=missing))
    return contests


def _contest(
    size: int, runners: Sequence[CellSummary], threshold: float, baseline: str
) -> _Contest:
    ranked = sorted(runners, key=lambda s: s.time_s or 0.0)
    fastest = ranked[0]
    equals, rivals = [fastest], []
    for other in ranked[1:]:
        estimate = time_ratio(fastest, other)
        if estimate is None:
            continue
        if estimate.value <= 1.0 + threshold:
            equals.append(other)
        elif estimates.verdict(estimate.low, estimate.high, threshold) != "slower":
            rivals.append(other)
    seq = next((s for s in runners if s.variant == baseline), None)
    return _Contest(size, tuple(equals), tuple(rivals), seq)


def _bands(contests: Sequence[_Contest], threshold: float, baseline: str) -> list[Decision]:
    """Extends a band while some choice is among the simplest equals of every size in it."""
    decisions: list[Decision] = []
    first = 0
    while first < len(contests):
        common = _choices(contests[first], baseline)
        last = first
        while last + 1 < len(contests):
            shared = common & _choices(contests[last + 1], baseline)
            if not shared:
                break
            common = shared
            last += 1
        decisions.append(_decision(contests[first : last + 1], common, threshold))
        first = last + 1
    return decisions


def _choices(contest: _Contest, baseline: str) -> set[Choice]:
    """The simplest among the equals: the baseline if it is one of them, else the fewest threads."""
    simplest = min(_effort(s, baseline) for s in contest.equals)
    equals = [s for s in contest.equals if _effort(s, baseline) == simplest]
    return {(s.variant, s.cell.threads) for s in equals}


def _effort(summary: CellSummary, baseline: str) -> tuple[int, bool]:
    return summary.cell.threads, summary.variant != baseline


def _decision(band: Sequence[_Contest], common: set[Choice], threshold: float) -> Decision:
    choice = min(common, key=lambda c: (_mean_time(band, c), c))
    winners = [_find(contest.equals, choice) for contest in band]
    ratios = [speedup(w, c.baseline) for w, c in zip(winners, band, strict=True) if c.baseline]
    confidence = min(
        (_confidence(c, w) for c, w in zip(band, winners, strict=True)), key=CONFIDENCE_ORDER.index
    )
    tied = sorted({s.variant for c in band for s in (*c.equals, *c.rivals)} - {choice[0]})
    winner = winners[0]
    cell: Cell = winner.cell
    return Decision(
        cell.suite,
        cell.label,
        cell.type,
        band[0].size,
        band[-1].size,
        choice[0],
        winner.backend,
        choice[1],
        _over_band([ratio for ratio in ratios if ratio is not None]),
        confidence,
        tuple(tied),
        _reason(band, choice, confidence, threshold),
    )


def _mean_time(band: Sequence[_Contest], choice: Choice) -> float:
    return estimates.geometric_mean(
        [_find(contest.equals, choice).time_s or 1.0 for contest in band]
    )


def _find(summaries: Iterable[CellSummary], choice: Choice) -> CellSummary:
    return next(s for s in summaries if (s.variant, s.cell.threads) == choice)


def _over_band(ratios: Sequence[Ratio]) -> Ratio | None:
    """A band's geometric mean speed-up, between the lowest and highest bound of any size."""
    if not ratios:
        return None
    lows = [ratio.low for ratio in ratios]
    highs = [ratio.high for ratio in ratios]
    low = None if None in lows else min(value for value in lows if value is not None)
    high = None if None in highs else max(value for value in highs if value is not None)
    return Ratio(estimates.geometric_mean([ratio.value for ratio in ratios]), low, high)


def _confidence(contest: _Contest, winner: CellSummary) -> Confidence:
    """Sure: nobody else can be better by more than the threshold. Likely: somebody might, on the
    evidence so far.
    """
    if winner.time_low_s is None:
        return "cannot tell"
    others = [s for s in contest.equals if s is not winner]
    is_exact = all(
        s.time_low_s is not None and s.launches >= LAUNCHES_SURE for s in (winner, *others)
    )
    return "sure" if is_exact and not contest.rivals and not contest.missing else "likely"


def _reason(
    band: Sequence[_Contest], choice: Choice, confidence: Confidence, threshold: float
) -> str:
    rivals = sorted({s.variant for c in band for s in c.rivals})
    equals = sorted(
        {s.variant for c in band for s in c.equals if (s.variant, s.cell.threads) != choice}
    )
    parts = []
    if equals:
        parts.append(f"within {100 * threshold:.0f} % of it: {', '.join(equals)}")
    missing = sorted({variant for c in band for variant in c.missing})
    if missing:
        parts.append(f"not timed at every size here: {', '.join(missing)}")
    if rivals:
        parts.append(f"not told apart yet: {', '.join(rivals)}")
    if confidence == "cannot tell":
        parts.append("one launch only: nothing is known of the spread between launches")
    return "; ".join(parts) or "every other choice is slower"

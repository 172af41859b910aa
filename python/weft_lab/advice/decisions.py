# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recommends the best variant and thread count per problem, type and band of sizes, with a
confidence.

One rule, from intervals alone. Each interval is widened by the unexplained difference of two copies
of the baseline at the same problem and size.
- The baseline is chosen unless it is significantly slower than the choice with the least upper
  bound, by more than the threshold. If it is, the candidates are those significantly faster than
  the baseline by more than the threshold. The one with the fewest threads is chosen that cannot be
  slower than the fastest by more than the threshold.
- sure: nothing else can be faster by more than the threshold. likely: the fastest cannot, but
  something else can, at most twice as fast. cannot tell: the fastest can, something else may be
  more than twice as fast, or nothing is known; then nothing is recommended.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from weft_lab.statistics import estimates
from weft_lab.statistics.analysis_types import CellSummary, Confidence, Decision, Ratio
from weft_lab.statistics.estimates import RatioEstimate
from weft_lab.statistics.ratios import time_ratio, unexplained
from weft_lab.storage.checkout import is_cost
from weft_lab.storage.variants import BASELINE, CONTROL_SUFFIX, is_control

RIVAL_MAX = 2.0  # the largest factor by which another choice may be faster than a likely one
CONFIDENCE_ORDER: tuple[Confidence, ...] = ("cannot tell", "likely", "sure")
Choice = tuple[str, int]  # variant, threads


@dataclass(frozen=True)
class _Judgement:
    """The judgement of one choice at one size.

    `rivals`: the variants that may be faster, and by what factor.
    """

    runner: CellSummary
    confidence: Confidence
    rivals: tuple[tuple[str, float | None], ...]
    equals: tuple[str, ...]
    speedup: Ratio | None
    detectable: float | None


@dataclass
class _Contest:
    """One size. `noise`: the factor that every interval is widened by; 1 adds nothing."""

    size: int
    runners: Sequence[CellSummary]
    baseline: CellSummary | None
    noise: float
    limit: float
    missing: tuple[str, ...] = ()
    _known: dict[tuple[Choice, Choice], RatioEstimate | None] = field(default_factory=dict)

    def judgements(self) -> dict[Choice, _Judgement]:
        """The judgements of all choices that are equally simple; one of them is advised."""
        fastest = min(self.runners, key=_time)
        surest = min(self.runners, key=lambda s: (self._reach(s), _time(s)))
        is_baseline_able = self.baseline is not None and not self._is_slower(self.baseline, surest)
        able = [s for s in self.runners if self._beats_baseline(s)] or [surest]
        if is_baseline_able and self.baseline is not None:
            able = [self.baseline]
        close = [s for s in able if all(self._is_within(s, other) for other in (fastest, surest))]
        simplest = min((self._effort(s) for s in close), default=None)
        # If nothing is recommended, the row shows the baseline; if that is too slow, the choice
        # with the least upper bound.
        shown = self.baseline if is_baseline_able and self.baseline is not None else surest
        advised = [s for s in close if self._effort(s) == simplest] or [shown]
        return {_choice(s): self._judged(s, is_close=bool(close)) for s in advised}

    def _judged(self, chosen: CellSummary, *, is_close: bool) -> _Judgement:
        others = [s for s in self.runners if s is not chosen]
        rivals = [s for s in others if not self._is_within(chosen, s)]
        closest = min(others, key=_time, default=None)
        confidence: Confidence = "cannot tell"
        factors = [self._most(chosen, s) for s in rivals]
        is_bounded = all(each is not None and each <= RIVAL_MAX for each in factors)
        is_replicated = chosen.time_high_s is not None  # a single launch has no interval
        if is_close and is_replicated and is_bounded:
            confidence = "likely" if rivals or self.missing else "sure"
        gain = None
        if self.baseline is chosen:
            gain = Ratio(1.0, 1.0, 1.0)
        elif self.baseline is not None:
            gain = self._widened(self._slowdown(self.baseline, chosen))
        estimate = None if closest is None else self._slowdown(chosen, closest)
        return _Judgement(
            chosen,
            confidence,
            tuple((s.variant, self._most(chosen, s)) for s in rivals),
            tuple(s.variant for s in others if s not in rivals and self._is_within(s, chosen)),
            gain,
            None if estimate is None else estimate.detectable(self.limit - 1.0, self.noise),
        )

    def _effort(self, summary: CellSummary) -> tuple[int, bool]:
        return summary.cell.threads, summary is not self.baseline

    def _reach(self, summary: CellSummary) -> float:
        """The upper bound of its time."""
        return float("inf") if summary.time_high_s is None else summary.time_high_s

    def _is_slower(self, summary: CellSummary, other: CellSummary) -> bool:
        """Whether it is significantly slower than the other by more than the threshold."""
        found = self._widened(self._slowdown(summary, other))
        return found is not None and found.low is not None and found.low > self.limit

    def _beats_baseline(self, summary: CellSummary) -> bool:
        return self.baseline is None or self._is_slower(self.baseline, summary)

    def _is_within(self, summary: CellSummary, other: CellSummary) -> bool:
        """Whether it cannot be slower by more than the threshold."""
        most = self._most(summary, other)
        return summary is other or (most is not None and most <= self.limit)

    def _most(self, summary: CellSummary, other: CellSummary) -> float | None:
        found = self._widened(self._slowdown(summary, other))
        return None if found is None else found.high

    def _slowdown(self, summary: CellSummary, other: CellSummary) -> RatioEstimate | None:
        """Its time divided by the other's."""
        key = (_choice(summary), _choice(other))
        if key not in self._known:
            self._known[key] = time_ratio(other, summary)
        return self._known[key]

    def _widened(self, estimate: RatioEstimate | None) -> Ratio | None:
        if estimate is None:
            return None
        if estimate.low is None or estimate.high is None:
            return Ratio(estimate.value, None, None)
        return Ratio(estimate.value, estimate.low / self.noise, estimate.high * self.noise)


def decide(
    summaries: Iterable[CellSummary],
    threshold: float = estimates.THRESHOLD_MIN,
    baseline: str = BASELINE,
) -> list[Decision]:
    """One decision per band of neighbouring sizes with the same choice.

    Only plain cells take part: placement `none`, SMT on, default allocator, not oversubscribed,
    plausible. Among equally simple choices, the one that lasts over more sizes is preferred. A size
    at which the baseline was not timed, although it was at others, is skipped: a run stopped there.
    Two kinds of problems get no decision: those with the same work for each thread, whatever their
    number; and those whose time is the cost of a runtime's operations.
    """
    series: dict[tuple[str, str, str], list[CellSummary]] = defaultdict(list)
    for summary in summaries:
        if _takes_part(summary) and not is_cost(summary.cell.suite, summary.cell.problem):
            series[summary.cell.suite, summary.cell.label, summary.cell.type].append(summary)
    decisions: list[Decision] = []
    for members in series.values():
        if _is_work_per_thread(members):
            continue
        decisions += _bands(_contests(members, threshold, baseline))
    return decisions


def _takes_part(summary: CellSummary) -> bool:
    cell = summary.cell
    is_plain = cell.placement == "none" and cell.smt == "on" and cell.allocator == "default"
    is_measured = summary.status == "ok" and summary.time_s is not None
    return is_plain and is_measured and not summary.is_oversubscribed


def _is_work_per_thread(members: Sequence[CellSummary]) -> bool:
    """Whether twice the threads do twice the tasks: then times do not tell how many to use."""
    tasks: dict[int, dict[int, set[float]]] = defaultdict(lambda: defaultdict(set))
    for each in members:
        if each.tasks:
            threads = each.cell.threads
            tasks[each.cell.size][threads].add(each.tasks / threads)
    compared = [by_threads for by_threads in tasks.values() if len(by_threads) > 1]
    return bool(compared) and all(len(set.union(*found.values())) == 1 for found in compared)


def _contests(members: Sequence[CellSummary], threshold: float, baseline: str) -> list[_Contest]:
    by_size: dict[int, list[CellSummary]] = defaultdict(list)
    for summary in members:
        by_size[summary.cell.size].append(summary)
    variants = {s.variant for s in members if not is_control(s.variant)}
    contests = []
    for size, timed in sorted(by_size.items()):
        runners = [s for s in timed if not is_control(s.variant)]
        seq = next((s for s in runners if s.variant == baseline), None)
        control = next((s for s in timed if s.variant == baseline + CONTROL_SUFFIX), None)
        missing = tuple(sorted(variants - {s.variant for s in runners}))
        if runners and (seq or baseline not in variants):
            noise = unexplained(seq, control)
            contests.append(_Contest(size, runners, seq, noise, 1.0 + threshold, missing))
    return contests


def _bands(contests: Sequence[_Contest]) -> list[Decision]:
    """Extends a band while some choice is advised at every size in it, or no choice at any."""
    judgements = [contest.judgements() for contest in contests]
    decisions: list[Decision] = []
    first = 0
    while first < len(contests):
        common = _keys(judgements[first])
        last = first
        while last + 1 < len(contests):
            shared = common & _keys(judgements[last + 1])
            if not shared:
                break
            common = shared
            last += 1
        choice = min(
            common, key=lambda key: (_mean_time(judgements[first : last + 1], key[0]), key)
        )[0]
        band = slice(first, last + 1)
        decisions.append(_decision(contests[band], [row[choice] for row in judgements[band]]))
        first = last + 1
    return decisions


def _keys(judgements: dict[Choice, _Judgement]) -> set[tuple[Choice, bool]]:
    return {(choice, row.confidence != "cannot tell") for choice, row in judgements.items()}


def _decision(contests: Sequence[_Contest], band: Sequence[_Judgement]) -> Decision:
    winner = band[0].runner
    cell = winner.cell
    speedups = [row.speedup for row in band]
    known = [row.detectable for row in band]
    tied = {name for row in band for name in (*row.equals, *(name for name, _ in row.rivals))}
    return Decision(
        cell.suite,
        cell.label,
        cell.type,
        contests[0].size,
        contests[-1].size,
        winner.variant,
        winner.backend,
        cell.threads,
        _over_band([ratio for ratio in speedups if ratio is not None]),
        min((row.confidence for row in band), key=CONFIDENCE_ORDER.index),
        tuple(sorted(tied - {winner.variant})),
        _reason(contests, band),
        None if None in known else max(value for value in known if value is not None),
    )


def _mean_time(band: Sequence[dict[Choice, _Judgement]], choice: Choice) -> float:
    return estimates.geometric_mean([_time(judgements[choice].runner) for judgements in band])


def _time(summary: CellSummary) -> float:
    return summary.time_s or 0.0


def _choice(summary: CellSummary) -> Choice:
    return summary.variant, summary.cell.threads


def _over_band(ratios: Sequence[Ratio]) -> Ratio | None:
    """A band's geometric mean speed-up, between the lowest and highest bound of any size."""
    if not ratios:
        return None
    lows = [ratio.low for ratio in ratios]
    highs = [ratio.high for ratio in ratios]
    low = None if None in lows else min(value for value in lows if value is not None)
    high = None if None in highs else max(value for value in highs if value is not None)
    return Ratio(estimates.geometric_mean([ratio.value for ratio in ratios]), low, high)


def _reason(contests: Sequence[_Contest], band: Sequence[_Judgement]) -> str:
    percent = f"{100 * (contests[0].limit - 1.0):.0f} %"
    most: dict[str, float | None] = {}
    for name, factor in (rival for row in band for rival in row.rivals):
        before = most.get(name, 0.0)
        most[name] = None if factor is None or before is None else max(factor, before)
    equals = sorted({name for row in band for name in row.equals} - set(most))
    missing = sorted({name for contest in contests for name in contest.missing})
    parts = []
    if equals:
        parts.append(f"within {percent} of it: {', '.join(equals)}")
    if missing:
        parts.append(f"not timed at every size here: {', '.join(missing)}")
    if known := [f"{name} up to {most[name]:.2f} x" for name in sorted(most) if most[name]]:
        parts.append(f"may be faster: {', '.join(known)}")
    if any(factor is None for factor in most.values()):
        parts.append("one launch only: the spread between launches is unknown")
    return "; ".join(parts) or f"no other choice can be faster by more than {percent}"

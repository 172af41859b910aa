# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which runtime of the suite Inncabs is fastest on each benchmark, at one core and at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from weft_lab.statistics.analysis_types import CellSummary, Ratio
from weft_lab.statistics.estimates import RatioEstimate, Verdict, benjamini_hochberg, verdict
from weft_lab.statistics.ratios import time_ratio
from weft_lab.suites.inncabs.curves import BASELINE_BACKEND, COUNTED, Curve, every_curve, time_of

LAUNCHES_MIN = 2


@dataclass(frozen=True)
class Runner:
    """One runtime in a contest, at the setting that is its fastest there.

    `timed` is None when it has no time: `gap` then says why, or is None if nobody asked for one.
    `ratio`: its time over that of the fastest. `verdict`: of the fastest against all others, of the
    others against the fastest.
    """

    backend: str
    timed: CellSummary | None = None
    setting: str = ""
    gap: CellSummary | None = None
    ratio: Ratio | None = None
    verdict: Verdict = "cannot tell"


@dataclass(frozen=True)
class Contest:
    """One benchmark at one count of cores. `runners`: those that were timed first, fastest first.

    `missing`: runtimes of the run that were not asked here, so nobody knows. `is_variant`: with
    parameters, which are in the name.
    """

    benchmark: str
    size: int
    threads: int
    runners: tuple[Runner, ...]
    missing: tuple[str, ...] = ()
    is_variant: bool = False
    serial: CellSummary | None = field(default=None)

    @property
    def timed(self) -> list[Runner]:
        return [runner for runner in self.runners if runner.timed is not None]

    @property
    def fastest(self) -> Runner | None:
        return next(iter(self.timed), None)

    @property
    def rivals(self) -> list[Runner]:
        """The runtimes without a significant difference from the fastest."""
        return [runner for runner in self.timed[1:] if runner.verdict != "slower"]

    @property
    def is_certain(self) -> bool:
        """Whether the fastest is faster than every other runtime of the run that can do it."""
        return len(self.timed) > 1 and not self.rivals and not self.missing

    @property
    def is_replicated(self) -> bool:
        """Whether launches were enough for any verdict."""
        return all(runner.timed.launches >= LAUNCHES_MIN for runner in self.timed if runner.timed)

    @property
    def own_against_others(self) -> Verdict | None:
        """The better of weft's forms against all other runtimes; None without one of each."""
        own = [runner for runner in self.timed if runner.backend in COUNTED]
        others = [runner for runner in self.timed if runner.backend not in COUNTED]
        if not own or not others:
            return None
        if own[0] is self.fastest:
            is_told = not self.missing and all(r.verdict == "slower" for r in others)
            return "faster" if is_told else "cannot tell"
        return own[0].verdict


def contests(summaries: Iterable[CellSummary], threads_all: int, threshold: float) -> list[Contest]:
    """One per benchmark and count of cores, 1 and `threads_all`, that any runtime was requested
    for.

    A verdict needs an interval of the ratio, over launches, beyond the threshold. It must also
    remain significant after the Benjamini-Hochberg correction over all comparisons with a fastest
    that have an interval.
    """
    by_benchmark: dict[str, list[Curve]] = defaultdict(list)
    for curve in every_curve(summaries):
        by_benchmark[curve.benchmark].append(curve)
    everyone = {c.backend for members in by_benchmark.values() for c in members}
    found = [
        contest
        for benchmark in sorted(by_benchmark)
        for threads in sorted({1, threads_all})
        if (contest := _contest(benchmark, threads, by_benchmark[benchmark])).runners
    ]
    return _judged([_with_missing(contest, everyone) for contest in found], threshold)


def _contest(benchmark: str, threads: int, curves: Sequence[Curve]) -> Contest:
    by_backend: dict[str, list[Curve]] = defaultdict(list)
    for curve in curves:
        by_backend[curve.backend].append(curve)
    serial = _runner(BASELINE_BACKEND, by_backend.pop(BASELINE_BACKEND, []), 1)
    runners = [_runner(backend, theirs, threads) for backend, theirs in by_backend.items()]
    asked = [runner for runner in runners if runner.timed is not None or runner.gap is not None]
    return Contest(
        benchmark,
        curves[0].size,
        threads,
        tuple(sorted(asked, key=_place)),
        is_variant=curves[0].is_variant,
        serial=serial.timed,
    )


def _with_missing(contest: Contest, everyone: Iterable[str]) -> Contest:
    here = {BASELINE_BACKEND, *(runner.backend for runner in contest.runners)}
    return replace(contest, missing=tuple(sorted(set(everyone) - here)))


def _runner(backend: str, curves: Sequence[Curve], threads: int) -> Runner:
    timed = [(s, str(c.setting)) for c in curves if (s := c.at(threads)) is not None]
    if timed:
        summary, setting = min(timed, key=lambda pair: time_of(pair[0]))
        return Runner(backend, summary, setting)
    gaps = (s for curve in curves for s in curve.gaps if s.cell.threads == threads)
    return Runner(backend, gap=next(gaps, None))


def _place(runner: Runner) -> tuple[bool, float, str]:
    if runner.timed is None:
        return True, 0.0, runner.backend
    return False, time_of(runner.timed), runner.backend


def _judged(found: Sequence[Contest], threshold: float) -> list[Contest]:
    """The contests with the ratios to their fastest, and the verdicts."""
    estimates: dict[tuple[int, str], RatioEstimate] = {}
    for number, contest in enumerate(found):
        first, *others = contest.timed or [Runner("")]
        for other in others:
            assert first.timed is not None
            assert other.timed is not None
            if (estimate := time_ratio(first.timed, other.timed)) is not None:
                estimates[number, other.backend] = estimate
    # Pairs without an interval, of a single launch, are not tested.
    tested = {key: e.p_value(threshold) for key, e in estimates.items() if e.low is not None}
    told = zip(tested, benjamini_hochberg(list(tested.values())), strict=True)
    believed = {key for key, is_believed in told if is_believed}
    judged: list[Contest] = []
    for number, contest in enumerate(found):
        runners = tuple(
            _with_ratio(
                runner,
                estimates.get((number, runner.backend)),
                threshold if (number, runner.backend) in believed else None,
            )
            for runner in contest.runners
        )
        judged.append(_with_winner(replace(contest, runners=runners)))
    return judged


def _with_ratio(runner: Runner, estimate: RatioEstimate | None, threshold: float | None) -> Runner:
    if estimate is None:
        return runner
    ratio = Ratio(estimate.value, estimate.low, estimate.high)
    if threshold is None:
        return replace(runner, ratio=ratio)
    return replace(runner, ratio=ratio, verdict=verdict(estimate.low, estimate.high, threshold))


def _with_winner(contest: Contest) -> Contest:
    """The fastest is faster where every other runtime is slower."""
    if contest.fastest is None:
        return contest
    winner = replace(
        contest.fastest,
        ratio=Ratio(1.0, None, None),
        verdict="faster" if contest.is_certain else "cannot tell",
    )
    return replace(contest, runners=(winner, *contest.runners[1:]))

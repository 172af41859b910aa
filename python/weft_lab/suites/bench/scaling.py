# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each contestant's gain from threads, the sizes from which one is ahead, and the confidence of
both."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from weft_lab.models.arrays import ModelError
from weft_lab.models.scaling_laws import fit_law
from weft_lab.statistics.analysis_types import Confidence, Decision, Ratio
from weft_lab.statistics.estimates import (
    Verdict,
    benjamini_hochberg,
    median,
    quantile,
    verdict,
)
from weft_lab.statistics.ratios import is_disturbed, time_ratio
from weft_lab.suites.bench.results import BenchRun, Row

RESAMPLES = 100
COUNTS_MIN = 2
USL_COUNTS_MIN = 4
LAUNCHES_MIN = 3
SEED = 1
LEAST_SHARE = 0.01
CANNOT_TELL: Confidence = "cannot tell"
LIKELY: Confidence = "likely"
SURE: Confidence = "sure"
Place = tuple[str, int]  # case, size
Chosen = tuple[str, str]  # case, contestant


@dataclass(frozen=True)
class Interval:
    """A fitted value and its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Usl:
    """The losses of the threads by waiting for each other, and by keeping their data consistent."""

    contention: Interval
    coherence: Interval


@dataclass(frozen=True)
class Curve:
    """One contestant over threads at one place. `rows`: by threads, ascending, not more than there
    are CPUs.
    """

    name: str
    case: str
    size: int
    rows: tuple[Row, ...]

    def speedup(self, row: Row) -> Ratio | None:
        """The time with the fewest threads over this one's."""
        estimate = time_ratio(row.summary, self.rows[0].summary)
        return None if estimate is None else Ratio(estimate.value, estimate.low, estimate.high)

    @property
    def fastest(self) -> Row:
        return min(self.rows, key=lambda row: row.time_s)

    @cached_property
    def serial(self) -> Interval | None:
        """Amdahl's serial fraction, its interval by drawing launches again; None with one count of
        threads.
        """
        counts = [row.cell.threads for row in self.rows]
        if len(counts) < COUNTS_MIN:
            return None
        launches = [row.summary.launch_medians_s for row in self.rows]
        value = _serial(counts, [median(times) for times in launches])
        if value is None or min(map(len, launches)) < LAUNCHES_MIN:
            return None
        drawn = [_serial(counts, times) for times in _resampled(launches)]
        known = [each for each in drawn if each is not None]
        return _interval(value, known) if known else None

    @cached_property
    def usl(self) -> Usl | None:
        """The universal scalability law, if there are more counts than it has parameters, with
        intervals as those of `serial`."""
        counts = [row.cell.threads for row in self.rows]
        launches = [row.summary.launch_medians_s for row in self.rows]
        if len(counts) < USL_COUNTS_MIN or min(map(len, launches)) < LAUNCHES_MIN:
            return None
        value = _usl(counts, [median(times) for times in launches])
        drawn = [_usl(counts, times) for times in _resampled(launches)]
        return Usl(*(_interval(one, every) for one, *every in zip(value, *drawn, strict=True)))


@dataclass(frozen=True)
class Duel:
    """One contestant against the first one that was named. `ratio`: its time over that one's."""

    row: Row
    first: Row
    ratio: Ratio
    verdict: Verdict


@dataclass(frozen=True)
class BreakEven:
    """The size from which a contestant is significantly faster than the first one, and stays so.

    Each with its best number of threads; None: at no measured size.
    """

    name: str
    first: str
    case: str
    faster_from: int | None
    slower_until: int | None


def curves(run: BenchRun) -> list[Curve]:
    """Of contestants that were timed with several counts of threads."""
    groups: dict[tuple[str, str, int], list[Row]] = defaultdict(list)
    for row in run.timed:
        if not row.summary.is_oversubscribed:
            groups[row.name, row.case, row.cell.size].append(row)
    found = []
    for (name, case, size), rows in groups.items():
        ordered = tuple(sorted(rows, key=lambda row: row.cell.threads))
        if len(ordered) >= COUNTS_MIN:
            found.append(Curve(name, case, size, ordered))
    return found


def duels(run: BenchRun) -> list[Duel]:
    """At equal values and threads; at most one in twenty of the verdicts is false (Benjamini and
    Hochberg).
    """
    first = run.asked.contestants[0].name
    own = {row.cell: row for row in run.timed if row.name == first}
    pairs = [(row, own[row.cell]) for row in run.timed if row.name != first and row.cell in own]
    return _judged(run, pairs)


def _judged(run: BenchRun, pairs: Sequence[tuple[Row, Row]]) -> list[Duel]:
    known = [
        (row, other, estimate)
        for row, other in pairs
        if (estimate := time_ratio(other.summary, row.summary)) is not None
    ]
    threshold = run.view.threshold
    believed = benjamini_hochberg([each.p_value(threshold) for _, _, each in known])
    return [
        Duel(
            row,
            other,
            Ratio(each.value, each.low, each.high),
            verdict(each.low, each.high, threshold) if is_believed else "cannot tell",
        )
        for (row, other, each), is_believed in zip(known, believed, strict=True)
    ]


def break_evens(run: BenchRun) -> list[BreakEven]:
    """Where sizes were varied and there is somebody to compare with."""
    first, *others = (contestant.name for contestant in run.asked.contestants)
    best = fastest(run)
    cases = dict.fromkeys(case for case, _ in best)
    found = []
    for name in others:
        for case in cases:
            sizes = [
                size for (c, size), rows in best.items() if c == case and {first, name} <= {*rows}
            ]
            if len(sizes) < COUNTS_MIN:
                continue
            pairs = [(best[case, size][name], best[case, size][first]) for size in sorted(sizes)]
            told = {duel.row.cell.size: duel.verdict for duel in _judged(run, pairs)}
            found.append(BreakEven(name, first, case, _faster_from(told), _slower_until(told)))
    return found


def chosen_rows(run: BenchRun, d: Decision) -> list[Row]:
    """The ratios of a choice, at every size of its band."""
    return [
        row
        for row in run.timed
        if (row.name, row.cell.label, row.cell.threads) == (d.backend, d.label, d.threads)
        and d.size_low <= row.cell.size <= d.size_high
    ]


def chosen_at(run: BenchRun, size: int) -> set[Chosen]:
    """Case and contestant of the choices at a size."""
    return {
        (row.case, row.name)
        for d in run.view.decisions
        for row in chosen_rows(run, d)
        if row.cell.size == size
    }


def rivals(run: BenchRun, d: Decision) -> dict[tuple[str, int], float | None]:
    """Returns the other programs and counts of threads that were timed where `d` was made. The
    value is the largest factor by which the choice may be slower; None if the spread is unknown.
    What waited for other programs may be faster without them.
    """
    found: dict[tuple[str, int], float | None] = {}
    for chosen in chosen_rows(run, d):
        at = (chosen.cell.label, chosen.cell.size)
        for row in run.timed:
            key = (row.name, row.cell.threads)
            is_there = (row.cell.label, row.cell.size) == at and row is not chosen
            if not is_there or row.summary.is_oversubscribed:
                continue
            estimate = time_ratio(row.summary, chosen.summary)
            high = None if estimate is None else estimate.high
            high = None if high is None else high * _times_faster(row)
            before = found.get(key, 0.0)
            found[key] = None if high is None or before is None else max(high, before)
    return found


def _times_faster(row: Row) -> float:
    """How many times as fast it may be without other programs, where these disturbed it: one thread
    by what it waited, several as if their CPU time were shared equally.
    """
    if not is_disturbed(row.summary):
        return 1.0
    least_s = row.used.get("cpu_time", 0.0) / row.cell.threads
    if row.cell.threads == 1 or not least_s:
        least_s = (1.0 - median(row.summary.waited)) * row.time_s
    return row.time_s / max(min(least_s, row.time_s), LEAST_SHARE * row.time_s)


def without_false_certainty(run: BenchRun) -> BenchRun:
    """The run, in which no choice is certain that rests on other programs having disturbed a
    rival, nor sure where fewer threads may do.
    """
    most = 1.0 + run.view.threshold

    def checked(d: Decision) -> Decision:
        if _is_doubtful(run, d, most):
            return replace(d, confidence=CANNOT_TELL)
        return replace(d, confidence=LIKELY) if d.confidence == SURE and thriftier(run, d) else d

    decisions = tuple(checked(d) for d in run.view.decisions)
    return replace(run, view=replace(run.view, decisions=decisions))


def thriftier(run: BenchRun, d: Decision) -> list[tuple[str, int]]:
    """Returns the programs and counts of threads below that of `d` which are not significantly
    slower by more than the threshold.
    """
    most = 1.0 + run.view.threshold
    found: dict[tuple[str, int], None] = {}
    for chosen in chosen_rows(run, d):
        at = (chosen.cell.label, chosen.cell.size)
        for row in run.timed:
            if (row.cell.label, row.cell.size) == at and row.cell.threads < d.threads:
                slowdown = time_ratio(chosen.summary, row.summary)
                if slowdown is None or slowdown.low is None or slowdown.low <= most:
                    found[row.name, row.cell.threads] = None
    return list(found)


def _is_doubtful(run: BenchRun, d: Decision, most: float) -> bool:
    disturbed = {
        (row.name, row.cell.threads)
        for row in run.timed
        if is_disturbed(row.summary)
        and row.cell.label == d.label
        and d.size_low <= row.cell.size <= d.size_high
    }
    found = rivals(run, d)
    return any((high := found.get(each)) is not None and high > most for each in disturbed)


def _faster_from(told: Mapping[int, Verdict]) -> int | None:
    found = None
    for size in sorted(told, reverse=True):
        if told[size] != "faster":
            break
        found = size
    return found


def _slower_until(told: Mapping[int, Verdict]) -> int | None:
    slower = [size for size, what in told.items() if what == "slower"]
    return max(slower, default=None)


def fastest(run: BenchRun) -> dict[Place, dict[str, Row]]:
    """Each contestant with its best threads, by place."""
    found: dict[Place, dict[str, Row]] = defaultdict(dict)
    for row in sorted(run.timed, key=lambda row: row.time_s):
        if not row.summary.is_oversubscribed:
            found[row.case, row.cell.size].setdefault(row.name, row)
    return found


def _serial(counts: Sequence[int], times_s: Sequence[float]) -> float | None:
    try:
        found = fit_law("amdahl", counts, [1.0 / time_s for time_s in times_s])
    except ModelError:
        return None
    return found.parameters["serial"]


def _interval(value: float, drawn: Sequence[float]) -> Interval:
    low, high = quantile(drawn, 0.025), quantile(drawn, 0.975)
    return Interval(value, min(low, value), max(high, value))


def _usl(counts: Sequence[int], times_s: Sequence[float]) -> tuple[float, float]:
    """Contention and coherence by least squares of relative errors, neither below zero.

    With N threads: time x N = T + T contention (N - 1) + T coherence N (N - 1).
    """
    import numpy as np
    from scipy import optimize

    n, times = np.asarray(counts, dtype=np.float64), np.asarray(times_s, dtype=np.float64)
    terms = np.stack([np.ones_like(n), n - 1.0, n * (n - 1.0)], axis=1)
    one, contention, coherence = optimize.nnls(terms / (n * times)[:, None], np.ones_like(n))[0]
    return (float(contention / one), float(coherence / one)) if one > 0.0 else (1.0, 0.0)


def _resampled(launches: Sequence[Sequence[float]]) -> list[list[float]]:
    """Medians of launches drawn with replacement, widened for their small number."""
    import numpy as np

    generator = np.random.default_rng(SEED)
    columns = []
    for times in launches:
        drawn = np.median(generator.choice(times, (RESAMPLES, len(times))), axis=1)
        middle = median(times)
        widened = middle + (drawn - middle) * (len(times) / (len(times) - 1)) ** 0.5
        columns.append([max(float(value), 0.1 * middle) for value in widened])
    return [list(times) for times in zip(*columns, strict=True)]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Change points: the runs at which a benchmark's time changed, distinguished from noise between
runs.

A run is one value, the logarithm of its median. Student's t test compares the runs before every
split with the runs after it. It uses all runs, and windows of 4, 8, 16, ... runs on each side,
which find a temporary change. The variance is that between runs, and never less than the launches
of a run explain.

The best p value of a history is multiplied by the number of its tests (Bonferroni). Of many
histories, those are split whose p values remain significant after the correction of Benjamini and
Hochberg; then both parts are tested again (binary segmentation).

Source:  A. Sen and M. S. Srivastava, Annals of Statistics 3 (1975) 98-108.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from weft_lab.statistics.estimates import (
    LEVEL,
    benjamini_hochberg,
    student_quantile,
    student_tail,
)

# Runs on each side of a split: a single one may be a disturbance.
RUNS_MIN = 2
# Runs that must precede the newest one before it is reported alone.
KNOWN_MIN = 3
WINDOW_MIN = 4


@dataclass(frozen=True)
class Point:
    """One run of a benchmark.

    `log_s`: the logarithm of its median. `error`: the standard error of `log_s` from its launches;
    None if there are too few.
    """

    log_s: float
    error: float | None


@dataclass(frozen=True)
class Step:
    """A change of level.

    `at`: index of the first run after it. `ratio`: the time after it over the time before, with its
    95 % interval.
    """

    at: int
    ratio: float
    low: float
    high: float


Series = Sequence[Point]


class _Sums:
    """Sums over any stretch of a history, in constant time."""

    def __init__(self, series: Series) -> None:
        origin = series[0].log_s if series else 0.0
        values = [point.log_s - origin for point in series]
        errors = [point.error for point in series]
        self.size = len(series)
        self._values = _running(values)
        self._squares = _running([value * value for value in values])
        self._errors = _running([(error or 0.0) ** 2 for error in errors])
        self._known = _running([float(error is not None) for error in errors])

    def mean(self, first: int, last: int) -> float:
        return _over(self._values, first, last) / (last - first)

    def squares(self, first: int, last: int) -> float:
        """The sum of squared distances from the mean."""
        value = _over(self._values, first, last)
        return max(0.0, _over(self._squares, first, last) - value * value / (last - first))

    def within(self, first: int, last: int) -> float:
        """The mean variance that launches explain; 0 if none is known."""
        known = _over(self._known, first, last)
        return _over(self._errors, first, last) / known if known else 0.0


def _running(values: Sequence[float]) -> list[float]:
    return [0.0, *accumulate(values)]


def _over(sums: Sequence[float], first: int, last: int) -> float:
    return sums[last] - sums[first]


@dataclass(frozen=True)
class _Test:
    """Runs `first` to `at` against runs `at` to `last`. `error`: of the difference `shift`."""

    at: int
    shift: float
    error: float
    freedom: int

    @classmethod
    def of(cls, sums: _Sums, first: int, at: int, last: int) -> _Test:
        freedom = last - first - 2
        spread = (sums.squares(first, at) + sums.squares(at, last)) / freedom
        variance = max(spread, sums.within(first, last))
        error = math.sqrt(variance * (1.0 / (at - first) + 1.0 / (last - at)))
        return cls(at, sums.mean(at, last) - sums.mean(first, at), error, freedom)

    def p_value(self, threshold: float) -> float:
        """The p value of so large a shift if the true change lies within 1/(1+t) .. 1+t."""
        excess = abs(self.shift) - math.log1p(threshold)
        if excess <= 0.0:
            return 1.0
        return 2.0 * student_tail(excess / self.error, self.freedom) if self.error else 0.0

    def step(self) -> Step:
        half = student_quantile(0.5 + 0.5 * LEVEL, self.freedom) * self.error
        low, value, high = (math.exp(self.shift + each) for each in (-half, 0.0, half))
        return Step(self.at, value, low, high)


def find_steps(histories: Sequence[Series], threshold: float) -> list[list[Step]]:
    """The change points of each history, by run: changes by more than `threshold` (0.03: 3 %).

    At most one in twenty of the findings of a round of splits is false.
    """
    sums = [_Sums(series) for series in histories]
    splits: list[set[int]] = [set() for _ in histories]
    parts = [(number, 0, len(series)) for number, series in enumerate(histories)]
    while parts:
        best = [_best(sums[number], first, last, threshold) for number, first, last in parts]
        believed = benjamini_hochberg([p_value for p_value, _ in best])
        found = [
            (part, at)
            for part, (_, at), is_believed in zip(parts, best, believed, strict=True)
            if is_believed
        ]
        parts = []
        for (number, first, last), at in found:
            splits[number].add(at)
            parts += [(number, first, at), (number, at, last)]
    return [_shown(each, own, threshold) for each, own in zip(sums, splits, strict=True)]


def _best(sums: _Sums, first: int, last: int, threshold: float) -> tuple[float, int]:
    """The corrected p value of the most significant split, and its position."""
    tests = list(_tests(sums, first, last))
    if not tests:
        return 1.0, first
    p_value, test = min(
        ((each.p_value(threshold), each) for each in tests), key=lambda pair: pair[0]
    )
    return min(1.0, len(tests) * p_value), test.at


def _tests(sums: _Sums, first: int, last: int) -> Iterator[_Test]:
    for at in range(first + RUNS_MIN, last - RUNS_MIN + 1):
        longest = max(at - first, last - at)
        width = WINDOW_MIN
        while width < longest:
            yield _Test.of(sums, max(first, at - width), at, min(last, at + width))
            width *= 2
        yield _Test.of(sums, first, at, last)


def _shown(sums: _Sums, splits: set[int], threshold: float) -> list[Step]:
    """Changes of level between whole parts. Changes whose interval contains negligible ones are
    removed first, and their parts are joined."""
    while True:
        places = [0, *sorted(splits), sums.size]
        tests = [
            _Test.of(sums, places[n - 1], places[n], places[n + 1])
            for n in range(1, len(places) - 1)
        ]
        steps = [test.step() for test in tests]
        doubtful = [
            (test.p_value(threshold), step.at)
            for test, step in zip(tests, steps, strict=True)
            if step.low <= 1.0 + threshold and step.high >= 1.0 / (1.0 + threshold)
        ]
        if not doubtful:
            return steps
        splits = splits - {max(doubtful)[1]}


def levels(series: Series, steps: Sequence[Step]) -> list[tuple[int, int, float]]:
    """Parts between change points: first run, end, and the geometric mean of the medians there.
    Units: seconds.
    """
    places = [0, *(step.at for step in steps), len(series)]
    return [
        (first, last, math.exp(math.fsum(p.log_s for p in series[first:last]) / (last - first)))
        for first, last in pairwise(places)
    ]


def find_outliers(
    histories: Sequence[Series], steps: Sequence[Sequence[Step]], threshold: float
) -> list[Step | None]:
    """For each history, the newest run compared with its last level, if it differs much. Only
    another run can show whether that is a change or a disturbance."""
    tests: list[tuple[int, _Test]] = []
    for number, (series, own) in enumerate(zip(histories, steps, strict=True)):
        first = own[-1].at if own else 0
        if len(series) - 1 - first >= KNOWN_MIN:
            tests.append((number, _Test.of(_Sums(series), first, len(series) - 1, len(series))))
    believed = benjamini_hochberg([test.p_value(threshold) for _, test in tests])
    found: list[Step | None] = [None] * len(histories)
    for (number, test), is_believed in zip(tests, believed, strict=True):
        if is_believed:
            found[number] = test.step()
    return found

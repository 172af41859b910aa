# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Intervals by resampling launches: the process launch is what is repeated, not the sample.

Formula: a statistic s is computed from R resamples of n launches; the percentile interval of its
         shifts is widened by t / z with n-1 degrees of freedom, and, where the middle curve is a
         plain mean, by sqrt(n / (n-1)), which resamples of a mean spread too little. Those of a
         trimmed mean do not: what it leaves out may be drawn twice.
Assumptions: launches are independent and alike; the statistic is nearly linear in their curves.
Source:  Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft_lab.models.arrays import Floats, ModelError, center, is_trimmed

LEVEL = 0.95
RESAMPLES = 400
LAUNCHES_MIN = 2


@dataclass(frozen=True)
class Estimate:
    """A value and its interval, which is None with fewer than two launches."""

    value: float
    low: float | None
    high: float | None

    def holds(self, truth: float) -> bool:
        """Whether the interval contains `truth`; an unknown interval contains nothing."""
        return self.low is not None and self.high is not None and self.low <= truth <= self.high


def resampled(launches: Floats, seed: int, count: int = RESAMPLES) -> Floats:
    """`count` curves, each the centre of as many launches as there are, drawn with replacement.

    Shape: (count, sizes). The centre is that of `arrays.center`.
    """
    generator = np.random.default_rng(seed)
    drawn = generator.integers(0, len(launches), size=(count, len(launches)))
    return center(launches[drawn])


def interval(value: float, values: Floats, num_launches: int, level: float = LEVEL) -> Estimate:
    """The interval around `value` from the statistic's `values` on resamples.

    Shifts are taken of logarithms where everything is positive: scales such as times are then
    never bounded by a negative number.
    """
    if num_launches < LAUNCHES_MIN:
        return Estimate(value, None, None)
    tails = [0.5 * (1.0 - level), 0.5 * (1.0 + level)]
    widening = _widening(num_launches, level)
    if value > 0.0 and np.all(values > 0.0):
        low, high = np.quantile(np.log(values) - math.log(value), tails)
        bounds = [value * math.exp(widening * float(shift)) for shift in (low, high)]
    else:
        low, high = np.quantile(values - value, tails)
        bounds = [max(0.0, value + widening * float(shift)) for shift in (low, high)]
    return Estimate(value, min(bounds[0], value), max(bounds[1], value))


def bootstrap(
    launches: Floats,
    statistic: Callable[[Floats], float],
    seed: int = 0,
    level: float = LEVEL,
    count: int = RESAMPLES,
) -> Estimate:
    """`statistic` of the central curve with its interval.

    Uses `count` resamples; at least ten in each tail that `level` leaves. Errors: `ModelError`
    without a launch.
    """
    if len(launches) == 0:
        raise ModelError(
            what="no launch was given",
            why="there is nothing to estimate from",
            remedy="measure at least one",
        )
    value = statistic(center(launches))
    if len(launches) < LAUNCHES_MIN:
        return Estimate(value, None, None)
    values = np.array([statistic(curve) for curve in resampled(launches, seed, count)])
    return interval(value, values, len(launches), level)


def _widening(num_launches: int, level: float) -> float:
    from scipy import special

    functions: Any = special
    freedom = num_launches - 1
    upper = 0.5 * (1.0 + level)
    student, normal = functions.stdtrit(freedom, upper), functions.ndtri(upper)
    spread = 1.0 if is_trimmed(num_launches) else math.sqrt(num_launches / freedom)
    return spread * float(student / normal)

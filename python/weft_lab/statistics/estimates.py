# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lab's only statistics: medians, intervals, ratios, verdicts, the noise floor, multiple
comparisons."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Verdict = Literal["faster", "slower", "cannot tell"]
Launches = Sequence[Sequence[float]]

LEVEL = 0.95
RESAMPLES = 1000
RESAMPLES_QUICK = 400
RANKS = 1024  # the quantiles of the rank of a resample's median
THRESHOLD_MIN = 0.03
POWER = 0.8
NOISE_QUANTILE = 0.95
NOISE_PAIRS_MIN = 5


def median(values: Sequence[float]) -> float:
    """The middle value; the mean of the two middle ones when their number is even.

    Errors: `ValueError` when `values` is empty.
    """
    if not values:
        message = "median of nothing"
        raise ValueError(message)
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else 0.5 * (ordered[half - 1] + ordered[half])


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean (the statistic of protocol `paper`)."""
    return math.fsum(values) / len(values)


def quantile(values: Sequence[float], fraction: float) -> float:
    """The value below which `fraction` of the values lie, interpolated linearly between
    neighbours.
    """
    return _quantile_of_sorted(sorted(values), fraction)


def _quantile_of_sorted(ordered: Sequence[float] | Floats, fraction: float) -> float:
    position = fraction * (len(ordered) - 1)
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return float(ordered[below] + (position - below) * (ordered[above] - ordered[below]))


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean, for ratios: that of `x` and `1/x` is 1."""
    return math.exp(math.fsum(math.log(value) for value in values) / len(values))


@cache
def median_interval_ranks(count: int, level: float = LEVEL) -> tuple[int, int] | None:
    """Ranks (from 0) of the two order statistics between which the median lies with at least
    `level`.

    The number of values below the median is Binomial(count, 1/2), whatever the distribution is, so
    the interval [k, count-1-k] misses it with probability 2 * P(at most k values below).
    None when even the extremes do not reach `level`: at 0.95 that is fewer than 6 values.
    Source:  W. J. Conover, Practical Nonparametric Statistics, section 3.2.
    """
    miss_allowed = 1.0 - level
    tail = 0.0
    rank = -1
    log_share = -count * math.log(2.0)  # of P(exactly k); itself it is 0 for thousands of values
    for k in range(count // 2):
        tail += math.exp(log_share)
        if 2.0 * tail > miss_allowed:
            break
        rank = k
        log_share += math.log((count - k) / (k + 1))
    return None if rank < 0 else (rank, count - 1 - rank)


def median_interval(values: Sequence[float], level: float = LEVEL) -> tuple[float, float] | None:
    """The order-statistic confidence interval of the median; None when there are too few values."""
    ranks = median_interval_ranks(len(values), level)
    if ranks is None:
        return None
    ordered = sorted(values)
    return ordered[ranks[0]], ordered[ranks[1]]


@dataclass(frozen=True)
class RatioEstimate:
    """A ratio `b / a` of two times.

    `low` and `high` are None with fewer than two launches on either side: one process says nothing
    about the next. `p_value(threshold)` tests that the ratio is within the threshold.
    """

    value: float
    low: float | None
    high: float | None
    log_error: float | None
    freedom: float

    def p_value(self, threshold: float) -> float:
        """The p value of so large a change if the truth lies within 1/(1+t) .. 1+t."""
        if self.log_error is None:
            return 1.0
        excess = abs(math.log(self.value)) - math.log1p(threshold)
        if excess <= 0.0:
            return 1.0
        if self.log_error == 0.0:
            return 0.0
        return 2.0 * student_tail(excess / self.log_error, self.freedom)

    def detectable(self, threshold: float, noise: float = 1.0) -> float | None:
        """The smallest change that is detected as larger than `threshold` in four of five runs.

        For this number of launches with this spread; None if the spread is unknown. `noise`: the
        factor that the interval is widened by.
        """
        if self.low is None or self.high is None:
            return None
        half = 0.5 * math.log(self.high / self.low)
        told, found = (student_quantile(p, self.freedom) for p in (0.5 + 0.5 * LEVEL, POWER))
        return (1.0 + threshold) * noise * math.exp(half * (1.0 + found / told)) - 1.0

    def p_value_below(self, bound: float) -> float:
        """The p value of so small a ratio if the truth is `bound` or more."""
        if self.log_error is None:
            return 1.0
        distance = math.log(bound) - math.log(self.value)
        if self.log_error == 0.0:
            return 0.0 if distance > 0.0 else 1.0
        return student_tail(distance / self.log_error, self.freedom)


def bootstrap_ratio(a: Launches, b: Launches, seed: int = 0, level: float = LEVEL) -> RatioEstimate:
    """The ratio of the medians of launch medians, `b / a`, with a hierarchical bootstrap interval.

    Launches are drawn first, then samples within them. The median of a resample of n sorted values
    is the one at the rank given by a Beta((n+1)/2, (n+1)/2) variable. A draw costs one number: one
    of 1024 quantiles of that variable.
    The percentile interval of few launches is too narrow. So each side's spread is widened by
    sqrt(n/(n-1)), and the whole by t / z with Welch's degrees of freedom. With normal launch
    medians, the result is Welch's t interval. Its coverage is measured in
    tests/python/statistics/test_statistics.py.
    Errors:  `ValueError` when a side has no sample or a time is not positive.
    Source:  T. Hesterberg, What Teachers Should Know About the Bootstrap, 2015, section 4;
             B. L. Welch, Biometrika 34 (1947) 28-35.
    """
    import numpy as np

    if min(len(a), len(b)) < 2:
        return RatioEstimate(_launch_centre(b) / _launch_centre(a), None, None, None, 0.0)
    generator = np.random.default_rng(seed)
    side_b, side_a = (Resampled.of(side, generator) for side in (b, a))
    return side_b.over(side_a, level)


@dataclass(frozen=True)
class Resampled:
    """Launches and their bootstrap, which is computed once for many ratios."""

    centre: float
    num_launches: int
    shifts: Floats
    variance: float

    @classmethod
    def of(cls, launches: Launches, generator: np.random.Generator) -> Resampled:
        """The bootstrap of at least two launches."""
        shifts = _log_shifts(launches, generator)
        return cls(_launch_centre(launches), len(launches), shifts, _variance(shifts))

    @classmethod
    def exact(cls, centre: float, num_launches: int) -> Resampled:
        """A known value, as if that many launches had agreed on it."""
        import numpy as np

        return cls(centre, num_launches, np.zeros(1), 0.0)

    @classmethod
    def of_medians(cls, medians_s: Sequence[float], generator: np.random.Generator) -> Resampled:
        """A simpler bootstrap, if the samples differ far less than the launches: a tenth of the
        work."""
        import numpy as np

        count = len(medians_s)
        drawn = generator.integers(0, count, size=(RESAMPLES_QUICK, count))
        centre = median(medians_s)
        logs = np.log(_row_medians(np.asarray(medians_s)[drawn])) - math.log(centre)
        shifts: Floats = math.sqrt(count / (count - 1)) * logs
        return cls(centre, count, shifts, _variance(shifts))

    def over(self, other: Resampled, level: float = LEVEL) -> RatioEstimate:
        """The ratio of the two times, computed as in `bootstrap_ratio`."""
        import numpy as np

        estimate = self.centre / other.centre
        freedom = _welch_freedom(
            (other.variance, other.num_launches - 1), (self.variance, self.num_launches - 1)
        )
        shifts = self.shifts - other.shifts
        ordered = np.sort(shifts)
        tails = (0.5 * (1.0 - level), 0.5 * (1.0 + level))
        low, high = (_quantile_of_sorted(ordered, tail) for tail in tails)
        widening = _t_over_z(freedom, level)
        centre = math.log(estimate)
        return RatioEstimate(
            estimate,
            math.exp(centre + widening * min(low, 0.0)),
            math.exp(centre + widening * max(high, 0.0)),
            math.sqrt(_variance(shifts)),
            freedom,
        )


def bootstrap_centre(
    launches: Launches, seed: int = 0, level: float = LEVEL
) -> tuple[float, float] | None:
    """The interval of the median of launch medians by the same bootstrap; None for fewer than two
    launches.
    """
    import numpy as np

    if len(launches) < 2:
        return None
    resampled = Resampled.of(launches, np.random.default_rng(seed))
    estimate = resampled.over(Resampled.exact(1.0, len(launches)), level)
    return None if estimate.low is None or estimate.high is None else (estimate.low, estimate.high)


def verdict(low: float | None, high: float | None, threshold: float) -> Verdict:
    """Whether `b` is faster or slower than `a` by more than the practical threshold, given b/a's
    interval.
    """
    if low is not None and low > 1.0 + threshold:
        return "slower"
    if high is not None and high < 1.0 / (1.0 + threshold):
        return "faster"
    return "cannot tell"


def noise_floor(ratios: Sequence[float]) -> float | None:
    """The relative difference that 95 % of A/A pairs stay below; None with fewer than 5 pairs.

    `ratios`: time of one program over the time of the same program, measured as if they were two.
    """
    if len(ratios) < NOISE_PAIRS_MIN:
        return None
    return math.expm1(quantile([abs(math.log(ratio)) for ratio in ratios], NOISE_QUANTILE))


def practical_threshold(*noise_floors: float | None) -> float:
    """The smallest change worth a verdict: 3 %, or the largest known noise floor if more."""
    return max(THRESHOLD_MIN, *(floor for floor in noise_floors if floor is not None), 0.0)


def benjamini_hochberg(p_values: Sequence[float], rate: float = 1.0 - LEVEL) -> list[bool]:
    """Which of many findings to accept so that at most `rate` of the accepted ones are false.

    Source:  Y. Benjamini and Y. Hochberg, J. R. Statist. Soc. B 57 (1995) 289-300.
    """
    count = len(p_values)
    order = sorted(range(count), key=lambda index: p_values[index])
    believed = 0
    for rank, index in enumerate(order, start=1):
        if p_values[index] <= rate * rank / count:
            believed = rank
    keep = set(order[:believed])
    return [index in keep for index in range(count)]


def _launch_centre(launches: Launches) -> float:
    return median([median(samples) for samples in launches])


def _resampled_centres(launches: Launches, generator: np.random.Generator) -> Floats:
    """One number draws a launch and the rank of its resample's median."""
    import numpy as np

    medians = np.concatenate(
        [np.sort(np.asarray(each, np.float64))[_median_ranks(len(each))] for each in launches]
    )
    drawn = generator.integers(0, medians.size, size=(RESAMPLES, len(launches)))
    return _row_medians(medians[drawn])


@cache
def _median_ranks(count: int) -> NDArray[np.int64]:
    """Equally likely ranks (from 0) of the median of a resample of `count` sorted values."""
    import numpy as np
    from scipy import special

    functions: Any = special
    half = 0.5 * (count + 1)
    places = functions.betaincinv(half, half, (np.arange(RANKS) + 0.5) / RANKS)
    ranks: NDArray[np.int64] = (places * count).astype(np.int64)
    return ranks


def _row_medians(values: Floats) -> Floats:
    """The median of each row; sorting short rows is faster than `numpy.median`."""
    import numpy as np

    ordered = np.sort(values, axis=1)
    half = values.shape[1] // 2
    medians: Floats = ordered[:, half]
    if values.shape[1] % 2 == 0:
        medians = 0.5 * (ordered[:, half - 1] + medians)
    return medians


def _variance(values: Floats) -> float:
    """As `numpy.var`, without its checks, which take longer for a thousand values."""
    deviations = values - values.sum() / values.size
    return float((deviations * deviations).sum()) / values.size


def _log_shifts(launches: Launches, generator: np.random.Generator) -> Floats:
    """The distances of the logarithms of resampled centres from the centre, widened for few
    launches."""
    import numpy as np

    widening = math.sqrt(len(launches) / (len(launches) - 1))
    logs = np.log(_resampled_centres(launches, generator)) - math.log(_launch_centre(launches))
    shifts: Floats = widening * logs
    return shifts


def _welch_freedom(*sides: tuple[float, int]) -> float:
    """Degrees of freedom of a difference whose two sides have these variances and degrees of
    freedom."""
    total = sum(variance for variance, _ in sides)
    if total == 0.0:
        return float(sum(freedom for _, freedom in sides))
    return total**2 / sum(variance**2 / freedom for variance, freedom in sides)


def _t_over_z(freedom: float, level: float) -> float:
    from scipy import special

    functions: Any = special
    probability = 0.5 * (1.0 + level)
    return student_quantile(probability, freedom) / float(functions.ndtri(probability))


def student_quantile(probability: float, freedom: float) -> float:
    from scipy import special

    functions: Any = special
    return float(functions.stdtrit(freedom, probability))


def student_tail(value: float, freedom: float) -> float:
    from scipy import special

    functions: Any = special
    return float(functions.stdtr(freedom, -value))

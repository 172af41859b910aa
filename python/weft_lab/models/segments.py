# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several lines through a ping-pong: one per protocol or level of memory, breaks found.

Formula: T(N) = a_k + b_k N for N in regime k, a_k, b_k >= 0, jumps allowed; minimises the sum of
         relative errors squared exactly over all breaks, by dynamic programming; the number of
         regimes K minimises BIC = n ln(RSS / n) + 3 K ln n, a further one only for a BIC less by 2.
Units:   bytes, seconds.
Assumptions: a regime has at least 3 sizes, so breaks closer than that are not seen; a break lies
         somewhere between the two sizes around it.
Source:  Bellman, On the approximation of curves by line segments using dynamic programming, 1961;
         Schwarz, Estimating the dimension of a model, 1978.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from weft_lab.models.arrays import Floats, ModelError, Numbers, center, curves
from weft_lab.models.latency_bandwidth import Line
from weft_lab.models.launches import Estimate, interval, resampled

POINTS_MIN = 3
REGIMES_MAX = 5
BIC_GAIN_MIN = 2.0
SHOWN_FRACTION = 0.8
RESIDUAL_FLOOR = 1e-12
Starts = tuple[int, ...]


@dataclass(frozen=True)
class Break:
    """Between `below_bytes` and `above_bytes` the regime changes.

    `selected`: in how many of the resamples one is found there, give or take one size.
    """

    below_bytes: float
    above_bytes: float
    selected: float

    @property
    def is_shown(self) -> bool:
        """Whether it is sure enough to be drawn: found in at least 80 % of the resamples."""
        return self.selected >= SHOWN_FRACTION


@dataclass(frozen=True)
class Regime:
    """One line with intervals, and the sizes it is for. Units: bytes, seconds, seconds/byte."""

    first_bytes: float
    last_bytes: float
    latency: Estimate
    s_per_byte: Estimate

    @property
    def line(self) -> Line:
        return Line(self.latency.value, self.s_per_byte.value)


@dataclass(frozen=True)
class Segmented:
    """The whole model; `rms_relative_error` is of the middle curve."""

    regimes: tuple[Regime, ...]
    breaks: tuple[Break, ...]
    rms_relative_error: float
    bic: float

    def time_s(self, size_bytes: float) -> float:
        """The predicted time; sizes between two regimes belong to the lower one."""
        for regime in self.regimes:
            if size_bytes < regime.first_bytes:
                break
            found = regime
        else:
            found = self.regimes[-1]
        if size_bytes < self.regimes[0].first_bytes:
            found = self.regimes[0]
        return float(found.line.time_s([size_bytes])[0])


def segmented(
    sizes_bytes: Numbers, launches: Sequence[Sequence[float]] | Floats, seed: int = 0
) -> Segmented:
    """Fits the middle of the launches, and resamples them for intervals and for the breaks.

    Shape: `sizes_bytes` ascending; one row of times per launch. Errors: `ModelError`.
    """
    sizes = np.asarray(sizes_bytes, dtype=np.float64)
    if sizes.size < POINTS_MIN or np.any(np.diff(sizes) <= 0.0) or sizes[0] < 0.0:
        raise ModelError(
            what="regimes cannot be told apart",
            why=f"at least {POINTS_MIN} different sizes in ascending order are needed",
            remedy="measure more sizes; three per octave are a good number",
        )
    rows = curves(launches, sizes.size)
    middle = _Search(sizes, center(rows)[np.newaxis])
    num_regimes = int(middle.num_regimes()[0])
    starts = middle.starts(num_regimes)[0]
    again = _Search(sizes, resampled(rows, seed)) if len(rows) > 1 else middle
    estimates = _estimates(middle, again, starts, len(rows))
    found = again.starts_each()
    ends = (*starts[1:], sizes.size)
    return Segmented(
        tuple(
            Regime(float(sizes[first]), float(sizes[end - 1]), *estimate)
            for first, end, estimate in zip(starts, ends, estimates, strict=True)
        ),
        tuple(
            Break(float(sizes[start - 1]), float(sizes[start]), _share(found, start))
            for start in starts[1:]
        ),
        float(np.sqrt(middle.total(num_regimes)[0] / sizes.size)),
        float(middle.bic()[0, num_regimes - 1]),
    )


def _share(found: Sequence[Starts], start: int) -> float:
    near = [any(abs(other - start) <= 1 for other in starts[1:]) for starts in found]
    return float(np.mean(near))


def _estimates(
    middle: _Search, again: _Search, starts: Starts, num_launches: int
) -> list[tuple[Estimate, Estimate]]:
    """Latency and time per byte of each regime; resamples place the same number of breaks anew."""
    own = middle.lines([starts])
    others = again.lines(again.starts(len(starts)))
    return [
        (
            interval(float(own[0, k, 0]), others[:, k, 0], num_launches),
            interval(float(own[0, k, 1]), others[:, k, 1], num_launches),
        )
        for k in range(len(starts))
    ]


class _Search:
    """Best lines of all segments of several curves over the same sizes.

    Shape: `times_s` (curves, sizes). Cost: O(curves sizes^2 regimes) in vectorised steps.
    """

    def __init__(self, sizes: Floats, times_s: Floats) -> None:
        self._scale = float(sizes[-1])
        self._sizes = sizes / self._scale
        self._num = sizes.size
        shape = (len(times_s), self._num, self._num)
        self._rss = np.full(shape, np.inf)
        self._latency = np.zeros(shape)
        self._slope = np.zeros(shape)
        for first in range(self._num - POINTS_MIN + 1):
            self._fit_from(first, times_s[:, first:])
        self._last: list[NDArray[np.int64]] = []
        self._costs = self._search()

    def num_regimes(self) -> NDArray[np.int64]:
        """How many each curve has by BIC."""
        bic = self.bic()
        chosen = np.zeros(len(bic), dtype=np.int64)
        rows = np.arange(len(bic))
        for k in range(1, bic.shape[1]):
            chosen = np.where(bic[:, k] < bic[rows, chosen] - BIC_GAIN_MIN, k, chosen)
        return chosen + 1

    def bic(self) -> Floats:
        """Shape: (curves, numbers of regimes)."""
        totals = np.stack([cost[:, -1] for cost in self._costs], axis=1)
        residual = np.maximum(totals / self._num, RESIDUAL_FLOOR)
        regimes = np.arange(1, totals.shape[1] + 1)
        values: Floats = self._num * np.log(residual) + 3.0 * regimes * np.log(self._num)
        return values

    def total(self, num_regimes: int) -> Floats:
        """The sum of squared relative errors of each curve."""
        return self._costs[num_regimes - 1][:, -1]

    def starts(self, num_regimes: int) -> list[Starts]:
        """The first index of every regime, of each curve."""
        return [self._trace(row, num_regimes) for row in range(len(self._rss))]

    def starts_each(self) -> list[Starts]:
        """As `starts`, every curve with the number of regimes that it has by itself."""
        return [self._trace(row, int(k)) for row, k in enumerate(self.num_regimes())]

    def lines(self, starts: Sequence[Starts]) -> Floats:
        """Shape: (curves, regimes, 2): latency in s, time per byte in s."""
        first = np.array(starts)
        ends = np.column_stack([first[:, 1:], np.full(len(first), self._num)]) - 1
        rows = np.arange(len(first))[:, np.newaxis]
        latency, slope = self._latency[rows, first, ends], self._slope[rows, first, ends]
        pairs: Floats = np.stack([latency, slope / self._scale], axis=2)
        return pairs

    def _trace(self, row: int, num_regimes: int) -> Starts:
        end, starts = self._num - 1, [0] * num_regimes
        for k in range(num_regimes - 1, 0, -1):
            starts[k] = int(self._last[k][row, end])
            end = starts[k] - 1
        return tuple(starts)

    def _fit_from(self, first: int, times: Floats) -> None:
        """All segments that begin at one size: non-negative relative least squares in closed form.

        With weights 1/t^2 the sums of t and of t^2 become those of 1/t and of 1.
        """
        n, inverse = self._sizes[first:], 1.0 / times
        s0, s1, s2 = (np.cumsum(n**power * inverse**2, axis=1) for power in (0, 1, 2))
        r0, r1 = np.cumsum(inverse, axis=1), np.cumsum(n * inverse, axis=1)
        count = np.arange(1, n.size + 1, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            determinant = s0 * s2 - s1 * s1
            latency = (r0 * s2 - r1 * s1) / determinant
            slope = (r1 * s0 - r0 * s1) / determinant
            flat, through = r0 / s0, np.where(s2 > 0.0, r1 / s2, 0.0)
        is_flat = ~(slope >= 0.0)
        is_through = ~is_flat & (latency < 0.0)
        latency = np.where(is_flat, flat, np.where(is_through, 0.0, latency))
        slope = np.where(is_flat, 0.0, np.where(is_through, through, slope))
        # At the optimum, also on the border, the gradient's part along the solution vanishes.
        rss = np.maximum(count - latency * r0 - slope * r1, 0.0)
        rss[:, : POINTS_MIN - 1] = np.inf
        self._rss[:, first, first:] = rss
        self._latency[:, first, first:] = latency
        self._slope[:, first, first:] = slope

    def _search(self) -> list[Floats]:
        costs: list[Floats] = [self._rss[:, 0, :]]
        self._last = [np.zeros(costs[0].shape, dtype=np.int64)]
        for k in range(1, min(REGIMES_MAX, self._num // POINTS_MIN)):
            before = np.full(costs[0].shape, np.inf)
            before[:, 1:] = costs[k - 1][:, :-1]
            every = before[:, :, np.newaxis] + self._rss
            self._last.append(np.argmin(every, axis=1))
            costs.append(np.min(every, axis=1))
        return costs

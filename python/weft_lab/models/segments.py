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
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class Break:
    """The regime changes between `below_bytes` and `above_bytes`.

    `selected`: the fraction of the resamples with a break there, within one size.
    """

    below_bytes: float
    above_bytes: float
    selected: float

    @property
    def is_shown(self) -> bool:
        """Whether it is certain enough to be drawn: found in at least 80 % of the resamples."""
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
    """The whole model; `rms_relative_error` is that of the central curve."""

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
    """Fits the centre of the launches, and resamples them for intervals and for the breaks.

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
    starts = tuple(middle.starts(num_regimes)[0].tolist())
    again = _Search(sizes, resampled(rows, seed)) if len(rows) > 1 else middle
    estimates = _estimates(middle, again, num_regimes, len(rows))
    ends = (*starts[1:], sizes.size)
    return Segmented(
        tuple(
            Regime(float(sizes[first]), float(sizes[end - 1]), *estimate)
            for first, end, estimate in zip(starts, ends, estimates, strict=True)
        ),
        tuple(
            Break(float(sizes[start - 1]), float(sizes[start]), again.share_with_break(start))
            for start in starts[1:]
        ),
        float(np.sqrt(middle.total(num_regimes)[0] / sizes.size)),
        float(middle.bic()[0, num_regimes - 1]),
    )


def _estimates(
    middle: _Search, again: _Search, num_regimes: int, num_launches: int
) -> list[tuple[Estimate, Estimate]]:
    """Latency and time per byte of each regime; each resample places the same number of breaks
    itself."""
    own = middle.lines(num_regimes)[0]
    others = again.lines(num_regimes)
    return [
        (
            interval(float(own[k, 0]), others[:, k, 0], num_launches),
            interval(float(own[k, 1]), others[:, k, 1], num_launches),
        )
        for k in range(num_regimes)
    ]


class _Search:
    """Best lines of all segments of several curves over the same sizes.

    Shape: `times_s` (curves, sizes); stored transposed, so that every step is one operation on
           adjacent numbers of all curves.
    Cost:  O(curves sizes^2 regimes).
    """

    def __init__(self, sizes: Floats, times_s: Floats) -> None:
        self._scale = float(sizes[-1])
        self._sizes = sizes / self._scale
        self._num = sizes.size
        # With weights 1/t^2 the sums of t and of t^2 become those of 1/t and of 1.
        inverse = np.ascontiguousarray(1.0 / times_s.T)
        n = self._sizes[:, np.newaxis]
        self._terms = np.stack(
            [inverse**2, n * inverse**2, n**2 * inverse**2, inverse, n * inverse], axis=1
        )
        self._costs, self._last = self._search(min(REGIMES_MAX, max(1, self._num // POINTS_MIN)))

    def num_regimes(self) -> Indices:
        """The number of regimes of each curve by BIC."""
        bic = self.bic()
        chosen = np.zeros(len(bic), dtype=np.int64)
        rows = np.arange(len(bic))
        for k in range(1, bic.shape[1]):
            chosen = np.where(bic[:, k] < bic[rows, chosen] - BIC_GAIN_MIN, k, chosen)
        return chosen + 1

    def bic(self) -> Floats:
        """Shape: (curves, numbers of regimes)."""
        residual = np.maximum(self._costs[:, -1].T / self._num, RESIDUAL_FLOOR)
        regimes = np.arange(1, residual.shape[1] + 1)
        values: Floats = self._num * np.log(residual) + 3.0 * regimes * np.log(self._num)
        return values

    def total(self, num_regimes: int) -> Floats:
        """The sum of squared relative errors of each curve."""
        totals: Floats = self._costs[num_regimes - 1, -1]
        return totals

    def starts(self, num_regimes: int) -> Indices:
        """The first index of every regime. Shape: (curves, regimes)."""
        curves_ = np.arange(self._terms.shape[2])
        found = np.zeros((curves_.size, num_regimes), dtype=np.int64)
        end = np.full(curves_.size, self._num - 1)
        for k in range(num_regimes - 1, 0, -1):
            found[:, k] = self._last[k, end, curves_]
            end = found[:, k] - 1
        return found

    def share_with_break(self, start: int) -> float:
        """The number of curves, each with its own number of regimes, in which one begins there,
        within one size."""
        own = self.num_regimes()
        near = np.zeros(own.size, dtype=bool)
        for k in range(2, len(self._costs) + 1):
            breaks = self.starts(k)[:, 1:]
            near |= (own == k) & np.any(np.abs(breaks - start) <= 1, axis=1)
        return float(np.mean(near))

    def lines(self, num_regimes: int) -> Floats:
        """Shape: (curves, regimes, 2): latency in s, time per byte in s."""
        starts = self.starts(num_regimes)
        index = np.arange(self._num)[:, np.newaxis]
        pairs = np.empty((*starts.shape, 2))
        for k in range(num_regimes):
            end = starts[:, k + 1] if k + 1 < num_regimes else self._num
            inside = (index >= starts[:, k]) & (index < end)
            sums = np.sum(self._terms * inside[:, np.newaxis], axis=0)
            latency, slope = _non_negative(sums)
            pairs[:, k, 0], pairs[:, k, 1] = latency, slope / self._scale
        return pairs

    def _search(self, regimes_max: int) -> tuple[Floats, Indices]:
        """The least sum of squared errors up to each size by number of regimes, and the begin of
        the last one.

        Shape: (regimes, sizes, curves).
        """
        shape = (regimes_max, self._num, self._terms.shape[2])
        costs, last = np.full(shape, np.inf), np.zeros(shape, dtype=np.int64)
        # Of all segments that end at one size: sums from each first size on.
        sums = np.zeros((5, self._num, shape[2]))
        for end in range(self._num):
            sums[:, : end + 1] += self._terms[end][:, np.newaxis]
            num_firsts = end + 2 - POINTS_MIN
            if num_firsts < 1:
                continue
            count = np.arange(end + 1, POINTS_MIN - 1, -1, dtype=np.float64)[:, np.newaxis]
            rss = _residual(sums[:, :num_firsts], count)
            costs[0, end] = rss[0]
            for k in range(1, min(regimes_max, num_firsts)):
                every = costs[k - 1, : num_firsts - 1] + rss[1:]
                best = np.argmin(every, axis=0)
                last[k, end] = best + 1
                costs[k, end] = np.take_along_axis(every, best[np.newaxis], axis=0)[0]
        return costs, last


def _non_negative(sums: Floats) -> tuple[Floats, Floats]:
    """Latency and slope of relative least squares with neither below zero, in closed form.

    Shape: `sums` (5, ...): of 1/t^2, n/t^2, n^2/t^2, 1/t, n/t.
    """
    s0, s1, s2, r0, r1 = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        determinant = s0 * s2 - s1 * s1
        latency = (r0 * s2 - r1 * s1) / determinant
        slope = (r1 * s0 - r0 * s1) / determinant
        is_flat = ~(slope >= 0.0)
        is_through = ~is_flat & (latency < 0.0)
        if is_flat.any() or is_through.any():
            latency = np.where(is_flat, r0 / s0, np.where(is_through, 0.0, latency))
            slope = np.where(is_flat, 0.0, np.where(is_through, r1 / s2, slope))
    return latency, slope


def _residual(sums: Floats, count: Floats) -> Floats:
    """Sum of squared relative errors: at the optimum, also on the border, the gradient's part along
    the solution vanishes.
    """
    latency, slope = _non_negative(sums)
    rss: Floats = np.maximum(count - latency * sums[3] - slope * sums[4], 0.0)
    return rss

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One line through a ping-pong: time = latency + size / bandwidth, fitted four ways.

Formula: T(N) = T_l + N / B, so B_eff(N) = N / T(N) and B_eff(T_l B) = B / 2.
Units:   sizes in bytes, times in seconds of one direction (half the round trip), B in bytes/s.
Assumptions: one protocol and one level of the memory hierarchy for all sizes, which no real
         network has; `max_relative_error` tells how wrong that is, `segments` does without.
Source:  Celoria, FHPC assignment report 2021/22, Equations 10-13; Hager and Wellein,
         Introduction to High Performance Computing for Scientists and Engineers, 4.5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from weft_lab.models.arrays import Floats, ModelError, Numbers, positive, same_length

Method = Literal["ordinary", "extrapolated", "relative", "robust"]
METHODS: tuple[Method, ...] = ("ordinary", "extrapolated", "relative", "robust")
REPORT_METHODS: tuple[Method, ...] = METHODS[:2]
# The report's ranges of sizes, which it averages for the latency and for the bandwidth.
LATENCY_BYTES = (1.0, 4.0)
BANDWIDTH_BYTES = (33_554_432.0, 268_435_456.0)
ONE_LINE_MAX_ERROR = 0.25
SOFT_SCALE = 0.1


@dataclass(frozen=True)
class Line:
    """Units: `latency_s` seconds, `s_per_byte` seconds per byte."""

    latency_s: float
    s_per_byte: float

    @property
    def bandwidth_bytes_per_s(self) -> float | None:
        """None if the fitted time does not grow with the size."""
        return 1.0 / self.s_per_byte if self.s_per_byte > 0.0 else None

    @property
    def half_bandwidth_bytes(self) -> float | None:
        """The size at which half of the bandwidth is reached; None if there is none."""
        if self.s_per_byte <= 0.0 or self.latency_s < 0.0:
            return None
        return self.latency_s / self.s_per_byte

    def time_s(self, sizes_bytes: Numbers) -> Floats:
        """Predicted times of one direction."""
        times: Floats = self.latency_s + self.s_per_byte * np.asarray(sizes_bytes, dtype=np.float64)
        return times

    def max_relative_error(self, sizes_bytes: Numbers, times_s: Numbers) -> float:
        """The largest |predicted / measured - 1|."""
        times = np.asarray(times_s, dtype=np.float64)
        return float(np.max(np.abs(self.time_s(sizes_bytes) / times - 1.0)))

    def is_good_model(self, sizes_bytes: Numbers, times_s: Numbers) -> bool:
        """Whether one line describes the points: its error is nowhere above 25 %."""
        return self.max_relative_error(sizes_bytes, times_s) <= ONE_LINE_MAX_ERROR


def fit(method: Method, sizes_bytes: Numbers, times_s: Numbers) -> Line:
    """The line by one of `METHODS`. Errors: `ModelError`."""
    ways = {
        "ordinary": ordinary,
        "extrapolated": extrapolated,
        "relative": relative,
        "robust": robust,
    }
    return ways[method](sizes_bytes, times_s)


def ordinary(sizes_bytes: Numbers, times_s: Numbers) -> Line:
    """Least squares of absolute errors, the report's first fit, kept for comparison.

    Formula: minimises sum (T_l + N/B - t)^2, as numpy.polynomial.polynomial.polyfit of degree 1.
    Assumptions: every point has the same absolute error. Over eight decades of sizes the largest
             messages decide alone, and the latency may come out negative: it is then no latency.
    Source:  the report, section II.C, method 1 (`*_fit.csv`).
    """
    sizes, times = _points(sizes_bytes, times_s)
    offset, slope = np.polynomial.polynomial.polyfit(sizes, times, 1)
    return Line(float(offset), float(slope))


def extrapolated(sizes_bytes: Numbers, times_s: Numbers) -> Line:
    """The two ends alone, the report's second fit, kept for comparison.

    Formula: T_l = mean t over 1 .. 4 B; B = mean N/t over 32 .. 256 MiB.
    Assumptions: the ends are in the limits of Equation 13; nothing between them is looked at.
    Errors:  `ModelError` without a point in one of the two ranges.
    Source:  the report, section II.C, method 2 (`*_extra.csv`).
    """
    sizes, times = _points(sizes_bytes, times_s)
    is_small = (sizes >= LATENCY_BYTES[0]) & (sizes <= LATENCY_BYTES[1])
    is_large = (sizes >= BANDWIDTH_BYTES[0]) & (sizes <= BANDWIDTH_BYTES[1])
    if not is_small.any() or not is_large.any():
        raise ModelError(
            what="the report's extrapolation needs the sizes it averages",
            why=f"there are {int(is_small.sum())} points in 1 .. 4 B and {int(is_large.sum())} in "
            "32 .. 256 MiB",
            remedy="measure both ends, or fit with 'relative'",
        )
    bandwidth = float(np.mean(sizes[is_large] / times[is_large]))
    return Line(float(np.mean(times[is_small])), 1.0 / bandwidth)


def relative(sizes_bytes: Numbers, times_s: Numbers) -> Line:
    """Non-negative least squares of relative errors.

    Formula: minimises sum ((T_l + N/B) / t - 1)^2 subject to T_l, 1/B >= 0.
    Assumptions: every point has the same relative error, as repeated measurements show.
    Source:  Lawson and Hanson, Solving Least Squares Problems, chapter 23.
    """
    from scipy import optimize

    sizes, times = _points(sizes_bytes, times_s)
    scale = float(sizes.max())
    solve: Any = optimize.nnls
    solution, _ = solve(np.column_stack([1.0 / times, sizes / scale / times]), np.ones_like(times))
    return Line(float(solution[0]), float(solution[1]) / scale)


def robust(sizes_bytes: Numbers, times_s: Numbers) -> Line:
    """Least absolute-like errors of logarithms, so that few odd points hardly matter.

    Formula: minimises sum rho(ln(e^a + N e^b) - ln t), rho(r) = 2 s^2 (sqrt(1 + (r/s)^2) - 1),
             s = 0.1; T_l = e^a and 1/B = e^b are positive by construction.
    Assumptions: errors are factors; more than half of the points follow the line.
    Source:  scipy.optimize.least_squares, loss "soft_l1"; Huber, Robust Statistics, 1981.
    """
    from scipy import optimize

    sizes, times = _points(sizes_bytes, times_s)
    guess = relative(sizes, times)
    floor_s = 1e-6 * float(times.min())
    start = [
        np.log(max(guess.latency_s, floor_s)),
        np.log(max(guess.s_per_byte, floor_s / float(sizes.max()))),
    ]

    def errors(logs: Floats) -> Floats:
        values: Floats = np.log(np.exp(logs[0]) + sizes * np.exp(logs[1])) - np.log(times)
        return values

    solve: Any = optimize.least_squares
    found = solve(errors, start, loss="soft_l1", f_scale=SOFT_SCALE)
    return Line(float(np.exp(found.x[0])), float(np.exp(found.x[1])))


def _points(sizes_bytes: Numbers, times_s: Numbers) -> tuple[Floats, Floats]:
    sizes = np.asarray(sizes_bytes, dtype=np.float64)
    times = positive("times", times_s)
    same_length(sizes, times, 2)
    if np.any(sizes < 0.0) or sizes.min() == sizes.max():
        raise ModelError(
            what="a line through messages of one size is not defined",
            why=f"sizes go from {sizes.min():g} to {sizes.max():g} bytes",
            remedy="measure several sizes",
        )
    return sizes, times

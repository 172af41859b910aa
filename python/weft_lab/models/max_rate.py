# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several pairs of ranks over one link: each is limited by itself and all by the link.

Formula: T(k, N) = a + k N / min(R_N, k R_C), for k pairs that send N bytes each at once.
Units:   a seconds, N bytes, R_C bytes/s of one pair, R_N bytes/s of the link.
Assumptions: messages are beyond the eager limit and all pairs are alike; where the link never
         saturates, R_N is unknown, not infinite.
Source:  Gropp, Olson, Samfass, Modeling MPI Communication Performance on SMP Nodes, EuroMPI 2016,
         doi 10.1145/2966884.2966919.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weft_lab.models.arrays import Floats, ModelError, Numbers, positive, same_length

SATURATED_FRACTION = 0.95


@dataclass(frozen=True)
class MaxRate:
    """`link_bytes_per_s` is None if even the most measured pairs did not saturate the link."""

    latency_s: float
    pair_bytes_per_s: float
    link_bytes_per_s: float | None

    def time_s(self, num_pairs: Numbers, sizes_bytes: Numbers) -> Floats:
        """Predicted times until all pairs are done."""
        pairs = np.asarray(num_pairs, dtype=np.float64)
        rate = pairs * self.pair_bytes_per_s
        if self.link_bytes_per_s is not None:
            rate = np.minimum(rate, self.link_bytes_per_s)
        times: Floats = self.latency_s + pairs * np.asarray(sizes_bytes, dtype=np.float64) / rate
        return times

    def slower_by(self, factor: float) -> MaxRate:
        """The link on which each message takes that many times as long."""
        link = self.link_bytes_per_s
        shared = None if link is None else link / factor
        return MaxRate(self.latency_s * factor, self.pair_bytes_per_s / factor, shared)


def max_rate(num_pairs: Numbers, sizes_bytes: Numbers, times_s: Numbers) -> MaxRate:
    """Least squares of logarithms, in the logarithms of the three parameters.

    Errors:  `ModelError` unless there are times of one pair, of several, and four points in all.
    """
    from scipy import optimize

    pairs, sizes = positive("numbers of pairs", num_pairs), positive("sizes", sizes_bytes)
    times = positive("times", times_s)
    same_length(pairs, times, 4)
    same_length(sizes, times, 4)
    if pairs.min() > 1 or pairs.max() == 1:
        raise ModelError(
            what="the rate of a link cannot be separated from that of a pair",
            why=f"pairs go from {pairs.min():g} to {pairs.max():g}",
            remedy="measure one pair and several",
        )
    solve: Any = optimize.least_squares
    aggregate = pairs * sizes / times
    start = np.log(
        [
            max(float(times.min()) * 0.5, 1e-12),
            float(aggregate[pairs == 1].max()),
            float(aggregate.max()),
        ]
    )

    def errors(logs: Floats) -> Floats:
        latency, pair, link = np.exp(logs)
        modelled = latency + pairs * sizes / np.minimum(link, pairs * pair)
        values: Floats = np.log(modelled) - np.log(times)
        return values

    best = min(
        (solve(errors, start + shift) for shift in _starts()), key=lambda found: float(found.cost)
    )
    latency, pair, link = (float(value) for value in np.exp(best.x))
    is_saturated = link < SATURATED_FRACTION * float(pairs.max()) * pair
    return MaxRate(latency, pair, link if is_saturated else None)


def _starts() -> list[Floats]:
    """The minimum has a kink where the link saturates, so the search starts on both sides."""
    return [np.array([0.0, 0.0, shift]) for shift in (-0.5, 0.0, 0.5)]

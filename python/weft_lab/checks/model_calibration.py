# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the segmented fit recovers known parameters: coverage of intervals, places of breaks.

As a program, it makes 1,000 fits. It exits with 1 unless intervals of 95 % contain the truth in
92.5 to 97.5 % of them and breaks are within one size in 90 %.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft_lab.models.arrays import Floats
from weft_lab.models.segments import segmented

LATENCIES_S = (0.3e-6, 2e-6, 20e-6)
BANDWIDTHS = (4e9, 9e9, 5e9)
BREAKS_BYTES = (8192, 1 << 20)
NOISE = 0.05
LAUNCHES = 10
RUNS = 1000
COVERAGE = (0.925, 0.975)
BREAKS_FOUND = 0.9


@dataclass(frozen=True)
class Study:
    """Fractions of the runs: by regime for latency and time per byte, by break for its place."""

    runs: int
    latency: tuple[float, ...]
    s_per_byte: tuple[float, ...]
    breaks: tuple[float, ...]

    def is_calibrated(self) -> bool:
        """Whether every fraction is in its range."""
        low, high = COVERAGE
        covered = all(low <= share <= high for share in (*self.latency, *self.s_per_byte))
        return covered and min(self.breaks) >= BREAKS_FOUND

    def text(self) -> str:
        """One line per kind of parameter."""
        rows = (("latency", self.latency), ("time per byte", self.s_per_byte))
        lines = [f"{name}: truth in the interval {_percents(shares)}" for name, shares in rows]
        return "\n".join([*lines, f"breaks within one size: {_percents(self.breaks)}"])


def sizes_bytes() -> Floats:
    """Three per octave, 1 B to 106 MiB."""
    steps = {int(factor * 2**power) for power in range(27) for factor in (1, 1.26, 1.59)}
    return np.array(sorted(steps), dtype=np.float64)


def true_times_s(sizes: Floats) -> Floats:
    """The law without noise."""
    regime = np.searchsorted(BREAKS_BYTES, sizes, side="left")
    times: Floats = np.array(LATENCIES_S)[regime] + sizes / np.array(BANDWIDTHS)[regime]
    return times


def measured_s(sizes: Floats, seed: int) -> Floats:
    """Ten launches with factors of 5 %, drawn from `seed`."""
    generator = np.random.default_rng(seed)
    noise = np.exp(NOISE * generator.standard_normal((LAUNCHES, sizes.size)))
    times: Floats = true_times_s(sizes) * noise
    return times


def study(runs: int) -> Study:
    """Fits `runs` seeded data sets. A run that finds another number of regimes covers nothing."""
    sizes = sizes_bytes()
    latency, slope = np.zeros(3), np.zeros(3)
    breaks = np.zeros(2)
    for seed in range(runs):
        found = segmented(sizes, measured_s(sizes, seed), seed)
        # Regimes are matched by their middle, so that a needless break affects only the regime that
        # it cuts.
        for k, middle in enumerate((90.0, 90e3, 10e6)):
            own = next(r for r in reversed(found.regimes) if r.first_bytes <= middle)
            latency[k] += own.latency.holds(LATENCIES_S[k])
            slope[k] += own.s_per_byte.holds(1.0 / BANDWIDTHS[k])
        for number, true in enumerate(BREAKS_BYTES):
            index = int(np.searchsorted(sizes, true, side="right")) - 1
            places = [int(np.searchsorted(sizes, b.below_bytes)) for b in found.breaks]
            breaks[number] += any(abs(place - index) <= 1 for place in places)
    return Study(runs, *(tuple((share / runs).tolist()) for share in (latency, slope, breaks)))


def main(arguments: Sequence[str]) -> int:
    """Makes the study with as many runs as the first argument says, else 1,000."""
    done = study(int(arguments[0]) if arguments else RUNS)
    print(f"{done.runs} runs\n{done.text()}")
    return 0 if done.is_calibrated() else 1


def _percents(shares: Sequence[float]) -> str:
    return ", ".join(f"{100 * share:.1f} %" for share in shares)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

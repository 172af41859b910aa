# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often `weft history` finds a planted change, and how often one that does not exist.

As a program, it prints the table of docs/bench.md. Each history is one of 20 benchmarks, which are
corrected for together; only its first one changes.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from weft_lab.statistics.change_points import Point, Step, find_steps

THRESHOLD = 0.03
LAUNCHES = 20
LAUNCH_NOISE = 0.02  # standard deviation of the logarithm of a launch's time
# the same of a run's time: the variation of a machine from day to day
RUN_NOISES = (0.005, 0.01, 0.02)
CHANGES = (0.0, 0.05, 0.1, 0.2)
SHAPES = ((6, 3), (10, 5), (10, 8), (20, 10), (20, 18))  # runs, and the first changed run
BENCHMARKS = 20
HISTORIES = 100
# Standard error of a median over that of a mean, for normal values.
MEDIAN_ERROR = math.sqrt(0.5 * math.pi)


@dataclass(frozen=True)
class Planted:
    """A history to simulate. `at`: the first run whose time is longer by `change`."""

    runs: int
    at: int
    change: float
    run_noise: float
    is_heavy_tailed: bool = False


def simulated(planted: Planted, count: int, seed: int) -> list[list[Point]]:
    """Histories of `count` benchmarks, of which the first one changes."""
    import numpy as np

    generator = np.random.default_rng(seed)
    error = MEDIAN_ERROR * LAUNCH_NOISE / math.sqrt(LAUNCHES)
    shape = (count, planted.runs)
    days = (
        generator.standard_t(3, shape) / math.sqrt(3.0)
        if planted.is_heavy_tailed
        else generator.standard_normal(shape)
    )
    values = planted.run_noise * days + error * generator.standard_normal(shape)
    values[0, planted.at :] += math.log1p(planted.change)
    return [[Point(float(value), error) for value in row] for row in values]


@dataclass(frozen=True)
class Found:
    """Fractions of histories. `exact`: one change point, at the planted run; `alarms`: any change
    point where nothing changed."""

    exact: float
    alarms: float


def found(planted: Planted, histories: int, seed: int = 1) -> Found:
    """Counts the histories in which the planted change is found, and the false alarms."""
    exact = alarms = 0
    for number in range(histories):
        steps = find_steps(simulated(planted, BENCHMARKS, seed + number), THRESHOLD)
        exact += planted.change > 0.0 and [step.at for step in steps[0]] == [planted.at]
        alarms += _has_any(steps if planted.change == 0.0 else steps[1:])
    return Found(exact / histories, alarms / histories)


def _has_any(steps: Sequence[Sequence[Step]]) -> bool:
    return any(steps)


def main() -> int:
    """Prints, of 100 histories, how many have the change point, or a false one at no change."""
    print("| runs | noise of runs |" + "".join(f" {100 * each:.0f} % |" for each in CHANGES))
    for runs, at in SHAPES:
        for noise in RUN_NOISES:
            shares = [found(Planted(runs, at, change, noise), HISTORIES) for change in CHANGES]
            counts = [shares[0].alarms, *(share.exact for share in shares[1:])]
            texts = "".join(f" {round(HISTORIES * count)} |" for count in counts)
            print(f"| {at} + {runs - at} | {100 * noise:g} % |{texts}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

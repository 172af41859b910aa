# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what counting costs: runs weft_counters_overhead of two builds in turn and compares them.

compare_overhead.py FULL OFF [LAUNCHES [SAMPLES]]: FULL is the program of a build that counts, OFF
that of one configured with -DWEFT_COUNTERS=off. Each pair of launches runs in random order; a
launch's time is the lower quartile of its samples, as what disturbs a program only makes it slower.
Exit code 1 if a problem is slower beyond its limit, and surely so; the limits mean something on an
idle machine.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

LIMITS_PERCENT = {"fib_fork_join": 3.0, "fib_futures": 3.0, "tasks_50ns": 3.0, "tasks_1us": 1.0}
NUM_RESAMPLES = 2000
DEFAULTS = ("20", "20")  # launches, samples

Times = dict[str, float]


def quartiles(lines: list[dict[str, Any]]) -> Times:
    """Returns the lower quartile of each problem's samples."""
    return {line["problem"]: float(np.quantile(line["ns_per_task"], 0.25)) for line in lines}


def launch(program: str, num_samples: int, expected: str) -> Times:
    """Returns nanoseconds per task of each problem, for one launch."""
    done = subprocess.run([program, str(num_samples)], check=True, capture_output=True, text=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    for line in lines:
        if line["counters"] != expected:
            message = f"error: {program} was built with counters {line['counters']}, not {expected}"
            sys.exit(message)
    return quartiles(lines)


def launch_pairs(full: str, off: str, num_launches: int, num_samples: int) -> list[list[Times]]:
    """Returns pairs of a launch of `full` and one of `off`, run in random order."""
    order = random.Random(1)
    pairs: list[list[Times]] = []
    for _ in range(num_launches):
        turn = [(0, full, "full"), (1, off, "off")]
        order.shuffle(turn)
        times = {which: launch(program, num_samples, name) for which, program, name in turn}
        pairs.append([times[0], times[1]])
    return pairs


def ratio_interval(full: Sequence[float], off: Sequence[float]) -> tuple[float, float, float]:
    """Returns the median ratio of the pairs and the ends of its 95 % bootstrap interval."""
    ratios = np.asarray(full) / np.asarray(off)
    drawn = np.random.default_rng(1).choice(ratios, (NUM_RESAMPLES, len(ratios)))
    low, high = np.quantile(np.median(drawn, axis=1), (0.025, 0.975))
    return float(np.median(ratios)), float(low), float(high)


def main(arguments: list[str]) -> int:
    """Runs both programs in turn, prints a line per problem, returns the exit code."""
    full, off, *rest = arguments
    num_launches, num_samples = [int(number) for number in [*rest, *DEFAULTS[len(rest) :]]]
    pairs = launch_pairs(full, off, num_launches, num_samples)
    is_too_slow = False
    for problem, limit_percent in LIMITS_PERCENT.items():
        times = [[pair[which][problem] for pair in pairs] for which in (0, 1)]
        ratio, low, high = ratio_interval(times[0], times[1])
        limit = 1 + limit_percent / 100
        says = "too slow" if low > limit else "within" if high <= limit else "cannot tell"
        is_too_slow |= low > limit
        print(
            f"{problem:14} counting {np.median(times[0]):8.2f} ns, not {np.median(times[1]):8.2f} "
            f"ns, ratio {ratio:.4f} ({low:.4f} to {high:.4f}), limit {limit:.2f}: {says}"
        )
    return 1 if is_too_slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How often `weft bench --fail-if-slower 3%` detects a slow-down, on simulated runs.

As a program, it prints the table of docs/bench.md.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from weft_lab.advice.comparing import compare_runs
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.summaries import summarise
from weft_lab.storage.cells import Cell

NOISE = 0.02  # standard deviation of the logarithm of a launch's time
LIMIT = 0.03
PAIRS = 100
LAUNCHES = (10, 20, 40)
CHANGES = (0.0, 0.05, 0.1, 0.2)


def summary(name: str, cell: Cell, times_s: Sequence[float]) -> CellSummary:
    """The summary of launches of a command with these times."""
    records = [
        {
            "record": "result",
            "variant": f"{name}@command",
            "backend": name,
            "toolchain": "command",
            "suite": "bench",
            "cell": cell.to_dict(),
            "status": "ok",
            "launch": number,
            "samples_s": [time_s],
        }
        for number, time_s in enumerate(times_s, start=1)
    ]
    return summarise(records)[0]


def noisy(time_s: float, seed: int, launches: int) -> list[float]:
    """Times of launches of a command that takes `time_s`."""
    import numpy as np

    generator = np.random.default_rng(seed)
    return [float(time_s * np.exp(NOISE * x)) for x in generator.standard_normal(launches)]


def share_slower(change: float, launches: int, pairs: int, seed: int) -> float:
    """The fraction of pairs of runs whose second run is reported as slower; it is slower by
    `change`."""
    cell = Cell("bench", "run", size=1)
    found = 0
    for number in range(pairs):
        before = summary("a", cell, noisy(1.0, seed + 2 * number, launches))
        after = summary("a", cell, noisy(1.0 + change, seed + 2 * number + 1, launches))
        found += compare_runs([before], [after], LIMIT)[0].verdict == "slower"
    return found / pairs


def main() -> int:
    """Prints how many of 100 pairs are reported slower, for each number of launches and change."""
    print("| launches |" + "".join(f" {100 * change:.0f} % |" for change in CHANGES))
    for launches in LAUNCHES:
        shares = [share_slower(change, launches, PAIRS, 1) for change in CHANGES]
        print(f"| {launches} |" + "".join(f" {round(PAIRS * share)} |" for share in shares))
    return 0


if __name__ == "__main__":
    sys.exit(main())

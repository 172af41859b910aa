# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the cache lines that move between workers grow with the number of workers.

Builds `weft_lines` (lab/scaling), which runs the library with a call at each load and store and
counts the lines that a coherent machine would move. So a few processors show what many workers
share: counts do not depend on how fast the lines move. Threads beyond the processors take turns,
so counts of operations that search for work vary between runs; the median of `RUNS` is fitted.

`python -m weft_lab.checks.line_growth` prints the lines of each operation and the growth that
`weft_lab.models.pmnf` finds. It judges nothing: an operation whose lines grow with the number of
workers does not scale. `--workers 2,8,64` chooses the numbers of workers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from weft_lab.models.pmnf import Growth, growth
from weft_lab.statistics.estimates import median

ROOT = Path(__file__).resolve().parents[3]
WORKERS = (2, 4, 8, 16, 32, 64, 128, 256, 512)
RUNS = 3
# Fewer lines than this are noise of the measurement, and count as none.
LEAST_LINES = 0.05
TIMEOUT_S = 300.0
Lines = Mapping[str, Mapping[int, float]]


def build() -> Path:
    """Returns the program, built for counting."""
    for command in (["--preset", "lines"], ["--build", "--preset", "lines"]):
        subprocess.run(["cmake", *command], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return ROOT / "build" / "lines" / "bin" / "weft_lines"


def lines_of(program: Path, workers: int) -> dict[str, float]:
    """Returns the lines that one of each operation moves; operations that did not occur lack."""
    found = subprocess.run(
        [program, str(workers)], capture_output=True, text=True, check=True, timeout=TIMEOUT_S
    )
    records = [json.loads(line) for line in found.stdout.splitlines()]
    return {each["operation"]: each["lines"] for each in records if each["operations"]}


def measured(program: Path, workers: Sequence[int], runs: int = RUNS) -> Lines:
    """Returns the median lines of each operation, by number of workers."""
    samples: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for _ in range(runs):
        for count in workers:
            for operation, lines in lines_of(program, count).items():
                samples[operation][count].append(lines)
    return {
        operation: {count: median(values) for count, values in by_count.items()}
        for operation, by_count in samples.items()
    }


def growth_of(lines: Mapping[int, float]) -> Growth:
    """Returns how the lines grow with the number of workers."""
    return growth(list(lines), [max(value, LEAST_LINES) for value in lines.values()])


def table(lines: Lines, workers: Sequence[int]) -> str:
    """Returns the lines of each operation, and their growth."""
    rows = ["operation  " + "".join(f"{count:>9}" for count in workers) + "  growth"]
    for operation, by_count in lines.items():
        values = "".join(
            f"{by_count[count]:>9.2f}" if count in by_count else f"{'-':>9}" for count in workers
        )
        form = growth_of(by_count).text if len(by_count) >= 5 else "unknown: fewer than 5 numbers"
        rows.append(f"{operation:<11}{values}  {form}")
    return "\n".join(rows)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", default=",".join(map(str, WORKERS)))
    parser.add_argument("--runs", type=int, default=RUNS)
    chosen = parser.parse_args()
    workers = [int(each) for each in chosen.workers.split(",")]
    lines = measured(build(), workers, chosen.runs)
    print(table(lines, workers))


if __name__ == "__main__":
    main()

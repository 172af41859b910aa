# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says how many instructions counting takes: runs weft_counters_overhead of two builds.

compare_instructions.py FULL OFF: FULL is the program of a build that counts, OFF that of one
configured with -DWEFT_COUNTERS=off; both with -DWEFT_NATIVE=OFF, as valgrind does not know every
instruction of new processors. One worker, and no task is timed. A problem's instructions are those
of a run with two samples less those of a run with one, so that the start of the program is not
among them. Exit code 1 if counting a task takes more than 2 instructions in the mean.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LIMIT = 2.0
ROUNDING = 0.05  # what is not done per task
PROBLEMS = ("fib_fork_join", "fib_futures", "fib_coroutines", "tasks_50ns")
NUM_SAMPLES = (1, 2)


@dataclass(frozen=True)
class Build:
    """A program and what it has to say of itself."""

    program: str
    counters: str


def run(build: Build, num_samples: int, problem: str, folder: str) -> tuple[int, int]:
    """Returns how many instructions one run takes, and the tasks of one sample."""
    program = build.program
    counts = Path(folder) / "counts"
    command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}"]
    command += [program, str(num_samples), problem]
    environment = os.environ | {"WEFT_WORKERS": "1", "WEFT_TIMING": "counts"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    except FileNotFoundError:
        sys.exit("error: there is no valgrind; install it: apt-get install valgrind")
    if done.returncode != 0:
        sys.exit(f"error: {program} ended with {done.returncode}: {done.stderr}")
    total = re.search(r"^(?:totals|summary): (\d+)", counts.read_text(), re.MULTILINE)
    if total is None:
        sys.exit(f"error: valgrind counted nothing in {program}: {done.stderr}")
    said = json.loads(done.stdout)
    if said["counters"] != build.counters:
        kind = said["counters"]
        sys.exit(f"error: {program} was built with counters {kind}, not {build.counters}")
    return int(total[1]), int(said["num_tasks"])


def instructions_per_task(build: Build, problem: str) -> float:
    """Returns the instructions of the samples, shared out over their tasks."""
    with tempfile.TemporaryDirectory() as folder:
        totals = [run(build, num_samples, problem, folder) for num_samples in NUM_SAMPLES]
    num_tasks = totals[0][1] * (NUM_SAMPLES[1] - NUM_SAMPLES[0])
    return (totals[1][0] - totals[0][0]) / num_tasks


def main(arguments: list[str]) -> int:
    """Runs both programs, prints a line per problem, returns the exit code."""
    full, off = Build(arguments[0], "full"), Build(arguments[1], "off")
    is_too_much = False
    for problem in PROBLEMS:
        counting = instructions_per_task(full, problem)
        not_counting = instructions_per_task(off, problem)
        difference = counting - not_counting
        says = "within" if difference <= LIMIT + ROUNDING else "too many"
        is_too_much |= says != "within"
        print(
            f"{problem:14} counting {counting:8.2f} instructions per task, not {not_counting:8.2f},"
            f" difference {difference:+.2f}, limit {LIMIT:g}: {says}",
            flush=True,
        )
    return 1 if is_too_much else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

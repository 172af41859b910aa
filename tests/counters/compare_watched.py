# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what `weft top` costs a program: runs weft_counters_overhead with and without it, in turn.

compare_watched.py PROGRAM TOP [LAUNCHES [SAMPLES]]: TOP is the weft-top of the same build, which
reads the program four times a second. Prints the ratio of times per problem with its interval, and
how much of a processor the tool took. Exit code 1 if a problem is surely slower by more than 0.2 %;
that means something on an idle machine with a processor left for the tool.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
from compare_overhead import Times, quartiles, ratio_interval

LIMIT = 1.002
DEFAULTS = ("20", "60")  # launches, samples
START_S = 0.3  # until the program has started its first task


@dataclass(frozen=True)
class Launch:
    """Nanoseconds per task of each problem, and the tool's share of a processor, if it watched."""

    times: Times
    share: float | None


def launch(program: str, tool: str | None, num_samples: int) -> Launch:
    """Runs the program once, watched if there is a tool."""
    with subprocess.Popen(
        [program, str(num_samples)], stdout=subprocess.PIPE, text=True
    ) as running:
        watching = None
        if tool is not None:
            time.sleep(START_S)
            command = [tool, "--pid", str(running.pid), "--interval", "250ms", "--csv"]
            watching = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        started_s = time.monotonic()
        output, _ = running.communicate()
        wall_s = time.monotonic() - started_s
        share = None
        if watching is not None:
            _, status, usage = os.wait4(watching.pid, 0)
            watching.returncode = os.waitstatus_to_exitcode(status)
            if watching.returncode != 0:
                sys.exit(f"error: {tool} ended with {watching.returncode}")
            share = (usage.ru_utime + usage.ru_stime) / wall_s
    if running.returncode != 0:
        sys.exit(f"error: {program} ended with {running.returncode}")
    return Launch(quartiles([json.loads(line) for line in output.splitlines()]), share)


def main(arguments: list[str]) -> int:
    """Runs the program with and without the tool, and prints what that says."""
    program, tool, *rest = arguments
    num_launches, num_samples = [int(number) for number in [*rest, *DEFAULTS[len(rest) :]]]
    order = random.Random(1)
    watched: list[Launch] = []
    alone: list[Launch] = []
    for _ in range(num_launches):
        turn = [(watched, tool), (alone, None)]
        order.shuffle(turn)
        for launches, by in turn:
            launches.append(launch(program, by, num_samples))
    is_too_slow = False
    for problem in watched[0].times:
        pair = [[each.times[problem] for each in launches] for launches in (watched, alone)]
        ratio, low, high = ratio_interval(*pair)
        is_too_slow |= low > LIMIT
        print(f"{problem:14} watched/alone {ratio:.4f} ({low:.4f} to {high:.4f})")
    shares = [each.share for each in watched if each.share is not None]
    print(f"weft-top       {np.median(shares):.2%} of a processor")
    return 1 if is_too_slow else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

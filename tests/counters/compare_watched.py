# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what `weft top` costs a program: runs weft_counters_overhead with and without it, in turn.

compare_watched.py PROGRAM TOP [LAUNCHES [SAMPLES]]: TOP is the weft-top of the same build, which
reads the program four times a second. Prints the ratio of times per problem with its interval, and
how much of a processor the tool took once it had started. Exit code 1 if a problem is surely slower
by more than 0.2 %; that means something on an idle machine with a processor left for the tool.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

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


class Watcher:
    """A running weft-top whose CPU time is measured once it has started."""

    def __init__(self, tool: str, pid: int) -> None:
        command = [tool, "--pid", str(pid), "--interval", "250ms", "--csv"]
        self._tool = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(START_S)
        self._since = self._now()

    def _now(self) -> tuple[float, float]:
        """Returns the time, and what the tool has had of a processor, in seconds."""
        fields = Path(f"/proc/{self._tool.pid}/schedstat").read_text().split()
        return time.monotonic(), int(fields[0]) * 1e-9

    def share(self) -> float:
        """Returns its share of a processor, once what it watches has ended."""
        os.waitid(os.P_PID, self._tool.pid, os.WEXITED | os.WNOWAIT)
        wall_s, cpu_s = (now - since for now, since in zip(self._now(), self._since, strict=True))
        if self._tool.wait() != 0:
            sys.exit(f"error: weft-top ended with {self._tool.returncode}")
        return cpu_s / wall_s


def launch(program: str, tool: str | None, num_samples: int) -> Launch:
    """Runs the program once, watched if there is a tool."""
    with subprocess.Popen(
        [program, str(num_samples)], stdout=subprocess.PIPE, text=True
    ) as running:
        watcher = None
        if tool is not None:
            time.sleep(START_S)
            watcher = Watcher(tool, running.pid)
        output, _ = running.communicate()
        share = None if watcher is None else watcher.share()
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

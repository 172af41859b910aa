# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of compiling a small program of each API: time and the compiler's peak memory."""

from __future__ import annotations

import errno
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from weft_lab.storage.checkout import CHECKOUT
from weft_lab.storage.folder_files import parse, write
from weft_lab.storage.folder_files import read as read_file

PROGRAMS = CHECKOUT / "lab" / "approaches" / "compile"
FILE_NAME = "compile.json"
NOTHING = "nothing"  # the program that uses no API
REPEATS = 3  # at most
COMPILER = "g++"
FLAGS = ("-std=c++20", "-O0", "-fopenmp")
# Where a library that is not on the compiler's own path is to be found.
HPX_DIR = "WEFT_HPX_DIR"
ROOTS = ("WEFT_STDEXEC_ROOT", "WEFT_TASKFLOW_ROOT")
# Runs a command, then prints seconds and the peak in KiB. Uses a separate interpreter, as a process
# inherits the peak of its parent, which may be larger than a compiler's.
WATCHER = """
import os, sys, time
begin = time.perf_counter()
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(process, 0)
print(time.perf_counter() - begin, usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status) != 0)
"""


@dataclass(frozen=True)
class CompileCost:
    """One program.

    `time_s` is the median of `num_runs` compilations; all three are None if it does not compile,
    and `reason` is the compiler's first error. Units: seconds, bytes.
    """

    api: str
    time_s: float | None = None
    peak_bytes: int | None = None
    reason: str = ""
    num_runs: int | None = None


def measure(
    folder: Path,
    compiler: str = COMPILER,
    programs: Path = PROGRAMS,
    budget_s: float = math.inf,
    apis: Collection[str] = (),
) -> list[CompileCost]:
    """Compiles every program of the checkout, one after the other and then all again.

    `apis`: only these are compiled, and NOTHING to compare with; empty: all. Stores the costs in
    `folder`; none in an installation without sources. Each is compiled once, which takes all of
    them about 15 s, and again while that has taken less than `budget_s`, up to REPEATS times.
    """
    runs: dict[Path, list[CompileCost]] = {
        path: []
        for path in sorted(programs.glob("*.cpp"))
        if not apis or path.stem in {NOTHING, *apis}
    }
    begin_s = time.monotonic()
    for repeat in range(REPEATS):
        if repeat > 0 and time.monotonic() - begin_s >= budget_s:
            break
        for source, done in runs.items():
            if not any(run.reason for run in done):
                done.append(_timed(_command(compiler, source)))
    costs = [_cost(source.stem, done) for source, done in runs.items()]
    if costs:
        text = json.dumps([asdict(cost) for cost in costs], indent=1)
        write(folder, FILE_NAME, text + "\n")
    return costs


def read(folder: Path) -> list[CompileCost]:
    """The costs that `measure` stored there; none if it did not run."""
    try:
        rows = parse(read_file(folder / FILE_NAME))
        return [CompileCost(**row) for row in rows]
    except (OSError, ValueError, TypeError):
        return []


def include_folders(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """weft's headers, and those of the named peers: HPX's are beside its lib/cmake/HPX."""
    found = [CHECKOUT / "include"]
    if named := environment.get(HPX_DIR):
        above = (Path(named), *Path(named).parents)
        found += [up / "include" for up in above if (up / "include" / "hpx").is_dir()]
    for root in filter(None, map(environment.get, ROOTS)):
        found += [folder for folder in (Path(root), Path(root) / "include") if folder.is_dir()]
    return tuple(found)


def _command(compiler: str, source: Path) -> list[str]:
    folders = [f"-I{folder}" for folder in include_folders(os.environ)]
    return [compiler, *FLAGS, *folders, "-c", str(source), "-o", os.devnull]


def _cost(api: str, runs: Sequence[CompileCost]) -> CompileCost:
    """Of all its compilations; if one failed, why."""
    for run in runs:
        if run.reason:
            return CompileCost(api, reason=run.reason)
    times_s = [run.time_s or 0.0 for run in runs]
    peak_bytes = max(run.peak_bytes or 0 for run in runs)
    return CompileCost(api, statistics.median(times_s), peak_bytes, num_runs=len(runs))


def _timed(command: Sequence[str]) -> CompileCost:
    """One compilation. Its peak is that of the largest of its processes, the compiler proper."""
    if shutil.which(command[0]) is None:
        return CompileCost("", reason=f"{command[0]}: {os.strerror(errno.ENOENT)}")
    watched = [sys.executable, "-S", "-E", "-c", WATCHER, *command]
    done = subprocess.run(watched, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return CompileCost("", reason=first_error(done.stderr))
    time_s, peak_kib = done.stdout.split()
    return CompileCost("", float(time_s), int(peak_kib) * 1024)


def first_error(text: str) -> str:
    """The line of a compiler's output that names the missing file."""
    lines = [line for line in text.splitlines() if "error" in line]
    line = lines[0] if lines else "the compiler failed without a word"
    return line.partition("error: ")[2] or line

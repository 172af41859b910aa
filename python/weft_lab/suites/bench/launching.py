# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts the user's request to the session's input: programs, a plan, the agent's settings."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from weft_lab import __version__
from weft_lab.errors import UsageError
from weft_lab.machine.facts import cpus_usable, git_state
from weft_lab.measuring.costs import Sampling, Task
from weft_lab.measuring.options import BUDGET_MAX_S, RunOptions
from weft_lab.measuring.plan import Plan
from weft_lab.measuring.programs import Program
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.session import UserPrograms
from weft_lab.suites.bench.asked import (
    CELLS_MAX,
    PROBLEM,
    SUITE,
    THREADS,
    TOOLCHAIN,
    Asked,
    Contestant,
    check_placeholders,
    filled,
)

AGENT = Path(__file__).with_name("agent.py")
# The time in which the agent must end hanging programs.
GRACE_S = 5.0
TIMER_CALLS = 1000
# Each launch of the program gives one sample.
SAMPLING = Sampling("robust", 1, 2, 1e-3, 1e-3)
EVERY_AXIS = ("size", "type", "backend")
# Variables of the lab's own start; the user's program gets the user's values.
USERS_PYTHONPATH = "_WEFT_USERS_PYTHONPATH"
NOT_FOR_PROGRAMS = ("PYTHONPATH", USERS_PYTHONPATH)


def user_programs(asked: Asked, options: RunOptions) -> UserPrograms:
    """Errors: `UsageError` for a program that is not there, a placeholder that is nowhere."""
    check_placeholders(asked)
    if asked.num_cells > CELLS_MAX:
        what = f"{asked.num_cells} combinations are too many"
        raise UsageError(what, f"{CELLS_MAX} are the most", "give fewer values to --param")
    cells = list(asked.cells())
    paths = {each.variant: program_path(each) for each in asked.contestants}
    plan = Plan(
        tuple(Task(each.variant, cell) for each in asked.contestants for cell, _ in cells),
        SAMPLING,
        options.seed,
        options.measuring_budget_s,
        options.rounds_max,
        BUDGET_MAX_S,
        named=EVERY_AXIS,
    )
    commands = _Commands(asked, paths, {cell.key: texts for cell, texts in cells})
    return UserPrograms(
        tuple(Program(paths[each.variant], _record(each, paths)) for each in asked.contestants),
        plan,
        commands.of,
        GRACE_S,
        {SUITE: asked.to_dict()},
        git_state(Path(asked.directory or ".")),
    )


def program_path(contestant: Contestant) -> Path:
    """The file that is run. Errors: `UsageError` in one line when there is none."""
    name = contestant.argv[0]
    found = shutil.which(name)
    if found is not None:
        return Path(found).absolute()
    if "/" in name and Path(name).exists():
        why, remedy = "it is not an executable file", f"chmod +x {shlex.quote(name)}"
    elif " " in name:
        why = "there is no program of that name"
        remedy = f"for a line of shell: ./weft bench -- sh -c {shlex.quote(name)}"
    else:
        place = "no such file" if "/" in name else "no such program in PATH"
        why, remedy = place, "check its spelling; a program in this folder is ./name"
    what = f"cannot run '{name}'"
    raise UsageError(what, why, remedy)


def run_once(text: str, option: str, asked: Asked) -> None:
    """Runs a line of shell, `--setup` or `--cleanup`, once for each different text that the values
    make of it. Errors: `UsageError` when one fails.
    """
    lines = (filled(text, texts) for _, texts in asked.cells()) if text else ()
    for line in dict.fromkeys(lines):
        done = subprocess.run(
            ["/bin/sh", "-c", line],
            cwd=asked.directory or None,
            env=_users_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            words = done.stderr.strip().splitlines()[-1:] or ["it wrote nothing to standard error"]
            what = f"{option} '{line}' ended with exit code {done.returncode}"
            raise UsageError(what, words[0], "try the line by itself in a shell")


@dataclass(frozen=True)
class _Commands:
    """The agent's command line for a block."""

    asked: Asked
    paths: Mapping[str, Path]
    texts: Mapping[str, Mapping[str, str]]

    def of(self, block: Block) -> list[str]:
        contestant = next(c for c in self.asked.contestants if c.variant == block.variant)
        asked = self.asked
        has_threads = bool(asked.threads)
        settings = {
            "name": contestant.name,
            "toolchain": TOOLCHAIN,
            "path": str(self.paths[block.variant]),
            "cells": {task.cell.key: self._cell(contestant, task) for task in block.tasks},
            "unset": list(NOT_FOR_PROGRAMS),
            "expect_file": asked.expect_file,
            "expect": list(asked.expect),
            "exit_code": asked.expect_code,
            "metrics": [vars(metric) for metric in asked.metrics],
            "warmup": asked.warmup if block.round == 1 else 0,
            "floor": shutil.which("true") or "",
            "timeout_s": asked.timeout_s,
            "stdin": asked.stdin,
            "oversubscribed": has_threads and block.threads > cpus_usable(),
            "cpus": list(asked.cpus[: block.threads] if has_threads else asked.cpus),
            "directory": asked.directory,
        }
        return [sys.executable, "-I", "-S", "-B", str(AGENT), json.dumps(settings)]

    def _cell(self, contestant: Contestant, task: Task) -> dict[str, Any]:
        texts = self.texts[task.cell.key]
        asked = self.asked
        counts = ("OMP_NUM_THREADS", "WEFT_WORKERS") if asked.threads else ()
        given = {name: filled(text, texts) for name, text in asked.env}
        return {
            "argv": [filled(word, texts) for word in contestant.argv],
            "env": {
                **_users_own(),
                **{name: texts[THREADS] for name in counts},
                **given,
            },
            "prepare": filled(asked.prepare, texts),
        }


def _users_own() -> dict[str, str]:
    """Variables that the lab's own start or its launches take away."""
    kept = {"OMP_NUM_THREADS": "OMP_NUM_THREADS", USERS_PYTHONPATH: "PYTHONPATH"}
    return {name: os.environ[key] for key, name in kept.items() if os.environ.get(key)}


def _users_environment() -> dict[str, str]:
    rest = {name: text for name, text in os.environ.items() if name not in NOT_FOR_PROGRAMS}
    return {**rest, **_users_own()}


@cache
def _timer_cost_s() -> float:
    start_ns = time.monotonic_ns()
    for _ in range(TIMER_CALLS):
        time.monotonic_ns()
    return 1e-9 * (time.monotonic_ns() - start_ns) / TIMER_CALLS


def _record(contestant: Contestant, paths: Mapping[str, Path]) -> dict[str, Any]:
    path = paths[contestant.variant]
    return {
        "schema": 1,
        "record": "program",
        "program": str(path),
        "suite": SUITE,
        "backend": contestant.name,
        "toolchain": TOOLCHAIN,
        "compiler": "",
        "flags": shlex.join(contestant.argv),
        "libraries": {},
        "weft_version": __version__,
        "git_commit": None,
        "executable_bytes": path.stat().st_size,
        "pid": os.getpid(),
        "cpus_usable": cpus_usable(),
        "cpus_source": "affinity",
        "timer_cost_s": _timer_cost_s(),
        "timer_resolution_s": time.get_clock_info("monotonic").resolution,
        "call_overhead_s": None,
        "environment": {},
        "problems": [PROBLEM],
    }

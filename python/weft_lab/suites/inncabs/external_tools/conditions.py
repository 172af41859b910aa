# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The conditions under which a benchmark runs: alone, with weft's own counters, or under a tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft_lab.suites.inncabs.external_tools.guard import Workplace
from weft_lab.suites.inncabs.external_tools.tools import Tool

SUITE = "inncabs"
# The study's Standard version, and its direct counterpart.
RUNTIMES = ("std_async", "weft_future")
COUNTED = "weft_future"
BASELINE = "baseline"
COUNTERS = "counters"
EXACT = "counters_exact"
# One long call is enough: launches vary, not calls.
SAMPLING = ("--min-samples", "1", "--max-samples", "5", "--max-time-s", "0.05", "--probe", "no")


@dataclass(frozen=True)
class Condition:
    """`is_counting`: by the default build of the program, which counts its tasks."""

    id: str
    title: str
    tool: Tool | None = None
    is_counting: bool = False
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)


ALONE = Condition(BASELINE, "baseline")
OWN = (
    Condition(COUNTERS, "weft's counters", is_counting=True),
    Condition(
        EXACT, "weft's counters, exact", is_counting=True, environment={"WEFT_TIMING": "exact"}
    ),
)


@dataclass(frozen=True)
class Programs:
    """The bench programs by runtime. `plain`: without counters if such a build exists."""

    counting: Mapping[str, Path]
    plain: Mapping[str, Path]

    def path(self, runtime: str, condition: Condition) -> Path:
        if condition.is_counting or runtime not in self.plain:
            return self.counting[runtime]
        return self.plain[runtime]


@dataclass(frozen=True, order=True)
class Job:
    """One benchmark by one runtime under one condition."""

    problem: str
    runtime: str
    condition: str


@dataclass(frozen=True)
class Input:
    """The computation of every job. `size`: the input's class, 1 (tiny), 2 (small), 3 (paper)."""

    size: int = 2
    threads: int = 1
    seed: int = 42


def conditions_of(runtime: str, usable: Sequence[Tool]) -> tuple[Condition, ...]:
    """The conditions of a runtime's measurements, the baseline first."""
    own = OWN if runtime == COUNTED else ()
    return (ALONE, *own, *(Condition(tool.id, tool.title, tool) for tool in usable))


def command_of(program: Path, problem: str, what: Input, record: Path) -> list[str]:
    """The command line of the bench program itself, which writes its record to the file."""
    cell = ("--problem", problem, "--size", str(what.size), "--threads", str(what.threads))
    seed = ("--seed", str(what.seed))
    return [str(program), *cell, *seed, *SAMPLING, "--output", str(record)]


def launch_of(
    job: Job, condition: Condition, programs: Programs, what: Input, place: Workplace
) -> tuple[list[str], dict[str, str]]:
    """The whole command line of a job and its variables."""
    program = programs.path(job.runtime, condition)
    command = command_of(program, job.problem, what, place.record)
    if condition.tool is None:
        return command, dict(condition.environment)
    around = condition.tool.around(command, place.output)
    return around, {**condition.environment, **condition.tool.variables(place.output)}

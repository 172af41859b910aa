# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures every benchmark under every condition, in turn, and keeps each launch in a result
folder.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from weft_lab import __version__
from weft_lab.errors import WeftError
from weft_lab.machine import facts as machine
from weft_lab.machine.neighbours import KEY, Neighbours
from weft_lab.measuring.progress import RunProgress
from weft_lab.measuring.stopping import StopSignal
from weft_lab.storage.store import SCHEMA, ResultFolder, SampleWriter
from weft_lab.suites.inncabs.external_tools.conditions import (
    BASELINE,
    Condition,
    Input,
    Job,
    Programs,
    conditions_of,
    launch_of,
)
from weft_lab.suites.inncabs.external_tools.guard import Limits, Workplace, run_guarded
from weft_lab.suites.inncabs.external_tools.outcomes import outcome_of, read_record, record_of
from weft_lab.suites.inncabs.external_tools.tools import Finding, find, tools

RECORD = "tool_launch"
MEMORY_FRACTION = 0.5


@dataclass(frozen=True)
class Wanted:
    """The measurements to make. Units: seconds. `budget_s`: no launch begins after it."""

    problems: tuple[str, ...]
    runtimes: tuple[str, ...]
    what: Input
    rounds: int
    budget_s: float
    results: Path
    launch_limit_s: float = Limits.time_s


@dataclass
class _State:
    """Jobs that failed are not tried again; nor are the jobs under tools of a benchmark that fails
    alone."""

    retired: set[Job] = field(default_factory=set)
    failed_alone: set[tuple[str, str]] = field(default_factory=set)

    def is_open(self, job: Job) -> bool:
        return job not in self.retired and (job.problem, job.runtime) not in self.failed_alone

    def retire(self, job: Job) -> None:
        self.retired.add(job)
        if job.condition == BASELINE:
            self.failed_alone.add((job.problem, job.runtime))


def measure(
    wanted: Wanted, programs: Programs, facts: dict[str, Any], console: Console
) -> ResultFolder:
    """Measures until the rounds or the budget are over, or the user stops it; the folder is then
    complete or `interrupted`.

    `facts`: for the manifest. Errors: `ResultFolderError` when nothing can be written.
    """
    folder = ResultFolder.create(wanted.results)
    findings = tuple(find(tool) for tool in tools())
    manifest = _manifest(folder, wanted, programs, findings) | facts
    folder.write_manifest(manifest)
    folder.point_latest()
    with (
        folder.locked(),
        StopSignal() as stop,
        RunProgress(console) as progress,
        Neighbours(progress.say) as neighbours,
    ):
        _tell(progress, wanted, findings, folder)
        with folder.append() as writer:
            session = _Session(wanted, programs, findings, _Keeper(folder, writer))
            try:
                session.run(stop, progress)
            except WeftError:
                folder.write_manifest(manifest | {"status": "failed"})
                raise
        manifest[KEY] = neighbours.met()
    status = "interrupted" if stop.requested else "complete"
    folder.write_manifest(manifest | {"status": status, "finished_unix_s": time.time()})
    return folder


def rounds_of(jobs: Iterable[Job], seed: int, round_: int) -> list[Job]:
    """The jobs of one round: benchmark by benchmark, each under its conditions in random order.

    The baseline comes first in the first round: a benchmark that fails alone need not be tried
    under a tool.
    """
    random_ = random.Random(f"{seed} {round_}")
    ordered = sorted(jobs)
    random_.shuffle(ordered)
    place = {problem: number for number, problem in enumerate({job.problem: 0 for job in ordered})}
    return sorted(
        ordered,
        key=lambda job: (place[job.problem], round_ == 1 and job.condition != BASELINE),
    )


@dataclass(frozen=True)
class _Keeper:
    folder: ResultFolder
    writer: SampleWriter


class _Session:
    """The rounds of one measurement."""

    def __init__(
        self, wanted: Wanted, programs: Programs, findings: Sequence[Finding], keeper: _Keeper
    ) -> None:
        self._wanted = wanted
        self._programs = programs
        self._keeper = keeper
        self._state = _State()
        usable = [finding.tool for finding in findings if finding.state == "usable"]
        self._conditions: dict[tuple[str, str], Condition] = {
            (runtime, each.id): each
            for runtime in wanted.runtimes
            for each in conditions_of(runtime, usable)
        }
        half_bytes = int(MEMORY_FRACTION * machine.memory_available_bytes())
        self._limits = Limits(wanted.launch_limit_s, half_bytes)

    def run(self, stop: StopSignal, progress: RunProgress) -> None:
        deadline_s = time.monotonic() + self._wanted.budget_s
        jobs = [Job(problem, *key) for problem in self._wanted.problems for key in self._conditions]
        for round_ in range(1, self._wanted.rounds + 1):
            for number, job in enumerate(rounds_of(jobs, self._wanted.what.seed, round_)):
                if stop.requested or time.monotonic() > deadline_s:
                    return
                if self._state.is_open(job):
                    title = f"{job.problem} {job.runtime} {job.condition}"
                    progress.on_launch(round_, number, len(jobs), title)
                    self._launch(job, round_, stop)

    def _launch(self, job: Job, round_: int, stop: StopSignal) -> None:
        condition = self._conditions[job.runtime, job.condition]
        # Beside the results: a tool's output may exceed a /tmp in memory.
        with tempfile.TemporaryDirectory(
            prefix=".launch-", dir=self._keeper.folder.path, ignore_cleanup_errors=True
        ) as folder:
            place = Workplace.make(Path(folder))
            command, variables = launch_of(job, condition, self._programs, self._wanted.what, place)
            end = run_guarded(command, variables, place, self._limits, stop)
            record = read_record(place.record)
            outcome = outcome_of(end, record, condition.tool, place)
        if outcome.status == "stopped":
            return
        names = {"problem": job.problem, "runtime": job.runtime, "condition": job.condition}
        head = {"schema": SCHEMA, "record": RECORD, "run_id": self._keeper.folder.path.name}
        kept = {**head, "round": round_, **names, **record_of(end, record, outcome)}
        self._keeper.writer.write(kept)
        if outcome.status != "ok":
            self._state.retire(job)


def _manifest(
    folder: ResultFolder, wanted: Wanted, programs: Programs, findings: Sequence[Finding]
) -> dict[str, Any]:
    return {
        "run_id": folder.path.name,
        "status": "running",
        "weft_version": __version__,
        "started_unix_s": time.time(),
        "command": sys.argv,
        "software": machine.software(),
        "external_tools": {
            "tools": [finding.to_dict() for finding in findings],
            "problems": list(wanted.problems),
            "runtimes": list(wanted.runtimes),
            "has_plain": bool(programs.plain),
            "size": wanted.what.size,
            "threads": wanted.what.threads,
            "seed": wanted.what.seed,
            "rounds": wanted.rounds,
            "budget_s": wanted.budget_s,
            "launch_limit_s": wanted.launch_limit_s,
        },
    }


def _tell(
    progress: RunProgress, wanted: Wanted, findings: Sequence[Finding], folder: ResultFolder
) -> None:
    usable = [finding.tool.title for finding in findings if finding.state == "usable"]
    progress.say(
        f"measuring {len(wanted.problems)} benchmarks alone and under "
        f"{', '.join(usable) or 'no tool'}, up to {wanted.rounds} rounds in {wanted.budget_s:.0f} "
        f"s, into {folder.path} (Ctrl-C keeps what is measured)"
    )
    for finding in findings:
        if finding.state != "usable":
            progress.say(f"without {finding.tool.title}: {finding.why}\n  -> {finding.remedy}")

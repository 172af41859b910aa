# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite: MPIs found and built for, transports proven, launches interleaved, kept."""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from weft_lab import __version__, machine
from weft_lab.errors import Interrupted, MissingError, UsageError, WeftError
from weft_lab.mpi import building, plan
from weft_lab.mpi.installations import Installation, find_installations, why_none
from weft_lab.mpi.launching import Launch, Outcome, run, shown
from weft_lab.mpi.transports import Transport, judge, transports_of
from weft_lab.options import RunOptions
from weft_lab.plan import Skip
from weft_lab.progress import RunProgress
from weft_lab.stopping import StopSignal
from weft_lab.store import SCHEMA, ResultFolder, SampleWriter

SUITE = "mpi"
PROBE_TIMEOUT_S = 20.0
LAUNCH_TIMEOUT_S = 120.0
FAILURES_MAX = 2
BUDGETS_S = {"quick": 100.0, "default": 600.0, "full": 7200.0}
PROBE = ("pingpong", "--sizes", "1", "--min-samples", "20", "--max-time", "0.05")


@dataclass
class _State:
    """What is known so far. `failures`: by job, how many launches in a row went wrong."""

    usable: dict[Installation, list[Transport]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    failures: dict[plan.Job, int] = field(default_factory=dict)
    num_launches: int = 0


def wants_mpi(suites: tuple[str, ...]) -> bool:
    """Whether the suite is asked for. Errors: `UsageError` together with another."""
    if SUITE not in suites:
        return False
    if len(suites) > 1:
        raise UsageError(
            what="the suite mpi is measured alone",
            why="its launches take every CPU, and its report has a page of its own",
            remedy="type ./weft report --suite mpi",
        )
    return True


def measure(options: RunOptions, console: Console) -> ResultFolder:
    """Measures until the rounds or the budget are over, or the user stops it.

    Errors: `MissingError` without an MPI, `UsageError` for names that do not exist.
    """
    unknown = [name for name in options.only if name not in plan.PROBLEMS]
    if unknown:
        raise UsageError(
            what=f"unknown problem '{unknown[0]}' in the suite mpi",
            why=f"known are {', '.join(plan.PROBLEMS)}",
            remedy="type for example --only ring,pingpong",
        )
    found = find_installations()
    if not found:
        raise MissingError(
            what="there is no MPI to measure",
            why=why_none(),
            remedy="install one: apt-get install libopenmpi-dev openmpi-bin (or libmpich-dev "
            "mpich), load its module, or name its folder in WEFT_MPI_DIR; ./weft doctor says more",
        )
    folder = ResultFolder.create(options.results)
    manifest = _manifest(folder, options)
    folder.write_manifest(manifest)
    state = _State()
    with folder.locked(), StopSignal() as stop, RunProgress(console) as progress:
        with folder.append() as writer:
            session = _Session(options, state, writer, progress, stop)
            try:
                session.run(found, folder)
            except WeftError:
                folder.write_manifest(manifest | {"status": "failed"})
                raise
        status = "interrupted" if stop.requested else "complete"
    folder.write_json(
        folder.skipped_path.name,
        {"schema": SCHEMA, "skipped": [skip.to_dict() for skip in state.skips]},
    )
    facts = {"transports": state.rows, "num_launches": state.num_launches}
    done = {"status": status, "finished_unix_s": time.time(), "mpi": {**manifest["mpi"], **facts}}
    folder.write_manifest(manifest | done)
    folder.point_latest()
    return folder


def refuse_to_resume(folder: ResultFolder) -> None:
    """Errors: `UsageError` for a run of this suite: its rounds are short, and launches of another
    day are no replicates of these.
    """
    if "mpi" in folder.read_manifest():
        raise UsageError(
            what=f"'{folder.path}' is a run of the suite mpi, which is not resumed",
            why="its rounds are whole, and every one that ended is kept",
            remedy="measure again: ./weft report --suite mpi --budget 20m",
        )


def raise_if_stopped(folder: ResultFolder) -> None:
    """Errors: `Interrupted` when that is how the run ended."""
    if folder.read_manifest().get("status") == "interrupted":
        raise Interrupted(
            what="stopped on request",
            why="what was measured is kept",
            remedy=f"./weft report {folder.path} shows it",
        )


def _manifest(folder: ResultFolder, options: RunOptions) -> dict[str, Any]:
    return {
        "run_id": folder.path.name,
        "status": "running",
        "weft_version": __version__,
        "started_unix_s": time.time(),
        "command": sys.argv,
        "options": options.to_dict(),
        "software": machine.software(),
        "mpi": {"tier": options.tier, "cpus_usable": machine.cpus_usable()},
    }


class _Session:
    """Probes, then rounds."""

    def __init__(
        self,
        options: RunOptions,
        state: _State,
        writer: SampleWriter,
        progress: RunProgress,
        stop: StopSignal,
    ) -> None:
        self._options = options
        self._state = state
        self._writer = writer
        self._progress = progress
        self._stop = stop

    def run(self, found: list[Installation], folder: ResultFolder) -> None:
        tier = plan.TIERS[self._options.tier]
        for one in found:
            self._try(one)
        budget_s = self._options.budget_s or BUDGETS_S[self._options.tier]
        deadline_s = time.monotonic() + budget_s
        cpus = machine.cpus_usable()
        jobs = plan.jobs(tier, self._state.usable, cpus, self._options.only)
        if not jobs:
            raise MissingError(
                what="there is nothing to measure",
                why="; ".join(skip.message for skip in self._state.skips) or "no job fits",
                remedy="./weft doctor explains the MPIs",
            )
        self._progress.say(
            f"measuring {len(jobs)} kinds of launches for {budget_s:.0f} s into {folder.path} "
            "(Ctrl-C keeps what is measured)"
        )
        rounds = self._options.rounds_max or tier.rounds
        for round_ in range(1, rounds + 1):
            order = list(jobs)
            random.Random(f"{self._options.seed} {round_}").shuffle(order)
            for number, job in enumerate(order):
                if self._stop.requested or time.monotonic() > deadline_s:
                    self._skip_unfinished(jobs)
                    return
                if self._state.failures.get(job, 0) < FAILURES_MAX:
                    self._progress.on_launch(round_, number, len(order), job.label)
                    self._launch(job, round_)

    def _try(self, one: Installation) -> None:
        """Builds for it and probes every transport it knows."""
        try:
            self._progress.say(f"building for {one.id} ({one.compiler})")
            program = building.build(one)
        except MissingError as error:
            self._state.skips.append(Skip("not_built", str(error.what), error.why, suite=SUITE))
            return
        usable = []
        for each in transports_of(one, self._options.backend):
            if self._stop.requested:
                return
            what = Launch(one, program, PROBE, 2, each, is_probe=True)
            row = {"mpi": one.id, "transport": each.name, "report": each.report}
            outcome = run(what, PROBE_TIMEOUT_S)
            words, is_usable = self._judge(each, outcome)
            self._state.rows.append(
                {**row, "is_usable": is_usable, "words": words, "command": shown(what)}
            )
            if is_usable:
                usable.append(each)
            else:
                message = f"{one.id} {each.name} ({each.report}): {words}"
                self._state.skips.append(Skip("no_transport", message, "see docs/mpi.md", SUITE))
        self._state.usable[one] = usable

    def _judge(self, each: Transport, outcome: Outcome) -> tuple[str, bool]:
        if outcome.failure:
            return outcome.failure, False
        samples = outcome.results[-1]["samples_s"]
        told = judge(each, outcome.talk, min(samples), is_one_node=True)
        return told.words, told.is_verified

    def _launch(self, job: plan.Job, round_: int) -> None:
        program = building.build_folder(job.installation) / building.PROGRAM
        what = Launch(
            job.installation,
            program,
            job.arguments,
            job.num_ranks,
            job.transport,
            is_functional=job.is_functional,
        )
        outcome = run(what, LAUNCH_TIMEOUT_S)
        self._state.num_launches += 1
        head = {
            "launch": self._state.num_launches,
            "round": round_,
            "mpi": job.installation.id,
            "transport": job.transport.name if job.transport else "",
            "label": job.label,
            "command": outcome.command,
        }
        if outcome.failure:
            head["launch_failure"] = outcome.failure
        for record in outcome.records:
            self._writer.write({**record, **head})
        if outcome.failure:
            self._state.failures[job] = self._state.failures.get(job, 0) + 1
            message = f"{job.installation.id} {job.label}: {outcome.failure}"
            self._state.skips.append(Skip("failed", message, outcome.command, SUITE, job.label))
        else:
            self._state.failures.pop(job, None)

    def _skip_unfinished(self, jobs: list[plan.Job]) -> None:
        if not self._stop.requested:
            message = f"the budget ended before {len(jobs)} kinds of launches had all their rounds"
            self._state.skips.append(Skip("budget", message, "give a larger --budget", SUITE))

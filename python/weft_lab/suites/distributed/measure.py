# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite: built for each MPI, launches interleaved in rounds, every record kept."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from weft_lab.errors import MissingError, WrongAnswerFound
from weft_lab.machine import facts as machine
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Launch, run
from weft_lab.measuring.mpi.nodes import room_here
from weft_lab.measuring.mpi.order import LAUNCH_TIMEOUT_S, in_order, patience_s
from weft_lab.measuring.mpi.recording import (
    Recorder,
    check_problems,
    record_run,
    require_installations,
)
from weft_lab.measuring.options import PLANNED_ALONE, RunOptions, refuse_ignored
from weft_lab.measuring.stopping import raise_if_requested
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.distributed import building, plan

SUITE = "distributed"
KEY = "distributed"


@dataclass
class _State:
    """`built`: the MPIs with a program; `wrong`: what gave wrong answers."""

    built: list[Installation] = field(default_factory=list)
    libraries: dict[str, str] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    num_rounds: int = 0


def measure(options: RunOptions, console: Console) -> ResultFolder:
    """Measures until the rounds or the budget are over, or the user stops it.

    Errors: `MissingError` without an MPI or with none that can be built for, `UsageError` for
            unknown names and for options that this suite ignores, `Interrupted` before the first
            launch.
    """
    refuse_ignored(options, SUITE, (*PLANNED_ALONE, "backend", "hosts", "programs"))
    check_problems(options, SUITE, plan.PROBLEMS, "round_trip,bandwidth")
    found = require_installations("call other ranks with")
    facts = {"tier": options.tier, "cpus_usable": machine.cpus_usable()}

    def work(recorder: Recorder) -> dict[str, Any]:
        state = _State()
        _Session(options, state, recorder).run(found if options.tier != "quick" else found[:1])
        return {
            "libraries": state.libraries,
            "num_launches": recorder.num_launches,
            "num_rounds": state.num_rounds,
            "wrong": state.wrong,
        }

    return record_run(options, console, (KEY, facts), work)


def raise_for_wrong(folder: ResultFolder) -> None:
    """Errors: `WrongAnswerFound` for wrong answers."""
    wrong = folder.read_manifest()[KEY].get("wrong", [])
    if wrong:
        raise WrongAnswerFound(
            what=f"wrong answers: {wrong[0]}",
            why=f"{len(wrong)} contestants were not timed; everything else is kept",
            remedy=f"./weft report {folder.path} lists them",
        )


class _Session:
    """Builds, then rounds."""

    def __init__(self, options: RunOptions, state: _State, recorder: Recorder) -> None:
        self._options = options
        self._state = state
        self._recorder = recorder
        self._progress = recorder.progress
        self._stop = recorder.stop
        self._patience_s = LAUNCH_TIMEOUT_S

    def run(self, found: list[Installation]) -> None:
        tier = plan.TIERS[self._options.tier]
        for one in found:
            self._build(one)
        raise_if_requested(self._stop)
        cpus = room_here().cores
        jobs = plan.jobs(tier, self._state.built, cpus, self._options.only)
        if not jobs:
            raise MissingError(
                what="there is nothing to measure",
                why="; ".join(skip.message for skip in self._recorder.skips)
                or f"calls are timed with {plan.RANKS} processors, and {cpus} can be used",
                remedy="./weft doctor explains the MPIs",
            )
        budget_s = self._options.budget_s or tier.budget_s
        self._patience_s = patience_s(budget_s)
        deadline_s = time.monotonic() + budget_s
        self._progress.say(
            f"measuring {len(jobs)} kinds of launches for {budget_s:.0f} s into "
            f"{self._recorder.folder.path} "
            "(Ctrl-C keeps what is measured)"
        )
        for round_ in range(1, (self._options.rounds_max or tier.rounds) + 1):
            asked = [job for job in jobs if round_ <= job.rounds]
            order = in_order(asked, self._options.seed, round_)
            for number, job in enumerate(order):
                if self._stop.requested or time.monotonic() > deadline_s:
                    self._skip_unfinished(round_, order[number:])
                    return
                if not self._recorder.is_given_up(job):
                    self._progress.on_launch(round_, number, len(order), job.label)
                    self._launch(job, round_)
            self._state.num_rounds = round_

    def _build(self, one: Installation) -> None:
        if self._stop.requested:
            return
        try:
            self._progress.say(f"building for {one.id} ({one.compiler})")
            building.build(one)
        except MissingError as error:
            self._recorder.skip("not_built", str(error.what), error.why)
            return
        self._state.built.append(one)

    def _launch(self, job: plan.Job, round_: int) -> None:
        what = Launch(
            job.installation,
            building.program_of(job.installation),
            job.arguments(),
            job.num_ranks,
            transport=job.transport,
            is_functional=job.is_functional,
        )
        outcome = run(what, self._patience_s)
        if outcome.program is not None:
            self._state.libraries[job.installation.id] = str(outcome.program["library"])
        wrong = [row for row in outcome.results if row.get("status") == "wrong"]
        for row in wrong:
            message = f"{job.installation.id} {job.label}: {row['message']}"
            if message not in self._state.wrong:
                self._state.wrong.append(message)
                self._recorder.skip("wrong_answer", message, outcome.command)
        head = {"round": round_, "job": job.problem, "transport": job.transport_name}
        self._recorder.keep(job, head, outcome, "" if wrong else outcome.failure)

    def _skip_unfinished(self, round_: int, left: list[plan.Job]) -> None:
        if not self._stop.requested:
            names = ", ".join(sorted({job.problem for job in left}))
            message = f"the budget ended in round {round_}, before {len(left)} launches ({names})"
            self._recorder.skip("budget", message, "give a larger --budget")

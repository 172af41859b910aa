# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite: built for each MPI, launches interleaved in rounds, every record kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from weft_lab.errors import MissingError
from weft_lab.machine import facts as machine
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Launch, run
from weft_lab.measuring.mpi.nodes import room_here
from weft_lab.measuring.mpi.recording import (
    Recorder,
    check_problems,
    record_run,
    require_installations,
)
from weft_lab.measuring.mpi.rounds import Rounds
from weft_lab.measuring.options import PLANNED_ALONE, RunOptions, refuse_ignored
from weft_lab.measuring.stopping import raise_if_requested
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.distributed import building, plan

SUITE = "distributed"
KEY = "distributed"


@dataclass
class _State:
    """`built`: the MPIs with a program."""

    built: list[Installation] = field(default_factory=list)
    libraries: dict[str, str] = field(default_factory=dict)


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
        session = _Session(options, state, recorder)
        session.run(found if options.tier != "quick" else found[:1])
        return {
            "libraries": state.libraries,
            "num_launches": recorder.num_launches,
            "num_rounds": session.num_rounds,
            "wrong": session.wrong,
        }

    return record_run(options, console, (KEY, facts), work)


class _Session(Rounds[plan.Job]):
    """Builds, then rounds."""

    def __init__(self, options: RunOptions, state: _State, recorder: Recorder) -> None:
        super().__init__(options, recorder)
        self._state = state

    def run(self, found: list[Installation]) -> None:
        tier = plan.TIERS[self._options.tier]
        for one in found:
            self._build(one)
        raise_if_requested(self._stop)
        cpus = room_here().cores
        jobs = plan.jobs(tier, self._state.built, cpus, self._options.only)
        budget_s = self._options.budget_s or tier.budget_s
        why_none = f"calls are timed with {plan.RANKS} processors, and {cpus} can be used"
        self._run_rounds(jobs, self._options.rounds_max or tier.rounds, budget_s, why_none)

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
        num_wrong = self._note_wrong(job, outcome)
        head = {"round": round_, "job": job.problem, "transport": job.transport_name}
        self._recorder.keep(job, head, outcome, "" if num_wrong else outcome.failure)

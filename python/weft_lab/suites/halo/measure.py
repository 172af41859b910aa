# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite: built for each MPI, launches interleaved in rounds, every record kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from weft_lab.errors import MissingError
from weft_lab.machine import facts as machine
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Launch, Outcome, run
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
from weft_lab.suites.halo import building, plan

SUITE = "halo"
KEY = "halo"
PROBE_TIMEOUT_S = 60.0
PROBE = ("exchange", "--size", "4", "--halo", "1", "--samples", "1", "--sample-ms", "0")
PEERS = {
    "gcl_dynamic_ut": "set WEFT_GRIDTOOLS_ROOT to a checkout of GridTools before it is built",
    "ghex": "set WEFT_GHEX_ROOT to where GHEX for this MPI is installed before it is built",
    "petsc_dmda": "its build found no PETSc made for this MPI: apt-get install petsc-dev",
}


@dataclass
class _State:
    """`contestants`: those that each MPI's program offers."""

    contestants: dict[Installation, tuple[str, ...]] = field(default_factory=dict)
    libraries: dict[str, str] = field(default_factory=dict)


def measure(options: RunOptions, console: Console) -> ResultFolder:
    """Measures until the rounds or the budget are over, or the user stops it.

    Errors: `MissingError` without an MPI or with none that can be built for, `UsageError` for
            unknown names and for options that this suite ignores, `Interrupted` before the first
            launch.
    """
    refuse_ignored(options, SUITE, (*PLANNED_ALONE, "backend", "hosts", "programs"))
    check_problems(options, SUITE, plan.PROBLEMS, "paper,sweep")
    found = require_installations("exchange halos with")
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
            self._try(one)
        raise_if_requested(self._stop)
        host = plan.Host(room_here().cores, machine.memory_available_bytes())
        jobs = plan.jobs(tier, tuple(self._state.contestants), host, self._options.only)
        self._recorder.skips += plan.shrunk(jobs, host)
        rounds = self._options.rounds_max or tier.rounds
        self._run_rounds(jobs, rounds, self._options.budget_s or tier.budget_s, "no job fits")

    def _try(self, one: Installation) -> None:
        """Builds for it, and asks which contestants the build has."""
        if self._stop.requested:
            return
        try:
            self._progress.say(f"building for {one.id} ({one.compiler})")
            program = building.build(one)
        except MissingError as error:
            self._recorder.skip("not_built", str(error.what), error.why)
            return
        outcome = run(Launch(one, program, PROBE, 1, is_functional=True), PROBE_TIMEOUT_S)
        told = outcome.program
        if told is None:
            why = outcome.failure or "it did not introduce itself"
            self._recorder.skip("failed", f"{one.id}: {why}", outcome.command)
            return
        self._state.contestants[one] = tuple(told["contestants"])
        self._state.libraries[one.id] = str(told["library"])
        for name, why in PEERS.items():
            if name not in told["contestants"]:
                message = f"{name} with {one.id}: not measured"
                self._recorder.skip("missing_library", message, why)

    def _launch(self, job: plan.Job, round_: int) -> None:
        known = self._state.contestants[job.installation]
        what = Launch(
            job.installation,
            building.program_of(job.installation),
            job.arguments(known),
            job.num_ranks,
            is_functional=job.is_functional,
        )
        outcome = run(what, self._patience_s)
        failure = "" if self._is_only_wrong(job, outcome) else outcome.failure
        self._recorder.keep(job, {"round": round_, "job": job.problem}, outcome, failure)

    def _is_only_wrong(self, job: plan.Job, outcome: Outcome) -> bool:
        """Whether all that failed is that some contestants had wrong cells: they were not timed,
        and the others' times are as good as any.
        """
        num_wrong = self._note_wrong(job, outcome)
        per_case = {row["contestant"] for row in outcome.results}
        return num_wrong > 0 and len(outcome.results) == len(job.cases) * len(per_case)

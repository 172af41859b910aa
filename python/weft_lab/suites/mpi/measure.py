# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite: MPIs found and built for, transports proven, launches interleaved, kept."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from weft_lab.errors import MissingError
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Launch, Outcome, Placing, run, shown
from weft_lab.measuring.mpi.nodes import Nodes, check_reachable, find_nodes
from weft_lab.measuring.mpi.order import LAUNCH_TIMEOUT_S, in_order, patience_s
from weft_lab.measuring.mpi.recording import (
    Recorder,
    check_problems,
    record_run,
    require_installations,
)
from weft_lab.measuring.mpi.thresholds import thresholds
from weft_lab.measuring.mpi.transports import Transport, judge, transports_of
from weft_lab.measuring.options import PLANNED_ALONE, RunOptions, refuse_ignored
from weft_lab.measuring.stopping import raise_if_requested
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.mpi import building, plan

SUITE = "mpi"
PROBE_TIMEOUT_S = 20.0
BUDGETS_S = {"quick": 100.0, "default": 600.0, "full": 7200.0}
PROBE = ("pingpong", "--sizes", "1", "--min-samples", "20", "--max-time-s", "0.05")


@dataclass
class _State:
    """The knowledge so far.

    `usable`, `across`: transports proven within a host, and between two. `halos`: the
    implementations of halo exchange in the program built for an MPI.
    """

    usable: dict[Installation, list[Transport]] = field(default_factory=dict)
    across: dict[Installation, list[Transport]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    halos: dict[Installation, tuple[str, ...]] = field(default_factory=dict)


def measure(options: RunOptions, console: Console) -> ResultFolder:
    """Measures until the rounds or the budget are over, or the user stops it.

    Errors: `MissingError` without an MPI, `UsageError` for names that do not exist and options that
    this suite ignores, `Interrupted` before the first launch.
    """
    refuse_ignored(options, SUITE, PLANNED_ALONE)
    check_problems(options, SUITE, plan.PROBLEMS, "ring,pingpong")
    found = require_installations("measure")
    building.check_programs(found, options.programs)
    transports_of(found[0], options.backend)  # an unknown one is refused before anything is built
    nodes = find_nodes(options.hosts)
    room = check_reachable(nodes, found[0])
    facts = {
        "tier": options.tier,
        "cores_usable": room.cores,
        "cpus_usable": room.threads,
        "hosts": list(nodes.hosts),
        "starter": "srun" if nodes.uses_srun else "mpirun",
    }

    def work(recorder: Recorder) -> dict[str, Any]:
        state = _State()
        _Session(options, _Place(nodes, room), state, recorder).run(found)
        return {"transports": state.rows, "num_launches": recorder.num_launches}

    return record_run(options, console, (SUITE, facts), work)


@dataclass(frozen=True)
class _Place:
    """The hosts, and each one's capacity for ranks."""

    nodes: Nodes
    room: Capacity


class _Session:
    """Probes, then rounds."""

    def __init__(
        self, options: RunOptions, place: _Place, state: _State, recorder: Recorder
    ) -> None:
        self._options = options
        self._nodes = place.nodes
        self._room = place.room
        self._state = state
        self._recorder = recorder
        self._progress = recorder.progress
        self._stop = recorder.stop
        self._programs: dict[Installation, Path] = {}
        self._patience_s = LAUNCH_TIMEOUT_S

    def run(self, found: list[Installation]) -> None:
        tier = plan.TIERS[self._options.tier]
        for one in found:
            self._try(one)
        raise_if_requested(self._stop)
        budget_s = self._options.budget_s or BUDGETS_S[self._options.tier]
        self._patience_s = patience_s(budget_s)
        deadline_s = time.monotonic() + budget_s
        jobs = self._jobs(tier)
        if not jobs:
            raise MissingError(
                what="there is nothing to measure",
                why="; ".join(skip.message for skip in self._recorder.skips) or "no job fits",
                remedy="./weft doctor explains the MPIs",
            )
        self._progress.say(
            f"measuring {len(jobs)} kinds of launches for {budget_s:.0f} s into "
            f"{self._recorder.folder.path} "
            "(Ctrl-C keeps what is measured)"
        )
        self._rounds(jobs, self._options.rounds_max or tier.rounds, deadline_s)
        if not self._recorder.num_measured and not self._stop.requested:
            raise MissingError(
                what="nothing was measured",
                why="; ".join(dict.fromkeys(skip.message for skip in self._recorder.skips[:3])),
                remedy="./weft doctor explains the MPIs",
            )

    def _rounds(self, jobs: list[plan.Job], rounds: int, deadline_s: float) -> None:
        for round_ in range(1, rounds + 1):
            order = in_order(jobs, self._options.seed, round_)
            for number, job in enumerate(order):
                if self._stop.requested or time.monotonic() > deadline_s:
                    self._skip_unfinished(jobs)
                    return
                if not self._recorder.is_given_up(job):
                    self._progress.on_launch(round_, number, len(order), job.label)
                    self._launch(job, round_)

    def _jobs(self, tier: plan.Tier) -> list[plan.Job]:
        room, only = self._room, self._options.only
        jobs = plan.jobs(tier, self._state.usable, room, only)
        jobs += plan.weft_halos(jobs, self._state.halos)
        if self._nodes.are_several:
            num_hosts = len(self._nodes.hosts)
            jobs += plan.jobs_across(tier, self._state.across, room.cores, num_hosts, only)
        return jobs

    def _try(self, one: Installation) -> None:
        """Builds for it and probes every transport it knows, within a host and between two."""
        if self._stop.requested:
            return
        try:
            self._programs[one] = self._program_for(one)
        except MissingError as error:
            self._recorder.skip("not_built", str(error.what), error.why)
            return
        known = transports_of(one, self._options.backend)
        self._state.usable[one] = [each for each in known if self._is_proven(one, each, 1)]
        if self._nodes.are_several:
            far = [each for each in known if each.between != "node"]
            self._state.across[one] = [each for each in far if self._is_proven(one, each, 2)]

    def _program_for(self, one: Installation) -> Path:
        if self._options.programs is not None:
            return building.find_program(one, self._options.programs)
        self._progress.say(f"building for {one.id} ({one.compiler})")
        return building.build(one)

    def _is_proven(self, one: Installation, each: Transport, num_hosts: int) -> bool:
        if self._stop.requested:
            return False
        what = replace(self._started(one, num_hosts, PROBE, 2, each), is_probe=True)
        outcome = run(what, PROBE_TIMEOUT_S)
        if outcome.program is not None:
            self._state.halos[one] = tuple(outcome.program.get("halos", ("mpi",)))
        words, is_usable = self._judge(each, outcome, is_one_node=num_hosts == 1)
        where = "" if num_hosts == 1 else ", between hosts"
        self._state.rows.append(
            {
                "mpi": one.id,
                "transport": each.name + where,
                "report": each.report,
                "is_usable": is_usable,
                "words": words,
                "thresholds_bytes": thresholds(one, each) if is_usable else {},
                "command": shown(what),
            }
        )
        if not is_usable:
            message = f"{one.id} {each.name}{where} ({each.report}): {words}"
            self._recorder.skip("no_transport", message, "see docs/mpi.md")
        return is_usable

    def _started(
        self,
        one: Installation,
        num_hosts: int,
        arguments: tuple[str, ...],
        num_ranks: int,
        transport: Transport | None,
    ) -> Launch:
        return Launch(
            one,
            self._programs[one],
            arguments,
            num_ranks,
            transport,
            self._nodes.hosts[:num_hosts],
            uses_srun=self._nodes.uses_srun,
            placing=self._placing(-(-num_ranks // num_hosts)),
        )

    def _placing(self, ranks_per_host: int) -> Placing:
        """A core each as long as there are any without a rank, else a hardware thread each."""
        room = self._room
        return "threads" if room.cores < ranks_per_host <= room.threads else "cores"

    def _judge(self, each: Transport, outcome: Outcome, *, is_one_node: bool) -> tuple[str, bool]:
        if outcome.failure:
            return outcome.failure, False
        samples = outcome.results[-1]["samples_s"]
        told = judge(each, outcome.talk, min(samples), is_one_node)
        return told.words, told.is_verified

    def _launch(self, job: plan.Job, round_: int) -> None:
        started = self._started(
            job.installation, job.num_hosts, job.arguments, job.num_ranks, job.transport
        )
        what = replace(started, is_functional=job.is_functional)
        if job.on_siblings:
            what = replace(what, placing="siblings")
        outcome = run(what, self._patience_s)
        transport = job.transport.name if job.transport else ""
        head = {"round": round_, "transport": transport}
        self._recorder.keep(job, head, outcome, outcome.failure)

    def _skip_unfinished(self, jobs: list[plan.Job]) -> None:
        if not self._stop.requested:
            message = f"the budget ended before {len(jobs)} kinds of launches had all their rounds"
            self._recorder.skip("budget", message, "give a larger --budget")

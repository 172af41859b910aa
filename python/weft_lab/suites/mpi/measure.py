# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite: MPIs found and built for, transports proven, launches interleaved, kept."""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from weft_lab import __version__
from weft_lab.errors import MissingError, UsageError, WeftError
from weft_lab.machine import facts as machine
from weft_lab.machine.neighbours import KEY, Neighbours
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation, find_installations, why_none
from weft_lab.measuring.mpi.launching import Launch, Outcome, Placing, run, shown
from weft_lab.measuring.mpi.nodes import Nodes, check_reachable, find_nodes
from weft_lab.measuring.mpi.thresholds import thresholds
from weft_lab.measuring.mpi.transports import Transport, judge, transports_of
from weft_lab.measuring.options import PLANNED_ALONE, RunOptions, refuse_ignored
from weft_lab.measuring.plan import Skip
from weft_lab.measuring.progress import RunProgress
from weft_lab.measuring.stopping import StopSignal, raise_if_requested
from weft_lab.storage.store import SCHEMA, ResultFolder, SampleWriter
from weft_lab.suites.mpi import building, plan

SUITE = "mpi"
PROBE_TIMEOUT_S = 20.0
LAUNCH_TIMEOUT_S = 120.0
FAILURES_MAX = 2
BUDGETS_S = {"quick": 100.0, "default": 600.0, "full": 7200.0}
PROBE = ("pingpong", "--sizes", "1", "--min-samples", "20", "--max-time", "0.05")


@dataclass
class _State:
    """What is known so far. `usable`, `across`: transports proven within a host, and between two.
    `halos`: who can exchange halos in the program built for an MPI.
    `failures`: by job, how many launches in a row went wrong.
    """

    usable: dict[Installation, list[Transport]] = field(default_factory=dict)
    across: dict[Installation, list[Transport]] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    halos: dict[Installation, tuple[str, ...]] = field(default_factory=dict)
    failures: dict[plan.Job, int] = field(default_factory=dict)
    num_launches: int = 0
    num_measured: int = 0


def measure(options: RunOptions, console: Console) -> ResultFolder:
    """Measures until the rounds or the budget are over, or the user stops it.

    Errors: `MissingError` without an MPI, `UsageError` for names that do not exist and options that
    this suite ignores, `Interrupted` before the first launch.
    """
    refuse_ignored(options, SUITE, PLANNED_ALONE)
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
    transports_of(found[0], options.backend)  # an unknown one is refused before anything is built
    nodes = find_nodes(options.hosts)
    room = check_reachable(nodes, found[0])
    folder = ResultFolder.create(options.results)
    manifest = _manifest(folder, options, nodes, room)
    folder.write_manifest(manifest)
    state = _State()
    with (
        folder.locked(),
        StopSignal() as stop,
        RunProgress(console) as progress,
        Neighbours(progress.say) as neighbours,
    ):
        with folder.append() as writer:
            live = _Live(writer, progress, stop, room)
            session = _Session(options, nodes, state, live)
            try:
                session.run(found, folder)
            except WeftError:
                failed = "interrupted" if stop.requested else "failed"
                folder.write_manifest(manifest | {"status": failed})
                _write_skips(folder, state)
                raise
        status = "interrupted" if stop.requested else "complete"
        manifest[KEY] = neighbours.met()
    _write_skips(folder, state)
    facts = {"transports": state.rows, "num_launches": state.num_launches}
    done = {"status": status, "finished_unix_s": time.time(), "mpi": {**manifest["mpi"], **facts}}
    folder.write_manifest(manifest | done)
    folder.point_latest()
    return folder


def _write_skips(folder: ResultFolder, state: _State) -> None:
    skipped = [skip.to_dict() for skip in state.skips]
    folder.write_json(folder.skipped_path.name, {"schema": SCHEMA, "skipped": skipped})


def _manifest(
    folder: ResultFolder, options: RunOptions, nodes: Nodes, room: Capacity
) -> dict[str, Any]:
    return {
        "run_id": folder.path.name,
        "status": "running",
        "weft_version": __version__,
        "started_unix_s": time.time(),
        "command": sys.argv,
        "options": options.to_dict(),
        "software": machine.software(),
        "mpi": {
            "tier": options.tier,
            "cores_usable": room.cores,
            "cpus_usable": room.threads,
            "hosts": list(nodes.hosts),
            "starter": "srun" if nodes.uses_srun else "mpirun",
        },
    }


@dataclass(frozen=True)
class _Live:
    """Where records go, what the user sees, whether to stop, and what each host has for ranks."""

    writer: SampleWriter
    progress: RunProgress
    stop: StopSignal
    room: Capacity


class _Session:
    """Probes, then rounds."""

    def __init__(self, options: RunOptions, nodes: Nodes, state: _State, live: _Live) -> None:
        self._options = options
        self._nodes = nodes
        self._state = state
        self._writer = live.writer
        self._progress = live.progress
        self._stop = live.stop
        self._room = live.room
        self._programs: dict[Installation, Path] = {}

    def run(self, found: list[Installation], folder: ResultFolder) -> None:
        tier = plan.TIERS[self._options.tier]
        for one in found:
            self._try(one)
        raise_if_requested(self._stop)
        budget_s = self._options.budget_s or BUDGETS_S[self._options.tier]
        deadline_s = time.monotonic() + budget_s
        jobs = self._jobs(tier)
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
        self._rounds(jobs, self._options.rounds_max or tier.rounds, deadline_s)
        if not self._state.num_measured and not self._stop.requested:
            raise MissingError(
                what="nothing was measured",
                why="; ".join(dict.fromkeys(skip.message for skip in self._state.skips[:3])),
                remedy="./weft doctor explains the MPIs",
            )

    def _rounds(self, jobs: list[plan.Job], rounds: int, deadline_s: float) -> None:
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
            self._state.skips.append(Skip("not_built", str(error.what), error.why, suite=SUITE))
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
            self._state.skips.append(Skip("no_transport", message, "see docs/mpi.md", SUITE))
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
            self._state.num_measured += 1

    def _skip_unfinished(self, jobs: list[plan.Job]) -> None:
        if not self._stop.requested:
            message = f"the budget ended before {len(jobs)} kinds of launches had all their rounds"
            self._state.skips.append(Skip("budget", message, "give a larger --budget", SUITE))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of runs of launches: checks before them, their folder, failures, the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from rich.console import Console

from weft_lab import __version__
from weft_lab.errors import MissingError, UsageError, WeftError
from weft_lab.machine import facts as machine
from weft_lab.machine.neighbours import KEY, Neighbours
from weft_lab.measuring.mpi.installations import Installation, find_installations, why_none
from weft_lab.measuring.mpi.launching import Outcome
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Skip
from weft_lab.measuring.progress import RunProgress
from weft_lab.measuring.stopping import StopSignal
from weft_lab.storage.store import SCHEMA, ResultFolder, SampleWriter

FAILURES_MAX = 2
Facts = dict[str, Any]


class Job(Protocol):
    """One kind of launch."""

    @property
    def label(self) -> str: ...

    @property
    def installation(self) -> Installation: ...


@dataclass
class Recorder:
    """Where records are written, what the user sees, whether to stop, and failures.

    `failures`: by job, how many launches failed in a row.
    """

    suite: str
    folder: ResultFolder
    writer: SampleWriter
    progress: RunProgress
    stop: StopSignal
    skips: list[Skip]
    failures: dict[Job, int] = field(default_factory=dict)
    num_launches: int = 0
    num_measured: int = 0

    def skip(self, code: str, message: str, remedy: str) -> None:
        """Lists the cells that are not measured."""
        self.skips.append(Skip(code, message, remedy, self.suite))

    def is_given_up(self, job: Job) -> bool:
        """Whether its launches failed too often."""
        return self.failures.get(job, 0) >= FAILURES_MAX

    def keep(self, job: Job, head: Mapping[str, Any], outcome: Outcome, failure: str) -> None:
        """Writes the records of a launch, and notes whether it failed."""
        self.num_launches += 1
        added = {"launch": self.num_launches, **head, "label": job.label}
        added |= {"mpi": job.installation.id, "command": outcome.command}
        if failure:
            added["launch_failure"] = failure
        for record in outcome.records:
            self.writer.write({**record, **added})
        if failure:
            self.failures[job] = self.failures.get(job, 0) + 1
            message = f"{job.installation.id} {job.label}: {failure}"
            self.skips.append(Skip("failed", message, outcome.command, self.suite, job.label))
        else:
            self.failures.pop(job, None)
            self.num_measured += 1


def check_problems(options: RunOptions, suite: str, known: tuple[str, ...], example: str) -> None:
    """Errors: `UsageError` for a problem that the suite lacks."""
    unknown = [name for name in options.only if name not in known]
    if unknown:
        raise UsageError(
            what=f"unknown problem '{unknown[0]}' in the suite {suite}",
            why=f"known are {', '.join(known)}",
            remedy=f"type for example --only {example}",
        )


def require_installations(purpose: str) -> list[Installation]:
    """Every installed MPI. Errors: `MissingError` without one."""
    found = find_installations()
    if not found:
        raise MissingError(
            what=f"there is no MPI to {purpose}",
            why=why_none(),
            remedy="install one: apt-get install libopenmpi-dev openmpi-bin (or libmpich-dev "
            "mpich), load its module, or name its folder in WEFT_MPI_DIR; ./weft doctor says more",
        )
    return found


def record_run(
    options: RunOptions,
    console: Console,
    suite: tuple[str, Facts],
    work: Callable[[Recorder], Facts],
) -> ResultFolder:
    """Makes a folder, lets `work` fill it and closes it.

    `suite`: its name, and its part of the manifest before anything is launched; `work` returns the
    part for the end.

    Errors: those of `work`; the folder then says how far the run came.
    """
    name, facts = suite
    folder = ResultFolder.create(options.results)
    manifest = {**_head(folder, options), name: facts}
    folder.write_manifest(manifest)
    skips: list[Skip] = []
    with (
        folder.locked(),
        StopSignal() as stop,
        RunProgress(console) as progress,
        Neighbours(progress.say) as neighbours,
    ):
        with folder.append() as writer:
            try:
                found = work(Recorder(name, folder, writer, progress, stop, skips))
            except WeftError:
                failed = "interrupted" if stop.requested else "failed"
                folder.write_manifest(manifest | {"status": failed})
                _write_skips(folder, skips)
                raise
        status = "interrupted" if stop.requested else "complete"
        manifest[KEY] = neighbours.met()
    _write_skips(folder, skips)
    ended = {"status": status, "finished_unix_s": time.time(), name: {**facts, **found}}
    folder.write_manifest(manifest | ended)
    folder.point_latest()
    return folder


def _head(folder: ResultFolder, options: RunOptions) -> Facts:
    return {
        "run_id": folder.path.name,
        "status": "running",
        "weft_version": __version__,
        "started_unix_s": time.time(),
        "command": sys.argv,
        "options": options.to_dict(),
        "software": machine.software(),
    }


def _write_skips(folder: ResultFolder, skips: list[Skip]) -> None:
    told = [skip.to_dict() for skip in skips]
    folder.write_json(folder.skipped_path.name, {"schema": SCHEMA, "skipped": told})

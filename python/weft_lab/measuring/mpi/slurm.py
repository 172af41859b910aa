# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job for Slurm that measures the suite and leaves a normal result folder."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from weft_lab.errors import MissingError, ResultFolderError, UsageError
from weft_lab.storage.checkout import CHECKOUT

TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Request:
    """The job's requests to the cluster. Units: `minutes`. Empty texts use Slurm's defaults.

    `program`: the command that runs the lab on a node, in the checkout.
    """

    arguments: tuple[str, ...]
    nodes: int = 1
    tasks_per_node: int = 0
    minutes: int = 30
    partition: str = ""
    account: str = ""
    program: str = "./weft"


def script(wanted: Request) -> str:
    """The job's text. Errors: `UsageError` for numbers that are not positive.

    A job of several nodes measures within its first one and across all of them.
    """
    if wanted.nodes < 1 or wanted.minutes < 1 or wanted.tasks_per_node < 0:
        raise UsageError(
            what="a job needs at least one node and one minute",
            why=f"it asks for {wanted.nodes} nodes and {wanted.minutes} minutes",
            remedy="type for example --nodes 1 --minutes 30",
        )
    options = {
        "job-name": "weft-mpi",
        "nodes": str(wanted.nodes),
        "ntasks-per-node": str(wanted.tasks_per_node) if wanted.tasks_per_node else "",
        "time": f"{wanted.minutes // 60:02d}:{wanted.minutes % 60:02d}:00",
        "partition": wanted.partition,
        "account": wanted.account,
        "output": "weft-mpi-%j.log",
    }
    lines = [f"#SBATCH --{name}={value}" for name, value in options.items() if value]
    return "\n".join(
        [
            "#!/bin/bash",
            "# Measures message passing on the nodes of this job; the results are those of ./weft.",
            *lines,
            "#SBATCH --exclusive",
            "#SBATCH --hint=nomultithread",
            "set -euo pipefail",
            f"cd {shlex.quote(str(CHECKOUT))}",
            f"WEFT_NO_APT=1 {wanted.program} report --suite mpi " + shlex.join(wanted.arguments),
            "",
        ]
    )


def write(wanted: Request, path: Path) -> Path:
    """Writes the job. Errors: `ResultFolderError`."""
    try:
        path.write_text(script(wanted), encoding="utf-8")
    except OSError as error:
        why = error.strerror or str(error)
        raise ResultFolderError(
            what=f"cannot write '{path}'", why=why, remedy="name a writable place"
        ) from error
    return path


def submit(path: Path) -> str:
    """Submits the job to Slurm; returns sbatch's output. Errors: `MissingError`, `UsageError`."""
    sbatch = shutil.which("sbatch")
    if sbatch is None:
        raise MissingError(
            what="there is no sbatch here",
            why="jobs are submitted on a machine that belongs to a Slurm cluster",
            remedy=f"copy {path} there and type: sbatch {path.name}",
        )
    try:
        done = subprocess.run(
            [sbatch, str(path)], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        why = f"it did not answer within {TIMEOUT_S:.0f} s"
        raise MissingError(
            what="sbatch is silent", why=why, remedy="ask sinfo whether Slurm runs"
        ) from error
    if done.returncode != 0:
        raise UsageError(
            what="Slurm refuses the job",
            why=done.stderr.strip() or f"exit code {done.returncode}",
            remedy=f"correct {path} and type: sbatch {path}",
        )
    return done.stdout.strip()

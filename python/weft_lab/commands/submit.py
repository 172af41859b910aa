# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft submit`: a job for a cluster's scheduler that measures message passing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab.errors import UsageError


def command(
    *,
    slurm: Annotated[bool, typer.Option("--slurm", help="For Slurm, the only one known.")] = False,
    nodes: Annotated[int, typer.Option(help="Nodes of the job; more than 1 is refused.")] = 1,
    tasks_per_node: Annotated[int, typer.Option(help="Ranks per node; 0: Slurm's choice.")] = 0,
    minutes: Annotated[int, typer.Option(help="Time limit.")] = 30,
    partition: Annotated[str, typer.Option(help="Partition; empty: the default.")] = "",
    account: Annotated[str, typer.Option(help="Account; empty: the default.")] = "",
    output: Annotated[Path, typer.Option(help="Where the job is written.")] = Path(
        "weft_mpi.sbatch"
    ),
    send: Annotated[bool, typer.Option("--send", help="Submit it, too.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Measure for 2 hours.")] = False,
) -> None:
    """Write and show a job that measures message passing; with --send, submit it.

    Its results are a folder of ./weft like any other.

    Examples: ./weft submit --slurm --minutes 60; ./weft submit --slurm --partition THIN --send
    """
    from weft_lab.mpi.slurm import Request, submit, write

    if not slurm:
        raise UsageError(
            what="no scheduler was named",
            why="a job is written for one",
            remedy="type ./weft submit --slurm",
        )
    arguments = ("--full",) if full else ()
    wanted = Request(arguments, nodes, tasks_per_node, minutes, partition, account)
    path = write(wanted, output)
    print(path.read_text(encoding="utf-8"))
    print(submit(path) if send else f"written to {path}; add --send to submit it")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft submit`: a job for a cluster's scheduler that measures message passing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab.errors import UsageError

# What building, probing and the report take besides measuring.
MARGIN_MINUTES = 10


def command(
    *,
    slurm: Annotated[bool, typer.Option("--slurm", help="For Slurm, the only one known.")] = False,
    nodes: Annotated[
        int, typer.Option(help="Nodes of the job; with several, also across them.")
    ] = 1,
    tasks_per_node: Annotated[int, typer.Option(help="Ranks per node; 0: Slurm's choice.")] = 0,
    minutes: Annotated[
        int, typer.Option(help="Time limit, more than 10: that is to build and to report.")
    ] = 30,
    partition: Annotated[str, typer.Option(help="Partition; empty: the default.")] = "",
    account: Annotated[str, typer.Option(help="Account; empty: the default.")] = "",
    output: Annotated[Path, typer.Option(help="Where the job is written.")] = Path(
        "weft_mpi.sbatch"
    ),
    send: Annotated[bool, typer.Option("--send", help="Submit it, too.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Measure for 2 minutes.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Measure for 2 hours.")] = False,
) -> None:
    """Write and show a job that measures message passing; with --send, submit it.

    Its results are a folder of ./weft like any other.

    Examples: ./weft submit --slurm --minutes 60; ./weft submit --slurm --nodes 2 --send
    """
    from weft_lab.measuring.mpi.slurm import Request, submit, write
    from weft_lab.suites.mpi.measure import BUDGETS_S

    if not slurm:
        raise UsageError(
            what="no scheduler was named",
            why="a job is written for one",
            remedy="type ./weft submit --slurm",
        )
    if quick and full:
        raise UsageError(
            what="--quick and --full contradict each other",
            why="each chooses how much to measure",
            remedy="give one of them",
        )
    if 0 < minutes <= MARGIN_MINUTES:
        raise UsageError(
            what=f"a job of {minutes} minutes would be ended before it measured anything",
            why=f"building, probing and the report may take {MARGIN_MINUTES}",
            remedy=f"type for example --minutes {MARGIN_MINUTES + 5}",
        )
    tier = "quick" if quick else "full" if full else "default"
    arguments = () if tier == "default" else (f"--{tier}",)
    if 60 * (minutes - MARGIN_MINUTES) < BUDGETS_S[tier]:
        arguments = (*arguments, "--budget", f"{minutes - MARGIN_MINUTES}m")
    wanted = Request(arguments, nodes, tasks_per_node, minutes, partition, account)
    path = write(wanted, output)
    print(path.read_text(encoding="utf-8"))
    print(submit(path) if send else f"written to {path}; add --send to submit it")

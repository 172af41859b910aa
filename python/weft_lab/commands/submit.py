# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft submit`: jobs for a cluster's scheduler: message passing, or the same on each node."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from weft_lab.errors import UsageError
from weft_lab.measuring.each_node import DEFAULT_WORDS, EachNode

# The time of building, probing and the report beside measuring.
MARGIN_MINUTES = 10
DEFAULT_OUTPUT, EACH_OUTPUT = "weft_mpi.sbatch", "weft_node.sbatch"


def command(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="-- VERB...",
            help="With --each-node: report, run or bench with its options.",
            show_default=False,
        ),
    ] = None,
    *,
    slurm: Annotated[bool, typer.Option("--slurm", help="For Slurm; required.")] = False,
    nodes: Annotated[
        int, typer.Option(help="Nodes of the job; with several, also measures between them.")
    ] = 1,
    tasks_per_node: Annotated[int, typer.Option(help="Ranks per node; 0: Slurm's choice.")] = 0,
    minutes: Annotated[
        int, typer.Option(help="Time limit in minutes, above 10 for building and reporting.")
    ] = 30,
    partition: Annotated[str, typer.Option(help="Partition; empty: the default.")] = "",
    account: Annotated[str, typer.Option(help="Account; empty: the default.")] = "",
    output: Annotated[Path, typer.Option(help="Where the job is written.")] = Path(DEFAULT_OUTPUT),
    each_node: Annotated[
        bool, typer.Option("--each-node", help="The same on every node of the partition.")
    ] = False,
    send: Annotated[bool, typer.Option("--send", help="Submit it, too.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Measure for 2 minutes.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Measure for 2 hours.")] = False,
) -> None:
    """Write and show a job that measures message passing; with --send, submit it.

    The job writes an ordinary result folder. With --each-node: one job for every node of the
    partition; ./weft merge --nodes compares their folders.

    Examples: ./weft submit --slurm --minutes 60; ./weft submit --slurm --nodes 2 --send;
    ./weft submit --slurm --each-node --send -- bench -- ./program
    """
    from weft_lab.measuring.mpi.slurm import Request, submit, write
    from weft_lab.suites.mpi.measure import BUDGETS_S

    if not slurm:
        raise UsageError(
            what="no scheduler was named",
            why="a job is written for one",
            remedy="type ./weft submit --slurm",
        )
    if each_node:
        _refuse_options_of_messages(given=nodes != 1 or tasks_per_node > 0 or quick or full)
        place = output if output.name != DEFAULT_OUTPUT else Path(EACH_OUTPUT)
        job = EachNode(tuple(words or DEFAULT_WORDS), minutes, partition, account, Path.cwd())
        _each_node(job, place, send=send)
        return
    _check(words, minutes, has_two_tiers=quick and full)
    tier = "quick" if quick else "full" if full else "default"
    arguments = () if tier == "default" else (f"--{tier}",)
    if 60 * (minutes - MARGIN_MINUTES) < BUDGETS_S[tier]:
        arguments = (*arguments, "--budget", f"{minutes - MARGIN_MINUTES}m")
    wanted = Request(arguments, nodes, tasks_per_node, minutes, partition, account)
    path = write(wanted, output)
    print(path.read_text(encoding="utf-8"))
    print(submit(path) if send else f"written to {path}; add --send to submit it")


def _check(words: list[str] | None, minutes: int, *, has_two_tiers: bool) -> None:
    if words:
        raise UsageError(
            what=f"'{words[0]}' is not an option of the job",
            why="words behind -- are run on each node",
            remedy="type --each-node, too, or leave them out",
        )
    if has_two_tiers:
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


def _refuse_options_of_messages(*, given: bool) -> None:
    if given:
        raise UsageError(
            what="--each-node takes one node for each job, and its own options behind --",
            why="--nodes, --tasks-per-node, --quick and --full are of message passing",
            remedy="type for example ./weft submit --slurm --each-node -- report --quick",
        )


def _each_node(wanted: EachNode, output: Path, *, send: bool) -> None:
    from weft_lab.measuring import each_node
    from weft_lab.notices import warn

    path = each_node.write(wanted, output)
    print(path.read_text(encoding="utf-8"))
    names = each_node.nodes_of(wanted.partition, warn)
    if send:
        print("\n".join(each_node.submit(path, names)))
        return
    for line in each_node.commands(path, names):
        print(shlex.join(line))
    print(f"written to {path}; add --send to submit a job for each of {len(names)} nodes")

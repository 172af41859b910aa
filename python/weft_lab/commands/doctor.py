# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Says what is here, what is missing, and three ways to get it."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from weft_lab.machine.doctor import Finding, backend_state, can, examine, requirements
from weft_lab.machine.doctor_facts import Fact, facts
from weft_lab.measuring.doctor_answer import EXIT_CANNOT_REPORT, MACHINE_PROGRAM, as_json
from weft_lab.measuring.mpi.diagnosis import MpiFact
from weft_lab.measuring.mpi.diagnosis import examine as examine_mpi
from weft_lab.storage.checkout import CHECKOUT


def command(
    wants_json: Annotated[
        bool, typer.Option("--json", help="One JSON object, for programs.")
    ] = False,
) -> None:
    """Says what is here, what is missing, and three ways to get it.

    Needs no network and builds nothing. Exit codes: 0 ./weft report can work, whatever optional
    things are missing; 3 it cannot.

    Example: ./weft doctor --json
    """
    findings = examine(requirements(), CHECKOUT)
    machine = facts(MACHINE_PROGRAM if MACHINE_PROGRAM.is_file() else None)
    if wants_json:
        print(json.dumps(as_json(findings, machine, CHECKOUT), indent=1))
    else:
        _print(findings, machine, Console(highlight=False))
    raise typer.Exit(0 if can("report", findings) else EXIT_CANNOT_REPORT)


def _print(findings: list[Finding], machine: list[Fact], console: Console) -> None:
    console.print(_machine_table(machine))
    console.print(_backend_table(findings))
    console.print(_mpi_table(examine_mpi()))
    console.print(_requirement_table(findings))
    for finding in findings:
        if not finding.is_met:
            _print_ways(finding, console)
    for level, verb in (("report", "./weft report"), ("test", "./weft test")):
        works = can("report", findings) and can(level, findings)
        console.print(
            f"{verb:<15} {'can work' if works else '[bold]lacks something, see above[/]'}"
        )


def _machine_table(machine: list[Fact]) -> Table:
    table = Table("machine", "", "", box=None, pad_edge=False, title_justify="left")
    for fact in machine:
        value = "unknown" if fact.value is None else fact.value
        table.add_row(fact.name, value, escape(f"! {fact.note}" if fact.is_concern else fact.note))
    return table


def _backend_table(findings: list[Finding]) -> Table:
    table = Table("\nbackend", "", box=None, pad_edge=False)
    for backend, lacking in backend_state(findings).items():
        table.add_row(backend, f"lacks {', '.join(lacking)}" if lacking else "available")
    return table


def _mpi_table(facts: list[MpiFact]) -> Table:
    table = Table("\nMPI", "\nlauncher", "\ntransports a run tries", box=None, pad_edge=False)
    for fact in facts:
        if fact.problem:
            remedy = "apt-get install libopenmpi-dev openmpi-bin, or a folder in WEFT_MPI_DIR"
            table.add_row("none", escape(fact.problem), remedy)
        else:
            table.add_row(fact.id, fact.launcher, escape(", ".join(fact.transports)))
    return table


def _requirement_table(findings: list[Finding]) -> Table:
    table = Table("\nrequirement", "\nfor", "", box=None, pad_edge=False)
    for finding in findings:
        state = finding.missing or finding.version or "found"
        table.add_row(finding.requirement.id, finding.requirement.purpose, escape(state))
    return table


def _print_ways(finding: Finding, console: Console) -> None:
    wanted = finding.requirement
    console.print(f"\n{wanted.id} ({wanted.purpose}): {finding.missing}", markup=False)
    for title, way in (("root", wanted.apt), ("module", wanted.module), ("else", wanted.otherwise)):
        console.print(f"  {title:<7} {way}", markup=False, soft_wrap=True)

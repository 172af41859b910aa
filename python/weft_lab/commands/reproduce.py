# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft reproduce`: one table or figure of a paper, measured here, beside what was published."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft_lab import cli_options as options
from weft_lab.errors import UsageError

if TYPE_CHECKING:
    from weft_lab.options import RunOptions
    from weft_lab.report.papers import Item


def _complete_item(incomplete: str) -> list[str]:
    from weft_lab.report.papers import items, names_of

    names = [name for item in items() for name in names_of(item)]
    return [name for name in names if name.startswith(incomplete)]


MEASURING = (
    "quick",
    "full",
    "budget",
    "only",
    "backend",
    "size",
    "threads",
    "allocator",
    "placement",
    "smt",
    "protocol",
    "rounds",
    "seed",
    "results",
    "programs",
)


@options.collected(*MEASURING)
def command(
    given: options.Given,
    item: Annotated[
        str | None,
        typer.Argument(
            help="For example pstl-table5, pstl-fig4 or counters-fig1.",
            autocompletion=_complete_item,
            show_default=False,
        ),
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="Every table and figure by name.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--from", help="Use a finished run, measure nothing.")
    ] = None,
) -> None:
    """Measure what one table or figure of a paper needs, and show both side by side.

    Examples: ./weft reproduce --list; ./weft reproduce pstl-table5 --quick;
    ./weft reproduce counters-fig12 --budget 1h; ./weft reproduce mpi-table10;
    ./weft reproduce gcl-fig6 --quick
    """
    if list_:
        _print_list()
        return
    if item is None:
        what, why = "no table or figure was named", "reproduce shows one item of a paper"
        raise UsageError(what, why, "./weft reproduce --list shows every item")
    _reproduce(item, folder, given)


def _print_list() -> None:
    from rich.console import Console

    from weft_lab.report.terminal import print_items

    print_items(Console())


def _reproduce(name: str, folder: Path | None, given: options.Given) -> None:
    from rich.console import Console

    from weft_lab import machine
    from weft_lab.notices import warn
    from weft_lab.report import tool_page
    from weft_lab.report.load import load
    from weft_lab.report.papers import citation, find_item
    from weft_lab.report.reproduce import options_for, render
    from weft_lab.report.terminal import print_table
    from weft_lab.session import measure

    item = find_item(name)
    wanted = replace(options.make_options(given), protocol=given.protocol or item.protocol)
    if item.suite == "mpi":
        _reproduce_mpi(item, folder, wanted)
        return
    if item.suite == "halo":
        _reproduce_halo(item, folder, wanted)
        return
    if item.form == tool_page.FORM:
        _reproduce_tools(item, folder, wanted)
        return
    measured = None
    if item.only and folder is None:
        cpus, memory_bytes = machine.cpus_usable(), machine.memory_available_bytes()
        measured = measure(options_for(item, wanted, cpus, memory_bytes), Console(stderr=True))
        folder = measured.path
    view = None if folder is None else load(folder, warn)
    place = wanted.results if view is None else view.folder
    done = render(item, view, place / "reproduced")
    console = Console()
    print_table(console, done.table)
    for line in (*done.lines, f"Published values: {citation(item.paper)}."):
        console.print(line, markup=False, highlight=False)
    print(*done.files[:2], sep="\n")


def _reproduce_tools(item: Item, folder: Path | None, wanted: RunOptions) -> None:
    from rich.console import Console

    from weft_lab.external_tools.asked import measure_asked, raise_if_stopped
    from weft_lab.external_tools.results import read
    from weft_lab.report.papers import citation
    from weft_lab.report.terminal import print_table
    from weft_lab.report.tool_page import show

    measured = None
    if folder is None:
        measured = measure_asked(wanted, Console(stderr=True))
        folder = measured.path
    shown = show(item, read(folder))
    console = Console()
    for table in shown.tables:
        print_table(console, table)
    for line in (*shown.lines, f"Published values: {citation(item.paper)}."):
        console.print(line, markup=False, highlight=False)
    print(*shown.files[:2], sep="\n")
    if measured is not None:
        raise_if_stopped(measured, item.name)


def _reproduce_mpi(item: Item, folder: Path | None, wanted: RunOptions) -> None:
    from rich.console import Console

    from weft_lab.mpi.reproduce import problems_of, render_item
    from weft_lab.mpi.results import read
    from weft_lab.mpi.session import measure, raise_if_stopped
    from weft_lab.report.papers import citation
    from weft_lab.report.terminal import print_table

    measured = None
    if folder is None:
        only = wanted.only or problems_of(item)
        measured = measure(replace(wanted, only=only, suite=("mpi",)), Console(stderr=True))
        folder = measured.path
    shown = render_item(item, read(folder))
    console = Console()
    for table in shown.tables:
        print_table(console, table)
    for line in (*shown.lines, f"Published values: {citation(item.paper)}."):
        console.print(line, markup=False, highlight=False)
    print(*shown.files[:2], sep="\n")
    if measured is not None:
        raise_if_stopped(measured)


def _reproduce_halo(item: Item, folder: Path | None, wanted: RunOptions) -> None:
    from rich.console import Console

    from weft_lab.halo.reproduce import render_item
    from weft_lab.halo.results import read
    from weft_lab.halo.session import measure, raise_for_outcome
    from weft_lab.report.papers import citation
    from weft_lab.report.terminal import print_table

    measured = None
    if folder is None:
        only = wanted.only or (item.table_key,)
        measured = measure(replace(wanted, only=only, suite=("halo",)), Console(stderr=True))
        folder = measured.path
    shown = render_item(item, read(folder))
    console = Console()
    for table in shown.tables:
        print_table(console, table)
    for line in (*shown.lines, f"Published values: {citation(item.paper)}."):
        console.print(line, markup=False, highlight=False)
    print(*shown.files[:2], sep="\n")
    if measured is not None:
        raise_for_outcome(measured)

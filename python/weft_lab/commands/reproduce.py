# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft reproduce`: one table or figure of a paper, measured here, beside what was published."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft_lab import cli_options as options
from weft_lab.errors import UsageError
from weft_lab.storage.folder_files import understood

if TYPE_CHECKING:
    from weft_lab.measuring.options import RunOptions
    from weft_lab.pages.papers import Item
    from weft_lab.pages.view import RunView
    from weft_lab.storage.store import ResultFolder


def _complete_item(incomplete: str) -> list[str]:
    from weft_lab.pages.papers import items, names_of

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
    with contextlib.nullcontext() if folder is None else understood(folder):
        _reproduce(item, folder, given)


def _print_list() -> None:
    from rich.console import Console

    from weft_lab.pages.terminal import print_items

    print_items(Console())


def _reproduce(name: str, folder: Path | None, given: options.Given) -> None:
    from weft_lab.pages.papers import citation, find_item

    item = find_item(name)
    protocol = given.protocol or item.protocol
    wanted = replace(options.make_options(given, item.suite), protocol=protocol)

    from rich.console import Console

    from weft_lab.notices import warn
    from weft_lab.pages.load import load
    from weft_lab.pages.terminal import print_table
    from weft_lab.suites.inncabs import tool_page
    from weft_lab.suites.inncabs.external_tools.beside import raise_for_outcome
    from weft_lab.suites.stl.reproduce import (
        render,  # reads what draws figures, which takes seconds
    )

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
        measured = _measure(item, wanted)
        folder = measured.path
    view = None if folder is None else load(folder, warn)
    if view is not None and measured is None:
        _refuse_other_suites(item, view)
    place = wanted.results.resolve() if view is None else view.folder
    done = render(item, view, place / "reproduced")
    console = Console()
    print_table(console, done.table)
    for line in (*done.lines, f"Published values: {citation(item.paper)}."):
        console.print(line, markup=False, highlight=False)
    print(*done.files[:2], sep="\n")
    if measured is not None:
        raise_for_outcome(measured, f"{item.paper}:table1")


def _measure(item: Item, wanted: RunOptions) -> ResultFolder:
    """The run that the item needs; for every item of a paper, what is measured beside it, too."""
    from rich.console import Console

    from weft_lab.machine import facts as machine
    from weft_lab.measuring.session import measure
    from weft_lab.suites.inncabs.external_tools import beside
    from weft_lab.suites.inncabs.reproduce import ALL
    from weft_lab.suites.stl.reproduce import options_for

    console = Console(stderr=True)
    cpus, memory_bytes = machine.cpus_usable(), machine.memory_available_bytes()
    options_ = options_for(item, wanted, cpus, memory_bytes)
    if item.form != ALL:
        return measure(options_, console)
    shares = beside.share_out(options_)
    run = measure(shares.run, console)
    beside.measure_beside(run, shares.tools, console)
    return run


def _refuse_other_suites(item: Item, view: RunView) -> None:
    """A run of another suite has nothing that the item could show."""
    from weft_lab.errors import ResultFolderError

    if item.only and all(each.cell.suite != item.suite for each in view.summaries):
        raise ResultFolderError(
            what=f"'{view.folder}' holds no measurements of the suite {item.suite}",
            why=f"{item.name} shows nothing else",
            remedy=f"measure some: ./weft reproduce {item.name}",
        )


def _reproduce_tools(item: Item, folder: Path | None, wanted: RunOptions) -> None:
    from rich.console import Console

    from weft_lab.pages.papers import citation
    from weft_lab.pages.terminal import print_table
    from weft_lab.suites.inncabs.external_tools.asked import measure_asked, raise_if_stopped
    from weft_lab.suites.inncabs.external_tools.results import read
    from weft_lab.suites.inncabs.tool_page import show

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

    from weft_lab.pages.papers import citation
    from weft_lab.pages.terminal import print_table
    from weft_lab.suites.mpi.measure import measure, raise_if_stopped
    from weft_lab.suites.mpi.reproduce import problems_of, render_item
    from weft_lab.suites.mpi.results import read

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

    from weft_lab.pages.papers import citation
    from weft_lab.pages.terminal import print_table
    from weft_lab.suites.halo.measure import measure, raise_for_outcome
    from weft_lab.suites.halo.reproduce import render_item
    from weft_lab.suites.halo.results import read

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

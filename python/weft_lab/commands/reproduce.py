# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft reproduce`: one table or figure of a paper, measured here, beside what was published."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from weft_lab import cli_options as options
from weft_lab.errors import UsageError
from weft_lab.storage.folder_files import understood


def _complete_item(incomplete: str) -> list[str]:
    from weft_lab.pages.papers import items

    return [item.name for item in items() if item.name.startswith(incomplete)]


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
    from rich.console import Console

    from weft_lab.pages.papers import citation, find_item
    from weft_lab.pages.terminal import print_table
    from weft_lab.suites import protocol

    item = find_item(name)
    wanted = options.make_options(given, item.suite)
    wanted = replace(wanted, protocol=given.protocol or item.protocol)
    suite = protocol.suite(item.suite)
    done = suite.reproduce(item, wanted, folder, Console(stderr=True))
    console = Console()
    for table in done.tables:
        print_table(console, table)
    for line in (*done.lines, f"Published values: {citation(item.paper)}."):
        console.print(line, markup=False, highlight=False)
    print(*done.files[:2], sep="\n")
    done.tell()
    if done.measured is not None:
        suite.raise_for_outcome(done.measured)

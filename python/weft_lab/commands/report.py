# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft report`: measure, or take a finished run, and write the page that decides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from weft_lab import cli_options as options
from weft_lab.errors import UsageError
from weft_lab.storage.folder_files import understood

if TYPE_CHECKING:
    from weft_lab.pages.table import Table


@options.collected()
def command(
    given: options.Given,
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="A finished run to report again; without it, measures.", show_default=False
        ),
    ] = None,
) -> None:
    """Measure this machine and write report.html: what to use, how many threads, and why.

    Examples: ./weft report --quick; ./weft report --only sort,reduce; ./weft report results/latest;
    ./weft report --suite mpi --quick; ./weft report --suite halo --quick
    """
    from rich.console import Console

    from weft_lab.measuring.options import is_asked_alone
    from weft_lab.measuring.session import measure, raise_for_outcome
    from weft_lab.suites.halo import measure as halo
    from weft_lab.suites.mpi.measure import measure as measure_mpi
    from weft_lab.suites.mpi.measure import raise_if_stopped

    if folder is not None:
        _refuse_options(folder, given)
        with understood(folder):
            _show(folder)
        return
    wanted = options.make_options(given)
    if is_asked_alone("mpi", wanted.suite):
        measured_mpi = measure_mpi(wanted, Console(stderr=True))
        _show(measured_mpi.path)
        raise_if_stopped(measured_mpi)
        return
    if is_asked_alone("halo", wanted.suite):
        measured_halo = halo.measure(wanted, Console(stderr=True))
        _show(measured_halo.path)
        halo.raise_for_outcome(measured_halo)
        return
    measured = measure(wanted, Console(stderr=True))
    _show(measured.path)
    raise_for_outcome(measured)


def _refuse_options(folder: Path, given: options.Given) -> None:
    """What a finished run measured cannot be chosen any more; to ignore the wish would mislead."""
    if given != options.Given():
        raise UsageError(
            what=f"'{folder}' is a finished run, and options such as --size say what to measure",
            why="its report shows everything it holds",
            remedy=f"type ./weft report {folder}, or leave the folder out to measure",
        )


def _show(path: Path) -> None:
    from rich.console import Console

    from weft_lab.notices import warn
    from weft_lab.pages.build import build_report
    from weft_lab.pages.terminal import print_summary
    from weft_lab.suites.halo.results import is_halo_run
    from weft_lab.suites.mpi.results import is_mpi_run

    if is_mpi_run(path):
        _show_mpi(path)
        return
    if is_halo_run(path):
        _show_halo(path)
        return
    built = build_report(path, warn)
    print_summary(Console(), built.view, built.page)


def _show_mpi(path: Path) -> None:
    from weft_lab.suites.mpi.page import show
    from weft_lab.suites.mpi.results import read

    shown = show(read(path))
    _print(shown.tables, shown.lines, shown.page)


def _show_halo(path: Path) -> None:
    from weft_lab.suites.halo.page import show
    from weft_lab.suites.halo.results import read

    shown = show(read(path))
    _print(shown.tables, shown.lines, shown.page)


def _print(tables: Sequence[Table], lines: Sequence[str], page: Path) -> None:
    from rich.console import Console

    from weft_lab.pages.terminal import print_table

    console = Console()
    for table in tables:
        print_table(console, table)
    for line in lines:
        console.print(line, markup=False, highlight=False)
    print(page)

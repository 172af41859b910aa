# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft report`: measure, or take a finished run, and write the page that decides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab import cli_options as options
from weft_lab.errors import UsageError
from weft_lab.storage.folder_files import understood


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

    from weft_lab.notices import warn
    from weft_lab.storage.store import ResultFolder
    from weft_lab.suites import protocol

    if folder is not None:
        _refuse_options(folder, given)
        with understood(folder):
            suite = protocol.of_folder(ResultFolder.open(folder))
            suite.report(suite.read(folder, warn), Console())
        return
    wanted = options.make_options(given)
    suite = protocol.asked(wanted)
    measured = suite.measure(wanted, Console(stderr=True))
    suite.report(suite.read(measured.path, warn), Console())
    suite.raise_for_outcome(measured)


def _refuse_options(folder: Path, given: options.Given) -> None:
    """A finished run cannot be measured with other options; ignoring them would mislead."""
    if given != options.Given():
        raise UsageError(
            what=f"'{folder}' is a finished run, and options such as --size say what to measure",
            why="its report shows everything it holds",
            remedy=f"type ./weft report {folder}, or leave the folder out to measure",
        )

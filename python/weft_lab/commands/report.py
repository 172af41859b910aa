# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft report`: measure, or take a finished run, and write the page that decides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab import cli_options as options


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

    Examples: ./weft report --quick; ./weft report --only sort,reduce; ./weft report results/latest
    """
    from rich.console import Console

    from weft_lab.session import measure, raise_for_outcome

    measured = (
        None if folder is not None else measure(options.make_options(given), Console(stderr=True))
    )
    path = folder if measured is None else measured.path
    assert path is not None

    from weft_lab.report.build import build_report
    from weft_lab.report.terminal import print_summary

    built = build_report(path)
    print_summary(Console(), built.view, built.page)
    if measured is not None:
        raise_for_outcome(measured)

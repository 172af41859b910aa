# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft history`: each benchmark's time over many runs, and since which commit it is slower."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

ROWS_SHOWN = 24


def command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="FOLDER...", help="Result folders: results/* is all.")
    ],
    threshold: Annotated[
        float, typer.Option(min=0.0, help="Smallest change that matters, in percent.")
    ] = 3.0,
    output: Annotated[Path, typer.Option(help="Where the page, figures and CSV files go.")] = Path(
        "results/history"
    ),
) -> None:
    """Show medians over commits or dates, and mark the runs since which a time has changed.

    Example: ./weft history results/*
    """
    from rich.console import Console

    from weft_lab.advice import history
    from weft_lab.notices import warn
    from weft_lab.pages.history import write_history
    from weft_lab.pages.terminal import print_table

    own = output.resolve()
    loaded = history.load([each for each in folders if each.resolve() != own], warn)
    found = history.histories(loaded, threshold / 100.0)
    shown = write_history(found, folders, output)
    console = Console()
    for line in shown.lines:
        console.print(line, markup=False, highlight=False)
    for table in shown.tables:
        console.print()
        print_table(console, table, ROWS_SHOWN)
    console.print(f"\nReport  {shown.page}", markup=False, highlight=False, soft_wrap=True)

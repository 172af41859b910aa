# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft merge`: several machines in one table, beside the published ones."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folders: Annotated[list[Path], typer.Argument(help="Result folders, one per machine.")],
    output: Annotated[Path, typer.Option(help="Where the page and the CSV files go.")] = Path(
        "results/merged"
    ),
) -> None:
    """Put several machines side by side, beside the values the pSTL-Bench paper published.

    Example: ./weft merge results/2026-01-01T000000-a results/2026-01-02T000000-b
    """
    from rich.console import Console

    from weft_lab.notices import warn
    from weft_lab.pages.load import load
    from weft_lab.pages.terminal import print_table
    from weft_lab.storage.folder_files import understood
    from weft_lab.suites.stl.merge import write_merged

    views = []
    for path in folders:
        with understood(path):
            views.append(load(path, warn))
    with understood(folders[-1]):
        tables, page = write_merged(views, output)
    console = Console()
    for table in tables:
        print_table(console, table.narrow)
    print(page)

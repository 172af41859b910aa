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
    nodes: Annotated[
        bool, typer.Option("--nodes", help="Rank the nodes of a cluster, and name outliers.")
    ] = False,
) -> None:
    """Put several machines side by side, beside the values the pSTL-Bench paper published.

    With --nodes: which of many equal nodes are slower than the rest, the likely cause, and drift.
    Examples: ./weft merge results/2026-01-01T000000-a results/2026-01-02T000000-b;
    ./weft merge --nodes results/nodes/*
    """
    if nodes:
        _rank(folders, output)
        return
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


def _rank(folders: list[Path], output: Path) -> None:
    from rich.console import Console

    from weft_lab.advice import history
    from weft_lab.advice.nodes import nodes
    from weft_lab.notices import warn
    from weft_lab.pages.nodes import write_nodes
    from weft_lab.pages.terminal import print_table
    from weft_lab.storage.folder_files import understood

    own = output.resolve()
    named = [each for each in folders if each.resolve() != own]
    loaded = history.load(named, warn, "./weft merge --nodes results/nodes/*")
    with understood(folders[-1]):
        shown = write_nodes(nodes(loaded), folders, output)
    console = Console()
    for line in shown.lines:
        console.print(line, markup=False, highlight=False)
    for table in shown.tables:
        print_table(console, table)
    console.print(f"\nReport  {shown.page}", markup=False, highlight=False, soft_wrap=True)

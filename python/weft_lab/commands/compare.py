# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft compare`: what became faster, what slower, and what nobody can tell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

ROWS_SHOWN = 12


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="A B", help="The run before and the run after: folder or latest."),
    ],
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, help="Smallest change that matters, in percent.", show_default=False),
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="Cells to show.")] = ROWS_SHOWN,
    show_all: Annotated[bool, typer.Option("--all", help="Show every cell.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False,
) -> None:
    """Compare run B with run A: ratio, interval and verdict for each cell.

    A run is a folder, the name of one under results/, or latest. A change matters beyond 3 %, or
    beyond the noise that the intervals do not explain if that is more.
    Exit codes: 0 no regression; 1 something became slower.
    Example: ./weft compare results/2026-01-01T000000-host latest
    """
    from rich.console import Console

    from weft_lab.advice.comparing import compare_folders, require_two
    from weft_lab.advice.runs import load
    from weft_lab.notices import warn
    from weft_lab.pages.compare_table import raise_if_regressed, render, require_comparable
    from weft_lab.storage.folder_files import understood

    limit = None if threshold is None else threshold / 100.0
    first, second = require_two(runs)
    with understood(first):
        before = load(first, warn)
    with understood(second):
        compared = compare_folders(before, load(second, warn), limit)
    require_comparable(compared)
    if as_json:
        print(json.dumps(compared.to_dict()))
    else:
        render(Console(), compared, None if show_all else rows)
    raise_if_regressed(compared)

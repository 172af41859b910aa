# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft fit`: latency and bandwidth from a file that another benchmark wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab.errors import UsageError

FORMATS = "imb, osu or gbench; recognised if not given."


def command(
    files: Annotated[list[Path], typer.Argument(help="Outputs of one benchmark, one per launch.")],
    format_: Annotated[str | None, typer.Option("--format", help=FORMATS)] = None,
    export: Annotated[
        Path | None, typer.Option("--export-extrap", help="Write the points for Extra-P here.")
    ] = None,
) -> None:
    """Fit models to results of IMB, OSU or Google Benchmark, and name suspicious values.

    Several files are several launches of one benchmark: then the fits have intervals.

    Examples: ./weft fit imb.txt; ./weft fit run1.txt run2.txt --format osu; ./weft fit imb.txt
    --export-extrap points.jsonl
    """
    from rich.console import Console

    from weft_lab.pages.terminal import print_table
    from weft_lab.suites.mpi.importers.extrap import Measurement, write_extrap
    from weft_lab.suites.mpi.importers.fitted import fitted, grouped
    from weft_lab.suites.mpi.importers.formats import read_curves

    groups = grouped([read_curves(path, format_) for path in files])
    if not groups:
        raise UsageError(
            what="the files have no benchmark in common",
            why="files given together are launches of one benchmark with the same sizes",
            remedy="fit each file by itself",
        )
    console = Console()
    for curves in groups:
        shown = fitted(curves)
        for table in shown.tables:
            print_table(console, table)
        for line in shown.lines:
            console.print(line, markup=False, highlight=False)
    if export is not None:
        points = [
            Measurement(curve.benchmark, {"size": float(point.size_bytes)}, point.time_s)
            for curves in groups
            for curve in curves
            for point in curve.points
            if point.size_bytes > 0
        ]
        print(write_extrap(export, points))

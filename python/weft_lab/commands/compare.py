# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft compare`: what became faster, what slower, and what nobody can tell."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer


def command(
    a: Annotated[Path, typer.Argument(help="The run before: a result folder.")],
    b: Annotated[Path, typer.Argument(help="The run after.")],
    threshold: Annotated[
        float | None,
        typer.Option(min=0.0, help="Smallest change that matters, in percent.", show_default=False),
    ] = None,
    rows: Annotated[int, typer.Option(min=0, help="Rows to show; 0 shows all.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False,
) -> None:
    """Compare run B with run A: ratio, interval and verdict for each cell.

    A change matters beyond 3 %, or beyond the noise floor of either run if that is more.
    Exit codes: 0 no regression; 1 something became slower.
    Example: ./weft compare results/2026-01-01T000000-host latest
    """
    from rich.console import Console

    from weft_lab.compare_table import raise_if_regressed, render, require_comparable
    from weft_lab.comparing import compare_runs
    from weft_lab.runs import load
    from weft_lab.statistics import practical_threshold

    stderr = Console(stderr=True)
    before, after = (
        load(path, lambda text: stderr.print(text, highlight=False)) for path in (a, b)
    )
    floors = before.findings.noise_floor, after.findings.noise_floor
    limit = practical_threshold(*floors) if threshold is None else threshold / 100.0
    found = compare_runs(before.findings.summaries, after.findings.summaries, limit)
    require_comparable(found, before.folder.path, after.folder.path)
    if as_json:
        head = {"a": str(before.folder.path), "b": str(after.folder.path), "threshold": limit}
        noise = {"noise_floor_a": floors[0], "noise_floor_b": floors[1]}
        print(json.dumps({**head, **noise, "cells": [asdict(row) for row in found]}))
    else:
        render(Console(), found, limit, floors, rows)
    raise_if_regressed(found, limit)

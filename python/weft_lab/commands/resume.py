# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft resume`: go on with a run that was stopped, however it was."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab import cli_options as options


def command(
    folder: Annotated[Path, typer.Argument(help="Result folder, its name, or latest.")] = Path(
        "latest"
    ),
    budget: options.Budget = None,
    programs: options.ProgramsFolder = None,
) -> None:
    """Continue a stopped run: same plan, same seed, the unused part of its budget.

    The programs are this checkout's, or those of --programs; the folder never chooses what runs.
    Example: ./weft resume latest --budget 20m
    """
    from rich.console import Console

    from weft_lab.measuring.options import parse_budget
    from weft_lab.storage.store import ResultFolder
    from weft_lab.suites import protocol

    seconds = None if budget is None else parse_budget(budget)
    found = ResultFolder.open(folder)
    suite = protocol.of_folder(found)
    opened = suite.resume(found, Console(stderr=True), seconds, programs)
    print(opened.path)
    suite.raise_for_outcome(opened)

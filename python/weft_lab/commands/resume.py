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

    from weft_lab.halo import session as halo
    from weft_lab.mpi import session as mpi
    from weft_lab.options import parse_budget
    from weft_lab.session import raise_for_outcome, resume
    from weft_lab.store import ResultFolder

    seconds = None if budget is None else parse_budget(budget)
    found = ResultFolder.open(folder)
    mpi.refuse_to_resume(found)
    halo.refuse_to_resume(found)
    opened = resume(found, Console(stderr=True), seconds, programs)
    print(opened.path)
    raise_for_outcome(opened)

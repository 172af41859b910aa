# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft explain`: why the report says what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    topic: Annotated[
        str, typer.Argument(help="sort, fib, gnu, likely, memory, 'noise floor', profile, ...")
    ],
    folder: Annotated[Path, typer.Option("--from", help="The run to explain.")] = Path("latest"),
) -> None:
    """Say in plain words, with numbers, why the latest run came to its answer.

    Topic profile needs no run: it lists the values of ./weft tune that programs use here.
    Examples: ./weft explain sort; ./weft explain gnu; ./weft explain "noise floor"
    """
    if topic == "profile":
        _explain_profile()
        return
    from weft_lab.notices import warn
    from weft_lab.pages.explain import explain
    from weft_lab.pages.load import load
    from weft_lab.storage.folder_files import understood

    with understood(folder):
        print(*explain(load(folder, warn), topic), sep="\n")


def _explain_profile() -> None:
    from rich.console import Console

    from weft_lab.machine.toolchains import GCC
    from weft_lab.measuring.programs import Builder
    from weft_lab.measuring.tuning import built, launch
    from weft_lab.pages.profile_table import print_in_force

    program = built(Builder(GCC).folder / "bin")
    print_in_force(Console(highlight=False), launch(program, "in-force", ""))

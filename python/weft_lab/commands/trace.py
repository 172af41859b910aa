# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a weft program and writes what its workers did, for ui.perfetto.dev; also after a crash."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab.measuring.tools import become_tool


def command(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- PROGRAM [ARGUMENTS]...", help="Any program that uses weft."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The trace; default: trace.pftrace. FILE.json: Chrome's JSON."
        ),
    ] = None,
    last: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Only the last part, such as 10s.")
    ] = None,
    buffer: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Buffer of each worker; default: 4MiB."),
    ] = None,
    recover: Annotated[
        list[Path] | None,
        typer.Option(help="FILE.rings of a process that crashed, was killed, or still runs."),
    ] = None,
) -> None:
    """Runs a weft program and writes what its workers did, for ui.perfetto.dev; also after a crash.

    Exit codes: the program's own, 128 and the signal's number if one ended it; 1 there is no trace.

    Example: ./weft trace -o fib.pftrace -- ./fib 30
    """
    arguments = []
    for name, value in (("output", output), ("last", last), ("buffer", buffer)):
        arguments += [] if value is None else [f"--{name}={value}"]
    arguments += [f"--recover={rings}" for rings in recover or ()]
    arguments += ["--", *program] if program else []
    become_tool("trace", arguments)

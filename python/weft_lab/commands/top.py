# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows live what a weft program's workers are doing; also of one that hangs or was killed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab.measuring.tools import become_tool


def command(
    program: Annotated[
        list[str] | None,
        typer.Argument(metavar="-- PROGRAM [ARGUMENTS]...", help="Start and watch this program."),
    ] = None,
    *,
    pid: Annotated[
        int | None, typer.Option(help="Watch this process, or show its state when it was killed.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="One line for each of your weft programs.")
    ] = False,
    once: Annotated[bool, typer.Option("--once", help="Print once and exit.")] = False,
    interval: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time between updates, such as 250ms.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object per update.")] = False,
    csv: Annotated[bool, typer.Option("--csv", help="One line per update and worker.")] = False,
    record: Annotated[Path | None, typer.Option(help="Record every update in a file.")] = None,
    replay: Annotated[Path | None, typer.Option(help="Show a recording.")] = None,
    openmetrics: Annotated[
        Path | None, typer.Option(help="Write totals at every update, for node_exporter.")
    ] = None,
    serve: Annotated[
        int | None, typer.Option(metavar="PORT", help="Answer http://127.0.0.1:PORT/metrics.")
    ] = None,
    reap: Annotated[
        bool, typer.Option("--reap", help="Remove the files of killed programs.")
    ] = False,
) -> None:
    """Shows live what a weft program's workers are doing; also of one that hangs or was killed.

    Without PROGRAM or --pid: the only weft program that runs. Exit codes: 0 done; 1 failed; 2 wrong
    options; with a program, its own.

    Example: ./weft top -- ./fib 30
    """
    flags = {"all": every, "once": once, "json": json, "csv": csv, "reap": reap}
    values = {
        "pid": pid,
        "interval": interval,
        "record": record,
        "replay": replay,
        "openmetrics": openmetrics,
        "serve": serve,
    }
    arguments = [f"--{name}" for name, is_given in flags.items() if is_given]
    arguments += [f"--{name}={value}" for name, value in values.items() if value is not None]
    arguments += ["--", *program] if program else []
    become_tool("top", arguments)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench`: the user's own program, measured and compared like weft's own suites."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from weft_lab import cli_options as options


def command(
    words: Annotated[
        list[str],
        typer.Argument(
            metavar="-- COMMAND... [--name NAME -- COMMAND...]",
            help="The program and its arguments; several commands are compared.",
            show_default=False,
        ),
    ],
    *,
    name: Annotated[
        str | None, typer.Option(help="Name of the command behind the next --.")
    ] = None,
    threads: Annotated[
        list[str] | None,
        typer.Option(
            help="1,2,all: {threads}, OMP_NUM_THREADS, WEFT_WORKERS and the CPUs of a launch."
        ),
    ] = None,
    param: Annotated[
        list[str] | None, typer.Option(help="n=2^10..2^14 or n=1,2: values of {n}.")
    ] = None,
    env: Annotated[
        list[str] | None, typer.Option(help="NAME=VALUE for each launch; {threads} and {n} too.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(help="Number in the output: 'GFlop/s: ([0-9.]+)', 'rate [MB/s]=(...)'."),
    ] = None,
    expect: Annotated[
        list[str] | None,
        typer.Option(help="What each launch must give: exit code, file of output, or regex."),
    ] = None,
    warmup: Annotated[int, typer.Option(min=0, help="Launches of each before any counts.")] = 0,
    setup: Annotated[str, typer.Option(help="Line of shell before the first launch.")] = "",
    prepare: Annotated[str, typer.Option(help="Line of shell before each launch.")] = "",
    cleanup: Annotated[str, typer.Option(help="Line of shell after the last launch.")] = "",
    stdin: Annotated[
        Path | None, typer.Option(help="File as standard input; without it, none.")
    ] = None,
    directory: Annotated[Path | None, typer.Option(help="Working folder of each launch.")] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.01, help="Seconds until a launch is ended as hung.")
    ] = None,
    budget: options.Budget = None,
    rounds: options.Rounds = None,
    seed: options.Seed = 42,
    results: options.Results = Path("results"),
    baseline: Annotated[
        str | None,
        typer.Option(help="Compare with the run kept as NAME; keep this one if none is."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="With --baseline: keep this run as NAME from now on.")
    ] = False,
    fail_if_slower: Annotated[
        str | None, typer.Option(help="5%: exit code 1 if shown to be that much slower.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="Go on with this run of the same commands.")
    ] = None,
) -> None:
    """Measure your own program: time, memory, threads; which command is best, and how sure.

    Measures for a minute at most, 20 launches of each; --budget asks for as many as fit.
    Exit codes: 0 all have times; 1 shown to be slower; 4 a launch failed and left no time.
    Examples: ./weft bench -- sleep 0.1; ./weft bench --threads 1,2 -- xz -kc -T {threads} FILE
    """
    given = {key: _listed(value) for key, value in locals().items()}
    from weft_lab.suites.bench import asking

    asking.bench(asking.Line(**given))


def _listed(value: Any) -> Any:  # noqa: ANN401 - what typer parsed
    return tuple(value) if isinstance(value, list) else value

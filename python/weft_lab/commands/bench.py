# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench`: the user's own program, measured and compared like weft's own suites."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from weft_lab import cli_options as options

Texts = list[str] | None


def _option(text: str, **more: Any) -> Any:  # noqa: ANN401 - what typer takes and gives
    return typer.Option(help=text, show_default=False, **more)


Words = Annotated[
    Texts,
    typer.Argument(
        metavar="KERNEL.cpp | -- COMMAND...",
        help="A C++ kernel; or a program with arguments, then --name NAME -- COMMAND... for more.",
        show_default=False,
    ),
]
Backend = Annotated[Texts, _option("For a kernel: weft,onetbb; weft@clang.")]
BuildDir = Annotated[Path | None, _option("Build folder with a bench of weft_add_bench.")]
File = Annotated[Path | None, _option("TOML file of commands to run, and options.")]
Name = Annotated[str | None, _option("Name of the command.")]
Threads = Annotated[Texts, _option("1,2,all: sets {threads}, OMP_NUM_THREADS and CPUs.")]
Param = Annotated[Texts, _option("n=2^10..2^14 or n=1,2: values of {n}.")]
Env = Annotated[Texts, _option("NAME=VALUE; may hold {threads} and {n}.")]
Placement = Annotated[str, _option("Order of CPUs: cores, close, spread, or 0,2-5.")]
Metric = Annotated[Texts, _option("A number it prints: 'GFlop/s: ([0-9.]+)'.")]
Expect = Annotated[Texts, _option("Exit code, file of output, or regex.")]
Warmup = Annotated[int, _option("Launches of each that are not timed.", min=0)]
Setup = Annotated[str, _option("Line of shell before the first launch.")]
Prepare = Annotated[str, _option("Line of shell before each launch.")]
Cleanup = Annotated[str, _option("Line of shell after the last launch.")]
Stdin = Annotated[Path | None, _option("File as standard input.")]
Directory = Annotated[Path | None, _option("Working folder of each launch.")]
Timeout = Annotated[float | None, _option("Seconds until a launch is killed.", min=0.01)]
Baseline = Annotated[str | None, _option("Compare with the run kept as NAME.")]
Keep = Annotated[bool, typer.Option("--keep", help="Keep this run as the baseline.")]
Markdown = Annotated[bool, typer.Option("--markdown", help="Print Markdown, for a pull request.")]
FailIfSlower = Annotated[str | None, _option("5%: exit code 1 if significantly slower.")]
Resume = Annotated[Path | None, _option("Continue this run.")]


def command(
    context: typer.Context,
    words: Words = None,
    *,
    file: File = None,
    backend: Backend = None,
    build_dir: BuildDir = None,
    name: Name = None,
    threads: Threads = None,
    param: Param = None,
    env: Env = None,
    placement: Placement = "",
    metric: Metric = None,
    expect: Expect = None,
    warmup: Warmup = 0,
    setup: Setup = "",
    prepare: Prepare = "",
    cleanup: Cleanup = "",
    stdin: Stdin = None,
    directory: Directory = None,
    timeout: Timeout = None,
    budget: options.Budget = None,
    rounds: options.Rounds = None,
    seed: options.Seed = 42,
    results: options.Results = Path("results"),
    baseline: Baseline = None,
    keep: Keep = False,
    fail_if_slower: FailIfSlower = None,
    markdown: Markdown = False,
    resume: Resume = None,
) -> None:
    """Measure your own program or kernel: which is fastest, and with how many threads.

    Takes a minute at most, with 20 launches of each command; --budget takes as many as fit.
    Exit codes: 1 significantly slower than the baseline; 4 a launch failed, so a time is missing.
    Examples: ./weft bench -- sleep 0.1; ./weft bench --threads 1,2 -- xz -kc -T{threads} FILE;
    ./weft bench examples/bench/dot.cpp
    """
    given = {key: _listed(value) for key, value in locals().items()}
    from weft_lab.suites.bench import asking

    place = given.pop("file")
    del given["context"]
    line = asking.Line(**{**given, "words": given["words"] or ()})
    if place is not None:
        from weft_lab.suites.bench.bench_file import with_file

        line = with_file(line, place, {key for key in given if _is_typed(context, key)})
    asking.bench(line)


def _is_typed(context: typer.Context, option: str) -> bool:
    source = context.get_parameter_source(option)
    return source is not None and source.name == "COMMANDLINE"


def _listed(value: Any) -> Any:  # noqa: ANN401 - what typer parsed
    return tuple(value) if isinstance(value, list) else value

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft report`: measure, or take a finished run, and write the page that decides."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from weft_lab import cli_options as options


def command(  # noqa: PLR0917 - typer: every option is a parameter
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="A finished run to report again; without it, measures.", show_default=False
        ),
    ] = None,
    quick: options.Quick = False,
    full: options.Full = False,
    budget: options.Budget = None,
    suite: options.Suite = None,
    only: options.Only = None,
    backend: options.Backend = None,
    size: options.Size = None,
    threads: options.Threads = None,
    type: options.Type = None,
    allocator: options.Allocator = None,
    placement: options.Placement = None,
    smt: options.Smt = None,
    protocol: options.Protocol = "robust",
    rounds: options.Rounds = None,
    seed: options.Seed = 42,
    results: options.Results = Path("results"),
    programs: options.ProgramsFolder = None,
) -> None:
    """Measure this machine and write report.html: what to use, how many threads, and why.

    Examples: ./weft report --quick; ./weft report --only sort,reduce; ./weft report results/latest
    """
    given = options.Given(
        quick=quick,
        full=full,
        budget=budget,
        suite=suite,
        only=only,
        backend=backend,
        size=size,
        threads=threads,
        type=type,
        allocator=allocator,
        placement=placement,
        smt=smt,
        protocol=protocol,
        rounds=rounds,
        seed=seed,
        results=results,
        programs=programs,
    )
    _report(folder, given)


def _report(folder: Path | None, given: options.Given) -> None:
    from rich.console import Console

    from weft_lab.session import measure, raise_for_outcome

    measured = (
        None if folder is not None else measure(options.make_options(given), Console(stderr=True))
    )
    path = folder if measured is None else measured.path
    assert path is not None

    from weft_lab.report.build import build_report
    from weft_lab.report.terminal import print_summary

    built = build_report(path)
    print_summary(Console(), built.view, built.page)
    if measured is not None:
        raise_for_outcome(measured)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Benchmarks under tools, measured beside a run of the suite and kept within its folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from weft_lab.errors import MissingError
from weft_lab.measuring import session
from weft_lab.measuring.options import RunOptions
from weft_lab.notices import warn
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.inncabs.external_tools.asked import measure_asked, raise_if_stopped, wanted_by
from weft_lab.suites.inncabs.external_tools.conditions import RUNTIMES

FOLDER = "tools"
# The fraction of the whole time; the time that a tier gives to the run does not shrink.
TOOLS_FRACTION = 0.25


@dataclass(frozen=True)
class Shares:
    """The measurements without tools, and those with tools; None: none, for these runtimes."""

    run: RunOptions
    tools: RunOptions | None


def share_out(options: RunOptions) -> Shares:
    """With tools, only one size and one thread count are measured: the largest requested.

    Errors: `UsageError` for options that the measurement lacks, before anything is measured.
    """
    named = tuple(dict.fromkeys(name.partition("@")[0] for name in options.backend))
    runtimes = tuple(name for name in named if name in RUNTIMES)
    if named and not runtimes:
        return Shares(options, None)
    tools = replace(options, size=options.size[-1:], threads=options.threads[-1:], backend=runtimes)
    wanted_by(tools)
    run_s = options.measuring_budget_s
    if options.budget_s is not None:
        run_s *= 1.0 - TOOLS_FRACTION
    tools_s = run_s * TOOLS_FRACTION / (1.0 - TOOLS_FRACTION)
    return Shares(replace(options, budget_s=run_s), replace(tools, budget_s=tools_s))


def measure_beside(run: ResultFolder, options: RunOptions | None, console: Console) -> None:
    """Measures into the folder of a run that was not stopped. Only reports a missing program."""
    if options is None or run.read_manifest()["status"] != "complete":
        return
    try:
        measure_asked(replace(options, results=run.path / FOLDER), console)
    except MissingError as error:
        warn(f"nothing was measured under tools: {error}")


def raise_for_outcome(run: ResultFolder, item: str) -> None:
    """As `session.raise_for_outcome`; `Interrupted` if the measurement beside it was stopped."""
    session.raise_for_outcome(run)
    place = newest(run.path)
    if place is not None:
        raise_if_stopped(ResultFolder.open(place), item)


def newest(run: Path) -> Path | None:
    """The last measurement under tools within the run's folder; None if there is none."""
    latest = run / FOLDER / "latest"
    is_within = latest.is_dir() and latest.resolve().is_relative_to(run.resolve())
    return latest.resolve() if is_within else None

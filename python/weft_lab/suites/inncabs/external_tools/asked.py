# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts the options of the command line to the measurements under tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from weft_lab.errors import Interrupted, UsageError
from weft_lab.machine import facts as machine
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.progress import RunProgress
from weft_lab.storage.cells import check_names
from weft_lab.storage.checkout import problems_in_checkout
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.inncabs.axes import AXES
from weft_lab.suites.inncabs.external_tools.built import machine_program, programs_for
from weft_lab.suites.inncabs.external_tools.conditions import RUNTIMES, Input
from weft_lab.suites.inncabs.external_tools.session import Wanted, measure

SMALL = 2
ROUNDS: Mapping[str, int] = {"quick": 1, "default": 5, "full": 20}
BUDGETS_S: Mapping[str, float] = {"quick": 300.0, "default": 3600.0, "full": 14400.0}


def measure_asked(options: RunOptions, console: Console) -> ResultFolder:
    """Builds or finds the programs and measures them.

    Errors: `UsageError`, `MissingError`, `ResultFolderError` before anything is measured.
    """
    wanted = wanted_by(options)
    with RunProgress(console) as progress:
        programs, described = programs_for(wanted.runtimes, options.programs, progress.on_build)
    facts = {
        "machine": machine.describe(machine_program(options.programs)),
        "programs": {program.variant: program.record for program in described},
    }
    return measure(wanted, programs, facts, console)


def raise_if_stopped(folder: ResultFolder, item: str) -> None:
    """Raises `Interrupted` if the measurement ended that way; nothing continues with an interrupted
    one."""
    if folder.read_manifest()["status"] == "interrupted":
        raise Interrupted(
            what="stopped on request",
            why="what was measured is kept",
            remedy=f"to see it again: ./weft reproduce {item} --from {folder.path}",
        )


def wanted_by(options: RunOptions) -> Wanted:
    """Errors: `UsageError` for options that this measurement lacks, or supports with one value
    only."""
    known = problems_in_checkout("inncabs")
    check_names("problem", options.only, known)
    check_names("runtime", options.backend, RUNTIMES)
    check_names("size", map(str, options.size), map(str, AXES.size_names))
    what = Input(
        size=_one("size", options.size, SMALL),
        threads=_one("threads", options.threads, machine.cpus_usable()),
        seed=options.seed,
    )
    budget_s = BUDGETS_S[options.tier] if options.budget_s is None else options.budget_s
    return Wanted(
        problems=options.only or tuple(known),
        runtimes=tuple(name for name in RUNTIMES if name in (options.backend or RUNTIMES)),
        what=what,
        rounds=options.rounds_max or ROUNDS[options.tier],
        budget_s=budget_s,
        results=options.results,
    )


def _one(name: str, values: Sequence[int], default: int) -> int:
    if len(values) > 1:
        raise UsageError(
            what=f"--{name} takes one value here, not {len(values)}",
            why="every benchmark is run under every tool",
            remedy=f"type for example --{name} {values[0]}",
        )
    return values[0] if values else default

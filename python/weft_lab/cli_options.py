# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options that `run` and `report` share: how they are spelt, completed, and turned into `RunOptions`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from weft_lab.cells import ALLOCATORS, PLACEMENTS, SMT_MODES, TYPES, parse_sizes, parse_threads, split_list
from weft_lab.errors import UsageError
from weft_lab.options import RunOptions, Tier, parse_budget

Names = list[str] | None


def _complete(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        # A comma list is completed at its last name.
        head, comma, last = incomplete.rpartition(",")
        return [head + comma + name for name in names() if name.startswith(last)]

    return complete


def _problems() -> list[str]:
    from weft_lab.suites import SUITES, problems_in_checkout

    return [name for suite in SUITES for name in problems_in_checkout(suite)]


def _backends() -> list[str]:
    from weft_lab.suites import SUITES, backends_in_checkout

    return [name for suite in SUITES for name in backends_in_checkout(suite)]


def _option(text: str, names: Callable[[], Iterable[str]] | None = None) -> Any:
    return typer.Option(help=text, autocompletion=_complete(names) if names else None, show_default=False)


Quick = Annotated[bool, typer.Option("--quick", help="2 minutes: a few sizes, 1 and all threads.")]
Full = Annotated[bool, typer.Option("--full", help="2 hours: every size, type, placement and compiler.")]
Budget = Annotated[str | None, _option("Time for measuring: 90s, 10m, 1.5h.")]
Suite = Annotated[Names, _option("Suites, comma separated.", lambda: ("stl",))]
Only = Annotated[Names, _option("Problems: sort,reduce.", _problems)]
Backend = Annotated[Names, _option("Backends: gnu,onetbb or gnu@clang.", _backends)]
Size = Annotated[Names, _option("Elements: 2^20, 1M, 2^10..2^20.")]
Threads = Annotated[Names, _option("Thread counts: 1,2,all.", lambda: ("all",))]
Type = Annotated[Names, _option("Element types.", lambda: TYPES)]
Allocator = Annotated[Names, _option("default,first_touch.", lambda: ALLOCATORS)]
Placement = Annotated[Names, _option("none,cores.", lambda: PLACEMENTS)]
Smt = Annotated[Names, _option("Hardware threads: on,off.", lambda: SMT_MODES)]
Protocol = Annotated[str, typer.Option(help="robust, or paper: 5 s per cell, mean.")]
Rounds = Annotated[int | None, typer.Option(min=1, help="Stop after so many launches of each cell.")]
Seed = Annotated[int, typer.Option(help="Seed of the random order.")]
Results = Annotated[Path, typer.Option(help="Where result folders go.")]
ProgramsFolder = Annotated[
    Path | None, typer.Option("--programs", help="Folder of built bench programs; builds nothing.")
]


def make_options(quick: bool, full: bool, **given: Any) -> RunOptions:
    """`RunOptions` from the texts of the command line. Errors: `UsageError`."""
    from weft_lab.machine import cpus_usable

    if quick and full:
        raise UsageError("--quick and --full contradict each other", "each chooses how much to measure", "give one")
    tier: Tier = "quick" if quick else "full" if full else "default"
    budget = given.pop("budget", None)
    names = {name: tuple(split_list(value)) for name, value in given.items() if name in _NAME_AXES}
    others = {name: value for name, value in given.items() if name not in _NAME_AXES + ("size", "threads")}
    return RunOptions(
        tier=tier,
        budget_s=None if budget is None else parse_budget(budget),
        size=tuple(parse_sizes(given.get("size"))),
        threads=tuple(parse_threads(given.get("threads"), cpus_usable())),
        **{**names, "suite": names.get("suite") or ("stl",)},
        **others,
    )


_NAME_AXES = ("suite", "only", "backend", "type", "allocator", "placement", "smt")

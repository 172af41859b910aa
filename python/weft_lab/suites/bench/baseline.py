# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that are stored under a name, and whether a later run is significantly slower."""

from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console

from weft_lab.advice.comparing import RunComparison, compare_folders
from weft_lab.advice.runs import load
from weft_lab.errors import UsageError
from weft_lab.notices import warn
from weft_lab.pages.compare_markdown import compared_markdown
from weft_lab.pages.compare_table import render, require_comparable
from weft_lab.storage.folder_files import understood
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.bench.asked import NAME

ROWS_SHOWN = 12
SAME_NAMES = (
    "name the command as then, with --name, and give the same --param and --threads; --keep makes "
    "this run the baseline"
)
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%?")


def place_of(name: str, results: Path) -> Path:
    """The link that represents the run. Errors: `UsageError` for an invalid name."""
    if not NAME.fullmatch(name):
        why = "a name is made of letters, digits and _ . + -"
        what = f"--baseline '{name}' is no name"
        raise UsageError(what, why, "type --baseline main")
    return results / f"baseline-{name}"


def limit_of(text: str) -> float:
    """`5%` as a fraction. Errors: `UsageError`."""
    match = PERCENT.fullmatch(text.strip())
    if not match:
        why = "it is the smallest slow-down that matters, in percent"
        what = f"--fail-if-slower '{text}' is wrong"
        raise UsageError(what, why, "type --fail-if-slower 5%")
    return float(match[1]) / 100.0


def compare_with(place: Path, folder: ResultFolder, limit: float | None) -> RunComparison:
    """This run against the kept one. Errors: `UsageError` when they share no timed cell."""
    with understood(place):
        before = load(place.resolve(), warn)
        compared = compare_folders(before, load(folder.path, warn), limit)
    require_comparable(compared, SAME_NAMES)
    return compared


def show(compared: RunComparison, name: str, console: Console, *, as_markdown: bool) -> None:
    """Prints how the run compares with the one kept as `name`."""
    if as_markdown:
        text = compared_markdown(compared, f"Against the baseline {name}")
        console.out(text, highlight=False)
    else:
        render(console, compared, ROWS_SHOWN)

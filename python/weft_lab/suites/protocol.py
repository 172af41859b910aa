# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of every suite, and how the commands find it: a folder in `suites/` with `axes.py`
and, in `suite.py`, `SUITE`.

Adding a suite changes no existing line.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from weft_lab.measuring.options import RunOptions, is_asked_alone
from weft_lab.storage import axes
from weft_lab.storage.axes import Axes
from weft_lab.storage.checkout import SUITES
from weft_lab.storage.store import ResultFolder

if TYPE_CHECKING:
    from rich.console import Console

    from weft_lab.pages.papers import Item
    from weft_lab.pages.reproduced import Reproduction
    from weft_lab.pages.table import Table

View = TypeVar("View")
Warn = Callable[[str], None]


class Suite(Protocol[View]):
    """One suite. `View`: a run of it, read and analysed.

    The plan depends on the programs and transports that a run finds, so `measure` plans.
    """

    @property
    def axes(self) -> Axes:
        """The suite's axes of the command line."""
        ...

    def measure(self, options: RunOptions, console: Console) -> ResultFolder:
        """Measures into a new folder and returns it, also after Ctrl-C."""
        ...

    def resume(
        self, folder: ResultFolder, console: Console, budget_s: float | None, programs: Path | None
    ) -> ResultFolder:
        """Goes on with a stopped run. Errors: `UsageError` where runs are whole."""
        ...

    def raise_for_outcome(self, folder: ResultFolder) -> None:
        """Raises `Interrupted` or `WrongAnswerFound` when that is how the run ended."""
        ...

    def read(self, path: Path, warn: Warn) -> View:
        """A run as its page shows it. Errors: `ResultFolderError`."""
        ...

    def report(self, view: View, console: Console) -> None:
        """Writes the page, tables and figures into the run's folder, and prints the answer."""
        ...

    def claims(self, view: View) -> Sequence[Table]:
        """weft's own claims, with the run's result for each; empty without claims."""
        ...

    def reproduce(
        self, item: Item, wanted: RunOptions, folder: Path | None, console: Console
    ) -> Reproduction:
        """One table or figure of a paper from a run; without one, measures what it needs."""
        ...


def suite(name: str) -> Suite[Any]:
    """The suite of that name; for an unknown suite, the common part of suites of cells."""
    is_known = any(each.name == name for each in axes.every())
    place = f"weft_lab.suites.{name}.suite" if is_known else "weft_lab.suites.cells"
    found: Suite[Any] = importlib.import_module(place).SUITE
    return found


def asked(options: RunOptions) -> Suite[Any]:
    """The suite that options ask for. Errors: `UsageError` for one that is measured alone and is
    not.
    """
    for each in axes.every():
        if not each.has_cells and is_asked_alone(each.name, options.suite):
            return suite(each.name)
    known = [name for name in options.suite if name in SUITES]
    return suite(known[0] if known else "")


def of_folder(folder: ResultFolder) -> Suite[Any]:
    """The suite that measured a folder; any suite of cells reads the runs of all others."""
    manifest = folder.read_manifest()
    alone = [each.name for each in axes.every() if not each.has_cells and each.name in manifest]
    options = manifest.get("options")
    named = options.get("suite") if isinstance(options, dict) else None
    chosen = named[0] if isinstance(named, list) and len(named) == 1 else ""
    return suite(alone[0] if alone else chosen if chosen in SUITES else "")

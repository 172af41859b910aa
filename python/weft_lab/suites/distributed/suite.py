# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of calls between ranks: how it is measured, read and shown."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from weft_lab.errors import UsageError
from weft_lab.measuring.mpi.rounds import raise_for_wrong
from weft_lab.measuring.options import RunOptions
from weft_lab.pages.papers import Item
from weft_lab.pages.table import Table
from weft_lab.statistics.estimates import Launches
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.distributed import measure, page, results, tables
from weft_lab.suites.distributed.axes import AXES
from weft_lab.suites.distributed.plan import ON_EVERY_TRANSPORT
from weft_lab.suites.distributed.results import Results
from weft_lab.suites.launched import Content, LaunchedSuite


class DistributedSuite(LaunchedSuite[Results]):
    """Wrong answers are reported at the end."""

    def measure(self, options: RunOptions, console: Console) -> ResultFolder:
        return measure.measure(options, console)

    def read(self, path: Path, warn: object = None) -> Results:
        return results.read(path)

    def content(self, results: Results) -> Content:
        return page.content(results)

    def claims(self, results: Results) -> tuple[Table, ...]:
        found = tables.asked_table(results)
        return (found,) if found.rows else ()

    def timed(self, results: Results) -> Mapping[str, Launches]:
        return {
            f"{name}, {case.cell} {case.params}, {case.transport}, {case.mpi}": each.launches(
                "call_s"
            )
            for case, found in results.cases(*ON_EVERY_TRANSPORT).items()
            for name, each in found.items()
        }

    def problems_of(self, item: Item) -> tuple[str, ...]:
        return ()

    def render(self, item: Item, results: Results) -> NoReturn:
        """Errors: `UsageError`: the suite follows no paper."""
        raise UsageError(
            what=f"{item.name} is not an item of the suite distributed",
            why="the suite follows no paper",
            remedy="./weft report --suite distributed shows its page",
        )

    def raise_for_outcome(self, folder: ResultFolder) -> None:
        raise_for_wrong(folder, measure.KEY, "answers")
        super().raise_for_outcome(folder)


SUITE = DistributedSuite(AXES)

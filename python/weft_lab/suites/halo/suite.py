# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of halo exchange: how it is measured, read, shown and reproduced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from weft_lab.measuring.mpi.rounds import raise_for_wrong
from weft_lab.measuring.options import RunOptions
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.statistics.estimates import Launches
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.halo import measure, page, reproduce, results
from weft_lab.suites.halo.axes import AXES
from weft_lab.suites.halo.results import Results
from weft_lab.suites.launched import Content, LaunchedSuite


class HaloSuite(LaunchedSuite[Results]):
    """Wrong cells are reported at the end."""

    def measure(self, options: RunOptions, console: Console) -> ResultFolder:
        return measure.measure(options, console)

    def read(self, path: Path, warn: object = None) -> Results:
        return results.read(path)

    def content(self, results: Results) -> Content:
        return page.content(results)

    def timed(self, results: Results) -> Mapping[str, Launches]:
        return {
            f"{each.contestant}, {each.shape.text}, {each.mpi}": each.launches("exchange")
            for each in results.times("paper", "sweep")
            if not each.is_functional_only
        }

    def problems_of(self, item: Item) -> tuple[str, ...]:
        return (item.table_key,)

    def render(self, item: Item, results: Results) -> Reproduction:
        return reproduce.render_item(item, results)

    def raise_for_outcome(self, folder: ResultFolder) -> None:
        raise_for_wrong(folder, measure.KEY, "cells")
        super().raise_for_outcome(folder)


SUITE = HaloSuite(AXES)

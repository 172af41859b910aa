# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of message passing: how it is measured, read, shown and reproduced."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from weft_lab.measuring.options import RunOptions
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.statistics.estimates import Launches
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.launched import Content, LaunchedSuite
from weft_lab.suites.mpi import measure, page, reproduce, results, tables
from weft_lab.suites.mpi.axes import AXES
from weft_lab.suites.mpi.results import Results


class MpiSuite(LaunchedSuite[Results]):
    """Transports, models of them, and a sweep that they predict."""

    def measure(self, options: RunOptions, console: Console) -> ResultFolder:
        return measure.measure(options, console)

    def read(self, path: Path, warn: object = None) -> Results:
        return results.read(path)

    def content(self, results: Results) -> Content:
        return page.content(results)

    def timed(self, results: Results) -> Mapping[str, Launches]:
        messages = {
            f"{series.name}, {tables.bytes_text(float(size))}": [[float(t)] for t in times]
            for series in results.series()
            for size, times in zip(series.sizes, series.launches.T, strict=True)
        }
        sweeps = {
            f"{case.label}, {case.mpi}": case.launches
            for case in results.cases("jacobi")
            if not case.is_functional_only
        }
        return {**messages, **sweeps}

    def problems_of(self, item: Item) -> tuple[str, ...]:
        return reproduce.problems_of(item)

    def render(self, item: Item, results: Results) -> Reproduction:
        return reproduce.render_item(item, results)


SUITE = MpiSuite(AXES)

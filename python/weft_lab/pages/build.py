# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds everything the report consists of from a result folder: page, figures, tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from weft_lab.errors import ResultFolderError
from weft_lab.pages import tables
from weft_lab.pages.charts import (
    allocator,
    break_even,
    problem_scaling,
    samples,
    strong_scaling,
    throughput,
)
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.load import load_and_advise, silent
from weft_lab.pages.page import render_page
from weft_lab.pages.static_files import write_figures
from weft_lab.pages.table import Column, Table
from weft_lab.pages.view import RunView
from weft_lab.pages.words import Words
from weft_lab.storage.folder_files import make, write
from weft_lab.suites.approaches import charts as approaches
from weft_lab.suites.approaches import tables as approach_tables
from weft_lab.suites.inncabs import tables as inncabs_tables
from weft_lab.suites.inncabs.charts import (
    execution_time,
    head_to_head,
    offcore_bandwidth,
    overheads,
)
from weft_lab.suites.stl import paper_tables
from weft_lab.suites.stl import tables as algorithm_tables
from weft_lab.suites.tasks import tables as task_tables

PAGE_NAME = "report.html"
# In the order of the page.
CHARTS: tuple[Callable[[RunView], Figure | None], ...] = (
    *approaches.BUILDERS,
    problem_scaling.build,
    strong_scaling.build,
    break_even.build,
    throughput.build,
    allocator.build,
    head_to_head.build,
    execution_time.build,
    overheads.build,
    offcore_bandwidth.build,
    samples.build,
)


@dataclass(frozen=True)
class Built:
    """What was written, and the view it was written from."""

    view: RunView
    page: Path
    figures: tuple[Path, ...]
    tables: tuple[Path, ...]


def build_report(folder: Path, warn: Callable[[str], None] = silent) -> Built:
    """Writes `report.html`, `figures/` and `tables/` into the folder. Damaged lines of the samples
    are left out and told to `warn`.

    Errors: `ResultFolderError` when the folder is unusable or cannot be written.
    """
    view = load_and_advise(folder, warn)
    figures = make_figures(view)
    try:
        svgs, paths = write_figures(figures, view.folder / "figures")
        csvs = _write_tables(all_tables(view, figures), view.folder / "tables")
        page = write(view.folder, PAGE_NAME, render_page(view, figures, svgs))
    except OSError as error:
        what = f"cannot write the report into '{view.folder}'"
        remedy = "make the folder writable, or copy it to a place that is"
        raise ResultFolderError(what, error.strerror or str(error), remedy) from error
    return Built(view, page, tuple(paths), csvs)


def make_figures(view: RunView) -> list[Figure]:
    """Every figure this run has data for."""
    figures = [figure for build in CHARTS if (figure := build(view)) is not None]
    return [replace(figure, table=_in_words(figure.table, view.words)) for figure in figures]


def _in_words(table: Table, words: Words) -> Table:
    """The table with the headings of the run's suite, and its sizes as that shows them."""
    headings = {"case": words.case, "size_elements": words.size}
    return replace(
        table,
        columns=tuple(
            Column(
                headings.get(column.key, column.title),
                column.key,
                words.show_size if column.key.endswith("_elements") else column.show,
            )
            for column in table.columns
        ),
    )


def all_tables(view: RunView, figures: list[Figure]) -> list[Table]:
    """Every table, each once."""
    own = [
        tables.decision_table(view),
        tables.wrong_table(view),
        tables.skipped_table(view),
        tables.program_table(view),
    ]
    return [
        *own,
        *algorithm_tables.all_tables(view),
        *task_tables.all_tables(view),
        *inncabs_tables.all_tables(view),
        *approach_tables.all_tables(view),
        *paper_tables.all_tables(view),
        *(figure.table for figure in figures),
    ]


def _write_tables(every: list[Table], folder: Path) -> tuple[Path, ...]:
    make(folder)
    return tuple(table.write_csv(folder) for table in every)

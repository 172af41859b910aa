# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables and figures of the paper on modern C++ and HPX, from a run of the suite of
approaches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import (
    Content,
    Reproduction,
    content_of,
    drawn,
    lines_of,
    remark,
    section_of,
    write,
    write_csv,
    write_page,
)
from weft_lab.pages.table import Table
from weft_lab.pages.view import RunView
from weft_lab.suites.approaches import charts
from weft_lab.suites.approaches import findings as approaches
from weft_lab.suites.approaches import tables as approach_tables

SUITE = approaches.SUITE
CHARTS: Mapping[str, Callable[[RunView], Figure | None]] = {
    "approaches": charts.performance,
    "chunks": charts.chunks,
}
TABLES: Mapping[str, Callable[[RunView], Table]] = {
    "availability": approach_tables.availability_table,
    "versions": approach_tables.version_table,
}
# Items that need no run.
FIXED: Mapping[str, Callable[[], Table]] = {
    "standards": approach_tables.standards_table,
    "concepts": approach_tables.concepts_table,
}
TOO_LITTLE = (
    "too little was measured for this figure: it needs an approach that was timed; skipped.json "
    "says why, a larger --budget may help"
)


def render(item: Item, view: RunView | None, folder: Path) -> Reproduction:
    """Writes the item as a page, CSV and, for a figure, SVG and PNG below `folder`."""
    if item.form in FIXED:
        return write(item, view, folder, content_of(FIXED[item.form]()))
    if view is None:
        return write(item, view, folder, remark(item, TOO_LITTLE))
    if item.form in TABLES:
        return write(item, view, folder, content_of(TABLES[item.form](view)))
    shown = _figure(item, view, folder)
    extra = _beside(item, view)
    sections = [section_of(item, shown), *(section_of(item, each) for each in extra)]
    sections = [
        section if number == 0 else replace(section, title=_title(section.table), lines=())
        for number, section in enumerate(sections)
    ]
    page = write_page(item, view, folder, sections)
    files = (page, write_csv(item, shown, folder), *shown.files)
    return Reproduction((shown.narrow,), lines_of(item, shown), files)


def _title(table: Table | None) -> str:
    return "" if table is None else table.title


def _figure(item: Item, view: RunView, folder: Path) -> Content:
    """Only the item's own cells, although the run may have more."""
    only = replace(view, summaries=tuple(s for s in view.summaries if _is_of(item, s.cell.problem)))
    figure = CHARTS[item.form](only)
    if figure is None:
        return remark(item, TOO_LITTLE)
    found = approaches.sentences(only.summaries) if item.form == "approaches" else ()
    return drawn(item, figure, folder, found)


def _is_of(item: Item, problem: str) -> bool:
    return not item.only or problem in item.only


def _beside(item: Item, view: RunView) -> list[Content]:
    """Figure 3 is not read rightly without equal work and the control."""
    if item.form != "approaches":
        return []
    tables = (
        approach_tables.spread_table(view),
        approach_tables.offset_table(view),
        approach_tables.series_table(view),
    )
    return [content_of(table) for table in tables if table.rows]

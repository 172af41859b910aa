# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables and figures of the paper on HPX's counters, from a run of the suite Inncabs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from weft_lab.pages import papers
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.papers import Item
from weft_lab.pages.plain_page import Section
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
from weft_lab.suites.inncabs import figure_words, namespaces, tool_page
from weft_lab.suites.inncabs import tables as inncabs_tables
from weft_lab.suites.inncabs import words as scaling_words
from weft_lab.suites.inncabs.charts import execution_time, offcore_bandwidth, overheads
from weft_lab.suites.inncabs.external_tools.beside import newest
from weft_lab.suites.inncabs.external_tools.results import read as read_tools

CHARTS: Mapping[str, Callable[[RunView], Figure | None]] = {
    "execution_time": execution_time.build,
    "offcore_bandwidth": offcore_bandwidth.build,
    "overheads": overheads.build,
}
TABLES: Mapping[str, Callable[[RunView], Table]] = {
    "classification": inncabs_tables.classification_table,
    "platform": inncabs_tables.platform_table,
    "software": inncabs_tables.software_table,
}
ALL = "all"
NO_TOOLS = "not measured with this run: ./weft reproduce counters-table1 measures it by itself"
TOO_LITTLE = (
    "too little was measured for this figure: it needs a runtime that was timed, and for overheads "
    "one of weft's, whose tasks are counted; a larger --budget may help"
)


def render(item: Item, view: RunView | None, folder: Path) -> Reproduction:
    """Writes the item as a page, CSV and, for a figure, SVG and PNG below `folder`."""
    if item.form == ALL and view is not None:
        return _render_all(item, view, folder)
    return write(item, view, folder, content(item, view, folder))


def content(item: Item, view: RunView | None, folder: Path) -> Content:
    """The content of one item, from the run."""
    if item.form == "namespaces" or view is None:
        return namespaces.content()
    if item.form in TABLES:
        table = TABLES[item.form](view)
        return content_of(table, _table_words(view) if item.form == "classification" else ())
    only = replace(view, summaries=tuple(s for s in view.summaries if s.cell.label in item.only))
    words = figure_words.found_here(item.form, only)
    figure = CHARTS[item.form](only)
    if figure is None:
        return replace(remark(item, TOO_LITTLE), found=words)
    return drawn(item, figure, folder, words)


def _table_words(view: RunView) -> tuple[str, ...]:
    """A sentence per benchmark and runtime: where it stops and why."""
    by_benchmark = scaling_words.by_benchmark(view.summaries, view.threshold)
    return tuple(
        f"{benchmark}: {line}" for benchmark, lines in by_benchmark.items() for line in lines
    )


def _tool_sections(item: Item, run: Path, folder: Path) -> tuple[list[Section], list[Path]]:
    """Table I from the newest measurement under tools of this run, with its files; else the command
    for one."""
    place = newest(run)
    if place is None:
        return [Section(numbered_title(item), (NO_TOOLS,))], []
    results = read_tools(place)
    sections = tool_page.sections(numbered_title(item), results)
    return sections, tool_page.write_csvs(results, folder)


def numbered_title(item: Item) -> str:
    """`Figure 5: Execution time of FFT`, for a page of several."""
    number = item.table_key.removeprefix("table").removeprefix("fig")
    kind = "Table" if item.table_key.startswith("table") else "Figure"
    return f"{kind} {number}: {item.title}"


def _render_all(item: Item, view: RunView, folder: Path) -> Reproduction:
    """One page of all items of the paper: of a run of the suite, and of its tools."""
    others = [
        other
        for other in papers.items()
        if other.paper == item.paper and other.is_possible and other.form in SHOWN_BY_A_RUN
    ]
    contents = [(other, content(other, view, folder)) for other in others]
    first = papers.find_item("counters-table1")
    tools, files = _tool_sections(first, view.folder, folder)
    shown = [
        replace(section_of(other, each), title=numbered_title(other)) for other, each in contents
    ]
    page = write_page(item, view, folder, [*tools, *shown])
    files += [write_csv(other, each, folder) for other, each in contents]
    files += [path for _, each in contents for path in each.files]
    told = [(first, tools[0].lines), *((other, lines_of(other, each)) for other, each in contents)]
    lines = tuple(f"{other.table_key}. {line}" for other, found in told for line in found)
    table = inncabs_tables.classification_table(view)
    return Reproduction((table,), lines, (page, *files))


SHOWN_BY_A_RUN = (*CHARTS, *TABLES, "namespaces")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One table or figure of a paper: the measurements for it, and its form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import filter as filter_names
from pathlib import Path

from weft_lab.pages import papers
from weft_lab.pages.charts import allocator, problem_scaling, strong_scaling
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
from weft_lab.pages.table import Column, Table
from weft_lab.pages.view import RunView
from weft_lab.storage.checkout import problems_in_checkout
from weft_lab.suites.stl import figure_words as stl_words
from weft_lab.suites.stl import side_by_side

PANELS = "panels"
BY_ALGORITHM = ("speedup", "efficiency")
TOO_LITTLE = (
    "too little was measured for this figure, which needs seq and a parallel backend at one size; "
    "skipped.json says why, a larger --budget may help"
)
CHARTS: Mapping[str, Callable[[RunView], Figure | None]] = {
    "allocator": allocator.build,
    "problem_scaling": problem_scaling.build,
    "strong_scaling": strong_scaling.build,
}


def render(item: Item, view: RunView | None, folder: Path) -> Reproduction:
    """Writes the item as a page, CSV and, for a figure, SVG and PNG below `folder`."""
    if item.form == PANELS and view is not None:
        return _render_panels(item, view, folder)
    return write(item, view, folder, _content(item, view, folder))


def _render_panels(item: Item, view: RunView, folder: Path) -> Reproduction:
    """One page of all the parts of a figure: a section, CSV and drawings for each."""
    parts = [(part, _content(part, view, folder)) for part in papers.panels(item)]
    page = write_page(item, view, folder, [section_of(*each) for each in parts])
    files = [write_csv(part, each, folder) for part, each in parts]
    files += [path for _, each in parts for path in each.files]
    lines = tuple(
        f"{part.table_key}. {line}" for part, each in parts for line in lines_of(part, each)
    )
    return Reproduction((parts[-1][1].narrow,), lines, (page, *files))


def _content(item: Item, view: RunView | None, folder: Path) -> Content:
    """The item's table or figure with its sentences."""
    content = _bare_content(item, view, folder)
    if view is None:
        return content
    return replace(
        content,
        found=stl_words.found_here(item, view),
        numbers=stl_words.published_numbers(item),
        scaled=stl_words.scaled_here(item, view),
    )


def _bare_content(item: Item, view: RunView | None, folder: Path) -> Content:
    if item.form in CHARTS and view is not None:
        return _figure(item, view, folder)
    if item.form == "coverage" or view is None:
        return content_of(coverage_table())
    if item.form == "counters":
        found = side_by_side.counters(item.case, item.table_key, [view])
    else:
        # Tables of machines and programs measure one algorithm but are not about it.
        shown = stl_words.only_of(item, view) if item.form in BY_ALGORITHM else view
        found = side_by_side.by_name(item.form, [shown])
    return Content(found.shown, found.long, found.narrow)


def _figure(item: Item, view: RunView, folder: Path) -> Content:
    figure = CHARTS[item.form](stl_words.only_of(item, view))
    return remark(item, TOO_LITTLE) if figure is None else drawn(item, figure, folder)


def coverage_table() -> Table:
    """Table 1: algorithms that take an execution policy, and whether they are measured here."""
    here = problems_in_checkout("stl")
    every = papers.published_pstl_bench()["table1"]
    rows = tuple((name, "measured" if filter_names(here, name) else "not yet") for name in every)
    num_measured = sum(status == "measured" for _, status in rows)
    standard = papers.standard_algorithms(here)
    return Table(
        name="table1",
        title="Algorithms that take execution policies",
        columns=(Column("algorithm", "algorithm"), Column("in weft", "in_weft")),
        rows=rows,
        note=f"{num_measured} of {len(every)} are measured here; with C++20's, and each name by "
        f"itself, {len(standard)}; and {len(here) - len(standard)} beyond the standard.",
    )

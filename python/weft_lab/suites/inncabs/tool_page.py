# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page and the CSV files of benchmarks under tools."""

from __future__ import annotations

from pathlib import Path

from weft_lab.pages import papers
from weft_lab.pages.papers import Item
from weft_lab.pages.plain_page import PlainPage, Section, write_plain_page
from weft_lab.pages.reproduced import Reproduction
from weft_lab.storage.folder_files import make
from weft_lab.suites.inncabs import tool_tables
from weft_lab.suites.inncabs.external_tools.results import Results

FORM = "external_tools"


def show(item: Item, results: Results) -> Reproduction:
    """Writes the item below `reproduced/` of the measurement's folder.

    Errors: `ResultFolderError` when it cannot be written.
    """
    folder = results.folder / "reproduced"
    lines = tool_tables.findings(results)
    page = PlainPage(
        title=f"{item.name}: {item.title}",
        subtitle=f"Measured on {results.host}, beside what was published",
        citation=papers.citation(item.paper),
        command=f"./weft reproduce {item.name}",
    )
    html = write_plain_page(folder / f"{item.table_key}.html", page, sections("Found", results))
    csvs = write_csvs(results, folder)
    return Reproduction(tuple(tool_tables.narrow_tables(results)), tuple(lines), (html, *csvs))


def sections(title: str, results: Results) -> list[Section]:
    """The results in words, then the tables."""
    tables = tool_tables.page_tables(results)
    found = Section(title, tuple(tool_tables.findings(results)))
    return [found, *(Section(each.title, table=each) for each in tables)]


def write_csvs(results: Results, folder: Path) -> list[Path]:
    """Every number, then each table of the page."""
    make(folder)
    tables = (tool_tables.long_table(results), *tool_tables.page_tables(results))
    return [table.write_csv(folder) for table in tables]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output for one table or figure of a paper: a page, a CSV file, and printed text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from weft_lab.pages import papers
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.machine_text import host
from weft_lab.pages.papers import Item
from weft_lab.pages.plain_page import PlainPage, Section, write_plain_page
from weft_lab.pages.static_files import write_figures
from weft_lab.pages.table import Column, Table
from weft_lab.pages.view import RunView
from weft_lab.storage.folder_files import make
from weft_lab.storage.store import ResultFolder


def nothing() -> None:
    """Reports nothing, for a run that was measured before."""


@dataclass(frozen=True)
class Reproduction:
    """The printed text, and all written files.

    `measured`: the run that was made for it. `tell`: raises the outcome of that run, if its suite
    would not report it.
    """

    tables: tuple[Table, ...]
    lines: tuple[str, ...]
    files: tuple[Path, ...]
    measured: ResultFolder | None = None
    tell: Callable[[], None] = nothing


@dataclass(frozen=True)
class Content:
    """The content of an item: on the page, in the CSV file, and in the terminal.

    `found`: sentences about this run, beside those of the paper. `numbers`: further numbers that
    the paper printed. `scaled`: the parts that are smaller here. `files`: files already written for
    it. `code`: lines to show unchanged.
    """

    shown: Table
    long: Table
    narrow: Table
    svgs: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    found: tuple[str, ...] = ()
    code: str = ""
    numbers: tuple[str, ...] = ()
    scaled: str = ""


def content_of(table: Table, found: tuple[str, ...] = ()) -> Content:
    """The same table everywhere."""
    return Content(table, table, table, found=found)


def remark(item: Item, text: str) -> Content:
    """A sentence that replaces content that could not be shown."""
    return content_of(Table(item.table_key, item.title, (Column("remark", "remark"),), ((text,),)))


def drawn(item: Item, figure: Figure, folder: Path, found: tuple[str, ...] = ()) -> Content:
    """A figure whose files are named like the item; with one case, there is no overview."""
    make(folder)
    named = replace(figure, name=item.table_key)
    if len(figure.cases) == 1:
        named = replace(named, cases=(), overview=None)
    svgs, paths = write_figures([named], folder / "figures")
    table = figure.table
    return Content(table, table, table, tuple(svgs.values()), tuple(paths), found)


def lines_of(item: Item, content: Content) -> tuple[str, ...]:
    """The paper's statement, then the result here, and how much smaller the measurement is."""
    published = (f"The paper says: {line}." for line in (*item.published, *content.numbers))
    scaled = (f"Scaled: {content.scaled}",) if content.scaled else ()
    return (*published, *(f"Found here: {line}" for line in content.found), *scaled)


def section_of(item: Item, content: Content) -> Section:
    lines = lines_of(item, content)
    return Section(item.title, lines, content.svgs, content.shown, content.code)


def write_csv(item: Item, content: Content, folder: Path) -> Path:
    make(folder)
    return replace(content.long, name=item.table_key).write_csv(folder)


def write(item: Item, view: RunView | None, folder: Path, content: Content) -> Reproduction:
    """Writes the page and the CSV file of one item."""
    html = write_page(item, view, folder, [section_of(item, content)])
    csv = write_csv(item, content, folder)
    lines = (*lines_of(item, content), *content.code.splitlines())
    return Reproduction((content.narrow,), lines, (html, csv, *content.files))


def write_page(item: Item, view: RunView | None, folder: Path, sections: list[Section]) -> Path:
    where = "this version of weft" if view is None else host(view)
    page = PlainPage(
        title=f"{item.name}: {item.title}",
        subtitle=f"Measured on {where}, beside what was published",
        citation=papers.citation(item.paper),
        command=f"./weft reproduce {item.name}",
    )
    return write_plain_page(folder / f"{item.table_key}.html", page, sections)

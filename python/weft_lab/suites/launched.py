# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of suites that launch ranks by themselves: their page and their options."""

from __future__ import annotations

import abc
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from rich.console import Console

from weft_lab.errors import Interrupted, ResultFolderError, UsageError
from weft_lab.measuring.options import RunOptions
from weft_lab.pages import papers
from weft_lab.pages.changed import Changed, changed, shifts_of
from weft_lab.pages.markdown import write_markdown
from weft_lab.pages.opening import Opening
from weft_lab.pages.papers import Item
from weft_lab.pages.plain_page import PlainPage, Section, Shown, write_plain_page
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.static_files import write_figures
from weft_lab.pages.table import Table, columns
from weft_lab.pages.terminal import print_table
from weft_lab.statistics.estimates import Launches, practical_threshold
from weft_lab.storage.axes import Axes
from weft_lab.storage.before import run_before
from weft_lab.storage.folder_files import make, understood
from weft_lab.storage.store import Record, ResultFolder, argument_for
from weft_lab.suites.protocol import Warn


class Measured(Protocol):
    """A run, read again."""

    @property
    def folder(self) -> Path: ...


Results = TypeVar("Results", bound=Measured)


@dataclass(frozen=True)
class LaunchedRun:
    """A finished run of one of these suites, as it was written."""

    folder: Path
    manifest: Record
    records: tuple[Record, ...]
    skipped: tuple[Record, ...]

    def of_kind(self, kind: str) -> tuple[Record, ...]:
        """The records of this kind."""
        return tuple(row for row in self.records if row.get("record") == kind)


def read_launched(path: Path, suite: str) -> LaunchedRun:
    """Errors: `ResultFolderError` when the folder holds no measurement of the suite."""
    folder = ResultFolder.open(path)
    manifest = folder.read_manifest()
    if suite not in manifest:
        raise ResultFolderError(
            what=f"'{path}' holds no measurement of the suite {suite}",
            why="it is a run of another kind",
            remedy=f"measure one: ./weft report --suite {suite} --quick",
        )
    records = tuple(folder.read_samples().records)
    remedy = f"measure again: ./weft report --suite {suite}"
    return LaunchedRun(folder.path, manifest, records, folder.read_skipped(remedy))


def skipped_table(suite: str, skipped: tuple[Record, ...]) -> Table:
    """The omitted measurements, and what would enable them."""
    rows = tuple((row["code"], row["message"], row["remedy"]) for row in skipped)
    return Table(
        f"{suite}_skipped",
        "Not measured",
        columns(("code", "code"), ("what", "message"), ("remedy", "remedy")),
        rows,
    )


@dataclass(frozen=True)
class Content:
    """The content of a report.

    `lines`: after the first screen. `claims`: weft's own claims, for its maintainers. `printed`:
    tables that the terminal shows too. `summary`: for programs. `files`: files already written.
    `paper`: empty if there is none.
    """

    opening: Opening
    subtitle: str
    paper: str
    lines: tuple[str, ...]
    sections: tuple[Section, ...]
    tables: tuple[Table, ...]
    printed: tuple[Table, ...]
    summary: dict[str, Any]
    claims: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


class LaunchedSuite(abc.ABC, Generic[Results]):
    """A suite of launches; a derived class defines its own parts."""

    def __init__(self, axes: Axes) -> None:
        self._axes = axes

    @property
    def axes(self) -> Axes:
        return self._axes

    @abc.abstractmethod
    def measure(self, options: RunOptions, console: Console) -> ResultFolder: ...

    @abc.abstractmethod
    def read(self, path: Path, warn: Warn | None = None) -> Results: ...

    @abc.abstractmethod
    def content(self, results: Results) -> Content:
        """The report; its drawings are written already."""

    @abc.abstractmethod
    def timed(self, results: Results) -> Mapping[str, Launches]:
        """Launches by a name that describes the timed operation, to compare runs."""

    @abc.abstractmethod
    def problems_of(self, item: Item) -> tuple[str, ...]:
        """The measurements for an item of a paper."""

    @abc.abstractmethod
    def render(self, item: Item, results: Results) -> Reproduction: ...

    def resume(
        self, folder: ResultFolder, console: object, budget_s: object, programs: object
    ) -> NoReturn:
        """Errors: `UsageError`: launches of another day are no replicates of these."""
        name = self.axes.name
        raise UsageError(
            what=f"'{folder.path}' is a run of the suite {name}, which is not resumed",
            why="its rounds are whole, and every one that ended is kept",
            remedy=f"measure again: ./weft report --suite {name} --budget 20m",
        )

    def raise_for_outcome(self, folder: ResultFolder) -> None:
        raise_if_stopped(folder)

    def report(self, results: Results, console: Console) -> None:
        shown = self.show(results)
        for table in shown.tables:
            print_table(console, table)
        for line in shown.lines:
            console.print(line, markup=False, highlight=False)
        print(shown.page)

    def show(self, results: Results) -> Shown:
        """Writes `report.html`, `summary.json`, `tables/` and `figures/`.

        Errors: `ResultFolderError` when it cannot be written.
        """
        try:
            content = self.content(results)
            return _write(results.folder, content, self._changed(results))
        except OSError as error:
            what = f"cannot write the report into '{results.folder}'"
            remedy = "make the folder writable, or copy it to a place that is"
            raise ResultFolderError(what, error.strerror or str(error), remedy) from error

    def claims(self, results: Results) -> tuple[Table, ...]:
        """weft's own claims, and the run's result for each."""
        found = tuple((line,) for line in self.content(results).claims)
        heads = columns(("target and result", "claim"))
        return (
            (Table("claims", "Weft's targets, and the values measured here", heads, found),)
            if found
            else ()
        )

    def _changed(self, results: Results) -> Changed | None:
        """The changes since the previous run; None if there is none."""
        before = run_before(results.folder)
        if before is None:
            return None
        try:
            with understood(before):
                earlier = self.timed(self.read(before))
        except ResultFolderError:
            return None
        threshold = practical_threshold()
        return changed(before.name, shifts_of(earlier, self.timed(results), threshold), threshold)

    def reproduce(
        self, item: Item, wanted: RunOptions, folder: Path | None, console: Console
    ) -> Reproduction:
        measured = None
        if folder is None:
            only = wanted.only or self.problems_of(item)
            narrowed = replace(wanted, only=only, suite=(self.axes.name,))
            measured = self.measure(narrowed, console)
            folder = measured.path
        return replace(self.render(item, self.read(folder)), measured=measured)


def _write(folder: Path, content: Content, since: Changed | None) -> Shown:
    opening = content.opening
    svgs, drawn = write_figures(opening.figures, folder / "figures")
    shown = PlainPage(
        title=opening.question,
        subtitle=content.subtitle,
        citation=papers.citation(content.paper) if content.paper else "",
        command=f"./weft report {shlex.quote(argument_for(folder))}",
        opening=opening,
        svgs=svgs,
        changed=since,
    )
    details = (Section("In detail", content.lines),) if content.lines else ()
    page = write_plain_page(folder / "report.html", shown, (*details, *content.sections))
    place = make(folder / "tables")
    csvs = [table.write_csv(place) for table in content.tables]
    ResultFolder(folder).write_json("summary.json", content.summary)
    text = write_markdown(folder, opening, content.subtitle, since, content.tables)
    lines = (*opening.answer, *content.lines)
    return Shown(content.printed, lines, page, (page, text, *drawn, *csvs, *content.files))


def write_item(
    item: Item,
    folder: Path,
    lines: tuple[str, ...],
    svgs: tuple[str, ...],
    shown: tuple[Table, ...],
) -> Reproduction:
    """Writes an item as a page and CSV files. Errors: `ResultFolderError` when it cannot."""
    page = write_plain_page(
        folder / f"{item.table_key}.html",
        PlainPage(
            title=f"{item.name}: {item.title}",
            subtitle="As published, and as measured on this machine",
            citation=papers.citation(item.paper),
            command=f"./weft reproduce {item.name}",
        ),
        [
            Section("Found", lines, svgs=svgs),
            *(Section(table.title, table=table) for table in shown),
        ],
    )
    return Reproduction(shown, lines, (page, *(table.write_csv(folder) for table in shown)))


def raise_if_stopped(folder: ResultFolder) -> None:
    """Errors: `Interrupted` when that is how the run ended."""
    if folder.read_manifest().get("status") == "interrupted":
        raise Interrupted(
            what="stopped on request",
            why="what was measured is kept",
            remedy=f"./weft report {folder.path} shows it",
        )

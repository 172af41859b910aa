# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of suites whose runs are cells of bench programs: session, page, papers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from weft_lab.advice import runs
from weft_lab.advice.comparing import compare_runs
from weft_lab.errors import ResultFolderError, UsageError
from weft_lab.machine import facts as machine
from weft_lab.measuring import session
from weft_lab.measuring.options import RunOptions
from weft_lab.notices import warn as tell
from weft_lab.pages import paper_tables, task_tables
from weft_lab.pages.changed import Changed, Shift, changed
from weft_lab.pages.charts import (
    allocator,
    break_even,
    choices,
    problem_scaling,
    samples,
    strong_scaling,
    throughput,
)
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.contest import HeadToHead
from weft_lab.pages.lead import extent_text, lead_text
from weft_lab.pages.load import load, load_and_advise, silent
from weft_lab.pages.machine_text import one_line
from weft_lab.pages.markdown import write_markdown
from weft_lab.pages.opening import Opening
from weft_lab.pages.page import render_page
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.sections import GeneralTables, RunPage, Section
from weft_lab.pages.static_files import write_figures
from weft_lab.pages.table import Column, Table
from weft_lab.pages.terminal import print_summary
from weft_lab.pages.view import RunView
from weft_lab.pages.words import Words, suite_of
from weft_lab.storage.axes import Axes
from weft_lab.storage.before import run_before
from weft_lab.storage.folder_files import make, understood, write
from weft_lab.storage.store import ResultFolder
from weft_lab.suites import protocol

PAGE_NAME = "report.html"
NOTHING = "Nothing was measured that a decision could rest on. The sections below say why."
LARGEST_EXPONENT = {"quick": 20, "default": 24, "full": 30}
BYTES_PER_ELEMENT = 8
ARRAYS_AT_ONCE = 4
Chart = Callable[[RunView], Figure | None]
# In the order of the page; a suite's own stand before or among them.
RACES: tuple[Chart, ...] = (
    problem_scaling.build,
    strong_scaling.build,
    break_even.build,
    throughput.build,
    allocator.build,
)
SPREADS: tuple[Chart, ...] = (samples.build,)


@dataclass(frozen=True)
class Built:
    """The written files, and the page they were written from."""

    run: RunPage
    page: Path
    figures: tuple[Path, ...]
    tables: tuple[Path, ...]

    @property
    def view(self) -> RunView:
        return self.run.view


class CellSuite:
    """A suite of cells; a derived class defines its own parts."""

    charts: tuple[Chart, ...] = (*RACES, *SPREADS)
    openers: tuple[Chart, ...] = (choices.build,)

    def __init__(self, axes: Axes) -> None:
        self._axes = axes

    @property
    def axes(self) -> Axes:
        return self._axes

    def answer(self, view: RunView) -> tuple[str, ...]:
        """The first sentences of the page."""
        return (lead_text(view),) if view.decisions else (NOTHING,)

    def own_claims(self, view: RunView) -> tuple[Table, ...]:
        """weft's own claims, and the run's result for each; for its maintainers."""
        return ()

    def claims(self, view: RunView) -> tuple[Table, ...]:
        """As the suite that the run is shown as."""
        return of_view(view).own_claims(view)

    def sections(self, view: RunView) -> tuple[Section, ...]:
        """The sections of the page before the figures."""
        return tasks_section(view)

    def later_sections(self, view: RunView) -> tuple[Section, ...]:
        """The sections after them."""
        return ()

    def contest(self, view: RunView) -> HeadToHead | None:
        """A race that answers first."""
        return None

    def files(self, view: RunView) -> tuple[Table, ...]:
        """Tables that no section shows."""
        return tuple(paper_tables.all_tables(view))

    def after_measuring(self, finished: session.Finished) -> None:
        """The measurements that are made once, after the cells."""

    def render(self, item: Item, view: RunView | None, folder: Path) -> Reproduction:
        """Writes one table or figure of a paper below `folder`. Errors: `UsageError`."""
        what = f"the suite {self.axes.name} reproduces no paper"
        raise UsageError(what, f"{item.name} is of another", "./weft reproduce --list")

    def backends_for(self, options: RunOptions) -> tuple[str, ...]:
        """The backends that an item of a paper is measured with; empty: the tier's."""
        return ()

    def measure(self, options: RunOptions, console: Console) -> ResultFolder:
        return session.measure(options, console, self.after_measuring)

    def resume(
        self, folder: ResultFolder, console: Console, budget_s: float | None, programs: Path | None
    ) -> ResultFolder:
        more = session.Additional(budget_s, programs, self.after_measuring)
        return session.resume(folder, console, more)

    def raise_for_outcome(self, folder: ResultFolder) -> None:
        session.raise_for_outcome(folder)

    def read(self, path: Path, warn: protocol.Warn) -> RunView:
        return load_and_advise(path, warn)

    def report(self, view: RunView, console: Console) -> None:
        built = write_report(view)
        print_summary(console, view, built.page, built.run.contest)
        is_empty = (view.folder / "samples.jsonl").stat().st_size == 0
        if not view.summaries and (is_empty or view.num_lines_lost):
            raise ResultFolderError(
                what=f"'{view.folder}' holds no measurements",
                why="samples.jsonl holds no record of a cell that can be used",
                remedy=f"continue with: ./weft resume {view.folder}, or measure again: "
                "./weft report",
            )

    def reproduce(
        self, item: Item, wanted: RunOptions, folder: Path | None, console: Console
    ) -> Reproduction:
        measured = None
        if item.only and folder is None:
            measured = self.measure_item(item, wanted, console)
            folder = measured.path
        view = None if folder is None else load(folder, tell)
        if view is not None and measured is None:
            _refuse_other_suites(item, view)
        place = wanted.results.resolve() if view is None else view.folder
        return replace(self.render(item, view, place / "reproduced"), measured=measured)

    def measure_item(self, item: Item, wanted: RunOptions, console: Console) -> ResultFolder:
        """The run that the item needs."""
        return self.measure(options_here(item, wanted), console)


# Of programs that this checkout does not know.
SUITE = CellSuite(Axes(""))


def tasks_section(view: RunView) -> tuple[Section, ...]:
    """The costs of tasks, for a run that counted them."""
    found = task_tables.all_tables(view)
    return (Section("tasks", "Tasks", "Task runtimes", tuple(found)),) if found else ()


def of_view(view: RunView) -> CellSuite:
    """The suite that a run is shown as."""
    found = protocol.suite(suite_of({s.cell.suite for s in view.summaries}))
    return found if isinstance(found, CellSuite) else SUITE


def page_of(view: RunView) -> RunPage:
    """All of a run's page, each part computed once."""
    own = of_view(view)
    first = make_figures(view, own.openers)
    extent = extent_text(view)
    answer = (*own.answer(view), extent) if extent else own.answer(view)
    return RunPage(
        view,
        GeneralTables.of(view),
        Opening(view.words.question, answer, first),
        make_figures(view, tuple(each for each in own.charts if each not in own.openers)),
        own.sections(view),
        own.later_sections(view),
        own.contest(view),
        own.files(view),
        changed_since(view),
    )


def changed_since(view: RunView) -> Changed | None:
    """The changes since the previous run, cell by cell; None if there is none."""
    before = run_before(view.folder)
    if before is None:
        return None
    try:
        with understood(before):
            found = runs.load(before, silent).findings
    except ResultFolderError:
        return None
    threshold = max(view.threshold, found.threshold)
    shifts = [
        Shift(
            f"{view.name(row.variant)}, {row.cell.label} ({row.cell.type}), "
            f"{view.words.size_text(row.cell.size)}, threads: {row.cell.threads}",
            row.time_a_s,
            row.time_b_s,
            row.ratio,
            row.verdict,
        )
        for row in compare_runs(found.summaries, view.summaries, threshold)
    ]
    return changed(before.name, shifts, threshold)


def build_report(folder: Path, warn: protocol.Warn = silent) -> Built:
    """Writes `report.html`, `figures/` and `tables/` into the folder.

    Damaged lines of the samples are skipped and reported to `warn`.

    Errors: `ResultFolderError` if the folder is unusable or cannot be written.
    """
    return write_report(load_and_advise(folder, warn))


def write_report(view: RunView) -> Built:
    """As `build_report`, of a run that was read."""
    run = page_of(view)
    try:
        svgs, paths = write_figures(run.all_figures, view.folder / "figures")
        place = make(view.folder / "tables")
        csvs = tuple(table.write_csv(place) for table in all_tables(run))
        page = write(view.folder, PAGE_NAME, render_page(run, svgs))
        write_markdown(
            view.folder, run.opening, one_line(view), run.changed, tables_in_sections(run)
        )
    except OSError as error:
        what = f"cannot write the report into '{view.folder}'"
        remedy = "make the folder writable, or copy it to a place that is"
        raise ResultFolderError(what, error.strerror or str(error), remedy) from error
    return Built(run, page, tuple(paths), csvs)


def make_figures(view: RunView, charts: tuple[Chart, ...]) -> tuple[Figure, ...]:
    """The items that this run has data for."""
    figures = [figure for build in charts if (figure := build(view)) is not None]
    return tuple(replace(each, table=_in_words(each.table, view.words)) for each in figures)


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


def tables_in_sections(run: RunPage) -> tuple[Table, ...]:
    """The tables on the page, in its order."""
    sections = (*run.sections, *run.later)
    own = (table for each in sections for table in each.tables)
    return (run.general.decisions, run.general.wrong, *own, run.general.skipped)


def all_tables(run: RunPage) -> list[Table]:
    """Every table, each once."""
    general = run.general
    return [
        *(general.decisions, general.wrong, general.skipped, general.programs),
        *(table for each in (*run.sections, *run.later) for table in each.tables),
        *run.files,
        *(figure.table for figure in run.all_figures),
    ]


def _refuse_other_suites(item: Item, view: RunView) -> None:
    """A run of another suite has nothing that the item could show."""
    if item.only and all(each.cell.suite != item.suite for each in view.summaries):
        raise ResultFolderError(
            what=f"'{view.folder}' holds no measurements of the suite {item.suite}",
            why=f"{item.name} shows nothing else",
            remedy=f"measure some: ./weft reproduce {item.name}",
        )


def render(item: Item, view: RunView | None, folder: Path) -> Reproduction:
    """Writes the item as a page, CSV and, for a figure, SVG and PNG below `folder`."""
    found = protocol.suite(item.suite)
    assert isinstance(found, CellSuite), item.suite
    return found.render(item, view, folder)


def options_here(item: Item, options: RunOptions) -> RunOptions:
    """`options_for` on this machine."""
    return options_for(item, options, machine.cpus_usable(), machine.memory_available_bytes())


def options_for(item: Item, options: RunOptions, cpus: int, memory_bytes: int) -> RunOptions:
    """`options` narrowed to the cells of `item`; the user's own choices stay."""
    own = protocol.suite(item.suite)
    backends = own.backends_for(options) if isinstance(own, CellSuite) else ()
    threads = powers_up_to(cpus) if item.threads == "powers" else tuple(sorted({1, cpus}))
    size = (largest_size(options.tier, memory_bytes),) if item.sizes == "largest" else ()
    return replace(
        options,
        suite=(item.suite,),
        only=options.only or item.only,
        size=options.size or size,
        threads=options.threads or threads,
        type=options.type or ("double",),
        allocator=options.allocator or item.allocators or ("default",),
        placement=options.placement or item.placements,
        smt=options.smt or item.smt,
        backend=options.backend or backends,
    )


def powers_up_to(cpus: int) -> tuple[int, ...]:
    """1, 2, 4, ... and `cpus` itself, as in the paper."""
    powers = {1 << exponent for exponent in range(cpus.bit_length())}
    return tuple(sorted({*(power for power in powers if power <= cpus), cpus}))


def largest_size(tier: str, memory_bytes: int) -> int:
    """The tier's largest size in elements, halved until its arrays fit in memory."""
    size = 1 << LARGEST_EXPONENT[tier]
    while size > 1 and size * BYTES_PER_ELEMENT * ARRAYS_AT_ONCE > memory_bytes:
        size >>= 1
    return size

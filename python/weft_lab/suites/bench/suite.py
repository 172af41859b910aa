# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of the user's own programs: how a run of it is measured, read and shown."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Any, NoReturn

from rich.console import Console

from weft_lab.errors import Interrupted, UsageError, WeftError, WrongAnswerFound
from weft_lab.measuring import session
from weft_lab.measuring.options import RunOptions
from weft_lab.notices import warn as tell
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.machine_text import one_line, started
from weft_lab.pages.opening import Opening
from weft_lab.pages.papers import Item
from weft_lab.pages.plain_page import Section
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.static_files import draw
from weft_lab.pages.table import Table
from weft_lab.pages.terminal import print_table
from weft_lab.statistics.estimates import Launches
from weft_lab.storage.folder_files import understood
from weft_lab.storage.store import ResultFolder, argument_for
from weft_lab.suites.bench import answer, charts, results, roofline, scaling, tables
from weft_lab.suites.bench.asked import SUITE as NAME
from weft_lab.suites.bench.asked import Asked
from weft_lab.suites.bench.axes import AXES
from weft_lab.suites.bench.google_json import write_benchmark_json
from weft_lab.suites.bench.launching import run_once, user_programs
from weft_lab.suites.bench.results import BenchRun
from weft_lab.suites.launched import Content, LaunchedSuite
from weft_lab.suites.protocol import Warn

CHOICES = "bench_choices"
PRINTED_LAST = ("bench_break_even", "bench_failures", "bench_left_out")
NO_PAPER = "the suite bench reproduces no paper"
HOW = "type for example ./weft bench -- ./program"


def measure_asked(
    asked: Asked,
    options: RunOptions,
    console: Console,
    resumed: Path | None = None,
    found: session.UserPrograms | None = None,
) -> ResultFolder:
    """Measures into a new folder, or continues in `resumed`, which must contain the same commands.

    `found`: programs that are not commands. Errors: `UsageError` before anything is launched.
    """
    if found is None:
        found = user_programs(asked, options)
    folder = None if resumed is None else ResultFolder.open(resumed)
    run_once(asked.setup, "--setup", asked)
    try:
        if folder is None:
            return session.measure(options, console, user_programs=found)
        return session.resume_user_programs(folder, options, console, found)
    finally:
        try:
            run_once(asked.cleanup, "--cleanup", asked)
        except UsageError as error:
            tell(str(error))


class BenchSuite(LaunchedSuite[BenchRun]):
    """Programs come only from the command line: a folder never names a program to run."""

    def measure(self, options: RunOptions, console: Console) -> NoReturn:
        what, why = "the suite bench has a verb of its own", "it measures programs that you name"
        raise UsageError(what, why, HOW)

    def resume(
        self, folder: ResultFolder, console: object, budget_s: object, programs: object
    ) -> NoReturn:
        """Errors: `UsageError`, which says what to type to continue."""
        raise UsageError(
            what=f"'{folder.path}' is a run of your own programs",
            why="a result folder never chooses what runs",
            remedy=f"if you trust these commands, type: {again(folder)}",
        )

    def raise_for_outcome(self, folder: ResultFolder) -> None:
        if (error := _outcome(folder)) is not None:
            raise error

    def read(self, path: Path, warn: Warn | None = None) -> BenchRun:
        return scaling.without_false_certainty(results.read(path, warn or tell))

    def report(self, results: BenchRun, console: Console) -> None:
        """The answer first, then the tables."""
        shown = self.show(results)
        for line in shown.lines:
            console.print(line, markup=False, highlight=False)
        for table in shown.tables:
            console.print()
            print_table(console, table)
        console.print(f"\nReport  {shown.page}", markup=False, highlight=False, soft_wrap=True)

    def content(self, results: BenchRun) -> Content:
        run = results
        tells = not run.is_time_the_same
        curves, duels = (scaling.curves(run), scaling.duels(run)) if tells else ([], [])
        evens = scaling.break_evens(run) if tells else []
        places = roofline.positions(run)
        times, speedups = tables.times_table(run), tables.scaling_table(run, curves)
        roofs = roofline.roofline_table(run, places)
        every = (
            tables.choices_table(run),
            times,
            tables.duels_table(run, duels),
            tables.break_even_table(run, evens),
            speedups,
            roofs,
            tables.workers_table(run),
            tables.failures_table(run),
            tables.left_out_table(run),
        )
        is_choice = tells and (run.is_race or len(run.asked.threads) > 1)
        shown = [each for each in every if each.rows and (is_choice or each is not every[0])]
        text = answer.answer(run, curves, duels, roofline.roofline_text(run, places))
        command = typed(run.view.manifest)
        drawn = _drawn(
            run,
            charts.speedups(run, speedups, curves, command),
            charts.below_roofs(run, roofs, places, command),
        )
        settings = answer.settings_text(run) if is_choice else ""
        return Content(
            opening=Opening(_question(run), text, charts.times(run, times, command)),
            subtitle=f"{one_line(run.view)} · {started(run.view)}",
            paper="",
            lines=(),
            sections=(
                *(
                    Section(each.title, svgs=drawn.get(each.name, ()), table=_for_page(each))
                    for each in shown
                ),
                *([Section("Settings to copy", code=settings)] if settings else []),
                Section("How this was measured", answer.method_lines(run)),
                Section("The whole run again", code=command),
            ),
            tables=tuple(shown),
            printed=_printed(run, shown),
            summary=_summary(run, text, every),
            files=(write_benchmark_json(run),),
        )

    def timed(self, results: BenchRun) -> Mapping[str, Launches]:
        own = f"{results.asked.kernel}: " if results.asked.kernel else ""
        return {
            f"{own}{row.name}, {row.cell.label}, {row.cell.size}, {row.cell.threads}": [
                [time_s] for time_s in row.summary.launch_medians_s
            ]
            for row in results.timed
        }

    def problems_of(self, item: Item) -> tuple[str, ...]:
        raise UsageError(NO_PAPER, f"{item.name} is of another", HOW)

    def render(self, item: Item, results: BenchRun) -> Reproduction:
        raise UsageError(NO_PAPER, f"{item.name} is of another", HOW)


def _question(run: BenchRun) -> str:
    if run.asked.kernel:
        return f"Which backend should {PurePath(run.asked.kernel).name} use?"
    if run.is_race:
        return "Which of these commands is fastest?"
    name = run.asked.contestants[0].name
    if len(run.asked.threads) > 1:
        return f"How many threads should {name} use?"
    return f"How long does {name} take?"


def _printed(run: BenchRun, shown: Sequence[Table]) -> tuple[Table, ...]:
    short = [each for each in tables.short_tables(run) if each.rows]
    first = [replace(each, note="") for each in shown if each.name == CHOICES]
    rest = [each for each in shown if each.name in PRINTED_LAST]
    return (*first, *short, *(each.for_reading() for each in rest))


def _drawn(run: BenchRun, *figures: Figure | None) -> dict[str, tuple[str, ...]]:
    """The drawings above tables, by the table's name."""
    place = run.folder / "figures"
    return {
        each.table.name: tuple(
            draw(spec, place, each.name) for spec in each.static_specs().values()
        )
        for each in figures
        if each is not None
    }


def _for_page(table: Table) -> Table:
    """Choices are shown even if none of them is measured."""
    return table if table.name == CHOICES else table.for_reading()


def _summary(run: BenchRun, text: tuple[str, ...], every: Sequence[Table]) -> dict[str, Any]:
    """The data for programs: the tables by their keys."""
    return {
        "schema": 1,
        "suite": NAME,
        "run_id": run.view.manifest["run_id"],
        "found": list(text),
        "floor_s": run.floor.value if run.floor else None,
        **{
            table.name: [
                {column.key: value for column, value in zip(table.columns, row, strict=True)}
                for row in table.rows
            ]
            for table in every
        },
    }


def typed(manifest: Mapping[str, Any]) -> str:
    """The command line that made a run."""
    command = [str(part) for part in manifest.get("command") or ()]
    is_ours = command[1:2] == [NAME] and PurePath(command[0]).name in ("weft", "__main__.py")
    return shlex.join(["./weft", *(command[1:] if is_ours else [NAME])])


def again(folder: ResultFolder) -> str:
    """The command that continues a run: its command line, with the folder's name in it."""
    with understood(folder.path):
        words = shlex.split(typed(folder.read_manifest()))
        if "--resume" in words:
            return shlex.join(words)
        return shlex.join([*words[:2], "--resume", argument_for(folder.path), *words[2:]])


def _outcome(folder: ResultFolder) -> WeftError | None:
    manifest = folder.read_manifest()
    if manifest.get("status") == "interrupted":
        why, remedy = "what was measured is kept", f"go on with: {again(folder)}"
        return Interrupted("stopped on request", why, remedy)
    found = results.read(folder.path)
    cells = found.asked.num_cells
    missing = cells - sum(row.is_timed or row.is_lacking for row in found.rows)
    if not missing:
        return None
    what = f"{missing} of {cells} combinations have no time"
    for row in found.rows:
        if not row.is_timed and not row.is_lacking:
            place = "Left out" if row.skipped else "What failed"
            told = f"{row.name} {row.skipped or row.message}"
            return WrongAnswerFound(what, told, f"see '{place}' above")
    return WrongAnswerFound(what, "the budget was over before", "give it more time: --budget 10m")


SUITE = BenchSuite(AXES)

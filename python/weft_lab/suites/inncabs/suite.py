# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite Inncabs: the places of its parts, and its measurements under tools."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from markupsafe import Markup
from rich.console import Console

from weft_lab.machine.toolchains import CLANG, GCC
from weft_lab.measuring.options import RunOptions
from weft_lab.pages.contest import HeadToHead
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.sections import Section
from weft_lab.pages.view import RunView
from weft_lab.storage.checkout import backends_in_checkout
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.cells import RACES, SPREADS, CellSuite, options_here
from weft_lab.suites.inncabs import head_to_head_rows, reproduce, tables, tool_page, words
from weft_lab.suites.inncabs.axes import AXES
from weft_lab.suites.inncabs.charts import (
    execution_time,
    head_to_head,
    offcore_bandwidth,
    overheads,
    scaling,
)
from weft_lab.suites.inncabs.external_tools import asked, beside, results

TITLE = "Where each runtime stops scaling, and why"
CAPTION = (
    "From the runtimes' own counters, at the best setting of each. What has no counters of its "
    "tasks cannot say why."
)
NOTE = Markup(
    "Grubel, Kaiser, Huck, Cook: Using Intrinsic Performance Counters to Assess Efficiency in "
    "Task-based Parallel Applications, IPDPSW 2016. <code>./weft reproduce counters-all --from "
    "FOLDER</code> shows every table and figure of it beside this run."
)


class InncabsSuite(CellSuite):
    """A race of runtimes first, then why each stops scaling."""

    charts = (
        *RACES,
        head_to_head.build,
        execution_time.build,
        overheads.build,
        offcore_bandwidth.build,
        *SPREADS,
    )
    openers = (scaling.build,)

    def answer(self, view: RunView) -> tuple[str, ...]:
        return words.answer(view.summaries, view.threshold) or super().answer(view)

    def sections(self, view: RunView) -> tuple[Section, ...]:
        found = tables.all_tables(view)
        if not found:
            return super().sections(view)
        own = Section(
            "inncabs",
            "Scaling",
            TITLE,
            tuple(found),
            caption=CAPTION,
            groups=words.by_benchmark(view.summaries, view.threshold),
            note=NOTE,
        )
        return (*super().sections(view), own)

    def contest(self, view: RunView) -> HeadToHead | None:
        return head_to_head_rows.head_to_head(view)

    def backends_for(self, options: RunOptions) -> tuple[str, ...]:
        """Every runtime by g++ and clang; empty where time is short, which stands for g++ alone,
        and where the programs are built already.
        """
        if options.tier == "quick" or options.programs is not None:
            return ()
        names = backends_in_checkout(self.axes.name)
        return tuple(f"{name}@{compiler.name}" for compiler in (GCC, CLANG) for name in names)

    def render(self, item: Item, view: RunView | None, folder: Path) -> Reproduction:
        return reproduce.render(item, view, folder)

    def reproduce(
        self, item: Item, wanted: RunOptions, folder: Path | None, console: Console
    ) -> Reproduction:
        if item.form == tool_page.FORM:
            return _reproduce_tools(item, wanted, folder, console)
        return super().reproduce(item, wanted, folder, console)

    def measure_item(self, item: Item, wanted: RunOptions, console: Console) -> ResultFolder:
        """For every item of a paper, also the measurements under tools."""
        if item.form != reproduce.ALL:
            return super().measure_item(item, wanted, console)
        shares = beside.share_out(options_here(item, wanted))
        run = self.measure(shares.run, console)
        beside.measure_beside(run, shares.tools, console)
        return run

    def raise_for_outcome(self, folder: ResultFolder) -> None:
        beside.raise_for_outcome(folder, "counters-table1")


def _reproduce_tools(
    item: Item, wanted: RunOptions, folder: Path | None, console: Console
) -> Reproduction:
    if folder is not None:
        return tool_page.show(item, results.read(folder))
    measured = asked.measure_asked(wanted, console)
    shown = tool_page.show(item, results.read(measured.path))
    return Reproduction(
        shown.tables,
        shown.lines,
        shown.files,
        tell=partial(asked.raise_if_stopped, measured, item.name),
    )


SUITE = InncabsSuite(AXES)

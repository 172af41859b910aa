# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of approaches: which of its parts stand where."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from weft_lab.measuring.session import Finished
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.sections import Section
from weft_lab.pages.table import Table
from weft_lab.pages.view import RunView
from weft_lab.suites.approaches import charts, compile_cost, reproduce, tables
from weft_lab.suites.approaches import findings as approaches
from weft_lab.suites.approaches.axes import AXES
from weft_lab.suites.cells import CellSuite

NOTE = Markup(
    "Diehl, Brandt, Kaiser: Shared memory parallelism in Modern C++ and HPX. "
    "<code>./weft reproduce hpx-cpp-fig3 --from FOLDER</code> shows its figures beside this run."
)


class ApproachesSuite(CellSuite):
    """Its figures come first; the cost of its tasks is in its own tables."""

    openers = charts.OPENERS
    charts = (charts.efficiency, *CellSuite.charts)

    def answer(self, view: RunView) -> tuple[str, ...]:
        found = tables.answer(view)
        return found or super().answer(view)

    def own_claims(self, view: RunView) -> tuple[Table, ...]:
        return (tables.claim_table(view),) if approaches.timed(view.summaries) else ()

    def sections(self, view: RunView) -> tuple[Section, ...]:
        found = tables.all_tables(view)
        if not found:
            return ()
        return (
            Section(
                "approaches",
                "Styles",
                tables.TITLE,
                tuple(found),
                lines=approaches.sentences(view.summaries),
                is_folded=True,
                note=NOTE,
            ),
        )

    def after_measuring(self, finished: Finished) -> None:
        if not finished.options.only:
            finished.say("compiling a small program of each API")
            apis = {name.partition("@")[0] for name in finished.options.backend}
            folder = finished.folder.path
            compile_cost.measure(folder, budget_s=finished.budget_s, apis=apis)

    def render(self, item: Item, view: RunView | None, folder: Path) -> Reproduction:
        return reproduce.render(item, view, folder)


SUITE = ApproachesSuite(AXES)

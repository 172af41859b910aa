# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of the parallel STL: which of its parts stand where."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from weft_lab.pages import paper_tables
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.sections import Section
from weft_lab.pages.table import Table
from weft_lab.pages.view import RunView
from weft_lab.suites.cells import CellSuite
from weft_lab.suites.stl import reproduce, tables, words
from weft_lab.suites.stl.axes import AXES

PAPER = Markup(
    "Laso, Krupitza, Hunold: Exploring Scalability in C++ Parallel STL Implementations, ICPP 2024, "
    "doi 10.1145/3673038.3673065. Type <code>./weft reproduce --list</code> to see every table and "
    "figure with the published values."
)


class StlSuite(CellSuite):
    """Algorithms in short, and at the end the tables of the paper."""

    def sections(self, view: RunView) -> tuple[Section, ...]:
        found = tables.all_tables(view)
        if not found:
            return super().sections(view)
        own = Section(
            "algorithms",
            "Algorithms",
            "The algorithms in short",
            tuple(found),
            lines=words.sentences(view),
            is_folded=True,
            always_open=tables.NAME,
        )
        return (own, *super().sections(view))

    def later_sections(self, view: RunView) -> tuple[Section, ...]:
        return (
            Section(
                "paper",
                "Paper",
                "In the form of the paper",
                tuple(paper_tables.all_tables(view)),
                caption=PAPER,
                reasons=tuple(paper_tables.counter_reasons(view)),
            ),
        )

    def files(self, view: RunView) -> tuple[Table, ...]:
        return ()

    def render(self, item: Item, view: RunView | None, folder: Path) -> Reproduction:
        return reproduce.render(item, view, folder)


SUITE = StlSuite(AXES)

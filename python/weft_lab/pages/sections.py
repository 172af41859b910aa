# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a suite adds to the page of a run: sections before and after its figures, and a race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weft_lab.pages import tables
from weft_lab.pages.changed import Changed
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.contest import HeadToHead
from weft_lab.pages.opening import Opening
from weft_lab.pages.table import Table
from weft_lab.pages.view import RunView

ROWS_OPEN_MAX = 24


@dataclass(frozen=True)
class Section:
    """A heading with sentences and tables. `short_title`: in the page's contents. `groups`: lists
    of sentences below a heading each. `is_folded`: tables can be closed, and long ones are, but for
    `always_open`. `reasons`: why counters have no values. `note`: may hold HTML (`Markup`).
    """

    id: str
    short_title: str
    title: str
    tables: tuple[Table, ...]
    caption: str = ""
    lines: tuple[str, ...] = ()
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict)
    is_folded: bool = False
    always_open: str = ""
    reasons: tuple[tuple[str, str], ...] = ()
    note: str = ""

    def is_open(self, table: Table) -> bool:
        """Whether a table is seen without opening it."""
        return len(table.rows) <= ROWS_OPEN_MAX or table.name == self.always_open


@dataclass(frozen=True)
class GeneralTables:
    """Those of every run."""

    decisions: Table
    wrong: Table
    skipped: Table
    programs: Table

    @classmethod
    def of(cls, view: RunView) -> GeneralTables:
        return cls(
            tables.decision_table(view),
            tables.wrong_table(view),
            tables.skipped_table(view),
            tables.program_table(view),
        )


@dataclass(frozen=True)
class RunPage:
    """All of a run's page, each part computed once. `later`: sections behind the figures; `files`:
    tables that are files only; `changed`: against the run before.
    """

    view: RunView
    general: GeneralTables
    opening: Opening
    figures: tuple[Figure, ...]
    sections: tuple[Section, ...] = ()
    later: tuple[Section, ...] = ()
    contest: HeadToHead | None = None
    files: tuple[Table, ...] = ()
    changed: Changed | None = None

    @property
    def all_figures(self) -> tuple[Figure, ...]:
        """Those of the first screen first."""
        return (*self.opening.figures, *self.figures)

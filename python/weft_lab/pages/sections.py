# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A suite's additions to the page of a run: sections before and after its figures, and a race."""

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
    """A heading with sentences and tables.

    `short_title`: in the page's contents. `groups`: lists of sentences, each below a heading.
    `is_folded`: tables can be closed; long ones are closed, except those of `always_open`.
    `reasons`: why counters have no values. `note`: may contain HTML (`Markup`).
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
        """Whether a table is visible without opening it."""
        return len(table.rows) <= ROWS_OPEN_MAX or table.name == self.always_open


@dataclass(frozen=True)
class GeneralTables:
    """The sections of every run."""

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
    """The whole content of a run's page, each part computed once.

    `later`: sections after the figures; `files`: tables that are only files; `changed`: the changes
    since the previous run.
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
        """The tables of the first screen first."""
        return (*self.opening.figures, *self.figures)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A table that is the same in the page, the terminal and a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from weft_lab.pages import formats
from weft_lab.storage.folder_files import write

Value = str | int | float | None
ROWS_SAME_MIN = 3


@dataclass(frozen=True)
class Column:
    """A heading, the key of the CSV file (with its unit), and how a value is shown."""

    title: str
    key: str
    show: Callable[..., str] | None = None

    def text(self, value: Value) -> str:
        if self.show is not None:
            return self.show(value)
        return formats.UNKNOWN if value is None else str(value)

    @property
    def is_number(self) -> bool:
        return self.show is not None


@dataclass(frozen=True)
class Table:
    """Rows of raw values; `note` explains them. `name` is the CSV file's stem."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""

    def texts(self) -> list[list[str]]:
        """Every row as it is shown."""
        return [
            [column.text(value) for column, value in zip(self.columns, row, strict=True)]
            for row in self.rows
        ]

    def for_reading(self) -> Table:
        """The table as a page shows it. Rows and columns without a value are omitted; a value that
        every row repeats is given once, in the note; columns that name a row come first."""
        kept = [row for row in self.rows if self._says_something(row)]
        found = [[row[i] for row in kept] for i in range(len(self.columns))]
        known = [i for i, values in enumerate(found) if any(map(_is_known, values))]
        numbers = {i for i, column in enumerate(self.columns) if column.is_number}
        if numbers and not numbers & set(known):
            return replace(self, rows=())
        same = [
            i
            for i in known
            if i not in numbers and len(kept) >= ROWS_SAME_MIN and len(set(found[i])) == 1
        ]
        shown = [i for i in known if i not in same]
        named = next((i for i in shown if i not in numbers), 0)
        if same[:1] == [0] and named:
            shown.sort(key=lambda i: i != named)
        said = "; ".join(f"{self.columns[i].title}: {found[i][0]}" for i in same)
        hidden = len(self.rows) - len(kept)
        notes = (
            f"All rows: {said}." if said else "",
            f"{hidden} rows without a value are in tables/{self.name}.csv." if hidden else "",
            self.note,
        )
        return replace(
            self,
            columns=tuple(self.columns[i] for i in shown),
            rows=tuple(tuple(row[i] for i in shown) for row in kept),
            note=" ".join(filter(None, notes)),
        )

    def _says_something(self, row: tuple[Value, ...]) -> bool:
        """Whether it has a measured value, or ends with a remark."""
        if len(row) > 1 and not any(map(_is_known, row[1:])):
            return False
        measured = [i for i, column in enumerate(self.columns) if column.show in formats.MEASURES]
        ends_in_words = not self.columns[-1].is_number and _is_known(row[-1])
        return ends_in_words or not measured or any(_is_known(row[i]) for i in measured)

    def write_csv(self, folder: Path) -> Path:
        """Writes `<name>.csv` with raw values; unknown values are empty fields."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(column.key for column in self.columns)
        writer.writerows(self.rows)
        return write(folder, f"{self.name}.csv", text.getvalue())


def _is_known(value: Value) -> bool:
    return value not in (None, "", formats.UNKNOWN)


def columns(*specs: tuple[str, str] | tuple[str, str, Callable[..., str]]) -> tuple[Column, ...]:
    """Columns from (title, key) for text and (title, key, show) for numbers."""
    return tuple(Column(*spec) for spec in specs)


def sort_rows(rows: Sequence[tuple[Value, ...]], *indices: int) -> tuple[tuple[Value, ...], ...]:
    """Rows ordered by some of their columns; unknown values come last."""

    def key(row: tuple[Value, ...]) -> list[tuple[bool, str | int | float]]:
        picked = [row[i] for i in indices]
        return [(value is None, "" if value is None else value) for value in picked]

    return tuple(sorted(rows, key=key))

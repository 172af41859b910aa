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
ROWS_SAME_MIN = 4


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
    """Rows of raw values; `note` says how to read them. `name` is the CSV file's stem."""

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
        """The table as a page shows it: rows and columns without a value are left out, and words
        that every row repeats are said once, in the note. No rows where no number is known.
        """
        kept = [row for row in self.rows if len(row) < 2 or any(map(_is_known, row[1:]))]
        found = {i: {row[i] for row in kept} for i in range(len(self.columns))}
        known = [i for i, values in found.items() if any(map(_is_known, values))]
        numbers = [i for i, column in enumerate(self.columns) if column.is_number]
        if not set(numbers) & set(known) and numbers:
            return replace(self, rows=())
        same = [
            i
            for i in known
            if len(kept) >= ROWS_SAME_MIN and len(found[i]) == 1 and not self.columns[i].is_number
        ]
        said = "; ".join(f"{self.columns[i].title}: {kept[0][i]}" for i in same)
        shown = [i for i in known if i not in same]
        return replace(
            self,
            columns=tuple(self.columns[i] for i in shown),
            rows=tuple(tuple(row[i] for i in shown) for row in kept),
            note=" ".join(filter(None, (f"All rows: {said}." if said else "", self.note))),
        )

    def write_csv(self, folder: Path) -> Path:
        """Writes `<name>.csv` with raw values; unknown is an empty field."""
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

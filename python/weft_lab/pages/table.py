# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A table that is the same in the page, the terminal and a CSV file."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft_lab.pages import formats
from weft_lab.storage.folder_files import write

Value = str | int | float | None


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

    def write_csv(self, folder: Path) -> Path:
        """Writes `<name>.csv` with raw values; unknown is an empty field."""
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(column.key for column in self.columns)
        writer.writerows(self.rows)
        return write(folder, f"{self.name}.csv", text.getvalue())


def columns(*specs: tuple[str, str] | tuple[str, str, Callable[..., str]]) -> tuple[Column, ...]:
    """Columns from (title, key) for text and (title, key, show) for numbers."""
    return tuple(Column(*spec) for spec in specs)


def sort_rows(rows: Sequence[tuple[Value, ...]], *indices: int) -> tuple[tuple[Value, ...], ...]:
    """Rows ordered by some of their columns; unknown values come last."""

    def key(row: tuple[Value, ...]) -> list[tuple[bool, str | int | float]]:
        picked = [row[i] for i in indices]
        return [(value is None, "" if value is None else value) for value in picked]

    return tuple(sorted(rows, key=key))

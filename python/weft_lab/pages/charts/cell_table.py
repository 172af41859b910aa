# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table below a figure whose rows are cells: the cell first, then the figure's values."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from weft_lab.pages import formats
from weft_lab.pages.charts.figure import Rows
from weft_lab.pages.table import Table, columns

ColumnSpec = tuple[str, str] | tuple[str, str, Callable[..., str]]
CELL: Mapping[str, ColumnSpec] = {
    "case": ("algorithm", "case"),
    "variant": ("backend", "variant"),
    "size": ("elements", "size_elements", formats.size),
    "threads": ("threads", "threads", formats.number),
}


def cell_table(
    name: str, title: str, data: Rows, values: Mapping[str, ColumnSpec], note: str = ""
) -> Table:
    """One row per row of `data`; `values`: the keys that follow the cell, and their columns."""
    specs = {**CELL, **values}
    rows = tuple(tuple(row[key] for key in specs) for row in data)
    return Table(name, title, columns(*specs.values()), rows, note)

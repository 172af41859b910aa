# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page as Markdown, to paste into an issue or a message: `report.md` beside `report.html`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from weft_lab.pages.changed import Changed
from weft_lab.pages.opening import Opening
from weft_lab.pages.table import Table
from weft_lab.storage.folder_files import read, write

NAME = "report.md"
ROWS_MAX = 24


def write_markdown(
    folder: Path, opening: Opening, subtitle: str, changed: Changed | None, tables: Iterable[Table]
) -> Path:
    """Long tables are cut off; the note names the file with all rows."""
    parts = [f"# {opening.question}", subtitle, *opening.answer]
    parts += [f"![{each.title}](figures/{each.first_stem}.png)" for each in opening.figures]
    if changed is not None:
        parts += [f"## Changed since {changed.since}", *changed.lines, *table_lines(changed.table)]
    for table in tables:
        lines = table_lines(table)
        parts += [f"## {_escaped(table.title)}", *lines] if lines else []
    return write(folder, NAME, "\n\n".join(parts) + "\n")


def without_images(folder: Path) -> str:
    """The page, for a place that does not have its figures."""
    text = read(folder / NAME).decode()
    return "\n\n".join(part for part in text.strip().split("\n\n") if not part.startswith("!["))


def table_lines(whole: Table) -> list[str]:
    """The table and its note, as paragraphs; nothing for one without rows."""
    table = whole.for_reading()
    if not table.rows:
        return []
    rows = table.texts()[:ROWS_MAX]
    rule = ["--:" if column.is_number else ":--" for column in table.columns]
    lines = [[column.title for column in table.columns], rule, *rows]
    hidden = len(table.rows) - len(rows)
    more = [f"{hidden} more rows are in tables/{whole.name}.csv."] if hidden else []
    return ["\n".join(map(_row, lines)), *more, *([_escaped(table.note)] if table.note else [])]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    for character in "\\|<*_`":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", " ")

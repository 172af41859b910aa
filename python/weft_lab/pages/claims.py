# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The maintainers' page: weft's own claims, and the result of a run for each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from weft_lab.pages.plain_page import PlainPage, Section, write_plain_page
from weft_lab.pages.table import Table
from weft_lab.pages.terminal import print_table
from weft_lab.storage.folder_files import make

NAME = "claims.html"


def show(folder: Path, claims: Sequence[Table], console: Console) -> Path:
    """Prints the tables and writes them, as a page and as CSV. Errors: `ResultFolderError`."""
    for table in claims:
        print_table(console, table)
        table.write_csv(make(folder / "tables"))
    page = PlainPage(
        title="Does weft meet its own targets?",
        subtitle=f"{folder.name}, for maintainers",
        command=f"./weft claims {folder.name}",
    )
    sections = [Section(table.title, table=table) for table in claims]
    path = write_plain_page(folder / NAME, page, sections)
    print(path)
    return path

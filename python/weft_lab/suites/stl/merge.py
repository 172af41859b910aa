# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several machines side by side, in the paper's form, with its published values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from weft_lab.errors import UsageError
from weft_lab.pages import papers
from weft_lab.pages.plain_page import PlainPage, Section, write_plain_page
from weft_lab.pages.view import RunView
from weft_lab.suites.stl import side_by_side
from weft_lab.suites.stl.side_by_side import SideBySide

PAPER = "pstl-bench"


def merged_tables(views: Sequence[RunView]) -> list[SideBySide]:
    """Tables 2, 5, 6 and 7 with a column or an entry per run. Errors: `UsageError` without runs."""
    if not views:
        what, why = "there is nothing to merge", "no result folder was named"
        raise UsageError(
            what, why, "type ./weft merge FOLDER FOLDER ...; ls results shows the runs"
        )
    _refuse_twice(views)
    return [side_by_side.by_name(form, views) for form in side_by_side.FORMS]


def _refuse_twice(views: Sequence[RunView]) -> None:
    """Errors: `UsageError` for a run that is named twice, also under another path."""
    seen: dict[str, RunView] = {}
    for view in views:
        run = str(view.manifest.get("run_id") or view.folder.resolve())
        if run in seen:
            raise UsageError(
                what=f"the run {run} is named twice",
                why=f"{seen[run].folder} and {view.folder} are the same measurement",
                remedy="name each run once; ls results shows the runs",
            )
        seen[run] = view


def write_merged(views: Sequence[RunView], output: Path) -> tuple[list[SideBySide], Path]:
    """Writes `merged.html` and one CSV per table into `output`; returns tables and page."""
    output = output.resolve()
    tables = merged_tables(views)
    names = side_by_side.host_names(views)
    page = PlainPage(
        title="Machines side by side",
        subtitle=" | ".join(names),
        citation=papers.citation(PAPER),
        command="./weft merge " + " ".join(str(view.folder.name) for view in views),
    )
    sections = [Section(table.shown.title, table=table.shown) for table in tables]
    path = write_plain_page(output / "merged.html", page, sections)
    for table in tables:
        table.long.write_csv(output)
    return tables, path

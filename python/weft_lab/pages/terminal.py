# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report on one screen of a terminal: recommendations, their reliability, and where to find the
rest."""

from __future__ import annotations

import shlex
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from weft_lab.pages import formats, papers
from weft_lab.pages import table as report_table
from weft_lab.pages.contest import HeadToHead
from weft_lab.pages.decision_rows import DecisionRow, decision_rows
from weft_lab.pages.lead import confidence_text, extent_text, lead_text
from weft_lab.pages.machine_text import NOISE_FLOOR, one_line, trust_rows
from weft_lab.pages.view import RunView
from weft_lab.pages.words import Words

ROWS_MAX = 24
TABLE_ROWS_MAX = 80
INTERVAL_WIDTH_MIN = 100  # columns of the terminal
# Columns whose texts are never cut off: two names may differ in their last letters alone.
WHOLE = ("program", "reason")
CONFIDENCE_STYLES = {"sure": "green", "likely": "cyan", "cannot-tell": "yellow"}
LEVEL_MARKS = {"good": "ok", "note": "note", "bad": "BAD"}


def print_summary(
    console: Console, view: RunView, page: Path | None, first: HeadToHead | None = None
) -> None:
    """Prints at most about forty lines; colours only where the console has them."""
    console.print(escape(one_line(view)), style="bold", highlight=False)
    if text := extent_text(view):
        console.print(escape(text), style="yellow", highlight=False, soft_wrap=True)
    rows = decision_rows(view)
    if first is not None and first.is_decision:
        for line in first.lead:
            console.print(escape(line), highlight=False)
        console.print(_winners(first))
    elif rows:
        console.print(escape(lead_text(view)), highlight=False)
        console.print(
            _decisions(rows, view.words, has_intervals=console.width >= INTERVAL_WIDTH_MIN)
        )
    else:
        console.print("Nothing was measured that a decision could rest on.", style="yellow")
    for line in _remarks(view):
        console.print(line, highlight=False)
    if page is not None:
        console.print(f"Report  {escape(str(page))}", soft_wrap=True, highlight=False)
        console.print(_next_steps(view), markup=False, highlight=False)


def _next_steps(view: RunView) -> str:
    """Commands that find something in this run."""
    problems = sorted({s.cell.problem for s in view.measured})
    wanted = "sort" if "sort" in problems or not problems else problems[0]
    papers = ", ./weft reproduce --list" if view.words.has_papers else ""
    return f"Next    ./weft explain {shlex.quote(wanted)}, ./weft compare A B{papers}"


def _decisions(rows: list[DecisionRow], words: Words, *, has_intervals: bool) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
    for title in (words.case, words.size, "use"):
        table.add_column(title, no_wrap=True)
    for title in ("threads", "vs seq", "interval") if has_intervals else ("threads", "vs seq"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("confidence", no_wrap=True)
    for row in _most_telling(rows):
        style = CONFIDENCE_STYLES[row.level]
        table.add_row(
            escape(row.case),
            row.band,
            escape(row.name),
            str(row.threads),
            row.speedup,
            *([row.interval] if has_intervals else []),
            f"[{style}]{row.confidence}[/]",
        )
    hidden = len(rows) - ROWS_MAX
    if hidden > 0:
        table.caption = f"and {hidden} smaller bands in the report"
    return table


def _winners(first: HeadToHead) -> Table:
    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
    table.add_column("benchmark", no_wrap=True)
    for cores in first.cores:
        table.add_column(f"fastest, {cores}", no_wrap=True)
        table.add_column("verdict", no_wrap=True)
    for row in first.winners:
        texts = ((w.name, w.verdict) if w else (formats.UNKNOWN, "") for w in row.winners)
        cells = [escape(text) for pair in texts for text in pair]
        table.add_row(escape(row.benchmark), *cells)
    return table


def _most_telling(rows: list[DecisionRow]) -> list[DecisionRow]:
    """All rows if they fit, otherwise the band of the largest sizes of each algorithm first."""
    if len(rows) <= ROWS_MAX:
        return rows
    lasts = {row.case: number for number, row in enumerate(rows)}
    kept = sorted(range(len(rows)), key=lambda n: (n not in lasts.values(), n))[:ROWS_MAX]
    return [rows[number] for number in sorted(kept)]


def _remarks(view: RunView) -> list[str]:
    doubtful = [row for row in trust_rows(view) if row.level == "bad" and row.name != NOISE_FLOOR]
    noise = "not known" if view.noise_floor is None else formats.percent(view.noise_floor)
    threshold = formats.percent(view.threshold)
    lines = [f"Noise floor {noise}; differences below {threshold} count as ties."]
    lines += [
        f"[red]{LEVEL_MARKS[row.level]}[/] {row.name}: {escape(row.value)}" for row in doubtful
    ]
    lines += [escape(text)] if (text := confidence_text(view)) else []
    not_measured = sum(int(row.get("count") or 1) for row in view.skipped)
    if not_measured:
        lines.append(f"{not_measured} cells were not measured; the report says why.")
    return lines


def print_table(
    console: Console, table: report_table.Table, rows_max: int = TABLE_ROWS_MAX
) -> None:
    """Any table of the report; a long one ends with the number of further rows on the page."""
    console.print(escape(table.title), style="bold", highlight=False)
    shown = Table(box=None, pad_edge=False)
    for column in table.columns:
        shown.add_column(
            escape(column.title),
            justify="right" if column.is_number else "left",
            overflow="fold" if column.key in WHOLE else "ellipsis",
        )
    for row in table.texts()[:rows_max]:
        shown.add_row(*(escape(text) for text in row))
    console.print(shown)
    if len(table.rows) > rows_max:
        console.print(f"and {len(table.rows) - rows_max} more rows in the files", style="dim")
    if table.note:
        console.print(table.note, style="dim", markup=False, highlight=False)


def print_items(console: Console) -> None:
    """Every table and figure of the papers: name, title, and whether this version can do it."""
    shown = Table(box=None, pad_edge=False)
    for title in ("item", "shows", "possible"):
        shown.add_column(title, no_wrap=title == "item")
    for item in papers.items():
        style = "" if item.is_possible else "dim"
        shown.add_row(item.name, escape(item.title), item.availability, style=style)
    console.print(shown)
    for paper in papers.papers():
        console.print(f"{paper}: {papers.citation(paper)}", markup=False, highlight=False)

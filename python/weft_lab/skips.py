# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What was not measured: the plan's own omissions and every record without a time, grouped and
counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weft_lab.cells import Cell
from weft_lab.plan import Skip

REMEDIES = {
    "wrong": "report it to the library; the cell was not timed",
    "crashed": "run the cell by hand under a debugger; the command is in samples.jsonl",
    "hung": "run the cell by hand, with fewer threads, or raise the timeout",
    "error": "correct the cell; docs/reference/records.md says what a field may be",
}


def merge_skips(skips: Sequence[Skip], records: Iterable[Mapping[str, Any]]) -> list[Skip]:
    """The given skips and those in the records, equal ones once with the number of their cells."""
    cells: dict[Skip, set[Cell]] = defaultdict(set)
    for record in records:
        if record.get("record") == "result" and record["status"] not in ("ok",):
            cell = Cell.from_dict(record["cell"], str(record["suite"]))
            cells[_skip_of(record, cell)].add(cell)
    found = [replace(skip, count=len(members)) for skip, members in cells.items()]
    return [*dict.fromkeys(skips), *found]


def skips_line(skips: Sequence[Skip], path: Path) -> str:
    """One line for the terminal: how many cells of each code were not measured."""
    if not skips:
        return "every planned cell was measured"
    counts: dict[str, int] = defaultdict(int)
    for skip in skips:
        counts[skip.code] += skip.count
    parts = ", ".join(f"{code} {count}" for code, count in sorted(counts.items()))
    return f"not measured: {parts}; reasons and remedies in {path}"


def _skip_of(record: Mapping[str, Any], cell: Cell) -> Skip:
    status = str(record["status"])
    code = str(record.get("code", status)) if status == "skipped" else status
    remedy = record.get("remedy") or REMEDIES.get(status, "see docs/reference/records.md")
    # A backend that lacks an algorithm lacks it at every size: one entry says so.
    is_general = code in ("not_offered", "unsupported")
    return Skip(
        code,
        str(record.get("message", "no reason was given")),
        str(remedy),
        cell.suite,
        cell.label,
        None if is_general else cell.type,
        None if is_general else cell.size,
        str(record["variant"]),
    )

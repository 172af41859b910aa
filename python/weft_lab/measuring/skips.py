# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cells that were not measured: the plan's own omissions and every record without a time,
grouped and counted."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from weft_lab.machine.toolchains import TOOLCHAINS
from weft_lab.measuring.bandwidth import SUITE as MACHINE
from weft_lab.measuring.plan import Skip
from weft_lab.measuring.programs import target_name
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import backend_infos
from weft_lab.storage.variants import program_of

REMEDIES = {
    "wrong": "report it to the library; to see it again: {command}",
    "crashed": "to see it again, or under a debugger: {command}",
    "hung": "to see it again, or with fewer threads: {command}",
    "error": "correct the cell: docs/reference/records.md says what a field may be",
}


def merge_skips(skips: Sequence[Skip], records: Iterable[Mapping[str, Any]]) -> list[Skip]:
    """The given skips and those in the records, equal ones once with the number of their cells."""
    cells: dict[Skip, set[Cell]] = defaultdict(set)
    for record in records:
        if record.get("record") == "result" and record["status"] not in ("ok",):
            cell = Cell.from_dict(record["cell"], str(record["suite"]))
            cells[_skip_of(record, cell)].add(cell)
    found = [
        replace(skip, count=len(members), remedy=_remedy(skip, min(members)))
        for skip, members in cells.items()
    ]
    return [*dict.fromkeys(skips), *found]


def command_of(variant: str, cell: Cell) -> str:
    """The command to type in the checkout to run one cell by hand."""
    backend, _, name = program_of(variant).partition("@")
    presets = {toolchain.name: toolchain.preset for toolchain in TOOLCHAINS}
    target = f"weft_{backend}" if cell.suite == MACHINE else target_name(cell.suite, backend)
    program = f"build/{presets.get(name, name)}/bin/{target}"
    fields = ("problem", "type", "size", "threads", "allocator", "placement", "smt")
    words = [word for field in fields for word in (f"--{field}", str(getattr(cell, field)))]
    words += [word for name, value in cell.params for word in ("--param", f"{name}={value}")]
    return shlex.join([program, *words])


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
    # A backend that lacks an algorithm lacks it at every size: one entry is enough.
    is_general = code in ("not_offered", "unsupported")
    return Skip(
        code,
        _known_reason(record, cell) or str(record.get("message", "no reason was given")),
        str(record.get("remedy") or ""),
        cell.suite,
        cell.label,
        None if is_general else cell.type,
        None if is_general else cell.size,
        program_of(str(record["variant"])),  # the control is the same program as the baseline
    )


def _known_reason(record: Mapping[str, Any], cell: Cell) -> str | None:
    """Why a backend lacks the problem, if the suite's file gives a reason."""
    info = backend_infos(cell.suite).get(str(record.get("backend")))
    if info is None or record.get("code") != "not_offered":
        return None
    return dict(info.not_offered).get(cell.problem)


def _remedy(skip: Skip, example: Cell) -> str:
    """The program's own remedy, else the command for one of the cells."""
    text = REMEDIES.get(skip.code, "see docs/reference/records.md")
    return skip.remedy or text.format(command=command_of(str(skip.variant), example))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine profile on a terminal: what was measured, what it changes, and what is in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from weft_lab.measuring.tuning import Benefit, Finding


def print_findings(console: Console, found: Sequence[Finding]) -> None:
    """Every value that was measured."""
    table = Table("value", "in the profile", "measured", box=None, pad_edge=False)
    for each in found:
        text = each.text.strip('"') if each.text else "cannot tell"
        table.add_row(f"{each.section}.{each.name}", text, escape(each.why))
    console.print(table)


def print_benefits(console: Console, rows: Sequence[Benefit]) -> None:
    """What the profile changes for a program's first calls."""
    table = Table(
        "first calls of a program", "without", "with it", "time", "", box=None, pad_edge=False
    )
    for row in rows:
        extent = "" if row.low is None or row.high is None else f"{row.low:.2f} … {row.high:.2f}"
        table.add_row(
            row.what,
            _time(row.without_us),
            _time(row.with_us),
            f"× {row.ratio:.2f} ({extent})",
            row.verdict,
        )
    console.print(table)


def print_in_force(console: Console, state: Mapping[str, Any]) -> None:
    """The answer of `weft_tune in-force`: every value, and where it comes from."""
    file = state["file"]
    if state["problem"]:
        console.print(
            f"The profile {file} is not used: {state['problem']}.",
            markup=False,
            soft_wrap=True,
        )
    elif not file:
        console.print("No profile is used: WEFT_PROFILE is off, or there is no home folder.")
    elif not state["is_there"]:
        console.print(
            f"There is no profile {file}; ./weft tune writes it.", markup=False, soft_wrap=True
        )
    else:
        console.print(f"The profile {file} is used.", markup=False, soft_wrap=True)
    table = Table("value", "in force", "from", "meaning", box=None, pad_edge=False)
    for value in state["values"]:
        is_used = value["text"] is not None and not state["problem"]
        table.add_row(
            value["name"],
            escape(value["text"] if is_used else value["default"]),
            f"line {value['line']}" if is_used else "default",
            value["meaning"],
        )
    console.print(table)


def _time(us: float) -> str:
    return f"{us / 1000:.3g} ms" if us >= 1000 else f"{us:.3g} µs"

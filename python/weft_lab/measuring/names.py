# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The content of `list`: names by axis; for each backend its library, whether it is built, and its
requirements."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from weft_lab.machine.toolchains import TOOLCHAINS, Toolchain
from weft_lab.measuring.programs import build_folder, target_name
from weft_lab.storage import axes
from weft_lab.storage.cells import ALLOCATORS, LAUNCH_POLICIES, PLACEMENTS, SMT_MODES, TYPES
from weft_lab.storage.checkout import (
    SUITES,
    BackendInfo,
    backend_infos,
    backends_in_checkout,
    cases,
    problems_in_checkout,
)

if TYPE_CHECKING:
    from rich.console import Console


def every_name() -> dict[str, Any]:
    """Everything `run` accepts, by axis, as JSON-ready values."""
    return {
        "suites": [_suite(suite) for suite in SUITES],
        "toolchains": [_toolchain(toolchain) for toolchain in TOOLCHAINS],
        "types": list(TYPES),
        "sizes": "; ".join(
            (
                "2^3 .. 2^30 as memory allows; any number of elements with --size",
                *(
                    f"suite {own.name}: {', '.join(own.size_names.values())}"
                    for own in axes.every()
                    if own.size_names
                ),
            )
        ),
        "threads": "1, 2, 4 .. all; more than the usable CPUs is labelled oversubscribed",
        "allocators": list(ALLOCATORS),
        "placements": list(PLACEMENTS),
        "smt": list(SMT_MODES),
        "launch": list(LAUNCH_POLICIES),
    }


def render(console: Console, names: dict[str, Any]) -> None:
    """Prints the names for people."""
    from rich.table import Table

    for suite in names["suites"]:
        console.print(f"[bold]suite {suite['name']}[/]", highlight=False)
        console.print(f"problems    {', '.join(suite['problems'])}", highlight=False)
        table = Table(box=None, header_style="bold")
        for column in ("backend", "library", "built by", "needs"):
            table.add_column(column, overflow="fold")
        for row in suite["backends"]:
            built = ", ".join(row["built_by"])
            table.add_row(row["name"], row["library"], built or "[dim]nothing yet[/]", row["needs"])
        console.print(table)
    for line in axis_lines(names):
        console.print(line, highlight=False)


def axis_lines(names: dict[str, Any]) -> list[str]:
    """The toolchains and the other axes for people, a line each."""
    axes = {**names, "toolchains": [_toolchain_text(row) for row in names["toolchains"]]}
    return [
        f"{axis:<12}{value if isinstance(value, str) else ', '.join(value)}"
        for axis, value in axes.items()
        if axis != "suites"
    ]


def _suite(suite: str) -> dict[str, Any]:
    backends = backends_in_checkout(suite)
    others = [name for name in backend_infos(suite) if name not in backends]
    labels = [
        " ".join([case.problem, *(f"{name}={value}" for name, value in case.params)])
        for case in cases(suite, problems_in_checkout(suite))
    ]
    return {
        "name": suite,
        "problems": labels,
        "backends": [_backend(suite, name) for name in (*backends, *others)],
    }


def _toolchain(toolchain: Toolchain) -> dict[str, Any]:
    return {
        "name": toolchain.name,
        "compiler": toolchain.compiler,
        "is_found": toolchain.is_found,
        "remedy": toolchain.remedy,
    }


def _toolchain_text(row: dict[str, Any]) -> str:
    return f"{row['name']} ({row['compiler']}{'' if row['is_found'] else ', not found'})"


def _backend(suite: str, name: str) -> dict[str, Any]:
    info = backend_infos(suite).get(name, BackendInfo(name, name))
    built_by = [
        toolchain.name
        for toolchain in TOOLCHAINS
        if os.access(build_folder(toolchain) / "bin" / target_name(suite, name), os.X_OK)
    ]
    return {
        "name": name,
        "library": info.library,
        "built_by": built_by,
        "needs": info.needs,
        "remedy": info.remedy,
    }

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C++ programs that observe others: built when requested; they then replace this process."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from weft_lab.errors import MissingError
from weft_lab.machine.toolchains import GCC
from weft_lab.measuring.programs import Builder


def built_tool(name: str, builder: Builder | None = None) -> Path:
    """The program `weft-<name>`, up to date.

    Errors: `MissingError` if it cannot be built, with the compiler's message.
    """
    builder = builder or Builder(GCC)
    missing = builder.missing_tool()
    if missing is not None:
        raise MissingError(
            what=f"weft-{name} cannot be built",
            why=f"{missing} is not installed",
            remedy="./weft doctor names three ways to get it",
        )
    target = f"weft_{name}"
    if not (builder.folder / "build.ninja").is_file():
        builder.configure()
    errors = builder.build([target], _show_first_step)
    if errors:
        raise MissingError(
            what=f"weft-{name} cannot be built",
            why=errors[target],
            remedy=f"see all of it with: ninja -C {builder.folder} {target}",
        )
    return builder.folder / "bin" / f"weft-{name}"


def become_tool(name: str, arguments: Sequence[str]) -> NoReturn:
    """Replaces this process by the program."""
    program = built_tool(name)
    sys.stdout.flush()
    os.execv(program, [str(program), *arguments])


def _show_first_step(done: int, total: int, _text: str) -> None:
    if done <= 1 and total > 1:
        print(f"building a tool ({total} steps, once)", file=sys.stderr)

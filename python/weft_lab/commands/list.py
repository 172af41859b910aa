# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft list`: every name that the other verbs understand, and what is built."""

from __future__ import annotations

import json
from typing import Annotated

import typer


def command(
    as_json: Annotated[bool, typer.Option("--json", help="JSON on standard output.")] = False,
) -> None:
    """List suites, problems, backends, types and sizes, and which programs are built.

    Example: ./weft list --json
    """
    from rich.console import Console

    from weft_lab.measuring.names import every_name, render

    names = every_name()
    if as_json:
        print(json.dumps(names))
    else:
        render(Console(), names)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Answers of ./weft before anything is installed, with Python's standard library alone.

`python -m weft_lab.bare VERB`: `doctor` and `list`, also with `--json`, and `VERB --help`.
"""

from __future__ import annotations

import ast
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft_lab.errors import UsageError, WeftError
from weft_lab.machine.environment import check_environment

COMMANDS = Path(__file__).parent / "commands"
OPTIONS = {"--json", "--help"}
NOT_INSTALLED = "not installed: ./weft setup does that, or the first verb that measures"
MORE = "The options of this verb are listed once the lab's packages are here: ./weft setup"


def help_of(verb: str) -> str:
    """The description of a verb: the docstring of its function `command`."""
    module = ast.parse((COMMANDS / f"{verb}.py").read_text(encoding="utf-8"))
    functions = [node for node in module.body if isinstance(node, ast.FunctionDef)]
    told = next(ast.get_docstring(node) for node in functions if node.name == "command")
    return f"usage: ./weft {verb} [options]\n\n{told or ''}\n\n{MORE}"


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows as columns of text; the last column is not padded."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    lines = (
        "  ".join(
            [*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]]
        )
        for row in rows
    )
    return "\n".join(line.rstrip() for line in lines)


def doctor_text(answer: dict[str, Any]) -> str:
    """The answer of `doctor` for people."""
    machine = [
        (fact["name"], fact["value"] or "unknown", f"! {fact['note']}" * fact["is_concern"])
        for fact in answer["machine"]
    ]
    backends = [
        (name, f"lacks {', '.join(state['lacks'])}" if state["lacks"] else "available")
        for name, state in answer["backends"].items()
    ]
    mpi = [
        ("MPI", "none", fact["problem"])
        if fact["problem"]
        else ("MPI", fact["id"], f"{fact['launcher']}: {', '.join(fact['transports'])}")
        for fact in answer["mpi"]
    ]
    wanted = answer["requirements"]
    states = [
        (row["id"], row["for"], row["missing"] or row["version"] or "found") for row in wanted
    ]
    ways = [
        f"\n{row['id']} ({row['for']}): {row['missing']}\n"
        f"  root    {row['ways']['apt']}\n"
        f"  module  {row['ways']['module']}\n"
        f"  else    {row['ways']['otherwise']}"
        for row in wanted
        if not row["is_met"]
    ]
    ends = [
        f"{verb:<15} {'can work' if answer[key] else 'lacks something, see above'}"
        for verb, key in (("./weft report", "can_report"), ("./weft test", "can_test"))
    ]
    tables = (table(rows) for rows in (machine, backends, mpi, states) if rows)
    packages = f"{'Python packages':<15} {NOT_INSTALLED}"
    return "\n".join(["\n\n".join(tables), *ways, "", packages, *ends])


def list_text(names: dict[str, Any]) -> str:
    """The answer of `list` for people."""
    from weft_lab.measuring.names import axis_lines

    parts: list[str] = []
    for suite in names["suites"]:
        rows = [
            (row["name"], row["library"], ", ".join(row["built_by"]) or "nothing yet", row["needs"])
            for row in suite["backends"]
        ]
        parts += [f"suite {suite['name']}", f"problems    {', '.join(suite['problems'])}"]
        parts += [table([("backend", "library", "built by", "needs"), *rows])]
    return "\n".join([*parts, *axis_lines(names)])


def answer(verb: str, options: Sequence[str]) -> int:
    """Prints the answer; returns the exit code."""
    if "--help" in options:
        print(help_of(verb))
        return 0
    if unknown := [option for option in options if option not in OPTIONS]:
        raise UsageError(
            what=f"{verb}: unknown option {unknown[0]}",
            why="before the lab's packages are installed it knows --json and --help",
            remedy=f"./weft {verb} --help, or ./weft setup",
        )
    is_json = "--json" in options
    return list_names(is_json=is_json) if verb == "list" else examine_machine(is_json=is_json)


def list_names(*, is_json: bool) -> int:
    """Prints the answer of `list`; returns the exit code."""
    from weft_lab.measuring.names import every_name

    names = every_name()
    print(json.dumps(names) if is_json else list_text(names))
    return 0


def examine_machine(*, is_json: bool) -> int:
    """Prints the answer of `doctor`; returns the exit code."""
    from weft_lab.machine.doctor import examine, requirements
    from weft_lab.machine.doctor_facts import facts
    from weft_lab.measuring.doctor_answer import EXIT_CANNOT_REPORT, MACHINE_PROGRAM, as_json
    from weft_lab.storage.checkout import CHECKOUT

    machine = facts(MACHINE_PROGRAM if MACHINE_PROGRAM.is_file() else None)
    found = as_json(examine(requirements(), CHECKOUT), machine, CHECKOUT)
    print(json.dumps(found, indent=1) if is_json else doctor_text(found))
    return 0 if found["can_report"] else EXIT_CANNOT_REPORT


if __name__ == "__main__":
    try:
        check_environment(os.environ)
        sys.exit(answer(sys.argv[1], sys.argv[2:]))
    except WeftError as error:
        print(f"weft: {error}", file=sys.stderr)
        sys.exit(error.exit_code)

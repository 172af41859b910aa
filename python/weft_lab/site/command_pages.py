# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference of the command line from what `./weft VERB --help` is made of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import typer

from weft_lab.errors import EXIT_CODES
from weft_lab.site.docstrings import escaped

HEAD = """# Command line

Generated from the help of each verb; `./weft VERB --help` prints the same. `./weft help` lists the
verbs, also before anything is installed.

"""
EXAMPLE = re.compile(r"^Examples?: (.+?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
NEXT_EXAMPLE = re.compile(r"; (?=\./weft)")


def command_page(verbs: Mapping[str, Callable[..., None]]) -> str:
    """Returns the page of all verbs: usage, text, arguments and options, examples."""
    app = typer.Typer(name="weft")
    app.callback()(lambda: None)
    for name, function in verbs.items():
        app.command(name)(function)
    group: Any = typer.main.get_command(app)
    rows = [f"| [`{name}`](#{name}) | {_first_line(each)} |" for name, each in verbs.items()]
    parts = [HEAD, "| verb | |\n|---|---|\n", "\n".join(rows), "\n\n"]
    parts += ["| exit code | meaning |\n|---|---|\n"]
    parts += [f"| {code} | {escaped(meaning)} |\n" for code, meaning in EXIT_CODES.items()]
    parts += [_verb(name, group.commands[name]) for name in verbs]
    return "".join(parts)


def _first_line(function: Callable[..., None]) -> str:
    return escaped((inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " "))


def _verb(name: str, command: Any) -> str:  # noqa: ANN401 - typer's own class
    text = inspect.cleandoc(command.help or "").replace("\b", "")
    examples = [
        line
        for each in EXAMPLE.findall(text)
        for line in NEXT_EXAMPLE.split(" ".join(each.split()))
    ]
    paragraphs = [escaped(each) for each in EXAMPLE.sub("", text).split("\n\n") if each.strip()]
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option"]
    usage = " ".join(["./weft", name, "[OPTIONS]" if options else "", *map(_argument, arguments)])
    parts = [f"\n## {name}\n\n```text\n{' '.join(usage.split())}\n```\n\n"]
    parts += ["\n\n".join(paragraphs), "\n"]
    if examples:
        parts += ["\n```sh\n", "\n".join(examples), "\n```\n"]
    context = command.context_class(command, info_name=name)
    rows = [f"| `{_argument(each)}` | {escaped(each.help or '')} |\n" for each in arguments]
    rows += [
        f"| `{spelling}` | {escaped(text)} |\n"
        for spelling, text in (each.get_help_record(context) for each in options)
    ]
    if rows:
        parts += ["\n| | |\n|---|---|\n", *rows]
    return "".join(parts)


def _argument(parameter: Any) -> str:  # noqa: ANN401 - as above
    name = parameter.metavar or parameter.name.upper()
    name += "..." if parameter.nargs == -1 and not name.endswith("...") else ""
    return name if parameter.required else f"[{name}]"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the reference of the command line from what `./weft VERB --help` is made of."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping

import typer
from typer.core import TyperArgument, TyperGroup, TyperOption

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
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    rows = [f"| [`{name}`](#{name}) | {_first_line(each)} |" for name, each in verbs.items()]
    parts = [HEAD, "| verb | |\n|---|---|\n", "\n".join(rows), "\n\n"]
    parts += ["| exit code | meaning |\n|---|---|\n"]
    parts += [f"| {code} | {escaped(meaning)} |\n" for code, meaning in EXIT_CODES.items()]
    parts += [_verb(group, name) for name in verbs]
    return "".join(parts)


def _first_line(function: Callable[..., None]) -> str:
    return escaped((inspect.getdoc(function) or "").partition("\n\n")[0].replace("\n", " "))


def _verb(group: TyperGroup, name: str) -> str:
    command = group.commands[name]
    text = inspect.cleandoc(command.help or "").replace("\b", "")
    examples = [
        line
        for each in EXAMPLE.findall(text)
        for line in NEXT_EXAMPLE.split(" ".join(each.split()))
    ]
    paragraphs = [escaped(each) for each in EXAMPLE.sub("", text).split("\n\n") if each.strip()]
    arguments = [each for each in command.params if isinstance(each, TyperArgument)]
    options = [each for each in command.params if isinstance(each, TyperOption)]
    usage = " ".join(["./weft", name, "[OPTIONS]" if options else "", *map(_argument, arguments)])
    parts = [f"\n## {name}\n\n```text\n{' '.join(usage.split())}\n```\n\n"]
    parts += ["\n\n".join(paragraphs), "\n"]
    if examples:
        parts += ["\n```sh\n", "\n".join(examples), "\n```\n"]
    context = command.context_class(command, info_name=name)
    rows = [f"| `{_argument(each)}` | {escaped(each.help or '')} |\n" for each in arguments]
    rows += [
        f"| `{record[0]}` | {escaped(record[1])} |\n"
        for each in options
        if (record := each.get_help_record(context)) is not None
    ]
    if rows:
        parts += ["\n| | |\n|---|---|\n", *rows]
    return "".join(parts)


def _argument(parameter: TyperArgument) -> str:
    name = parameter.metavar or (parameter.name or "").upper()
    name += "..." if parameter.nargs == -1 and not name.endswith("...") else ""
    return name if parameter.required else f"[{name}]"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns the docstrings of headers (`///` lines with fields such as `Cost:`) into Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass

FIELD_NAMES = (
    "Shape",
    "Units",
    "Scope",
    "Cost",
    "Threads",
    "Errors",
    "Hazard",
    "Source",
    "Example",
)
FIELD = re.compile(rf"^({'|'.join(FIELD_NAMES)}):\s*(.*)$")
FIELD_WITHIN = re.compile(rf"(?<=\.) ({'|'.join(FIELD_NAMES)}): (?=\S)")
LIST_ITEM = re.compile(r"^\s*(?:[-*]|\d+\.)\s")
EXAMPLE = re.compile(r"((?:tests|examples)/[\w/]+\.\w+)(?::\s+(\w+))?")
CODE_SPAN = re.compile(r"(`+)(.+?)\1", re.DOTALL)
SPECIAL = re.compile(r"[\\*<>\[\]_|#$~]")


@dataclass(frozen=True)
class Field:
    """A field of a docstring: its name, and its text in Markdown."""

    name: str
    text: str


@dataclass(frozen=True)
class Docstring:
    """A docstring in Markdown."""

    text: str  # paragraphs, with blank lines between them
    fields: tuple[Field, ...]
    examples: tuple[tuple[str, str], ...] = ()  # file, and the name of a test or ""


def escaped(text: str) -> str:
    """Returns text that Markdown shows as it is, except for its code spans."""
    parts: list[str] = []
    at = 0
    for span in CODE_SPAN.finditer(text):
        parts += [SPECIAL.sub(r"\\\g<0>", text[at : span.start()]), " ".join(span[0].split())]
        at = span.end()
    return "".join([*parts, SPECIAL.sub(r"\\\g<0>", text[at:])])


def _markdown(lines: list[str]) -> str:
    """Returns a paragraph or a list."""
    items: list[str] = []
    for line in lines:
        if items and not LIST_ITEM.match(line):
            items[-1] += "\n" + line.strip()
        else:
            items.append(line)
    return "\n".join(
        f"- {escaped(item.strip()[2:])}"
        if item.lstrip().startswith("- ")
        else escaped(item.strip())
        for item in items
    )


def _split(lines: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    """Returns paragraphs, and fields whose first element is their name."""
    paragraphs: list[list[str]] = [[]]
    fields: list[list[str]] = []
    in_field = False
    for line in lines:
        if found := FIELD.match(line):
            fields.append([found[1], found[2]])
            in_field = True
        elif not line.strip():
            paragraphs.append([])
            in_field = False
        elif in_field:
            fields[-1].append(line.strip())
        else:
            paragraphs[-1].append(line)
    return [each for each in paragraphs if each], fields


def parse(doc: list[str]) -> Docstring:
    """Reads the lines of a docstring, each with its `///`."""
    lines = [line.removeprefix("///").removeprefix(" ") for line in doc]
    text = FIELD_WITHIN.sub(r"\n\1: ", "\n".join(lines))
    paragraphs, fields = _split(text.split("\n"))
    examples = EXAMPLE.findall(" ".join(" ".join(each) for each in fields if each[0] == "Example"))
    return Docstring(
        "\n\n".join(_markdown(each) for each in paragraphs),
        tuple(
            Field(name, escaped("\n".join(line for line in value if line)))
            for name, *value in fields
        ),
        tuple(examples),
    )

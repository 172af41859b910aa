# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Table II of the paper on HPX's counters: the names that differ between a Standard program and the
same program on weft.

It is shown as the difference of the two texts that the tests compile and run.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from weft_lab.pages import formats
from weft_lab.pages.reproduced import Content
from weft_lab.pages.table import Table, columns
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.suites.inncabs import published

FOLDER = CHECKOUT / "lab" / "inncabs" / "namespaces"
STANDARD, NAMES = "standard.cpp", "names.txt"
Pair = tuple[str, str]


def names(folder: Path = FOLDER) -> tuple[Pair, ...]:
    """The replacements of the build: one pair per line of `names.txt`."""
    lines = (folder / NAMES).read_text(encoding="utf-8").splitlines()
    return tuple((pair[0], pair[1]) for line in lines if len(pair := line.split()) == 2)


def renamed(text: str, pairs: tuple[Pair, ...]) -> str:
    """The text with the names changed and nothing else, as the build does it."""
    for old, new in pairs:
        text = text.replace(old, new)
    return text


def difference(folder: Path = FOLDER) -> tuple[str, ...]:
    """The lines that differ, as `diff -u` writes them."""
    text = (folder / STANDARD).read_text(encoding="utf-8")
    changed = renamed(text, names(folder))
    found = difflib.unified_diff(
        text.splitlines(), changed.splitlines(), STANDARD, "weft.cpp", lineterm="", n=0
    )
    return tuple(found)


def content() -> Content:
    """A row per name, and the difference of the two programs."""
    theirs = published.translations()
    rows = tuple((old, theirs.get(old), new) for old, new in names())
    table = Table(
        name="namespaces",
        title="Translation of C++11 syntax to HPX, and to weft",
        columns=columns(("C++ Standard", "std"), ("HPX", "hpx"), ("weft", "weft")),
        rows=rows,
        note=f"The Standard's program is lab/inncabs/namespaces/{STANDARD}. The build makes weft's "
        f"from it by these replacements and nothing else; both are tests. {formats.UNKNOWN}: not "
        "in the paper's table.",
    )
    lines = difference()
    diff = Table(
        "difference",
        "The difference",
        columns(("difference", "difference")),
        tuple((line,) for line in lines),
    )
    num_changed = sum(line.startswith("-") for line in lines) - 1
    num_lines = len((FOLDER / STANDARD).read_text(encoding="utf-8").splitlines())
    found = (f"{num_changed} of {num_lines} lines differ.",)
    return Content(table, diff, table, found=found, code="\n".join(lines))

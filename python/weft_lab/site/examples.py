# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cuts the test or function that a docstring names as its example out of the file that has it."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

LINES_MAX = 60


def cut(root: Path, file: str, name: str) -> str:
    """Returns the code of that name, `TEST(suite, name) { ... }` without its suite; "" if the file
    has none that can be cut."""
    path = root / file
    if not path.is_file() or not name:
        return ""
    source = path.read_text(encoding="utf-8")
    words = re.escape(name)
    test = rf"(?:TYPED_)?TEST(?:_[FP])?\(\w+,\s*{words}\)"
    function = rf"[\w:<>&*, \[\]]+\b{words}\([^;{{]*\)"
    found = re.search(rf"^[ \t]*(?:{test}|{function})[^;{{]*\{{", source, re.MULTILINE)
    if not found:
        return ""
    end = source.find("\n}", found.end())
    text = textwrap.dedent(source[found.start() : end + 2]) if end >= 0 else ""
    return text if text.count("\n") < LINES_MAX else ""

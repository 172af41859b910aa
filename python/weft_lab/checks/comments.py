# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the English of comments in the library's C++ sources by the rules for pages."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from weft_lab.checks.files import own_files
from weft_lab.checks.prose import complaints

LONGEST = 25

COMMENT = re.compile(r"^\s*///?<? ?(.*)$")
BEHIND_CODE = re.compile(r"\s///?<? (.*)$")
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
NEW_PARAGRAPH = re.compile(r"[-*] |\d+\. |[A-Z][a-z]+: ")
FOR_MACHINES = ("SPDX-", "NOLINT", "clang-format ", "IWYU ")
CITED = re.compile(r"Sources?: |Example: ")


def comments(text: str) -> list[tuple[int, str]]:
    """Returns each paragraph of a source's comments, with the number of its first line."""
    found: list[tuple[int, str]] = []
    is_open = False
    for number, line in enumerate(text.splitlines(), 1):
        alone = COMMENT.match(line)
        behind = BEHIND_CODE.search(STRING.sub('""', line)) if alone is None else None
        comment = alone or behind
        words = comment[1].strip() if comment else ""
        if not words or words.startswith(FOR_MACHINES):
            is_open = False
        elif is_open and alone and not NEW_PARAGRAPH.match(words):
            found[-1] = (found[-1][0], f"{found[-1][1]} {words}")
        else:
            found.append((number, words))
            is_open = alone is not None
    return [(number, words) for number, words in found if not CITED.match(words)]


def violations(root: Path, within: str = "") -> list[str]:
    """Returns the complaints about comments in src/ and include/, or in one folder of them."""
    found: list[str] = []
    for source in own_files(root, ".cpp", ".hpp"):
        if source.parts[0] in ("src", "include") and source.as_posix().startswith(within):
            for number, words in comments((root / source).read_text(encoding="utf-8")):
                found += [f"{source}:{number}: {each}" for each in complaints(words, LONGEST)]
    return found


def main() -> int:
    """Arguments: checkout, and perhaps a folder such as src/tasks to check alone."""
    found = violations(Path(sys.argv[1]).resolve(), *sys.argv[2:3])
    print("\n".join(f"error: {message}" for message in found))
    print(f"{len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the English of comments in the library's C++ sources by the rules for pages."""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

from weft_lab.checks.files import own_files
from weft_lab.checks.prose import allowed, complaints

LONGEST = 25
EXCEPTIONS = Path("python/weft_lab/checks/comment_exceptions.txt")

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


def module_of(source: Path) -> str:
    """Returns the module that a source belongs to: its folder in src/ or include/weft/."""
    depth = 2 if source.parts[0] == "src" else 3
    return Path(*source.parts[:depth]).as_posix()


def by_module(root: Path) -> dict[str, list[str]]:
    """Returns the complaints about comments of each module that has some."""
    found: dict[str, list[str]] = defaultdict(list)
    for source in own_files(root, ".cpp", ".hpp"):
        if source.parts[0] in ("src", "include"):
            for number, words in comments((root / source).read_text(encoding="utf-8")):
                about = complaints(words, LONGEST)
                found[module_of(source)] += [f"{source}:{number}: {each}" for each in about]
    return {module: about for module, about in found.items() if about}


def violations(root: Path) -> list[str]:
    """Returns what is wrong: modules with more complaints than allowed, or with fewer."""
    found: list[str] = []
    limits = allowed(root / EXCEPTIONS)
    about = by_module(root)
    for module in sorted(about.keys() | limits.keys()):
        count, limit = len(about.get(module, [])), limits.get(module, 0)
        if count > limit:
            found += about[module]
            found.append(f"{module}: {count} complaints, {limit} allowed; rewrite the sentences")
        elif count < limit:
            change = f"write {count} for {module}" if count else f"remove {module}"
            found.append(f"{EXCEPTIONS}: {change}; it was {limit}")
    return found


def main() -> int:
    """Arguments: checkout, and a module such as src/tasks to list all its complaints."""
    root = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        print("\n".join(by_module(root).get(sys.argv[2], ["none"])))
        return 0
    found = violations(root)
    print("\n".join(f"error: {message}" for message in found))
    print(f"{sum(allowed(root / EXCEPTIONS).values())} complaints allowed, {len(found)} errors")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

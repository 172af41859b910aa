# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every ```cpp block of README and docs is cut from an example, which is compiled.

The lines of a block must be consecutive in one file of examples/, at any depth of indentation.
"""

from __future__ import annotations

import re
import sys
import textwrap
from pathlib import Path

from weft_lab.checks.files import own_files

BLOCK = re.compile(r"^```cpp\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def _holds(source: list[str], block: list[str]) -> bool:
    first = block[0].strip()
    return any(
        _lines(textwrap.dedent("\n".join(source[i : i + len(block)]))) == block
        for i, line in enumerate(source)
        if line.strip() == first
    )


def loose_blocks(page: Path, text: str, sources: list[str]) -> list[str]:
    """Returns a message for each block of `page` that none of `sources` contains."""
    split = [_lines(source) for source in sources]
    return [
        f"{page}: no example has the block that begins with: {block[0]}"
        for match in BLOCK.finditer(text)
        if (block := _lines(textwrap.dedent(match["body"])))
        and not any(_holds(source, block) for source in split)
    ]


def main() -> int:
    """Argument: checkout. Exit code 1 if a block is in no example, or if there is none."""
    root = Path(sys.argv[1]).resolve()
    examples = [path for path in own_files(root, ".cpp", ".cu") if path.parts[0] == "examples"]
    sources = [(root / path).read_text(encoding="utf-8") for path in examples]
    num_blocks = 0
    loose: list[str] = []
    for page in own_files(root, ".md"):
        text = (root / page).read_text(encoding="utf-8")
        num_blocks += len(BLOCK.findall(text))
        loose += loose_blocks(page, text, sources)
    print("\n".join(f"error: {message}" for message in loose))
    print(f"{num_blocks} blocks of C++, {len(loose)} in no example")
    return 1 if loose or not num_blocks else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that every relative link and every #anchor in the Markdown files has a target."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from weft_lab.checks.files import own_files

LINK = re.compile(r"(?<!\!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$|<!--.*?-->", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+\s+(.*)$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """Returns the anchors that a page's headings get."""
    headings = HEADING.findall(FENCE.sub("", text))
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {word.strip().replace(" ", "-") for word in words}


def dead_links(page: Path, root: Path) -> list[str]:
    """Returns a message for each link of `page` (relative to `root`) without a target."""
    text = (root / page).read_text(encoding="utf-8")
    dead: list[str] = []
    for match in LINK.finditer(FENCE.sub("", text)):
        target, _, anchor = (match[1] or match[2]).partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        path = (root / page).parent / target if target else root / page
        if not path.exists():
            dead.append(f"{page}: link to {target}: no such file")
        elif (
            anchor
            and path.suffix == ".md"
            and anchor not in anchors(path.read_text(encoding="utf-8"))
        ):
            dead.append(f"{page}: link to {target}#{anchor}: no such heading")
    return dead


def main() -> int:
    """Argument: checkout. Exit code 1 if a link is dead."""
    root = Path(sys.argv[1]).resolve()
    pages = own_files(root, ".md")
    dead = [message for page in pages for message in dead_links(page, root)]
    print("\n".join(f"error: {message}" for message in dead))
    print(f"{len(pages)} pages, {len(dead)} dead links")
    return 1 if dead or not pages else 0


if __name__ == "__main__":
    sys.exit(main())

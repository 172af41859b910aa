# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the English of Markdown pages: the length of sentences, and words with a better term."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from weft_lab.checks.files import own_files
from weft_lab.checks.links import FENCE

LONGEST = 30
GENERATED = {"docs/reference/names.md", "docs/reference/counters.md", "docs/reference/records.md"}

# A pattern, and what to write instead. Patterns ignore case unless they say otherwise.
BETTER: list[tuple[str, str]] = [
    (r"\bgood news\b|\bmake way\b|\bmakes way\b", "steal request, yield"),
    (r"\blies? down\b|\bsearch in place\b", "park, spin"),
    (r"\bbecomes? such\b", "publish a task"),
    (r"\bgoes on on\b|\bgo on on\b", "resumes on"),
    (r"\bwhat only moves\b|\bpast the caches?\b", "memory-bound; non-temporal store"),
    (r"\btold apart\b|\bcannot be told\b|\bnot told from\b", "no significant difference"),
    (r"\b(?:was|were|is|are) shown to be (?:faster|slower)\b", "significantly faster, slower"),
    (r"\bbaseline copy\b|\bcopy of seq\b|\bin turns\b", "baseline; alternate, interleaved"),
    (r"\btakes? them again\b", "repeat these measurements"),
    (r"\bhalf as (?:long|much|fast|many) again\b", "1.5 times"),
    (r"\bis no worker\b|\bare no workers?\b|\bwhich is no\b", "is not a worker"),
    (r"\bit is no\b|\bis no (?:number|reason)\b", "is not a"),
    (r"\bto and fro\b|\bthere and back\b", "back and forth; round trip"),
    (r"\bdo(?:es)? so, too\b", "repeat the verb"),
    (r"\band the like\b|\band (?:its|their) like\b", "name them, or: and similar"),
    (r"\bcommands? a terminal\b|\bby heart\b|\bhears? of\b", "the plain verb"),
    (r"(?-i:(?:^|[.:;] )Who [^?]*\.$)", "name the subject: the caller, a worker, a user"),
    (r"(?-i:(?:^|[.:;] )Whoever\b)", "name the subject: the caller, a worker, a user"),
    (r"(?-i:(?:^|[.] )What (?:is|was|takes|needs|only|else|no|one)\b[^?]*\.$)", "name the subject"),
]

LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"``[^`]+``|`[^`]*`")
BLOCK = re.compile(r"^\s*(?:[-*+] |\d+\. |#+ |>|:::)", re.MULTILINE)
END = re.compile(
    r"(?<![ (]e\.g)(?<![ (]i\.e)(?<!vs)[.!?][\"')*_]*(?=\s+[\"'(*_\[]*(?:[A-Z0-9`§]|weft\b))"
)


def paragraphs(text: str) -> list[str]:
    """Returns the paragraphs, list items and table cells of a page, without code blocks."""
    found: list[str] = []
    for block in re.split(r"\n\s*\n", FENCE.sub("\n\n", text)):
        lines: list[str] = []
        for line in block.splitlines():
            if line.lstrip().startswith("|"):
                cells = CODE.sub("§", line.strip().strip("|").replace("\\|", " ")).split("|")
                found += [cell.strip() for cell in cells if re.search(r"[a-z]", cell)]
            elif BLOCK.match(line) and lines:
                found.append(" ".join(lines))
                lines = [line.strip()]
            else:
                lines.append(line.strip())
        if lines:
            found.append(" ".join(lines))
    return [BLOCK.sub("", paragraph) for paragraph in found]


def sentences(text: str) -> list[str]:
    """Returns the sentences of a page. A piece of code is one word, and so is a link's address."""
    found: list[str] = []
    for paragraph in paragraphs(text):
        plain = CODE.sub("§", LINK.sub(r"\1", paragraph))
        start = 0
        for end in END.finditer(plain):
            found.append(plain[start : end.end()].strip())
            start = end.end()
        found.append(plain[start:].strip())
    return [sentence for sentence in found if sentence]


def num_words(sentence: str) -> int:
    """Returns how many words a sentence has; signs between them do not count."""
    return sum(1 for word in sentence.split() if re.search(r"[^\W_]|§", word))


def complaints(text: str, longest: int = LONGEST) -> list[str]:
    """Returns a message for each long sentence and each word that has a better term."""
    found: list[str] = []
    for sentence in sentences(text):
        words = num_words(sentence)
        if words > longest:
            found.append(f"{words} words, more than {longest}: {sentence}")
        for pattern, better in BETTER:
            if match := re.search(pattern, sentence, re.IGNORECASE):
                found.append(f"'{match[0].strip()}', better '{better}': {sentence}")
    return found


def pages(root: Path) -> list[Path]:
    """Returns the pages that people write: README and its neighbours, and docs/."""
    return [
        path
        for path in own_files(root, ".md")
        if (len(path.parts) == 1 or path.parts[0] == "docs") and path.as_posix() not in GENERATED
    ]


def violations(root: Path) -> list[str]:
    """Returns the complaints about all pages."""
    return [
        f"{page}: {message}"
        for page in pages(root)
        for message in complaints((root / page).read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Arguments: checkout, and a number of words to count longer sentences of each page by."""
    root = Path(sys.argv[1]).resolve()
    if len(sys.argv) > 2:
        limit, total = int(sys.argv[2]), 0
        for page in pages(root):
            each = [num_words(s) for s in sentences((root / page).read_text(encoding="utf-8"))]
            over = sum(1 for words in each if words > limit)
            total += over
            print(f"{page}: {over} of {len(each)} sentences have more than {limit} words")
        print(f"{total} in all")
        return 0
    found = violations(root)
    print("\n".join(f"error: {message}" for message in found))
    print(f"{len(pages(root))} pages, {len(found)} complaints")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

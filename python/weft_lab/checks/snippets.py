# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the ./weft command lines of README and docs, as a reader would type them.

Command lines are lines of ```sh and ```console blocks that start with `./weft` or `$ ./weft`.
A page's lines run one after the other in a folder of their own, so that `compare` finds what
`report` made. Measuring is cut short (see `shortened`); a block after a line
`<!-- not run: reason -->` is left out.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from weft_lab.checks.files import own_files
from weft_lab.options import parse_budget

BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>.+?) -->\n+)?^```(?:sh|console)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
BUDGET_OPTION = re.compile(r"\s--budget[= ](\S+)")
COMMAND = re.compile(r"^(?:\$ )?(\./weft\b.*)$", re.MULTILINE)
# Options of verbs that measure: the point is that the line works, not what it finds.
BUDGET = "3s"
BACKEND = "seq"
MEASURING = {"report", "run", "reproduce"}
NOT_RUN = {"test": "it is what runs this", "clean": "it would remove what runs this"}
TIMEOUT_S = 900.0  # the first one builds


@dataclass(frozen=True)
class Snippet:
    """One command line of a page; `reason` says why it is not run, if it is not."""

    page: Path
    line: str
    reason: str = ""


def snippets(page: Path, text: str) -> list[Snippet]:
    """Returns the command lines of a page in order."""
    found: list[Snippet] = []
    for block in BLOCK.finditer(text):
        for match in COMMAND.finditer(block["body"]):
            words = shlex.split(match[1], comments=True)
            verb = words[1] if len(words) > 1 else ""
            line = shlex.join(words)
            found.append(Snippet(page, line, block["reason"] or NOT_RUN.get(verb, "")))
    return found


def shortened(line: str) -> list[str]:
    """Returns the words to run: a measuring verb gets BUDGET, and BACKEND unless it names one.

    Raises UsageError if the line's own budget is none.
    """
    words = shlex.split(line)
    is_measuring = (
        len(words) > 1 and words[1] in MEASURING and not {"--help", "--list"} & set(words)
    )
    if not is_measuring:
        return words
    given = BUDGET_OPTION.search(line)
    if given:
        parse_budget(given[1])
    words = [*shlex.split(BUDGET_OPTION.sub("", line)), "--budget", BUDGET]
    names_backend = any(word.partition("=")[0] == "--backend" for word in words)
    return words if names_backend else [*words, "--backend", BACKEND]


def run(snippet: Snippet, folder: Path) -> bool:
    """Runs one command line; true if it ended with exit code 0."""
    words = shortened(snippet.line)
    print(f"{snippet.page}: {shlex.join(words)}", flush=True)
    try:
        done = subprocess.run(
            words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        print(f"error: no end after {TIMEOUT_S:.0f} s: {snippet.line}", flush=True)
        return False
    if done.returncode != 0:
        print(
            f"{done.stdout}{done.stderr}error: exit code {done.returncode}: {snippet.line}",
            flush=True,
        )
    return done.returncode == 0


def main() -> int:
    """Argument: checkout. Exit code 1 if a command line fails, or if there is none."""
    root = Path(sys.argv[1]).resolve()
    num_run = num_failed = 0
    for page in own_files(root, ".md"):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "weft").symlink_to(root / "weft")
            for snippet in snippets(page, (root / page).read_text(encoding="utf-8")):
                if snippet.reason:
                    print(f"{page}: not run ({snippet.reason}): {snippet.line}")
                    continue
                num_run += 1
                num_failed += not run(snippet, Path(folder))
    print(f"{num_run} command lines run, {num_failed} failed")
    return 1 if num_failed or not num_run else 0


if __name__ == "__main__":
    sys.exit(main())

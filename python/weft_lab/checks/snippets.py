# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the ./weft command lines of README and docs, as a reader would type them.

Command lines are lines of ```sh and ```console blocks that start with `./weft` or `$ ./weft`. A
page's lines run one after the other in their own folder, so that `compare` finds the results of
`report`; two pages run at a time. Measurements are shortened (see `shortened`), and use programs
that are built already. A block after a line `<!-- not run: reason -->` is skipped. Of the lines
that compile a kernel, one is run, where programs are built.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from weft_lab.checks.files import own_files
from weft_lab.measuring.options import parse_budget

BLOCK = re.compile(
    r"(?:^<!-- not run: (?P<reason>.+?) -->\n+)?^```(?:sh|console)\n(?P<body>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
BUDGET_OPTION = re.compile(r"\s--budget[= ](\S+)")
COMMAND = re.compile(r"^(?:\$ )?(\./weft\b.*)$", re.MULTILINE)
# Options of verbs that measure: only whether the line works matters, not its result.
BUDGET = "1s"
BACKEND = "seq"
OWN_PROGRAMS = "bench"
LAUNCHES = "2"
# The programs of a kernel that compile without any library of weft's.
KERNEL_OPTIONS = {"--backend": "seq@gcc,openmp@gcc", "--param": "n=1000"}
COMPILES = "it compiles a kernel: stage release runs one such line"
MEASURING = {"report", "run", "reproduce"}
NOT_RUN = {
    "clean": "it would remove what runs this",
    "docs": "the site is built once, beside these lines",
    "test": "it is what runs this",
    "tune": "it measures for a minute, and writes into the home folder",
}
TIMEOUT_S = 900.0  # the first one builds
PAGES_AT_A_TIME = 2


@dataclass(frozen=True)
class Snippet:
    """One command line of a page; `reason` says why it is not run, if it is not.

    `programs`: the programs it measures with, if it measures; None if it builds them.
    """

    page: Path
    line: str
    reason: str = ""
    programs: Path | None = None


def snippets(page: Path, text: str) -> list[Snippet]:
    """Returns the command lines of a page in order."""
    found: list[Snippet] = []
    for block in BLOCK.finditer(text):
        for match in COMMAND.finditer(block["body"]):
            words = shlex.split(match[1], comments=True)
            verb = words[1] if len(words) > 1 else ""
            line = shlex.join(words)
            reason = block["reason"] or NOT_RUN.get(verb) or (COMPILES if is_kernel(line) else "")
            found.append(Snippet(page, line, reason))
    return found


def is_kernel(line: str) -> bool:
    """True if the line measures a kernel of the user's."""
    words = shlex.split(line)
    return words[1:2] == [OWN_PROGRAMS] and words[-1].endswith(".cpp")


def is_measuring(line: str) -> bool:
    """True if the line builds and measures, and not only prints information."""
    words = shlex.split(line)
    return len(words) > 1 and words[1] in MEASURING and not {"--help", "--list"} & set(words)


def shortened(line: str, programs: Path | None = None) -> list[str]:
    """Returns the words to run: a verb that measures gets BUDGET, and BACKEND unless it names one.

    `programs`: the folder from which a verb that measures takes its programs; None: it builds them.
    A line of `bench` measures what it names: it gets LAUNCHES launches, unless it sets their
    number. Raises UsageError if the line's own budget is invalid.
    """
    if line.startswith(f"./weft {OWN_PROGRAMS} "):
        before, rest = shlex.split(line)[:2], shlex.split(line)[2:]
        if is_kernel(line):
            before += [w for each in KERNEL_OPTIONS.items() if each[0] not in rest for w in each]
        return [*before, "--rounds", LAUNCHES, *rest]
    if not is_measuring(line):
        return shlex.split(line)
    given = BUDGET_OPTION.search(line)
    if given:
        parse_budget(given[1])
    words = [*shlex.split(BUDGET_OPTION.sub("", line)), "--budget", BUDGET]
    if not any(word.partition("=")[0] == "--backend" for word in words):
        words += ["--backend", BACKEND]
    return words if programs is None else [*words, "--programs", str(programs)]


def first_measuring(pages: list[list[Snippet]]) -> list[list[Snippet]]:
    """Returns a page with the first line that measures and the first of a kernel, if any."""
    lines = [each for page in pages for each in page]
    measuring = (each for each in lines if not each.reason and is_measuring(each.line))
    kernels = (replace(each, reason="") for each in lines if each.reason == COMPILES)
    found = [each for each in (next(measuring, None), next(kernels, None)) if each]
    return [found] if found else []


def run(snippet: Snippet, folder: Path) -> bool:
    """Runs one command line; true if it ended with exit code 0."""
    words = shortened(snippet.line, snippet.programs)
    print(f"{snippet.page}: {shlex.join(words)}\n", end="", flush=True)
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


def run_page(page: list[Snippet], root: Path) -> list[bool]:
    """Runs a page's command lines in a new folder; prints for each whether it worked."""
    worked: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in ("weft", "examples"):
            Path(folder, name).symlink_to(root / name)
        for snippet in page:
            if snippet.reason:
                print(f"{snippet.page}: not run ({snippet.reason}): {snippet.line}")
            else:
                worked.append(run(snippet, Path(folder)))
    return worked


def main() -> int:
    """Arguments: checkout; then, if given, the folder of bench programs that all lines measure
    with.

    Without a folder, only the first line that measures and the first of a kernel are run; they
    build their Release programs as a reader's would. Exit code 1 if a command line fails, or if
    there is none.
    """
    root = Path(sys.argv[1]).resolve()
    programs = root / sys.argv[2] if len(sys.argv) > 2 else None
    pages = [
        snippets(page, (root / page).read_text(encoding="utf-8")) for page in own_files(root, ".md")
    ]
    if programs:
        pages = [[replace(each, programs=programs) for each in page] for page in pages]
    else:
        pages = first_measuring(pages)
    with ThreadPoolExecutor(PAGES_AT_A_TIME) as pool:
        worked = [each for page in pool.map(partial(run_page, root=root), pages) for each in page]
    print(f"{len(worked)} command lines run, {worked.count(False)} failed")
    return 0 if worked and all(worked) else 1


if __name__ == "__main__":
    sys.exit(main())

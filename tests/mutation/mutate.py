# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants random mistakes one by one, and reports which of them no test notices.

    git worktree add --detach ../mutants && ln -s "$PWD/.weft" ../mutants/.weft
    .weft/venv/bin/python tests/mutation/mutate.py ../mutants --count 100 --results mutants.jsonl

The tree must be a clean worktree of its own: its sources are changed and put back. A mutant is
one changed operator, constant, condition, argument list or statement; comments, strings,
declarations, assertions and messages stay as they are. Mutants follow from the seed and are
spread evenly over the modules.

Each mutant meets the nearest tests first: the test file of the same name and those that include
the changed header; then all test programs of its module. After a change to a header, a near test
file is compiled and linked alone; after one to a source, its whole program is linked again. Python
meets the test files that import it, then all of tests/python. A test that fails or exceeds its
time limit without the mutant is not asked. Mutants that do not compile, or leave the programs
byte for byte as they were, are not counted; others take their place.

Every outcome is appended to the results at once: the same command continues after a stop. Write
"equivalent": "REASON" into the line of a survivor that changes nothing anyone can see, and the
table leaves it out of the fraction. Write "caught_since": "FILE: TEST" into the line of one that a
new test fails on. --table only prints the table; that of tests/mutation/results.jsonl stands in
CONTRIBUTING.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mistakes import Mutant, mutants_of
from nearest import FOLDERS, Build, Check, checks, sources, text_of

COUNTED = ("caught", "survived")
RUN_MIN_S = 60.0  # time limit of a test that takes less than a tenth of it


def choose(tree: Path, module: str, generator: random.Random) -> tuple[Path, Mutant]:
    """Returns a random mutant: files by their number of places, operators all alike."""
    files = sources(tree, module)
    counts = [len(_mutants_in(tree / path)) for path in files]
    path = generator.choices(files, counts)[0]
    found = _mutants_in(tree / path)
    operator = generator.choice(sorted({mutant.operator for mutant in found}))
    return path, generator.choice([mutant for mutant in found if mutant.operator == operator])


@cache
def _mutants_in(path: Path) -> list[Mutant]:
    return mutants_of(text_of(path), path.suffix)


class Judge:
    """Plants mutants in the tree, and asks the tests."""

    def __init__(self, build: Build) -> None:
        self.build = build
        self.without: dict[tuple[type, str], tuple[Check, str, float] | None] = {}

    def baseline(self, check: Check) -> tuple[Check, str, float] | None:
        """Returns the check, its programs' hash and time without a mutant; nothing if it fails."""
        key = (type(check), check.name)
        if key not in self.without:
            found = check.build()
            start = time.monotonic()
            passed = found is not None and check.passes(self.build.limit_s)
            seconds = time.monotonic() - start
            self.without[key] = (check, found, seconds) if found and passed else None
            if not passed:
                print(f"{check.name} fails without a mutant: not asked", flush=True)
        return self.without[key]

    def outcome(self, module: str, path: Path, mutant: Mutant) -> tuple[str, str]:
        """Returns what became of the mutant, and by which test."""
        asked = 0
        for new in checks(self.build, module, path):
            known = self.baseline(new)
            if known is None:
                continue
            check, unchanged, seconds = known
            place = self.build.tree / path
            source = place.read_text("utf-8")
            try:
                place.write_text(mutant.planted(source), "utf-8")
                found = check.build()
                if found is None:
                    return "not compiled", check.name
                if found == unchanged:
                    continue
                asked += 1
                if not check.passes(max(RUN_MIN_S, 10 * seconds)):
                    return "caught", check.name
            finally:
                place.write_text(source, "utf-8")
        return ("survived" if asked else "unchanged"), ""


def table(results: list[dict[str, Any]]) -> str:
    """Returns a row for each module; the fraction is of mutants that are not equivalent."""
    lines = [
        "| module | mutants | equivalent | caught | caught since | survive | caught at first |",
        "|---|---|---|---|---|---|---|",
    ]
    for module in [*FOLDERS, "all"]:
        rows = [r for r in results if module in (r["module"], "all") and r["outcome"] in COUNTED]
        survivors = [row for row in rows if row["outcome"] == "survived"]
        caught = len(rows) - len(survivors)
        equivalent = sum("equivalent" in row for row in survivors)
        since = sum("caught_since" in row for row in survivors)
        meant = len(rows) - equivalent
        fraction = f"{caught / meant:.0%}" if meant else "none"
        lines.append(
            f"| {module} | {len(rows)} | {equivalent} | {caught} | {since} "
            f"| {meant - caught - since} | {fraction} |"
        )
    return "\n".join(lines)


def run(arguments: argparse.Namespace, results: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Judges mutants until there are enough; yields every outcome."""
    tree: Path = arguments.tree.resolve()
    judge = Judge(Build(tree, tree / "build/gcc", arguments.limit_s))
    known = {row["id"] for row in results}
    counted = Counter(row["module"] for row in results if row["outcome"] in COUNTED)
    generators = {m: random.Random(f"{arguments.seed} {m}") for m in arguments.module}
    while sum(counted[module] for module in arguments.module) < arguments.count:
        module = min(arguments.module, key=lambda m: counted[m])
        path, mutant = choose(tree, module, generators[module])
        name = hashlib.sha1(f"{path} {mutant}".encode()).hexdigest()[:8]
        if name in known:
            continue
        known.add(name)
        source = text_of(tree / path)
        line = source.count("\n", 0, mutant.start)
        start = time.monotonic()
        outcome, by = judge.outcome(module, path, mutant)
        counted[module] += outcome in COUNTED
        yield {
            "id": name, "module": module, "path": str(path), "line": line + 1,
            "operator": mutant.operator, "before": source.splitlines()[line].strip(),
            "after": mutant.planted(source).splitlines()[line].strip(),
            "outcome": outcome, "by": by, "seconds": round(time.monotonic() - start),
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tree", type=Path, help="a clean worktree, whose build/gcc is configured")
    parser.add_argument("--results", type=Path, required=True, help="JSON lines; continued")
    parser.add_argument("--count", type=int, default=100, help="mutants in all, earlier ones too")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--module", action="append", choices=FOLDERS, help="repeatable; default: all"
    )
    parser.add_argument("--limit-s", type=float, default=900.0, help="of a build, in seconds")
    parser.add_argument("--table", action="store_true", help="only print the table")
    arguments = parser.parse_args()
    arguments.module = arguments.module or list(FOLDERS)
    text = arguments.results.read_text("utf-8") if arguments.results.exists() else ""
    results = [json.loads(line) for line in text.splitlines()]
    if not arguments.table:
        status = ["git", "-C", str(arguments.tree), "status", "--porcelain", "--untracked-files=no"]
        if changed := subprocess.run(status, capture_output=True, text=True, check=True).stdout:
            sys.exit(f"{arguments.tree} has changes, which a mutant would mix with:\n{changed}")
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        for row in run(arguments, results):
            results.append(row)
            with arguments.results.open("a", encoding="utf-8") as to:
                to.write(json.dumps(row) + "\n")
            print(
                *(row[key] for key in ("outcome", "path", "line", "after", "seconds")), flush=True
            )
    print(table(results))


if __name__ == "__main__":
    main()

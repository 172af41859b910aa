# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts which programs of HPX's examples compile against weft, and says what the others lack."""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIRST_ERROR = re.compile(r"error: (?:#error )?(?:static assertion failed: )?(?P<what>.*)")


@dataclass(frozen=True)
class Verdict:
    """What became of one program; `lacks` is the compiler's first error, empty if it compiles."""

    name: str
    lacks: str


def local_programs(cmake: str) -> set[str]:
    """Returns the programs that HPX itself builds without its distributed runtime."""
    before = cmake.split("if(HPX_WITH_DISTRIBUTED_RUNTIME)", maxsplit=1)[0]
    lists = re.findall(r"(?:set|list)\([^)]*example_programs([^)]*)\)", before)
    words = {word for each in lists for word in each.split()}
    return {word for word in words if re.fullmatch(r"\w+", word)}


def judge(source: Path, compiler: str, folders: Sequence[Path] = ()) -> Verdict:
    """Compiles one program without making anything; `folders` hold headers of its own."""
    include = ROOT / "include"
    command = [compiler, "-std=c++20", "-fsyntax-only", "-w"]
    command += [f"-I{folder}" for folder in (include, include / "weft/compat/hpx", *folders)]
    command += [str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Verdict(source.stem, "")
    found = FIRST_ERROR.search(done.stderr)
    return Verdict(source.stem, found["what"] if found else "the compiler gives no reason")


def table(verdicts: list[Verdict], local: set[str]) -> str:
    """Returns the programs that do not compile with their reasons, and how many do."""
    lines = [f"{each.name}: {each.lacks}" for each in verdicts if each.lacks]
    kinds = [("in all", verdicts)]
    if local:
        kinds.append(("built by HPX without localities", [v for v in verdicts if v.name in local]))
    for kind, part in kinds:
        num_good = sum(not each.lacks for each in part)
        lines.append(f"{num_good} of {len(part)} compile ({kind})")
    return "\n".join(lines)


def main() -> int:
    """Prints the table for a folder of HPX's sources, such as examples/quickstart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder of HPX's programs")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument(
        "--include", type=Path, action="append", default=[], help="a folder of their own headers"
    )
    parser.add_argument("--jobs", type=int, default=1, help="compilers at once")
    arguments = parser.parse_args()
    sources = sorted(arguments.folder.glob("*.cpp"))
    if not sources:
        parser.error(f"{arguments.folder} holds no .cpp file; give HPX's examples/quickstart")
    cmake = arguments.folder / "CMakeLists.txt"
    local = local_programs(cmake.read_text()) if cmake.exists() else set()
    with ThreadPoolExecutor(arguments.jobs) as pool:
        judge_one = partial(judge, compiler=arguments.compiler, folders=arguments.include)
        verdicts = list(pool.map(judge_one, sources))
    print(table(verdicts, local))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts which of HPX's programs compile against weft, or also run, and says why the others do not.

HPX's own tests say by their exit code whether all is right: `--run build/gcc` runs what compiles.
`--distributed` uses weft::hpx_distributed, and `--ranks 2` runs each program as a job of two.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TIME_LIMIT_S = 60
FIRST_ERROR = re.compile(r"error: (?:#error )?(?:static assertion failed: )?(?P<what>.*)")


@dataclass(frozen=True)
class Setup:
    """How programs are compiled and run; `folders` hold their own headers and those made here."""

    compiler: str = "g++"
    folders: Sequence[Path] = ()
    build: Path | None = None  # none: they are not run
    distributed: bool = False
    ranks: int = 0  # 0: without a launcher


@dataclass(frozen=True)
class Verdict:
    """What became of one program; `lacks` is the first error, empty if all is well."""

    name: str
    lacks: str


def local_programs(cmake: str) -> set[str]:
    """Returns the programs that HPX itself builds without its distributed runtime."""
    before = cmake.split("if(HPX_WITH_DISTRIBUTED_RUNTIME)", maxsplit=1)[0]
    lists = re.findall(r"(?:set|list)\([^)]*example_programs([^)]*)\)", before)
    words = {word for each in lists for word in each.split()}
    return {word for word in words if re.fullmatch(r"\w+", word)}


def make_headers(made: Path) -> None:
    """Makes the headers that follow from tables and templates in this folder, as the build does."""
    of_compat = ROOT / "src/compat"
    by_hand = ROOT / "include/weft/compat/hpx"
    scripts: dict[str, dict[str, Path]] = {
        "weft_hpx_headers": {
            "TABLE": of_compat / "forwarding_headers.txt",
            "BY_HAND": by_hand,
            "MADE": made,
        },
        "weft_algorithm_forms": {
            "TEMPLATE": of_compat / "algorithm_names.hpp.in",
            "MADE": made / "hpx/compat/algorithm_names.hpp",
        },
    }
    for script, names in scripts.items():
        definitions = [f"-D{name}={value}" for name, value in names.items()]
        subprocess.run(["cmake", *definitions, "-P", ROOT / f"cmake/{script}.cmake"], check=True)


@cache
def has_boost(compiler: str) -> bool:
    """Returns whether the compiler finds Boost.Program_options, which hpx::program_options is."""
    command = [compiler, "-E", "-xc++", "-"]
    text = "#include <boost/program_options.hpp>\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.returncode == 0


def compile_command(source: Path, setup: Setup) -> list[str]:
    """Returns how a program is compiled."""
    include = ROOT / "include"
    own = (include, include / "weft/compat/hpx", *setup.folders)
    options = ["-DWEFT_HAS_BOOST_PROGRAM_OPTIONS"] if has_boost(setup.compiler) else []
    if setup.distributed:
        options.append("-DWEFT_HAS_LOCALITIES")
    folders = (f"-I{folder}" for folder in own)
    return [setup.compiler, "-std=c++20", "-w", *options, *folders, str(source)]


def run(source: Path, command: list[str], setup: Setup, build: Path) -> str:
    """Links a program with a build folder's libraries, and runs it; returns what went wrong."""
    names = ["hpx_compat", "algorithms", "execution", "tasks", "counters", "base"]
    if setup.distributed:
        names = ["hpx_distributed", "hpx_compat", "distributed", *names[1:]]
        command = ["mpicxx", *command[1:]]
    libraries = [str(build / f"src/libweft_{name}.a") for name in names]
    with tempfile.TemporaryDirectory() as scratch:
        program = Path(scratch) / source.stem
        system = ["-lhwloc", "-ldl", "-pthread"]
        if "-DWEFT_HAS_BOOST_PROGRAM_OPTIONS" in command:
            system.append("-lboost_program_options")
        link = [*command, "-Wl,--wrap=main", *libraries, *libraries, *system]
        made = subprocess.run([*link, "-o", program], capture_output=True, text=True, check=False)
        if made.returncode != 0:
            return "it does not link: " + made.stderr.strip().splitlines()[-1]
        launcher = ["mpirun", "-n", str(setup.ranks)] if setup.ranks else []
        try:
            done = subprocess.run(
                [*launcher, program, "--hpx:threads=4"],
                capture_output=True,
                check=False,
                timeout=TIME_LIMIT_S,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            return f"it runs for more than {TIME_LIMIT_S} s"
        return f"it ends with {done.returncode}" if done.returncode != 0 else ""


def judge(source: Path, setup: Setup) -> Verdict:
    """Compiles one program without making anything; with a build folder, runs it, too."""
    command = compile_command(source, setup)
    done = subprocess.run([*command, "-fsyntax-only"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        found = FIRST_ERROR.search(done.stderr)
        return Verdict(source.stem, found["what"] if found else "the compiler gives no reason")
    return Verdict(source.stem, run(source, command, setup, setup.build) if setup.build else "")


def table(verdicts: list[Verdict], local: set[str], verb: str = "compile") -> str:
    """Returns the programs that do not `verb` with their reasons, and how many do."""
    lines = [f"{each.name}: {each.lacks}" for each in verdicts if each.lacks]
    kinds = [("in all", verdicts)]
    if local:
        kinds.append(("built by HPX without localities", [v for v in verdicts if v.name in local]))
    for kind, part in kinds:
        num_good = sum(not each.lacks for each in part)
        lines.append(f"{num_good} of {len(part)} {verb} ({kind})")
    return "\n".join(lines)


def main() -> int:
    """Prints the table for a folder of HPX's sources, such as examples/quickstart."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder of HPX's programs")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument(
        "--include", type=Path, action="append", default=[], help="a folder of their own headers"
    )
    parser.add_argument("--run", type=Path, help="run them with the libraries of this build folder")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at once")
    parser.add_argument("--distributed", action="store_true", help="use weft::hpx_distributed")
    parser.add_argument("--ranks", type=int, default=0, help="start each with mpirun; needs --run")
    arguments = parser.parse_args()
    sources = sorted(arguments.folder.glob("*.cpp"))
    if not sources:
        parser.error(f"{arguments.folder} holds no .cpp file; give HPX's examples/quickstart")
    cmake = arguments.folder / "CMakeLists.txt"
    local = local_programs(cmake.read_text()) if cmake.exists() else set()
    with ThreadPoolExecutor(arguments.jobs) as pool, tempfile.TemporaryDirectory() as made:
        make_headers(Path(made))
        setup = Setup(
            compiler=arguments.compiler,
            folders=(Path(made), *arguments.include),
            build=arguments.run,
            distributed=arguments.distributed,
            ranks=arguments.ranks,
        )
        verdicts = list(pool.map(partial(judge, setup=setup), sources))
    print(table(verdicts, local, "compile and run" if arguments.run else "compile"))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

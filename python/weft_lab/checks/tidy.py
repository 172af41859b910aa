# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs clang-tidy on every C++ source that changed, itself or by a header, since it was last clean.

The user's cache stores the fingerprints of clean sources. So another checkout with the same
sources, which would take both processors of a small machine for minutes, is not checked again. The
file .ci/tidy_clean.txt stores them for everybody: a fresh clone checks only what changed since that
file was written. A fingerprint covers our sources, their options and the tools, but not the
system's headers. An old record costs time only.

Each source is checked separately: misc-include-cleaner judges only the file that clang-tidy is
started on, and takes three quarters of the time. A batch of sources for the other checks saves
less.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import distribution, version
from pathlib import Path

Entry = dict[str, str]
# From the environment: from version 22 on, it skips the declarations of system headers, which took
# most of its time. The program itself: the package's script starts an interpreter for each source.
PACKAGE = "clang-tidy"
PROGRAM = "clang_tidy/data/bin/clang-tidy"
# Headers installed by pip that sources include: packages of the environment, and locks of other
# folders.
HEADER_PACKAGES = ("nanobind",)
HEADER_LOCKS = ("cccl", "onedpl")
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
NAME = re.compile(r"\w+")
# Options that change how clang-tidy reads a file, if the file contains one of these words.
READ_BY = {"-fopenmp": ("omp", "_OPENMP"), "-fsanitize": ("__has_feature", "__SANITIZE_ADDRESS__")}
RECORD = Path(".ci/tidy_clean.txt")
RECORD_HEAD = """\
# Fingerprints of C++ sources that clang-tidy found clean: `./weft test --only tidy` skips them.
# `./weft test --only tidy_whole` checks every source and writes this file again.
"""
FORTRAN = ".f90"  # in the compile database, but not readable by clang-tidy
SUPPRESSED = re.compile(r"\d+ warnings?( and \d+ errors?)? (generated|treated as errors?)\.?$")


def included_files(source: Path, roots: list[Path]) -> list[Path]:
    """Returns `source` and every file of ours it includes, directly or not, sorted."""
    seen: set[Path] = set()
    waiting = [source]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            found = [folder / name for folder in (path.parent, *roots) if (folder / name).is_file()]
            waiting += [found[0].resolve()] if found else []
    return sorted(seen)


def configurations(source: Path, root: Path) -> list[Path]:
    """Returns the .clang-tidy files that apply to `source`, outermost first."""
    folders = [folder for folder in source.parents if folder.is_relative_to(root)]
    return [path for folder in reversed(folders) if (path := folder / ".clang-tidy").is_file()]


def openmp_options(compiler: str) -> list[str]:
    """Returns the option that lets clang-tidy find the compiler's omp.h, but no other of its
    headers."""
    command = [compiler, "-print-resource-dir"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    return [f"--extra-arg=-idirafter{found}/include"]


Reading = tuple[Path, frozenset[str]]


def different_compilations(
    entries: list[Entry], files: list[Path], known: set[Reading]
) -> list[Entry]:
    """Returns those of one source's entries that read something new, in their order.

    `files`: the source and our headers that it includes. `known`: which of these files were read
    with which of the options that they name, for any source; it is extended. A definition that no
    file names changes nothing.
    """
    if len(entries) == 1:
        return entries
    names = {path: set(NAME.findall(path.read_text(encoding="utf-8"))) for path in files}
    kept: list[Entry] = []
    for entry in entries:
        options = shlex.split(entry.get("command", ""))
        readings = {
            (path, frozenset(option for option in options if is_read(option, names[path])))
            for path in files
        }
        if not readings <= known or not kept:
            kept.append(entry)
            known |= readings
    return kept


def is_read(option: str, names: set[str]) -> bool:
    """Returns whether a text with these names reads differently with the option."""
    if option.startswith("-D"):
        return option[2:].partition("=")[0] in names
    return any(option.startswith(start) and names & {*read} for start, read in READ_BY.items())


def fingerprint(root: Path, files: list[Path], facts: str) -> str:
    """Returns a hash of `facts` and of the contents of these files, independent of the checkout's
    path."""
    digest = hashlib.sha256(facts.replace(str(root), "").encode())
    for path in files:
        digest.update(f"\n{path.relative_to(root)}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def tools(database: Path, root: Path) -> str:
    """Returns the other facts that a verdict depends on: clang-tidy, the compiler and its library,
    peers."""
    command = [compiler_of(database), "--version"]
    compiler = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    locks = [root / f"packaging/python/{name}.lock" for name in HEADER_LOCKS]
    versions = [version(name) for name in (PACKAGE, *HEADER_PACKAGES)]
    return "\n".join((*versions, compiler, *(path.read_text(encoding="utf-8") for path in locks)))


def compilations(database: Path, root: Path) -> dict[Path, list[Entry]]:
    """Returns our sources in the compile database with the entries that differ.

    clang-tidy reads a source once for each entry, and some sources are compiled for several
    targets. A header that an option changes is read once with that option, not again for every
    source.
    """
    entries: dict[Path, list[Entry]] = {}
    for entry in json.loads(database.read_text(encoding="utf-8")):
        path = Path(entry["directory"], entry["file"]).resolve()
        others = any(path.is_relative_to(root / folder) for folder in ("build", ".weft"))
        ours = path.is_relative_to(root) and not others
        if ours and path.suffix != FORTRAN:
            entries.setdefault(path, []).append(entry)
    known: set[Reading] = set()
    return {
        path: different_compilations(found, included_files(path, include_roots(root)), known)
        for path, found in entries.items()
    }


def include_roots(root: Path) -> list[Path]:
    """Returns the folders from which our files include each other."""
    return [root, root / "include", root / "src", root / "tests", root / "tools"]


def sources_to_check(
    found: dict[Path, list[Entry]], root: Path, with_tools: str
) -> dict[Path, str]:
    """Returns the sources of these compilations with their fingerprints."""
    sources: dict[Path, str] = {}
    for path, entries in found.items():
        files = [*configurations(path, root), path, *included_files(path, include_roots(root))]
        flags = "".join(entry.get("command", "") for entry in entries)
        sources[path] = fingerprint(root, files, with_tools + flags)
    return sources


def recorded(root: Path) -> set[str]:
    """Returns the fingerprints of sources that the checkout's record calls clean."""
    record = root / RECORD
    lines = record.read_text(encoding="utf-8").splitlines() if record.is_file() else []
    return {line for line in lines if not line.startswith("#")}


def write_record(root: Path, keys: Iterable[str]) -> None:
    """Replaces the record: these are the fingerprints of all clean sources."""
    lines = "".join(f"{key}\n" for key in sorted(keys))
    (root / RECORD).write_text(RECORD_HEAD + lines, encoding="utf-8")


class CleanSources:
    """The fingerprints that were found clean, in the user's cache: an empty file for each.

    `others`: fingerprints that are known to be clean in another way.
    """

    UNUSED_S = 30 * 24 * 3600.0  # entries that were not used for so long are deleted

    def __init__(self, others: set[str]) -> None:
        self._others = others
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        self._folder = Path(base) / "weft" / "tidy"
        self._folder.mkdir(parents=True, exist_ok=True)
        for old in self._folder.iterdir():
            if old.stat().st_mtime < time.time() - self.UNUSED_S:
                old.unlink(missing_ok=True)

    def __contains__(self, key: str) -> bool:
        is_known = (self._folder / key).exists()
        if is_known:
            self.add(key)
        return is_known or key in self._others

    def add(self, key: str) -> None:
        """Records that it is clean, and was used today."""
        (self._folder / key).touch()


def reduced(found: dict[Path, list[Entry]], database: Path) -> Path:
    """Writes a compile database of these compilations, in a folder beside the original."""
    folder = database.parent / "differing"
    folder.mkdir(exist_ok=True)
    entries = [entry for of_source in found.values() for entry in of_source]
    (folder / database.name).write_text(json.dumps(entries), encoding="utf-8")
    return folder


def compiler_of(database: Path) -> str:
    """Returns the compiler that the compile database is for."""
    entries: list[Entry] = json.loads(database.read_text(encoding="utf-8"))
    command = next(entry["command"] for entry in entries if not entry["file"].endswith(FORTRAN))
    return command.split(maxsplit=1)[0]


def without_counts(output: str) -> str:
    """Drops clang-tidy's counts of what it suppressed in other people's headers."""
    lines = output.splitlines(keepends=True)
    return "".join(line for line in lines if not SUPPRESSED.match(line))


def program() -> Path:
    """Returns the path of the environment's clang-tidy."""
    return Path(str(distribution(PACKAGE).locate_file(PROGRAM)))


def check(source: Path, build: Path, options: list[str]) -> tuple[Path, bool, str]:
    """Runs clang-tidy on one source."""
    command = [str(program()), "--quiet", "-p", str(build), *options, str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return source, done.returncode == 0, without_counts(done.stdout + done.stderr)


def check_all(
    waiting: dict[Path, str], build: Path, options: list[str], root: Path
) -> Iterator[str]:
    """Checks these sources on all processors; yields the fingerprints of those that are clean and
    prints what clang-tidy says of the others."""
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        for path, is_clean, output in pool.map(
            lambda source: check(source, build, options), waiting
        ):
            if is_clean:
                yield waiting[path]
            else:
                print(f"{path.relative_to(root)}:\n{output}", flush=True)


def main() -> int:
    """Exit code 1: not clean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("build", type=Path, help="the folder with compile_commands.json")
    parser.add_argument("--whole", action="store_true", help="also check what is known to be clean")
    parser.add_argument("--record", action="store_true", help=f"if all are clean, write {RECORD}")
    arguments = parser.parse_args()
    root, database = arguments.checkout.resolve(), arguments.build / "compile_commands.json"
    found = compilations(database, root)
    sources = sources_to_check(found, root, tools(database, root))
    clean = CleanSources(recorded(root))
    waiting = {path: key for path, key in sources.items() if arguments.whole or key not in clean}
    print(f"{len(sources)} sources, {len(waiting)} of them to check")
    options = openmp_options(compiler_of(database))
    num_clean = 0
    for key in check_all(waiting, reduced(found, database), options, root):
        clean.add(key)
        num_clean += 1
    is_clean = bool(sources) and num_clean == len(waiting)
    print(f"{num_clean} clean, {len(waiting) - num_clean} not")
    if is_clean and arguments.record:
        write_record(root, sources.values())
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())

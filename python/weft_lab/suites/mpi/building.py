# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the bench program once for each MPI, with that MPI's own compiler."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from weft_lab.errors import MissingError
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.storage.checkout import CHECKOUT

SOURCES = CHECKOUT / "lab" / "mpi"
FLAGS = ("-std=c++20", "-O3", "-march=native", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
PROGRAM = "weft_mpi"


def build_folder(one: Installation) -> Path:
    """The path of its program."""
    return CHECKOUT / "build" / "mpi" / one.id


def find_program(one: Installation, folder: Path) -> Path:
    """A program built already: in the folder's part for that MPI, else in the folder itself.

    Errors: `MissingError` if there is none.
    """
    places = (folder / one.id / PROGRAM, folder / PROGRAM)
    found = next((path for path in places if path.is_file()), None)
    if found is None:
        raise MissingError(
            what=f"'{folder}' holds no {PROGRAM} for {one.id}",
            why=f"looked for {' and '.join(map(str, places))}",
            remedy="name the folder of a build, for example --programs build/dev/bin",
        )
    return found.resolve()


def check_programs(found: Sequence[Installation], folder: Path | None) -> None:
    """Refuses a folder that the user named and in which no MPI has a program.

    Errors: `MissingError`, before anything is measured or written.
    """
    if folder is None:
        return
    if not folder.is_dir():
        raise MissingError(
            what=f"no folder '{folder}'",
            why="--programs names a folder of bench programs",
            remedy="leave --programs out: then ./weft run builds what it needs",
        )
    for one in found:
        with contextlib.suppress(MissingError):
            find_program(one, folder)
            return
    find_program(found[0], folder)


def build(one: Installation) -> Path:
    """The program, built if a source is newer. Errors: `MissingError` with the compiler's words."""
    folder = build_folder(one)
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted(SOURCES.glob("*.cpp"))
    newest = max(path.stat().st_mtime for path in SOURCES.glob("*.[ch]pp"))
    program = folder / PROGRAM
    if program.is_file() and program.stat().st_mtime > newest:
        return program
    objects = [folder / f"{path.stem}.o" for path in sources]
    stale = [
        (path, target)
        for path, target in zip(sources, objects, strict=True)
        if not target.is_file() or target.stat().st_mtime < newest
    ]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(lambda pair: _compile(one, *pair), stale))
    _call(one, [*map(str, objects), "-o", str(program)])
    return program


def _compile(one: Installation, source: Path, target: Path) -> None:
    _call(one, [*FLAGS, f"-I{CHECKOUT}", "-c", str(source), "-o", str(target)])


def _call(one: Installation, arguments: list[str]) -> None:
    environment = one.environment(os.environ)
    try:
        done = subprocess.run(
            [str(one.compiler), *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
    except OSError as error:
        raise _broken(one, error.strerror or str(error)) from error
    if done.returncode != 0:
        raise _broken(one, next(iter(done.stderr.strip().splitlines()), "no word of why"))


def _broken(one: Installation, why: str) -> MissingError:
    return MissingError(
        what=f"cannot build {PROGRAM} with {one.compiler}",
        why=why,
        remedy="install the MPI's development files (Debian: libopenmpi-dev or libmpich-dev) and "
        "nlohmann-json3-dev",
    )

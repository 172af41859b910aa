# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench programs to be observed: built, or found in a folder, with and without counters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from weft_lab.errors import MissingError
from weft_lab.machine.toolchains import GCC
from weft_lab.measuring.programs import (
    Builder,
    Found,
    Program,
    Progress,
    build_programs,
    find_in,
    target_name,
)
from weft_lab.notices import warn
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.suites.inncabs.external_tools.conditions import COUNTED, SUITE, Programs

WITHOUT_COUNTERS = "bench-not-counting"
DEFINES = ("-DWEFT_COUNTERS=off",)
# Below a folder that the user names with --programs.
PLAIN_FOLDER = "not-counting"


def programs_for(
    runtimes: Sequence[str], folder: Path | None, progress: Progress
) -> tuple[Programs, list[Program]]:
    """The programs by runtime, and all that they say of themselves.

    Without a program that does not count the baseline counts, which the manifest then says.
    Errors: `MissingError` when a runtime's program cannot be had.
    """
    found = _counting(runtimes, folder, progress)
    counting = {str(program.record["backend"]): program.path for program in found.programs}
    for runtime in runtimes:
        if runtime not in counting:
            raise _missing(runtime, found)
    plain: dict[str, Path] = {}
    if COUNTED in runtimes:
        path = _plain(folder, progress)
        plain = {} if path is None else {COUNTED: path}
    return Programs({name: counting[name] for name in runtimes}, plain), found.programs


def machine_program(folder: Path | None) -> Path | None:
    """The program that describes the machine, if it is there."""
    path = (folder or Builder(GCC).folder / "bin") / "weft_machine"
    return path if path.is_file() else None


def _counting(runtimes: Sequence[str], folder: Path | None, progress: Progress) -> Found:
    if folder is None:
        wanted = [(SUITE, runtime) for runtime in runtimes]
        return build_programs(GCC, wanted, progress, ("weft_machine",))
    names = (target_name(SUITE, runtime) for runtime in runtimes)
    return find_in(folder.resolve(), _existing(folder, names))


def _plain(folder: Path | None, progress: Callable[[int, int, str], None]) -> Path | None:
    target = target_name(SUITE, COUNTED)
    if folder is not None:
        path = (folder / PLAIN_FOLDER / target).resolve()
        return path if path.is_file() else None
    builder = Builder(GCC, CHECKOUT / "build" / WITHOUT_COUNTERS, DEFINES)
    try:
        builder.configure()
        errors = builder.build([target], progress)
    except MissingError as error:
        errors = {target: str(error)}
    if errors:
        warn(f"the baseline counts, as {target} without counters was not built: {errors[target]}")
        return None
    return builder.folder / "bin" / target


def _existing(folder: Path, names: Iterable[str]) -> list[str]:
    return [name for name in names if (folder / name).is_file()]


def _missing(runtime: str, found: Found) -> MissingError:
    skip = next(iter(found.skips), None)
    return MissingError(
        what=f"there is no {target_name(SUITE, runtime)} to measure with",
        why="it is not in the folder" if skip is None else skip.message,
        remedy="without --programs it is built" if skip is None else skip.remedy,
    )

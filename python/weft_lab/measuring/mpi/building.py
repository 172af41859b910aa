# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds a lab program, and the library in it, once for each MPI."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from weft_lab.errors import MissingError
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.storage.checkout import CHECKOUT

DEFINES = ("-DWEFT_BUILD_TOOLS=OFF", "-DWEFT_BUILD_EXAMPLES=OFF", "-DWEFT_INSTALL=OFF")


def folder_for(one: Installation, suite: str) -> Path:
    """Where CMake builds a suite's program for this MPI."""
    return CHECKOUT / "build" / "mpi" / one.id / suite


def build_program(
    one: Installation, folder: Path, program: str, options: Sequence[str] = ()
) -> Path:
    """Builds the program as far as it is not up to date, and returns its path.

    `options`: more options for CMake, which configures each time.
    Errors: `MissingError` with the first words of CMake or the compiler.
    """
    mpi = (f"-DMPI_CXX_COMPILER={one.compiler}", f"-DMPIEXEC_EXECUTABLE={one.launcher}")
    preset = ("cmake", "--preset", "bench", "-B", str(folder))
    for command in ([*preset, *mpi, *DEFINES, *options], ["ninja", "-C", str(folder), program]):
        why = _failure_of(one, command)
        if why:
            raise MissingError(
                what=f"cannot build {program} with {one.id}",
                why=why,
                remedy=f"see all of it with: {' '.join(command)}",
            )
    return folder / "bin" / program


def _failure_of(one: Installation, command: list[str]) -> str:
    """Empty if the command succeeds."""
    try:
        done = subprocess.run(
            command,
            cwd=CHECKOUT,
            capture_output=True,
            text=True,
            check=False,
            env=one.environment(os.environ),
        )
    except OSError as error:
        return error.strerror or str(error)
    if done.returncode == 0:
        return ""
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    first = next((line for line in lines if "error" in line.lower()), "")
    return first or (lines[-1] if lines else "it said nothing")

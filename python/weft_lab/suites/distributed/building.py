# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the suite's program, and weft's distributed library in it, once for each MPI."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from weft_lab.errors import MissingError
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.storage.checkout import CHECKOUT

PROGRAM = "weft_mpi_calls"
DEFINES = ("-DWEFT_BUILD_TOOLS=OFF", "-DWEFT_BUILD_EXAMPLES=OFF", "-DWEFT_INSTALL=OFF")


def build_folder(one: Installation) -> Path:
    """Where CMake works for it."""
    return CHECKOUT / "build" / "mpi" / one.id / "distributed"


def program_of(one: Installation) -> Path:
    """The path of its program once it is built."""
    return build_folder(one) / "bin" / PROGRAM


def build(one: Installation) -> Path:
    """The program, built as far as it is not up to date.

    Errors: `MissingError` with the first words of CMake or the compiler.
    """
    folder = build_folder(one)
    mpi = (f"-DMPI_CXX_COMPILER={one.compiler}", f"-DMPIEXEC_EXECUTABLE={one.launcher}")
    _call(one, ["cmake", "--preset", "bench", "-B", str(folder), *mpi, *DEFINES])
    _call(one, ["ninja", "-C", str(folder), PROGRAM])
    return program_of(one)


def _call(one: Installation, command: list[str]) -> None:
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
        raise _broken(one, command, error.strerror or str(error)) from error
    if done.returncode != 0:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        told = next((line for line in lines if "error" in line.lower()), "")
        raise _broken(one, command, told or (lines[-1] if lines else "it said nothing"))


def _broken(one: Installation, command: list[str], why: str) -> MissingError:
    return MissingError(
        what=f"cannot build {PROGRAM} with {one.id}",
        why=why.strip(),
        remedy=f"see all of it with: {' '.join(command)}",
    )

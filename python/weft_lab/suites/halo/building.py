# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the suite's program, and weft's halo library in it, once for each MPI."""

from __future__ import annotations

from pathlib import Path

from weft_lab.measuring.mpi.building import build_program, folder_for
from weft_lab.measuring.mpi.installations import Installation

PROGRAM = "weft_mpi_halo"

# Cache entries of earlier searches for libraries, which CMake would otherwise reuse: PETSc,
# GridTools or GHEX may be there by now.
FORGOTTEN = (
    "-Upetsc_*",
    "-U__pkg_config_*petsc*",
    "-UWEFT_PETSC_HAS_THIS_MPI",
    "-Uweft_gcl_*",
    "-UWEFT_GRIDTOOLS_ROOT",
    "-UWEFT_GHEX_*",
    *("-UGHEX_DIR", "-Uoomph_DIR", "-UHWMALLOC_DIR", "-UGridTools_DIR"),
)


def build_folder(one: Installation) -> Path:
    """Where CMake works for it."""
    return folder_for(one, "halo")


def program_of(one: Installation) -> Path:
    """The path of its program once it is built."""
    return build_folder(one) / "bin" / PROGRAM


def build(one: Installation) -> Path:
    """The program, built as far as it is not up to date.

    Errors: `MissingError` with the first words of CMake or the compiler.
    """
    return build_program(one, build_folder(one), PROGRAM, FORGOTTEN)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a build folder has tests of weft::halo in every language, or why some are missing.

As a program, it exits with 0 if it has, and with 77 and what to install if one is missing.
"""

from __future__ import annotations

import re
import subprocess
import sys

from weft_lab.checks import NOT_CHECKED

NEEDS = {
    "halo.exchange.2": "an MPI for C++",
    "halo.c_interface.2": "an MPI for C",
    "halo.fortran.2": "gfortran, and that MPI for Fortran",
    "halo.python.2": "nanobind, NumPy and an mpi4py that runs on that MPI, in .weft/venv",
}


def missing(listed: str) -> dict[str, str]:
    """Returns the tests that a listing by `ctest -N` lacks, and what they need."""
    names = set(re.findall(r"^ *Test +#\d+: (\S+)", listed, re.MULTILINE))
    return {name: needs for name, needs in NEEDS.items() if name not in names}


def main() -> int:
    """Argument: build folder."""
    command = ["ctest", "--test-dir", sys.argv[1], "-N"]
    lacking = missing(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    for name, needs in lacking.items():
        print(f"{name}, which needs {needs}")
    return NOT_CHECKED if lacking else 0


if __name__ == "__main__":
    sys.exit(main())

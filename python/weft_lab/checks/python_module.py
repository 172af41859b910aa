# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests of weft.halo for Python, with the module of a build folder, if it has one.

As a program, it exits as ctest does, and with 77 and the reason if nothing was built.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from weft_lab.checks import NOT_CHECKED

LABEL = "^python$"
TARGET = "weft_python_halo"
NEEDS = "an MPI and, in .weft/venv, nanobind and mpi4py (python3-dev with its headers)"


def why_not(folder: Path) -> str:
    """Why there is nothing to test; empty if there is something."""
    if not (folder / "CTestTestfile.cmake").exists():
        return f"{folder} is not configured; type ./weft test --only gcc,python"
    listed = subprocess.run(
        ["ctest", "--test-dir", str(folder), "-N", "-L", LABEL],
        capture_output=True,
        text=True,
        check=True,
    )
    if re.search(r"^Total Tests: [1-9]", listed.stdout, re.MULTILINE):
        return ""
    return f"{folder} has no weft.halo for Python, which needs {NEEDS}"


def main() -> int:
    """Argument: build folder. Rebuilds changed sources first."""
    folder = Path(sys.argv[1])
    reason = why_not(folder)
    if reason:
        print(reason)
        return NOT_CHECKED
    if (folder / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "--build", str(folder), "--target", TARGET], check=True)
    limits = ["--timeout", "300"]  # as in the presets
    tests = ["ctest", "--test-dir", str(folder), "-L", LABEL, *limits, "--output-on-failure"]
    return subprocess.run(tests, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

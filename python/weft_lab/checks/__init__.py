# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that `./weft test` runs beside standard tools; noxfile.py says when."""

from pathlib import Path

# The exit code of a program that lacks what it would check, as with ctest; its last line is the
# reason.
NAMED = "named"
# How a program ends that lacks what it should check, as with ctest. Its last line says why.
NOT_CHECKED = 77


def log_of(stage: str, checkout: Path) -> Path:
    """Returns where a stage's output is kept."""
    return checkout / ".weft" / "log" / f"test-{stage}.log"

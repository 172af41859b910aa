# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench program of message passing as a build has left it, and the lab as a user types it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from weft_lab.mpi import building
from weft_lab.mpi.installations import Installation
from weft_lab.suites import CHECKOUT


def program_of(one: Installation) -> Path | None:
    """Its program where a build has left one: compiling is not this test's business."""
    places = [building.build_folder(one) / building.PROGRAM]
    places += [
        CHECKOUT / "build" / preset / "bin" / building.PROGRAM for preset in ("dev", "bench")
    ]
    return next((path for path in places if path.is_file()), None)


def call(*arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    """`./weft` without its set-up."""
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "python"), "NO_COLOR": "1", **extra}
    return subprocess.run(
        [sys.executable, "-m", "weft_lab", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
    )

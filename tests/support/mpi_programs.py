# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bench program of message passing as a build has left it or as a script plays it."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.suites.mpi import building


def program_of(one: Installation) -> Path | None:
    """Its program where a build has left one: compiling is not this test's business."""
    places = [building.build_folder(one) / building.PROGRAM]
    places += [
        CHECKOUT / "build" / preset / "bin" / building.PROGRAM for preset in ("dev", "bench")
    ]
    return next((path for path in places if path.is_file()), None)


def plant_mpi(folder: Path, patch: pytest.MonkeyPatch, room: Capacity | None = None) -> None:
    """The only MPI there is becomes one whose mpirun answers as `fake_mpi.py` says and whose mpicxx
    makes files, on a machine with that room, else two cores.
    """
    (folder / "mpi" / "bin").mkdir(parents=True)
    script = Path(__file__).parents[1] / "python" / "fake_mpi.py"
    executable(folder / "mpi" / "bin" / "mpirun", f'exec {sys.executable} {script} "$@"')
    refuse = 'case "$*" in *broken*) echo "no mpi.h" >&2; exit 1;; esac'
    make = f'for last; do :; done; {refuse}; : >"$last"'
    executable(folder / "mpi" / "bin" / "mpicxx", make)
    (folder / "tools").mkdir()
    for name in ("sh", "setpriv", "true", "env"):
        found = shutil.which(name)
        if found:
            (folder / "tools" / name).symlink_to(found)
    patch.setenv("PATH", str(folder / "tools"))
    patch.setenv("WEFT_MPI_DIR", str(folder / "mpi"))
    patch.setattr(building, "build_folder", lambda one: folder / "build" / one.id)
    patch.setattr("weft_lab.measuring.mpi.nodes.capacity_here", lambda: room or Capacity(2, 2))


def executable(path: Path, body: str) -> None:
    """A shell script."""
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)

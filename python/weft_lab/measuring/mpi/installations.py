# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The installed MPIs: launcher and compiler of one installation, its family and version."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from weft_lab.storage.checkout import CHECKOUT

Family = Literal["openmpi", "mpich", "intel"]
VARIABLE = "WEFT_MPI_DIR"
TIMEOUT_S = 20.0
# Debian's names for two MPIs that are installed side by side, then the names that a module puts on
# PATH.
PAIRS = (
    ("mpirun.openmpi", "mpicxx.openmpi"),
    ("mpirun.mpich", "mpicxx.mpich"),
    ("mpirun", "mpicxx"),
)
FAMILIES: tuple[tuple[str, Family], ...] = (
    ("Open MPI", "openmpi"),
    ("OpenRTE", "openmpi"),
    ("Intel(R) MPI", "intel"),
    ("HYDRA", "mpich"),
)


@dataclass(frozen=True)
class Installation:
    """One MPI. `prefix`: its folder if it needs its own environment, else empty."""

    family: Family
    version: str
    launcher: Path
    compiler: Path
    prefix: str = ""

    @property
    def id(self) -> str:
        """`openmpi-4.1.4`: the name of its build folder and of its rows."""
        return f"{self.family}-{self.version}"

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """The variables for a child process only: one MPI's would break another MPI."""
        found = dict(base)
        if self.prefix:
            found["PATH"] = f"{self.prefix}/bin:{found.get('PATH', '')}"
            found["LD_LIBRARY_PATH"] = f"{self.prefix}/lib"
        if self.family == "intel" and self.prefix:
            found["I_MPI_ROOT"] = self.prefix
        if self.family == "openmpi" and os.geteuid() == 0:
            found |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        return found


def find_installations(environment: Mapping[str, str] = os.environ) -> list[Installation]:
    """Every MPI on PATH, in the folders of `WEFT_MPI_DIR` (separated by colons) and in `.weft/mpi`.

    Each launcher is asked for its version; one that does not answer is ignored. Of two with the
    same version, one in a named folder has priority over one on PATH.
    """
    found: dict[str, Installation] = {}
    for launcher, compiler, prefix in _candidates(environment):
        one = _examine(launcher, compiler, prefix, environment)
        if one is not None and (one.id not in found or not found[one.id].prefix):
            found[one.id] = one
    return list(found.values())


def why_none(environment: Mapping[str, str] = os.environ) -> str:
    """The error if `find_installations` finds nothing."""
    half = [
        f"{launcher} is here but {compiler}, which builds programs for it, is not"
        for launcher, compiler in PAIRS
        if shutil.which(launcher, path=environment.get("PATH"))
        and not shutil.which(compiler, path=environment.get("PATH"))
    ]
    return "; ".join(half) or f"neither PATH nor {VARIABLE} leads to an mpirun with its mpicxx"


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[Path, Path, str]]:
    path = environment.get("PATH")
    for launcher, compiler in PAIRS:
        found = shutil.which(launcher, path=path), shutil.which(compiler, path=path)
        if found[0] and found[1]:
            yield Path(found[0]), Path(found[1]), ""
    folders = [Path(part) for part in environment.get(VARIABLE, "").split(":") if part]
    local = CHECKOUT / ".weft" / "mpi"
    folders += sorted(local.iterdir()) if local.is_dir() else []
    for folder in folders:
        launcher_path, compiler_path = folder / "bin" / "mpirun", folder / "bin" / "mpicxx"
        if launcher_path.exists() and compiler_path.exists():
            yield launcher_path, compiler_path, str(folder)


def _examine(
    launcher: Path, compiler: Path, prefix: str, environment: Mapping[str, str]
) -> Installation | None:
    unknown = Installation(
        "intel" if "impi" in prefix else "openmpi", "0", launcher, compiler, prefix
    )
    try:
        done = subprocess.run(
            [str(launcher), "--version"],
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
            env=unknown.environment(environment),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = identify(done.stdout + done.stderr, unknown)
    if found is not None and found.family == "intel" and not environment.get("I_MPI_ROOT"):
        # Without that variable, which is its folder, its compiler finds no header.
        return replace(found, prefix=prefix or str(launcher.parent.parent))
    return found


def identify(text: str, unknown: Installation) -> Installation | None:
    """The installation that printed this for `--version`; None if it is not an MPI that we know."""
    family = next((name for words, name in FAMILIES if words in text), None)
    version = re.search(r"(?:Open MPI\)|Version:?|OpenRTE\))\s*v?(\d+(?:\.\d+)*)", text)
    if family is None or version is None:
        return None
    return Installation(family, version[1], unknown.launcher, unknown.compiler, unknown.prefix)

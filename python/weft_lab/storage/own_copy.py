# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the lab's sources are: the checkout, or the user's copy of those that a wheel brought."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = "sources"  # in the package, of a wheel only
FOLDER = "weft-lab"
STAMP = "stamp"


def checkout(package: Path = PACKAGE, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder that holds the lab's sources and whatever is built from them.

    A wheel's sources may lie where the user cannot write, so they are copied to
    `$XDG_DATA_HOME/weft-lab` (else `~/.local/share/weft-lab`). Another version replaces them.
    """
    sources = package / SOURCES
    if not sources.is_dir():
        return package.parents[1]
    data = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    copy = Path(data).resolve() / FOLDER
    # When the wheel was installed says which it is.
    stamp = f"{sources} {(package / '__init__.py').stat().st_mtime_ns}\n"
    if not _is_current(copy, stamp):
        copy.mkdir(parents=True, exist_ok=True)
        with (copy / "lock").open("a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not _is_current(copy, stamp):  # nobody else made it meanwhile
                _replace(sources, copy)
                (copy / STAMP).write_text(stamp, encoding="utf-8")
    return copy


def _is_current(copy: Path, stamp: str) -> bool:
    try:
        return (copy / STAMP).read_text(encoding="utf-8") == stamp
    except OSError:
        return False


def _replace(sources: Path, copy: Path) -> None:
    """Puts each entry of `sources` into `copy`; what else is there, such as build/, stays."""
    (copy / STAMP).unlink(missing_ok=True)
    for entry in sources.iterdir():
        target = copy / entry.name
        if entry.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            # New times: programs of an older version are built again.
            shutil.copytree(entry, target, copy_function=shutil.copy)
        else:
            target.unlink(missing_ok=True)
            shutil.copy(entry, target)

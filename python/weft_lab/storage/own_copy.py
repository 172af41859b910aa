# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The place of the lab's sources: the checkout, or the user's copy of the sources in a wheel."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from weft_lab.errors import MissingError

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = "sources"  # in the package, of a wheel only
FOLDER = "weft-lab"
STAMP = "stamp"
COPY_LOCK = "weft-copy.lock"  # held while a copy is made; also the mark of a folder that is ours
USE_LOCK = "weft-use.lock"  # shared by the processes that use the copy
COMPILED = "__pycache__"

# Descriptors of USE_LOCK, by copy: open until this process ends.
_in_use: dict[Path, int] = {}


def checkout(package: Path = PACKAGE, environment: Mapping[str, str] = os.environ) -> Path:
    """The folder with the lab's sources and everything built from them.

    A wheel's sources may be in a folder that the user cannot write to, so they are copied to
    `$XDG_DATA_HOME/weft-lab` (else `~/.local/share/weft-lab`). Another version replaces them.

    Errors: `MissingError` if the folder is neither empty nor such a copy, or if another process
            still uses the sources of another version.
    """
    sources = package / SOURCES
    if not sources.is_dir():
        return package.parents[1]
    data = environment.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    copy = Path(data).resolve() / FOLDER
    stamp = f"{_digest(sources)}\n"
    if _is_current(copy, stamp) and not os.access(copy / USE_LOCK, os.W_OK):
        return copy  # nobody can replace it
    _claim(copy)
    copying = os.open(copy / COPY_LOCK, os.O_RDWR | os.O_CREAT)
    try:
        _lock(copying, fcntl.LOCK_EX)
        if copy not in _in_use:
            _in_use[copy] = os.open(copy / USE_LOCK, os.O_RDWR | os.O_CREAT)
        if not _is_current(copy, stamp):
            _make(sources, copy, stamp)
        _lock(_in_use[copy], fcntl.LOCK_SH)
    finally:
        os.close(copying)
    return copy


def _digest(sources: Path) -> str:
    """A hash of the files' contents, independent of the place and time of the installation."""
    digest = hashlib.sha256()
    for path in sorted(path for path in sources.rglob("*") if path.is_file()):
        name = path.relative_to(sources)
        if COMPILED not in name.parts:
            content = path.read_bytes()
            digest.update(f"{name} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _is_current(copy: Path, stamp: str) -> bool:
    try:
        return (copy / STAMP).read_text(encoding="utf-8") == stamp
    except OSError:
        return False


def _claim(copy: Path) -> None:
    """Makes the folder; rejects a folder of the user or of another program."""
    copy.mkdir(parents=True, exist_ok=True)
    # In this order: another start may be making the mark.
    if any(copy.iterdir()) and not (copy / COPY_LOCK).is_file():
        raise MissingError(
            what=f"no place for the lab's sources: {copy} is not empty and no copy that weft made",
            why="weft replaces files there when another version is installed",
            remedy="move it away, or name another folder: XDG_DATA_HOME=...",
        )


def _lock(descriptor: int, how: int) -> bool:
    """False only if another process holds the lock; some file systems have no locks."""
    try:
        fcntl.flock(descriptor, how)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _make(sources: Path, copy: Path, stamp: str) -> None:
    if not _lock(_in_use[copy], fcntl.LOCK_EX | fcntl.LOCK_NB):
        os.close(_in_use.pop(copy))
        raise MissingError(
            what=f"another weft of yours still runs from the sources in {copy}",
            why="those are of another version, and would be replaced",
            remedy="wait until it has ended, or name another folder: XDG_DATA_HOME=...",
        )
    _replace(sources, copy)
    (copy / STAMP).write_text(stamp, encoding="utf-8")


def _replace(sources: Path, copy: Path) -> None:
    """Puts each entry of `sources` into `copy`; other entries, such as build/, stay."""
    (copy / STAMP).unlink(missing_ok=True)
    for entry in sources.iterdir():
        target = copy / entry.name
        if entry.is_dir():
            shutil.rmtree(target, ignore_errors=True)
            # New times, so that programs of an older version are built again.
            compiled = shutil.ignore_patterns(COMPILED)
            shutil.copytree(entry, target, copy_function=shutil.copy, ignore=compiled)
        else:
            target.unlink(missing_ok=True)
            shutil.copy(entry, target)

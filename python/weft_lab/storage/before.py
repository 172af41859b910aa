# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The previous run: the newest older one of the same suite and machine, beside a result folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft_lab.errors import WeftError
from weft_lab.storage import axes
from weft_lab.storage.folder_files import understood
from weft_lab.storage.store import ResultFolder

STAMP_CHARACTERS = len("2026-01-01T000000-")
Known = tuple[str, str, float]


def run_before(path: Path) -> Path | None:
    """None if there is none; unreadable folders are skipped."""
    own = _known(path)
    if own is None:
        return None
    others = [each for each in path.parent.iterdir() if each.is_dir() and not each.is_symlink()]
    for other in sorted(others, key=lambda each: each.name, reverse=True):
        found = None if other.name == path.name else _known(other)
        if found and found[:2] == own[:2] and found[2] < own[2]:
            return other
    return None


def _known(path: Path) -> Known | None:
    """Machine, suite and start of a run."""
    try:
        with understood(path):
            manifest = ResultFolder.open(path).read_manifest()
            return machine_of(manifest, path), _suite(manifest), float(manifest["started_unix_s"])
    except (WeftError, OSError):
        return None


def machine_of(manifest: Mapping[str, Any], path: Path) -> str:
    """The host of a run; of an old manifest, from the folder's name."""
    described = manifest.get("machine")
    host = described.get("host") if isinstance(described, dict) else None
    return str(host or path.name[STAMP_CHARACTERS:])


def _suite(manifest: Mapping[str, Any]) -> str:
    """Returns the suite of a run; a suite with its own session has its own part of the manifest."""
    alone = [each.name for each in axes.every() if not each.has_cells and each.name in manifest]
    if alone and axes.of(alone[0]).has_own_verb:
        # Runs of the user's programs are comparable only if the programs are the same.
        return f"{alone[0]} {manifest[alone[0]].get('contestants')}"
    return alone[0] if alone else str((manifest.get("options") or {}).get("suite"))

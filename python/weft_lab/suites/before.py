# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The run before: the newest older one of the same suite and machine, beside a result folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weft_lab.errors import WeftError
from weft_lab.storage.folder_files import understood
from weft_lab.storage.store import ResultFolder
from weft_lab.suites import protocol

STAMP_CHARACTERS = 18  # 2026-01-01T000000-


def run_before(path: Path) -> Path | None:
    """None where there is none."""
    own = _opened(path)
    if own is None:
        return None
    others = [each for each in path.parent.iterdir() if each.is_dir() and not each.is_symlink()]
    for other in sorted(others, key=lambda each: each.name, reverse=True):
        found = None if other.name == path.name else _opened(other)
        if found and found[:2] == own[:2] and found[2] < own[2]:
            return other
    return None


def _opened(path: Path) -> tuple[str, object, float] | None:
    """Machine, suite and start of a run; None where it cannot be told."""
    try:
        with understood(path):
            folder = ResultFolder.open(path)
            manifest = folder.read_manifest()
            suite = protocol.of_folder(folder)
            return _machine(manifest, path), suite, float(manifest["started_unix_s"])
    except (WeftError, OSError):
        return None


def _machine(manifest: Mapping[str, Any], path: Path) -> str:
    described = manifest.get("machine")
    host = described.get("host") if isinstance(described, dict) else None
    return str(host or path.name[STAMP_CHARACTERS:])

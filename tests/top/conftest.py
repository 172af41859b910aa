# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs to look at, and the tool that looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from top_programs import TARGET, TOOL, Start, Top, run_tool, started_programs


@pytest.fixture(autouse=True)
def _programs_are_built() -> None:
    if not (TOOL and TARGET):
        pytest.skip("WEFT_TOP_TOOL and WEFT_TOP_TARGET name no programs; ctest -R top sets them")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where programs and the tool meet."""
    stats = tmp_path / "stats"
    stats.mkdir()
    monkeypatch.setenv("WEFT_STATS_DIR", str(stats))
    monkeypatch.setenv("WEFT_WORKERS", "2")
    monkeypatch.delenv("WEFT_STATS", raising=False)
    return stats


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    """Starts the target and waits until it is what it is to be."""
    assert folder.is_dir()
    with started_programs() as run:
        yield run


@pytest.fixture
def top() -> Top:
    """Runs the tool to its end."""
    return run_tool

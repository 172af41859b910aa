# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs to look at, and the tool that looks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from top_programs import TARGET, TOOL, Start, Top


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
    started: list[subprocess.Popen[str]] = []

    def run(what: str) -> subprocess.Popen[str]:
        assert folder.is_dir()
        process = subprocess.Popen(
            [TARGET, what], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield run
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.fixture
def top() -> Top:
    """Runs the tool to its end."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [TOOL, *arguments], capture_output=True, text=True, timeout=120, check=False
        )

    return run

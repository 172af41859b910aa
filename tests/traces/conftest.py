# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs under test, as CMake built them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

Run = Callable[..., "subprocess.CompletedProcess[str]"]
BUFFER = {"WEFT_TRACE_BUFFER": "64KiB"}  # 2048 records


def _program(variable: str) -> str:
    path = os.environ.get(variable)
    if path is None:
        pytest.skip(f"{variable} names no program; ctest -R traces sets it")
    return path


@pytest.fixture(scope="session")
def recording_program() -> str:
    return _program("WEFT_RECORDING_PROGRAM")


@pytest.fixture(scope="session")
def fib_program() -> str:
    return _program("WEFT_TRACED_FIB_PROGRAM")


@pytest.fixture(scope="session")
def annotated_program() -> str:
    return _program("WEFT_ANNOTATED_PROGRAM")


@pytest.fixture(scope="session")
def weft_trace() -> str:
    return _program("WEFT_TRACE_TOOL")


def runner(folder: Path) -> Run:
    """Returns a function that runs a command in this folder."""

    def run_in_folder(*command: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **BUFFER, **variables},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run_in_folder


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a command in a folder of its own."""
    return runner(tmp_path)

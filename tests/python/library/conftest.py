# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the package `weft` with the compiled module of a build folder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import weft
from weft_lab.storage.checkout import CHECKOUT

PACKAGE = Path(os.environ.get("WEFT_PYTHON_PACKAGE", CHECKOUT / "build/gcc/python"))
IS_BUILT = bool(list(PACKAGE.glob("weft/_weft.*.so")))
NOT_BUILT = f"{PACKAGE} has no compiled module; type ./weft test --only gcc,python"

if IS_BUILT:
    weft.__path__.append(str(PACKAGE / "weft"))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two workers of the compiled module.

    `weft top` of other tests does not see these workers.
    """
    if not IS_BUILT:
        pytest.skip(NOT_BUILT)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("WEFT_STATS_DIR", str(tmp_path_factory.mktemp("stats")))
        environment.setenv("WEFT_WORKERS", "2")
        assert weft.num_workers() == 2


Program = Callable[[str], str]


@pytest.fixture
def environment(compiled: None, tmp_path: Path) -> dict[str, str]:
    """That of processes which import the package."""
    del compiled
    places = os.pathsep.join([str(PACKAGE), str(CHECKOUT / "python")])
    own = {"PYTHONPATH": places, "WEFT_WORKERS": "2", "WEFT_STATS_DIR": str(tmp_path)}
    return {**os.environ, **own}


@pytest.fixture
def program(environment: dict[str, str]) -> Program:
    """Runs a program in a process of its own and returns what it prints."""

    def run(text: str) -> str:
        done = subprocess.run(
            [sys.executable, "-P", "-c", text],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the lab's tests share: fake bench programs, synthetic records, the command line."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from weft_here import call_here
from weft_lab.machine import neighbours

# A test that measures is not told of those that measure in other processes of this test run.
neighbours.PREFIX = f"weft-test-{os.getpid()}-"
# Programs of tests behave alike on every machine, tuned or not.
os.environ["WEFT_PROFILE"] = "off"

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parents[1]
Record = dict[str, Any]


@pytest.fixture(scope="session")
def fake_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the bench programs seq, alpha and beta of the suite fake."""
    folder = tmp_path_factory.mktemp("programs")
    shutil.copy(HERE / "fake_bench.py", folder)
    # Imported, so that Python compiles it once and not at each start.
    load = f"import sys\nsys.path.insert(0, {str(folder)!r})\nimport fake_bench\n"
    text = f"#!{sys.executable} -S\n{load}fake_bench.main()\n"
    for backend in ("seq", "alpha", "beta"):
        program = folder / f"weft_fake_{backend}"
        program.write_text(text, encoding="utf-8")
        program.chmod(0o755)
    return folder


class Weft:
    """`./weft` without its set-up; `popen` starts it as a user's shell would."""

    def __init__(self, results: Path, programs: Path) -> None:
        self.results = results
        self.programs = programs

    def environment(self, **extra: str) -> dict[str, str]:
        return {"PYTHONPATH": str(CHECKOUT / "python"), "NO_COLOR": "1", **extra}

    def call(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return call_here(*arguments, **self.environment(**extra))

    def run_arguments(self, *arguments: str) -> list[str]:
        places = ["--programs", str(self.programs), "--results", str(self.results)]
        return ["run", "--suite", "fake", "--quick", *places, *arguments]

    def run(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return self.call(*self.run_arguments(*arguments), **extra)

    def popen(self, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "weft_lab", *arguments], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, env={**os.environ, **self.environment(**extra)},
        )  # fmt: skip


@pytest.fixture
def weft(tmp_path: Path, fake_programs: Path) -> Weft:
    return Weft(tmp_path / "results", fake_programs)


def make_records(
    variant: str,
    time_s: float,
    *,
    launches: int = 6,
    spread: float = 0.01,
    generator: random.Random | None = None,
    **fields: object,
) -> list[Record]:
    """Result records of one cell: launches with lognormal spread, seven samples each.

    `fields`: of the cell (`problem`, `size`, `threads`, ...) or of the record (anything else).
    """
    random_ = generator or random.Random(f"{variant}{time_s}{sorted(fields.items())}")
    cell: Record = {"problem": "sort", "type": "double", "size": 1024, "threads": 1, "params": {}}
    cell |= {name: fields.pop(name) for name in list(fields) if name in (*cell, "allocator")}
    backend, _, toolchain = variant.removesuffix("#control").partition("@")
    records = []
    for launch in range(1, launches + 1):
        launch_s = time_s * random_.lognormvariate(0.0, spread)
        samples_s = [launch_s * random_.lognormvariate(0.0, spread) for _ in range(7)]
        record = {
            "schema": 1,
            "record": "result",
            "suite": "stl",
            "variant": variant,
            "backend": backend,
            "toolchain": toolchain,
            "status": "ok",
            "launch": launch,
            "round": launch,
            "cell": cell,
            "samples_s": samples_s,
            "statistic": "median",
            "elements": cell["size"],
            "bytes_min": 8 * cell["size"],
        }
        records.append({**record, **fields})
    return records


@pytest.fixture
def records_of() -> Callable[..., list[Record]]:
    return make_records


@pytest.fixture
def newest() -> Callable[[Path], Path]:
    def find(results: Path) -> Path:
        return (results / "latest").resolve()

    return find

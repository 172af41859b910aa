# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verb `compare` on whole runs: exit codes, JSON, damaged and incomparable folders."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Protocol


class Weft(Protocol):
    """The fixture `weft` of conftest.py."""

    def call(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]: ...
    def run(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]: ...


def test_compare_ends_with_1_on_a_regression_and_prints_json(weft: Weft) -> None:
    chosen = ["--only", "steady", "--size", "2^16,2^20", "--rounds", "8", "--budget", "30s"]
    before, after = (
        Path(weft.run(*chosen, FAKE_SLOWDOWN=factor).stdout.strip()) for factor in ("1", "1.5")
    )

    worse = weft.call("compare", str(before), str(after), "--json")
    better = weft.call("compare", str(after), str(before))

    assert worse.returncode == 1, worse.stderr
    cells = json.loads(worse.stdout)["cells"]
    assert {cell["verdict"] for cell in cells} == {"slower"}
    assert "became slower" in worse.stderr
    assert better.returncode == 0
    assert "faster" in better.stdout


def test_runs_without_a_common_cell_cannot_be_compared(weft: Weft) -> None:
    paths = [
        weft.run(
            "--only", "steady", "--size", size, "--rounds", "1", "--budget", "30s"
        ).stdout.strip()
        for size in ("64", "128")
    ]

    done = weft.call("compare", *paths)

    assert done.returncode == 2
    assert "no timed cell in common" in done.stderr


def test_compare_goes_on_past_a_corrupt_line_and_names_it(weft: Weft) -> None:
    path = weft.run(
        "--only", "steady", "--size", "64", "--rounds", "2", "--budget", "30s"
    ).stdout.strip()
    samples = Path(path) / "samples.jsonl"
    lines = samples.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[4] = lines[4][:40] + "\n"
    samples.write_text("".join(lines), encoding="utf-8")

    done = weft.call("compare", path, path)

    assert done.returncode == 0
    assert "line 5 is skipped" in done.stderr.replace("\n", " ")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the count of instructions that counting takes, on planted programs and counts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
PROBLEMS = ("fib_fork_join", "fib_futures", "fib_coroutines", "tasks_50ns")
NUM_TASKS = 1000

# Called as valgrind is: runs the program and leaves its own count, which the program's name tells.
VALGRIND = """#!/bin/sh
out=${2#--callgrind-out-file=}
shift 2
"$@" || exit
echo "totals: $((5000000 + $2 * $(cat "$1.per_task") * 10))" > "$out"
"""


def plant(folder: Path, name: str, counters: str, instructions_per_task: float) -> Path:
    program = folder / name
    line = f'{{"counters": "{counters}", "num_tasks": {NUM_TASKS}}}'
    program.write_text(f"#!/bin/sh\necho '{line}'\n")
    program.chmod(0o755)
    per_task = Path(f"{program}.per_task")
    per_task.write_text(str(round(instructions_per_task * NUM_TASKS / 10)))
    return program


@pytest.fixture(autouse=True)
def valgrind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "bin/valgrind"
    tool.parent.mkdir()
    tool.write_text(VALGRIND)
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")


def compare(full: Path, off: Path) -> subprocess.CompletedProcess[str]:
    script = CHECKOUT / "tests/counters/compare_instructions.py"
    command = [sys.executable, str(script), str(full), str(off)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_two_instructions_are_within(tmp_path: Path) -> None:
    done = compare(plant(tmp_path, "full", "full", 65), plant(tmp_path, "off", "off", 63))

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("difference +2.00, limit 2: within") == len(PROBLEMS)


def test_what_the_start_takes_is_not_counted(tmp_path: Path) -> None:
    done = compare(plant(tmp_path, "full", "full", 65), plant(tmp_path, "off", "off", 63))

    assert "counting    65.00 instructions per task, not    63.00" in done.stdout


def test_three_instructions_are_too_many(tmp_path: Path) -> None:
    done = compare(plant(tmp_path, "full", "full", 66), plant(tmp_path, "off", "off", 63))

    assert done.returncode == 1
    assert done.stdout.count("limit 2: too many") == len(PROBLEMS)


def test_two_builds_of_one_kind_are_an_error(tmp_path: Path) -> None:
    program = plant(tmp_path, "full", "full", 65)

    done = compare(program, program)

    assert done.returncode == 1
    assert "was built with counters full, not off" in done.stderr

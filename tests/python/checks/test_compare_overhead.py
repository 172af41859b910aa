# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the comparison of a build that counts with one that does not, on planted programs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
Plant = Callable[[str, str, dict[str, float]], Path]

PROBLEMS = ("fib_fork_join", "fib_futures", "fib_coroutines", "tasks_50ns", "tasks_1us")


@pytest.fixture
def planted(tmp_path: Path) -> Plant:
    """Returns a maker of programs that print given times."""

    def make(name: str, counters: str, ns_per_task: dict[str, float]) -> Path:
        lines = [
            json.dumps({"problem": p, "counters": counters, "ns_per_task": [t, t, t, 9 * t]})
            for p, t in ns_per_task.items()
        ]
        program = tmp_path / name
        program.write_text("#!/bin/sh\n" + "".join(f"echo '{line}'\n" for line in lines))
        program.chmod(0o755)
        return program

    return make


def compare(full: Path, off: Path) -> subprocess.CompletedProcess[str]:
    script = CHECKOUT / "tests/counters/compare_overhead.py"
    command = [sys.executable, str(script), str(full), str(off), "3"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_equal_builds_are_within_every_limit(planted: Plant) -> None:
    times = dict.fromkeys(PROBLEMS, 50.0)

    done = compare(planted("full", "full", times), planted("off", "off", times))

    assert done.returncode == 0
    assert done.stdout.count("ratio 1.0000 (1.0000 to 1.0000)") == len(PROBLEMS)
    assert done.stdout.count(": within") == len(PROBLEMS)


@pytest.mark.parametrize(("problem", "ratio"), [("tasks_1us", 1.02), ("fib_futures", 1.04)])
def test_a_build_that_counts_too_slowly_is_found(
    planted: Plant, problem: str, ratio: float
) -> None:
    times = dict.fromkeys(PROBLEMS, 50.0)
    slower = times | {problem: 50.0 * ratio}

    done = compare(planted("full", "full", slower), planted("off", "off", times))

    assert done.returncode == 1
    assert done.stdout.count(": too slow") == 1
    assert done.stdout.count(": within") == len(PROBLEMS) - 1


def test_two_builds_of_one_kind_are_an_error(planted: Plant) -> None:
    program = planted("full", "full", dict.fromkeys(PROBLEMS, 50.0))

    done = compare(program, program)

    assert done.returncode == 1
    assert "was built with counters full, not off" in done.stderr

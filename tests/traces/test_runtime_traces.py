# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of a real runtime agree with its counters."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run, runner
from trace_reader import Trace, read_trace


class Traced:
    """A program that ran, its trace, and what its counters said."""

    def __init__(self, output: str, trace: Trace) -> None:
        self.num_tasks, self.num_phases = map(int, output.split())
        self.trace = trace


@pytest.fixture(scope="module", params=[1, 2, 4])
def traced(
    request: pytest.FixtureRequest, fib_program: str, tmp_path_factory: pytest.TempPathFactory
) -> Traced:
    """One run with so many workers, whose trace the tests only read."""
    folder = tmp_path_factory.mktemp("fib")
    done = runner(folder)(
        fib_program,
        f"--weft:workers={request.param}",
        "--weft:trace=fib.pftrace",
        WEFT_TRACE_BUFFER="4MiB",
    )
    assert done.returncode == 0, done.stderr
    assert "overwritten" not in done.stderr
    assert "left out" not in done.stderr
    return Traced(done.stdout, read_trace(folder / "fib.pftrace"))


def test_there_is_a_slice_for_every_task_and_every_resumption(traced: Traced) -> None:
    assert len(traced.trace.tasks()) == traced.num_phases
    assert all(each.end_ns is not None for each in traced.trace.slices)


def test_every_wait_is_followed_by_a_resumption(traced: Traced) -> None:
    waits = traced.trace.named("wait")
    resumed = [task for origin, task in traced.trace.flows() if origin.name == "wait"]

    assert len(waits) == len(resumed) == traced.num_phases - traced.num_tasks > 0


def test_all_that_workers_spawned_has_begun(traced: Traced) -> None:
    spawned = [each for each in traced.trace.instants if each.category == "spawn"]
    begun = [task for origin, task in traced.trace.flows() if origin.category == "spawn"]

    assert len(spawned) == len(begun)
    assert traced.trace.counters["tasks spawned, not begun"][-1] == 0


def test_tasks_are_called_as_their_author_calls_them(traced: Traced) -> None:
    names = {each.name.replace("(anonymous namespace)::", "") for each in traced.trace.tasks()}

    assert {name.split(" ")[0] for name in names} >= {"fib_by_futures", "fib_by_forks", "meet"}
    assert not [name for name in names if "weft::" in name or "<" in name]


def test_a_trace_of_the_environment_needs_no_code(
    run: Run, fib_program: str, weft_trace: str, tmp_path: Path
) -> None:
    done = run(weft_trace, "--buffer=4MiB", "--", fib_program, "--weft:workers=2")

    assert done.returncode == 0, done.stderr
    num_phases = int(done.stdout.split()[1])
    assert f"{num_phases} slices" in done.stderr
    assert len(read_trace(tmp_path / "trace.pftrace").tasks()) == num_phases


@pytest.mark.parametrize(
    ("argument", "word"),
    [
        ("--weft:trace=/nonexistent/t", "cannot record a trace in /nonexistent/t.rings"),
        ("--weft:trace=t:last=3", "accepted is a file for the trace"),
    ],
)
def test_what_the_command_line_asks_for_and_cannot_be_had_is_an_error(
    argument: str, word: str, run: Run, fib_program: str
) -> None:
    done = run(fib_program, argument)

    assert done.returncode == 2
    assert word in done.stderr

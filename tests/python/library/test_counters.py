# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft.counters: sessions of this process, and looks at others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import numpy as np
import polars as pl
import pytest
import weft

counters = pytest.importorskip("weft.counters", exc_type=ImportError)
pytestmark = pytest.mark.usefixtures("compiled")

TASKS = "/threads{locality#0/total}/count/cumulative"
STEALS = "/threads{locality#0/total}/count/stolen-from-pending"
QUOTIENT = f"/arithmetics/divide@{TASKS},{TASKS}"
BUSY = (
    "import numpy as np, weft\n"
    "values = np.random.default_rng(1).random(1_000_000)\n"
    "weft.sort(values.copy())\nprint('works', flush=True)\n"
    "while True:\n    weft.sort(values.copy())\n"
)


def work() -> None:
    weft.sort(np.random.default_rng(1).random(1_000_000))


def test_a_session_counts_the_tasks_of_the_algorithms() -> None:
    session = counters.session(TASKS)
    before = session.read()[TASKS].value
    work()
    after = session.read()[TASKS]

    assert before == 0
    assert isinstance(after.value, int)
    assert after.value > 0
    assert (after.kind, after.unit, after.reason, after.sampled) == ("total", "", "", None)


def test_a_reading_may_reset() -> None:
    session = counters.session(TASKS)
    work()
    counted = session.read(reset=True)[TASKS].value

    assert counted
    assert session.read()[TASKS].value == 0


def test_counters_are_derived_by_name() -> None:
    session = counters.session(QUOTIENT)
    work()

    assert session.read()[QUOTIENT].value == 1.0


def test_patterns_mean_every_worker() -> None:
    session = counters.session("/threads{locality#0/pool#default/worker-thread#*}/count/cumulative")

    assert len(session.names()) >= 2
    assert list(session.read()) == session.names()


def test_what_is_not_available_has_a_reason() -> None:
    session = counters.session(QUOTIENT)
    found = session.read()[QUOTIENT]

    assert found.value is None
    assert found.reason


def test_a_histogram_has_ranges_and_weights() -> None:
    name = next(each for each in counters.discover("/threads*") if "histogram" in each)
    session = counters.session(name)
    work()
    found = session.read()[name].value

    assert isinstance(found, counters.histogram)
    uppers = [upper for upper, _ in found.buckets]
    assert uppers == sorted(uppers)
    assert found.sum > 0


def test_readings_are_a_frame() -> None:
    session = counters.session(TASKS, "/runtime{locality#0/total}/memory/resident")
    work()
    frame = session.read().frame()

    assert frame.columns == ["name", "unit", "kind", "value", "reason"]
    assert frame["name"].to_list() == session.names()
    assert frame.schema["value"] == pl.Float64
    assert frame["value"].min() > 0  # type: ignore[operator]


def test_a_stopped_session_counts_nothing_of_the_process() -> None:
    name = "/os{locality#0/total}/cpu-time/user"
    session = counters.session(name)
    session.stop()
    before = session.read()[name]
    work()
    after = session.read()[name]
    session.start()
    work()

    assert (after.value, after.includes_pauses) == (before.value, False)
    assert session.read()[name].value > after.value


def test_a_wrong_name_gives_the_nearest() -> None:
    with pytest.raises(weft.error, match="did you mean"):
        counters.session("/threads/count/cumulativ")


@pytest.fixture
def busy(environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The pid of a process that sorts until it is killed; this one sees its folder alone."""
    monkeypatch.setenv("WEFT_STATS_DIR", environment["WEFT_STATS_DIR"])
    command = [sys.executable, "-P", "-c", BUSY]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "works\n"
        try:
            yield process.pid
        finally:
            process.kill()


def test_another_process_is_looked_at(busy: int) -> None:
    watched = counters.process(busy)
    first = watched.look()
    time.sleep(0.3)
    second = watched.look()

    assert first["pid"] == busy
    assert first["status"] == "running"
    assert len(first["workers"]) == 2
    assert second["tasks_since_start"] > first["tasks_since_start"]
    assert second["total"]["task_s"] > 0


def test_a_killed_process_can_still_be_looked_at(busy: int) -> None:
    watched = counters.process(busy)
    os.kill(busy, signal.SIGKILL)
    os.waitid(os.P_PID, busy, os.WEXITED | os.WNOWAIT)

    assert watched.look()["tasks_since_start"] > 0


def test_all_processes_with_counters_are_listed(busy: int) -> None:
    found = counters.processes()

    assert [(each.pid, each.is_alive) for each in found] == [(busy, True)]
    assert "python" in found[0].program


def test_a_process_without_counters_says_so() -> None:
    with pytest.raises(weft.error, match="has no counters"):
        counters.process(os.getppid())


def test_this_process_is_looked_at_like_any_other() -> None:
    work()

    assert counters.process(os.getpid()).look()["pid"] == os.getpid()

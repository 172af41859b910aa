# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The agent that launches a program: what it measures, and that no failure becomes a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from weft_lab.measuring.process import BenchProcess, Reply
from weft_lab.storage.records import schema
from weft_lab.suites.bench.agent import HARDWARE, HardwareCounters, Launch, delay_of_others
from weft_lab.suites.bench.launching import AGENT, GRACE_S

SETTINGS: dict[str, Any] = {
    "name": "a",
    "toolchain": "command",
    "unset": [],
    "expect_file": "",
    "expect": [],
    "exit_code": 0,
    "metrics": [],
    "warmup": 0,
    "floor": "/bin/true",
    "timeout_s": 20.0,
    "stdin": "",
    "oversubscribed": False,
    "cpus": [],
    "directory": "",
}
PYTHON = sys.executable


def agent(*argv: str, **changed: object) -> BenchProcess:
    cell = {"argv": list(argv), "env": {}, "prepare": changed.pop("prepare", "")}
    settings = {**SETTINGS, "path": argv[0], "cells": {"c": cell}, **changed}
    command = [PYTHON, "-I", "-S", "-B", str(AGENT), json.dumps(settings)]
    return BenchProcess(command, grace_s=GRACE_S)


def launched(*argv: str, **changed: object) -> dict[str, Any]:
    """The record of one launch."""
    with agent(*argv, **changed) as process:
        greeting = process.read_record(20.0)
        assert isinstance(greeting, Reply)
        answer = process.ask({"id": "c", "problem": "run"}, 40.0)
        assert isinstance(answer, Reply)
        return answer.record


def shell(line: str, **changed: object) -> dict[str, Any]:
    return launched("/bin/sh", "-c", line, **changed)


def counters(record: dict[str, Any]) -> dict[str, float | None]:
    return {row["name"]: row["value"] for row in record["counters"]}


def is_alive(pid: int) -> bool:
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] != "Z"


def test_a_launch_has_its_time_and_what_it_used() -> None:
    record = launched("/bin/sleep", "0.1")

    assert record["status"] == "ok"
    assert 0.1 <= record["samples_s"][0] < 5.0
    used = counters(record)
    assert used["cpu_time"] is not None
    assert used["cpu_time"] < 0.09
    assert used["minor_faults"] > 0
    assert used["voluntary_switches"] >= 1
    assert len(record["floor_s"]) == 3
    jsonschema.validate({**record, "cell": {"problem": "run"}}, schema())


def test_cpu_time_is_that_of_the_program_and_its_children() -> None:
    code = "import time; t = time.process_time\nwhile t() < 0.15: pass"
    used = counters(shell(f"{PYTHON} -S -c '{code}'"))

    assert used["cpu_time"] is not None
    assert used["cpu_time"] >= 0.15


@pytest.mark.parametrize(
    ("delay_s", "cpu_s", "known_s"), [(0.5, 1.0, 0.5), (0.5, 1.95, None), (0.05, 1.95, 0.05)]
)
def test_threads_that_wait_for_each_other_are_not_disturbed_by_others(
    monkeypatch: pytest.MonkeyPatch, delay_s: float, cpu_s: float, known_s: float | None
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})

    row = delay_of_others(delay_s, cpu_s, 1.0)

    assert row["value"] == known_s
    assert ("waited for each other" in row.get("reason", "")) == (known_s is None)


def test_peak_memory_is_known_where_it_is_more_than_the_agents() -> None:
    large = launched(PYTHON, "-S", "-c", "x = bytearray(96 << 20)")
    small = launched("/bin/true")

    assert large["resources"]["peak_rss_bytes"] >= 96 << 20
    assert small["resources"]["peak_rss_bytes"] is None
    assert 0 < small["peak_rss_at_most_bytes"] < 64 << 20


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("echo why >&2; exit 3", "crashed", "ended with exit code 3; why"),
        ("kill -SEGV $$", "crashed", "killed by SIGSEGV (Segmentation fault)"),
        ("stty size < /dev/tty", "crashed", "perhaps it wants a terminal"),
        ("sleep 60 & sleep 60 & exit 0", "crashed", "left 2 processes running behind it (sleep)"),
        ("setsid sleep 60 & exit 0", "crashed", "left 1 process running behind it"),
    ],
)
def test_what_fails_is_named_and_has_no_time(line: str, status: str, message: str) -> None:
    record = shell(line)

    assert record["status"] == status
    assert message in record["message"]
    assert record["samples_s"] == []
    jsonschema.validate({**record, "cell": {"problem": "run"}}, schema())


SLOW_TO_END = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
import agent
subprocess.Popen(["sleep", "60"])
kill, asked = os.kill, []
def reluctant(pid, number):
    asked.append(pid)
    if len(asked) == 3:
        kill(pid, number)
os.kill = reluctant
print(agent.end_all())
"""


def test_a_process_that_is_slow_to_end_is_named_once() -> None:
    command = [PYTHON, "-I", "-S", "-B", "-c", SLOW_TO_END, str(AGENT.parent)]

    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout == "['sleep']\n"


def test_a_program_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    record = shell(f"setsid sleep 61 & echo $! > {file}; sleep 61", timeout_s=0.5)

    assert record["status"] == "hung"
    assert record["message"] == "did not end within 0.5 s (--timeout): killed"
    assert not is_alive(int(file.read_text(encoding="utf-8")))


def test_helpers_that_end_by_themselves_are_no_failure() -> None:
    assert shell("sleep 0.02 & exit 0")["status"] == "ok"


def test_output_is_bounded_where_it_is_read() -> None:
    flood = "yes 'a line of output that goes on and on'"
    read = shell(flood, expect=["never"])
    errors = shell(f"{flood} | head -c 40000000 >&2")

    assert read["status"] == "crashed"
    assert "wrote more than 16 MiB of output" in read["message"]
    assert errors["status"] == "ok"


def test_output_is_compared_with_a_file(tmp_path: Path) -> None:
    file = tmp_path / "expected"
    file.write_text("one\ntwo\n", encoding="utf-8")

    assert shell("echo one; echo two", expect_file=str(file))["status"] == "ok"
    wrong = shell("echo one; echo too", expect_file=str(file))
    short = shell("echo one", expect_file=str(file))

    assert wrong["status"] == "wrong"
    assert "differs from" in wrong["message"]
    assert "at byte 5" in wrong["message"]
    assert "at byte 4 (4 bytes, 8 expected)" in short["message"]


def test_another_exit_code_can_be_expected() -> None:
    assert shell("exit 3", exit_code=3)["status"] == "ok"
    assert shell("exit 0", exit_code=3)["message"] == "ended with exit code 0 instead of 3"


def test_metrics_are_the_last_match_and_missing_ones_are_told() -> None:
    metric = {"name": "rate", "unit": "MB/s", "pattern": "rate ([0-9.]+|none)"}
    found = shell("echo rate 1; echo rate 2.5 >&2", metrics=[metric])

    assert found["metrics"] == [{"name": "rate", "unit": "MB/s", "value": 2.5}]
    assert "nothing in its output matches" in shell("true", metrics=[metric])["message"]
    assert "'none' is no number" in shell("echo rate none", metrics=[metric])["message"]


def test_a_prepare_that_fails_is_told_as_such() -> None:
    assert shell("true", prepare="exit 4")["message"] == "--prepare ended with exit code 4"


def test_a_program_without_an_interpreter_is_told(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    script.chmod(0o755)

    assert "cannot be started" in launched(str(script))["message"]


def test_the_program_ends_when_the_lab_goes_away(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    with agent("/bin/sh", "-c", f"echo $$ > {file}; exec sleep 62") as process:
        assert isinstance(process.read_record(20.0), Reply)
        process.ask({"id": "c", "problem": "run"}, 1.0)  # then the lab ends it
    end_s = time.monotonic() + 5.0
    pid = int(file.read_text(encoding="utf-8"))
    while is_alive(pid) and time.monotonic() < end_s:
        os.sched_yield()

    assert not is_alive(pid)


def test_the_input_and_standard_signals_are_the_programs_own(tmp_path: Path) -> None:
    file = tmp_path / "in"
    file.write_text("words\n", encoding="utf-8")

    assert shell("grep -q words", stdin=str(file))["status"] == "ok"
    assert shell("test ! -t 0 && ! read x")["status"] == "ok"
    assert "SIGPIPE" in shell("kill -PIPE $$")["message"]


def test_hardware_counters_are_known_or_have_a_reason_and_are_never_zero() -> None:
    record = shell("i=0; while [ $i -lt 10000 ]; do i=$((i + 1)); done")

    rows = {row["name"]: row for row in record["counters"] if row["name"] in HARDWARE}
    assert set(rows) == set(HARDWARE)
    for row in rows.values():
        assert row["reason"] if row["value"] is None else row["value"] >= 0.0
    if rows["instructions"]["value"] is not None:
        assert rows["instructions"]["value"] > 1e5


def busy(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


@pytest.fixture
def one_processor() -> Iterator[None]:
    """This thread, and what it starts, runs on one processor: each switches to the other there."""
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    yield
    os.sched_setaffinity(0, allowed)


@pytest.mark.usefixtures("one_processor")
def test_events_of_programs_and_their_children_are_counted_and_never_the_agents_own() -> None:
    software = {"task_clock": (1, 1), "no_such_event": (1, 9999)}
    counted = HardwareCounters(software)
    if "task_clock" in counted.reasons:
        pytest.skip(f"task-clock: {counted.reasons['task_clock']}")
    loop = "import time\nwhile time.process_time() < 0.2: pass"
    line = f"{PYTHON} -S -c '{loop}'; true"

    for _ in range(2):
        before = counted.read()
        launch = Launch("/bin/sh", ["sh", "-c", line], {}, "")
        launch.run(60.0, reads_output=False)
        _, _, usage = os.wait4(launch.pid, 0)
        busy(0.3)
        rows = {row["name"]: row for row in counted.rows(before)}

        cpu_s = usage.ru_utime + usage.ru_stime
        assert 1e-9 * rows["task_clock"]["value"] == pytest.approx(cpu_s, rel=0.2, abs=0.02)
        assert rows["no_such_event"]["value"] is None
        assert rows["no_such_event"]["reason"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A launch within limits: every end is told apart, and nothing is left running or on the disk."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

import fake_tools
import pytest
from weft_lab.measuring.stopping import StopSignal
from weft_lab.suites.inncabs.external_tools import process_tree
from weft_lab.suites.inncabs.external_tools.conditions import (
    Condition,
    Input,
    Job,
    Programs,
    launch_of,
)
from weft_lab.suites.inncabs.external_tools.guard import End, Limits, Workplace, run_guarded
from weft_lab.suites.inncabs.external_tools.outcomes import Outcome, outcome_of, read_record
from weft_lab.suites.inncabs.external_tools.tools import Tool, find, tools

HERE = Path(__file__).resolve().parents[1]
LIMITS = Limits(time_s=20.0, memory_bytes=100 << 20, threads=50, disk_bytes=8 << 20)


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    folder = tmp_path_factory.mktemp("inncabs")
    source = (HERE / "fake_inncabs.py").read_text(encoding="utf-8")
    paths = {name: folder / f"weft_inncabs_{name}" for name in ("std_async", "weft_future")}
    for path in paths.values():
        path.write_text(f"#!{sys.executable} -S\n{source}", encoding="utf-8")
        path.chmod(0o755)
    return Programs(paths, {})


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    folder = tmp_path / "launch"
    folder.mkdir()
    return Workplace.make(folder)


def launch(
    programs: Programs,
    place: Workplace,
    tool: Tool | None,
    limits: Limits = LIMITS,
    problem: str = "fib",
) -> tuple[End, Outcome]:
    condition = Condition("tool", "tool", tool)
    job = Job(problem, "std_async", "tool")
    command, variables = launch_of(job, condition, programs, Input(size=1), place)
    end = run_guarded(command, variables, place, limits)
    return end, outcome_of(end, read_record(place.record), tool, place)


def living_with_argument(argument: str) -> list[int]:
    """Processes `sleep <argument>`."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if words[:2] == [b"sleep", argument.encode()]:
                found.append(int(entry.name))
    return found


ENDS = {
    "works": ("ok", ""),
    "silent": ("no_output", "no data"),
    "segv": ("crashed", "SIGSEGV"),
    "wrapped_segv": ("crashed", "SIGSEGV"),
    "exits": ("crashed", "exit 3"),
    "late": ("crashed", "exit 4"),
    "greedy": ("memory", "memory"),
    "threads": ("threads", "threads"),
    "writer": ("disk", "disk"),
}


@pytest.mark.parametrize("name", ENDS)
def test_every_end_is_told_apart(
    programs: Programs, place: Workplace, tmp_path: Path, name: str
) -> None:
    _, outcome = launch(programs, place, fake_tools.tool(tmp_path, name))

    assert (outcome.status, outcome.word) == ENDS[name], outcome.how


def test_words_of_a_tool_that_refuses_are_kept(
    programs: Programs, place: Workplace, tmp_path: Path
) -> None:
    _, outcome = launch(programs, place, fake_tools.tool(tmp_path, "exits"))

    assert outcome.how == "exit code 3; no permission, before the program had answered"


def test_what_hangs_is_ended_at_the_limit(
    programs: Programs, place: Workplace, tmp_path: Path
) -> None:
    end, outcome = launch(programs, place, fake_tools.tool(tmp_path, "hangs"), Limits(time_s=0.5))

    assert outcome.status == "timeout"
    assert end.wall_s < 10.0
    assert living_with_argument("60") == []


def test_children_are_gone_even_those_that_left_the_session(
    programs: Programs, place: Workplace, tmp_path: Path
) -> None:
    _, outcome = launch(programs, place, fake_tools.tool(tmp_path, "forks"))

    assert outcome.status == "ok"
    assert living_with_argument("61") == []
    assert living_with_argument("62") == []


def test_what_a_tool_wrote_is_weighed(programs: Programs, place: Workplace, tmp_path: Path) -> None:
    end, _ = launch(programs, place, fake_tools.tool(tmp_path, "works"))

    assert end.output_bytes == len("data\n")


@pytest.mark.parametrize(
    ("problem", "status", "word"),
    [
        ("fib", "ok", ""),
        ("health", "crashed", "SIGSEGV"),
        ("nqueens", "crashed", "threw"),
        ("qap", "crashed", "SIGSEGV"),
        ("uts", "threads", "threads"),
        ("sort", "memory", "memory"),
        ("fft", "wrong", "wrong"),
    ],
)
def test_what_the_program_says_of_itself_is_kept(
    programs: Programs, place: Workplace, problem: str, status: str, word: str
) -> None:
    _, outcome = launch(programs, place, None, problem=problem)

    assert (outcome.status, outcome.word) == (status, word), outcome.how


def test_command_that_is_not_there_has_ended(place: Workplace) -> None:
    end = run_guarded(["/nowhere/program"], {}, place, LIMITS)

    assert end.how in ("not_started", "exited")
    assert end.how == "not_started" or end.code != 0
    assert outcome_of(end, None, None, place).status == "crashed"


def test_request_to_stop_ends_a_launch_soon(place: Workplace) -> None:
    with StopSignal() as stop:
        timer = threading.Timer(0.3, lambda: setattr(stop, "requested", True))
        timer.start()
        start_s = time.monotonic()
        end = run_guarded(["sleep", "63"], {}, place, LIMITS, stop)
        timer.join()

    assert end.how == "stopped"
    assert time.monotonic() - start_s < 10.0
    assert living_with_argument("63") == []


def test_usage_counts_threads_and_memory_of_this_session() -> None:
    now = process_tree.usage(os.getsid(0))

    assert now.num_threads >= threading.active_count()
    assert now.resident_bytes > 1 << 20


def test_tool_that_is_not_there_says_what_to_install() -> None:
    missing = Tool("none", "none", ("weft-no-such-tool",), ("x",), "out", "apt-get install it")

    found = find(missing)

    assert (found.state, found.remedy) == ("not_installed", "apt-get install it")
    assert "no weft-no-such-tool on PATH" in found.why


def test_tool_that_does_not_work_here_says_why(tmp_path: Path) -> None:
    found = find(fake_tools.tool(tmp_path, "exits"))

    assert found.state == "not_usable"
    assert "no permission" in found.why


def test_tool_that_works_is_usable(tmp_path: Path) -> None:
    assert find(fake_tools.tool(tmp_path, "works")).state == "usable"


def test_file_of_tools_is_whole() -> None:
    names = [tool.id for tool in tools()]

    assert names == ["perf_record", "perf_sched", "heaptrack", "gprofng", "tau", "hpctoolkit"]
    assert all(tool.install and tool.needs and tool.command for tool in tools())
    assert all("{output}" not in word for tool in tools() for word in tool.around([], Path("/x")))

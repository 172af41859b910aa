# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What traces of known events show, however the program ends."""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from conftest import BUFFER, Run, runner
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
from trace_reader import BEGIN, END, Trace, parse_trace, read_trace


def names_of_tasks(trace: Trace) -> Counter[str]:
    return Counter(each.name.split(" ")[0] for each in trace.tasks())


@pytest.fixture(scope="module")
def day(recording_program: str, tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """One trace, which the tests only read."""
    folder = tmp_path_factory.mktemp("day")
    done = runner(folder)(recording_program, "day", WEFT_TRACE="day.pftrace")
    assert "7 slices; open it at https://ui.perfetto.dev" in done.stderr
    return read_trace(folder / "day.pftrace")


def test_what_begins_or_goes_on_is_a_slice(day: Trace) -> None:
    # 5 begun and 2 resumed, one of them a call that its caller came back with
    assert names_of_tasks(day) == {"bake_bread": 3, "knead_dough": 4}
    assert [each.name[:10] for each in day.slices if each.category == "caller"] == ["bake_bread"]
    assert all(each.end_ns is not None for each in day.slices)


def test_a_name_says_the_file_of_a_local_function(day: Trace) -> None:
    assert day.tasks()[0].name == "bake_bread (recording_program.cpp)"


def test_workers_are_tracks_of_the_process(day: Trace) -> None:
    assert day.process == "weft_recording_program"
    assert list(day.tracks.values()) == [
        "",
        "busy workers",
        "tasks spawned, not begun",
        "worker 0",
        "worker 1",
    ]


def test_a_call_is_within_its_caller(day: Trace) -> None:
    assert [(each.name[:5], each.depth) for each in day.tasks()[:3]] == [
        ("bake_", 0),
        ("bake_", 0),
        ("knead", 1),
    ]


def test_flows_lead_from_spawn_to_begin_and_from_wait_and_its_end_to_resume(day: Trace) -> None:
    flows = [(a.name, a.track, b.name.split(" ")[0], b.track) for a, b in day.flows()]

    assert flows == [
        ("spawn", "worker 0", "bake_bread", "worker 0"),
        ("spawn", "worker 0", "bake_bread", "worker 0"),
        ("wait", "worker 0", "knead_dough", "worker 1"),
        ("made ready", "worker 1", "knead_dough", "worker 1"),
        ("wait", "worker 1", "bake_bread", "worker 1"),
    ]


def test_idle_time_is_shown_between_tasks(day: Trace) -> None:
    assert [each.name for each in day.slices if each.category == "idle"] == [
        "searching",
        "searching",
        "parked",
    ]
    assert [each.name for each in day.instants if each.category == "steal"] == [
        "steal from worker 0"
    ]


def test_counters_follow_tasks(day: Trace) -> None:
    assert day.counters["busy workers"] == [0, 1, 0, 1]
    assert day.counters["tasks spawned, not begun"][-1] == 0


def test_a_task_that_began_before_its_spawn_was_told_is_still_its_task(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    run(recording_program, "overtake", WEFT_TRACE="race.pftrace")

    trace = read_trace(tmp_path / "race.pftrace")
    flows = [(a.name, a.track, b.name.split(" ")[0], b.track) for a, b in trace.flows()]
    assert flows == [
        ("spawn", "worker 0", "bake_bread", "worker 1"),
        ("wait", "worker 1", "bake_bread", "worker 1"),
        ("made ready", "worker 0", "bake_bread", "worker 1"),
        ("spawn", "worker 0", "knead_dough", "worker 1"),
    ]
    assert len([each for each in trace.instants if each.category == "spawn"]) == 2
    assert trace.counters["tasks spawned, not begun"][-1] == 0


def test_two_pools_have_tracks_of_their_own(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    run(recording_program, "two-pools", WEFT_TRACE="two.pftrace")

    trace = read_trace(tmp_path / "two.pftrace")
    assert len(trace.tasks()) == 14
    assert {each.track for each in trace.tasks()} == {
        f"pool {pool}, worker {worker}" for pool in (0, 1) for worker in (0, 1)
    }


def test_a_ring_that_wrapped_says_what_is_lost(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    done = run(recording_program, "wrap", WEFT_TRACE="wrap.pftrace")

    # 10,000 begins and ends; 2047 of 2048 records are whole, and the first of those is an end
    assert "17953 older records were overwritten" in done.stderr
    trace = read_trace(tmp_path / "wrap.pftrace")
    assert len(trace.tasks()) == 1023
    assert trace.named("17953 earlier records overwritten")
    assert "tasks spawned, not begun" not in trace.counters


@pytest.mark.parametrize("how", ["segv", "null", "abort", "term"])
def test_a_program_that_crashes_leaves_its_trace(
    how: str, run: Run, recording_program: str, weft_trace: str, tmp_path: Path
) -> None:
    crashed = run(recording_program, how, WEFT_TRACE="crash.pftrace")
    recovered = run(weft_trace, "--recover", "crash.pftrace.rings")

    assert crashed.returncode != 0
    assert f"weft trace --recover {tmp_path / 'crash.pftrace.rings'}" in crashed.stderr
    assert recovered.returncode == 0
    assert "was ended by signal" in recovered.stderr
    assert_stopped_in_task(read_trace(tmp_path / "crash.pftrace"))


def assert_stopped_in_task(trace: Trace) -> None:
    baked, kneaded = trace.tasks()
    assert baked.name.startswith("bake_bread")
    assert baked.end_ns is not None
    assert kneaded.name.startswith("knead_dough")
    assert kneaded.end_ns is None


@pytest.mark.parametrize("how", ["kill", "quick"])
def test_a_program_that_says_no_word_leaves_its_trace(
    how: str, run: Run, recording_program: str, weft_trace: str, tmp_path: Path
) -> None:
    run(recording_program, how, WEFT_TRACE="gone.pftrace")
    run(weft_trace, "--recover", "gone.pftrace.rings", "--output", "other.pftrace")

    assert not (tmp_path / "gone.pftrace").exists()
    assert_stopped_in_task(read_trace(tmp_path / "other.pftrace"))


def test_only_the_end_is_written_if_that_is_wanted(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    run(recording_program, "second", WEFT_TRACE="end.pftrace:last=500ms")

    around, within = read_trace(tmp_path / "end.pftrace").tasks()
    assert (around.depth, within.depth) == (0, 1)
    assert around.end_ns is not None
    assert around.end_ns - around.begin_ns == pytest.approx(500e6, rel=1e-3)


def test_durations_are_those_of_the_steady_clock(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    before_ns = time.monotonic_ns()
    run(recording_program, "second", WEFT_TRACE="all.pftrace")
    after_ns = time.monotonic_ns()

    around = read_trace(tmp_path / "all.pftrace").tasks()[0]
    assert around.end_ns is not None
    assert before_ns < around.begin_ns < around.begin_ns + 1e9 <= around.end_ns < after_ns


def wait_for(path: Path) -> None:
    deadline_s = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < deadline_s, f"{path.name} never came"
        time.sleep(0.01)


class Waiting:
    """A program that goes on when it is told to."""

    def __init__(self, program: str, folder: Path, trace: str) -> None:
        self.process = subprocess.Popen(
            [program, "dump"],
            cwd=folder,
            env={**os.environ, **BUFFER, "WEFT_TRACE": trace},
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(self) -> str:
        _, messages = self.process.communicate("\n", timeout=120)
        assert self.process.returncode == 0
        return messages


def test_a_signal_asks_for_the_trace_so_far(recording_program: str, tmp_path: Path) -> None:
    program = Waiting(recording_program, tmp_path, "now.pftrace:signal=USR2")
    wait_for(tmp_path / "now.pftrace")
    so_far = read_trace(tmp_path / "now.pftrace")
    program.finish()

    assert len(so_far.tasks()) == 1
    assert len(read_trace(tmp_path / "now.pftrace").tasks()) == 2


def test_a_program_that_runs_can_be_looked_at(
    run: Run, recording_program: str, weft_trace: str, tmp_path: Path
) -> None:
    program = Waiting(recording_program, tmp_path, "live.pftrace:signal=USR2")
    wait_for(tmp_path / "live.pftrace")
    done = run(weft_trace, "--recover", "live.pftrace.rings", "-o", "look.pftrace")
    program.finish()

    assert done.returncode == 0
    assert len(read_trace(tmp_path / "look.pftrace").tasks()) == 1


def test_two_processes_do_not_write_to_one_file(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    first = Waiting(recording_program, tmp_path, "both.pftrace:signal=USR2")
    wait_for(tmp_path / "both.pftrace")
    run(recording_program, "day", WEFT_TRACE="both.pftrace")
    first.finish()

    (other,) = tmp_path.glob("both.*.pftrace")
    assert len(read_trace(other).tasks()) == 7
    assert len(read_trace(tmp_path / "both.pftrace").tasks()) == 2
    assert not list(tmp_path.glob("*.rings"))


def test_the_process_id_may_be_part_of_the_name(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    run(recording_program, "day", WEFT_TRACE="t-%p.pftrace")

    (trace,) = tmp_path.glob("t-[0-9]*.pftrace")
    assert len(read_trace(trace).tasks()) == 7


def test_a_forked_child_leaves_the_trace_to_its_parent(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    done = run(recording_program, "fork", WEFT_TRACE="fork.pftrace")

    assert done.returncode == 0
    assert len(read_trace(tmp_path / "fork.pftrace").tasks()) == 2


@pytest.mark.parametrize(
    ("wish", "word"),
    [
        ({"WEFT_TRACE": "/nonexistent/t"}, "cannot record a trace in /nonexistent/t.rings"),
        ({"WEFT_TRACE": "."}, "it is a folder"),
        ({"WEFT_TRACE": "t:last=10"}, "accepted is a file for the trace"),
        ({"WEFT_TRACE": "t", "WEFT_TRACE_BUFFER": "7"}, "accepted is a size from 4 KiB to 1 GiB"),
    ],
)
def test_what_cannot_be_done_is_said_and_the_program_runs(
    wish: dict[str, str], word: str, run: Run, recording_program: str
) -> None:
    done = run(recording_program, "untraced", **wish)

    assert done.returncode == 0
    assert done.stdout == "untraced\n"
    assert word in done.stderr
    assert done.stderr.count("weft:") == 1


def test_without_a_wish_nothing_is_recorded(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    done = run(recording_program, "untraced", WEFT_TRACE="")

    assert done.stdout == "untraced\n"
    assert done.stderr == ""
    assert not list(tmp_path.iterdir())


def test_the_reader_refuses_an_end_without_a_begin() -> None:
    trace = schema.Trace()
    described = trace.packet.add(trusted_packet_sequence_id=1)
    described.trace_packet_defaults.timestamp_clock_id = 3
    described.track_descriptor.uuid = 1
    described.track_descriptor.process.pid = 1
    described.interned_data.event_names.add(iid=1, name="task")
    described.interned_data.event_categories.add(iid=1, name="task")
    for number, kind in enumerate((BEGIN, END, END)):
        packet = trace.packet.add(trusted_packet_sequence_id=1, timestamp=number)
        packet.track_event.type = kind
        packet.track_event.track_uuid = 1
        packet.track_event.name_iid = 1
        packet.track_event.category_iids.append(1)

    with pytest.raises(AssertionError, match="that did not begin"):
        parse_trace(trace.SerializeToString())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A trace called FILE.json is Chrome's JSON, and shows what Perfetto's own format shows."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, runner
from trace_reader import Slice, Trace, read_trace

Event = dict[str, Any]


def read_events(path: Path) -> list[Event]:
    events = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)["traceEvents"]
    assert isinstance(events, list)
    return events


def nanoseconds(event: Event) -> int:
    time_ns = Decimal(event["ts"]) * 1000
    assert time_ns == int(time_ns)
    return int(time_ns)


def as_trace(events: list[Event]) -> Trace:
    """What the events show, flows left out."""
    trace = Trace()
    open_slices: dict[int, list[Slice]] = defaultdict(list)
    for event in events:
        tid = event["tid"]
        match event["ph"]:
            case "M" if event["name"] == "process_name":
                trace.process = event["args"]["name"]
            case "M" if event["name"] == "thread_name":
                trace.tracks[tid] = event["args"]["name"]
            case "C":
                trace.counters[event["name"]].append(event["args"]["value"])
            case "B" | "i":
                depth = len(open_slices[tid]) if event["ph"] == "B" else 0
                begun = Slice(
                    event["name"], event["cat"], trace.tracks[tid], depth, nanoseconds(event)
                )
                if event["ph"] == "B":
                    open_slices[tid].append(begun)
                    trace.slices.append(begun)
                else:
                    assert event["s"] == "t"
                    trace.instants.append(begun)
            case "E":
                open_slices[tid].pop().end_ns = nanoseconds(event)
    return trace


def without_flows(slices: list[Slice]) -> list[Slice]:
    return [
        Slice(each.name, each.category, each.track, each.depth, each.begin_ns, each.end_ns)
        for each in slices
    ]


def forget_boot(rings: Path) -> None:
    """Makes rings look as if the machine had started anew since.

    Otherwise each conversion compares the clocks again and rounds times differently by nanoseconds.
    """
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    data = rings.read_bytes()
    assert data.count(boot_id) == 1
    rings.write_bytes(data.replace(boot_id, bytes(len(boot_id))))


@pytest.fixture(scope="module", params=["day", "two-pools", "overtake", "wrap", "kill"])
def both(
    request: pytest.FixtureRequest,
    recording_program: str,
    weft_trace: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Trace, list[Event]]:
    """The same rings in both formats, which the tests only read."""
    folder = tmp_path_factory.mktemp(request.param)
    run = runner(folder)
    run(recording_program, request.param, WEFT_TRACE="x.pftrace:rings")
    forget_boot(folder / "x.pftrace.rings")
    for name in ("x.pftrace", "x.json"):
        done = run(weft_trace, "--recover", "x.pftrace.rings", "-o", name)
        assert done.returncode == 0, done.stderr
    return read_trace(folder / "x.pftrace"), read_events(folder / "x.json")


def test_both_formats_show_the_same(both: tuple[Trace, list[Event]]) -> None:
    expected, events = both
    shown = as_trace(events)

    assert len(shown.slices) > 0
    assert shown.process == expected.process
    assert shown.slices == without_flows(expected.slices)
    assert shown.instants == without_flows(expected.instants)
    assert shown.counters == expected.counters
    workers = {name for name in expected.tracks.values() if "worker " in name}
    assert set(shown.tracks.values()) == workers


def test_both_formats_have_the_same_flows(both: tuple[Trace, list[Event]]) -> None:
    expected, events = both
    outgoing = {flow for each in expected.slices + expected.instants for flow in each.outgoing}
    incoming = {flow for each in expected.slices + expected.instants for flow in each.incoming}

    assert {each["id"] for each in events if each["ph"] == "s"} == outgoing
    assert {each["id"] for each in events if each["ph"] == "f"} == incoming
    assert all(each["bp"] == "e" for each in events if each["ph"] in "sf")


def test_a_flow_ends_in_the_slice_that_begins_there(
    run: Run, recording_program: str, tmp_path: Path
) -> None:
    run(recording_program, "day", WEFT_TRACE="day.json")
    events = read_events(tmp_path / "day.json")

    ends = [i for i, each in enumerate(events) if each["ph"] == "f"]

    assert len(ends) == 5
    for end in ends:
        begin = next(each for each in reversed(events[:end]) if each["ph"] == "B")
        assert (begin["ts"], begin["tid"], begin["cat"]) == (
            events[end]["ts"],
            events[end]["tid"],
            "task",
        )


def test_times_of_slices_and_counters_never_go_back(both: tuple[Trace, list[Event]]) -> None:
    _, events = both
    times = [nanoseconds(each) for each in events if each["ph"] in "BEC"]

    assert times == sorted(times)


def test_every_way_to_a_trace_knows_the_ending(
    run: Run, recording_program: str, weft_trace: str, tmp_path: Path
) -> None:
    run(recording_program, "day", WEFT_TRACE="by-variable.json")
    run(weft_trace, "-o", "by-tool.json", "--", recording_program, "day")
    run(recording_program, "day", WEFT_TRACE="rings.json:rings")
    run(weft_trace, "--recover", "rings.json.rings")

    for name in ("by-variable.json", "by-tool.json", "rings.json"):
        assert len(as_trace(read_events(tmp_path / name)).tasks()) == 7, name


@pytest.mark.parametrize("name", ["x", "x.pb", "x.json.gz", "x.JSON5"])
def test_any_other_ending_is_perfettos_format(
    name: str, run: Run, recording_program: str, tmp_path: Path
) -> None:
    run(recording_program, "day", WEFT_TRACE=name)

    assert len(read_trace(tmp_path / name).tasks()) == 7


def test_a_name_with_quotes_is_valid_json(run: Run, annotated_program: str, tmp_path: Path) -> None:
    done = run(annotated_program, "--weft:trace=x.json", WEFT_TRACE_BUFFER="1MiB")

    assert done.returncode == 0, done.stderr
    assert as_trace(read_events(tmp_path / "x.json")).named('by "executor"')

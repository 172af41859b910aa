# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads traces with Perfetto's published schema, and checks what the schema does not say."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema

BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
MONOTONIC = 3


@dataclass
class Slice:
    """A stay on a track; `end_ns` is None if it has not ended."""

    name: str
    category: str
    track: str
    depth: int
    begin_ns: int
    end_ns: int | None = None
    incoming: tuple[int, ...] = ()
    outgoing: tuple[int, ...] = ()


@dataclass
class Trace:
    """All that a trace shows."""

    process: str = ""
    tracks: dict[int, str] = field(default_factory=dict)
    slices: list[Slice] = field(default_factory=list)
    instants: list[Slice] = field(default_factory=list)
    counters: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def tasks(self) -> list[Slice]:
        return [each for each in self.slices if each.category == "task"]

    def named(self, name: str) -> list[Slice]:
        return [each for each in self.slices + self.instants if each.name.startswith(name)]

    def flows(self) -> list[tuple[Slice, Slice]]:
        """Pairs of where a flow comes from and where it ends."""
        events = self.slices + self.instants
        origins = {flow: each for each in events for flow in each.outgoing}
        return [(origins[flow], each) for each in events for flow in each.incoming]


class _Reader:
    def __init__(self) -> None:
        self.trace = Trace()
        self.names: dict[int, str] = {}
        self.categories: dict[int, str] = {}
        self.open: dict[int, list[Slice]] = defaultdict(list)
        self.latest_ns: dict[int, int] = defaultdict(int)
        self.clock_id = 0

    def add(self, packet: schema.TracePacket) -> None:
        if packet.HasField("trace_packet_defaults"):
            self.clock_id = packet.trace_packet_defaults.timestamp_clock_id
        for each in packet.interned_data.event_names:
            assert each.iid not in self.names, f"name {each.iid} is interned twice"
            self.names[each.iid] = each.name
        for each in packet.interned_data.event_categories:
            self.categories[each.iid] = each.name
        if packet.HasField("track_descriptor"):
            self.add_track(packet.track_descriptor)
        if packet.HasField("track_event"):
            assert self.clock_id == MONOTONIC
            self.add_event(packet.timestamp, packet.track_event)

    def add_track(self, track: schema.TrackDescriptor) -> None:
        assert track.uuid not in self.trace.tracks, f"track {track.uuid} is described twice"
        if track.HasField("process"):
            self.trace.process = track.process.process_name
        else:
            assert track.parent_uuid in self.trace.tracks, f"{track.name} has no parent"
        self.trace.tracks[track.uuid] = track.name

    def add_event(self, time_ns: int, event: schema.TrackEvent) -> None:
        track = self.trace.tracks[event.track_uuid]
        if event.type == COUNTER:
            self.trace.counters[track].append(event.counter_value)
            return
        if event.type == INSTANT:
            self.trace.instants.append(self.labelled(time_ns, track, event, depth=0))
            return
        assert time_ns >= self.latest_ns[event.track_uuid], f"time goes back on {track}"
        self.latest_ns[event.track_uuid] = time_ns
        open_here = self.open[event.track_uuid]
        if event.type == BEGIN:
            begun = self.labelled(time_ns, track, event, len(open_here))
            open_here.append(begun)
            self.trace.slices.append(begun)
        else:
            assert event.type == END
            assert open_here, f"something ends on {track} at {time_ns} ns that did not begin"
            open_here.pop().end_ns = time_ns

    def labelled(self, time_ns: int, track: str, event: schema.TrackEvent, depth: int) -> Slice:
        (category,) = event.category_iids
        return Slice(
            name=self.names[event.name_iid],
            category=self.categories[category],
            track=track,
            depth=depth,
            begin_ns=time_ns,
            incoming=tuple(event.terminating_flow_ids),
            outgoing=tuple(event.flow_ids),
        )


def read_trace(path: Path) -> Trace:
    """Reads a trace; AssertionError if it is not what Perfetto expects."""
    return parse_trace(path.read_bytes())


def parse_trace(data: bytes) -> Trace:
    reader = _Reader()
    for packet in schema.Trace.FromString(data).packet:
        assert packet.trusted_packet_sequence_id == 1
        assert not UnknownFieldSet(packet), "a field that the schema does not have"
        reader.add(packet)
    reader.trace.flows()  # every flow that ends has begun
    return reader.trace

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a result folder of the suite Inncabs by hand: known times, known counters, no noise."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synthetic_run import Shape, manifest

Record = dict[str, Any]
SAMPLES = 20
NO_UNIT = "no performance monitoring unit in this virtual machine"


@dataclass(frozen=True)
class Counted:
    """Counters of one call, summed over the workers. Units: seconds."""

    tasks: float
    task_s: float
    scheduling_s: float
    searching_s: float = 0.0
    parked_s: float = 0.0
    cpu_s: float | None = None


@dataclass(frozen=True)
class Cell:
    """One cell of the run: `time_s` None is a failure that `message` tells of."""

    problem: str
    backend: str
    threads: int
    time_s: float | None
    counted: Counted | None = None
    message: str = ""
    toolchain: str = "gcc"
    allocator: str = "default"
    size: int = 2
    offcore_bytes: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


# fib: tasks of 1 us; futures scale, std::async fails, oneTBB does not scale and cannot say why.
FIB = (
    Cell("fib", "seq", 1, 0.05),
    Cell("fib", "weft_future", 1, 1.5, Counted(1e6, 1.0, 0.5)),
    Cell("fib", "weft_future", 2, 0.77, Counted(1e6, 1.02, 0.52)),
    Cell("fib", "weft_task_group", 1, 1.1, Counted(1e6, 1.0, 0.1)),
    Cell("fib", "weft_task_group", 2, 1.0, Counted(1e6, 1.0, 1.0, 0.1, 0.05)),
    Cell("fib", "onetbb", 1, 2.0),
    Cell("fib", "onetbb", 2, 2.5),
    Cell("fib", "std_async", 1, None, message="std_async failed after it had started 32000 tasks"),
    Cell("fib", "std_async", 2, None, message="std_async failed after it had started 32001 tasks"),
)


def write_inncabs_run(folder: Path, cells: Sequence[Cell] = FIB) -> Path:
    """Fills `folder` with samples.jsonl, manifest.json and skipped.json, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(record_of(cell)) + "\n" for cell in cells)
    (folder / "samples.jsonl").write_text(lines, encoding="utf-8")
    described = {**manifest(Shape(cpus=2)), "programs": {}}
    (folder / "manifest.json").write_text(json.dumps(described), encoding="utf-8")
    skipped = {"schema": 1, "skipped": []}
    (folder / "skipped.json").write_text(json.dumps(skipped), encoding="utf-8")
    return folder


def record_of(cell: Cell) -> Record:
    """The record of a cell, as a bench program under the lab writes it."""
    record: Record = {
        "schema": 1,
        "record": "result",
        "suite": "inncabs",
        "cell": {
            "problem": cell.problem,
            "type": "double",
            "size": cell.size,
            "threads": cell.threads,
            "allocator": cell.allocator,
            "placement": "cores",
            "smt": "on",
            "params": {},
        },
        "backend": cell.backend,
        "toolchain": cell.toolchain,
        "variant": f"{cell.backend}@{cell.toolchain}",
        "launch": 1,
        "round": 1,
        "run_id": "synthetic",
        "samples_s": [],
        **cell.extra,
    }
    if cell.time_s is None:
        return {
            **record,
            "status": "skipped",
            "code": "unsupported",
            "message": cell.message,
            "remedy": "ask for a smaller size",
        }
    return {
        **record,
        "status": "ok",
        "samples_s": [cell.time_s] * SAMPLES,
        "statistic": "median",
        "statistic_s": cell.time_s,
        "elements": cell.size,
        "bytes_min": 0,
        "oversubscribed": False,
        "counters": _counters(cell),
    }


def _counters(cell: Cell) -> list[Record]:
    switches = [
        {"name": f"context_switches_{kind}", "unit": "events", "value": 4.0, "per": "call"}
        for kind in ("voluntary", "involuntary")
    ]
    if cell.counted is None:
        return switches
    counted = cell.counted
    values = {
        "tasks": ("tasks", counted.tasks),
        "task_time": ("s", counted.task_s),
        "task_time_hpx": ("s", 1.1 * counted.task_s),
        "scheduling_time": ("s", counted.scheduling_s),
        "searching_time": ("s", counted.searching_s),
        "parked_time": ("s", counted.parked_s),
        "offcore_bytes": ("B", cell.offcore_bytes),
    }
    if counted.cpu_s is not None:
        switches.append({"name": "cpu_time", "unit": "s", "value": counted.cpu_s, "per": "call"})
    return switches + [_counter(name, *pair) for name, pair in values.items()]


def _counter(name: str, unit: str, value: float | None) -> Record:
    counter: Record = {"name": name, "unit": unit, "per": "sample", "value": value}
    if value is None:
        return {**counter, "reason": NO_UNIT}
    return {**counter, "values": [value] * SAMPLES}

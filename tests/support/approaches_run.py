# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a result folder of the suite of approaches by hand: known times, no noise."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synthetic_run import Shape, manifest
from weft_lab.suites.approaches import findings as approaches


@dataclass(frozen=True)
class Row:
    """One cell of one approach; times in seconds."""

    problem: str
    backend: str
    threads: int
    samples_s: tuple[float, ...]
    size: int = 1000
    params: tuple[tuple[str, int], ...] = ()
    allocations: float | None = None


def steady(time_s: float) -> tuple[float, ...]:
    """Ten samples that differ by next to nothing."""
    return tuple(time_s * (1 + 1e-4 * step) for step in range(10))


def record_of(row: Row, launch: int) -> dict[str, Any]:
    counters = [] if row.allocations is None else [
        {"name": "allocations", "unit": "events", "value": row.allocations, "per": "call"},
        {"name": "allocated", "unit": "bytes", "value": 64 * row.allocations, "per": "call"},
    ]  # fmt: skip
    return {
        "schema": 1, "record": "result", "suite": "approaches", "backend": row.backend,
        "toolchain": "gcc", "variant": f"{row.backend}@gcc", "launch": launch, "round": launch,
        "run_id": "synthetic", "status": "ok", "samples_s": list(row.samples_s),
        "statistic": "median", "statistic_s": sorted(row.samples_s)[len(row.samples_s) // 2],
        "elements": row.size, "bytes_min": 0, "oversubscribed": False, "counters": counters,
        "tasks": None if row.problem.startswith("taylor") else row.size,
        "cell": {
            "problem": row.problem, "type": "double", "size": row.size, "threads": row.threads,
            "allocator": "default", "placement": "none", "smt": "on", "params": dict(row.params),
        },
    }  # fmt: skip


def write_approaches_run(folder: Path, rows: Sequence[Row]) -> Path:
    """Fills `folder` with samples.jsonl, manifest.json and skipped.json, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [record_of(row, launch) for launch in (1, 2, 3) for row in rows]
    text = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "samples.jsonl").write_text(text, encoding="utf-8")
    described = {**manifest(Shape(cpus=2)), "programs": {}}
    (folder / "manifest.json").write_text(json.dumps(described), encoding="utf-8")
    (folder / "skipped.json").write_text('{"schema": 1, "skipped": []}', encoding="utf-8")
    return folder


def whole_run() -> list[Row]:
    """Futures and coroutines are equal, and equally 0.3 s slower with the vector in the clock."""
    rows = [Row("taylor_fused", "seq", 1, steady(2.0))]
    for threads in (1, 2):
        rows += [
            Row("taylor_fused", name, threads, steady(2.0 / threads * (1 + 0.001 * number)))
            for number, name in enumerate(("openmp", *approaches.APIS))
        ]
        for name in ("weft_future", "weft_coroutine"):
            rows += [
                Row("taylor_vector", name, threads, steady(2.0 / threads)),
                Row("taylor_setup_timed", name, threads, steady(2.0 / threads + 0.3)),
            ]
        chunks = (("taylor_dynamic", 1), ("taylor_dynamic", 1_000_000), ("taylor_static", 10))
        rows += [
            Row(problem, "weft_algorithm", threads, steady(2.0), params=(("chunk_size", size),))
            for problem, size in chunks
        ]
        rows += [
            Row("async_get", "weft_future", threads, steady(1e-4), allocations=2000.0),
            Row("async_get", "std_async", threads, steady(1e-2)),
        ]
        rows += [Row("grain", "openmp", threads, steady(2.0 / threads), params=(("steps", 10),))]
    return [*rows, Row("grain", "seq", 1, steady(1.0), params=(("steps", 10),))]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine's own memory bandwidth, measured in every run: STREAM-like kernels on one thread and
on all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from weft_lab.machine.facts import Machine
from weft_lab.measuring.costs import Sampling, Task
from weft_lab.measuring.plan import Plan
from weft_lab.measuring.programs import Program
from weft_lab.statistics.estimates import median
from weft_lab.storage.cells import Cell

SUITE = "machine"
LAUNCHES = 2
CACHES_PER_ARRAY = 4
ELEMENT_BYTES = 8
SIZE_MIN = 1 << 20


def probe_plan(program: Program, machine: Machine, cache_bytes: int, budget_s: float) -> Plan:
    """Every kernel of the probe with arrays of four last-level caches, or what memory allows."""
    wanted = max(SIZE_MIN, CACHES_PER_ARRAY * cache_bytes // ELEMENT_BYTES)
    size = min(wanted, machine.memory_bytes // (8 * ELEMENT_BYTES))
    tasks = tuple(
        Task(program.variant, Cell(SUITE, str(problem), "double", size, threads))
        for problem in program.record["problems"]
        for threads in sorted({1, machine.cpus_usable})
    )
    return Plan(tasks, Sampling("robust", 5, 50, 0.1, 0.3), 0, budget_s, LAUNCHES)


def bandwidths(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Bytes per second by kernel and threads: the median of the launches' medians."""
    launches: dict[tuple[str, int], list[float]] = defaultdict(list)
    sizes: dict[tuple[str, int], int] = {}
    for record in records:
        if (
            record.get("suite") == SUITE
            and record.get("status") == "ok"
            and record.get("bytes_min")
        ):
            key = record["cell"]["problem"], int(record["cell"]["threads"])
            launches[key].append(record["bytes_min"] / median(record["samples_s"]))
            sizes[key] = int(record["cell"]["size"])
    return [
        {"problem": key[0], "threads": key[1], "bytes_per_s": median(values), "size": sizes[key]}
        for key, values in sorted(launches.items())
    ]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine's own bandwidth, measured in every run.

STREAM-like kernels run on one thread and on all with arrays larger than every cache, and on one
thread with arrays that fit a cache. Also measured: the operations of the threads in registers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
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
# 64 KiB per array: they fit the second-level cache, and the cost of starting the loop is small.
CACHED_SIZE = 1 << 13
CACHED_KERNELS = ("read", "triad")
# Multiply-adds in registers, and how many of them a call does: a few milliseconds.
ARITHMETIC = "multiply_add"
ARITHMETIC_SIZE = 1 << 25
# The measurements for the roofs above a user's kernel: reading, writing, calculating.
ROOFS = ("read", "triad", ARITHMETIC)


def probe_plan(
    program: Program,
    machine: Machine,
    cache_bytes: int,
    budget_s: float,
    only: Collection[str] | None = None,
) -> Plan:
    """The cells of the probe.

    Every kernel with arrays of four last-level caches, or of the available memory if that is less;
    two kernels with arrays that fit a cache; and multiply-adds, which need no arrays. `only`: just
    these kernels, without the cells of caches.
    """
    wanted = max(SIZE_MIN, CACHES_PER_ARRAY * cache_bytes // ELEMENT_BYTES)
    size = min(wanted, machine.memory_bytes // (8 * ELEMENT_BYTES))
    sizes = {ARITHMETIC: ARITHMETIC_SIZE}
    tasks = tuple(
        Task(
            program.variant, Cell(SUITE, str(problem), "double", sizes.get(problem, size), threads)
        )
        for problem in program.record["problems"]
        if only is None or problem in only
        for threads in sorted({1, machine.cpus_usable})
    )
    cached = tuple(
        Task(program.variant, Cell(SUITE, kernel, "double", CACHED_SIZE, 1))
        for kernel in CACHED_KERNELS
        if kernel in program.record["problems"] and only is None
    )
    return Plan((*tasks, *cached), Sampling("robust", 5, 50, 0.1, 0.3), 0, budget_s, LAUNCHES)


def bandwidths(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Bytes per second of memory by kernel and threads: the median of the launches' medians."""
    return [row for row in _rates(records) if row["size"] >= SIZE_MIN]


def cache_bytes_per_s(records: Iterable[Mapping[str, Any]]) -> float | None:
    """The highest bandwidth of a kernel on one thread in a cache; None if not measured."""
    rows = [row for row in _rates(records) if row["size"] == CACHED_SIZE and row["threads"] == 1]
    return max((row["bytes_per_s"] for row in rows), default=None)


def operation_rates(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Operations per second in registers by threads: the median of the launches' medians."""
    launches: dict[int, list[float]] = defaultdict(list)
    for record in records:
        if _is_timed(record) and record["cell"]["problem"] == ARITHMETIC:
            rate = float(record["operations"]) / median(record["samples_s"])
            launches[int(record["cell"]["threads"])].append(rate)
    return [
        {"threads": threads, "operations_per_s": median(rates)}
        for threads, rates in sorted(launches.items())
    ]


def _is_timed(record: Mapping[str, Any]) -> bool:
    return record.get("suite") == SUITE and record.get("status") == "ok"


def _rates(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    launches: dict[tuple[str, int, int], list[float]] = defaultdict(list)
    for record in records:
        if _is_timed(record) and record.get("bytes_min"):
            cell = record["cell"]
            key = cell["problem"], int(cell["threads"]), int(cell["size"])
            launches[key].append(record["bytes_min"] / median(record["samples_s"]))
    return [
        {"problem": key[0], "threads": key[1], "bytes_per_s": median(values), "size": key[2]}
        for key, values in sorted(launches.items())
    ]

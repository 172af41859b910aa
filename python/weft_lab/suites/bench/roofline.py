# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The distance of a kernel from the roofs of memory and arithmetic that the machine's own probe
measured.

Formula: operations per second <= min(arithmetic, operations per byte x memory's bytes per second).
Source:  Williams, Waterman, Patterson, CACM 52 (2009).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft_lab.advice.findings import last_level_cache_bytes
from weft_lab.pages import formats
from weft_lab.pages.table import Column, Table, Value, columns
from weft_lab.suites.bench.results import BYTES_RATE, OPERATIONS_RATE, BenchRun, Estimate, Row
from weft_lab.suites.bench.scaling import chosen_at, fastest

MEMORY_BOUND, COMPUTE_BOUND = "memory-bound", "compute-bound"


@dataclass(frozen=True)
class Roofs:
    """The probe's results with this number of threads. `operations_per_s`: None if unknown."""

    threads: int
    bytes_per_s: float
    operations_per_s: float | None

    def attainable(self, per_byte: float) -> float:
        """Operations per second at so many operations per byte."""
        most = self.bytes_per_s * per_byte
        return most if self.operations_per_s is None else min(most, self.operations_per_s)


@dataclass(frozen=True)
class Position:
    """A contestant at one size, below the roofs. `cache_bytes`: of the last level; None where the
    data of a call do not fit.
    """

    row: Row
    roofs: Roofs
    memory: Estimate
    operations: Estimate | None
    cache_bytes: int | None

    @property
    def per_byte(self) -> float | None:
        """Operations for each byte; None where operations are unknown."""
        return None if self.operations is None else self.operations.value / self.memory.value

    @property
    def limit(self) -> str:
        """Which roof is the lower one; empty where one of both is unknown."""
        if self.per_byte is None or self.roofs.operations_per_s is None:
            return ""
        is_memory = self.roofs.bytes_per_s * self.per_byte < self.roofs.operations_per_s
        return MEMORY_BOUND if is_memory else COMPUTE_BOUND

    @property
    def share(self) -> Estimate:
        """Of its roof, that of memory unless arithmetic's is known to be lower."""
        if self.limit == COMPUTE_BOUND and self.operations and self.roofs.operations_per_s:
            return _part(self.operations, self.roofs.operations_per_s)
        return _part(self.memory, self.roofs.bytes_per_s)


def _part(value: Estimate, of: float) -> Estimate:
    low = None if value.low is None else 1e9 * value.low / of
    high = None if value.high is None else 1e9 * value.high / of
    return Estimate(1e9 * value.value / of, low, high)


def roofs_of(manifest: Mapping[str, Any]) -> tuple[Roofs, ...]:
    """By threads, ascending: the most that any kernel of the probe reached."""
    most: dict[int, float] = {}
    for row in manifest.get("bandwidth") or ():
        threads = int(row["threads"])
        most[threads] = max(float(row["bytes_per_s"]), most.get(threads, 0.0))
    operations = {
        int(row["threads"]): float(row["operations_per_s"])
        for row in manifest.get("operation_rates") or ()
    }
    return tuple(Roofs(each, most[each], operations.get(each)) for each in sorted(most))


def positions(run: BenchRun) -> list[Position]:
    """Each contestant with its best threads at every size; none where a call's bytes or the roofs
    are unknown.
    """
    roofs = roofs_of(run.view.manifest)
    best = fastest(run)
    found = []
    for place in sorted(best):
        for row in best[place].values():
            memory = row.metrics.get(BYTES_RATE)
            # Without a probe of these threads, that of more threads: its roofs are no lower.
            own = next((each for each in roofs if each.threads >= row.cell.threads), None)
            if memory is not None and own is not None:
                operations = row.metrics.get(OPERATIONS_RATE)
                found.append(Position(row, own, memory, operations, _cache(run, row, memory)))
    return found


def _cache(run: BenchRun, row: Row, memory: Estimate) -> int | None:
    bytes_ = 1e9 * memory.value * row.time_s
    cache = last_level_cache_bytes(run.view.manifest)
    return cache if bytes_ <= cache else None


def roofline_table(run: BenchRun, found: Sequence[Position]) -> Table:
    """One row for each position."""
    has_operations = any(each.operations for each in found)
    rows: list[tuple[Value, ...]] = [
        (
            each.row.name,
            each.row.cell.size,
            each.row.cell.threads,
            *((each.per_byte, each.limit) if has_operations else ()),
            each.memory.value,
            1e-9 * each.roofs.bytes_per_s,
            *(_operations(each) if has_operations else ()),
            each.share.value,
            each.share.low,
            each.share.high,
            each.roofs.threads,
            "" if each.cache_bytes is None else "may be in the caches",
        )
        for each in found
    ]
    return Table(
        "bench_roofline",
        "How near to the machine's roofs",
        (
            *columns(
                ("program", "program"),
                (run.asked.size_name, "size", formats.number),
                ("threads", "threads", formats.number),
            ),
            *(
                columns(
                    ("operations per byte", "operations_per_byte", formats.number),
                    ("bound", "bound"),
                )
                if has_operations
                else ()
            ),
            *columns(
                ("memory rate, GB/s", "memory_gb_per_s", formats.number),
                ("memory's roof, GB/s", "memory_roof_gb_per_s", formats.number),
            ),
            *(
                columns(
                    ("operations, Gop/s", "gop_per_s", formats.number),
                    ("arithmetic's roof, Gop/s", "arithmetic_roof_gop_per_s", formats.number),
                )
                if has_operations
                else ()
            ),
            Column("of its roof", "share", formats.percent),
            *columns(("from", "share_low", formats.percent), ("to", "share_high", formats.percent)),
            *columns(("threads of the roof", "roof_threads", formats.number), ("data", "data")),
        ),
        tuple(rows),
        note="Each with its best number of threads. Bytes and operations are those that the "
        "kernel's file says, not what was counted. Roofs: the most that the machine's probe "
        "reached in this run, with arrays beyond the caches, and with multiply-adds of doubles in "
        "registers (two operations each). Data that stay in a cache can exceed memory's roof.",
    )


def _operations(each: Position) -> tuple[Value, Value]:
    roof = each.roofs.operations_per_s
    return (
        None if each.operations is None else each.operations.value,
        None if roof is None else 1e-9 * roof,
    )


def roofline_text(run: BenchRun, found: Sequence[Position]) -> str:
    """The position of the chosen contestant at the largest size, with its best number of threads;
    empty if unknown.
    """
    largest = max((each.row.cell.size for each in found), default=0)
    at_largest = [each for each in found if each.row.cell.size == largest]
    if not at_largest:
        return ""
    chosen = chosen_at(run, largest)
    own = [each for each in at_largest if (each.row.case, each.row.name) in chosen]
    best = min(own or at_largest, key=lambda each: each.row.time_s)
    roofs = best.roofs
    on = formats.threads(roofs.threads)
    threads = formats.threads(best.row.cell.threads)
    text = f"Roofline: at {run.asked.size_name} = {largest} {best.row.name} with {threads} "
    if best.limit == COMPUTE_BOUND and best.operations and roofs.operations_per_s:
        return (
            f"{text}does {formats.significant(best.operations.value)} Gop/s, "
            f"{formats.percent(best.share.value, 0)} of the "
            f"{formats.significant(1e-9 * roofs.operations_per_s)} Gop/s of multiply-adds on {on}: "
            f"compute-bound{_per_byte(best)}."
        )
    roof = f"{formats.significant(1e-9 * roofs.bytes_per_s)} GB/s"
    text += f"moves {formats.significant(best.memory.value)} GB/s"
    if best.cache_bytes is not None:
        return (
            f"{text}; its data may stay in the caches ({formats.mebibytes(best.cache_bytes)}), "
            f"for which memory's {roof} on {on} are no bound. A larger "
            f"{run.asked.size_name} tells."
        )
    bound = f": memory-bound{_per_byte(best)}" if best.limit else ""
    share = formats.percent(best.share.value, 0)
    return f"{text}, {share} of the {roof} that memory gives {on}{bound}."


def _per_byte(each: Position) -> str:
    assert each.per_byte is not None
    return f" at {formats.significant(each.per_byte)} operations per byte"

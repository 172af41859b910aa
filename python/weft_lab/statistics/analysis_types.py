# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The frozen results of analysis: cell summaries, ratios, decisions, break-even sizes, thread
counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal

from weft_lab.storage.cells import Cell

Status = Literal["ok", "wrong", "skipped", "error", "crashed", "hung", "implausible"]
Confidence = Literal["sure", "likely", "cannot tell"]


@dataclass(frozen=True)
class CounterValue:
    """One counter of a cell; `value` is None if unavailable, and `reason` says why.

    `per`: `call`; `sample`: the median of the values read for each sample, per call; `phase`: the
    value covers the whole sampling phase, with its pauses.
    """

    value: float | None
    unit: str
    reason: str = ""
    per: str = "call"


@dataclass(frozen=True)
class Ratio:
    """A ratio of two times with its interval; `low` and `high` are None when unknown."""

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class CellSummary:
    """All results of one cell on one variant.

    Units: `_s` seconds per call; `bytes_min`, `elements`, `tasks` and `nodes` per call;
           `peak_rss_bytes` of the whole process in the launch with the most memory,
           `peak_rss_least_bytes` in the one with the least. `scaled`: the part of its input that is
           smaller than the study's.
    `cold_call_s`: the median over launches of a process's first call of the problem and type, if
    this cell was the first.
    `waited`: of each launch that could read it, the fraction of its sampling phase in which a
    thread was ready to run and waited for a CPU.
    `fingerprints`: the distinct answers of its launches, if there may be only one.
    """

    cell: Cell
    backend: str
    toolchain: str
    variant: str
    status: Status
    launches: int = 0
    launch_medians_s: tuple[float, ...] = ()
    samples_s: tuple[tuple[float, ...], ...] = ()
    time_s: float | None = None
    time_low_s: float | None = None
    time_high_s: float | None = None
    cold_call_s: float | None = None
    bytes_min: int | None = None
    elements: int | None = None
    tasks: int | None = None
    nodes: float | None = None
    scaled: str = ""
    fingerprints: tuple[str, ...] = ()
    peak_rss_bytes: int | None = None
    peak_rss_least_bytes: int | None = None
    cpu_over_wall: float | None = None
    waited: tuple[float, ...] = ()
    threads_active: int | None = None
    is_sequential: bool | None = None
    is_oversubscribed: bool = False
    counters: Mapping[str, CounterValue] = field(default_factory=lambda: MappingProxyType({}))
    statistic: str = "median"
    code: str = ""
    message: str = ""
    remedy: str = ""

    @property
    def core_s_per_task(self) -> float | None:
        """The cost of one task in time of all threads; None if tasks are not counted."""
        if self.time_s is None or not self.tasks:
            return None
        return self.time_s * self.cell.threads / self.tasks

    @property
    def s_per_node(self) -> float | None:
        """The time of a call for each node that it visited; None if nodes are not counted."""
        return self.time_s / self.nodes if self.time_s is not None and self.nodes else None


@dataclass(frozen=True)
class Decision:
    """The recommendation for one problem, type and band of sizes, with its confidence.

    Units: `size_low` and `size_high` in elements, both measured and both included. `speedup` is the
           seq baseline's time over the winner's. `detectable`: the smallest relative difference
           from the closest other choice that such launches can detect; None if unknown.
    """

    suite: str
    label: str
    type: str
    size_low: int
    size_high: int
    variant: str
    backend: str
    threads: int
    speedup: Ratio | None
    confidence: Confidence
    tied_variants: tuple[str, ...]
    reason: str
    detectable: float | None = None


@dataclass(frozen=True)
class BreakEven:
    """The size from which a backend runs in parallel, and the size from which it is faster than
    seq.

    Units: sizes in elements; None: at no measured size, or unknown (then `reason` says which).
    """

    suite: str
    label: str
    type: str
    variant: str
    backend: str
    threads: int
    parallel_from: int | None
    beats_seq_from: int | None
    setting: str
    reason: str


@dataclass(frozen=True)
class ThreadsWithEfficiency:
    """The most threads that a backend uses with the required efficiency (paper, Table 6)."""

    suite: str
    label: str
    type: str
    size: int
    variant: str
    threads: int | None
    efficiency: float | None

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CPU time of a task runtime's workers while idle. Not a race: all calls take the same time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.storage.variants import is_control

PROBLEM = "idle"


@dataclass(frozen=True)
class Idle:
    """One idle runtime. `cores_used` is CPU time over time; None, with `reason`, if unknown.

    Units: seconds from the end of the last task on.
    """

    variant: str
    threads: int
    rest_s: float
    cores_used: float | None
    reason: str = ""


def is_race(summary: CellSummary) -> bool:
    """Whether the time of a call shows which runtime is faster."""
    return summary.cell.problem != PROBLEM


def idle(summaries: Iterable[CellSummary]) -> list[Idle]:
    """One result per runtime, thread count and length of the idle time."""
    timed = [s for s in summaries if s.status == "ok" and s.time_s and not is_race(s)]
    return [_result(s, s.time_s) for s in timed if s.time_s and not is_control(s.variant)]


def _result(summary: CellSummary, time_s: float) -> Idle:
    counter = summary.counters.get("cpu_time")
    used = None if counter is None or counter.value is None else counter.value / time_s
    reason = "" if counter is None else counter.reason
    return Idle(summary.variant, summary.cell.threads, 1e-3 * summary.cell.size, used, reason)

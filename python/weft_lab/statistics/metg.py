# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The minimum effective task granularity (METG): the shortest task run with 50 % efficiency.

Source: Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime
Performance", SC20, arXiv 1908.05790.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.storage.variants import BASELINE, is_control

PROBLEM = "grain"
PROBLEM_FROM_MAIN = "region_from_main"
EFFICIENCY_MIN = 0.5


@dataclass(frozen=True, order=True)
class Grain:
    """Tasks of one length and how well they used the cores. Units: seconds per task."""

    task_s: float
    efficiency: float


@dataclass(frozen=True)
class Metg:
    """The result for one runtime and thread count.

    `task_s` is None if no tried task is long enough. `is_bound`: even the shortest tried task is
    long enough, so the true value is below it. Units: seconds.
    """

    variant: str
    threads: int
    task_s: float | None
    is_bound: bool
    grains: tuple[Grain, ...]


def metg(
    summaries: Iterable[CellSummary], baseline: str = BASELINE, problem: str = PROBLEM
) -> list[Metg]:
    """One result per runtime and thread count; the sequential program gives the length of a task.

    Efficiency is the sequential time of the same tasks over their core time.
    """
    timed = [s for s in summaries if s.status == "ok" and s.time_s and s.cell.problem == problem]
    task_s = {_work(s): _seconds_per_task(s) for s in timed if s.variant == baseline}
    series: dict[tuple[str, int], list[Grain]] = defaultdict(list)
    for summary in timed:
        own = None if is_control(summary.variant) else _grain(summary, task_s.get(_work(summary)))
        if own is not None and summary.variant != baseline:
            series[summary.variant, summary.cell.threads].append(own)
    return [_result(*key, sorted(grains)) for key, grains in series.items()]


def shortest_efficient(grains: Sequence[Grain]) -> tuple[float | None, bool]:
    """The task length from which efficiency stays above 50 %, and whether it is only a bound.

    Between two tried lengths, efficiency is taken as linear in the logarithm of the length.
    """
    above: Grain | None = None
    for grain in sorted(grains, reverse=True):
        if grain.efficiency < EFFICIENCY_MIN:
            return (None if above is None else _crossing(grain, above)), False
        above = grain
    return (None if above is None else above.task_s), True


def _crossing(below: Grain, above: Grain) -> float:
    share = (EFFICIENCY_MIN - below.efficiency) / (above.efficiency - below.efficiency)
    return below.task_s * math.exp(share * math.log(above.task_s / below.task_s))


def _seconds_per_task(summary: CellSummary) -> float | None:
    """A region has as many tasks as threads: the sequential program's own number counts."""
    return summary.time_s / summary.tasks if summary.time_s and summary.tasks else None


def _grain(summary: CellSummary, task_s: float | None) -> Grain | None:
    core_s = summary.core_s_per_task
    return None if task_s is None or core_s is None else Grain(task_s, task_s / core_s)


def _result(variant: str, threads: int, grains: Sequence[Grain]) -> Metg:
    task_s, is_bound = shortest_efficient(grains)
    return Metg(variant, threads, task_s, is_bound, tuple(grains))


def _work(summary: CellSummary) -> tuple[str, int]:
    return summary.cell.label, summary.cell.size

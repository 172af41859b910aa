# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The speed of each runtime of the suite Inncabs over cores: its best setting, its scaling, and the
use of its cores' time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.storage.variants import is_control

SUITE = "inncabs"
BASELINE_BACKEND = "seq"
# The runtimes whose tasks are counted, the most similar to HPX's futures first.
COUNTED = ("weft_future", "weft_task_group")
ALLOCATOR_NAMES: Mapping[str, str] = {"default": "system"}


@dataclass(frozen=True, order=True)
class Setting:
    """The build and start settings of a runtime."""

    toolchain: str
    allocator: str
    placement: str
    smt: str

    def __str__(self) -> str:
        held = "held to cores" if self.placement == "cores" else "not held to cores"
        allocator = ALLOCATOR_NAMES.get(self.allocator, self.allocator)
        siblings = "" if self.smt == "on" else ", one hardware thread of each core"
        return f"{self.toolchain}, {allocator} allocator, {held}{siblings}"


@dataclass(frozen=True)
class Curve:
    """One runtime on one benchmark, at one setting.

    `benchmark`: with its parameters, if it has any: each variant has its own curve. `points`: the
    timed cells, by thread count, ascending; `gaps`: requested cells without a time.
    """

    benchmark: str
    size: int
    backend: str
    setting: Setting
    points: tuple[CellSummary, ...] = ()
    gaps: tuple[CellSummary, ...] = ()

    @property
    def problem(self) -> str:
        """The benchmark that a variant is one of."""
        return self.benchmark.partition(" ")[0]

    @property
    def is_variant(self) -> bool:
        return self.benchmark != self.problem

    def at(self, threads: int) -> CellSummary | None:
        return next((s for s in self.points if s.cell.threads == threads), None)

    @property
    def best_s(self) -> float | None:
        return min((time_of(s) for s in self.points), default=None)


@dataclass(frozen=True)
class Reach:
    """The number of cores up to which a runtime becomes faster.

    `cores` is None if that is unknown, or if it ran nowhere, and `remark` says which. `most`: the
    most cores it was timed with.
    """

    cores: int | None
    most: int = 0
    remark: str = ""

    @property
    def is_whole_machine(self) -> bool:
        return self.cores is not None and self.cores == self.most > 1

    def __str__(self) -> str:
        if self.cores is None:
            return self.remark
        remark = f" ({self.remark})" if self.remark else ""
        if self.cores == 1:
            return f"no scaling{remark}"
        return f"to {self.cores} of {self.most}{remark}"


@dataclass(frozen=True)
class CoreTime:
    """The use of all cores' time in one call, from the runtime's own counters.

    `searching_s` and `parked_s`, without a task to run, are parts of the scheduling time; `cpu_s`
    is the process's CPU time. None is unknown. Units: seconds summed over the workers; `call_s` is
    elapsed time.
    """

    threads: int
    call_s: float
    tasks: float
    task_s: float
    task_hpx_s: float | None
    scheduling_s: float
    searching_s: float | None = None
    parked_s: float | None = None
    cpu_s: float | None = None

    @property
    def task_mean_s(self) -> float:
        return self.task_s / self.tasks

    @property
    def task_hpx_mean_s(self) -> float | None:
        return None if self.task_hpx_s is None else self.task_hpx_s / self.tasks

    @property
    def scheduling_mean_s(self) -> float:
        return self.scheduling_s / self.tasks

    @property
    def idle_s(self) -> float | None:
        """Searching for tasks and sleeping."""
        if self.searching_s is None or self.parked_s is None:
            return None
        return self.searching_s + self.parked_s

    @property
    def bookkeeping_s(self) -> float:
        """Scheduling that is not waiting for something to do."""
        return self.scheduling_s - (self.idle_s or 0.0)

    @property
    def awake_s(self) -> float:
        """The time of all workers that did not sleep."""
        return self.threads * self.call_s - (self.parked_s or 0.0)

    @property
    def on_cpu(self) -> float:
        """The fraction of `awake_s` in which workers had a CPU; 1 if unknown."""
        if self.cpu_s is None or self.parked_s is None or self.awake_s <= 0.0:
            return 1.0
        return min(1.0, self.cpu_s / self.awake_s)


def time_of(summary: CellSummary) -> float:
    """The time of a summary that is known to have one."""
    assert summary.time_s is not None
    return summary.time_s


def curves(summaries: Iterable[CellSummary]) -> list[Curve]:
    """The best setting of each benchmark, at its largest input, and runtime: the one timed with the
    most thread counts, and of those the fastest.
    """
    groups: dict[tuple[str, str], list[Curve]] = defaultdict(list)
    for curve in every_curve(summaries):
        groups[curve.benchmark, curve.backend].append(curve)
    return [min(members, key=_rank) for members in groups.values()]


def every_curve(summaries: Iterable[CellSummary]) -> list[Curve]:
    """One per benchmark, at its largest input that anything was timed with, runtime and setting."""
    taken = [s for s in summaries if _takes_part(s)]
    sizes = _largest_sizes(taken)
    groups: dict[tuple[str, str, Setting], list[CellSummary]] = defaultdict(list)
    for s in taken:
        cell = s.cell
        if cell.size == sizes[cell.label]:
            setting = Setting(s.toolchain, cell.allocator, cell.placement, cell.smt)
            groups[cell.label, s.backend, setting].append(s)
    return [_curve(*key, sizes[key[0]], members) for key, members in groups.items()]


def reach(curve: Curve, threshold: float) -> Reach:
    """The last thread count that beats all smaller ones by more than `threshold`."""
    if not curve.points:
        return Reach(None, 0, f"fail: {failure(curve.gaps)}")
    counts = [s.cell.threads for s in curve.points]
    beyond = [s for s in curve.gaps if s.cell.threads > counts[-1]]
    remark = f"fails at {beyond[0].cell.threads}: {failure(beyond)}" if beyond else ""
    if len(counts) == 1 and not beyond:
        cores = f"{counts[0]} core{'' if counts[0] == 1 else 's'}"
        return Reach(None, counts[0], f"not known: timed with {cores} only")
    best_s, last = time_of(curve.points[0]), counts[0]
    for s in curve.points[1:]:
        if time_of(s) < best_s / (1.0 + threshold):
            last = s.cell.threads
        best_s = min(best_s, time_of(s))
    return Reach(last, counts[-1], remark)


def failure(gaps: Sequence[CellSummary]) -> str:
    """The message of the first gap."""
    told = (s.message or s.status for s in gaps)
    return next(told, "nothing was measured")


def core_time(summary: CellSummary) -> CoreTime | None:
    """None when the runtime has no such counters, or the record is older than they are."""
    tasks, task_s = _value(summary, "tasks"), _value(summary, "task_time")
    scheduling_s = _value(summary, "scheduling_time")
    if not tasks or task_s is None or scheduling_s is None or summary.time_s is None:
        return None
    return CoreTime(
        summary.cell.threads,
        summary.time_s,
        tasks,
        task_s,
        _value(summary, "task_time_hpx"),
        scheduling_s,
        _value(summary, "searching_time"),
        _value(summary, "parked_time"),
        _value(summary, "cpu_time"),
    )


def _value(summary: CellSummary, name: str) -> float | None:
    counter = summary.counters.get(name)
    return None if counter is None else counter.value


def _takes_part(s: CellSummary) -> bool:
    is_asked_for = s.code not in ("not_offered", "no_smt", "too_few_cores", "budget")
    is_of_suite = s.cell.suite == SUITE and not is_control(s.variant)
    return is_of_suite and is_asked_for and not s.is_oversubscribed


def _largest_sizes(summaries: Iterable[CellSummary]) -> Mapping[str, int]:
    """Failed cells count only if nothing was timed."""
    sizes: dict[str, tuple[bool, int]] = {}
    for s in summaries:
        key = (s.status == "ok", s.cell.size)
        sizes[s.cell.label] = max(key, sizes.get(s.cell.label, key))
    return {label: size for label, (_, size) in sizes.items()}


def _curve(
    benchmark: str, backend: str, setting: Setting, size: int, members: Sequence[CellSummary]
) -> Curve:
    ordered = sorted(members, key=lambda s: s.cell.threads)
    is_timed = [s.status == "ok" and s.time_s is not None for s in ordered]
    points = tuple(s for s, timed in zip(ordered, is_timed, strict=True) if timed)
    gaps = tuple(s for s, timed in zip(ordered, is_timed, strict=True) if not timed)
    return Curve(benchmark, size, backend, setting, points, gaps)


def _rank(curve: Curve) -> tuple[int, float, Setting]:
    best_s = curve.best_s
    return -len(curve.points), float("inf") if best_s is None else best_s, curve.setting

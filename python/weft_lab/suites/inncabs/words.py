# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a runtime of the suite Inncabs stops to get faster, and why, in words from its counters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from weft_lab.pages import formats
from weft_lab.pages.words import Words
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.storage.checkout import backend_infos
from weft_lab.suites.inncabs.axes import AXES
from weft_lab.suites.inncabs.curves import (
    BASELINE_BACKEND,
    COUNTED,
    CoreTime,
    Curve,
    Reach,
    core_time,
    curves,
    reach,
    time_of,
)


def input_class(size: int | None) -> str:
    """The class of inputs that a size stands for."""
    return formats.UNKNOWN if size is None else AXES.size_names.get(size, str(size))


WORDS = Words(
    "benchmark",
    "input",
    "class of the input",
    "{} input",
    "plain calls",
    input_class,
    question="Where does each runtime stop scaling?",
)
EFFICIENCY_GOOD = 0.9
SHARE_WORTH_SAYING = 0.05
SHORTEST_S = 1e-10
WAITING, TASKS, IDLE, BOOKKEEPING = "waiting", "tasks", "idle", "bookkeeping"
NO_COUNTERS = "why is not known: {name} has no counters of its tasks in this run"


def display(backend: str) -> str:
    """The runtime as tables name it."""
    info = backend_infos("inncabs").get(backend)
    return info.display if info else backend


def answer(summaries: Iterable[CellSummary], threshold: float) -> tuple[str, ...]:
    """On how many benchmarks each runtime scales to all cores, in part, or fails."""
    groups: dict[str, list[Reach]] = defaultdict(list)
    for curve in curves(summaries):
        if curve.backend != BASELINE_BACKEND and not curve.is_variant:
            groups[display(curve.backend)].append(reach(curve, threshold))
    most = max((found.most for group in groups.values() for found in group), default=0)
    if most < 2:
        return ()
    ranked = sorted(groups.items(), key=lambda row: (-_num_whole(row[1]), row[0]))
    texts = [f"{name} on {_num_whole(group)} of {len(group)}" for name, group in ranked]
    failing = [
        f"{name} on {number}"
        for name, group in ranked
        if (number := sum(found.cores is None or bool(found.remark) for found in group))
    ]
    failed = f"Failed, or was not timed: {', '.join(failing)}."
    return (
        f"Runtimes that still get faster with all {most} cores: {', '.join(texts)} benchmarks.",
        *((failed,) if failing else ()),
    )


def _num_whole(group: Iterable[Reach]) -> int:
    return sum(found.is_whole_machine for found in group)


def by_benchmark(summaries: Iterable[CellSummary], threshold: float) -> dict[str, list[str]]:
    """For each benchmark how long its tasks are, then where each runtime stops and why."""
    groups: dict[str, list[Curve]] = defaultdict(list)
    for curve in sorted(curves(summaries), key=lambda c: (c.benchmark, c.backend not in COUNTED)):
        groups[curve.benchmark].append(curve)
    return {
        benchmark: [
            _capitalised(f"{duration_text(found)}."),
            *scaled_inputs(found),
            *(sentence(c, threshold) for c in found if c.backend != BASELINE_BACKEND),
        ]
        for benchmark, found in groups.items()
    }


def scaled_inputs(found: Iterable[Curve]) -> list[str]:
    """The parts of the study's input that were made smaller, from the records."""
    texts = {s.scaled for curve in found for s in curve.points if s.scaled}
    return [f"The input is smaller than the study's: {text}." for text in sorted(texts)]


def duration_text(found: Sequence[Curve]) -> str:
    """The task duration by the first runtime that knows it; else why none does."""
    counted = [curve for name in COUNTED for curve in found if curve.backend == name]
    if not counted:
        return "the task duration is not known: no runtime with counters was measured"
    knowing = (c for c in counted if (one := c.at(1)) is not None and core_time(one) is not None)
    chosen = next(knowing, counted[0])
    return f"by {display(chosen.backend)}, {task_duration_text(chosen)}"


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def sentence(curve: Curve, threshold: float) -> str:
    """`ONETBB scales to 2 of 2 cores, 1.93 × as fast as one; ...`"""
    found = reach(curve, threshold)
    name = display(curve.backend)
    if found.cores is None:
        what = "how far it scales is " if found.most else ""
        return f"{name}: {what}{found.remark}."
    return f"{name} {_how_far(curve, found)}; {_why(curve, found)}."


def task_duration_text(curve: Curve) -> str:
    """The task duration at one core in both definitions, or why it is not known."""
    one = curve.at(1)
    spent = None if one is None else core_time(one)
    if spent is None:
        why = "it was not timed with 1 core" if one is None else why_unknown((one,))
        return f"the task duration is not known: {why}"
    as_hpx = formats.seconds(spent.task_hpx_mean_s)
    return (
        f"a task lasts {formats.seconds(spent.task_mean_s)} at one core (as HPX counts: {as_hpx}), "
        f"its scheduling {_short(spent.scheduling_mean_s)}"
    )


def why_unknown(points: Iterable[CellSummary]) -> str:
    """The reason that the counters give for having no value."""
    counters = (s.counters.get("task_time") for s in points)
    reasons = sorted({c.reason for c in counters if c is not None and c.reason})
    return "; ".join(reasons) or "the records hold no counters of tasks"


def _how_far(curve: Curve, found: Reach) -> str:
    first = curve.points[0]
    if found.cores == first.cell.threads:
        last = curve.points[-1]
        change = formats.ratio(time_of(first) / time_of(last))
        text = f"does not get faster with more than {cores_text(first.cell.threads)}"
        text += f" ({change} with {last.cell.threads})" if last is not first else ""
    else:
        best = curve.at(found.cores or 1)
        assert best is not None
        gain = formats.ratio(time_of(first) / time_of(best))
        text = f"scales to {found.cores} of {cores_text(found.most)}, {gain} as fast as with "
        text += str(first.cell.threads)
    return text + (f", and {found.remark}" if found.remark else "")


def cores_text(count: int) -> str:
    """`1 core`, `2 cores`."""
    return f"{count} core{'' if count == 1 else 's'}"


def _why(curve: Curve, found: Reach) -> str:
    """The use of the additional core time beyond that of the first point."""
    first, last = curve.points[0], _stops_at(curve, found)
    if last is first:
        return "nothing was timed beyond"
    efficiency = _efficiency(first, last)
    if found.is_whole_machine and efficiency >= EFFICIENCY_GOOD:
        return f"nothing holds it back ({formats.percent(efficiency, 0)} of ideal)"
    before, after = core_time(first), core_time(last)
    if before is None or after is None:
        return NO_COUNTERS.format(name=display(curve.backend))
    return f"with {after.threads}, {_losses(before, after)}"


def _stops_at(curve: Curve, found: Reach) -> CellSummary:
    """The first thread count that no longer helped; the last where all did."""
    beyond = [s for s in curve.points if s.cell.threads > (found.cores or 0)]
    return beyond[0] if beyond else curve.points[-1]


def _efficiency(first: CellSummary, last: CellSummary) -> float:
    return time_of(first) * first.cell.threads / (time_of(last) * last.cell.threads)


def _losses(before: CoreTime, after: CoreTime) -> str:
    """The growth of each part of the core time, the largest first."""
    whole_s = after.call_s * after.threads
    grown_s = {name: part_s - _parts(before)[name] for name, part_s in _parts(after).items()}
    reasons = {
        WAITING: "other programs: its workers waited for a CPU",
        TASKS: f"memory, caches or locks: {_tasks_grew(before, after)}",
        IDLE: "too few tasks: searching and sleeping",
        BOOKKEEPING: f"too fine tasks: scheduling ({_per_task(after)})",
    }
    told = [
        f"{formats.percent(part_s / whole_s, 0)} of the core time is lost to {reasons[name]}"
        for name, part_s in sorted(grown_s.items(), key=lambda item: -item[1])
        if part_s > SHARE_WORTH_SAYING * whole_s
    ]
    if told:
        return "; ".join(told)
    return (
        f"no part of the core time grew by more than {formats.percent(SHARE_WORTH_SAYING, 0)} "
        f"({_per_task(after)})"
    )


def _parts(spent: CoreTime) -> dict[str, float]:
    """The core time of a call by its use; time not known to be idle counts as bookkeeping."""
    on_cpu, slept_s = spent.on_cpu, spent.parked_s or 0.0
    return {
        WAITING: (1.0 - on_cpu) * spent.awake_s,
        TASKS: on_cpu * spent.task_s,
        IDLE: 0.0 if spent.idle_s is None else on_cpu * (spent.searching_s or 0.0) + slept_s,
        BOOKKEEPING: on_cpu * spent.bookkeeping_s,
    }


def _tasks_grew(before: CoreTime, after: CoreTime) -> str:
    old = formats.seconds(before.on_cpu * before.task_mean_s)
    new = formats.seconds(after.on_cpu * after.task_mean_s)
    return f"tasks themselves last {new} instead of {old}"


def _per_task(spent: CoreTime) -> str:
    scheduling = _short(spent.bookkeeping_s / spent.tasks)
    return f"{scheduling} per task of {formats.seconds(spent.task_mean_s)}"


def _short(value_s: float) -> str:
    """Durations below the resolution of any clock here are not numbers."""
    return "less than 0.1 ns" if value_s < SHORTEST_S else formats.seconds(value_s)

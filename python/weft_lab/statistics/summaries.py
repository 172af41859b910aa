# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts records to one `CellSummary` per cell and variant: medians over launches, their
interval, and other results."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

from weft_lab.statistics import estimates
from weft_lab.statistics.analysis_types import CellSummary, CounterValue, Status
from weft_lab.storage.cells import Cell
from weft_lab.storage.records import Parallelism, Result, Timing

# The status of a cell whose records disagree: one wrong answer makes it wrong.
STATUS_ORDER = ("wrong", "error", "ok", "crashed", "hung", "skipped")
Key = tuple[str, Cell]
PER_SAMPLE = "sample"
RUN_DELAY = "run_delay"


def summarise(records: Iterable[Mapping[str, Any]]) -> list[CellSummary]:
    """One summary per cell and variant, in the order of first appearance. Program records are
    skipped."""
    groups: dict[Key, list[Result]] = defaultdict(list)
    for record in records:
        if record.get("record") == "result" and "variant" in record:
            result = Result.of(record)
            groups[result.variant, result.cell].append(result)
    return [_summary(variant, cell, members) for (variant, cell), members in groups.items()]


def _summary(variant: str, cell: Cell, results: Sequence[Result]) -> CellSummary:
    status = min((each.status for each in results), key=_severity)
    latest = next(each for each in reversed(results) if each.status == status)
    timed = [(each.launch, each.timing) for each in results if each.timing is not None]
    is_timed = status == "ok" and bool(timed)
    failures = [each for each in results if each.status in ("crashed", "hung")]
    spoken = latest if latest.message or not failures else failures[-1]
    return CellSummary(
        cell=cell,
        backend=latest.backend,
        toolchain=latest.toolchain,
        variant=variant,
        status=cast("Status", status),
        code=latest.code,
        message=spoken.message,
        remedy=latest.remedy,
        is_oversubscribed=latest.oversubscribed,
        **(_times(timed, cell.threads) if is_timed else {}),
    )


def _severity(status: str) -> int:
    return STATUS_ORDER.index(status) if status in STATUS_ORDER else len(STATUS_ORDER)


def _times(timed: Sequence[tuple[int, Timing]], threads: int) -> dict[str, Any]:
    timings = [timing for _, timing in timed]
    last = timings[-1]
    statistic = "mean" if last.statistic == "mean" else "median"
    peaks = [t.resources.peak_rss_bytes for t in timings if t.resources.peak_rss_bytes is not None]
    return {
        **_centres(_by_launch(timed), statistic),
        "cold_call_s": _middle(timing.cold_call_s for timing in timings),
        "bytes_min": last.bytes_min,
        "elements": last.elements,
        "tasks": last.tasks,
        "scaled": last.scaled,
        "fingerprints": tuple(sorted({t.fingerprint for t in timings if t.fingerprint})),
        "nodes": _middle(timing.nodes for timing in timings),
        "peak_rss_bytes": max(peaks, default=None),
        "peak_rss_least_bytes": min(peaks, default=None),
        "statistic": statistic,
        "counters": MappingProxyType(_counters(timings)),
        "waited": _waited(timings, threads),
        **_parallelism([timing.parallelism for timing in timings]),
    }


def with_samples(summary: CellSummary, launches: tuple[tuple[float, ...], ...]) -> CellSummary:
    """The summary as if these were its samples."""
    return replace(summary, **_centres(launches, summary.statistic))


def _centres(launches: tuple[tuple[float, ...], ...], statistic: str) -> dict[str, Any]:
    centre = estimates.mean if statistic == "mean" else estimates.median
    launch_centres_s = tuple(centre(samples) for samples in launches)
    interval = _interval(launches, launch_centres_s)
    return {
        "launches": len(launches),
        "launch_medians_s": launch_centres_s,
        "samples_s": launches,
        "time_s": estimates.median(launch_centres_s),
        "time_low_s": interval[0] if interval else None,
        "time_high_s": interval[1] if interval else None,
    }


def _waited(timings: Sequence[Timing], threads: int) -> tuple[float, ...]:
    """Waiting and time both belong to the whole phase of a launch, or both to a call. A value per
    sample belongs to one thread.
    """
    shares = []
    for timing in timings:
        for counter in timing.counters:
            if counter.name == RUN_DELAY and counter.value is not None:
                phase_s = timing.phase_s or math.fsum(timing.samples_s) * (
                    timing.calls_per_sample or 1
                )
                call_s = estimates.median(timing.samples_s)
                of_s = phase_s if counter.per == "phase" else call_s
                num = 1 if counter.per == PER_SAMPLE else threads
                shares.append(counter.value / (of_s * num))
    return tuple(shares)


def _middle(values: Iterable[float | None]) -> float | None:
    """The median of the known values."""
    known = [float(value) for value in values if value is not None]
    return estimates.median(known) if known else None


def _by_launch(timed: Sequence[tuple[int, Timing]]) -> tuple[tuple[float, ...], ...]:
    launches: dict[int, list[float]] = defaultdict(list)
    for launch, timing in timed:
        launches[launch] += [float(value) for value in timing.samples_s]
    return tuple(tuple(samples) for samples in launches.values())


def _interval(
    launches: Sequence[Sequence[float]], centres_s: Sequence[float]
) -> tuple[float, float] | None:
    """By order statistics of the launches; by the bootstrap if they are too few for that."""
    return estimates.median_interval(centres_s) or estimates.bootstrap_centre(launches)


def _parallelism(measured: Sequence[Parallelism]) -> dict[str, Any]:
    """The latest known values. A pass too short for a result gives null; a pass that saw a second
    thread work has priority over others."""
    probes = [each.sequential for each in measured]
    return {
        "cpu_over_wall": _latest(each.cpu_over_wall for each in measured),
        "threads_active": _latest(each.threads_active for each in measured),
        "is_sequential": False if False in probes else _latest(probes),
    }


def _latest(values: Iterable[Any]) -> Any:  # noqa: ANN401 - of one kind
    known = [value for value in values if value is not None]
    return known[-1] if known else None


def _counters(timings: Sequence[Timing]) -> dict[str, CounterValue]:
    """The last launch's value; a counter read at every sample is the median over the launches that
    could read it."""
    found = {
        each.name: CounterValue(each.value, each.unit, each.reason, each.per)
        for each in timings[-1].counters
    }
    medians: dict[str, list[float]] = defaultdict(list)
    for timing in timings:
        for each in timing.counters:
            if each.per == PER_SAMPLE and each.value is not None:
                medians[each.name].append(float(each.value))
    for name, values in medians.items():
        if name in found:
            found[name] = replace(found[name], value=estimates.median(values), reason="")
    return found

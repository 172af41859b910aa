# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records to one `CellSummary` per cell and variant: medians over launches, their interval, what
else was learned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, cast

from weft_lab.statistics import estimates
from weft_lab.statistics.analysis_types import CellSummary, CounterValue, Status
from weft_lab.storage.cells import Cell

# What a cell is called when its records disagree: an answer that was wrong once is wrong.
STATUS_ORDER = ("wrong", "error", "ok", "crashed", "hung", "skipped")
Key = tuple[str, Cell]
PER_SAMPLE = "sample"


def summarise(records: Iterable[Mapping[str, Any]]) -> list[CellSummary]:
    """One summary per cell and variant, in the order they first appear. Program records are passed
    over.
    """
    groups: dict[Key, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        if record.get("record") == "result" and "variant" in record:
            cell = Cell.from_dict(record["cell"], str(record.get("suite", "stl")))
            groups[str(record["variant"]), cell].append(record)
    return [_summary(variant, cell, members) for (variant, cell), members in groups.items()]


def _summary(variant: str, cell: Cell, records: Sequence[Mapping[str, Any]]) -> CellSummary:
    status = min((str(record["status"]) for record in records), key=_severity)
    latest = next(record for record in reversed(records) if record["status"] == status)
    timed = [record for record in records if record["status"] == "ok" and record.get("samples_s")]
    is_timed = status == "ok" and bool(timed)
    failures = [record for record in records if record["status"] in ("crashed", "hung")]
    spoken = latest if latest.get("message") or not failures else failures[-1]
    return CellSummary(
        cell=cell,
        backend=str(latest.get("backend", "")),
        toolchain=str(latest.get("toolchain", "")),
        variant=variant,
        status=cast("Status", status),
        code=str(latest.get("code", "")),
        message=str(spoken.get("message", "")),
        remedy=str(latest.get("remedy", "")),
        is_oversubscribed=bool(latest.get("oversubscribed", False)),
        **(_times(timed) if is_timed else {}),
    )


def _severity(status: str) -> int:
    return STATUS_ORDER.index(status) if status in STATUS_ORDER else len(STATUS_ORDER)


def _times(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    launches = _by_launch(records)
    is_mean = records[-1].get("statistic") == "mean"
    centre = estimates.mean if is_mean else estimates.median
    launch_centres_s = tuple(centre(samples) for samples in launches)
    interval = _interval(launches, launch_centres_s)
    last = records[-1]
    peaks = _peaks_rss_bytes(records)
    return {
        "launches": len(launches),
        "launch_medians_s": launch_centres_s,
        "samples_s": launches,
        "time_s": estimates.median(launch_centres_s),
        "time_low_s": interval[0] if interval else None,
        "time_high_s": interval[1] if interval else None,
        "cold_call_s": _cold_call_s(records),
        "bytes_min": last.get("bytes_min"),
        "elements": last.get("elements"),
        "tasks": last.get("tasks"),
        "scaled": str(last.get("scaled", "")),
        "fingerprints": tuple(sorted({r["fingerprint"] for r in records if "fingerprint" in r})),
        "nodes": _nodes(records),
        "peak_rss_bytes": max(peaks, default=None),
        "peak_rss_least_bytes": min(peaks, default=None),
        "statistic": "mean" if is_mean else "median",
        "counters": MappingProxyType(_counters(records)),
        **_parallelism(records),
    }


def _cold_call_s(records: Iterable[Mapping[str, Any]]) -> float | None:
    times_s = [float(record["cold_call_s"]) for record in records if "cold_call_s" in record]
    return estimates.median(times_s) if times_s else None


def _nodes(records: Iterable[Mapping[str, Any]]) -> float | None:
    """The median of what the last call of each launch visited."""
    counts = [float(record["nodes"]) for record in records if record.get("nodes") is not None]
    return estimates.median(counts) if counts else None


def _peaks_rss_bytes(records: Iterable[Mapping[str, Any]]) -> list[int]:
    """Of the launches that could tell."""
    peaks = ((record.get("resources") or {}).get("peak_rss_bytes") for record in records)
    return [peak for peak in peaks if peak is not None]


def _by_launch(records: Sequence[Mapping[str, Any]]) -> tuple[tuple[float, ...], ...]:
    launches: dict[int, list[float]] = defaultdict(list)
    for record in records:
        launches[int(record.get("launch", 0))] += [float(value) for value in record["samples_s"]]
    return tuple(tuple(samples) for samples in launches.values())


def _interval(
    launches: Sequence[Sequence[float]], centres_s: Sequence[float]
) -> tuple[float, float] | None:
    """By order statistics of the launches; by the bootstrap while they are too few for that."""
    return estimates.median_interval(centres_s) or estimates.bootstrap_centre(launches)


def _parallelism(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The latest known values: a pass too short to tell says null, and one that saw a second
    thread work outweighs any that did not.
    """
    known: dict[str, Any] = {"cpu_over_wall": None, "threads_active": None, "sequential": None}
    for record in records:
        measured = record.get("parallelism") or {}
        known |= {name: measured[name] for name in known if measured.get(name) is not None}
    probes = [(record.get("parallelism") or {}).get("sequential") for record in records]
    known["sequential"] = False if False in probes else known["sequential"]
    return {
        "cpu_over_wall": known["cpu_over_wall"],
        "threads_active": known["threads_active"],
        "is_sequential": known["sequential"],
    }


def _counters(records: Sequence[Mapping[str, Any]]) -> dict[str, CounterValue]:
    """The last launch's; what was read at every sample is the median over the launches that could
    read it.
    """
    found = {
        str(row["name"]): CounterValue(
            row.get("value"),
            str(row.get("unit", "")),
            str(row.get("reason", "")),
            str(row.get("per", "call")),
        )
        for row in records[-1].get("counters") or []
    }
    medians: dict[str, list[float]] = defaultdict(list)
    for record in records:
        for row in record.get("counters") or []:
            if row.get("per") == PER_SAMPLE and row.get("value") is not None:
                medians[str(row["name"])].append(float(row["value"]))
    for name, values in medians.items():
        if name in found:
            found[name] = replace(found[name], value=estimates.median(values), reason="")
    return found

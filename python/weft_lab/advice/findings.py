# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`advice.json`, the recommendations for this machine, and `summary.json`, every cell without its
samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from weft_lab.advice.decisions import decide
from weft_lab.advice.scaling import (
    break_even,
    flag_implausible,
    threads_with_efficiency,
    without_impossible_samples,
)
from weft_lab.statistics import estimates
from weft_lab.statistics.analysis_types import (
    BreakEven,
    CellSummary,
    Decision,
    ThreadsWithEfficiency,
)
from weft_lab.statistics.idle import is_race
from weft_lab.statistics.ratios import noise_floor
from weft_lab.statistics.summaries import summarise
from weft_lab.storage.store import SCHEMA, Record, ResultFolder


@dataclass(frozen=True)
class Findings:
    """The results of the analysis of one run.

    `noise_floor` is relative; None if it could not be measured.
    """

    summaries: list[CellSummary]
    noise_floor: float | None
    threshold: float
    decisions: list[Decision]
    break_evens: list[BreakEven]
    threads_with_efficiency: list[ThreadsWithEfficiency]


def find(records: Sequence[Mapping[str, Any]], manifest: Mapping[str, Any]) -> Findings:
    """Analyses a run; the bandwidth probe is not a candidate: times are compared with it."""
    suites = [record for record in records if record.get("suite") != "machine"]
    summaries = flag_implausible(
        without_impossible_samples(
            summarise(suites), manifest.get("cache_bytes_per_s"), clock_max_hz(manifest)
        ),
        best_bandwidth_bytes_per_s(manifest),
        last_level_cache_bytes(manifest),
    )
    races = [summary for summary in summaries if is_race(summary)]
    return Findings(
        summaries,
        noise_floor(races),
        estimates.THRESHOLD_MIN,
        decide(races),
        break_even(races),
        threads_with_efficiency(races),
    )


def best_bandwidth_bytes_per_s(manifest: Mapping[str, Any]) -> float | None:
    """The highest bandwidth of the probe's kernels; None if it did not run."""
    return max((row["bytes_per_s"] for row in manifest.get("bandwidth", [])), default=None)


def clock_max_hz(manifest: Mapping[str, Any]) -> float | None:
    """The highest clock of the machine's processors; None if the kernel does not report it."""
    details = manifest["machine"].get("details") or {}
    megahertz = (details.get("cpu") or {}).get("frequency_max_mhz")
    return None if megahertz is None else 1e6 * float(megahertz)


def last_level_cache_bytes(manifest: Mapping[str, Any]) -> int:
    return int(manifest["machine"]["last_level_cache_bytes"])


def write_advice(
    folder: ResultFolder, records: Sequence[Record], manifest: Mapping[str, Any]
) -> Findings:
    """Analyses the run and writes `summary.json` and `advice.json` beside its samples."""
    findings = find(records, manifest)
    head = {"schema": SCHEMA, "run_id": manifest["run_id"], "host": manifest["machine"]["host"]}
    noise = {"noise_floor": findings.noise_floor, "threshold": findings.threshold}
    folder.write_json(
        "summary.json",
        {
            **head,
            **noise,
            "unavailable_counters": unavailable_counters(findings.summaries),
            "cells": [_row(summary) for summary in findings.summaries],
        },
    )
    folder.write_json(
        "advice.json",
        {
            **head,
            **noise,
            "cpus_usable": manifest["machine"]["cpus_usable"],
            "decisions": [asdict(decision) for decision in findings.decisions],
            "break_even": [asdict(row) for row in findings.break_evens],
            "threads_with_efficiency": [asdict(row) for row in findings.threads_with_efficiency],
        },
    )
    return findings


def unavailable_counters(summaries: Sequence[CellSummary]) -> dict[str, str]:
    """The reasons of counters that have no value in any cell, listed once and not in every cell."""
    asked = {name: value for summary in summaries for name, value in summary.counters.items()}
    had = {
        name
        for summary in summaries
        for name, counter in summary.counters.items()
        if counter.value is not None
    }
    return {name: counter.reason for name, counter in asked.items() if name not in had}


def _row(summary: CellSummary) -> dict[str, Any]:
    left_out = ("cell", "samples_s", "launch_medians_s", "counters", "waited")
    row = {name: value for name, value in vars(summary).items() if name not in left_out}
    counters = {
        name: {"value": counter.value, "unit": counter.unit}
        for name, counter in summary.counters.items()
        if counter.value is not None
    }
    cell = {**summary.cell.to_dict(), "suite": summary.cell.suite, "label": summary.cell.label}
    return {"cell": cell, **row, "counters": counters}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every launch in the JSON format of Google Benchmark, for tools that read that: `benchmark.json`.

Source:  the format that `--benchmark_format=json` prints, `json_schema_version` 1.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft_lab import __version__
from weft_lab.statistics.estimates import mean, median
from weft_lab.storage.cells import Cell
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.bench.asked import SUITE, THREADS
from weft_lab.suites.bench.results import BenchRun, Row

NAME = "benchmark.json"
SCHEMA_VERSION = 1
# That library's compare.py prints times without decimals.
TIME_UNIT, UNIT_S = "us", 1e-6
# Counters that need no explanation, in these units, beside the metrics.
COUNTERS = {
    "minor_faults": "minor_faults",
    "major_faults": "major_faults",
    "voluntary_switches": "voluntary_switches",
    "involuntary_switches": "involuntary_switches",
    "run_delay": "run_delay_s",
}
Entry = dict[str, Any]


@dataclass(frozen=True)
class _Launch:
    """The time of one launch for each of its `calls`. Units: seconds. `counters`: known ones."""

    real_s: float
    cpu_s: float
    calls: int
    counters: Mapping[str, float]

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> _Launch | None:
        """None where the record has no time, or no CPU time."""
        known = {
            str(row["name"]): float(row["value"])
            for row in record.get("counters") or ()
            if row.get("value") is not None
        }
        samples = record.get("samples_s")
        if record.get("status") != "ok" or not samples:
            return None
        real_s = median([float(sample) for sample in samples])
        ratio = (record.get("parallelism") or {}).get("cpu_over_wall")
        cpu_s = known.get("cpu_time", None if ratio is None else float(ratio) * real_s)
        if cpu_s is None:
            return None
        calls = len(samples) * int(record.get("calls_per_sample") or 1)
        counters = {name: known[key] for key, name in COUNTERS.items() if key in known}
        peak = (record.get("resources") or {}).get("peak_rss_bytes")
        if peak is not None:
            counters["peak_rss_bytes"] = float(peak)
        for metric in record.get("metrics") or ():
            counters[str(metric["name"])] = float(metric["value"])
        return cls(real_s, cpu_s, calls, counters)


def write_benchmark_json(run: BenchRun) -> Path:
    """Writes the file into the run's folder. Errors: `ResultFolderError` when it cannot."""
    folder = ResultFolder(run.folder)
    return folder.write_json(NAME, content(run, folder.read_samples().records))


def content(run: BenchRun, records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The file's content: each launch is a repetition, followed by their aggregates."""
    launches: dict[tuple[str, Cell], list[_Launch]] = defaultdict(list)
    for record in records:
        if record.get("record") == "result" and record.get("suite") == SUITE:
            launch = _Launch.of(record)
            if launch is not None:
                cell = Cell.from_dict(record["cell"], SUITE)
                launches[str(record["variant"]), cell].append(launch)
    texts = {cell: values for cell, values in run.asked.cells()}
    families: dict[str, int] = {}
    found: list[Entry] = []
    failed: list[str] = []
    for row in run.rows:
        family = families.setdefault(row.name, len(families))
        head = _head(row, texts.get(row.cell, {}), family)
        own = launches[row.summary.variant, row.cell]
        if own and row.is_timed:
            found += _entries(head, own)
        else:
            failed.append(f"{head['name']}: {row.message or 'no time, or no CPU time'}")
    # Readers of the format expect a number in every benchmark; a missing one would have to be zero.
    without = {"not_measured": "; ".join(failed)} if failed else {}
    return {"context": {**_context(run), **without}, "benchmarks": found}


def _head(row: Row, texts: Mapping[str, str], family: int) -> Entry:
    """The name as that library writes it: `program/n:4096/threads:2`."""
    parts = [f"{key}:{text}" for key, text in texts.items()]
    name = "/".join([row.name, *parts])
    threads = row.cell.threads if THREADS in texts else 1
    return {"name": name, "family_index": family, "run_name": name, "threads": threads}


def _entries(head: Entry, launches: Sequence[_Launch]) -> list[Entry]:
    num = len(launches)
    each = [
        {
            **launch.counters,  # first, so that a metric called "name" hides no field
            **head,
            "run_type": "iteration",
            "repetitions": num,
            "repetition_index": number,
            **_times(launch.calls, launch.real_s / UNIT_S, launch.cpu_s / UNIT_S),
        }
        for number, launch in enumerate(launches)
    ]
    return [*each, *_aggregates(head, launches)]


def _aggregates(head: Entry, launches: Sequence[_Launch]) -> list[Entry]:
    num = len(launches)
    real = [each.real_s / UNIT_S for each in launches]
    cpu = [each.cpu_s / UNIT_S for each in launches]
    values = {"mean": (mean(real), mean(cpu)), "median": (median(real), median(cpu))}
    if num > 1:
        values["stddev"] = (statistics.stdev(real), statistics.stdev(cpu))
        spread = zip(values["stddev"], values["mean"], strict=True)
        first, second = (part / whole if whole else math.nan for part, whole in spread)
        if math.isfinite(second):
            values["cv"] = (first, second)
    return [
        {
            **head,
            "name": f"{head['name']}_{kind}",
            "run_type": "aggregate",
            "repetitions": num,
            "aggregate_name": kind,
            "aggregate_unit": "percentage" if kind == "cv" else "time",
            **_times(num, *pair),
        }
        for kind, pair in values.items()
    ]


def _times(iterations: int, real: float, cpu: float) -> Entry:
    return {
        "iterations": iterations,
        "real_time": real,
        "cpu_time": cpu,
        "time_unit": TIME_UNIT,
    }


def _context(run: BenchRun) -> Entry:
    manifest = run.view.manifest
    machine = manifest.get("machine") or {}
    started_s = float(manifest["started_unix_s"])
    load = machine.get("load_average_1min")
    return {
        "date": time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(started_s)),
        "host_name": str(machine.get("host") or ""),
        "executable": "weft bench",
        "num_cpus": int(machine.get("cpus_usable") or 1),
        **({"load_avg": [float(load)]} if load is not None else {}),
        "library_version": f"weft {__version__}",
        "json_schema_version": SCHEMA_VERSION,
    }

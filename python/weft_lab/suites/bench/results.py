# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a run of the user's programs again: every cell with its launches' resources and output."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from weft_lab.advice import runs
from weft_lab.pages.load import silent, view_of
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.estimates import bootstrap_centre, median, median_interval
from weft_lab.storage.cells import Cell
from weft_lab.storage.folder_files import understood
from weft_lab.suites.bench.asked import SUITE, Asked, case_text
from weft_lab.suites.protocol import Warn

# The fields of a kernel's record that define a rate, by the metric's name; per nanosecond.
BYTES_RATE, OPERATIONS_RATE = "memory rate", "operation rate"
RATES = {BYTES_RATE: "bytes_min", OPERATIONS_RATE: "operations"}
# Bench programs tell the same by other names.
COUNTERS = {
    "page_faults_minor": "minor_faults",
    "page_faults_major": "major_faults",
    "context_switches_voluntary": "voluntary_switches",
    "context_switches_involuntary": "involuntary_switches",
}
NOT_OFFERED = "not_offered"
FAILED = ("wrong", "crashed", "hung", "error")


@dataclass(frozen=True)
class Estimate:
    """A median over launches with its interval; `low` and `high` are None for a single launch."""

    value: float
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Sequence[float]) -> Estimate | None:
        """None of nothing."""
        if not values:
            return None
        middle = median(values)
        found = median_interval(values)
        if found is None and min(values) > 0.0:
            found = bootstrap_centre([[value] for value in values])
        return cls(middle, *(found or (None, None)))


@dataclass(frozen=True)
class Row:
    """One contestant at one combination of values.

    `used`: medians of counters by name. `num_failed`: launches without a time; `message`: the
    message of the last of them.
    """

    name: str
    summary: CellSummary
    used: Mapping[str, float]
    metrics: Mapping[str, Estimate]
    num_failed: int
    message: str

    @property
    def cell(self) -> Cell:
        return self.summary.cell

    @property
    def case(self) -> str:
        return case_text(self.cell)

    @property
    def is_timed(self) -> bool:
        return self.summary.status == "ok" and self.summary.time_s is not None

    @property
    def skipped(self) -> str:
        """Why it was not launched; empty if it was."""
        told = self.summary.message if self.summary.status == "skipped" else ""
        return told.removeprefix(f"{self.summary.backend} ")

    @property
    def is_lacking(self) -> bool:
        """Whether the backend lacks what the kernel calls here, which is no failure."""
        return self.summary.status == "skipped" and self.summary.code == NOT_OFFERED

    @property
    def time_s(self) -> float:
        assert self.summary.time_s is not None
        return self.summary.time_s


@dataclass(frozen=True)
class BenchRun:
    """`floor`: the time of a program that does nothing, launched in the same run in the same way.
    `at_most_bytes`: the peak that every launched program begins with.
    """

    view: RunView
    asked: Asked
    rows: tuple[Row, ...]
    floor: Estimate | None
    at_most_bytes: int | None

    @property
    def folder(self) -> Path:
        return self.view.folder

    @cached_property
    def timed(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.is_timed)

    @property
    def unit(self) -> str:
        """The timed unit: a launch of a command, or a call of a kernel."""
        return "call" if self.asked.kernel else "launch"

    @cached_property
    def is_time_the_same(self) -> bool:
        """Whether all launches take the same time although a metric differs, as for a program that
        runs for a fixed time. Then only the metrics show which contestant is best."""
        times_s = [row.time_s for row in self.timed]
        if not times_s or max(times_s) > (1.0 + self.view.threshold) * min(times_s):
            return False
        return any(self._differs(metric.name) for metric in self.asked.metrics)

    def _differs(self, metric: str) -> bool:
        found = [row.metrics[metric] for row in self.timed if metric in row.metrics]
        lows = [each.low for each in found if each.low is not None]
        highs = [each.high for each in found if each.high is not None]
        return bool(lows and highs) and max(lows) > min(highs)

    @property
    def has_threads(self) -> bool:
        return bool(self.asked.threads)

    @property
    def has_cases(self) -> bool:
        return any(row.case for row in self.rows)

    @property
    def is_race(self) -> bool:
        return len(self.asked.contestants) > 1


def read(path: Path, warn: Warn = silent) -> BenchRun:
    """Reads a run. Errors: `ResultFolderError`."""
    run = runs.load(path, warn)
    view, samples = view_of(run), run.samples
    with understood(path):
        asked = Asked.from_dict(run.manifest[SUITE])
        records: dict[tuple[str, Cell], list[Mapping[str, Any]]] = defaultdict(list)
        for record in samples.records:
            if record.get("record") == "result" and record.get("suite") == SUITE:
                cell = Cell.from_dict(record["cell"], SUITE)
                records[str(record["variant"]), cell].append(record)
        known = {contestant.variant: contestant.name for contestant in asked.contestants}
        rows = [
            _row(known[s.variant], s, records[s.variant, s.cell])
            for s in view.summaries
            if s.variant in known
        ]
        order = {contestant.name: n for n, contestant in enumerate(asked.contestants)}
        rows.sort(key=lambda r: (r.cell.problem, r.cell.params, r.cell.size, order[r.name], r.cell))
        every = [record for members in records.values() for record in members]
        decisions = (replace(d, backend=known.get(d.variant, d.backend)) for d in view.decisions)
        view = replace(view, decisions=tuple(decisions))
        return BenchRun(view, asked, tuple(rows), _floor(every), _at_most(every))


def _row(name: str, summary: CellSummary, records: Sequence[Mapping[str, Any]]) -> Row:
    timed = [record for record in records if record["status"] == "ok"]
    failed = [record for record in records if record["status"] in FAILED]
    used = {
        COUNTERS.get(name, name): value.value
        for name, value in summary.counters.items()
        if value.value is not None
    }
    metrics: dict[str, list[float]] = defaultdict(list)
    for record in timed:
        for metric in record.get("metrics") or ():
            metrics[str(metric["name"])].append(float(metric["value"]))
        for rate, key in RATES.items():
            if record.get(key):
                metrics[rate].append(1e-9 * float(record[key]) / float(record["statistic_s"]))
    found = {key: Estimate.of(values) for key, values in metrics.items()}
    return Row(
        name,
        summary,
        used,
        {key: estimate for key, estimate in found.items() if estimate is not None},
        len(failed),
        str(failed[-1].get("message", "")) if failed else "",
    )


def _floor(records: Sequence[Mapping[str, Any]]) -> Estimate | None:
    """Each agent measured it once, and says so in each of its records."""
    measured = {tuple(map(float, record.get("floor_s") or ())) for record in records}
    return Estimate.of([time_s for times in sorted(measured) for time_s in times])


def _at_most(records: Sequence[Mapping[str, Any]]) -> int | None:
    unknown = [
        int(record["peak_rss_at_most_bytes"])
        for record in records
        if record.get("peak_rss_at_most_bytes")
        and (record.get("resources") or {}).get("peak_rss_bytes") is None
    ]
    return max(unknown, default=None)

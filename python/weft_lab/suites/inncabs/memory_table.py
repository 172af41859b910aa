# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peak memory of each benchmark of the suite Inncabs by runtime, beside that of the serial
version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from weft_lab.pages import formats, theme
from weft_lab.pages.table import Column, Table, Value, columns
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.suites.inncabs.curves import BASELINE_BACKEND, Curve, every_curve
from weft_lab.suites.inncabs.words import display

LIMIT_FACTOR = 1.2
LIMIT_EXTRA_BYTES = 64_000_000
NAME = "peak_memory"
UNKNOWN = "the records hold no peak memory"
MARK = "✗"


def memory_table(view: RunView) -> Table:
    """One row per benchmark; a runtime's value is of the count of cores at which it needs most."""
    found = every_curve(view.summaries)
    backends = theme.order([c.backend for c in found if c.points and c.backend != BASELINE_BACKEND])
    by_benchmark: dict[str, list[Curve]] = defaultdict(list)
    for curve in found:
        by_benchmark[curve.benchmark].append(curve)
    rows = [_row(name, by_benchmark[name], backends) for name in sorted(by_benchmark)]
    is_known = any(value is not None for row in rows for value in row[1:-1])
    return Table(
        name=NAME,
        title="Peak memory beside the serial version",
        columns=(
            *columns(
                ("benchmark", "benchmark"),
                ("serial", "serial_bytes", formats.mebibytes),
                ("limit", "limit_bytes", formats.mebibytes),
            ),
            *(Column(display(b), f"{b}_bytes", formats.mebibytes) for b in backends),
            *columns(("above the limit", "above_limit")),
        ),
        rows=tuple(rows),
        note=_note() if is_known else f"Not known: {UNKNOWN}.",
    )


def _note() -> str:
    return (
        f"The limit is {LIMIT_FACTOR:g} × serial + {LIMIT_EXTRA_BYTES // 1_000_000} MB. Peaks are "
        "of the whole process while a benchmark is set up, checked and timed, from the launch with "
        "the lowest. A process keeps memory that earlier benchmarks left to the allocator, so with "
        "few launches a peak may be another benchmark's. To measure one "
        "by itself: ./weft run --suite inncabs --only NAME"
    )


def limit_bytes(serial_bytes: int) -> int:
    """The allowed memory of a runtime on a benchmark that takes `serial_bytes` without one."""
    return round(LIMIT_FACTOR * serial_bytes) + LIMIT_EXTRA_BYTES


def _row(name: str, curves: Sequence[Curve], backends: Sequence[str]) -> tuple[Value, ...]:
    points: dict[str, list[CellSummary]] = defaultdict(list)
    for curve in curves:
        points[curve.backend] += curve.points
    serial = _least(points[BASELINE_BACKEND])
    limit = None if serial is None else limit_bytes(serial)
    peaks = {backend: _most(points[backend]) for backend in backends}
    return (name, serial, limit, *peaks.values(), _above(peaks, limit))


def _above(peaks: dict[str, int | None], limit: int | None) -> str:
    if limit is None:
        return "not known"
    above = [b for b, peak in peaks.items() if peak is not None and peak > limit]
    if above:
        return f"{MARK} {', '.join(map(display, above))}"
    return "none" if any(peak is not None for peak in peaks.values()) else "not known"


def _least(points: Iterable[CellSummary]) -> int | None:
    peaks = (s.peak_rss_least_bytes for s in points)
    return min((peak for peak in peaks if peak is not None), default=None)


def _most(points: Iterable[CellSummary]) -> int | None:
    """Of the settings with a count of cores the lowest, of the counts the highest."""
    by_threads: dict[int, list[CellSummary]] = defaultdict(list)
    for s in points:
        by_threads[s.cell.threads].append(s)
    peaks = (_least(members) for members in by_threads.values())
    return max((peak for peak in peaks if peak is not None), default=None)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads Google Benchmark's JSON: one curve per benchmark whose names end in a size, `name/1024`.

Repetitions of one size are treated like launches: their median is the point. Aggregates (mean,
stddev) are skipped, as they are derived from the same numbers.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from weft_lab.statistics.estimates import median
from weft_lab.suites.mpi.importers.curve import Curve, Point, not_that_format, truncated

UNITS_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def read_gbench(text: str, source: str) -> list[Curve]:
    """The benchmarks of the file. Errors: `NotThatFormatError`, `TruncatedError`."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise truncated(source, "its JSON", str(error)) from None
    rows = document.get("benchmarks") if isinstance(document, dict) else None
    if not isinstance(rows, list):
        raise not_that_format(source, "Google Benchmark", "list 'benchmarks'")
    times: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row.get("run_type") != "aggregate" and not row.get("error_occurred"):
            name, size = _name_and_size(str(row.get("name", "")))
            if size is not None:
                times[name][size].append(_seconds(row, source))
    if not times:
        raise not_that_format(source, "Google Benchmark", "benchmark named NAME/SIZE")
    return [
        Curve(
            name,
            None,
            tuple(Point(n, median(found), len(found)) for n, found in sorted(sizes.items())),
        )
        for name, sizes in times.items()
    ]


def _seconds(row: dict[str, Any], source: str) -> float:
    unit = UNITS_S.get(str(row.get("time_unit", "ns")))
    value = row.get("real_time")
    if unit is None or not isinstance(value, int | float) or value <= 0:
        raise truncated(source, str(row.get("name")), "it has no real_time with a known unit")
    return unit * float(value)


def _name_and_size(name: str) -> tuple[str, int | None]:
    """`BM_copy` and 1024 of `BM_copy/1024/real_time`."""
    parts = name.split("/")
    for index in range(len(parts) - 1, 0, -1):
        if parts[index].isdecimal():
            return "/".join(parts[:index]), int(parts[index])
    return name, None

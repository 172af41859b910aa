# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the text of the OSU micro-benchmarks: latency and bandwidth tables.

Units of the file: latency in us of one direction; bandwidth in MB/s, MB of 10^6 bytes, of windows
of messages. So size / bandwidth is the time per message in a stream, not a latency.
"""

from __future__ import annotations

import re

from weft_lab.suites.mpi.importers.curve import Curve, Point, not_that_format, truncated

TITLE = re.compile(r"^# OSU (.+?)(?: v[\d.]+)?\s*$")
HEADING = re.compile(r"^#\s*Size\s+(.*)$")
MEGABYTE = 1e6


def read_osu(text: str, source: str) -> list[Curve]:
    """The tables of the file. Errors: `NotThatFormatError`, `TruncatedError`."""
    curves: list[Curve] = []
    benchmark, heading, points = "", "", list[Point]()
    for line in text.splitlines():
        if title := TITLE.match(line):
            curves += _finished(benchmark, heading, points)
            benchmark, heading, points = title[1], "", []
        elif found := HEADING.match(line):
            heading = found[1].strip()
        elif heading and line.strip() and not line.startswith("#"):
            points.append(_point(line, heading, source, benchmark))
    if not benchmark:
        raise not_that_format(source, "the OSU micro-benchmarks", "line '# OSU ...'")
    if not points:
        raise truncated(source, benchmark, "there is no row after its heading")
    if text[-1:] != "\n":
        raise truncated(source, benchmark, "its last line has no end")
    return curves + _finished(benchmark, heading, points)


def _point(line: str, heading: str, source: str, benchmark: str) -> Point:
    try:
        size, value = int(line.split(maxsplit=1)[0]), float(line.split()[1])
        if value <= 0.0:
            raise ValueError
    except (IndexError, ValueError):
        why = f"the row '{line.strip()}' has no size and value"
        raise truncated(source, benchmark, why) from None
    is_bandwidth = "MB/s" in heading
    return Point(size, size / (value * MEGABYTE) if is_bandwidth else 1e-6 * value)


def _finished(benchmark: str, heading: str, points: list[Point]) -> list[Curve]:
    notes = ("times are per message of a stream",) if "MB/s" in heading else ()
    return [Curve(benchmark, None, tuple(points), notes)] if points else []

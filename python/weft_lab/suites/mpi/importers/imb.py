# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the text of Intel MPI Benchmarks' point-to-point tables.

Units of the file: t[usec] of one direction in PingPong and PingPing (half the round trip), MB of
10^6 bytes. A size of 32 MiB and more has one repetition by default: such points are noted.
"""

from __future__ import annotations

import re

from weft_lab.suites.mpi.importers.curve import Curve, Point, not_that_format, truncated

TITLE = re.compile(r"^# Benchmarking (\S+)")
RANKS = re.compile(r"^# #processes = (\d+)")
HEADING = re.compile(r"^\s*#bytes\s+#repetitions\s+(.*)$")
END = "# All processes entering MPI_Finalize"
REPETITIONS_FEW = 10


def read_imb(text: str, source: str) -> list[Curve]:
    """Every table of the file, one curve each.

    Errors:  `NotThatFormatError`; `TruncatedError` for a file without its last line, or a row that
             lacks columns.
    """
    curves: list[Curve] = []
    benchmark, num_ranks, columns = "", None, 0
    points: list[Point] = []
    for line in text.splitlines():
        if title := TITLE.match(line):
            curves += _finished(benchmark, num_ranks, points)
            benchmark, num_ranks, columns, points = title[1], None, 0, []
        elif ranks := RANKS.match(line):
            num_ranks = int(ranks[1])
        elif heading := HEADING.match(line):
            columns = 2 + len(heading[1].split())
        elif columns and line.strip() and not line.startswith("#"):
            points.append(_point(line, columns, source, benchmark))
    curves += _finished(benchmark, num_ranks, points)
    if not benchmark and not curves:
        raise not_that_format(source, "Intel MPI Benchmarks", "line '# Benchmarking ...'")
    if END not in text:
        last = f"its last size is {points[-1].size_bytes} bytes" if points else "it has no sizes"
        raise truncated(source, benchmark, f"{last}, and the line '{END}' is missing")
    return curves


def _point(line: str, columns: int, source: str, benchmark: str) -> Point:
    fields = line.split()
    try:
        if len(fields) != columns:
            raise ValueError
        # Collectives have t_min, t_max, t_avg: the last rank is done at t_max.
        time = float(fields[2] if columns == 4 else fields[min(3, columns - 1)])
        return Point(int(fields[0]), 1e-6 * time, int(fields[1]))
    except ValueError:
        why = f"the row '{line.strip()}' does not have the {columns} columns of the heading"
        raise truncated(source, benchmark, why) from None


def _finished(benchmark: str, num_ranks: int | None, points: list[Point]) -> list[Curve]:
    if not points:
        return []
    few = [point for point in points if (point.repetitions or 0) < REPETITIONS_FEW]
    notes = (
        (
            f"sizes from {few[0].size_bytes} bytes have fewer than {REPETITIONS_FEW} repetitions, "
            "and only their mean is known",
        )
        if few
        else ()
    )
    return [Curve(benchmark, num_ranks, tuple(points), notes)]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Imported curves with every model that fits them, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft_lab.models import latency_bandwidth
from weft_lab.models.arrays import ModelError, center
from weft_lab.models.segments import segmented
from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns
from weft_lab.suites.mpi.importers.curve import Curve
from weft_lab.suites.mpi.tables import NOT_POSITIVE, bandwidth_text, bytes_text


@dataclass(frozen=True)
class Fitted:
    """The printed text of one benchmark."""

    tables: tuple[Table, ...]
    lines: tuple[str, ...]


def grouped(files: Sequence[Sequence[Curve]]) -> list[list[Curve]]:
    """The curves of the same benchmark and sizes, one of every file; benchmarks that a file lacks
    are left out."""
    first, *others = files
    groups = []
    for curve in first:
        same = [curve]
        for other in others:
            same += [each for each in other if _key(each) == _key(curve)][:1]
        if len(same) == len(files):
            groups.append(same)
    return groups


def fitted(curves: Sequence[Curve]) -> Fitted:
    """Four lines through the middle of the launches, and the regimes."""
    sizes = np.asarray(curves[0].positive()[0])
    launches = np.asarray([curve.positive()[1] for curve in curves])
    times = center(launches)
    rows: list[tuple[Value, ...]] = []
    lines = list(curves[0].notes)
    for method in latency_bandwidth.METHODS:
        try:
            line = latency_bandwidth.fit(method, sizes, times)
        except ModelError as error:
            lines.append(f"{method}: {error.what}; {error.why}")
            continue
        words = NOT_POSITIVE if line.latency_s < 0.0 else ""
        error_max = line.max_relative_error(sizes, times)
        rows.append((method, line.latency_s, line.bandwidth_bytes_per_s, error_max, words))
    tables = [
        Table(
            "fits",
            f"{curves[0].benchmark}: one line, {len(curves)} launches",
            columns(
                ("fit", "fit"),
                ("latency", "latency_s", formats.seconds),
                ("bandwidth", "bandwidth_bytes_per_s", bandwidth_text),
                ("largest error", "max_relative_error", formats.percent),
                ("", "words"),
            ),
            tuple(rows),
        )
    ]
    try:
        tables.append(_regimes(sizes.tolist(), launches.tolist()))
    except ModelError as error:
        lines.append(f"regimes: {error.what}; {error.why}")
    return Fitted(tuple(tables), tuple(lines))


def _regimes(sizes: list[float], launches: list[list[float]]) -> Table:
    model = segmented(sizes, launches)
    rows = tuple(
        (
            int(regime.first_bytes),
            int(regime.last_bytes),
            regime.latency.value,
            regime.latency.low,
            regime.latency.high,
            regime.line.bandwidth_bytes_per_s,
        )
        for regime in model.regimes
    )
    return Table(
        "regimes",
        "Regimes",
        columns(
            ("from", "first_bytes", bytes_text),
            ("to", "last_bytes", bytes_text),
            ("latency", "latency_s", formats.seconds),
            ("low", "low_s", formats.seconds),
            ("high", "high_s", formats.seconds),
            ("bandwidth", "bandwidth_bytes_per_s", bandwidth_text),
        ),
        rows,
        "Intervals need several files, one per launch.",
    )


def _key(curve: Curve) -> tuple[str, tuple[int, ...]]:
    return curve.benchmark, tuple(point.size_bytes for point in curve.points)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ratios between summaries: speed-ups, the A/A noise floor, and two runs against each other."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft_lab import statistics
from weft_lab.analysis_types import CellSummary, Ratio
from weft_lab.cells import Cell
from weft_lab.errors import UsageError
from weft_lab.plan import CONTROL_SUFFIX, is_control, program_of

if TYPE_CHECKING:
    from weft_lab.runs import Run


@dataclass(frozen=True)
class Comparison:
    """One cell of two runs. `ratio`: B's time over A's."""

    variant: str
    cell: Cell
    time_a_s: float
    time_b_s: float
    launches_a: int
    launches_b: int
    ratio: Ratio
    verdict: statistics.Verdict


@dataclass(frozen=True)
class ComparedRun:
    """One side of a comparison. `launches`: of every cell that both sides timed."""

    path: Path
    noise_floor: float | None
    launches: tuple[int, ...]

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True)
class RunComparison:
    """Two runs, cell by cell: those with a verdict first, then by size of the shift.

    `num_one_sided`: cells that only one of the runs timed.
    """

    a: ComparedRun
    b: ComparedRun
    threshold: float
    cells: tuple[Comparison, ...]
    num_one_sided: int

    def with_verdict(self, verdict: statistics.Verdict) -> list[Comparison]:
        return [row for row in self.cells if row.verdict == verdict]

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "a": str(self.a.path),
            "b": str(self.b.path),
            "threshold": self.threshold,
            "noise_floor_a": self.a.noise_floor,
            "noise_floor_b": self.b.noise_floor,
            "cells_in_one_run_only": self.num_one_sided,
            "cells": [asdict(row) for row in self.cells],
        }


def require_two(runs: Sequence[Path]) -> tuple[Path, Path]:
    """The runs to compare. Errors: `UsageError` when they are not two."""
    if len(runs) == 2:
        return runs[0], runs[1]
    first, last = runs[0], runs[-1]
    remedy = f"type ./weft compare {first} {last if len(runs) > 1 else 'latest'}"
    given = " ".join(str(run) for run in runs)
    why = f"got {len(runs)}: {given}" + (
        "; a pattern such as results/* names every run there is" if len(runs) > 1 else ""
    )
    raise UsageError(what="compare takes two runs", why=why, remedy=remedy)


def compare_folders(a: Run, b: Run, threshold: float | None = None) -> RunComparison:
    """Two runs as `compare` shows them; `threshold` None stands for the larger noise floor."""
    floors = a.findings.noise_floor, b.findings.noise_floor
    limit = statistics.practical_threshold(*floors) if threshold is None else threshold
    cells = tuple(compare_runs(a.findings.summaries, b.findings.summaries, limit))
    num_timed = sum(_num_timed(run.findings.summaries) for run in (a, b))
    return RunComparison(
        ComparedRun(a.folder.path, floors[0], tuple(row.launches_a for row in cells)),
        ComparedRun(b.folder.path, floors[1], tuple(row.launches_b for row in cells)),
        limit,
        cells,
        num_timed - 2 * len(cells),
    )


def _num_timed(summaries: Iterable[CellSummary]) -> int:
    return sum(s.time_s is not None and not is_control(s.variant) for s in summaries)


def time_ratio(a: CellSummary, b: CellSummary) -> statistics.RatioEstimate | None:
    """`b`'s time over `a`'s with its interval; None unless both were timed. Repeatable: seeded by
    the names.
    """
    if a.status != "ok" or b.status != "ok" or not a.samples_s or not b.samples_s:
        return None
    seed = zlib.crc32(f"{a.variant}|{a.cell.key}|{b.variant}|{b.cell.key}".encode())
    return statistics.bootstrap_ratio(_launches(a), _launches(b), seed)


def speedup(cell: CellSummary, baseline: CellSummary) -> Ratio | None:
    """The baseline's time over the cell's: more than 1 is faster. None unless both were timed."""
    estimate = time_ratio(cell, baseline)
    return None if estimate is None else Ratio(estimate.value, estimate.low, estimate.high)


def noise_floor(summaries: Iterable[CellSummary]) -> float | None:
    """The relative difference that 95 % of the A/A pairs of this run stay below; None when there
    are too few.
    """
    timed = {(s.variant, s.cell): s.time_s for s in summaries if s.time_s is not None}
    ratios = []
    for (variant, cell), time_s in timed.items():
        partner_s = timed.get((variant + CONTROL_SUFFIX, cell))
        if partner_s is not None:
            ratios.append(partner_s / time_s)
    return statistics.noise_floor(ratios)


def compare_runs(
    a: Sequence[CellSummary], b: Sequence[CellSummary], threshold: float
) -> list[Comparison]:
    """Every cell timed in both: those with a verdict first, then the largest effect.

    A verdict needs the interval to lie beyond the threshold, and the finding to survive the
    Benjamini-Hochberg correction over all the cells compared.
    """
    before = {(s.variant, s.cell): s for s in a if not is_control(s.variant)}
    pairs = [(before[s.variant, s.cell], s) for s in b if (s.variant, s.cell) in before]
    estimates = [(x, y, estimate) for x, y in pairs if (estimate := time_ratio(x, y)) is not None]
    believed = statistics.benjamini_hochberg([e.p_value(threshold) for _, _, e in estimates])
    found = [
        _comparison(x, y, estimate, threshold if is_believed else None)
        for (x, y, estimate), is_believed in zip(estimates, believed, strict=True)
    ]
    return sorted(found, key=_prominence, reverse=True)


def _prominence(row: Comparison) -> tuple[bool, float]:
    return row.verdict != "cannot tell", max(row.ratio.value, 1.0 / row.ratio.value)


def baselines(summaries: Iterable[CellSummary], program: str) -> dict[Cell, CellSummary]:
    """The timed summaries of one program, by cell with one thread."""
    return {s.cell: s for s in summaries if s.variant == program and s.status == "ok"}


def _comparison(
    a: CellSummary, b: CellSummary, estimate: statistics.RatioEstimate, threshold: float | None
) -> Comparison:
    verdict: statistics.Verdict = "cannot tell"
    if threshold is not None:
        verdict = statistics.verdict(estimate.low, estimate.high, threshold)
    assert a.time_s is not None
    assert b.time_s is not None
    ratio = Ratio(estimate.value, estimate.low, estimate.high)
    return Comparison(
        program_of(b.variant),
        b.cell,
        a.time_s,
        b.time_s,
        a.launches,
        b.launches,
        ratio,
        verdict,
    )


def _launches(summary: CellSummary) -> tuple[tuple[float, ...], ...]:
    """For the protocol of the paper the statistic of a launch is its mean, so the mean stands for
    it.
    """
    if summary.statistic == "mean":
        return tuple((centre_s,) for centre_s in summary.launch_medians_s)
    return summary.samples_s

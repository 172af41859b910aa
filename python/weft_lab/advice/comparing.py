# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two runs against each other: ratio, interval and verdict of each cell that both timed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from weft_lab.advice.runs import Run
from weft_lab.errors import UsageError
from weft_lab.statistics.analysis_types import CellSummary, Ratio
from weft_lab.statistics.estimates import (
    RatioEstimate,
    Verdict,
    benjamini_hochberg,
    practical_threshold,
    verdict,
)
from weft_lab.statistics.ratios import is_disturbed, time_ratio, unexplained_noise
from weft_lab.storage.cells import Cell
from weft_lab.storage.variants import is_control, program_of


@dataclass(frozen=True)
class Comparison:
    """One cell of two runs.

    `ratio`: B's time over A's. `is_disturbed`: in one run other programs used the CPUs, so there is
    no verdict. `detectable`: the smallest relative change that such launches can detect; None if
    unknown.
    """

    variant: str
    cell: Cell
    time_a_s: float
    time_b_s: float
    launches_a: int
    launches_b: int
    ratio: Ratio
    verdict: Verdict
    is_disturbed: bool = False
    detectable: float | None = None


@dataclass(frozen=True)
class ComparedRun:
    """One side of a comparison.

    `launches`: of every cell that both sides timed. `num_disturbed`: cells whose threads waited for
    CPUs that other programs used.
    """

    path: Path
    noise_floor: float | None
    launches: tuple[int, ...]
    num_disturbed: int = 0

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True)
class RunComparison:
    """Two runs, cell by cell: cells with a verdict first, then by the size of the change.

    `num_one_sided`: cells that only one of the runs timed.
    """

    a: ComparedRun
    b: ComparedRun
    threshold: float
    cells: tuple[Comparison, ...]
    num_one_sided: int

    def with_verdict(self, verdict: Verdict) -> list[Comparison]:
        return [row for row in self.cells if row.verdict == verdict]

    def to_dict(self) -> dict[str, Any]:
        """All of it, for JSON."""
        return {
            "a": str(self.a.path),
            "b": str(self.b.path),
            "threshold": self.threshold,
            "noise_floor_a": self.a.noise_floor,
            "noise_floor_b": self.b.noise_floor,
            "disturbed_cells_a": self.a.num_disturbed,
            "disturbed_cells_b": self.b.num_disturbed,
            "cells_in_one_run_only": self.num_one_sided,
            "cells": [asdict(row) for row in self.cells],
        }


def require_two(runs: Sequence[Path]) -> tuple[Path, Path]:
    """The runs to compare. Errors: `UsageError` when they are not two."""
    if len(runs) == 2:
        return runs[0], runs[1]
    first, last = runs[0], runs[-1]
    if len(runs) == 1:
        last = Path("latest")
        first = Path("BEFORE") if first.name == last.name else first
    remedy = f"type ./weft compare {first} {last}; ls results shows the runs"
    given = " ".join(str(run) for run in runs)
    why = f"got {len(runs)}: {given}" + (
        "; a pattern such as results/* names every run there is" if len(runs) > 1 else ""
    )
    raise UsageError(what="compare takes two runs", why=why, remedy=remedy)


def compare_folders(a: Run, b: Run, threshold: float | None = None) -> RunComparison:
    """Two runs as `compare` shows them.

    `threshold`: None is 3 %, or the noise of either run that its intervals do not explain if that
    is more.
    """
    limit = threshold
    if limit is None:
        noises = [unexplained_noise(run.findings.summaries) for run in (a, b)]
        limit = practical_threshold(*noises)
    cells = tuple(compare_runs(a.findings.summaries, b.findings.summaries, limit))
    num_timed = sum(_num_timed(run.findings.summaries) for run in (a, b))
    return RunComparison(
        _side(a, tuple(row.launches_a for row in cells)),
        _side(b, tuple(row.launches_b for row in cells)),
        limit,
        cells,
        num_timed - 2 * len(cells),
    )


def _side(run: Run, launches: tuple[int, ...]) -> ComparedRun:
    findings = run.findings
    num_disturbed = sum(is_disturbed(summary) for summary in findings.summaries)
    return ComparedRun(run.folder.path, findings.noise_floor, launches, num_disturbed)


def _num_timed(summaries: Iterable[CellSummary]) -> int:
    return sum(s.time_s is not None and not is_control(s.variant) for s in summaries)


def compare_runs(
    a: Sequence[CellSummary], b: Sequence[CellSummary], threshold: float
) -> list[Comparison]:
    """Every cell timed in both: cells with a verdict first, then the largest effect.

    A cell has a verdict if three conditions hold. Nothing disturbed its launches; the interval lies
    beyond the threshold; and the result remains significant after the Benjamini-Hochberg correction
    over all the cells compared.
    """
    before = {(s.variant, s.cell): s for s in a if not is_control(s.variant)}
    pairs = [(before[s.variant, s.cell], s) for s in b if (s.variant, s.cell) in before]
    estimates = [(x, y, estimate) for x, y in pairs if (estimate := time_ratio(x, y)) is not None]
    found = []
    for is_usable in (True, False):
        group = [row for row in estimates if _is_usable(row[0], row[1]) == is_usable]
        believed = benjamini_hochberg([e.p_value(threshold) for _, _, e in group])
        for (x, y, estimate), is_believed in zip(group, believed, strict=True):
            told: Verdict = "cannot tell"
            if is_usable and is_believed:
                told = verdict(estimate.low, estimate.high, threshold)
            found.append(_comparison(x, y, estimate, told, threshold))
    return sorted(found, key=_prominence, reverse=True)


def _is_usable(a: CellSummary, b: CellSummary) -> bool:
    return not is_disturbed(a) and not is_disturbed(b)


def _prominence(row: Comparison) -> tuple[bool, float]:
    return row.verdict != "cannot tell", max(row.ratio.value, 1.0 / row.ratio.value)


def _comparison(
    a: CellSummary, b: CellSummary, estimate: RatioEstimate, told: Verdict, threshold: float
) -> Comparison:
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
        told,
        not _is_usable(a, b),
        estimate.detectable(threshold),
    )

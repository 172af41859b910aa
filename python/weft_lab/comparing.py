# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ratios between summaries: speed-ups, the A/A noise floor, and two runs against each other."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from weft_lab import statistics
from weft_lab.analysis_types import CellSummary, Ratio
from weft_lab.cells import Cell
from weft_lab.plan import CONTROL_SUFFIX, is_control, program_of


@dataclass(frozen=True)
class Comparison:
    """One cell of two runs. `ratio`: B's time over A's; `minimal_detectable`: the least change it
    could show.
    """

    variant: str
    cell: Cell
    time_a_s: float
    time_b_s: float
    ratio: Ratio
    verdict: statistics.Verdict


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
    """Every cell timed in both, largest effect first.

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
    return sorted(found, key=lambda c: max(c.ratio.value, 1.0 / c.ratio.value), reverse=True)


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
    return Comparison(program_of(b.variant), b.cell, a.time_s, b.time_s, ratio, verdict)


def _launches(summary: CellSummary) -> tuple[tuple[float, ...], ...]:
    """For the protocol of the paper the statistic of a launch is its mean, so the mean stands for
    it.
    """
    if summary.statistic == "mean":
        return tuple((centre_s,) for centre_s in summary.launch_medians_s)
    return summary.samples_s

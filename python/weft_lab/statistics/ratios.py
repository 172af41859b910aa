# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ratios between summaries: speed-ups, and the noise floor of the A/A control."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import lru_cache

from weft_lab.statistics import estimates
from weft_lab.statistics.analysis_types import CellSummary, Ratio
from weft_lab.storage.cells import Cell
from weft_lab.storage.variants import CONTROL_SUFFIX

WAITED_MAX = 0.1


def is_disturbed(summary: CellSummary) -> bool:
    """Whether, in at least half of its launches, each thread waited for a CPU in more than a tenth
    of the time although there were enough CPUs."""
    if summary.is_oversubscribed or not summary.waited:
        return False
    return 2 * sum(share > WAITED_MAX for share in summary.waited) >= len(summary.waited)


def time_ratio(
    a: CellSummary, b: CellSummary, level: float = estimates.LEVEL
) -> estimates.RatioEstimate | None:
    """`b`'s time over `a`'s with its interval of that level; None unless both were timed.
    Repeatable: seeded by the names. The two sides of a ratio are resampled independently, also if
    they have the same name.
    """
    if a.status != "ok" or b.status != "ok" or not a.samples_s or not b.samples_s:
        return None
    below, above = _launches(a), _launches(b)
    if min(len(below), len(above)) < 2:
        return estimates.bootstrap_ratio(below, above)
    resampled = _resampled(above, _seed("over", b))
    return resampled.over(_resampled(below, _seed("under", a)), level)


def _seed(side: str, summary: CellSummary) -> int:
    return zlib.crc32(f"{side}|{summary.variant}|{summary.cell.key}".encode())


@lru_cache(maxsize=1024)  # all contestants of a problem and more
def _resampled(launches: tuple[tuple[float, ...], ...], seed: int) -> estimates.Resampled:
    """A time's bootstrap. It serves all ratios of the time: a table compares it with many."""
    import numpy as np

    return estimates.Resampled.of(launches, np.random.default_rng(seed))


def speedup(cell: CellSummary, baseline: CellSummary) -> Ratio | None:
    """The baseline's time over the cell's: more than 1 is faster. None unless both were timed."""
    estimate = time_ratio(cell, baseline)
    return None if estimate is None else Ratio(estimate.value, estimate.low, estimate.high)


def noise_floor(summaries: Iterable[CellSummary]) -> float | None:
    """The relative difference that 95 % of the A/A pairs of this run stay below; None if there are
    too few."""
    pairs = _control_pairs(summaries)
    ratios = [b.time_s / a.time_s for a, b in pairs if a.time_s and b.time_s]
    return estimates.noise_floor(ratios)


def unexplained(a: CellSummary | None, b: CellSummary | None) -> float:
    """The factor between two measurements of the same cell that their interval does not explain: 1
    if the interval contains 1, and if there are not two."""
    estimate = None if a is None or b is None else time_ratio(a, b)
    if estimate is None or estimate.low is None or estimate.high is None:
        return 1.0
    return max(1.0, estimate.low, 1.0 / estimate.high)


def unexplained_noise(summaries: Iterable[CellSummary]) -> float | None:
    """The noise floor that remains when each A/A pair's own interval is subtracted from its
    difference.

    The noise of a cell is in its interval already. Requiring a change beyond the whole floor would
    count it twice, and the noisiest cells would hide changes in the others.
    """
    pairs = [pair for pair in _control_pairs(summaries) if min(s.launches for s in pair) > 1]
    return estimates.noise_floor([unexplained(*pair) for pair in pairs])


def _control_pairs(summaries: Iterable[CellSummary]) -> list[tuple[CellSummary, CellSummary]]:
    timed = {(s.variant, s.cell): s for s in summaries if s.time_s is not None}
    found = [(s, timed.get((variant + CONTROL_SUFFIX, c))) for (variant, c), s in timed.items()]
    return [(s, control) for s, control in found if control is not None]


def baselines(summaries: Iterable[CellSummary], program: str) -> dict[Cell, CellSummary]:
    """The timed summaries of one program, by cell with one thread."""
    return {s.cell: s for s in summaries if s.variant == program and s.status == "ok"}


def _launches(summary: CellSummary) -> tuple[tuple[float, ...], ...]:
    """In the paper's protocol the statistic of a launch is its mean, so the mean represents the
    launch."""
    if summary.statistic == "mean":
        return tuple((centre_s,) for centre_s in summary.launch_medians_s)
    return summary.samples_s

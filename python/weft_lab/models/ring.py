# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The latency derived from a ring: the report's lines, and one slope per class of links.

Formula: the report: T_N = a + b N on three pieces chosen by hand, T_l = b / 2.
         Ours: N steps, each as slow as the slowest link that a step crosses, so T_N = N tau_c with
         no intercept, tau_c per class c of the slowest link; breaks between classes are found.
Units:   T_N seconds of one cycle, in which every rank sends N messages each way.
Assumptions: the exchange of both directions overlaps, so tau_c is the time of one exchange and at
         most 2 T_l; N = 1 (to itself) and N = 2 (both neighbours are one) are left out, being
         other code.
Source:  Celoria, FHPC assignment report 2021/22, section I.A; Baccelli et al., Synchronization and
         Linearity, 1992 (a ring of exchanges as a max-plus system).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weft_lab.models.arrays import (
    Floats,
    ModelError,
    Numbers,
    center,
    curves,
    positive,
    same_length,
)
from weft_lab.models.launches import Estimate, interval, resampled

REPORT_PIECES = ((1, 12), (13, 24), (25, 48))
RANKS_MIN = 3
POINTS_MIN = 2
CLASSES_MAX = 4
BIC_GAIN_MIN = 2.0
RESIDUAL_FLOOR = 1e-12


@dataclass(frozen=True)
class Piece:
    """One of the report's lines: `latency_s` is half its slope, and negative if that is."""

    first: int
    last: int
    offset_s: float
    slope_s: float

    @property
    def latency_s(self) -> float:
        return 0.5 * self.slope_s


@dataclass(frozen=True)
class LinkClass:
    """Rings of `first` to `last` ranks, whose slowest link takes `step` seconds per exchange."""

    first: int
    last: int
    step: Estimate


def report_pieces(
    ranks: Numbers, times_s: Numbers, pieces: Sequence[tuple[int, int]] = REPORT_PIECES
) -> list[Piece]:
    """Least squares on each piece that has two points or more, exactly as in the report."""
    numbers, times = np.asarray(ranks, dtype=np.float64), positive("times", times_s)
    same_length(numbers, times, 2)
    found = []
    for first, last in pieces:
        chosen = (numbers >= first) & (numbers <= last)
        if chosen.sum() >= 2:
            line = np.polynomial.polynomial.polyfit(numbers[chosen], times[chosen], 1)
            found.append(Piece(first, last, float(line[0]), float(line[1])))
    return found


def link_classes(
    ranks: Numbers, launches: Sequence[Sequence[float]] | Floats, seed: int = 0
) -> list[LinkClass]:
    """Classes of links with their intervals; breaks minimise BIC, and steps never are negative.

    Shape: `ranks` ascending; one row of times per launch. Errors: `ModelError`.
    """
    numbers = np.asarray(ranks, dtype=np.float64)
    rows = curves(launches, numbers.size)
    used = numbers >= RANKS_MIN
    numbers, rows = numbers[used], rows[:, used]
    if numbers.size < POINTS_MIN or np.any(np.diff(numbers) <= 0.0):
        raise ModelError(
            what="a ring's latency needs rings of 3 ranks or more",
            why=f"there are {numbers.size} such sizes in ascending order",
            remedy="measure rings of 3, 4, ... ranks",
        )
    steps = np.log(center(rows) / numbers)
    starts = _starts(steps)
    others = np.log(resampled(rows, seed) / numbers) if len(rows) > 1 else steps[np.newaxis]
    found = []
    for first, end in zip(starts, (*starts[1:], numbers.size), strict=True):
        value = float(np.exp(np.mean(steps[first:end])))
        values = np.exp(np.mean(others[:, first:end], axis=1))
        step = interval(value, values, len(rows))
        found.append(LinkClass(int(numbers[first]), int(numbers[end - 1]), step))
    return found


def _starts(steps: Floats) -> tuple[int, ...]:
    """First indices of the classes: piecewise constant steps with the least BIC."""
    num = steps.size
    best: dict[tuple[int, int], tuple[float, tuple[int, ...]]] = {}
    for end in range(1, num + 1):
        best[1, end] = (_spread(steps[:end]), (0,))
    classes_max = min(CLASSES_MAX, num // POINTS_MIN)
    for k in range(2, classes_max + 1):
        for end in range(k * POINTS_MIN, num + 1):
            best[k, end] = min(
                (best[k - 1, cut][0] + _spread(steps[cut:end]), (*best[k - 1, cut][1], cut))
                for cut in range((k - 1) * POINTS_MIN, end - POINTS_MIN + 1)
            )
    chosen = best[1, num]
    chosen_bic = _bic(chosen[0], num, 1)
    for k in range(2, classes_max + 1):
        bic = _bic(best[k, num][0], num, k)
        if bic < chosen_bic - BIC_GAIN_MIN:
            chosen, chosen_bic = best[k, num], bic
    return chosen[1]


def _bic(rss: float, num: int, num_classes: int) -> float:
    return float(num * np.log(max(rss / num, RESIDUAL_FLOOR)) + 2.0 * num_classes * np.log(num))


def _spread(values: Floats) -> float:
    return float(np.sum((values - np.mean(values)) ** 2))

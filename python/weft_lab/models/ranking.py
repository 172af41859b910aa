# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a model orders decompositions as the measurements do.

Formula: Kendall's tau = (concordant - discordant) / pairs, over pairs that differ by more than a
         threshold; 1 is the measured order, -1 its reverse.
Source:  Kendall, A New Measure of Rank Correlation, Biometrika 30 (1938).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

DIFFERENCE_MIN = 0.02


@dataclass(frozen=True)
class Order:
    """Pairs in the right and in the wrong order; ties of the prediction count as wrong."""

    right: int
    wrong: int

    @property
    def tau(self) -> float | None:
        """None if no pair differs enough to be ordered."""
        total = self.right + self.wrong
        return (self.right - self.wrong) / total if total else None


def order(
    measured: Sequence[float], predicted: Sequence[float], least: float = DIFFERENCE_MIN
) -> Order:
    """Compares every pair whose measured values differ by more than `least`, relative.

    Errors:  `ValueError` when the lengths differ.
    """
    pairs = list(zip(measured, predicted, strict=True))
    right = wrong = 0
    for (first, guess), (second, other) in itertools.combinations(pairs, 2):
        if abs(first - second) > least * min(first, second):
            is_right = (first - second) * (guess - other) > 0.0
            right, wrong = right + is_right, wrong + (not is_right)
    return Order(right, wrong)

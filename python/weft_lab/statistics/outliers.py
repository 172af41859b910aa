# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of many similar values are outliers, such as nodes of a cluster.

The generalized extreme Studentized deviate test: its level holds for all values together, and
several outliers do not hide each other.

Source:  B. Rosner, Technometrics 25 (1983) 165-172.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weft_lab.statistics.estimates import LEVEL, mean, student_quantile

VALUES_MIN = 4
# With more, the outliers would be the majority.
SHARE_MAX = 3


@dataclass(frozen=True)
class Apart:
    """The distance of a value from the mean of the values that are not outliers, with its 95 %
    interval."""

    shift: float
    low: float
    high: float


def outliers(values: Sequence[float], errors: Sequence[float], limit: float) -> dict[int, Apart]:
    """By index, the values that differ from the others by more than `limit`.

    Their intervals are corrected for the number of values (Bonferroni). `errors`: the error that
    each value's own measurement explains; the spread of the others is at least that.
    """
    num = len(values)
    if num < VALUES_MIN:
        return {}
    kept = list(range(num))
    removed: list[int] = []
    num_apart = 0
    for _ in range(max(1, (num - 1) // SHARE_MAX)):
        centre, spread = _rest(values, errors, kept)
        farthest = max(kept, key=lambda i: abs(values[i] - centre))
        distance = abs(values[farthest] - centre)
        critical = _critical(len(kept)) * spread
        kept.remove(farthest)
        removed.append(farthest)
        if distance > critical:
            num_apart = len(removed)
    found = removed[:num_apart]
    rest = [i for i in range(num) if i not in found]
    level = 1.0 - (1.0 - LEVEL) / num
    sure = {i: _apart(values, errors, rest, i, level) for i in found}
    return {
        i: _apart(values, errors, rest, i, LEVEL)
        for i, each in sure.items()
        if each.low > limit or each.high < -limit
    }


def _rest(
    values: Sequence[float], errors: Sequence[float], rest: Sequence[int]
) -> tuple[float, float]:
    """Mean and standard deviation."""
    centre = mean([values[i] for i in rest])
    squares = math.fsum((values[i] - centre) ** 2 for i in rest) / (len(rest) - 1)
    own = mean([errors[i] ** 2 for i in rest])
    return centre, math.sqrt(max(squares, own))


def _critical(count: int) -> float:
    """The largest distance, in standard deviations, that one of so many values may have."""
    t = student_quantile(1.0 - (1.0 - LEVEL) / (2.0 * count), count - 2)
    return (count - 1) * t / math.sqrt((count - 2 + t * t) * count)


def _apart(
    values: Sequence[float], errors: Sequence[float], rest: Sequence[int], index: int, level: float
) -> Apart:
    centre, spread = _rest(values, errors, rest)
    width = student_quantile(0.5 + 0.5 * level, len(rest) - 1) * spread
    half = width * math.sqrt(1.0 + 1.0 / len(rest))
    shift = values[index] - centre
    return Apart(shift, shift - half, shift + half)

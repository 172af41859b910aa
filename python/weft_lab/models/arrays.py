# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks that every model makes of its arguments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from weft_lab.errors import UsageError

Floats = NDArray[np.float64]
Numbers = Sequence[float] | Floats


class ModelError(UsageError):
    """Numbers that a model cannot be fitted to; the message says which and what is required."""


def positive(name: str, values: Numbers) -> Floats:
    """`values` as an array. Errors: `ModelError` unless all are finite and above zero."""
    array = np.asarray(values, dtype=np.float64)
    if array.size == 0 or not np.all(np.isfinite(array)) or np.any(array <= 0.0):
        raise ModelError(
            what=f"{name} cannot be fitted",
            why="every value must be a finite number above zero" if array.size else "there is none",
            remedy="leave out what was not measured",
        )
    return array


def same_length(first: Floats, second: Floats, least: int) -> None:
    """Errors: `ModelError` unless both have one length, of at least `least`."""
    if first.shape != second.shape or first.size < least:
        raise ModelError(
            what=f"{first.size} values against {second.size} cannot be fitted",
            why=f"a pair of values per point is needed, and at least {least} points",
            remedy="measure more sizes",
        )


def curves(values: Sequence[Sequence[float]] | Floats, num_sizes: int) -> Floats:
    """One row per launch. Errors: `ModelError` unless each has a positive time per size."""
    lengths = {len(row) for row in values}
    if lengths != {num_sizes}:
        raise ModelError(
            what=f"launches with {sorted(lengths)} times for {num_sizes} sizes cannot be fitted",
            why="every launch needs one time per size",
            remedy="leave out the sizes that a launch lacks",
        )
    return positive("times", np.asarray(values, dtype=np.float64))


TRIM_FRACTION = 0.1
TRIM_LAUNCHES_MIN = 5


def is_trimmed(num_launches: int) -> bool:
    """Whether `center` drops the extreme launches."""
    return num_launches >= TRIM_LAUNCHES_MIN


def center(launches: Floats) -> Floats:
    """The central curve of several launches: point by point a trimmed geometric mean.

    From 5 launches on, a tenth of them, and one at least, is dropped at either end, so that an odd
    launch hardly matters. Resampling this mean gives intervals with the stated coverage; resampling
    the median of few launches does not (`checks/model_calibration.py`).

    Shape: launches in the last but one dimension.
    Source:  Tukey and McLaughlin, Sankhya A 25 (1963), trimmed means.
    """
    num = launches.shape[-2]
    cut = max(1, int(TRIM_FRACTION * num)) if is_trimmed(num) else 0
    logs = np.sort(np.log(launches), axis=-2)[..., cut : num - cut, :]
    middle: Floats = np.exp(np.mean(logs, axis=-2))
    return middle

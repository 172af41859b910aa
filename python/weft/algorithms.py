# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parallel sort, sum, min, max, cumulative sum and histogram of NumPy arrays.

All take any object with a buffer of int32, int64, uint32, uint64, float32 or float64: one
dimension, no gaps, this machine's byte order.

Threads: the calling thread, and the workers of the process, which start once there is enough work.
         The GIL is released. No other thread may write the numbers meanwhile, nor read those that
         are written. Ctrl-C is raised after the call.
Errors:  `TypeError` for other objects and types, and for masked arrays; `ValueError` for other
         shapes, for gaps, for read-only memory that would be written, and for `num_workers`
         below 1.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from weft import _weft

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft._weft import numbers


def sort(values: numbers, *, num_workers: int | None = None) -> None:
    """Sorts the numbers in place, ascending. NaN comes last, as in NumPy.

    Equal numbers, such as 0.0 and -0.0, may change places. `num_workers`: at most so many, the
    calling thread among them; without it all.
    """
    _weft.sort(values, num_workers)


def sum(values: numbers, *, num_workers: int | None = None) -> int | float:
    """Returns the sum: an int modulo 2**64 as in NumPy, or a float.

    Numbers of floating point are summed in float64, float32 too, and the result has the same bits
    for any number of workers. NaN and infinity give what IEEE 754 says.
    """
    return _weft.sum(values, num_workers)


def min(values: numbers, *, num_workers: int | None = None) -> int | float:
    """Returns the least number; NaN if one is NaN, as in NumPy.

    Errors: `ValueError` also for no numbers.
    """
    return _weft.min(values, num_workers)


def max(values: numbers, *, num_workers: int | None = None) -> int | float:
    """Returns the greatest number; NaN if one is NaN, as in NumPy.

    Errors: `ValueError` also for no numbers.
    """
    return _weft.max(values, num_workers)


def cumsum(
    values: numbers, out: NDArray[Any] | None = None, *, num_workers: int | None = None
) -> NDArray[Any]:
    """Returns the sums of all beginnings: out[i] is the sum of values[0] to values[i].

    The types are NumPy's: int64 or uint64, modulo 2**64, for integers; else that of `values`. From
    the first NaN on, all sums are NaN. Sums of floating point may differ by rounding from call to
    call.

    `out`: where they are written; it may be `values` itself if that has their type.
    Errors: `ValueError` also for an `out` of another size or one that overlaps `values` otherwise;
            `TypeError` for one of another type.
    """
    if out is None:
        import numpy as np

        kind = _weft.sum_type(values)  # first, since it checks `values`
        out = np.empty(np.asarray(values).size, kind)
    _weft.cumsum(values, out, num_workers)
    return out


def histogram(
    values: numbers, num_bins: int, low: float, high: float, *, num_workers: int | None = None
) -> NDArray[np.int64]:
    """Returns how many numbers are in each of `num_bins` bins of one width from `low` to `high`.

    A number x is counted if low <= x < high. NumPy counts `high` in the last bin; weft does not.
    NaN is in no bin. Exact for integers whose distances from `low`, and those times `num_bins`, are
    at most 2**53.

    Errors: `ValueError` also for less than one bin, and unless low < high and high - low is finite.
    """
    import numpy as np

    size = operator.index(num_bins)
    if size < 1:
        message = f"num_bins is {size}; the least is 1"
        raise ValueError(message)
    counts = np.empty(size, np.int64)
    _weft.histogram(values, low, high, counts, num_workers)
    return counts


def num_workers() -> int:
    """Returns how many workers the process has, and starts them if none runs."""
    return _weft.num_workers()


def set_num_workers(num_workers: int) -> None:
    """Changes how many workers the process has; the variable `WEFT_WORKERS` sets the first number.

    Errors: `weft.error` for less than 1, and for more than both 1024 and 16 per processor.
    """
    _weft.set_num_workers(num_workers)

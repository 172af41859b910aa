# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft.algorithms: NumPy's results, for every type and size; and what is not accepted."""

from __future__ import annotations

import array
import ctypes
import math
import sys
import threading
from typing import Any

import numpy as np
import pytest
import weft
from numpy.typing import NDArray

pytestmark = pytest.mark.usefixtures("compiled")

Array = NDArray[Any]
TYPES = ("int32", "uint32", "int64", "uint64", "float32", "float64")
REALS = ("float32", "float64")
SIZES = (0, 1, 2, 1000, 300_000)
ONE_OR_ALL = (1, None)
every_type = pytest.mark.parametrize("dtype", TYPES)
every_real = pytest.mark.parametrize("dtype", REALS)


def numbers(dtype: str, size: int) -> Array:
    """The same every time: of all integers, or around 0."""
    source = np.random.default_rng(size)
    if dtype in REALS:
        return (source.random(size) - 0.5).astype(dtype)
    info = np.iinfo(dtype)
    return source.integers(info.min, info.max, size, dtype=dtype, endpoint=True)


def same(found: Array, wanted: Array) -> bool:
    return found.dtype == wanted.dtype and np.array_equal(found, wanted, equal_nan=True)


@every_type
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("num_workers", ONE_OR_ALL)
def test_sort_is_numpys(dtype: str, size: int, num_workers: int | None) -> None:
    values = numbers(dtype, size)
    wanted = np.sort(values)

    weft.sort(values, num_workers=num_workers)

    assert same(values, wanted)


@every_real
def test_sort_puts_nan_last(dtype: str) -> None:
    values = numbers(dtype, 200_000)
    values[::7] = np.nan
    values[3:6] = np.inf, -np.inf, -0.0
    wanted = np.sort(values)

    weft.sort(values)

    assert same(values, wanted)


@every_real
@pytest.mark.parametrize("size", [150, 1000, 200_000])
def test_sort_keeps_both_zeros(dtype: str, size: int) -> None:
    for seed in range(20):
        values = np.random.default_rng(seed).choice(np.array([0.0, -0.0, 1.0], dtype), size)
        wanted = np.sort(values)
        minus_zeros = np.signbit(values).sum()

        weft.sort(values)

        assert same(values, wanted)
        assert np.signbit(values).sum() == minus_zeros


@every_type
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("num_workers", ONE_OR_ALL)
def test_integers_are_summed_as_numpy_does(dtype: str, size: int, num_workers: int | None) -> None:
    values = numbers(dtype, size)

    found = weft.sum(values, num_workers=num_workers)

    if dtype in REALS:
        assert found == pytest.approx(math.fsum(values.tolist()), rel=1e-12, abs=1e-12)
    else:
        assert isinstance(found, int)
        assert found == np.sum(values)


@every_real
def test_sums_have_the_same_bits_for_any_number_of_workers(dtype: str) -> None:
    values = numbers(dtype, 1_000_001)

    assert len({weft.sum(values, num_workers=n) for n in (1, 2, None)}) == 1


@every_type
@pytest.mark.parametrize("size", SIZES[1:])
@pytest.mark.parametrize("num_workers", ONE_OR_ALL)
def test_extremes_are_numpys(dtype: str, size: int, num_workers: int | None) -> None:
    values = numbers(dtype, size)

    assert weft.min(values, num_workers=num_workers) == np.min(values)
    assert weft.max(values, num_workers=num_workers) == np.max(values)


@every_real
@pytest.mark.parametrize("place", [0, 77_777, 99_999])
def test_extremes_and_sums_of_nan_are_nan(dtype: str, place: int) -> None:
    values = numbers(dtype, 100_000)
    values[place] = np.nan

    assert all(math.isnan(find(values)) for find in (weft.min, weft.max, weft.sum))


def test_nothing_has_no_extremes() -> None:
    for find in (weft.min, weft.max):
        with pytest.raises(ValueError, match="values is empty"):
            find(np.empty(0))


@every_type
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("num_workers", ONE_OR_ALL)
def test_cumulative_sums_are_numpys(dtype: str, size: int, num_workers: int | None) -> None:
    values = numbers(dtype, size)
    wanted = np.cumsum(values)

    found = weft.cumsum(values, num_workers=num_workers)

    assert found.dtype == wanted.dtype
    if dtype in REALS:
        exact = np.cumsum(values, dtype=np.longdouble)
        room = size * np.finfo(dtype).eps
        assert np.all(np.abs(found - exact) <= room)
    else:
        assert same(found, wanted)


def test_cumulative_sums_may_take_the_place_of_the_numbers() -> None:
    values = numbers("int64", 100_000)
    wanted = np.cumsum(values)

    found = weft.cumsum(values, out=values)

    assert found is values
    assert same(values, wanted)


def test_cumulative_sums_are_nan_from_the_first_one_on() -> None:
    values = np.ones(100_000)
    values[60_000] = np.nan

    found = weft.cumsum(values)

    assert same(found, np.cumsum(values))


@every_type
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("num_bins", [1, 16, 5000])
def test_a_histogram_is_numpys_but_for_the_upper_end(dtype: str, size: int, num_bins: int) -> None:
    values = (1000 * numbers("float64", size)).astype(dtype)
    inside = values[values != 400]

    found = weft.histogram(values, num_bins, -400, 400)

    assert same(found, np.histogram(inside.astype("float64"), num_bins, (-400, 400))[0])


def test_nan_is_in_no_bin() -> None:
    values = np.array([np.nan, 0.0, 0.5, 1.0, -np.inf, np.inf])

    assert weft.histogram(values, 2, 0, 1).tolist() == [1, 1]


def test_buffers_of_others_than_numpy_are_accepted() -> None:
    values = array.array("i", [3, 1, 2])

    weft.sort(memoryview(values))

    assert values.tolist() == [1, 2, 3]
    assert weft.sum(bytes_of(values)) == 6


def bytes_of(values: array.array[int]) -> memoryview:
    """Constant memory, which may be read."""
    return memoryview(values).toreadonly()


def test_arrays_of_ctypes_are_accepted() -> None:
    values = (ctypes.c_int * 3)(3, 1, 2)

    weft.sort(values)

    assert list(values) == [1, 2, 3]
    assert weft.sum((ctypes.c_double * 2)(0.5, 2.0)) == 2.5
    assert weft.cumsum(values).tolist() == [1, 3, 6]


WRONG_TYPES = {
    "none": None,
    "list": [3, 1],
    "ragged list": [[3], [1, 2]],
    "mask": np.ma.masked_array([3.0, 2.0, 1.0], mask=[False, True, False]),
    "number": 3,
    "bool": np.zeros(3, bool),
    "int16": np.zeros(3, "int16"),
    "float16": np.zeros(3, "float16"),
    "longdouble": np.zeros(3, np.longdouble),
    "complex": np.zeros(3, "complex64"),
    "other byte order": np.zeros(3, np.dtype("float64").newbyteorder()),
    "text": np.array(["a"]),
    "time": np.zeros(3, "datetime64[s]"),
    "record": np.zeros(3, [("x", "f8")]),
}
ARGUMENTS = {"sort": (), "sum": (), "min": (), "max": (), "cumsum": (), "histogram": (2, 0, 1)}


@pytest.mark.parametrize("call", ARGUMENTS)
@pytest.mark.parametrize("name", WRONG_TYPES)
def test_other_types_are_refused(call: str, name: str) -> None:
    with pytest.raises(TypeError, match="values "):
        getattr(weft, call)(WRONG_TYPES[name], *ARGUMENTS[call])


def test_the_message_names_the_accepted_types() -> None:
    with pytest.raises(TypeError, match="format 'e'; accepted are int32, int64, uint32"):
        weft.sum(np.zeros(3, "float16"))
    with pytest.raises(TypeError, match=r"ndarray without a buffer of numbers; .* of int32, int64"):
        weft.sum(np.zeros(3, "datetime64[s]"))


def test_no_array_says_so() -> None:
    with pytest.raises(TypeError, match="values is a NoneType without a buffer"):
        weft.sum(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("call", ARGUMENTS)
@pytest.mark.parametrize(
    ("values", "words"),
    [
        (np.zeros((2, 3)), "2 dimensions"),
        (np.zeros(()), "0 dimensions"),
        (np.zeros(6)[::2], "16 bytes apart"),
        (np.zeros(6)[::-1], "-8 bytes apart"),
        (np.zeros(17, "uint8")[1:].view("float64"), "not aligned"),
    ],
)
def test_other_shapes_are_refused(call: str, values: Array, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        getattr(weft, call)(values, *ARGUMENTS[call])


def test_constants_are_read_and_never_written() -> None:
    values = np.array([2.0, 1.0])
    values.setflags(write=False)

    assert weft.sum(values) == 3.0
    with pytest.raises(ValueError, match="values is read-only"):
        weft.sort(values)
    with pytest.raises(ValueError, match="out is read-only"):
        weft.cumsum(np.ones(2), out=values)
    assert values.tolist() == [2.0, 1.0]


def test_an_output_that_does_not_fit_is_refused() -> None:
    values = np.ones(10)
    with pytest.raises(ValueError, match="out has 9 numbers instead of the 10"):
        weft.cumsum(values, out=np.ones(9))
    with pytest.raises(ValueError, match="out overlaps values"):
        weft.cumsum(values[:-1], out=values[1:])
    with pytest.raises(TypeError, match="another type"):
        weft.cumsum(np.ones(3, "int32"), out=np.ones(3, "int32"))
    assert values.tolist() == [1.0] * 10


@pytest.mark.parametrize(
    ("bins", "words"),
    [
        ((0, 0, 1), "num_bins is 0"),
        ((2, 1, 1), "low is 1.0 and high is 1.0; low must be less than high"),
        ((2, 2, 1), "low is 2.0 and high is 1.0"),
        ((2, 0, np.inf), "high is inf"),
        ((2, np.nan, 1), "low is nan"),
        ((2, -1.7e308, 1.7e308), "high - low finite"),
    ],
)
def test_bins_that_are_none_are_refused(bins: tuple[int, float, float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        weft.histogram(np.ones(3), *bins)


@pytest.mark.parametrize("num_bins", [2.5, "auto", [0, 1, 2], None])
def test_the_number_of_bins_is_an_integer(num_bins: object) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        weft.histogram(np.ones(3), num_bins, 0, 1)  # type: ignore[arg-type]


def test_the_number_of_workers_is_checked() -> None:
    with pytest.raises(ValueError, match="num_workers is 0; the least is 1"):
        weft.sort(np.ones(3), num_workers=0)
    with pytest.raises(weft.error, match="cannot have 0 workers"):
        weft.set_num_workers(0)


def test_the_number_of_workers_changes() -> None:
    weft.set_num_workers(3)
    try:
        values = numbers("float64", 500_000)
        wanted = np.sort(values)
        weft.sort(values)

        assert weft.num_workers() == 3
        assert same(values, wanted)
    finally:
        weft.set_num_workers(2)


def test_other_threads_of_python_run_meanwhile() -> None:
    values = numbers("float64", 1_000_000)
    is_started, goes = threading.Event(), threading.Event()
    has_run = []

    def tell() -> None:
        is_started.set()
        goes.wait()
        has_run.append(True)

    other = threading.Thread(target=tell)
    other.start()
    is_started.wait()
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(100)  # only a call that releases the lock lets the other thread run
    try:
        goes.set()
        weft.sort(values)
        assert has_run
    finally:
        sys.setswitchinterval(interval_s)
        other.join()


def test_memory_in_use_cannot_go_away() -> None:
    values = array.array("d", numbers("float64", 1_000_000).tolist())
    is_started = threading.Event()

    def sort() -> None:
        is_started.set()
        weft.sort(values)

    sorter = threading.Thread(target=sort)
    sorter.start()
    is_started.wait()
    while sorter.is_alive():
        try:
            values.append(2.0)
            values.pop()
        except BufferError:
            break
    sorter.join()

    assert sorted(values) == values.tolist()

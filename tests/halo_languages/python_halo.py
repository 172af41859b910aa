# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft.halo with NumPy as an independent oracle: mpirun -n 4 python python_halo.py.

The whole array exists on every rank; `np.pad` says what each rank's piece has to hold.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from mpi4py import MPI
from weft import halo

WORLD = MPI.COMM_WORLD
MARK = 121  # above all numbers of cells, and within the smallest type
Array = np.ndarray[Any, Any]


def whole_array(grid: halo.cart, cells: Sequence[int], dtype: str) -> Array:
    """The same random numbers on all ranks."""
    lengths = [cells[d] * grid.num_processes(d) for d in range(len(cells))]
    return np.random.default_rng(7).integers(0, 120, lengths).astype(dtype)


def expected(
    grid: halo.cart, whole: Array, box: Sequence[halo.axis], periodic: Sequence[bool]
) -> Array:
    """This rank's piece with its halos, and the mark where nothing arrives."""
    padded = whole
    for d, axis in enumerate(box):
        widths = [(0, 0)] * whole.ndim
        widths[d] = (axis.minus, axis.plus)
        if periodic[d]:
            padded = np.pad(padded, widths, mode="wrap")
        else:
            padded = np.pad(padded, widths, constant_values=MARK)
    starts = [grid.position(d) * axis.size for d, axis in enumerate(box)]
    piece = padded[
        tuple(
            slice(start, start + axis.minus + axis.size + axis.plus)
            for start, axis in zip(starts, box, strict=True)
        )
    ]
    behind = [(axis.begin - axis.minus, axis.length - 1 - axis.end - axis.plus) for axis in box]
    return np.pad(piece, behind, constant_values=MARK)


def fill(grid: halo.cart, whole: Array, box: Sequence[halo.axis], into: Array) -> None:
    """Inner cells get their numbers, all others the mark."""
    into[...] = MARK
    starts = [grid.position(d) * axis.size for d, axis in enumerate(box)]
    inner = tuple(axis.interior for axis in box)
    into[inner] = whole[
        tuple(slice(start, start + axis.size) for start, axis in zip(starts, box, strict=True))
    ]


def made(
    cells: Sequence[int], periodic: Sequence[bool], dtype: str = "float64"
) -> tuple[halo.cart, list[halo.axis], Array]:
    grid = halo.cart(WORLD, [0] * len(cells), periodic)
    box = [halo.axis.inner(count).halo(2, 1).pad(1, 0) for count in cells]
    return grid, box, whole_array(grid, cells, dtype)


def test_every_cell_in_one_to_four_dimensions() -> None:
    for num_dims in range(1, 5):
        for dtype in ("float64", "float32", "int16", "complex128"):
            for order in ("C", "F"):
                periodic = [d % 2 == 0 for d in range(num_dims)]
                grid, box, whole = made([3, 4, 5, 3][:num_dims], periodic, dtype)
                halos = halo.exchange(grid, box, dtype, order)
                cells = np.empty([axis.length for axis in box], dtype, order)  # type: ignore[call-overload]
                fill(grid, whole, box, cells)
                halos(cells)
                np.testing.assert_array_equal(cells, expected(grid, whole, box, periodic))


def test_maps_of_dimensions() -> None:
    periodic = [True, False, True]
    for order in ([1, 2, 0], [2, 0, 1], [0, 2, 1]):
        grid = halo.cart(WORLD, [0, 0, 0], periodic, maps_to=order)
        box = [halo.axis.inner(count).halo(1) for count in (3, 4, 5)]
        whole = whole_array(grid, (3, 4, 5), "float64")
        cells = np.empty([axis.length for axis in box])
        fill(grid, whole, box, cells)
        halo.exchange(grid, box)(cells)
        np.testing.assert_array_equal(cells, expected(grid, whole, box, periodic))


def test_split_exchanges_and_shared_fields() -> None:
    grid, box, whole = made([60, 5], [True, True])
    with halo.make_field(grid, box) as first, halo.make_field(grid, box, order="F") as second:
        assert second.box[0].length == 64 + 8
        for field, order in ((first, "C"), (second, "F")):
            halos = halo.exchange(grid, field.box, order=order)
            fill(grid, whole, field.box, field.array)
            under_way = halos.start(field)
            sides = set()
            while (side := under_way.wait_any_side()) is not None:
                sides.add(side)
            under_way.wait()
            assert under_way.test()
            wanted = expected(grid, whole, field.box, [True, True])
            np.testing.assert_array_equal(field.array, wanted)
            assert len(sides) == 8
            fill(grid, whole, field.box, field.array)
            halo.exchange_any(grid)(field)
            np.testing.assert_array_equal(field.array, wanted)
            halos.self_test(2)
            assert "exchanges" in halos.report()
            halos.close()


def test_fields_that_differ_travel_together() -> None:
    grid = halo.cart(WORLD, [0, 0], [True, False])
    whole = whole_array(grid, (6, 4), "float64")
    bytes_ = whole_array(grid, (6, 4), "uint8")
    wide = [halo.axis.inner(6).halo(2), halo.axis.inner(4).halo(1)]
    thin = [halo.axis.inner(6).halo(1), halo.axis.inner(4).halo(1)]
    every_second = np.empty([20, 18])[::2, ::3]
    order_f = np.empty([8, 6], np.uint8, "F")
    any_ = halo.exchange_any(grid)
    for _ in range(3):
        fill(grid, whole, wide, every_second)
        fill(grid, bytes_, thin, order_f)
        any_(halo.field(every_second, wide), halo.field(order_f, 1))
        np.testing.assert_array_equal(every_second, expected(grid, whole, wide, [True, False]))
        np.testing.assert_array_equal(order_f, expected(grid, bytes_, thin, [True, False]))


def test_every_way_has_the_same_result() -> None:
    grid, box, whole = made([4, 5], [True, True])
    wanted = expected(grid, whole, box, [True, True])
    for packing in ("automatic", "loops", "mpi_pack", "mpi_datatype", "direct"):
        for schedule in ("bulk", "staged"):
            options = halo.exchange_options(packing, schedule, transport="messages", validate=2)
            cells = np.empty([axis.length for axis in box])
            fill(grid, whole, box, cells)
            halo.exchange(grid, box, options=options)(cells)
            np.testing.assert_array_equal(cells, wanted)


def refused(call: Callable[[], object], code: str, *words: str) -> None:
    """Keeps no exception: its frames would keep what is to end at the same time on all ranks."""
    caught: tuple[str, str] | None = None
    try:
        call()
    except halo.error as error:
        caught = error.code, str(error)
    assert caught is not None, f"{code}: nothing was raised"
    assert caught[0] == code, caught
    for word in words:
        assert word in caught[1], (word, caught[1])


def test_mistakes_are_errors_with_their_words() -> None:
    grid, box, _ = made([4, 5], [True, True])
    halos = halo.exchange(grid, box)
    lengths = [axis.length for axis in box]
    frozen = np.zeros(lengths)
    frozen.flags.writeable = False
    too_thin = halo.axis(2, 1, 1, 4, 7)
    refused(lambda: halo.exchange(grid, [too_thin, box[1]]), "bad_axis", "minus=2 does not fit")
    refused(lambda: halos(np.zeros(lengths, "float32")), "bad_field", "float32", "float64")
    refused(lambda: halos(np.zeros([3, 3])), "bad_field", "[3, 3]")
    refused(lambda: halos(np.zeros(lengths, order="F")), "bad_field", "exchange_any")
    refused(lambda: halos(frozen), "bad_field", "read-only")
    refused(halos.start, "bad_field", "no field")
    refused(lambda: halo.cart(WORLD, [7777]), "bad_grid")
    refused(lambda: halo.cart(WORLD, [1] * 5), "bad_grid", "1 to 4 dimensions")
    refused(lambda: grid.neighbour([0, 2]), "bad_grid", "-1, 0 or 1")
    refused(lambda: halo.exchange(grid, box, order="K"), "unsupported", "there are C and F")
    refused(
        lambda: halo.exchange(grid, box, options=halo.exchange_options("lops")),
        "unsupported",
        "packing='lops' does not exist",
        "mpi_datatype",
    )
    refused(lambda: halo.exchange(grid, box, "object"), "bad_field", "Python objects")
    refused(lambda: halo.make_field(grid, box, "object"), "bad_field", "Python objects")
    refused(lambda: halo.make_field(grid, [too_thin, box[1]]), "bad_axis", "minus=2 does not fit")
    refused(
        lambda: halo.exchange(grid, [*box, box[1]]),
        "bad_field",
        "field 0 has 3 dimensions, the grid has 2",
    )
    refused(lambda: halo.exchange(grid, box[:1]), "bad_field", "field 0 has 1 dimensions")
    refused(lambda: halo.exchange(grid, [box[0]] * 5), "bad_field", "1 to 4")
    refused(lambda: halo.exchange(grid, []), "bad_field", "1 to 4")
    any_ = halo.exchange_any(grid)
    whole = np.zeros(lengths)
    refused(lambda: any_(whole), "bad_field", "field 0 is a ndarray", "halo.field(")  # type: ignore[arg-type]
    refused(lambda: any_(halo.field([1.0], box)), "bad_field", "field 0 is a list")  # type: ignore[arg-type]
    refused(lambda: halos([1.0]), "bad_field", "field 0 is a list")  # type: ignore[arg-type]
    halos.close()
    refused(lambda: halos(np.zeros(lengths)), "wrong_state", "closed")


def test_what_one_rank_refuses_is_refused_on_all() -> None:
    grid, box, _ = made([4, 5], [True, True])
    is_to_blame = WORLD.rank == WORLD.size - 1
    thin = [halo.axis(2, 1, 1, 4, 7), box[1]] if is_to_blame else box
    code = "bad_axis" if is_to_blame else "other_rank_refused"
    refused(lambda: halo.exchange(grid, thin), code, "minus=2 does not fit")
    order = "K" if is_to_blame else "C"
    code = "unsupported" if is_to_blame else "other_rank_refused"
    refused(lambda: halo.make_field(grid, box, order=order), code, "there are C and F")
    lengths = [axis.length + is_to_blame for axis in box]
    code = "bad_field" if is_to_blame else "other_rank_refused"
    any_ = halo.exchange_any(grid)
    refused(lambda: any_(halo.field(np.zeros(lengths), box)), code, "the axes are")
    any_(halo.field(np.zeros([axis.length for axis in box]), box))


def two_of(
    level: int,
) -> tuple[halo.exchange_any, list[halo.axis], list[Array], Callable[[], None]]:
    """An exchange, what it has exchanged once, and a call that does so again and checks it."""
    grid, box, whole = made([4, 5], [True, True])
    wanted = expected(grid, whole, box, [True, True])
    any_ = halo.exchange_any(grid, halo.exchange_options(validate=level))
    both = [np.empty([axis.length for axis in box]) for _ in range(2)]

    def exchange() -> None:
        for each in both:
            fill(grid, whole, box, each)
        any_(*(halo.field(each, box) for each in both))
        for each in both:
            np.testing.assert_array_equal(each, wanted)

    exchange()
    return any_, box, both, exchange


def wrong_calls(
    any_: halo.exchange_any, box: list[halo.axis], both: list[Array]
) -> list[tuple[Callable[[], object], str]]:
    """Calls that one rank alone makes, and a part of what it is told."""
    first, second = (halo.field(each, box) for each in both)
    frozen = both[1].view()
    frozen.flags.writeable = False
    return [
        (lambda: any_(first, halo.field(both[1][1:], box)), "field 1: the axes are"),
        (lambda: any_(first, halo.field(frozen, box)), "field 1 is read-only"),
        (lambda: any_(first, both[1]), "field 1 is a ndarray"),  # type: ignore[arg-type]
        (lambda: any_(second, second), "fields 0 and 1 overlap"),
        (any_, "no field"),
    ]


def test_a_later_call_that_is_wrong_on_one_rank_sends_nothing() -> None:
    any_, box, both, exchange = two_of(level=1)
    for call, words in wrong_calls(any_, box, both):
        if WORLD.rank == WORLD.size - 1:  # the others wait for it
            refused(call, "bad_field", words)
        exchange()


def test_from_level_2_on_a_later_call_that_is_wrong_on_one_rank_is_refused_on_all() -> None:
    any_, box, both, exchange = two_of(level=2)
    right = [halo.field(each, box) for each in both]
    is_to_blame = WORLD.rank == WORLD.size - 1
    for call, words in wrong_calls(any_, box, both):
        if is_to_blame:
            refused(call, "bad_field", words)
        else:
            refused(lambda: any_(*right), "other_rank_refused", words)
        exchange()
    grid = halo.cart(WORLD, [0, 0], [True, True])
    halos = halo.exchange(grid, box, options=halo.exchange_options(validate=2))
    thin = np.zeros([3, 3])
    code = "bad_field" if is_to_blame else "other_rank_refused"
    refused(lambda: halos(thin if is_to_blame else both[0]), code, "field 0 is float64[3, 3]")
    halos(both[0])


def test_from_level_2_on_ranks_that_pass_other_lists_are_told() -> None:
    any_, box, both, exchange = two_of(level=2)
    first, second = (halo.field(each, box) for each in both)
    new = halo.field(np.zeros(both[0].shape, "float32"), box)
    if WORLD.size == 1:
        return
    last = WORLD.size - 1
    is_last = WORLD.rank == last
    refused(
        lambda: any_(new) if is_last else any_(first, second),
        "ranks_disagree",
        f"rank {last} passes fields that are new to it",
        "rank 0 passes list 0 of those it has exchanged",
    )
    exchange()
    any_(new)
    refused(
        lambda: any_(new) if is_last else any_(first, second),
        "ranks_disagree",
        f"rank {last} passes list 1",
        "rank 0 passes list 0",
    )
    exchange()


def test_an_error_has_the_rank_to_blame_or_none() -> None:
    blamed: list[int | None] = []
    for comm in (MPI.COMM_NULL, WORLD):
        try:
            halo.cart(comm, [7777])
        except halo.error as error:
            blamed.append(error.rank)
    assert blamed == [None, WORLD.rank], blamed


def test_a_field_in_use_is_not_closed() -> None:
    grid, box, _ = made([4, 5], [True, True])
    field = halo.make_field(grid, box)
    is_to_blame = WORLD.rank == WORLD.size - 1
    view = field.array[1:, ::2] if is_to_blame else None
    code = "wrong_state" if is_to_blame else "other_rank_refused"
    refused(field.close, code, "still in use")
    if view is not None:
        view[...] = 3
        assert field.array[1, 0] == 3
    assert field.array.shape == tuple(axis.length for axis in field.box)
    del view
    field.close()
    refused(lambda: field.array, "wrong_state", "closed")


def test_an_exception_leaves_a_with_block_as_it_is() -> None:
    grid, box, _ = made([4, 5], [True, True])
    message = "the program's own"
    caught: Exception | None = None
    try:
        with halo.make_field(grid, box) as field:
            cells = field.array
            cells[...] = 3
            raise ValueError(message)
    except Exception as error:  # whichever it is
        caught = error
    assert isinstance(caught, ValueError), repr(caught)
    assert cells[0, 0] == 3
    del cells
    field.close()
    refused(lambda: field.array, "wrong_state", "closed")


def test_a_rank_that_does_not_exchange_is_named() -> None:
    if WORLD.size != 2:
        return
    grid, box, _ = made([4, 5], [True, True])
    cells = np.zeros([axis.length for axis in box])
    options = halo.exchange_options(patience_s=0.02)
    halos = halo.exchange(grid, box, options=options)
    made_at = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    halos(cells)
    if WORLD.rank == 1:  # which goes on when rank 0 has said that it waits
        WORLD.recv(source=0)
        halos(cells)
        return
    with tempfile.TemporaryFile() as told:
        former = os.dup(sys.stderr.fileno())
        os.dup2(told.fileno(), sys.stderr.fileno())
        under_way = halos.start(cells)
        while os.fstat(told.fileno()).st_size == 0:
            under_way.progress()
        os.dup2(former, sys.stderr.fileno())
        os.close(former)
        WORLD.send(None, dest=1)
        under_way.wait()
        told.seek(0)
        assert told.read().decode() == (
            "weft: rank 0 has waited 0.02 s for rank 1 in exchange 2 "
            f"(made at python_halo.py:{made_at}); all ranks must call it\n"
        )


def test_patience_is_a_number_of_seconds() -> None:
    grid, box, _ = made([4, 5], [True, True])
    for wrong in (-1.0, math.nan, 1e10):
        options = halo.exchange_options(patience_s=wrong)
        refused(partial(halo.exchange_any, grid, options), "unsupported", "patience_s=")
    halo.exchange(grid, box, options=halo.exchange_options(patience_s=0)).close()


def test_a_level_of_validation_is_a_number_up_to_3() -> None:
    grid, box, _ = made([4, 5], [True, True])
    for wrong in (-2, 4):
        options = halo.exchange_options(validate=wrong)
        refused(partial(halo.exchange_any, grid, options), "unsupported", f"validate={wrong}")
    for right in range(-1, 4):
        halo.exchange(grid, box, options=halo.exchange_options(validate=right)).close()


def test_cells_share_no_addresses() -> None:
    grid, box, _ = made([4, 5], [True, True])
    lengths = [axis.length for axis in box]
    shared = np.lib.stride_tricks.as_strided(np.zeros(100), lengths, (8, 8))
    refused(
        lambda: halo.exchange_any(grid)(halo.field(shared, box)), "bad_field", "memory of its own"
    )


def main() -> int:
    tests = [value for name, value in globals().items() if name.startswith("test_")]
    for test in tests:
        try:
            test()
        except BaseException:  # whatever it is, the other ranks wait for this one
            print(f"rank {WORLD.rank}: {test.__name__}", file=sys.stderr)
            traceback.print_exc()
            sys.stderr.flush()
            WORLD.Abort(1)
    if WORLD.rank == 0:
        print(f"{len(tests)} tests on {WORLD.size} ranks")
    return 0


if __name__ == "__main__":
    sys.exit(main())

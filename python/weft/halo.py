# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halo exchange of NumPy arrays over mpi4py communicators, with the names of the C++ library.

Calls with a grid are collective over it, in the same order on all ranks. `cart`, `exchange`,
`exchange_any` and `shared_field` must be ended: by `close()`, at the end of a `with` block, or when
nothing refers to the object any more. Objects that still exist end with the program, in the same
order on all ranks.
"""

from __future__ import annotations

import atexit
import contextlib
import inspect
import itertools
import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

import numpy as np

from weft import _halo

if TYPE_CHECKING:
    from mpi4py.MPI import Comm
    from numpy.typing import DTypeLike, NDArray

MAX_DIMS = 4
Made = TypeVar("Made")


class error(Exception):
    """An error of an exchange, with the message of the C++ library.

    `code`: for example `ranks_disagree`; `rank`: the rank that caused it, None if no single one.
    """

    def __init__(self, message: str, code: str = "bad_field", rank: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.rank = rank


_halo.translate_errors_to(error)


@dataclass(frozen=True)
class axis:
    """One dimension of an array, `[0, length)`: the inner region `[begin, end]`, both inclusive,
    `minus` halo cells directly below and `plus` directly above it. Units: cells.
    """

    minus: int
    plus: int
    begin: int
    end: int
    length: int

    @staticmethod
    def inner(cells: int) -> axis:
        """An axis of `cells` cells, all of them inner; `.halo(...)` and `.pad(...)` add others."""
        return axis(0, 0, 0, cells - 1, cells)

    def halo(self, below: int, above: int | None = None) -> axis:
        """The same axis with that many halo cells on both sides."""
        above = below if above is None else above
        before, behind = self.begin - self.minus, self.length - 1 - self.end - self.plus
        first = before + below
        return axis(below, above, first, first + self.size - 1, first + self.size + above + behind)

    def pad(self, before: int, behind: int) -> axis:
        """The same axis with that many more cells, which no exchange touches."""
        first, last = self.begin + before, self.end + before
        return axis(self.minus, self.plus, first, last, self.length + before + behind)

    @property
    def size(self) -> int:
        """Width of the inner region."""
        return self.end - self.begin + 1

    @property
    def interior(self) -> slice:
        """The inner region as an index."""
        return slice(self.begin, self.end + 1)

    def five(self) -> list[int]:
        """The paper's five numbers."""
        return [self.minus, self.plus, self.begin, self.end, self.length]


_order = itertools.count()
_alive: weakref.WeakValueDictionary[int, _Ending] = weakref.WeakValueDictionary()


class _Ending:
    """Ends the object once, at the latest with the program. After an exception in a `with` block
    it ends only with the program: the end is collective, and other ranks may not take part.
    """

    def __init__(self) -> None:
        _alive[next(_order)] = self

    def close(self) -> None:
        raise NotImplementedError

    def _end(self) -> None:
        """Ends all objects that still exist, with the program."""
        self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.close()


@atexit.register
def _close_all() -> None:
    """Before mpi4py finalizes MPI. The newest ends first, none while a thread is in a call."""
    for number in sorted(_alive, reverse=True):
        found = _alive.get(number)
        if found is not None and not _halo.is_in_call():
            found._end()


class cart(_Ending):
    """Processes in a grid of 1 to 4 dimensions.

    `dims`: processes along each dimension of the grid, 0 if weft chooses. `periodic`: per dimension
    of the data. `maps_to[d]`: the grid dimension of data dimension d.
    """

    def __init__(
        self,
        comm: Comm,
        dims: Sequence[int],
        periodic: Sequence[bool] | bool = False,
        maps_to: Sequence[int] | None = None,
    ) -> None:
        _check_library()
        count = len(dims)
        if not 1 <= count <= MAX_DIMS:
            message = f"dims has {count} numbers; a grid has 1 to {MAX_DIMS} dimensions"
            raise error(message, "bad_grid")
        wraps = [periodic] * count if isinstance(periodic, bool) else list(periodic)
        order = list(range(count)) if maps_to is None else list(maps_to)
        if len(wraps) != count or len(order) != count:
            message = f"periodic and maps_to need {count} entries each, as dims has"
            raise error(message, "bad_grid")
        self._grid: Any = _halo.make_grid(comm.py2f(), list(dims), wraps, order)
        self.maps_to = tuple(order)
        super().__init__()

    @property
    def rank(self) -> int:
        return int(self.handle.rank)

    @property
    def size(self) -> int:
        return int(self.handle.size)

    @property
    def dims(self) -> tuple[int, ...]:
        """Along the dimensions of the grid."""
        return tuple(self.handle.dims)

    @property
    def coords(self) -> tuple[int, ...]:
        """Along the dimensions of the grid."""
        return tuple(self.handle.coords)

    def position(self, data_dim: int) -> int:
        """Along a dimension of the data."""
        return self.coords[self.maps_to[data_dim]]

    def num_processes(self, data_dim: int) -> int:
        """Along a dimension of the data."""
        return self.dims[self.maps_to[data_dim]]

    def neighbour(self, towards: Sequence[int]) -> int | None:
        """The rank of the cells towards `towards`, each -1, 0 or 1; None beyond a boundary."""
        if len(towards) != len(self.dims) or any(each not in (-1, 0, 1) for each in towards):
            message = f"towards={list(towards)}: each of {len(self.dims)} numbers is -1, 0 or 1"
            raise error(message, "bad_grid")
        found = int(self.handle.neighbour(list(towards)))
        return None if found < 0 else found

    @property
    def handle(self) -> Any:  # noqa: ANN401 - of the extension
        if self._grid is None:
            message = "the grid is closed"
            raise error(message, "wrong_state")
        return self._grid

    def close(self) -> None:
        self._grid = None


class shared_field(_Ending):
    """Zeros in memory that the ranks of a node share, so that their halos are one copy.

    `close()`, and the end of a `with` block, raise an error while `array` or a view of it is still
    in use: `del` such names before. Pass `box` to exchanges, since rows are padded if their length
    is bad for caches.
    """

    def __init__(
        self, grid: cart, box: Sequence[axis], dtype: DTypeLike = np.float64, order: str = "C"
    ) -> None:
        self._handle = grid.handle
        num_bytes = _together(self._handle, lambda: self._announce(box, dtype, order))
        self._memory: Any = _halo.memory(self._handle, num_bytes)
        # The object that all views of the memory keep alive.
        self._base: weakref.ref[NDArray[Any]] | None = None
        self._array: NDArray[Any] | None = None
        self._make_array()
        super().__init__()

    def _announce(self, box: Sequence[axis], dtype: DTypeLike, order: str) -> int:
        """Bytes of memory."""
        self._dtype = np.dtype(dtype)
        axes = list(box)
        row = _contiguous(order, len(axes))
        if len(axes) > 1:
            axes[row] = axes[row].pad(0, _halo.row_padding(axes[row].length, self._dtype.itemsize))
        _made_shape(axes, [self._dtype.itemsize] * len(axes), self._dtype)  # raises if invalid
        self.box = tuple(axes)
        self._order: Literal["C", "F"] = "F" if row == 0 else "C"
        wanted = math.prod(each.length for each in axes) * self._dtype.itemsize
        return min(wanted, 2**64 - 1)  # raises an error if more memory is requested than available

    def _make_array(self) -> None:
        found = None if self._base is None else self._base()
        base: NDArray[Any] = self._memory.bytes() if found is None else found
        self._base = weakref.ref(base)
        lengths = [each.length for each in self.box]
        self._array = base.view(self._dtype).reshape(lengths, order=self._order)

    @property
    def array(self) -> NDArray[Any]:
        if self._array is None:
            message = "the field is closed"
            raise error(message, "wrong_state")
        return self._array

    def close(self) -> None:
        if self._memory is None:
            return
        self._array = None
        try:
            _together(self._handle, self._refuse_views)
        except error:
            self._make_array()
            raise
        self._end()

    def _refuse_views(self) -> None:
        if self._base is not None and self._base() is not None:
            message = "arrays of the field are still in use: delete them before it is closed"
            raise error(message, "wrong_state")

    def _end(self) -> None:
        self._array = None
        if self._memory is not None:
            self._memory.close()
            self._memory = None


def make_field(
    grid: cart, box: Sequence[axis], dtype: DTypeLike = np.float64, order: str = "C"
) -> shared_field:
    """A field in memory that ranks of a node share. Collective, as is `close()`."""
    return shared_field(grid, box, dtype, order)


@dataclass(frozen=True)
class field:
    """An array with its axes: its own strides, type and halo widths. `box`: axes, or one halo width
    for all sides.
    """

    array: NDArray[Any]
    box: Sequence[axis] | int

    def axes(self) -> list[axis]:
        """One per dimension of the array."""
        if not isinstance(self.box, int):
            return list(self.box)
        width = self.box
        return [axis(width, width, width, n - 1 - width, n) for n in self.array.shape]


class pending:
    """An exchange that has begun. Until `wait()`, do not read halos and do not write cells near a
    boundary. Deleting the object waits too.
    """

    def __init__(self, exchanger: Any, arrays: Sequence[NDArray[Any]]) -> None:  # noqa: ANN401
        self._exchanger = exchanger
        self._arrays: tuple[NDArray[Any], ...] | None = tuple(arrays)
        self._num_dims = arrays[0].ndim

    def wait(self) -> None:
        """Returns once all halos are filled and no other rank needs this rank's cells."""
        if self._arrays is not None:
            try:
                self._exchanger.finish()
            finally:
                # Released only now: neighbours and MPI use the memory until then.
                self._arrays = None

    def test(self) -> bool:
        """Makes progress without waiting. Returns True if all halos are filled."""
        if self._arrays is not None and self._exchanger.advance():
            self._arrays = None
        return self._arrays is None

    def progress(self) -> None:
        """Makes progress without waiting, so that messages advance."""
        self.test()

    def wait_any_side(self) -> tuple[int, ...] | None:
        """Waits until the halo of one more direction is filled; returns it, or None if all are."""
        found = self._exchanger.wait_any_side(self._num_dims)
        return None if found is None else tuple(found)

    def __del__(self) -> None:
        self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.wait()


@dataclass(frozen=True)
class exchange_options:
    """Options that do not change the result, under their C++ names.

    `validate`: a level from 0 to 3, or -1 for the level in `WEFT_HALO_VALIDATE`. `patience_s`:
    after that many seconds, a message on standard error names the ranks that an exchange waits for;
    0: never.
    """

    packing: str = "automatic"
    schedule: str = "automatic"
    directions: str = "all"
    transport: str = "automatic"
    validate: int = -1
    patience_s: float = 30.0


class exchange_any(_Ending):
    """Fills the halos of any fields together: each has its own type, strides, axes and widths.

    All ranks pass the same list of fields. All ranks plan a new list together, so it must be new on
    all of them; an error of one rank in its first call is raised on all ranks.

    Later calls compare nothing. A rank that passes wrong fields raises alone, before anything is
    sent. The others wait for it until it passes the right fields or the program ends (`python -m
    mpi4py program.py` ends all ranks if one does not catch an exception). Ranks whose lists differ
    wait for ever. Level 2 of `validate` finds both errors: each start then waits for all ranks, and
    all raise.
    """

    def __init__(self, grid: cart, options: exchange_options | None = None) -> None:
        chosen = options or exchange_options()
        self._grid = grid
        names = [chosen.packing, chosen.schedule, chosen.directions, chosen.transport]
        given = names, chosen.validate, chosen.patience_s
        try:
            self._exchanger: Any = _halo.exchanger(grid.handle, *given, _called_at())
        except ValueError as wrong:
            raise error(str(wrong), "unsupported") from wrong
        self._is_planned = False
        super().__init__()

    def __call__(self, *fields: field | shared_field) -> None:
        """Exchanges."""
        self.start(*fields).wait()

    def start(self, *fields: field | shared_field) -> pending:
        """Begins an exchange, and returns an object to wait for."""
        shapes = self._checked(lambda: _shapes(fields))
        return self._begin(shapes, [each.array for each in fields])

    def report(self) -> str:
        """Describes the messages, their paths, and their times on this rank."""
        return str(self._open().report())

    def close(self) -> None:
        if self._exchanger is not None:
            self._exchanger.close()
            self._exchanger = None

    def _open(self) -> Any:  # noqa: ANN401 - of the extension
        if self._exchanger is None:
            message = "the exchange is closed"
            raise error(message, "wrong_state")
        return self._exchanger

    def _checked(self, shapes: Callable[[], list[Any]]) -> list[Any]:
        """The shapes of the passed fields. This rank's errors are raised on all ranks if all take
        part: before the first plan, and from level 2 on."""
        if self._open().is_watched or not self._is_planned:
            made = _together(self._grid.handle, shapes)
            self._is_planned = True
            return made
        return shapes()

    def _begin(self, shapes: list[Any], arrays: list[NDArray[Any]]) -> pending:
        exchanger = self._open()
        exchanger.begin(shapes, [array.ctypes.data for array in arrays])
        return pending(exchanger, arrays)


class exchange(exchange_any):
    """Fills the halos of any number of arrays that have the same type and the same axes.

    `order`: "C" or "F". Arrays are checked against the announced type, axes and order.
    """

    def __init__(
        self,
        grid: cart,
        box: Sequence[axis],
        dtype: DTypeLike = np.float64,
        order: str = "C",
        options: exchange_options | None = None,
    ) -> None:
        _together(grid.handle, lambda: self._announce(grid, box, dtype, order, options))
        self._open().prepare([self._shape])
        self._is_planned = True

    def _announce(
        self,
        grid: cart,
        box: Sequence[axis],
        dtype: DTypeLike,
        order: str,
        options: exchange_options | None,
    ) -> None:
        exchange_any.__init__(self, grid, options)
        self.box = tuple(box)
        self.dtype = np.dtype(dtype)
        lengths = [each.length for each in self.box]
        step = self.dtype.itemsize
        self._strides = [0] * len(lengths)
        row = _contiguous(order, len(lengths))
        dims = range(len(lengths)) if row == 0 else reversed(range(len(lengths)))
        for d in dims:
            self._strides[d] = step
            step *= lengths[d]
        self._shape = _made_shape(self.box, self._strides, self.dtype)

    # Both take arrays, while those of the base class take fields.
    def __call__(self, *fields: NDArray[Any] | shared_field) -> None:  # type: ignore[override]
        """Exchanges."""
        self.start(*fields).wait()

    def start(self, *fields: NDArray[Any] | shared_field) -> pending:  # type: ignore[override]
        """Begins an exchange, and returns an object to wait for."""
        arrays: list[NDArray[Any]] = []

        def shapes() -> list[Any]:
            arrays.extend(each.array if isinstance(each, shared_field) else each for each in fields)
            return self._shapes(arrays)

        return self._begin(self._checked(shapes), arrays)

    def self_test(self, num_fields: int = 1) -> None:
        """Exchanges numbered cells and checks every one of them."""
        self._open().self_test([self._shape] * num_fields)

    def _shapes(self, arrays: Sequence[NDArray[Any]]) -> list[Any]:
        if not arrays:
            message = "no field passed"
            raise error(message)
        for number, array in enumerate(arrays):
            self._check(number, array)
        return [self._shape] * len(arrays)

    def _check(self, number: int, array: NDArray[Any]) -> None:
        _check_array(number, array)
        lengths = tuple(each.length for each in self.box)
        if array.dtype != self.dtype or array.shape != lengths:
            message = (
                f"field {number} is {array.dtype}{list(array.shape)}, the exchange was made for "
                f"{self.dtype}{list(lengths)}"
            )
            raise error(message)
        has_strides = all(
            length == 1 or stride == wanted
            for length, stride, wanted in zip(lengths, array.strides, self._strides, strict=True)
        )
        if not has_strides:
            message = (
                f"field {number} has strides {list(array.strides)}, the exchange was made for "
                f"{self._strides}; use exchange_any, which takes them as they are"
            )
            raise error(message)


def _contiguous(order: str, num_dims: int) -> int:
    """The dimension whose cells are contiguous."""
    if order not in ("C", "F"):
        message = f"order='{order}' does not exist; there are C and F"
        raise error(message, "unsupported")
    return 0 if order == "F" else num_dims - 1


def _shape(number: int, what: field | shared_field) -> Any:  # noqa: ANN401 - of the extension
    if isinstance(what, shared_field):
        what = field(what.array, what.box)
    if not isinstance(what, field):
        message = f"field {number} is a {type(what).__name__}; pass halo.field(array, box)"
        raise error(message)
    array = what.array
    _check_array(number, array)
    axes = what.axes()
    lengths = tuple(each.length for each in axes)
    if lengths != array.shape:
        message = (
            f"field {number}: the axes are {list(lengths)} long, the array {list(array.shape)}"
        )
        raise error(message)
    return _made_shape(axes, list(array.strides), array.dtype)


def _shapes(fields: Sequence[field | shared_field]) -> list[Any]:
    if not fields:
        message = "no field passed"
        raise error(message)
    return [_shape(number, each) for number, each in enumerate(fields)]


def _check_array(number: int, array: NDArray[Any]) -> None:
    if not isinstance(array, np.ndarray):
        message = f"field {number} is a {type(array).__name__}, and not an array of NumPy"
        raise error(message)
    if not array.flags.writeable:
        message = f"field {number} is read-only; halos are written"
        raise error(message)


def _made_shape(box: Sequence[axis], strides: list[int], dtype: np.dtype[Any]) -> Any:  # noqa: ANN401
    if dtype.hasobject:
        message = f"cells of {dtype} are Python objects, which cannot travel"
        raise error(message)
    return _halo.shape([each.five() for each in box], strides, dtype.itemsize, str(dtype))


def _together(grid: Any, call: Callable[[], Made]) -> Made:  # noqa: ANN401 - compiled, untyped
    """Returns the result of the call. If it raises on any rank, all ranks raise: that rank its own
    exception, the others `other_rank_refused`. So no rank waits in the next collective call."""
    try:
        made = call()
    except Exception as own:
        with contextlib.suppress(error):
            _halo.refuse_together(grid, str(own) or type(own).__name__)
        raise
    _halo.refuse_together(grid, "")
    return made


def _called_at() -> str:
    """The line of the program that called this module, as "heat.py:12"; empty: unknown."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_globals.get("__name__") == __name__:
        frame = frame.f_back
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def _check_library() -> None:
    """Two MPIs in one process cannot use each other's communicators."""
    from mpi4py import MPI

    own, theirs = _halo.library_version(), MPI.Get_library_version()
    if own.rstrip("\x00\n") != theirs.rstrip("\x00\n"):
        message = (
            f"mpi4py runs on {theirs.splitlines()[0]}, weft.halo on {own.splitlines()[0]}: build "
            "both with the same MPI"
        )
        raise error(message, "mpi_call")

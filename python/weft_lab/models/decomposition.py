# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The neighbours and faces of each rank when a block of cells is distributed among ranks.

Units:   cells; a face's area is the number of cells that cross it.
Source:  MPI-4.1, Cartesian topologies: the last dimension varies fastest with the rank.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from weft_lab.models.arrays import ModelError

Dims = tuple[int, int, int]


@dataclass(frozen=True)
class Face:
    """The face between `rank` and `neighbour` in dimension `axis`."""

    rank: int
    neighbour: int
    axis: int
    cells: int


@dataclass(frozen=True)
class Decomposition:
    """`cells` in all, cut into `dims` blocks; the first blocks of a dimension are one larger."""

    cells: Dims
    dims: Dims
    is_periodic: bool = False

    def __post_init__(self) -> None:
        if min(self.dims) < 1 or any(
            cells < dim for cells, dim in zip(self.cells, self.dims, strict=True)
        ):
            raise ModelError(
                what=f"{self.cells} cells cannot be cut into {self.dims}",
                why="every rank needs at least one cell in each dimension",
                remedy="choose fewer ranks per dimension",
            )

    @property
    def num_ranks(self) -> int:
        return math.prod(self.dims)

    def coordinates(self, rank: int) -> Dims:
        """The position of a rank in the grid."""
        _, num_y, num_z = self.dims
        return rank // (num_y * num_z), rank // num_z % num_y, rank % num_z

    def rank(self, at: Dims) -> int:
        """The rank at a position of the grid."""
        return (at[0] * self.dims[1] + at[1]) * self.dims[2] + at[2]

    def block(self, rank: int) -> Dims:
        """Cells of a rank in each dimension."""
        x, y, z = (
            share(cells, dim, at)
            for cells, dim, at in zip(self.cells, self.dims, self.coordinates(rank), strict=True)
        )
        return x, y, z

    def faces(self, rank: int) -> list[Face]:
        """Every face of a rank that has another rank behind it."""
        here, block = self.coordinates(rank), self.block(rank)
        found = []
        for axis, step in itertools.product(range(3), (-1, 1)):
            there = list(here)
            there[axis] += step
            if self.is_periodic:
                there[axis] %= self.dims[axis]
            if self.dims[axis] > 1 and 0 <= there[axis] < self.dims[axis]:
                area = math.prod(block) // block[axis]
                found.append(Face(rank, self.rank((there[0], there[1], there[2])), axis, area))
        return found

    def busiest_cells(self) -> int:
        """The largest number of cells that any rank sends."""
        return max(sum(face.cells for face in self.faces(rank)) for rank in self.corner_ranks())

    def corner_ranks(self) -> list[int]:
        """One rank of each kind: blocks and neighbours differ only at the ends and where the block
        size changes."""
        places = [
            sorted(
                {0, 1, dim // 2, max(cells % dim - 1, 0), cells % dim, dim - 1} & set(range(dim))
            )
            for cells, dim in zip(self.cells, self.dims, strict=True)
        ]
        return [self.rank((x, y, z)) for x, y, z in itertools.product(*places)]


def share(cells: int, num_parts: int, part: int) -> int:
    """Cells of one of `num_parts` parts: the first `cells % num_parts` have one more."""
    return cells // num_parts + (part < cells % num_parts)


def factorings(num_ranks: int) -> list[Dims]:
    """Every way to arrange ranks in three dimensions, largest first, regardless of order."""
    found = []
    for x in range(1, num_ranks + 1):
        if num_ranks % x:
            continue
        rest = num_ranks // x
        found += [(x, y, rest // y) for y in range(1, x + 1) if rest % y == 0 and rest // y <= y]
    return sorted(found, reverse=True)

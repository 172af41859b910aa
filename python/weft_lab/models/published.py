# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the MPI report as data, and checks that find impossible values in them."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from weft_lab.models import jacobi_report
from weft_lab.models.decomposition import Decomposition, Dims

AGREES_WITHIN = 1e-5


@dataclass(frozen=True)
class JacobiRow:
    """A row of Tables IV to XI. Units: 10^6 lattice updates per second; c in 10^6 bytes."""

    table: str
    ranks: int
    dims: Dims
    k: int
    c_mb: float
    model_mlups: float
    model_inverse_efficiency: float
    measured_mlups: float
    measured_inverse_efficiency: float


@dataclass(frozen=True)
class SumRow:
    """A row of Tables I to III; `load` is by rank. Units: elements, seconds."""

    table: str
    size: Dims
    topology: Dims
    a: int
    load: Mapping[int, int]
    low_s: float
    high_s: float

    @property
    def middle_s(self) -> float:
        return 0.5 * (self.low_s + self.high_s)


@dataclass(frozen=True)
class Caption:
    """The caption of a Jacobi table."""

    caption: str
    node: str
    serial_s: float
    latency_us: float | None
    bandwidth_mb_per_s: float | None

    def machine(self) -> jacobi_report.Machine | None:
        """The model's parameters; None if the caption gives none."""
        if self.latency_us is None or self.bandwidth_mb_per_s is None:
            return None
        return jacobi_report.Machine(
            self.serial_s, 1e-6 * self.latency_us, 1e6 * self.bandwidth_mb_per_s
        )


@dataclass(frozen=True)
class Doubt:
    """An impossible value: its table, its row if it is in one, and the reason."""

    table: str
    row: str
    why: str


@cache
def report() -> dict[str, Any]:
    """The whole file `data/papers/mpi_report.json`."""
    path = resources.files("weft_lab").joinpath("data", "papers", "mpi_report.json")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def points_per_side() -> int:
    """L of the report's Jacobi runs."""
    return int(report()["points_per_side"])


def captions() -> dict[str, Caption]:
    """By table: IV to XI."""
    return {name: Caption(**row) for name, row in report()["jacobi_captions"].items()}


def jacobi_rows(*tables: str) -> list[JacobiRow]:
    """The rows of these tables, or of all."""
    every = [JacobiRow(*_dims_frozen(row)) for row in report()["jacobi"]]
    return [row for row in every if not tables or row.table in tables]


def sum_rows(*tables: str) -> list[SumRow]:
    """The rows of these tables, or of all."""
    every = [
        SumRow(table, tuple(size), tuple(topology), a, _by_rank(load), low, high)
        for table, size, topology, a, load, low, high in report()["sum3d"]
    ]
    return [row for row in every if not tables or row.table in tables]


def recomputed_mlups(row: JacobiRow) -> float | None:
    """Equation 14 with the caption's parameters; None if there are none."""
    machine = captions()[row.table].machine()
    if machine is None:
        return None
    return 1e-6 * jacobi_report.updates_per_s(points_per_side(), row.dims, machine)


def doubts(
    jacobi: Sequence[JacobiRow] | None = None, sums: Sequence[SumRow] | None = None
) -> list[Doubt]:
    """All findings of the checks, in the report's tables or in the given rows."""
    jacobi_checked = jacobi_rows() if jacobi is None else jacobi
    sums_checked = sum_rows() if sums is None else sums
    return [
        *caption_doubts(jacobi_checked),
        *load_doubts(sums_checked),
        *duplicate_doubts(sums_checked),
    ]


def caption_doubts(rows: Sequence[JacobiRow]) -> list[Doubt]:
    """Tables whose predictions do not follow from the parameters of their caption."""
    off: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        own = recomputed_mlups(row)
        if own is not None:
            off[row.table].append(abs(row.model_mlups / own - 1.0))
    found = []
    for table, errors in off.items():
        if max(errors) > AGREES_WITHIN:
            same = [
                name
                for name, caption in captions().items()
                if name != table and _same_parameters(caption, captions()[table])
            ]
            copy = f"; the same latency and bandwidth stand above Table {same[0]}" if same else ""
            found.append(
                Doubt(
                    table,
                    "",
                    f"Equation 14 with the caption's parameters differs from the printed values by "
                    f"up to {max(errors):.1e}{copy}",
                )
            )
    return found


def load_doubts(rows: Sequence[SumRow]) -> list[Doubt]:
    """Rows whose loads miss a rank, have a wrong sum, or differ from the splitting."""
    found = []
    for row in rows:
        num_ranks, total = math.prod(row.topology), math.prod(row.size)
        missing = sorted(set(range(num_ranks)) - set(row.load))
        if missing:
            found.append(_sum_doubt(row, f"rank {', '.join(map(str, missing))} has no load"))
        elif sum(row.load.values()) != total:
            why = f"the loads add up to {sum(row.load.values())}, the matrix has {total} elements"
            found.append(_sum_doubt(row, why))
        elif [row.load[rank] for rank in range(num_ranks)] != expected_load(row):
            found.append(_sum_doubt(row, "the loads are not those of the splitting described"))
    return found


def duplicate_doubts(rows: Sequence[SumRow]) -> list[Doubt]:
    """Rows with identical intervals, to the last digit."""
    seen: dict[tuple[float, float], SumRow] = {}
    found = []
    for row in rows:
        first = seen.setdefault((row.low_s, row.high_s), row)
        if first is not row:
            why = (
                f"its interval is that of {first.topology} with a={first.a} in Table "
                f"{first.table}, digit by digit"
            )
            found.append(_sum_doubt(row, why))
    return found


def expected_load(row: SumRow) -> list[int]:
    """Elements per rank: as even as possible with a = 0, else the product of the blocks' sides."""
    if row.a == 0:
        total, num_ranks = math.prod(row.size), math.prod(row.topology)
        return [total // num_ranks + (rank < total % num_ranks) for rank in range(num_ranks)]
    cut = Decomposition(row.size, row.topology)
    return [math.prod(cut.block(rank)) for rank in range(cut.num_ranks)]


def _sum_doubt(row: SumRow, why: str) -> Doubt:
    return Doubt(row.table, f"{row.topology} a={row.a}", why)


def _same_parameters(first: Caption, second: Caption) -> bool:
    return (first.latency_us, first.bandwidth_mb_per_s) == (
        second.latency_us,
        second.bandwidth_mb_per_s,
    )


def _by_rank(load: Mapping[str, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for ranks, elements in load.items():
        for part in ranks.split(","):
            first, _, last = part.partition("-")
            found |= {rank: elements for rank in range(int(first), int(last or first) + 1)}
    return found


def _dims_frozen(row: Sequence[Any]) -> list[Any]:
    return [tuple(value) if isinstance(value, list) else value for value in row]

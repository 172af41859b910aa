# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Jacobi sweep's time fitted to measured runs, for data whose machine cannot be measured again.

Formula: t = T_1 v + a T_1 v (n - 1) + b F + d T_1 v [cores are shared], v the share of cells of the
         largest block, n ranks on the fullest socket, F the bytes that the busiest rank sends;
         a (contention for memory), b (copies and wire, per byte), d (siblings) are non-negative and
         minimise relative errors. T_1 is the time of one rank alone and is not fitted.
         Strong scaling: one grid is cut. Weak scaling, as Equation 14 of the report has it: every
         rank has a grid of its own, v = 1.
Units:   seconds, bytes; a per rank, b seconds per byte, d a fraction.
Assumptions: time per byte sent is one number, as ranks share the memory that every face is copied
         through.
Source:  the terms of `jacobi`, made linear; prediction intervals as for linear regression, Draper
         and Smith, Applied Regression Analysis, 1.4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from weft_lab.models.arrays import Floats, ModelError
from weft_lab.models.decomposition import Decomposition, Dims
from weft_lab.models.launches import Estimate

Scaling = Literal["strong", "weak"]
BYTES_PER_CELL = 8
POINTS_MIN = 5
LEVEL = 0.95


@dataclass(frozen=True)
class Machine:
    """Cores of a socket and of a node; ranks fill cores before they share any."""

    sockets_per_node: int
    cores_per_node: int
    num_nodes: int = 1

    def busiest_socket(self, num_ranks: int) -> int:
        """Ranks on the fullest socket, spread evenly."""
        return math.ceil(num_ranks / (self.sockets_per_node * self.num_nodes))

    def shares_cores(self, num_ranks: int) -> bool:
        """Whether two ranks must share a core."""
        return num_ranks > self.cores_per_node * self.num_nodes


@dataclass(frozen=True)
class Run:
    """One measured decomposition. Units: updates per second of all ranks."""

    dims: Dims
    updates_per_s: float

    @property
    def num_ranks(self) -> int:
        return math.prod(self.dims)


@dataclass(frozen=True)
class Problem:
    """The grid (of all ranks or of each), the time of one rank alone with it, and the machine."""

    cells: Dims
    serial_s: float
    machine: Machine
    scaling: Scaling = "strong"

    def updates(self, dims: Dims) -> int:
        """Of one sweep of all ranks."""
        return math.prod(self.cells) * (math.prod(dims) if self.scaling == "weak" else 1)


@dataclass(frozen=True)
class Fitted:
    """The three coefficients, and the data for the prediction interval."""

    problem: Problem
    contention: float
    s_per_byte: float
    sibling: float
    relative_error: float
    freedom: int

    def time_s(self, dims: Dims) -> float:
        """Seconds of a sweep."""
        fixed, terms = _terms(self.problem, dims)
        values = (self.contention, self.s_per_byte, self.sibling)
        return fixed + sum(value * term for value, term in zip(values, terms, strict=True))

    def waterfall(self, dims: Dims) -> dict[str, float]:
        """Seconds by cause; their sum is `time_s`."""
        fixed, terms = _terms(self.problem, dims)
        return {
            "compute": fixed,
            "contention": self.contention * terms[0],
            "copies and wire": self.s_per_byte * terms[1],
            "shared cores": self.sibling * terms[2],
        }

    def updates_per_s(self, dims: Dims) -> Estimate:
        """The time, with the interval that contains a new run in 95 % of cases."""
        from scipy import special

        functions: Any = special
        value = self.problem.updates(dims) / self.time_s(dims)
        student = float(functions.stdtrit(self.freedom, 0.5 * (1.0 + LEVEL)))
        spread = student * self.relative_error
        return Estimate(value, value / (1.0 + spread), value / max(1.0 - spread, 1e-9))


def fit(problem: Problem, runs: Sequence[Run]) -> Fitted:
    """The coefficients from runs of several ranks. Errors: `ModelError` for fewer than 5."""
    from scipy import optimize

    used = [run for run in runs if run.num_ranks > 1]
    if len(used) < POINTS_MIN:
        raise ModelError(
            what=f"{len(used)} runs do not determine three coefficients and an interval",
            why=f"{POINTS_MIN} are needed",
            remedy="measure more decompositions",
        )
    times = np.array([problem.updates(run.dims) / run.updates_per_s for run in used])
    rows = [_terms(problem, run.dims) for run in used]
    matrix = np.array([terms for _, terms in rows])
    fixed = np.array([value for value, _ in rows])
    scale = np.maximum(matrix.max(axis=0), 1e-300)
    solve: Any = optimize.nnls
    found: Floats = solve(matrix / scale / times[:, np.newaxis], 1.0 - fixed / times)[0] / scale
    errors = (fixed + matrix @ found) / times - 1.0
    freedom = max(len(used) - int(np.count_nonzero(found)), 1)
    relative = float(np.sqrt(np.sum(errors**2) / freedom)) * math.sqrt(1.0 + 3.0 / len(used))
    a, b, d = (float(value) for value in found)
    return Fitted(problem, a, b, d, relative, freedom)


def leave_one_out(problem: Problem, runs: Sequence[Run]) -> list[tuple[Run, Estimate]]:
    """Every run predicted from the runs with other numbers of ranks."""
    found = []
    for run in runs:
        if run.num_ranks > 1:
            others = [other for other in runs if other.num_ranks != run.num_ranks]
            found.append((run, fit(problem, others).updates_per_s(run.dims)))
    return found


def _terms(problem: Problem, dims: Dims) -> tuple[float, tuple[float, float, float]]:
    is_weak = problem.scaling == "weak"
    x, y, z = (
        side * (count if is_weak else 1) for side, count in zip(problem.cells, dims, strict=True)
    )
    cut, machine = Decomposition((x, y, z), dims), problem.machine
    own_s = problem.serial_s * math.prod(cut.block(0)) / math.prod(problem.cells)
    sent = float(BYTES_PER_CELL * cut.busiest_cells())
    crowd = own_s * (machine.busiest_socket(cut.num_ranks) - 1)
    return own_s, (crowd, sent, own_s * machine.shares_cores(cut.num_ranks))

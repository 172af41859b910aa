# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's model of a Jacobi sweep, exactly as printed, kept for comparison.

Formula: P(L, N) = L^3 N / (T_s + T_c), T_c = c / B + k T_l, c = L^2 k 2 8 bytes
         (Equations 14-16); k is 2, 4, 6 for ranks along 1, 2, 3 dimensions, 0 for one rank.
Units:   L grid points per side and rank, T_s seconds of one sweep of one rank, T_l seconds,
         B bytes/s, P lattice updates per second.
Assumptions: every rank computes as fast as one alone; all faces are L^2 and use one pair of
         latency and bandwidth, that of one idle pair of ranks; nothing is copied.
Source:  Celoria, FHPC assignment report 2021/22, section III; Hager and Wellein, Introduction to
         High Performance Computing for Scientists and Engineers, 9.3.2.
"""

from __future__ import annotations

from dataclasses import dataclass

from weft_lab.models.decomposition import Dims

BYTES_PER_CELL = 8
DIRECTIONS = 2


@dataclass(frozen=True)
class Machine:
    """The report's three parameters of a table's caption."""

    serial_s: float
    latency_s: float
    bandwidth_bytes_per_s: float


def num_exchanges(dims: Dims) -> int:
    """k: two for each dimension with several ranks. The report's text defines it as the number of
    those dimensions, but its tables use twice that, as here."""
    return 2 * sum(dim > 1 for dim in dims)


def exchanged_bytes(points: int, dims: Dims) -> int:
    """c of Equation 16."""
    return points**2 * num_exchanges(dims) * DIRECTIONS * BYTES_PER_CELL


def updates_per_s(points: int, dims: Dims, machine: Machine) -> float:
    """P of Equation 14."""
    num_ranks = dims[0] * dims[1] * dims[2]
    exchange_s = (
        exchanged_bytes(points, dims) / machine.bandwidth_bytes_per_s
        + num_exchanges(dims) * machine.latency_s
    )
    return float(points**3 * num_ranks / (machine.serial_s + exchange_s))

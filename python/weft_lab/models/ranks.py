# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Efficiency of three programs on many ranks, from the costs of messages between two ranks.

Formulas: efficiency E(P) is the time of the same work without messages over the time with them.
    updates  a batch of b updates of u seconds reaches d = (P - 1) (1 - (1 - 1/P)^b) other ranks:
             E = b u / (b u + 2 d o + 2 (8 b (P - 1)/P) G)
    heat     a step of c seconds sends two cells and receives two:
             E = c / (c + 4 o + s + max(w - c, 0)) for P > 1
    search   n nodes of t seconds for each rank, requests answered every m nodes; a steal takes
             z = m t + 2 (o + s + w), and a rank waits for log2 P log2(n / m) / 6 of them:
             E = n t / (n t + z log2 P log2(n / m) / 6); the 6 is fitted to simulated searches
Units:   o processor time of a small message at each end, w the time that MPI's message needs then,
         s the time that weft adds to w, all in seconds; G seconds per byte.
Assumptions: each message costs as between two ranks, so the network has no contention; ranks are
         alike; computation hides w, but not s, which a processor spends; work for each rank is
         constant (weak scaling). A batch goes directly to each rank, without hops. The search's
         formula holds from n = 1000 m on.
Source:  LogGP as in `loggp`; Blumofe and Leiserson, Scheduling Multithreaded Computations by Work
         Stealing, JACM 46 (1999), for waits that grow with the depth of the work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

WORD_BYTES = 8
WAITS_FITTED = 6.0


@dataclass(frozen=True)
class Messages:
    """The costs of messages, named o, w, s and G in the formulas."""

    overhead_s: float
    wire_s: float
    software_s: float
    s_per_byte: float

    @property
    def one_way_s(self) -> float:
        """From the begin of a call on one rank to the begin of its function on another."""
        return self.overhead_s + self.software_s + self.wire_s


class Program(Protocol):
    """Predicts its efficiency."""

    def efficiency(self, by: Messages, ranks: int) -> float: ...


@dataclass(frozen=True)
class Updates:
    """Random updates in batches."""

    update_s: float
    batch: int

    def destinations(self, ranks: int) -> float:
        """How many other ranks one batch has updates for, on average."""
        return (ranks - 1) * (1.0 - (1.0 - 1.0 / ranks) ** self.batch)

    def efficiency(self, by: Messages, ranks: int) -> float:
        compute_s = self.batch * self.update_s
        num_bytes = WORD_BYTES * self.batch * (ranks - 1) / ranks
        messages_s = 2.0 * (self.destinations(ranks) * by.overhead_s + num_bytes * by.s_per_byte)
        return compute_s / (compute_s + messages_s)


@dataclass(frozen=True)
class Heat:
    """A ring of blocks."""

    step_s: float

    def efficiency(self, by: Messages, ranks: int) -> float:
        if ranks == 1:
            return 1.0
        waits_s = by.software_s + max(by.wire_s - self.step_s, 0.0)
        return self.step_s / (self.step_s + 4.0 * by.overhead_s + waits_s)


@dataclass(frozen=True)
class Search:
    """A tree with `nodes` for each rank; `turn` nodes are visited between two looks at requests."""

    node_s: float
    nodes: float
    turn: int

    def steal_s(self, by: Messages) -> float:
        """From a request to the begin of the stolen work."""
        return self.turn * self.node_s + 2.0 * by.one_way_s

    def efficiency(self, by: Messages, ranks: int) -> float:
        waits = math.log2(ranks) * math.log2(max(self.nodes / self.turn, 2.0)) / WAITS_FITTED
        work_s = self.nodes * self.node_s
        return work_s / (work_s + waits * self.steal_s(by))

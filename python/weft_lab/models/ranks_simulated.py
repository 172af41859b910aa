# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of `ranks`, simulated by events rank by rank, to check the formulas.

Beyond the formulas, messages reach a rank while it computes and wait there, batches differ in their
destinations, steps take random times, and stolen subtrees have random sizes.
"""

from __future__ import annotations

import heapq
import itertools
import math

import numpy as np

from weft_lab.models.ranks import WORD_BYTES, Heat, Messages, Search, Updates

# The least and the largest part of the work that a steal takes.
STOLEN = (0.25, 0.75)
STEPS = 200
BATCHES = 20


def updates(what: Updates, by: Messages, ranks: int, *, seed: int) -> float:
    """The efficiency. Each rank makes and sends a batch, takes what has come, and repeats."""
    random = np.random.default_rng(seed)
    now = np.zeros(ranks)
    arrivals: list[list[tuple[float, float]]] = [[] for _ in range(ranks)]
    turns = [(0.0, rank, 0) for rank in range(ranks)]
    while turns:
        _, rank, number = heapq.heappop(turns)
        now[rank] += what.batch * what.update_s
        counts = random.multinomial(what.batch, np.full(ranks, 1.0 / ranks))
        for to in np.flatnonzero(counts):
            if to != rank:
                cost_s = by.overhead_s + WORD_BYTES * float(counts[to]) * by.s_per_byte
                now[rank] += cost_s
                heapq.heappush(arrivals[to], (float(now[rank]) + by.software_s + by.wire_s, cost_s))
        while arrivals[rank] and arrivals[rank][0][0] <= now[rank]:
            now[rank] += heapq.heappop(arrivals[rank])[1]
        if number + 1 < BATCHES:
            heapq.heappush(turns, (float(now[rank]), rank, number + 1))
    for rank, waiting in enumerate(arrivals):
        for arrival_s, cost_s in sorted(waiting):
            now[rank] = max(now[rank], arrival_s) + cost_s
    return BATCHES * what.batch * what.update_s / float(now.max())


def heat(what: Heat, by: Messages, ranks: int, *, spread: float, seed: int) -> float:
    """The efficiency, if steps have a relative standard deviation of `spread`."""
    random = np.random.default_rng(seed)
    now = np.zeros(ranks)
    for _ in range(STEPS):
        sent = now + 2.0 * by.overhead_s
        computed = sent + what.step_s * np.maximum(random.normal(1.0, spread, ranks), 0.0)
        arrived = np.maximum(np.roll(sent, 1), np.roll(sent, -1)) + by.wire_s
        now = np.maximum(computed, arrived) + by.software_s + 2.0 * by.overhead_s
    return STEPS * what.step_s / float(now.max())


def search(what: Search, by: Messages, ranks: int, *, seed: int) -> float:
    """The efficiency of one search that begins on rank 0."""
    return _Search(what, by, ranks, seed).run()


class _Search:
    """Events are functions that run at their time."""

    def __init__(self, what: Search, by: Messages, ranks: int, seed: int) -> None:
        self._what, self._ranks = what, ranks
        self._random = np.random.default_rng(seed)
        self._turn_s = what.turn * what.node_s
        self._one_way_s = by.one_way_s
        self._ends = [0.0] * ranks  # when the work of each rank ends
        self._waiting: list[set[int]] = [set() for _ in range(ranks)]
        self._events: list[tuple[float, int, str, int, float]] = []
        self._numbers = itertools.count()

    def run(self) -> float:
        work_s = self._what.nodes * self._what.node_s
        for rank in range(1, self._ranks):
            self._ask(rank, 0.0)
        self._post(0.0, "take", 0, work_s * self._ranks)
        last_s = 0.0
        while self._events:
            now_s, _, kind, rank, value = heapq.heappop(self._events)
            if kind == "take":
                self._ends[rank] = max(self._ends[rank], now_s) + value
                self._post(self._ends[rank], "end", rank, 0.0)
                self._post(now_s + self._turn_s, "share", rank, 0.0)
            elif kind == "request":
                self._waiting[rank].add(int(value))
                self._post(now_s + self._turn_s * self._random.random(), "share", rank, 0.0)
            elif kind == "share":
                self._share(rank, now_s)
            elif now_s == self._ends[rank]:  # otherwise a steal or new work moved the end
                last_s = max(last_s, now_s)
                self._ask(rank, now_s)
        return work_s / last_s

    def _post(self, at_s: float, kind: str, rank: int, value: float) -> None:
        heapq.heappush(self._events, (at_s, next(self._numbers), kind, rank, value))

    def _ask(self, rank: int, now_s: float) -> None:
        for bit in range(math.ceil(math.log2(self._ranks))):
            if rank ^ (1 << bit) < self._ranks:
                self._post(now_s + self._one_way_s, "request", rank ^ (1 << bit), rank)

    def _share(self, rank: int, now_s: float) -> None:
        waiting = self._waiting[rank]
        while waiting and self._ends[rank] - now_s > self._turn_s:
            part = self._random.uniform(*STOLEN) * (self._ends[rank] - now_s)
            self._ends[rank] -= part
            self._post(self._ends[rank], "end", rank, 0.0)
            thief = min(waiting)
            waiting.remove(thief)
            self._post(now_s + self._one_way_s, "take", thief, part)

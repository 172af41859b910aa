# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicts the time of a cell: at first a guess from its size, later its previous time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import Case, cases

CALL_FLOOR_S = 2e-6
ANSWER_FLOOR_S = 0.004
# Verified, warmed up, and twice verified again.
UNTIMED_CALLS = 6
PROBE_GUESS_S = 0.02
LEARNING_RATE = 0.5
# A launch is stopped after this multiple of the best time so far if its contestant has no time yet.
# Otherwise it is stopped after this multiple of its own earlier time.
PATIENCE_OF_BEST = 5.0
PATIENCE_OF_OWN = 10.0


@dataclass(frozen=True)
class Task:
    """One thing to measure: a cell on a variant."""

    variant: str
    cell: Cell

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        """Without the hash, which another process computes anew: texts have other hashes there."""
        return {"variant": self.variant, "cell": self.cell}

    @cached_property
    def _hash(self) -> int:
        return hash((self.variant, self.cell))


@dataclass(frozen=True)
class Sampling:
    """The sampling fields of a cell (docs/reference/records.md)."""

    protocol: str = "robust"
    min_samples: int = 10
    max_samples: int = 1000
    min_time_s: float = 0.02
    max_time_s: float = 0.5

    def to_dict(self) -> dict[str, object]:
        if self.protocol == "paper":
            return {"protocol": "paper"}
        return dict(vars(self))


class CostModel:
    """Predicts the seconds between sending a cell and receiving its record.

    The probe of its threads is not included: it runs once, and `probe_mean_s` is its time.
    """

    def __init__(self, sampling: Sampling) -> None:
        self._sampling = sampling
        self._learned_s: dict[Task, float] = {}
        self._learned_cell_s: dict[Cell, list[float]] = {}
        self._taken_s = 0.0
        self._guessed_s = 0.0
        self._probes_s: list[float] = []

    @property
    def probe_mean_s(self) -> float:
        return sum(self._probes_s) / len(self._probes_s) if self._probes_s else PROBE_GUESS_S

    def predict_s(self, task: Task) -> float:
        """The task's own time; otherwise the mean time of other variants for its cell; otherwise a
        guess, scaled by the error of the guesses so far."""
        if task in self._learned_s:
            return self._learned_s[task]
        others_s = self._learned_cell_s.get(task.cell)
        if others_s:
            return sum(others_s) / len(others_s)
        correction = self._taken_s / self._guessed_s if self._guessed_s else 1.0
        return correction * self.guess_s(task.cell)

    def patience_s(self, task: Task) -> float:
        """The time after which it counts as hung."""
        others_s = self._learned_cell_s.get(task.cell)
        if task not in self._learned_s and others_s:
            return PATIENCE_OF_BEST * min(others_s)
        return PATIENCE_OF_OWN * self.predict_s(task)

    def learn(self, task: Task, took_s: float, probe_s: float = 0.0) -> None:
        if probe_s > 0.0:
            self._probes_s.append(probe_s)
        took_s = max(took_s - probe_s, 0.0)
        before_s = self._learned_s.get(task, took_s)
        self._learned_s[task] = before_s + LEARNING_RATE * (took_s - before_s)
        self._learned_cell_s.setdefault(task.cell, []).append(took_s)
        self._taken_s += took_s
        self._guessed_s += self.guess_s(task.cell)

    def guess_s(self, cell: Cell) -> float:
        """From size and problem alone, for one thread."""
        return self.answer_s(cell, CALL_FLOOR_S + _case_of(cell).call_s(cell.size))

    def answer_s(self, cell: Cell, call_s: float) -> float:
        """Returns the seconds of one launch of the cell, if one call takes `call_s`."""
        untimed_s = cell.size * _case_of(cell).setup_ns * 1e-9 + UNTIMED_CALLS * call_s
        return ANSWER_FLOOR_S + untimed_s + self._sampling_s(call_s)

    def _sampling_s(self, call_s: float) -> float:
        limits = self._sampling
        if limits.protocol == "paper":
            return max(5.0, call_s)
        wanted_s = max(limits.min_time_s, limits.min_samples * call_s)
        if wanted_s <= limits.max_time_s:
            return wanted_s
        return max(3 * call_s, min(wanted_s, 10 * limits.max_time_s))


def _case_of(cell: Cell) -> Case:
    return _case(cell.suite, cell.problem, cell.params)


@cache
def _case(suite: str, problem: str, params: tuple[tuple[str, int], ...]) -> Case:
    for case in cases(suite, [problem]):
        if case.params == params:
            return case
    return Case(problem, params)


def octaves(size: int) -> float:
    """The position of a size on a logarithmic axis."""
    return math.log2(size)

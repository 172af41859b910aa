# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of launches and the time limit of each, so that a short run has results."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

LAUNCH_TIMEOUT_S = 120.0
# Fraction of the budget that one launch may take, so that a hanging launch leaves time for others.
PATIENCE_FRACTION = 0.15


class Labelled(Protocol):
    """A launch to be made."""

    @property
    def problem(self) -> str: ...


Job = TypeVar("Job", bound=Labelled)


def in_order(jobs: Sequence[Job], seed: int, round_: int) -> list[Job]:
    """Shuffled; in the first round, one launch of each problem comes first, as the time may end
    before all are made."""
    shuffled = list(jobs)
    random.Random(f"{seed} {round_}").shuffle(shuffled)
    if round_ > 1:
        return shuffled
    firsts = {job.problem: number for number, job in reversed(list(enumerate(shuffled)))}
    chosen = set(firsts.values())
    rest = [job for number, job in enumerate(shuffled) if number not in chosen]
    return [shuffled[number] for number in sorted(chosen)] + rest


def patience_s(budget_s: float) -> float:
    """The time limit of one launch."""
    return min(LAUNCH_TIMEOUT_S, PATIENCE_FRACTION * budget_s)

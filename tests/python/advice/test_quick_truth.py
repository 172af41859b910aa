# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches go where a verdict needs them: more sure advice in the same time, seldom wrong."""

from __future__ import annotations

from functools import cache

import pytest
from weft_lab.checks import quick_truth
from weft_lab.checks.quick_truth import UniformLedger, Verdicts
from weft_lab.measuring.ledger import Ledger

SEED_FIRST = 3000


@cache
def machine(kind: type[Ledger], number: int) -> Verdicts:
    """The verdicts of one machine; both tests look at the first two."""
    return quick_truth.study(1, kind, SEED_FIRST + number)


def study(machines: int, kind: type[Ledger]) -> Verdicts:
    total = Verdicts()
    for number in range(machines):
        total.add(machine(kind, number))
    return total


@pytest.mark.long
def test_two_minutes_give_more_sure_verdicts_than_a_uniform_plan() -> None:
    uniform, sequential = (study(2, kind) for kind in (UniformLedger, Ledger))

    assert sequential.places == uniform.places
    assert sequential.told["sure"] >= 1.25 * uniform.told["sure"]
    assert sequential.wrong["sure"] <= 1


@pytest.mark.long
def test_likely_verdicts_of_ten_machines_are_seldom_wrong() -> None:
    verdicts = study(10, Ledger)

    assert verdicts.told["likely"] >= 20
    assert verdicts.wrong["likely"] <= 0.1 * verdicts.told["likely"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches go where a verdict needs them: more sure advice in the same time, seldom wrong."""

from __future__ import annotations

import pytest
from weft_lab.checks import quick_truth
from weft_lab.checks.quick_truth import UniformLedger
from weft_lab.measuring.ledger import Ledger


@pytest.mark.long
def test_two_minutes_give_more_sure_verdicts_than_a_uniform_plan() -> None:
    uniform, sequential = (quick_truth.study(2, kind, 3000) for kind in (UniformLedger, Ledger))

    assert sequential.places == uniform.places
    assert sequential.told["sure"] >= 1.25 * uniform.told["sure"]
    assert sequential.wrong["sure"] <= 1
    assert sequential.wrong["likely"] <= 0.1 * sequential.told["likely"]

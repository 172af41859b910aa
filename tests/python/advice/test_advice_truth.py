# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Advice on 200 simulated noisy runs whose truth is known: no contradiction, few errors, little
time lost.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from weft_lab.checks import advice_truth
from weft_lab.checks.advice_truth import Study
from weft_lab.statistics.estimates import mean


@pytest.fixture(scope="module")
def study() -> Study:
    return advice_truth.study()


@pytest.mark.long
def test_no_advice_contradicts_its_own_intervals(study: Study) -> None:
    assert study.runs == 200
    assert study.contradictions == ()


@pytest.mark.long
def test_what_is_advised_is_seldom_wrong_and_loses_little_time(study: Study) -> None:
    assert study.errors() == []
    assert study.outcomes["sure"].count > 400
    assert study.outcomes["likely"].count > 400
    assert mean(study.outcomes["sure"].regrets) < 0.005
    assert mean(study.outcomes["likely"].regrets) < 0.03


def test_a_choice_that_its_intervals_do_not_support_is_found() -> None:
    made = advice_truth.simulate(0)
    findings = advice_truth.find(made.records, advice_truth.MANIFEST)
    told = [d for d in findings.decisions if d.confidence != "cannot tell"]
    assert told
    places = [s for s in findings.summaries if s.cell.label == told[0].label]
    slowest = max(
        (s for s in places if s.cell.size == told[0].size_low), key=lambda s: s.time_s or 0.0
    )

    findings.decisions[:] = [
        replace(told[0], variant=slowest.variant, threads=slowest.cell.threads)
    ]

    assert advice_truth.contradictions(findings)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Outliers among alike values: planted ones are found, noise gives few, several hide none."""

from __future__ import annotations

import math

import numpy as np
import pytest
from weft_lab.statistics.outliers import outliers

LIMIT = math.log1p(0.03)
ERROR = 0.002


def found(values: list[float], limit: float = LIMIT) -> set[int]:
    return set(outliers(values, [ERROR] * len(values), limit))


@pytest.mark.parametrize("count", [4, 8, 16, 64])
def test_nodes_of_equal_speed_give_an_alarm_in_at_most_one_of_twenty_clusters(count: int) -> None:
    generator = np.random.default_rng(1)
    clusters = [list(0.02 * generator.standard_normal(count)) for _ in range(200)]

    assert sum(bool(found(values)) for values in clusters) <= 10


@pytest.mark.parametrize("num_slow", [1, 2, 4])
def test_slow_nodes_do_not_hide_each_other(num_slow: int) -> None:
    generator = np.random.default_rng(2)
    hits = 0
    for _ in range(50):
        values = list(0.005 * generator.standard_normal(16))
        for i in range(num_slow):
            values[i] += math.log(1.1)
        hits += found(values) == set(range(num_slow))

    assert hits >= 48


def test_the_interval_holds_the_planted_shift_and_a_small_shift_does_not_matter() -> None:
    values = [0.0, 0.002, -0.001, 0.001, -0.002, 0.1, 0.02]

    apart = outliers(values, [ERROR] * 7, LIMIT)

    assert set(apart) == {5}
    assert apart[5].low < 0.1 < apart[5].high
    assert found(values[:3]) == set()


def test_what_launches_explain_is_never_called_an_outlier() -> None:
    values = [0.0, 0.0001, -0.0001, 0.00005, 0.1]

    assert set(outliers(values, [0.05] * 5, LIMIT)) == set()
    assert set(outliers(values, [0.001] * 5, LIMIT)) == {4}


def test_the_rates_of_the_page_on_a_clusters_nodes_hold() -> None:
    generator = np.random.default_rng(1)
    alarms = hits = 0
    for _ in range(100):
        values = list(0.01 * generator.standard_normal(16))
        alarms += bool(found(values))
        values[0] += math.log(1.1)
        hits += 0 in found(values)

    assert alarms == 0
    assert hits >= 95

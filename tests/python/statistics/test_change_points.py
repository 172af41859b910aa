# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Change points on simulated histories: planted ones are found, noise gives none."""

from __future__ import annotations

import math

import pytest
from weft_lab.checks.history_power import BENCHMARKS, Planted, found, simulated
from weft_lab.statistics.change_points import Point, find_outliers, find_steps, levels

LIMIT = 0.03


def points(*times_s: float, error: float | None = None) -> list[Point]:
    return [Point(math.log(time_s), error) for time_s in times_s]


@pytest.mark.parametrize("is_heavy_tailed", [False, True])
@pytest.mark.parametrize("runs", [4, 10, 20])
def test_20_benchmarks_that_do_not_change_give_no_alarm(
    runs: int, *, is_heavy_tailed: bool
) -> None:
    planted = Planted(runs, runs // 2, 0.0, 0.02, is_heavy_tailed)

    for seed in range(10):
        histories = simulated(planted, BENCHMARKS, seed)
        steps = find_steps(histories, LIMIT)
        assert steps == [[]] * BENCHMARKS
        assert find_outliers(histories, steps, LIMIT) == [None] * BENCHMARKS or is_heavy_tailed


@pytest.mark.parametrize(("runs", "at"), [(10, 5), (10, 8), (20, 10), (20, 18)])
def test_a_planted_step_of_10_percent_is_found_at_its_run(runs: int, at: int) -> None:
    share = found(Planted(runs, at, 0.1, 0.005), 20)

    assert share.exact >= 0.95
    assert share.alarms == 0.0


def test_the_interval_of_a_step_holds_the_planted_change() -> None:
    planted = Planted(20, 12, 0.1, 0.01)
    held = 0
    for seed in range(40):
        (step,) = find_steps(simulated(planted, 1, seed), LIMIT)[0]
        held += step.low <= 1.1 <= step.high

    assert 35 <= held <= 40


def test_two_changes_and_a_passing_one_are_each_found() -> None:
    noise = [1.0, 1.004, 0.998, 1.003, 0.999, 1.001]
    before, slow, fast = noise, [1.2 * x for x in noise], [0.8 * x for x in noise]

    (passing, stairs) = find_steps(
        [points(*before, *slow, *before), points(*before, *fast, *slow)], LIMIT
    )

    assert [(step.at, round(step.ratio, 2)) for step in passing] == [(6, 1.2), (12, 0.83)]
    assert [(step.at, round(step.ratio, 2)) for step in stairs] == [(6, 0.8), (12, 1.5)]
    assert [part[:2] for part in levels(points(*before, *slow, *before), passing)] == [
        *((0, 6), (6, 12), (12, 18)),
    ]


def test_a_change_below_the_threshold_and_a_single_run_are_no_change_points() -> None:
    noise = [1.0, 1.001, 0.999, 1.0005, 0.9995, 1.001]
    small = points(*noise, *(1.02 * x for x in noise))
    single = points(*noise, 1.3, *noise)

    assert find_steps([small, single], LIMIT) == [[], []]


def test_the_newest_run_alone_is_told_apart_and_its_launches_widen_what_is_known() -> None:
    sure = points(1.0, 1.01, 0.99, 1.0, 1.005, 1.3, error=0.01)
    vague = points(1.0, 1.01, 0.99, 1.0, 1.005, 1.3, error=0.2)
    few = points(1.0, 1.0, 1.3, error=0.01)

    found_, *others = find_outliers([sure, vague, few], [[], [], []], LIMIT)

    assert found_ is not None
    assert (found_.at, round(found_.ratio, 2)) == (5, 1.3)
    assert found_.low > 1.2
    assert others == [None, None]


def test_medians_that_never_differ_change_only_where_they_jump() -> None:
    assert find_steps([points(*[1.0] * 8), points(*[1.0] * 4, *[1.5] * 4)], LIMIT)[0] == []
    (step,) = find_steps([points(*[1.0] * 4, *[1.5] * 4)], LIMIT)[0]
    assert (step.at, step.low, step.high) == (4, pytest.approx(1.5), pytest.approx(1.5))
    assert find_steps([[], points(1.0), points(1.0, 2.0, 3.0)], LIMIT) == [[], [], []]

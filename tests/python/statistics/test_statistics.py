# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics against values worked out by hand, and against simulations whose truth is known."""

from __future__ import annotations

import math
import random

import pytest
from weft_lab.statistics import estimates


def test_median_of_odd_and_even_counts() -> None:
    assert estimates.median([3.0, 1.0, 2.0]) == 2.0
    assert estimates.median([4.0, 1.0, 3.0, 2.0]) == 2.5


def test_median_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="median of nothing"):
        estimates.median([])


@pytest.mark.parametrize(
    ("count", "ranks"),
    # Conover's table of the binomial: 2 * P(Bin(6) = 0) = 0.031, 2 * P(Bin(9) <= 1) = 0.039,
    # 2 * P(Bin(10) <= 1) = 0.021, 2 * P(Bin(20) <= 5) = 0.041.
    [(5, None), (6, (0, 5)), (8, (0, 7)), (9, (1, 7)), (10, (1, 8)), (20, (5, 14))],
)
def test_ranks_of_the_median_interval(count: int, ranks: tuple[int, int] | None) -> None:
    assert estimates.median_interval_ranks(count) == ranks


@pytest.mark.parametrize("count", [1100, 100_000])
def test_median_interval_of_many_values_is_that_of_the_normal_distribution(count: int) -> None:
    ranks = estimates.median_interval_ranks(count)

    assert ranks is not None
    assert ranks[0] == pytest.approx(count / 2 - 1.96 * count**0.5 / 2, abs=1.5)
    assert ranks[0] + ranks[1] == count - 1


def test_median_interval_is_none_when_values_are_too_few_for_the_level() -> None:
    assert estimates.median_interval([1.0, 2.0, 3.0, 4.0, 5.0]) is None
    assert estimates.median_interval([1.0, 2.0, 3.0, 4.0, 5.0], level=0.9) == (1.0, 5.0)


def test_median_interval_covers_the_true_median_as_often_as_it_says() -> None:
    generator = random.Random(1)
    trials, hits = 2000, 0
    for _ in range(trials):
        values = [generator.expovariate(math.log(2.0)) for _ in range(15)]
        low, high = estimates.median_interval(values) or (0.0, 0.0)
        hits += low <= 1.0 <= high

    # 2 * P(Bin(15, 1/2) <= 3) = 0.035 may miss; the binomial error of 2000 trials is 0.4 %.
    assert 0.95 <= hits / trials <= 0.98


def test_quantile_interpolates() -> None:
    assert estimates.quantile([10.0, 20.0, 30.0, 40.0, 50.0], 0.95) == pytest.approx(48.0)


def test_geometric_mean_of_a_ratio_and_its_inverse_is_one() -> None:
    assert estimates.geometric_mean([4.0, 0.25]) == pytest.approx(1.0)


def launches(
    generator: random.Random, time_s: float, count: int, spread: float
) -> list[list[float]]:
    result = []
    for _ in range(count):
        launch_s = time_s * generator.lognormvariate(0.0, spread)
        result.append([launch_s * generator.lognormvariate(0.0, 0.02) for _ in range(10)])
    return result


def pooled(parts: list[list[float]]) -> list[float]:
    return [value for part in parts for value in part]


def test_bootstrap_of_equal_samples_has_no_width() -> None:
    estimate = estimates.bootstrap_ratio([[2.0, 2.0]] * 3, [[3.0, 3.0]] * 3)

    assert estimate.value == 1.5
    assert estimate.low == pytest.approx(1.5)
    assert estimate.high == pytest.approx(1.5)
    assert estimate.p_value(0.03) < 1e-9


def test_one_launch_gives_a_ratio_without_an_interval() -> None:
    estimate = estimates.bootstrap_ratio([[1.0, 1.1, 1.2]], [[2.0, 2.2, 2.4]])

    assert estimate.value == 2.0
    assert estimate.low is None
    assert estimate.p_value(0.03) == 1.0


def test_p_value_counts_changes_in_both_directions() -> None:
    # Student's table: 2.776 for 4 degrees of freedom is exceeded on either side in 5 % of cases.
    for value in (math.exp(2.776), math.exp(-2.776)):
        estimate = estimates.RatioEstimate(value, None, None, 1.0, 4.0)
        assert estimate.p_value(0.0) == pytest.approx(0.05, abs=1e-4)

    beyond = estimates.RatioEstimate(1.1 * math.exp(0.5 * 3.182), None, None, 0.5, 3.0)
    assert beyond.p_value(0.1) == pytest.approx(0.05, abs=1e-4)


def test_bootstrap_repeats_with_its_seed() -> None:
    a = launches(random.Random(2), 1.0, 5, 0.05)
    b = launches(random.Random(3), 1.1, 5, 0.05)

    assert estimates.bootstrap_ratio(a, b, seed=7) == estimates.bootstrap_ratio(a, b, seed=7)
    assert estimates.bootstrap_ratio(a, b, seed=7) != estimates.bootstrap_ratio(a, b, seed=8)


@pytest.mark.parametrize("count", [2, 3, 5, 10])
def test_ratio_interval_covers_the_truth_when_launches_differ(count: int) -> None:
    generator = random.Random(count)
    trials, hits = 400, 0
    for trial in range(trials):
        a = launches(generator, 1.0, count, 0.05)
        b = launches(generator, 1.2, count, 0.05)
        estimate = estimates.bootstrap_ratio(a, b, seed=trial)
        hits += (estimate.low or 0.0) <= 1.2 <= (estimate.high or 0.0)

    assert hits / trials >= 0.93


@pytest.mark.parametrize(("count_a", "count_b"), [(2, 10), (3, 5), (5, 5)])
@pytest.mark.parametrize(("spread_a", "spread_b"), [(0.01, 0.1), (0.1, 0.01)])
def test_ratio_interval_covers_the_truth_when_one_side_is_noisier(
    count_a: int, count_b: int, spread_a: float, spread_b: float
) -> None:
    generator = random.Random(17)
    trials, hits = 400, 0
    for trial in range(trials):
        a = launches(generator, 1.0, count_a, spread_a)
        b = launches(generator, 1.2, count_b, spread_b)
        estimate = estimates.bootstrap_ratio(a, b, seed=trial)
        hits += (estimate.low or 0.0) <= 1.2 <= (estimate.high or 0.0)

    # Two noisy launches against ten quiet ones is the worst case that was found: 93 %.
    assert hits / trials >= (0.90 if count_a == 2 else 0.93)


def test_an_interval_from_samples_alone_would_be_wrong() -> None:
    """The mistake this avoids: launches differ by 5 %, samples within one hardly at all."""
    generator = random.Random(11)
    hits = 0
    for trial in range(200):
        a = pooled(launches(generator, 1.0, 4, 0.05))
        b = pooled(launches(generator, 1.2, 4, 0.05))
        estimate = estimates.bootstrap_ratio([a, a], [b, b], seed=trial)
        within = 2.0 * 1.25 * 0.02 * math.sqrt(2.0 / len(a))
        hits += abs(math.log(estimate.value / 1.2)) <= within

    assert hits / 200 < 0.8


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.04, 1.2, "slower"),
        (1.02, 1.2, "cannot tell"),
        (0.8, 0.96, "faster"),
        (0.8, 0.98, "cannot tell"),
        (None, None, "cannot tell"),
    ],
)
def test_verdict_at_a_threshold_of_3_percent(
    low: float | None, high: float | None, expected: str
) -> None:
    assert estimates.verdict(low, high, 0.03) == expected


def test_noise_floor_is_the_95th_percentile_in_either_direction() -> None:
    ratios = [1.0, 1.01, 1 / 1.02, 1.03, 1 / 1.04]

    # Between the 4th and 5th of five: log 1.03 + 0.8 * (log 1.04 - log 1.03).
    expected = math.exp(math.log(1.03) + 0.8 * math.log(1.04 / 1.03)) - 1.0
    assert estimates.noise_floor(ratios) == pytest.approx(expected)


def test_noise_floor_is_unknown_with_few_pairs() -> None:
    assert estimates.noise_floor([1.0, 1.1, 0.9, 1.0]) is None


def test_practical_threshold_is_the_largest_known() -> None:
    assert estimates.practical_threshold(None, None) == 0.03
    assert estimates.practical_threshold(0.01, None) == 0.03
    assert estimates.practical_threshold(0.01, 0.08) == 0.08


def test_benjamini_hochberg_as_in_the_paper() -> None:
    # The example of Benjamini and Hochberg (1995), section 3.1: the first four are believed.
    p_values = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
        0.5719, 0.6528, 0.7590, 1.0000,
    ]  # fmt: skip

    assert estimates.benjamini_hochberg(p_values) == [True] * 4 + [False] * 11


def test_benjamini_hochberg_keeps_the_order_of_its_input() -> None:
    assert estimates.benjamini_hochberg([0.9, 0.001, 0.04]) == [False, True, False]


def test_nothing_compared_finds_nothing() -> None:
    assert estimates.benjamini_hochberg([]) == []


@pytest.mark.parametrize("count", [3, 6])
def test_four_of_five_changes_of_the_detectable_size_are_told(count: int) -> None:
    generator = random.Random(count)

    def ratio(factor: float, seed: int) -> estimates.RatioEstimate:
        sides = [launches(generator, time_s, count, 0.03) for time_s in (1.0, factor)]
        return estimates.bootstrap_ratio(sides[0], sides[1], seed)

    known = [ratio(1.0, seed).detectable(0.03) for seed in range(100)]
    change = estimates.median([value for value in known if value is not None])
    changed = [ratio(1.0 + change, seed) for seed in range(200)]

    told = sum(estimates.verdict(e.low, e.high, 0.03) == "slower" for e in changed)
    assert 0.7 <= told / len(changed) <= 0.95


def test_nothing_is_known_to_be_detectable_after_one_launch() -> None:
    assert estimates.bootstrap_ratio([[1.0]], [[1.0]]).detectable(0.03) is None

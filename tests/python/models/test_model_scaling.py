# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaling laws, growth, rings and the Jacobi sweep, against hand values and injected truth."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from weft_lab.models import jacobi, pmnf, ring
from weft_lab.models.arrays import ModelError
from weft_lab.models.decomposition import Decomposition
from weft_lab.models.jacobi import Node, Placement, code_balance, sweep, with_interval
from weft_lab.models.launches import Estimate
from weft_lab.models.max_rate import MaxRate
from weft_lab.models.published import jacobi_rows
from weft_lab.models.scaling_laws import best_law, fit_law, karp_flatt, regime_change

N = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
NODE = Node(1e8, 2.4e10, 1e11, 4e9, {"core": MaxRate(1e-6, 5e9, 8e9)})


@pytest.mark.parametrize(
    ("law", "values", "throughput"),
    [
        ("linear", {}, 3.0 * N),
        ("amdahl", {"serial": 0.05}, 3.0 * N / (1 + 0.05 * (N - 1))),
        ("gustafson", {"serial": 0.1}, 3.0 * (N - 0.1 * (N - 1))),
        (
            "usl",
            {"contention": 0.02, "coherence": 1e-3},
            3.0 * N / (1 + 0.02 * (N - 1) + 1e-3 * N * (N - 1)),
        ),
        ("saturating", {"roof_over_one": 12.5}, 3.0 * np.minimum(N, 12.5)),
    ],
)
def test_each_law_gives_back_its_parameters_and_is_chosen(
    law: str, values: dict[str, float], throughput: np.typing.NDArray[np.float64]
) -> None:
    assert dict(fit_law(law, N, throughput).parameters) == pytest.approx(values, rel=1e-3)
    assert best_law(N, throughput).law == law


def test_four_points_are_not_called_linear_because_nothing_else_can_be_weighed() -> None:
    assert best_law([1.0, 2.0, 4.0, 8.0], [1.0, 2.0, 2.0, 2.0]).law == "saturating"


def test_usl_peaks_where_its_formula_says() -> None:
    found = fit_law("usl", N, 3.0 * N / (1 + 0.02 * (N - 1) + 1e-3 * N * (N - 1)))

    assert found.peak_processors == pytest.approx(np.sqrt(0.98 / 1e-3), rel=1e-3)
    assert fit_law("amdahl", N, N / (1 + 0.1 * (N - 1))).peak_processors is None


def test_karp_flatt_finds_amdahls_fraction() -> None:
    n = N[1:]

    assert karp_flatt(n, n / (1 + 0.05 * (n - 1))) == pytest.approx(np.full(6, 0.05))
    with pytest.raises(ModelError, match="one processor"):
        karp_flatt([1.0], [1.0])


def test_hyper_threads_are_a_change_of_regime() -> None:
    rows = [row for row in jacobi_rows("XI") if row.dims[1:] == (1, 1)]
    n = [1.0, *(float(row.ranks) for row in rows)]
    speed = [78.29, *(row.measured_mlups for row in rows)]

    found = regime_change(n, speed, 24)

    assert found is not None
    assert found.slope == pytest.approx(42.7, rel=0.01)
    assert found.throughput([25.0])[0] < speed[n.index(24.0)]
    amdahl = N / (1 + 0.01 * (N - 1))
    assert regime_change(N, amdahl, 8) is None


def test_laws_refuse_what_they_cannot_use() -> None:
    with pytest.raises(ModelError, match="unknown law"):
        fit_law("moore", N, N)
    with pytest.raises(ModelError):
        fit_law("usl", [1.0, 2.0], [1.0, 2.0])


@pytest.mark.parametrize(("power", "log_power"), [("1/2", 0), ("1", 1), ("2", 0), ("0", 1)])
def test_growth_finds_its_form(power: str, log_power: int) -> None:
    p = np.array([2.0, 4.0, 8.0, 16.0, 32.0, 64.0])

    found = pmnf.growth(p, 5.0 + 2.0 * p ** float(Fraction(power)) * np.log2(p) ** log_power)

    assert (found.power, found.log_power) == (Fraction(power), log_power)
    assert found.factor == pytest.approx(2.0, rel=1e-6)
    low, high = found.interval(128.0)
    assert low <= found.value(128.0) <= high


def test_noise_around_a_constant_does_not_grow() -> None:
    p = np.array([2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    grown = 0

    for seed in range(20):
        noise = np.exp(0.05 * np.random.default_rng(seed).standard_normal(6))
        grown += pmnf.growth(p, 5.0 * noise).factor > 0.0

    assert grown <= 3


def test_growth_does_not_speak_beyond_what_supports_it() -> None:
    p = np.array([2.0, 4.0, 8.0, 16.0, 32.0])
    found = pmnf.growth(p, p)

    assert found.value(128.0) == pytest.approx(128.0, rel=1e-6)
    with pytest.raises(ModelError, match="no prediction at 200"):
        found.value(200.0)
    with pytest.raises(ModelError):
        pmnf.growth(p[:4], p[:4])
    with pytest.raises(ModelError, match="4 different"):
        pmnf.growth([1.0, 2.0, 3.0, 4.0, 4.0], [1.0, 2.0, 3.0, 4.0, 4.0])


def test_the_reports_ring_pieces_are_its_least_squares() -> None:
    ranks = np.arange(1.0, 49.0)
    slopes = np.array([0.68e-6, 1.14e-6, 2.32e-6])[np.searchsorted([12, 24], ranks, side="left")]

    pieces = ring.report_pieces(ranks, 3e-6 + slopes * ranks)

    assert [piece.latency_s for piece in pieces] == pytest.approx([0.34e-6, 0.57e-6, 1.16e-6])
    assert ring.report_pieces(ranks[:12], 3e-6 + slopes[:12] * ranks[:12])[0].last == 12


def test_ring_classes_are_found_and_hold_the_true_steps() -> None:
    ranks = np.arange(1.0, 49.0)
    steps = np.array([0.7e-6, 1.1e-6, 2.3e-6])
    times = steps[np.searchsorted([12, 24], ranks, side="left")] * ranks
    noise = np.exp(0.03 * np.random.default_rng(5).standard_normal((10, 48)))

    classes = ring.link_classes(ranks, times * noise)

    assert [(each.first, each.last) for each in classes] == [(3, 12), (13, 24), (25, 48)]
    assert sum(c.step.holds(true) for c, true in zip(classes, steps, strict=True)) >= 2
    assert all(each.step.value > 0.0 for each in classes)
    with pytest.raises(ModelError, match="3 ranks"):
        ring.link_classes([1.0, 2.0], [[1.0, 1.0]])


def test_code_balance_follows_the_layer_conditions() -> None:
    assert code_balance(100 * 100, 100, 1 << 20) == 24.0
    assert code_balance(1200 * 1200, 1200, 19 << 20) == 40.0
    assert code_balance(1200 * 1200, 1200, 1 << 14) == 56.0
    assert code_balance(100 * 100, 100, 1 << 20, has_write_allocate=False) == 16.0


def one_domain(num_ranks: int) -> Placement:
    return Placement((0,) * num_ranks, tuple(range(num_ranks)), lambda a, b: "core")


def test_a_sweep_of_one_rank_computes_and_moves() -> None:
    cut = Decomposition((100, 100, 100), (1, 1, 1))

    parts = sweep(cut, one_domain(1), NODE)

    assert parts.compute_s == pytest.approx(1e-2)
    assert parts.memory_s == pytest.approx(1e-3)
    assert parts.total_s == pytest.approx(1.1e-2)
    assert parts.unexplained_s(1.5e-2) == pytest.approx(4e-3)


def test_a_sweep_of_two_ranks_adds_up_by_hand() -> None:
    cut = Decomposition((100, 100, 100), (2, 1, 1))

    parts = sweep(cut, one_domain(2), NODE)

    compute, pack, wire = 5.5e-3, 2 * 8e4 / 4e9, 1e-6 + 8e4 / 5e9
    assert parts.total_s == pytest.approx(compute + pack + wire)
    assert parts.wait_s == pytest.approx(0.0, abs=1e-12)
    hidden = sweep(cut, one_domain(2), NODE, is_overlapped=True)
    assert hidden.total_s == pytest.approx(compute + pack)


def test_memory_saturates_and_siblings_slow_down() -> None:
    cut = Decomposition((128, 64, 64), (8, 1, 1))

    crowded = sweep(cut, one_domain(8), replace(NODE, memory_bytes_per_s=1e10))

    cells = 16 * 64 * 64
    busy_s = crowded.compute_s + crowded.memory_s + crowded.saturation_s
    assert busy_s == pytest.approx(cells * 24 * 8 / 1e10, rel=0.02)
    shared = Placement((0,) * 8, (0, 0, 1, 1, 2, 2, 3, 3), lambda a, b: "core")
    slow = sweep(cut, shared, NODE)
    assert slow.compute_s == pytest.approx(2 * cells / 1e8, rel=0.02)


def test_a_link_that_nobody_measured_is_an_error() -> None:
    cut = Decomposition((8, 8, 8), (2, 1, 1))

    with pytest.raises(ModelError, match="'node'"):
        sweep(cut, Placement((0, 1), (0, 1), lambda a, b: "node"), NODE)
    with pytest.raises(ModelError, match="placement"):
        sweep(cut, one_domain(3), NODE)


def test_predictions_are_as_uncertain_as_their_inputs() -> None:
    cut = Decomposition((100, 100, 100), (1, 1, 1))

    found = with_interval(
        lambda node: jacobi.updates_per_s(cut, sweep(cut, one_domain(1), node)),
        NODE,
        {"core_updates_per_s": Estimate(1e8, 0.9e8, 1.1e8)},
    )

    assert found.value == pytest.approx(1e6 / 1.1e-2)
    assert found.low == pytest.approx(1e6 / (1e6 / 0.9e8 + 1e-3), rel=0.03)
    assert found.high == pytest.approx(1e6 / (1e6 / 1.1e8 + 1e-3), rel=0.03)
    with pytest.raises(ModelError, match="no input"):
        with_interval(lambda node: 1.0, NODE, {"speed": Estimate(1.0, 1.0, 1.0)})

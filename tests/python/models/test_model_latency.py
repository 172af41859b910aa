# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines and segments through ping-pongs: against hand values, the report's fits, injected truth."""

from __future__ import annotations

from dataclasses import replace
from importlib import resources

import numpy as np
import pytest
from weft_lab.checks import model_calibration as calibration
from weft_lab.models import latency_bandwidth as lines
from weft_lab.models.arrays import ModelError
from weft_lab.models.launches import Estimate, bootstrap
from weft_lab.models.loggp import DelayedPingPong, hidden_s, loggp
from weft_lab.models.max_rate import max_rate
from weft_lab.models.segments import segmented
from weft_lab.suites.mpi.importers.imb import read_imb


def reference(name: str) -> tuple[list[float], list[float]]:
    text = resources.files("weft_lab").joinpath("data", "mpi", f"{name}.txt").read_text("utf-8")
    return read_imb(text, name)[0].positive()


@pytest.mark.parametrize("method", lines.METHODS[2:])
def test_our_lines_give_back_a_line(method: lines.Method) -> None:
    sizes = np.array([1.0, 64.0, 4096.0, 1 << 20, 1 << 26])

    line = lines.fit(method, sizes, 2e-6 + sizes / 1e10)

    assert line.latency_s == pytest.approx(2e-6, rel=1e-3)
    assert line.bandwidth_bytes_per_s == pytest.approx(1e10, rel=1e-3)
    assert line.half_bandwidth_bytes == pytest.approx(2e4, rel=2e-3)
    assert line.is_good_model(sizes, 2e-6 + sizes / 1e10)


def test_the_reports_fits_of_a_measured_ping_pong_are_the_known_ones() -> None:
    sizes, times = reference("imb_tcp")

    ordinary, extrapolated = lines.ordinary(sizes, times), lines.extrapolated(sizes, times)

    assert ordinary.latency_s == pytest.approx(-106.3e-6, rel=0.002)
    assert ordinary.bandwidth_bytes_per_s == pytest.approx(3784e6, rel=0.001)
    assert ordinary.half_bandwidth_bytes is None
    assert extrapolated.latency_s == pytest.approx(3.38e-6, rel=0.002)
    assert extrapolated.bandwidth_bytes_per_s == pytest.approx(3864e6, rel=0.001)
    assert not ordinary.is_good_model(sizes, times)


@pytest.mark.parametrize("name", ["imb_tcp", "imb_shm"])
def test_no_fit_of_ours_has_a_negative_latency(name: str) -> None:
    sizes, times = reference(name)

    assert lines.relative(sizes, times).latency_s > 0.0
    assert lines.robust(sizes, times).latency_s > 0.0
    assert all(regime.latency.value >= 0.0 for regime in segmented(sizes, [times]).regimes)


def test_latencies_stay_at_zero_or_above_where_noise_would_push_them_below() -> None:
    sizes = np.array([1e6, 2e6, 4e6, 8e6])

    for seed in range(50):
        noise = np.exp(0.2 * np.random.default_rng(seed).standard_normal((6, 4)))
        found = segmented(sizes, sizes / 1e9 * noise)
        low = found.regimes[0].latency.low
        assert low is not None
        assert low >= 0.0
        assert lines.relative(sizes, (sizes / 1e9 * noise)[0]).latency_s >= 0.0


def test_points_that_cannot_be_fitted_are_named() -> None:
    with pytest.raises(ModelError, match="one size"):
        lines.relative([8.0, 8.0], [1e-6, 1e-6])
    with pytest.raises(ModelError, match="above zero"):
        lines.ordinary([1.0, 2.0], [1e-6, 0.0])
    with pytest.raises(ModelError, match="0 in 32"):
        lines.extrapolated([1.0, 2.0], [1e-6, 1e-6])
    with pytest.raises(ModelError, match="ascending"):
        segmented([4.0, 2.0, 1.0], [[1.0, 1.0, 1.0]])


def test_segments_find_injected_regimes_within_their_intervals() -> None:
    done = calibration.study(12)

    # Of 72 intervals of 95 %, more than 12 miss in one of 5000 such tests.
    assert sum(done.latency) + sum(done.s_per_byte) >= (72 - 12) / 12
    assert min(done.breaks) >= calibration.BREAKS_FOUND


def test_the_calibration_fails_intervals_that_are_too_narrow_or_too_wide() -> None:
    good = calibration.Study(1000, (0.95, 0.95, 0.95), (0.95, 0.95, 0.95), (0.99, 0.99))

    assert good.is_calibrated()
    assert not replace(good, latency=(0.95, 0.90, 0.95)).is_calibrated()
    assert not replace(good, s_per_byte=(0.95, 1.0, 0.95)).is_calibrated()
    assert not replace(good, breaks=(0.99, 0.8)).is_calibrated()
    assert "95.0 %" in good.text()


def test_one_regime_is_not_cut_in_two() -> None:
    sizes = calibration.sizes_bytes()
    rng = np.random.default_rng(3)

    found = segmented(sizes, (1e-6 + sizes / 1e10) * np.exp(0.05 * rng.standard_normal((10, 78))))

    assert not [each for each in found.breaks if each.is_shown]
    assert found.time_s(1.0) == pytest.approx(1e-6, rel=0.05)
    assert found.time_s(0.5) > 0.0


def test_one_launch_has_no_interval() -> None:
    sizes = calibration.sizes_bytes()

    assert segmented(sizes, calibration.measured_s(sizes, 1)[:1]).regimes[0].latency.low is None
    assert bootstrap(np.array([[2.0, 3.0]]), lambda curve: float(curve[0])) == Estimate(
        2.0, None, None
    )


def test_an_interval_of_unknown_ends_holds_nothing() -> None:
    assert not Estimate(1.0, None, None).holds(1.0)
    assert Estimate(1.0, 0.9, 1.1).holds(1.05)
    assert not Estimate(1.0, 0.9, 1.1).holds(1.2)


def test_max_rate_finds_the_links_and_the_pairs_rate() -> None:
    pairs = np.repeat([1.0, 2.0, 4.0, 8.0], 3)
    sizes = np.tile([1e4, 1e6, 1e8], 4)
    times = 2e-6 + pairs * sizes / np.minimum(12e9, pairs * 4e9)

    found = max_rate(pairs, sizes, times)

    assert found.latency_s == pytest.approx(2e-6, rel=0.02)
    assert found.pair_bytes_per_s == pytest.approx(4e9, rel=0.01)
    assert found.link_bytes_per_s == pytest.approx(12e9, rel=0.01)
    assert found.time_s([8.0], [1e8])[0] == pytest.approx(times[-1], rel=0.01)


def test_a_link_that_never_saturates_has_an_unknown_rate() -> None:
    pairs = np.repeat([1.0, 2.0], 3)
    sizes = np.tile([1e4, 1e6, 1e8], 2)

    assert max_rate(pairs, sizes, 2e-6 + sizes / 4e9).link_bytes_per_s is None
    with pytest.raises(ModelError, match="one pair and several"):
        max_rate(np.ones(6), sizes, 2e-6 + sizes / 4e9)


def test_loggp_gives_back_its_parameters_and_says_when_overheads_are_too_large() -> None:
    sizes = np.array([1.0, 101.0, 10001.0])
    times = 1e-6 + 0.2e-6 + 0.3e-6 + (sizes - 1) * 1e-10
    own = DelayedPingPong(sizes, times, np.full(3, 0.2e-6), np.full(3, 0.3e-6), np.full(3, 0.4e-6))

    found = loggp(own)

    assert found.wire_s == pytest.approx(1e-6, rel=1e-3)
    assert found.s_per_byte == pytest.approx(1e-10, rel=1e-3)
    assert found.time_s(101.0) == pytest.approx(times[1], rel=1e-3)
    assert not found.clipped
    large = DelayedPingPong(sizes, times, np.full(3, 2e-6), np.full(3, 0.3e-6), np.full(3, 1e-6))
    assert loggp(large).clipped
    assert loggp(large).wire_s == 0.0


def test_what_a_delay_hides_is_where_the_round_trip_begins_to_grow() -> None:
    delays = np.linspace(0.0, 10e-6, 11)

    base, hidden = hidden_s(delays, 4e-6 + np.maximum(delays - 3e-6, 0.0))

    assert base == pytest.approx(4e-6, rel=0.02)
    assert hidden == pytest.approx(3e-6, rel=0.02)
    with pytest.raises(ModelError, match="long enough"):
        hidden_s(delays, np.full(11, 4e-6))

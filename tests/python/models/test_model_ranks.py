# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted efficiencies on many ranks, beside hand values and simulations by events."""

from __future__ import annotations

import pytest
from weft_lab.models import ranks_simulated as simulated
from weft_lab.models.ranks import Heat, Messages, Search, Updates

SHM = Messages(overhead_s=0.15e-6, wire_s=0.35e-6, software_s=1.0e-6, s_per_byte=0.3e-9)
TCP = Messages(overhead_s=0.25e-6, wire_s=11e-6, software_s=6e-6, s_per_byte=0.4e-9)
COSTS = pytest.mark.parametrize("by", [SHM, TCP], ids=["shm", "tcp"])
# Of the formulas, in parts of the whole time.
TOLERANCE = 0.02
RANDOM_TOLERANCE = 0.05


def test_formulas_give_the_values_of_a_hand() -> None:
    updates = Updates(10e-9, 1024)
    assert updates.destinations(2) == pytest.approx(1.0)
    # 512 words there and as many back, 2 messages
    other_s = 2 * 0.15e-6 + 2 * 8 * 512 * 0.3e-9
    assert updates.efficiency(SHM, 2) == pytest.approx(10.24e-6 / (10.24e-6 + other_s))
    assert Heat(10e-6).efficiency(SHM, 64) == pytest.approx(10 / 11.6)
    assert Heat(10e-6).efficiency(TCP, 64) == pytest.approx(10 / (10 + 1 + 6 + 1))
    search = Search(0.3e-6, 6400, 64)
    assert search.steal_s(SHM) == pytest.approx(22.2e-6)
    assert search.efficiency(SHM, 64) == pytest.approx(1920 / (1920 + 22.2 * 6.644), rel=1e-3)
    for program in (updates, Heat(10e-6), search):
        assert program.efficiency(SHM, 1) == pytest.approx(1.0)


@COSTS
@pytest.mark.parametrize("ranks", [2, 8, 32])
def test_simulated_updates_agree(by: Messages, ranks: int) -> None:
    what = Updates(15e-9, 1024)

    found = simulated.updates(what, by, ranks, seed=1)

    # the last messages of a short simulation arrive after the last batch
    end = by.wire_s + by.software_s
    expected = 1 / (1 / what.efficiency(by, ranks) + end / (simulated.BATCHES * 1024 * 15e-9))
    assert found == pytest.approx(expected, abs=TOLERANCE)


@COSTS
@pytest.mark.parametrize("ranks", [2, 64, 4096])
@pytest.mark.parametrize("step_s", [10e-6, 100e-6, 1e-3])
def test_simulated_heat_agrees(by: Messages, ranks: int, step_s: float) -> None:
    what = Heat(step_s)

    assert simulated.heat(what, by, ranks, spread=0.0, seed=1) == pytest.approx(
        what.efficiency(by, ranks), abs=1e-6 if by is SHM else RANDOM_TOLERANCE
    )
    assert simulated.heat(what, by, ranks, spread=0.02, seed=1) == pytest.approx(
        what.efficiency(by, ranks), abs=RANDOM_TOLERANCE
    )


@COSTS
@pytest.mark.parametrize("nodes", [1e5, 5e5])
@pytest.mark.parametrize("ranks", [2, 8, 64])
def test_simulated_searches_agree(by: Messages, nodes: float, ranks: int) -> None:
    what = Search(0.3e-6, nodes, 64)

    for seed in range(2):
        found = simulated.search(what, by, ranks, seed=seed)
        assert found == pytest.approx(what.efficiency(by, ranks), abs=RANDOM_TOLERANCE)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ledger knows of tasks: settled or not, whose threads still have to be watched."""

from __future__ import annotations

from typing import Any

import pytest
from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.plan import Plan
from weft_lab.storage.cells import Cell

TASK = Task("gnu@gcc", Cell("stl", "sort", size=1024, threads=2))
KNOWN = {"cpu_over_wall": 1.9, "threads_active": 2, "sequential": False}
UNKNOWN = {"cpu_over_wall": None, "threads_active": None, "sequential": None}


def ledger() -> Ledger:
    sampling = Sampling()
    return Ledger(Plan((TASK,), sampling, 1, 10.0), CostModel(sampling))


def record(time_s: float, launch: int, **fields: object) -> dict[str, Any]:
    return {
        "record": "result",
        "variant": TASK.variant,
        "suite": "stl",
        "cell": TASK.cell.to_dict(),
        "status": "ok",
        "launch": launch,
        "round": launch,
        "samples_s": [time_s],
        "took_s": 0.05,
        "parallelism": KNOWN,
        "probe_s": 0.02,
        **fields,
    }


@pytest.mark.parametrize(
    ("times_s", "is_settled"),
    [([1.0, 1.0], False), ([1.0, 1.01, 1.02], True), ([1.0, 1.2, 1.4], False)],
)
def test_a_cell_is_settled_by_three_launches_that_agree(
    times_s: list[float], is_settled: bool
) -> None:
    book = ledger()

    book.replay(record(time_s, number) for number, time_s in enumerate(times_s, start=1))

    assert book.num_settled() == int(is_settled)


def test_the_typical_interval_is_unknown_before_a_second_launch() -> None:
    book = ledger()
    book.update(record(1.0, 1))
    assert book.median_relative_error() is None

    book.update(record(1.1, 2))

    assert book.median_relative_error() == pytest.approx(0.05 / 1.05)


def test_threads_are_watched_until_they_are_known() -> None:
    book = ledger()
    assert book.states[TASK].wants_probe

    book.update(record(1.0, 1))

    assert not book.states[TASK].wants_probe


def test_threads_that_nobody_can_tell_are_watched_twice() -> None:
    book = ledger()

    book.update(record(1.0, 1, parallelism=UNKNOWN))
    assert book.states[TASK].wants_probe
    book.update(record(1.0, 2, parallelism=UNKNOWN))

    assert not book.states[TASK].wants_probe


def test_the_cost_of_a_next_launch_has_no_probe_in_it() -> None:
    book = ledger()

    book.update(record(1.0, 1))

    assert book.costs.predict_s(TASK) == pytest.approx(0.03)
    assert book.costs.probe_mean_s == pytest.approx(0.02)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ledger knows of tasks: settled or not, whose threads still have to be watched."""

from __future__ import annotations

import random
from typing import Any

import pytest
from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.ledger import Ledger, clear
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


def contest_of(*times_s: tuple[str, list[float]]) -> dict[Task, list[float]]:
    return {Task(f"{name}@gcc", TASK.cell): values for name, values in times_s}


def test_who_is_shown_to_be_slower_needs_no_more_launches() -> None:
    close = [("gnu", [1.0, 1.1, 0.9]), ("onetbb", [1.01, 1.12, 0.92])]
    contest = contest_of(*close, ("seq", [9.0, 9.1, 9.2]))

    assert {task.variant for task in clear(contest)} == {"seq@gcc"}


def test_nobody_needs_more_launches_when_the_verdict_is_clear() -> None:
    contest = contest_of(("gnu", [1.0, 1.001, 1.002]), ("seq", [9.0, 9.1, 9.2]))

    assert clear(contest) == set(contest)


@pytest.mark.parametrize(
    "others",
    [[("seq", [9.0, 9.1])], [("seq", [0.5, 9.0, 2.0])], []],
    ids=["two launches", "wide intervals", "no rival"],
)
def test_without_a_clear_verdict_all_go_on(others: list[tuple[str, list[float]]]) -> None:
    assert clear(contest_of(("gnu", [1.0, 1.001, 1.002]), *others)) == set()


@pytest.mark.parametrize(
    ("sampling", "rounds_max", "expected"),
    [(Sampling(), None, True), (Sampling(), 5, False), (Sampling("paper"), None, False),
     (Sampling("robust", 20, 20), None, False)],
)  # fmt: skip
def test_what_says_how_often_to_measure_is_obeyed(
    sampling: Sampling, rounds_max: int | None, expected: bool
) -> None:
    assert Plan((TASK,), sampling, 1, 10.0, rounds_max).is_sequential == expected


def verdicts_clear(seed: int, *, is_sequential: bool, launches: int) -> int:
    """Of 12 contests between 4, when so many launches of each task may be made."""
    random_ = random.Random(seed)
    truth = {
        Task(f"{name}@gcc", Cell("stl", f"problem{number}", size=1024)): (
            random_.choice((0.5, 0.9, 0.97, 1.0, 1.1, 1.5)),
            random_.choice((0.01, 0.03, 0.06, 0.1)),
        )
        for number in range(12)
        for name in ("seq", "gnu", "onetbb", "weft")
    }
    told = Ledger(Plan(tuple(truth), Sampling(), 1, 1e9), CostModel(Sampling()))
    left, round_ = launches * len(truth), 0
    while left > 0 and round_ < 200:
        round_ += 1
        if is_sequential:
            told.find_clear()
        for task in told.pending(round_)[:left]:
            left -= 1
            time_s, spread = truth[task]
            launched = record(time_s * random_.lognormvariate(0.0, spread), round_)
            told.update({**launched, "variant": task.variant, "cell": task.cell.to_dict()})
    told.find_clear()
    return len(
        {t.cell.problem for t in truth} - {t.cell.problem for t in truth if t not in told.clear}
    )


def test_the_same_time_gives_more_clear_verdicts() -> None:
    uniform, sequential = (
        sum(verdicts_clear(seed, is_sequential=way, launches=8) for seed in range(10))
        for way in (False, True)
    )

    assert sequential >= 1.2 * uniform

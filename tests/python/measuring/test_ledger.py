# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the ledger knows of tasks: settled or not, whose threads still have to be watched."""

from __future__ import annotations

from typing import Any

import pytest
from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.plan import Plan
from weft_lab.measuring.racing import Contest, Times, samples_wanted
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


def contest_of(*times_s: tuple[str, list[float]]) -> Contest:
    known = Times()
    tasks = {
        Task(name if "@" in name else f"{name}@gcc", TASK.cell): values for name, values in times_s
    }
    return Contest({task: known.of(task, values) for task, values in tasks.items()})


def racing(*times_s: tuple[str, list[float]]) -> set[str]:
    return {task.variant.partition("@")[0] for task in contest_of(*times_s).race().tasks}


CLOSE = [("gnu", [1.0, 1.1, 0.9, 1.05]), ("onetbb", [1.01, 1.12, 0.92, 1.02])]


def test_only_those_go_on_who_may_be_the_fastest() -> None:
    assert racing(*CLOSE, ("seq", [9.0, 9.1, 9.2, 9.1])) == {"gnu", "onetbb"}


def test_two_launches_are_enough_for_who_is_far_behind() -> None:
    behind = ("weft", [9.0, 9.01])

    assert "weft" not in racing(*CLOSE, behind, ("seq", [5.0, 5.1, 5.2, 5.1]))
    assert "weft" in racing(*CLOSE, ("weft", [1.9, 1.91]), ("seq", [5.0, 5.1, 5.2, 5.1]))


def test_without_a_rival_nobody_is_launched_again() -> None:
    alone = contest_of(*_copy([1.0, 1.1]))

    assert alone.race().tasks == frozenset()


def test_nobody_needs_more_launches_when_the_advice_is_clear() -> None:
    assert racing(("gnu", [1.0, 1.001, 1.002]), ("seq", [9.0, 9.1, 9.2])) == set()
    tied = [("onetbb", [1.001, 1.002, 1.003])]
    assert racing(("gnu", [1.0, 1.001, 1.002]), *tied, ("seq", [9.0, 9.1, 9.2])) == set()


def test_a_baseline_that_may_be_as_fast_goes_on_with_its_copy() -> None:
    noisy = [1.0, 1.2, 0.9, 1.1]

    going_on = racing(("gnu", [1.0, 1.001, 1.002]), ("seq", noisy))

    assert going_on == {"gnu", "seq"}
    assert (
        len(contest_of(("gnu", [1.0, 1.001, 1.002]), ("seq", noisy), *_copy(noisy)).race().tasks)
        == 3
    )


def _copy(times_s: list[float]) -> list[tuple[str, list[float]]]:
    return [("seq@gcc#control", times_s)]


def test_a_forecast_grows_with_the_noise() -> None:
    quiet, loud = (
        contest_of(
            ("gnu", [1.0 - spread, 1.0, 1.0 + spread] * 3),
            ("onetbb", [1.01 - spread, 1.01, 1.01 + spread] * 3),
        ).race()
        for spread in (0.06, 0.3)
    )

    assert loud.launches > 4 * quiet.launches > 4.0


@pytest.mark.parametrize(
    ("within", "between", "expected"), [(0.2, 0.01, 10), (0.01, 0.2, 2), (0.02, 0.02, 3)]
)
def test_samples_are_few_where_launches_differ_more(
    within: float, between: float, expected: int
) -> None:
    launches = [
        [centre * (1.0 + step * within) for step in (-1.0, 0.0, 1.0)]
        for centre in (1.0 - between, 1.0, 1.0 + between)
    ]

    assert samples_wanted(launches, 10) == expected
    assert samples_wanted(launches[:1], 10) == 10


@pytest.mark.parametrize(
    ("sampling", "rounds_max", "expected"),
    [(Sampling(), None, True), (Sampling(), 5, False), (Sampling("paper"), None, False),
     (Sampling("robust", 20, 20), None, False)],
)  # fmt: skip
def test_what_says_how_often_to_measure_is_obeyed(
    sampling: Sampling, rounds_max: int | None, expected: bool
) -> None:
    assert Plan((TASK,), sampling, 1, 10.0, rounds_max).is_sequential == expected


def test_who_cannot_be_told_in_the_time_that_is_left_waits_for_those_who_can() -> None:
    cells = {name: Cell("stl", name, size=1024) for name in ("quiet", "loud")}
    tasks = [Task(f"{name}@gcc", cell) for cell in cells.values() for name in ("seq", "gnu")]
    told = Ledger(Plan(tuple(tasks), Sampling(), 1, 1e9), CostModel(Sampling()))
    for round_ in range(1, 9):
        for task in tasks:
            spread = 0.04 if task.cell.problem == "quiet" else 0.5
            time_s = 1.0 + spread * (round_ % 3 - 1) + 0.01 * (task.variant == "gnu@gcc")
            cell = task.cell.to_dict()
            told.update({**record(time_s, round_), "variant": task.variant, "cell": cell})

    told.find_clear(1e9)
    assert told.clear == set()
    told.find_clear(20.0 * told.cost_s(tasks))

    assert {task.cell.problem for task in told.clear} == {"loud"}


def test_a_race_is_found_again_after_new_launches_and_only_the_newest_is_kept() -> None:
    names = ("seq@gcc", "gnu@gcc")
    told = Ledger(
        Plan(tuple(Task(n, TASK.cell) for n in names), Sampling(), 1, 1e9), CostModel(Sampling())
    )
    kept = []
    for round_ in range(1, 7):
        for name, scale in zip(names, (1.0, 1.01), strict=True):
            told.update({**record(scale * (1.0 + 0.1 * (round_ % 2)), round_), "variant": name})
        told.find_clear()
        kept += told._races.values()

    assert len(told._races) == 1
    assert [set(launches.values()) for launches, _ in kept] == [{2}, {3}, {4}, {5}, {6}]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Curves of the suite Inncabs: the best setting, how far it scales, where the core time goes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inncabs_run import FIB, Cell, Counted, record_of
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.summaries import summarise
from weft_lab.suites.inncabs.curves import Curve, core_time, curves, every_curve, reach

THRESHOLD = 0.03


def summaries(*cells: Cell) -> list[CellSummary]:
    return summarise([record_of(cell) for cell in cells])


def times(*times_s: float | None) -> Curve:
    """One runtime with 1, 2, 4, ... cores."""
    cells = [
        Cell("fib", "onetbb", 1 << step, time_s, message="killed by SIGSEGV")
        for step, time_s in enumerate(times_s)
    ]
    (curve,) = curves(summaries(*cells))
    return curve


def test_the_best_setting_is_the_fastest_of_the_complete_ones() -> None:
    slow = [Cell("fib", "onetbb", t, 2.0 / t) for t in (1, 2)]
    fast = [replace(c, time_s=c.time_s and 0.5 * c.time_s, allocator="tcmalloc") for c in slow]
    incomplete = Cell("fib", "onetbb", 1, 0.1, toolchain="clang")
    found = summaries(*slow, *fast, incomplete)

    (best,) = curves(found)

    assert str(best.setting) == "gcc, tcmalloc allocator, held to cores"
    assert len(every_curve(found)) == 3


def test_the_largest_input_that_was_timed_is_shown() -> None:
    found = summaries(
        Cell("fib", "onetbb", 1, 1.0, size=2), Cell("fib", "std_async", 1, None, size=3)
    )

    assert [(c.backend, c.size) for c in curves(found)] == [("onetbb", 2)]


@pytest.mark.parametrize(
    ("times_s", "text"),
    [
        ((4.0, 2.0, 1.0), "to 4 of 4"),
        ((4.0, 2.0, 1.99), "to 2 of 4"),
        ((4.0, 4.0, 2.0), "to 4 of 4"),
        ((4.0, 4.5, 5.0), "no scaling"),
        ((4.0,), "not known: timed with 1 core only"),
        ((4.0, 2.0, None), "to 2 of 2 (fails at 4: killed by SIGSEGV)"),
        ((None, None), "fail: killed by SIGSEGV"),
    ],
)
def test_scaling_ends_where_the_time_no_longer_falls(
    times_s: tuple[float | None, ...], text: str
) -> None:
    assert str(reach(times(*times_s), THRESHOLD)) == text


def test_core_time_is_of_the_counters_of_every_sample() -> None:
    counted = Counted(tasks=1000, task_s=0.5, scheduling_s=0.3, searching_s=0.1, parked_s=0.05)
    (summary,) = summaries(Cell("fib", "weft_future", 2, 0.4, counted))

    spent = core_time(summary)

    assert spent is not None
    assert spent.task_mean_s == pytest.approx(5e-4)
    assert spent.task_hpx_mean_s == pytest.approx(5.5e-4)
    assert spent.idle_s == pytest.approx(0.15)
    assert spent.bookkeeping_s == pytest.approx(0.15)


def test_counters_of_samples_are_medians_over_launches() -> None:
    cell = Cell("fib", "weft_future", 1, 1.0)
    records = [
        {**record_of(replace(cell, counted=Counted(100, task_s, 0.1))), "launch": launch}
        for launch, task_s in enumerate((3.0, 1.0, 2.0), start=1)
    ]

    (summary,) = summarise(records)

    assert summary.counters["task_time"].value == 2.0


def test_a_launch_that_could_not_count_does_not_hide_the_others() -> None:
    known = record_of(Cell("fib", "weft_future", 1, 1.0, Counted(100, 2.0, 0.1)))
    unknown = {**known, "launch": 2, "counters": [
        {"name": "task_time", "unit": "s", "per": "sample", "value": None, "reason": "no clock"}
    ]}  # fmt: skip

    (summary,) = summarise([known, unknown])

    assert summary.counters["task_time"].value == 2.0
    assert summary.counters["task_time"].reason == ""


def test_without_counters_nothing_is_known_of_core_time() -> None:
    (old,) = summaries(Cell("fib", "onetbb", 1, 1.0))

    assert core_time(old) is None


def test_what_was_never_asked_for_is_no_gap() -> None:
    single = Cell("fib", "onetbb", 1, None, extra={"code": "no_smt"})
    record = {**record_of(single), "code": "no_smt"}

    assert curves(summarise([record])) == []


def test_failures_keep_their_words() -> None:
    found = {c.backend: c for c in curves(summaries(*FIB))}

    assert "32000 tasks" in str(reach(found["std_async"], THRESHOLD))

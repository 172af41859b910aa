# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The answer of `weft bench` from simulated launches: laws, break-even, regressions, no alarms."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from weft_lab.advice.decisions import decide
from weft_lab.checks.bench_power import LAUNCHES as LAUNCHES_TOLD
from weft_lab.checks.bench_power import PAIRS, noisy, share_slower, summary
from weft_lab.pages import formats
from weft_lab.pages.view import RunView
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.suites.bench import answer, scaling, tables
from weft_lab.suites.bench.asked import Asked, Contestant, Metric
from weft_lab.suites.bench.results import BenchRun, Estimate, Row

LAUNCHES = 20


def simulated(
    asked: Asked, time_s: Callable[[str, Cell], float], launches: int = LAUNCHES
) -> BenchRun:
    rows = [
        Row(
            c.name,
            summary(c.name, cell, noisy(time_s(c.name, cell), seed, launches)),
            {},
            {},
            0,
            "",
        )
        for number, c in enumerate(asked.contestants)
        for seed, (cell, _) in enumerate(asked.cells(), start=1000 * number)
    ]
    summaries = tuple(row.summary for row in rows)
    view = RunView(Path(), {}, summaries, tuple(decide(summaries)))
    return BenchRun(view, asked, tuple(rows), None, None)


def contestants(*names: str) -> tuple[Contestant, ...]:
    return tuple(Contestant(name, (name, "{n}")) for name in names)


@pytest.mark.parametrize("serial", [0.05, 0.2, 0.5])
def test_amdahls_fit_returns_a_planted_serial_part(serial: float) -> None:
    asked = Asked(contestants("a"), threads=(1, 2, 4, 8))
    run = simulated(asked, lambda _, cell: serial + (1.0 - serial) / cell.threads)

    curve = scaling.curves(run)[0]

    assert curve.serial is not None
    assert curve.serial.low <= serial <= curve.serial.high
    assert curve.serial.high - curve.serial.low < 0.06
    assert curve.usl is not None
    contention, coherence = curve.usl.contention, curve.usl.coherence
    assert contention.low <= serial <= contention.high
    assert contention.high - contention.low < 0.2
    assert coherence.low <= 0.0 <= coherence.value <= coherence.high < 0.02
    assert f"{100 * curve.serial.value:.0f} % of it is serial" in " ".join(
        answer.answer(run, [curve], [])
    )


def test_usl_fit_returns_planted_contention_and_coherence() -> None:
    contention, coherence = 0.1, 0.02
    asked = Asked(contestants("a"), threads=(1, 2, 4, 8, 16))

    def time_s(_: str, cell: Cell) -> float:
        n = cell.threads
        return (1.0 + contention * (n - 1) + coherence * n * (n - 1)) / n

    run = simulated(asked, time_s)
    (curve,) = scaling.curves(run)

    assert curve.usl is not None
    assert curve.usl.contention.low <= contention <= curve.usl.contention.high
    assert 0.0 < curve.usl.coherence.low <= coherence <= curve.usl.coherence.high < 0.03
    (row,) = tables.scaling_table(run, [curve]).rows[-1:]
    heads = [column.key for column in tables.scaling_table(run, [curve]).columns]
    shown = dict(zip(heads, row, strict=True))
    assert shown["usl_coherence_low"] == curve.usl.coherence.low
    assert shown["usl_contention_high"] == curve.usl.contention.high


def test_two_launches_tell_no_serial_part() -> None:
    asked = Asked(contestants("a"), threads=(1, 2))
    run = simulated(asked, lambda _, cell: 1.0 / cell.threads, launches=2)

    assert scaling.curves(run)[0].serial is None


def test_break_even_is_where_the_other_becomes_faster_and_stays() -> None:
    asked = Asked(contestants("plain", "tree"), params=(("n", ("16", "64", "256", "1024")),))
    run = simulated(asked, lambda name, cell: cell.size if name == "plain" else 100.0)

    found = scaling.break_evens(run)

    assert [(each.name, each.faster_from, each.slower_until) for each in found] == [
        ("tree", 256, 64)
    ]
    lines = answer.answer(run, [], scaling.duels(run))
    assert lines[0] == "At n = 16 to 64: use plain (sure): 64.2 s a launch at n = 64."
    assert lines[1].startswith("At n = 256 to 1024: use tree (sure)")
    assert "# At n = 256 to 1024: sure\ntree 1024" in answer.settings_text(run)


def test_slower_at_the_largest_size_alone_is_not_shown_as_slower_below() -> None:
    asked = Asked(contestants("plain", "quick"), params=(("n", ("16", "64", "256")),))
    run = simulated(asked, lambda name, cell: 50.0 if name == "plain" else cell.size)

    table = tables.break_even_table(run, scaling.break_evens(run))

    shown = dict(zip([each.title for each in table.columns], table.rows[0], strict=True))
    assert shown["last slower at n ="] == 256
    assert shown["faster from n ="] is None


def test_equal_programs_are_not_told_apart() -> None:
    asked = Asked(contestants("a", "b"))
    run = simulated(asked, lambda *_: 1.0)

    found = scaling.duels(run)

    assert [duel.verdict for duel in found] == ["cannot tell"]
    assert "no difference of more than 3 % is shown" in " ".join(answer.answer(run, [], found))


def with_used(run: BenchRun, used: Callable[[Row], dict[str, float]]) -> BenchRun:
    return replace(run, rows=tuple(replace(row, used=used(row)) for row in run.rows))


def test_threads_that_a_program_leaves_idle_are_told() -> None:
    asked = Asked(contestants("a"), threads=(1, 2))
    run = simulated(asked, lambda *_: 1.0)

    idle = with_used(run, lambda row: {"cpu_time": row.time_s})
    busy = with_used(run, lambda row: {"cpu_time": row.cell.threads * row.time_s})
    waiting = with_used(run, lambda row: {"cpu_time": 0.01 * row.time_s})

    told = "a (2 threads) runs on one CPU at a time"
    assert told in " ".join(answer.answer(idle, [], []))
    assert told not in " ".join(answer.answer(busy, [], []))
    assert told not in " ".join(answer.answer(waiting, [], []))


def test_time_of_workers_is_a_share_of_all_threads_time() -> None:
    asked = Asked(contestants("weft"), threads=(1, 2))
    run = simulated(asked, lambda *_: 1.0)

    def used(row: Row) -> dict[str, float]:
        if row.cell.threads == 1:
            return {"task_time": 0.0, "tasks": 0.0}
        times = {"task_time": 1.5, "scheduling_time": 0.5, "parked_time": 0.4}
        return {name: row.time_s * each for name, each in times.items()} | {"tasks": 8.0}

    table = tables.workers_table(with_used(run, used))

    (row,) = table.rows
    shown = dict(zip((column.key for column in table.columns), row, strict=True))
    assert (shown["threads"], shown["tasks"]) == (2, 8.0)
    assert shown["task_share"] == pytest.approx(0.75)
    assert shown["parked_share"] == pytest.approx(0.2)
    assert shown["searching_share"] is None
    assert tables.workers_table(run).rows == ()


def with_rate(run: BenchRun, rate: Callable[[Row], float]) -> BenchRun:
    def metrics(row: Row) -> dict[str, Estimate]:
        return {"rate": Estimate(rate(row), 0.99 * rate(row), 1.01 * rate(row))}

    rows = tuple(replace(row, metrics=metrics(row)) for row in run.rows)
    return replace(run, rows=rows, asked=replace(run.asked, metrics=(Metric("rate", "", "(.)"),)))


def test_of_a_program_that_runs_for_a_fixed_time_the_metric_says_what_is_best() -> None:
    asked = Asked(contestants("a"), threads=(1, 2))
    same = simulated(asked, lambda *_: 1.0)
    faster = simulated(asked, lambda _, cell: 1.0 / cell.threads)

    scales = with_rate(same, lambda row: 100.0 * row.cell.threads)
    constant = with_rate(same, lambda row: 100.0)
    both = with_rate(faster, lambda row: 100.0 * row.cell.threads)

    assert [run.is_time_the_same for run in (scales, constant, both)] == [True, False, False]
    lines = answer.answer(scales, [], [])
    assert lines[0].startswith("All take the same time within 3 %")
    assert lines[1] == "Best rate: 200 (198 … 202), a (2 threads)."
    assert not any("use" in text.lower().split() for text in lines)


def test_where_nothing_can_be_told_the_surest_is_named_with_its_most() -> None:
    asked = Asked(contestants("a"), threads=(1, 2))
    times_s = {1: [1.07] * 5 + [1.5], 2: [1.12, 1.12, 1.12, 1.12, 1.13, 1.14]}
    rows = tuple(
        Row("a", summary("a", cell, times_s[cell.threads]), {}, {}, 0, "")
        for cell, _ in asked.cells()
    )
    summaries = tuple(row.summary for row in rows)
    view = RunView(Path(), {}, summaries, tuple(decide(summaries)))

    (line, *_) = answer.answer(BenchRun(view, asked, rows, None, None), [], [])

    assert line == "Cannot tell which is best; the surest is 2 threads, 1.14 s a launch at most."


def with_disturbed(run: BenchRun, threads: int, waited: float) -> BenchRun:
    """The run as if launches with so many threads had waited for that share of their time."""

    def disturbed(row: Row) -> Row:
        if row.cell.threads != threads:
            return row
        summary = replace(row.summary, waited=(waited,) * LAUNCHES)
        return replace(row, summary=summary, used={"cpu_time": row.time_s})

    return replace(run, rows=tuple(disturbed(row) for row in run.rows))


def test_no_choice_is_certain_where_other_programs_disturbed_a_rival() -> None:
    run = simulated(Asked(contestants("a"), threads=(1, 2)), lambda *_: 1.0)
    one = replace(run.view.decisions[0], threads=1, confidence="sure")
    run = replace(run, view=replace(run.view, decisions=(one,)))

    for waited, confidence in ((0.05, "sure"), (0.3, "cannot tell")):
        shown = scaling.without_false_certainty(with_disturbed(run, 2, waited))
        (decision,) = shown.view.decisions
        assert decision.confidence == confidence

    reason = str(tables.choices_table(shown).rows[0][-1])
    assert reason.startswith("may be faster: 2 threads by up to ")
    lines = answer.answer(shown, scaling.curves(shown), [])
    assert not any("Amdahl" in line or "one CPU at a time" in line for line in lines)


def test_a_disturbed_rival_that_is_much_slower_leaves_the_choice_certain() -> None:
    run = simulated(Asked(contestants("a"), threads=(1, 2)), lambda _, cell: cell.threads**4)

    shown = scaling.without_false_certainty(with_disturbed(run, 2, 0.3))

    (decision,) = shown.view.decisions
    assert (decision.threads, decision.confidence) == (1, "sure")


@pytest.mark.parametrize(("gain", "confidence"), [(1.01, "likely"), (1.2, "sure")])
def test_more_threads_are_sure_only_where_fewer_are_significantly_slower(
    gain: float, confidence: str
) -> None:
    asked = Asked(contestants("a"), threads=(1, 2))
    run = simulated(asked, lambda _, cell: 1.0 if cell.threads == 2 else gain)
    (decision,) = run.view.decisions
    two = replace(decision, threads=2, confidence="sure")
    run = replace(run, view=replace(run.view, decisions=(two,)))

    shown = scaling.without_false_certainty(run)

    assert shown.view.decisions[0].confidence == confidence
    reason = str(tables.choices_table(shown).rows[0][-1])
    assert ("not significantly slower by more than 3 %: 1 thread" in reason) == (gain == 1.01)


def test_what_is_told_of_threads_is_of_the_choice() -> None:
    asked = Asked(contestants("a", "b"), threads=(1, 2))
    run = simulated(asked, lambda name, _: 1.0 if name == "a" else 1.01)
    (decision,) = run.view.decisions
    decision = replace(decision, backend="b", threads=2, confidence="likely")
    run = replace(run, view=replace(run.view, decisions=(decision,)))

    lines = answer.answer(run, scaling.curves(run), [])

    assert lines[0].startswith("Use b with 2 threads")
    assert lines[1].startswith("With 2 threads b is ")


def test_more_threads_than_cpus_are_no_part_of_a_curve() -> None:
    asked = Asked(contestants("a"), threads=(1, 2, 4))
    run = simulated(asked, lambda _, cell: 1.0 / cell.threads)
    rows = tuple(
        replace(row, summary=replace(row.summary, is_oversubscribed=row.cell.threads == 4))
        for row in run.rows
    )

    curve = scaling.curves(replace(run, rows=rows))[0]

    assert [row.cell.threads for row in curve.rows] == [1, 2]


def test_no_alarm_where_nothing_changed_and_planted_slow_downs_are_found() -> None:
    assert share_slower(0.0, LAUNCHES, 40, 1) == 0.0
    assert share_slower(0.02, LAUNCHES, 40, 200) == 0.0
    assert 0.4 <= share_slower(0.05, LAUNCHES, 40, 800) <= 0.8
    assert share_slower(0.1, LAUNCHES, 20, 400) == 1.0
    assert share_slower(0.2, LAUNCHES, 20, 600) == 1.0


def test_the_documented_power_is_what_the_command_finds() -> None:
    documented = (CHECKOUT / "docs" / "bench.md").read_text(encoding="utf-8")
    table = documented.partition("weft_lab.checks.bench_power")[2].partition("`--markdown`")[0]
    rows = [re.findall(r"\d+", line) for line in table.splitlines() if re.match(r"\| \d", line)]

    assert [int(row[0]) for row in rows] == [*LAUNCHES_TOLD]
    for launches, _, five_percent, *_ in rows:
        found = share_slower(0.05, int(launches), PAIRS, 1)
        assert round(PAIRS * found) == int(five_percent)
    assert round(PAIRS * share_slower(0.0, 10, PAIRS, 1)) == int(rows[0][1])


def test_of_many_that_may_be_faster_the_first_are_named() -> None:
    asked = Asked(contestants(*"abcdefgh"))
    unknown = simulated(asked, lambda *_: 1.0, launches=1)

    table = tables.choices_table(unknown)

    (row,) = table.rows
    reason, confidence = str(row[-1]), row[[c.key for c in table.columns].index("confidence")]
    assert confidence == "cannot tell"
    assert reason.startswith("one launch only: ")
    assert reason.endswith(", 3 more")
    two = simulated(asked, lambda name, _: 1.0 + (name == "a"), launches=2)
    assert "00000" not in str(tables.choices_table(two).rows)
    assert formats.seconds_interval(1e-40, 2.3) == "over 20 × wide"

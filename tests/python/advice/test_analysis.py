# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Summaries, decisions, break-even sizes and the implausible, on records whose truth is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from weft_lab.advice import findings
from weft_lab.advice.decisions import decide
from weft_lab.advice.findings import clock_max_hz
from weft_lab.advice.scaling import (
    break_even,
    flag_implausible,
    threads_with_efficiency,
    without_impossible_samples,
)
from weft_lab.statistics.analysis_types import CounterValue, Ratio
from weft_lab.statistics.ratios import noise_floor, speedup
from weft_lab.statistics.summaries import summarise

Records = list[dict[str, Any]]
Make = Callable[..., Records]
SIZES = (1 << 8, 1 << 12, 1 << 16, 1 << 20)


@pytest.fixture
def race(records_of: Make) -> Records:
    """seq wins small sizes; gnu at two threads wins large ones and runs sequentially below 2^12."""
    records: Records = []
    for size in SIZES:
        seq_s = 1e-9 * size
        records += records_of("seq@gcc", seq_s, size=size)
        records += records_of("seq@gcc#control", seq_s, size=size)
        for threads in (1, 2):
            parallel = {"cpu_over_wall": 1.9, "threads_active": threads}
            is_sequential = size < (1 << 12)
            records += records_of(
                "gnu@gcc", 1e-5 + seq_s / (0.95 * threads), size=size, threads=threads,
                parallelism={**parallel, "sequential": is_sequential if threads > 1 else None},
            )  # fmt: skip
    return records


def test_a_summary_has_the_median_of_launch_medians(records_of: Make) -> None:
    records = records_of("gnu@gcc", 1e-3, launches=3, spread=0.0)
    for record, centre in zip(records, (1.0, 5.0, 2.0), strict=True):
        record["samples_s"] = [centre, 0.1, 9.0]

    (summary,) = summarise(records)

    assert summary.launch_medians_s == (1.0, 5.0, 2.0)
    assert summary.time_s == 2.0
    assert summary.launches == 3


def test_protocol_paper_uses_the_mean(records_of: Make) -> None:
    records = records_of("gnu@gcc", 1e-3, launches=1, statistic="mean")
    records[0]["samples_s"] = [1.0, 2.0, 6.0]

    (summary,) = summarise(records)

    assert summary.time_s == 3.0
    assert summary.time_low_s is None


def test_a_wrong_answer_once_is_never_a_time(records_of: Make) -> None:
    records = records_of("gnu@gcc", 1e-3, launches=2)
    wrong = {**records[1], "status": "wrong", "samples_s": [], "message": "element 3 is 1"}

    (summary,) = summarise([records[0], wrong])

    assert summary.status == "wrong"
    assert summary.time_s is None
    assert summary.message == "element 3 is 1"


def test_a_crash_beside_good_launches_is_mentioned(records_of: Make) -> None:
    good, bad = records_of("gnu@gcc", 1e-3, launches=2)
    bad |= {"status": "crashed", "samples_s": [], "message": "killed by SIGSEGV"}

    (summary,) = summarise([good, bad])

    assert summary.status == "ok"
    assert summary.launches == 1
    assert summary.message == "killed by SIGSEGV"


def test_an_unknown_counter_stays_unknown(records_of: Make) -> None:
    counters = [{"name": "cycles", "unit": "events", "value": None, "reason": "guest"}]

    (summary,) = summarise(records_of("gnu@gcc", 1e-3, counters=counters))

    assert summary.counters["cycles"] == CounterValue(None, "events", "guest")


def test_speedup_is_baseline_over_cell(race: Records) -> None:
    by_name = {(s.variant, s.cell.size, s.cell.threads): s for s in summarise(race)}

    ratio = speedup(by_name["gnu@gcc", 1 << 20, 2], by_name["seq@gcc", 1 << 20, 1])

    assert ratio is not None
    assert ratio.value == pytest.approx(1.86, rel=0.03)
    assert ratio.low is not None
    assert ratio.low < ratio.value < (ratio.high or 0.0)


def test_noise_floor_comes_from_the_control(race: Records) -> None:
    assert noise_floor(summarise(race)) is None  # four pairs are too few
    more = race + [{**record, "cell": {**record["cell"], "type": "int"}} for record in race]
    floor = noise_floor(summarise(more))

    assert floor is not None
    assert 0.0 < floor < 0.03


def test_decisions_are_bands_of_sizes(race: Records) -> None:
    decisions = decide(summarise(race))

    bands = [(d.size_low, d.size_high, d.variant, d.threads) for d in decisions]
    assert bands == [
        (1 << 8, 1 << 12, "seq@gcc", 1),
        (1 << 16, 1 << 20, "gnu@gcc", 2),
    ]
    assert decisions[0].confidence == "sure"
    assert decisions[1].speedup is not None
    assert decisions[1].speedup.value > 1.4


def test_a_tie_prefers_sequential_and_names_the_other(records_of: Make) -> None:
    records = records_of("seq@gcc", 1.01e-3, spread=0.003)
    records += records_of("gnu@gcc", 1e-3, threads=2, spread=0.003)

    (decision,) = decide(summarise(records))

    assert decision.variant == "seq@gcc"
    assert decision.confidence == "sure"
    assert decision.tied_variants == ("gnu@gcc",)


@pytest.mark.parametrize("shared", [True, False])
def test_work_that_each_thread_does_anew_says_nothing_of_how_many_to_use(
    records_of: Make, shared: bool
) -> None:
    records = records_of("seq@gcc", 1e-3, tasks=100)
    records += records_of("gnu@gcc", 1.1e-3, threads=2, tasks=100 if shared else 200)

    assert len(decide(summarise(records))) == shared


@pytest.mark.parametrize(("problem", "advised"), [("region", False), ("fib", True)])
def test_what_operations_cost_is_no_advice(records_of: Make, problem: str, advised: bool) -> None:
    records = records_of("seq@gcc", 1e-9, problem=problem, suite="tasks", tasks=100)
    records += records_of("weft@gcc", 1e-6, problem=problem, suite="tasks", tasks=100, threads=2)

    assert bool(decide(summarise(records))) == advised


def test_one_launch_cannot_tell(records_of: Make) -> None:
    records = records_of("seq@gcc", 2e-3, launches=1) + records_of("gnu@gcc", 1e-3, launches=1)

    (decision,) = decide(summarise(records))

    assert decision.variant == "seq@gcc"
    assert decision.confidence == "cannot tell"
    assert decision.detectable is None
    assert "one launch" in decision.reason


def test_a_large_gain_that_its_interval_does_not_support_is_not_advised(records_of: Make) -> None:
    """Two copies of a fast call; one launch of the baseline was slowed down a hundredfold."""
    seq = records_of("seq@gcc", 100e-9, launches=3)
    seq[1]["samples_s"] = [100 * value for value in seq[1]["samples_s"]]
    seq[2]["samples_s"] = [21 * value for value in seq[2]["samples_s"]]
    records = seq + records_of("weft@gcc", 98e-9, launches=3, threads=2)

    (decision,) = decide(summarise(records))

    assert decision.variant == "seq@gcc"
    assert decision.confidence == "cannot tell"
    assert decision.speedup == Ratio(1.0, 1.0, 1.0)


def test_what_may_be_much_slower_than_the_fastest_is_not_advised(records_of: Make) -> None:
    records = records_of("seq@gcc", 10e-3) + records_of("gnu@gcc", 1e-3, threads=2, spread=0.001)
    records += records_of("onetbb@gcc", 1.2e-3, threads=1, spread=0.15, launches=3)

    (decision,) = decide(summarise(records))

    assert (decision.variant, decision.threads) == ("gnu@gcc", 2)


def test_noise_that_two_copies_of_the_baseline_show_at_a_size_counts_there_alone(
    records_of: Make,
) -> None:
    records: Records = []
    for size, factor in ((64, 1.0), (4096, 1.3)):
        records += records_of("seq@gcc", 1e-3, size=size)
        records += records_of("seq@gcc#control", factor * 1e-3, size=size)
        records += records_of("gnu@gcc", 0.8e-3, size=size, threads=2)

    decisions = decide(summarise(records))

    told = [(d.size_low, d.variant, d.confidence) for d in decisions]
    assert told == [(64, "gnu@gcc", "sure"), (4096, "seq@gcc", "cannot tell")]


def test_what_can_be_told_follows_from_spread_and_launches(records_of: Make) -> None:
    def detectable(launches: int, spread: float) -> float:
        records = records_of("seq@gcc", 2e-3, launches=launches, spread=spread)
        records += records_of("gnu@gcc", 1e-3, launches=launches, spread=spread)
        (decision,) = decide(summarise(records))
        assert decision.detectable is not None
        return decision.detectable

    assert 0.03 < detectable(8, 0.005) < detectable(3, 0.005) < detectable(3, 0.05)


def test_a_rival_that_noise_hides_makes_it_likely_only(records_of: Make) -> None:
    records = records_of("seq@gcc", 3e-3) + records_of("gnu@gcc", 1e-3)
    records += records_of("onetbb@gcc", 1.15e-3, spread=0.3)

    (decision,) = decide(summarise(records))

    assert decision.confidence == "likely"
    assert "onetbb@gcc" in decision.reason


def test_a_simple_choice_that_may_be_slow_does_not_hide_one_that_is_surely_fast(
    records_of: Make,
) -> None:
    """With one thread it may be as fast as with two, or half as slow again."""
    noisy = records_of("weft@gcc", 1.02e-3, launches=4, threads=1, spread=0.003)
    noisy[1]["samples_s"] = [1.5 * value for value in noisy[1]["samples_s"]]
    records = records_of("seq@gcc", 3e-3, launches=4, spread=0.003) + noisy
    records += records_of("weft@gcc", 1e-3, launches=4, threads=2, spread=0.003)

    (decision,) = decide(summarise(records))

    assert (decision.variant, decision.threads) == ("weft@gcc", 2)
    assert decision.confidence == "sure"


@pytest.mark.parametrize(
    "field", [{"oversubscribed": True}, {"allocator": "first_touch"}, {"status": "crashed"}]
)
def test_what_takes_no_part_never_wins(records_of: Make, field: dict[str, Any]) -> None:
    records = records_of("seq@gcc", 2e-3) + records_of("gnu@gcc", 1e-3, **field)

    (decision,) = decide(summarise(records))

    assert decision.variant == "seq@gcc"


def test_a_time_beyond_the_memory_bandwidth_is_flagged_and_never_decided_on(
    records_of: Make,
) -> None:
    size = 1 << 24
    honest = records_of("seq@gcc", 8 * size / 10e9, size=size, spread=0.0)
    deleted = records_of("gnu@gcc", 8 * size / 13e9, size=size, spread=0.0)
    summaries = flag_implausible(summarise(honest + deleted), 10e9, 1 << 20)

    statuses = {s.variant: s.status for s in summaries}
    assert statuses == {"seq@gcc": "ok", "gnu@gcc": "implausible"}
    assert decide(summaries)[0].variant == "seq@gcc"


def test_samples_that_no_cache_allows_are_left_out_and_told(records_of: Make) -> None:
    """Of 65,536 doubles in 46 ns: the library returned early."""
    honest = records_of("seq@gcc", 20e-6, size=1 << 16)
    early = records_of("gnu@gcc", 46e-9, size=1 << 16)
    at_times = records_of("onetbb@gcc", 15e-6, size=1 << 16)
    for record in at_times:
        record["samples_s"][3] = 46e-9

    told = without_impossible_samples(summarise(honest + early + at_times), 60e9)

    by_variant = {s.variant: s for s in told}
    assert by_variant["seq@gcc"] == summarise(honest)[0]
    assert by_variant["gnu@gcc"].status == "implausible"
    assert "42 of 42 samples" in by_variant["gnu@gcc"].message
    kept = by_variant["onetbb@gcc"]
    assert kept.status == "ok"
    assert min(map(min, kept.samples_s)) > 1e-6
    assert kept.message.startswith("6 of 42 samples are shorter than")
    assert decide(told)[0].variant == "onetbb@gcc"


def with_problem(records: Records, problem: str, **params: int) -> Records:
    return [r | {"cell": r["cell"] | {"problem": problem, "params": params}} for r in records]


def test_samples_that_no_vector_unit_allows_are_left_out_without_a_measured_cache(
    records_of: Make,
) -> None:
    early, honest = (
        with_problem(records_of("gnu@gcc", time_s, size=1 << 16), "reduce")
        for time_s in (46e-9, 4e-6)
    )

    (told,) = without_impossible_samples(summarise(early), None)
    assert told.status == "implausible"
    assert "158 ns, the least in which 1 threads can do 1 operations on each" in told.message
    assert without_impossible_samples(summarise(honest), None) == summarise(honest)
    (slower,) = without_impossible_samples(summarise(early), None, clock_hz=2e9)
    assert "512 ns" in slower.message


def test_a_parameter_multiplies_the_operations(records_of: Make) -> None:
    records = records_of("gnu@gcc", 2e-6, size=1 << 16)

    once, often = (
        without_impossible_samples(summarise(with_problem(records, "for_each", k_it=k_it)), None)[0]
        for k_it in (1, 1000)
    )

    assert (once.status, often.status) == ("ok", "implausible")


def test_a_manifest_tells_the_highest_clock() -> None:
    known = {"machine": {"details": {"cpu": {"frequency_max_mhz": 4200.0}}}}

    assert clock_max_hz(known) == pytest.approx(4.2e9)
    assert clock_max_hz({"machine": {"details": {"cpu": {"frequency_max_mhz": None}}}}) is None
    assert clock_max_hz({"machine": {}}) is None


def test_without_a_bound_nothing_is_left_out(records_of: Make) -> None:
    summaries = summarise(with_problem(records_of("gnu@gcc", 1e-9, size=1 << 16), "sort"))

    assert without_impossible_samples(summaries, None) == summaries


def test_fast_data_in_cache_and_unknown_bandwidth_are_not_flagged(records_of: Make) -> None:
    summaries = summarise(records_of("gnu@gcc", 1e-9, size=1 << 10))

    assert flag_implausible(summaries, 10e9, 1 << 20) == summaries
    assert flag_implausible(summaries, None, 1) == summaries


def test_break_even_says_where_parallel_begins_and_pays(race: Records) -> None:
    (row,) = break_even(summarise(race))

    assert row.variant == "gnu@gcc"
    assert row.threads == 2
    assert row.parallel_from == 1 << 12
    assert row.beats_seq_from == 1 << 16
    assert "minimal_n" in row.setting


def test_a_backend_that_never_runs_in_parallel_says_so(records_of: Make) -> None:
    how = {"cpu_over_wall": 1.0, "threads_active": 1, "sequential": True}
    records = records_of("seq@gcc", 1e-3) + records_of("gnu@gcc", 1e-3, threads=2, parallelism=how)

    (row,) = break_even(summarise(records))

    assert row.parallel_from is None
    assert "runs sequentially at every size" in row.reason
    assert row.beats_seq_from is None


def test_threads_used_at_70_percent_efficiency(records_of: Make) -> None:
    records = records_of("seq@gcc", 1.0, spread=0.0)
    for threads, time_s in ((1, 1.0), (2, 0.6), (4, 0.5)):
        records += records_of("gnu@gcc", time_s, threads=threads, spread=0.0)

    (row,) = threads_with_efficiency(summarise(records))

    assert row.threads == 2
    assert row.efficiency == pytest.approx(1.0 / 0.6 / 2)


def test_threads_that_did_not_work_are_not_credited_with_efficiency(records_of: Make) -> None:
    alone = {"cpu_over_wall": 1.0, "threads_active": 1, "sequential": True}
    records = records_of("seq@gcc", 1.0, spread=0.0)
    records += records_of("gnu@gcc", 0.8, threads=1, spread=0.0)
    records += records_of("gnu@gcc", 0.4, threads=2, spread=0.0, parallelism=alone)

    (row,) = threads_with_efficiency(summarise(records))

    assert row.threads == 1


def test_sequential_is_named_where_it_is_as_good_even_if_another_is_never_worse(
    records_of: Make,
) -> None:
    records: Records = []
    for size, seq_s in ((64, 1e-6), (4096, 2e-6)):
        records += records_of("seq@gcc", seq_s, size=size)
        records += records_of("openmp@gcc", 1e-6, size=size, threads=2)

    decisions = decide(summarise(records))

    assert [(d.size_low, d.variant) for d in decisions] == [(64, "seq@gcc"), (4096, "openmp@gcc")]


def test_near_ties_do_not_split_a_band(records_of: Make) -> None:
    records: Records = []
    for size, gnu_s in ((64, 0.99e-3), (128, 1.01e-3), (256, 0.99e-3)):
        records += records_of("seq@gcc", 2e-3, size=size, spread=0.0)
        records += records_of("gnu@gcc", gnu_s, size=size, threads=2, spread=0.0)
        records += records_of("onetbb@gcc", 1e-3, size=size, threads=2, spread=0.0)

    (decision,) = decide(summarise(records))

    assert (decision.size_low, decision.size_high, decision.variant) == (64, 256, "gnu@gcc")
    assert decision.tied_variants == ("onetbb@gcc",)


def test_a_size_without_the_baseline_is_not_decided_on(records_of: Make) -> None:
    records = records_of("seq@gcc", 1e-3, size=64) + records_of("gnu@gcc", 2e-3, size=64)
    records += records_of("gnu@gcc", 2e-3, size=128)

    (decision,) = decide(summarise(records))

    assert (decision.size_low, decision.size_high) == (64, 64)


def test_a_candidate_that_was_not_timed_is_named_and_nothing_is_sure(records_of: Make) -> None:
    records: Records = []
    for size in (64, 128):
        records += records_of("seq@gcc", 1e-3, size=size) + records_of("gnu@gcc", 2e-3, size=size)
    records += records_of("onetbb@gcc", 3e-3, size=64)

    (decision,) = decide(summarise(records))

    assert decision.confidence == "likely"
    assert "not timed at every size here: onetbb@gcc" in decision.reason


def test_a_counter_of_the_whole_phase_is_not_taken_for_one_of_a_call(records_of: Make) -> None:
    delay = {"name": "run_delay", "unit": "s", "value": 0.25, "per": "phase"}

    (summary,) = summarise(records_of("gnu@gcc", 1e-3, counters=[delay]))

    assert summary.counters["run_delay"] == CounterValue(0.25, "s", "", "phase")


def test_counters_that_no_cell_has_are_explained_once(records_of: Make) -> None:
    absent = {"unit": "events", "value": None, "per": "call"}
    cycles = {"name": "cycles", "unit": "events", "value": 7.0, "per": "call"}
    joules = {"name": "joules", "reason": "none here", **absent}
    no_cycles = {"name": "cycles", "reason": "multiplexed out", **absent}
    records = records_of("gnu@gcc", 1e-3, counters=[cycles, joules])
    records += records_of("seq@gcc", 1e-3, counters=[no_cycles, joules])

    unavailable = findings.unavailable_counters(summarise(records))

    assert unavailable == {"joules": "none here"}


def test_a_second_thread_seen_once_outweighs_launches_that_saw_none(records_of: Make) -> None:
    seen = {"cpu_over_wall": 1.9, "threads_active": 2, "sequential": False}
    unseen = {"cpu_over_wall": 1.0, "threads_active": 1, "sequential": True}
    records = records_of("gnu@gcc", 1e-3, threads=2, launches=1, parallelism=seen)
    records += records_of("gnu@gcc", 1e-3, threads=2, launches=1, parallelism=unseen)

    (summary,) = summarise(records)

    assert summary.is_sequential is False

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft against seq and every peer: what is told, what is not, bounds, and who gains no threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from weft_lab.pages.table import Table, Value
from weft_lab.pages.view import GIB, Bandwidth, RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.estimates import RatioEstimate
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import bounding_kernels, problems_in_checkout
from weft_lab.suites.stl.rivals import Match, bound_of, matches, no_gain, threshold
from weft_lab.suites.stl.tables import (
    algorithm_table,
    all_tables,
    backend_table,
    first_call_table,
    noise_text,
    size_table,
    slower_table,
    verdict_text,
)
from weft_lab.suites.stl.words import sentences

STEADY = (1.0, 1.01, 1.0, 0.99)
WILD = (0.5, 3.0, 0.6, 2.0)
SIZE = 1 << 14


def timed(
    problem: str,
    backend: str,
    time_s: float,
    *,
    threads: int = 2,
    spread: Sequence[float] = STEADY,
    size: int = SIZE,
) -> CellSummary:
    """Four launches around `time_s`."""
    centres = tuple(time_s * factor for factor in spread)
    return CellSummary(
        cell=Cell("stl", problem, "double", size, 1 if backend == "seq" else threads),
        backend=backend,
        toolchain="gcc",
        variant=f"{backend}@gcc",
        status="ok",
        launches=len(centres),
        launch_medians_s=centres,
        samples_s=tuple((centre,) * 3 for centre in centres),
        time_s=time_s,
        bytes_min=16 * size,
    )


def near(value: float, absolute: float | None = None) -> Any:  # noqa: ANN401 - pytest has no type
    return pytest.approx(value, abs=absolute)


def view_of(*summaries: CellSummary, cache_bytes: int = 0) -> RunView:
    manifest = {"machine": {"last_level_cache_bytes": cache_bytes}}
    probed = (Bandwidth(1, 10.0, "read"), Bandwidth(2, 20.0, "read"), Bandwidth(2, 16.0, "copy"))
    return RunView(Path("run"), manifest, summaries, probed=probed)


def only_match(*summaries: CellSummary) -> Match:
    (found,) = matches(view_of(*summaries))
    return found


def cells_of(table: Table) -> list[dict[str, Value]]:
    return [dict(zip((c.key for c in table.columns), row, strict=True)) for row in table.rows]


def test_the_threshold_is_the_noise_that_intervals_do_not_explain() -> None:
    race = (timed("sort", "weft", 1.0), timed("sort", "gnu", 1.2))
    noisy = replace(view_of(*race), noise_floor=0.5, unexplained_noise=0.3)

    assert threshold(view_of(*race)) == 0.03
    assert threshold(replace(noisy, unexplained_noise=0.1)) == 0.1
    assert matches(view_of(*race))[0].peers[0].verdict == "faster"
    assert matches(noisy)[0].peers[0].verdict == "cannot tell"
    assert noise_text(noisy) == (
        "Noise floor 50.0 % between two copies of seq, of which the intervals leave 30.0 % "
        "unexplained; differences below 30.0 % are ties."
    )


def test_an_interval_that_bounds_nothing_is_left_out() -> None:
    wild = (0.1, 10.0)
    view = view_of(timed("sort", "weft", 1.0, spread=wild), timed("sort", "gnu", 1.2, spread=wild))

    (row,) = cells_of(algorithm_table(view))

    assert row["speedup_over_best_peer"] is not None
    assert row["speedup_over_best_peer_low"] is None
    assert row["speedup_over_best_peer_high"] is None


def test_a_clear_difference_is_told_for_weft_and_against_it() -> None:
    found = only_match(
        timed("sort", "seq", 8.0),
        timed("sort", "weft", 2.0),
        timed("sort", "gnu", 1.0),
        timed("sort", "openmp", 4.0),
    )

    assert found.seq is not None
    assert found.seq.ratio.value == near(4.0)
    assert found.seq.verdict == "faster"
    told = [(p.timed.backend, round(p.ratio.value, 3), p.verdict) for p in found.peers]
    assert told == [("gnu", 0.5, "slower"), ("openmp", 2.0, "faster")]


def test_what_launches_disagree_on_is_not_told() -> None:
    found = only_match(
        timed("sort", "seq", 8.0),
        timed("sort", "weft", 2.0),
        timed("sort", "gnu", 2.5, spread=WILD),
        timed("sort", "openmp", 2.02),
    )

    assert {p.timed.backend: p.verdict for p in found.peers} == {
        "openmp": "cannot tell",
        "gnu": "cannot tell",
    }


def test_one_launch_tells_nothing_but_has_a_ratio() -> None:
    found = only_match(
        timed("sort", "weft", 1.0, spread=(1.0,)), timed("sort", "gnu", 9.0, spread=(1.0,))
    )

    (peer,) = found.peers
    assert peer.ratio.value == near(9.0)
    assert peer.ratio.low is None
    assert peer.verdict == "cannot tell"


def test_among_many_near_ties_a_single_finding_needs_more_evidence() -> None:
    """What is told alone, p = 0.02, is not told beside 60 comparisons that show nothing."""
    edge = [
        timed("reduce", "weft", 1.0, spread=(0.95, 1.05, 1.0, 1.0)),
        timed("reduce", "gnu", 1.15, spread=(0.95, 1.05, 1.0, 1.0)),
    ]
    ties = [
        timed("sort", backend, 1.0 + number / 1e4, size=1 << (4 + number % 30))
        for number in range(60)
        for backend in ("weft", "gnu")
    ]

    alone = only_match(*edge)
    among = next(m for m in matches(view_of(*edge, *ties)) if m.case == "reduce")

    assert alone.peers[0].verdict == "faster"
    assert among.peers[0].verdict == "cannot tell"


def test_a_run_without_weft_is_about_the_fastest() -> None:
    found = only_match(timed("sort", "gnu", 1.0), timed("sort", "openmp", 2.0))

    assert found.subject is not None
    assert found.subject.backend == "gnu"
    assert [p.timed.backend for p in found.peers] == ["openmp"]


def test_an_algorithm_that_weft_lacks_has_no_subject() -> None:
    found = matches(view_of(timed("sort", "weft", 1.0), timed("merge", "gnu", 1.0)))

    assert [(m.case, m.subject is None) for m in found] == [("merge", True), ("sort", False)]


@pytest.mark.parametrize(
    ("peers", "text"),
    [
        ((4.0, 8.0), "faster than all"),
        ((1.0, 8.0), "slower than gnu"),
        ((1.0, 2.01), "slower than gnu; no significant difference from openmp"),
        ((2.0, 8.0), "no significant difference from gnu"),
        ((0.5, 0.6), "slower than gnu, openmp"),
    ],
)
def test_the_verdict_names_who_is_faster_and_who_may_be(
    peers: tuple[float, float], text: str
) -> None:
    view = view_of(
        timed("sort", "seq", 9.0),
        timed("sort", "weft", 2.0),
        timed("sort", "gnu", peers[0]),
        timed("sort", "openmp", peers[1]),
    )

    assert verdict_text(view, matches(view)[0]) == text


def test_a_verdict_counts_what_was_not_told_where_that_is_much() -> None:
    near_ties = [timed("sort", b, 2.0) for b in ("weft", "gnu", "openmp", "onetbb")]
    all_tied, one_told = view_of(*near_ties), view_of(*near_ties, timed("sort", "seq", 9.0))

    assert verdict_text(all_tied, matches(all_tied)[0]) == "cannot tell"
    assert verdict_text(one_told, matches(one_told)[0]) == "no significant difference from 3 of 4"


def test_threads_that_gain_nothing_are_found_and_those_that_gain_are_not() -> None:
    view = view_of(
        timed("sort", "gnu", 2.0, threads=1),
        timed("sort", "gnu", 1.98),
        timed("sort", "openmp", 2.0, threads=1),
        timed("sort", "openmp", 1.0),
        timed("sort", "weft", 2.0, threads=1, spread=WILD),
        timed("sort", "weft", 2.0, spread=WILD),
        timed("sort", "onetbb", 1.0),
    )

    assert no_gain(view) == {("gnu@gcc", "sort", SIZE)}
    (row,) = cells_of(backend_table(view, matches(view)))
    assert (row["no_gain"], row["sequential"]) == ("gnu", "")


def test_p_value_below_against_hand_values() -> None:
    """Student's t with 4 degrees of freedom: P(t > 2.132) is 0.05."""
    certain = RatioEstimate(1.0, 0.9, 1.1, 0.0, 4.0)
    estimate = RatioEstimate(1.0, 0.9, 1.1, 0.04470, 4.0)  # ln 1.1 = 0.09531 is 2.132 errors away

    assert certain.p_value_below(1.1) == 0.0
    assert certain.p_value_below(0.9) == 1.0
    assert estimate.p_value_below(1.1) == near(0.05, 1e-4)
    assert estimate.p_value_below(1.0) == near(0.5)
    assert RatioEstimate(0.5, None, None, None, 0.0).p_value_below(1.1) == 1.0


def test_the_bound_is_that_of_the_kernel_that_moves_data_alike() -> None:
    num_bytes = 16 * SIZE
    second = num_bytes / GIB  # 1 GiB/s takes this many seconds
    view = view_of(cache_bytes=num_bytes - 1)
    cached = view_of(cache_bytes=num_bytes)

    copied = bound_of(view, timed("copy", "weft", second / 8))
    reduced = bound_of(view, timed("reduce", "weft", second / 5))
    sorted_ = bound_of(view, timed("sort", "weft", second))
    small = bound_of(cached, timed("copy", "weft", second))

    assert copied is not None
    assert (copied.limit.kernel, copied.fraction) == ("copy", near(0.5))
    assert reduced is not None
    assert (reduced.limit, reduced.fraction) == (Bandwidth(2, 20.0, "read"), near(0.25))
    assert sorted_ is not None
    assert sorted_.limit.gib_per_s == 20.0
    assert small is not None
    assert small.fraction is None
    assert bound_of(replace(view, probed=()), timed("copy", "weft", second)) is None


def test_what_an_algorithm_writes_itself_is_bound_by_the_faster_kind_of_stores() -> None:
    def limit_of(problem: str, streamed_gib_per_s: float) -> tuple[str, float]:
        rates = {"copy": 16.0, "write": 8.0, "read": 40.0}
        probed = [Bandwidth(2, rate, kernel) for kernel, rate in rates.items()]
        probed += [
            Bandwidth(2, streamed_gib_per_s, f"{kernel}_nontemporal")
            for kernel in ("copy", "write")
        ]
        bound = bound_of(replace(view_of(), probed=tuple(probed)), timed(problem, "weft", 1.0))
        assert bound is not None
        return bound.limit.kernel, bound.limit.gib_per_s

    assert limit_of("copy", 24.0) == ("copy_nontemporal", 24.0)
    assert limit_of("copy", 12.0) == ("copy", 16.0)
    assert limit_of("fill", 24.0) == ("write_nontemporal", 24.0)
    assert limit_of("for_each", 24.0) == ("write", 8.0)  # the caller's function writes
    assert limit_of("reduce", 50.0) == ("read", 40.0)
    assert limit_of("sort", 50.0)[1] == 50.0


def test_kernels_are_named_for_problems_that_exist() -> None:
    num_problems: dict[tuple[str, ...], int] = {}
    for problem in problems_in_checkout("stl"):
        kernels = bounding_kernels("stl", problem)
        num_problems[kernels] = num_problems.get(kernels, 0) + 1

    assert num_problems == {
        ("read",): 28,
        ("write",): 6,
        ("write_nontemporal", "write"): 8,
        ("copy_nontemporal", "copy"): 17,
        (): 32,
    }
    assert {bounding_kernels("stl", p) for p in ("sort", "merge", "swap_ranges", "copy_if")} == {()}


def test_losses_are_listed_by_factor_and_chance_is_marked() -> None:
    view = view_of(
        timed("sort", "seq", 1.0),
        timed("sort", "weft", 2.0),
        timed("sort", "gnu", 1.5),
        timed("merge", "seq", 4.0),
        timed("merge", "weft", 1.0),
        timed("merge", "gnu", 0.6, spread=WILD),  # 0.78 s in the middle
    )

    rows = cells_of(slower_table(view, matches(view)))

    assert [(r["case"], r["rival"], r["factor"], r["shown"]) for r in rows] == [
        ("sort", "seq", near(2.0), "yes"),
        ("sort", "gnu", near(4 / 3), "yes"),
        ("merge", "gnu", near(1 / 0.78), "no"),
    ]
    first = rows[0]
    assert isinstance(first["factor_low"], float)
    assert isinstance(first["factor_high"], float)
    assert first["factor_low"] < 2.0 < first["factor_high"]


def test_means_by_size_count_what_was_shown() -> None:
    view = view_of(
        timed("sort", "seq", 8.0),
        timed("sort", "weft", 2.0),
        timed("sort", "gnu", 4.0),
        timed("merge", "seq", 1.0),
        timed("merge", "weft", 1.0),
        timed("merge", "gnu", 0.5),
        timed("rotate", "seq", 2.0),
        timed("rotate", "weft", 1.0),
    )

    (row,) = cells_of(size_table(view, matches(view)))

    assert row["num_cases"] == 3
    assert row["speedup_mean"] == near((4.0 * 1.0 * 2.0) ** (1 / 3))
    assert (row["num_faster_than_seq"], row["num_slower_than_seq"]) == (2, 0)
    assert row["num_with_peer"] == 2
    assert row["speedup_over_best_peer_mean"] == near((2.0 * 0.5) ** 0.5)
    assert (row["num_faster_than_peers"], row["num_slower_than_peer"]) == (1, 1)


def test_the_table_says_how_each_algorithm_stands() -> None:
    view = view_of(
        timed("sort", "seq", 8.0),
        timed("sort", "weft", 2.0),
        replace(timed("sort", "gnu", 4.0), is_sequential=True),
        replace(timed("sort", "openmp", 1.0), status="wrong", time_s=None),
        replace(timed("sort", "onetbb", 1.0), status="skipped", code="not_offered", time_s=None),
        cache_bytes=1 << 30,
    )

    (row,) = cells_of(algorithm_table(view))
    (more,) = cells_of(backend_table(view, matches(view)))

    assert row["speedup"] == near(4.0)
    assert isinstance(row["speedup_low"], float)
    assert row["speedup_low"] < 4.0
    assert (row["best_peer"], row["speedup_over_best_peer"]) == ("gnu", near(2.0))
    assert row["verdict"] == "faster than all"
    assert (more["bandwidth_fraction"], more["bandwidth_bound"]) == (None, "in a cache")
    assert more["no_gain"] is None  # nobody was timed with one thread
    assert (more["sequential"], more["wrong"], more["not_offered"]) == ("gnu", "openmp", "onetbb")
    assert [table.name for table in all_tables(view)] == [
        "algorithms_by_size", "algorithms", "algorithms_backends",
    ]  # fmt: skip


def test_first_calls_are_compared_with_later_ones_at_their_worst_size() -> None:
    view = view_of(
        timed("sort", "seq", 8.0),
        replace(timed("sort", "weft", 2.0), cold_call_s=3.0),
        replace(timed("sort", "weft", 1.0, size=SIZE // 2), cold_call_s=4.0),
        replace(timed("sort", "gnu", 4.0), cold_call_s=4.0),
        replace(timed("copy", "weft", 2.0), cold_call_s=2.0),
    )

    copy, sort = cells_of(first_call_table(view))

    assert sort["weft_first_over_later"] == near(4.0)
    assert sort["gnu_first_over_later"] == near(1.0)
    assert copy["weft_first_over_later"] == near(1.0)
    assert copy["gnu_first_over_later"] is None
    assert first_call_table(view_of(timed("sort", "weft", 2.0))).rows == ()


def test_the_sentences_say_where_to_use_something_else() -> None:
    view = view_of(
        timed("sort", "seq", 8.0),
        timed("sort", "weft", 2.0),
        replace(timed("sort", "gnu", 4.0), is_sequential=True),
        timed("copy", "seq", 1.0),
        timed("copy", "weft", 2.0),
        timed("copy", "gnu", 1.0),
        timed("copy", "weft", 1.0, size=SIZE // 2),
        timed("copy", "seq", 2.0, size=SIZE // 2),
    )

    overall, seq, peers, bound, sequential = sentences(view)

    assert overall == (
        "With 2¹⁴ elements weft is 1.41 × as fast as sequential code and 1.00 × as fast as the "
        "best peer of each algorithm (geometric means of 2 and 2). It was significantly faster "
        "than every peer in 1 of them and slower than one in 1; the others show no significant "
        "difference."
    )
    assert seq == "Significantly slower than sequential code, by elements: 2¹⁴: copy."
    assert peers == "At the largest sizes a peer was significantly faster in copy (gnu, 2.00 ×)."
    assert bound == (
        "Of the algorithms that only read, write or copy, and more than fits into a cache, 0 of 1 "
        "reach 90 % of what the machine's bandwidth allows; furthest below: copy 0 %."
    )
    assert sequential == "Asked for 2 threads, and one did all: gnu in sort."


def test_one_launch_is_not_said_to_show_that_nothing_is_lost() -> None:
    once = (1.0,)
    view = view_of(
        timed("sort", "seq", 1.0, spread=once),
        timed("sort", "weft", 9.0, spread=once),
        timed("sort", "gnu", 1.0, spread=once),
    )

    overall, seq = sentences(view)[:2]

    assert overall.endswith("Of 1 nothing is known: launches are too few or disagree.")
    assert seq == (
        "Whether a parallel call of weft is slower than the sequential one is unknown in any of "
        "1 pairs: launches are too few or disagree."
    )


def test_means_are_those_of_the_standards_algorithms() -> None:
    standard = (timed("sort", "seq", 8.0), timed("sort", "weft", 2.0), timed("sort", "gnu", 4.0))
    ours = (
        timed("walked_scan", "seq", 80.0),
        timed("walked_scan", "weft", 1.0),
        timed("walked_scan", "hpx", 80.0),
    )

    assert sentences(view_of(*standard, *ours))[0] == sentences(view_of(*standard))[0]


def test_nothing_lost_is_said_and_nothing_is_said_of_what_was_not_timed() -> None:
    won = (timed("sort", "seq", 8.0), timed("sort", "weft", 2.0), timed("sort", "gnu", 4.0))

    assert sentences(view_of(*won))[1] == (
        "A parallel call of weft was nowhere significantly slower than the sequential one: 0 of 1 "
        "pairs."
    )
    assert sentences(view_of(timed("sort", "seq", 8.0))) == ()
    assert sentences(view_of(timed("sort", "seq", 8.0), timed("sort", "gnu", 4.0))) == ()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suite's page says by models: rings, LogGP, a sweep's parts, scaling, placements."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mpi_records import FAST_BYTES_PER_S, SIZES_BYTES, kernels, ping_pong, results_of, row
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.transports import Transport
from weft_lab.pages import formats
from weft_lab.suites.mpi import (
    charts,
    comparison,
    jacobi_tables,
    model_tables,
    plan,
    ring_tables,
    tables,
)
from weft_lab.suites.mpi.results import Results

STEP_S = 1e-6


def ring(ranks: int, seconds: float, launch: int = 1) -> dict[str, Any]:
    return row("ring", f"ring {ranks}", seconds, num_ranks=ranks, launch=launch, round=launch)


def swept(
    dims: tuple[int, int, int], seconds: float, label: str = "", **params: str
) -> dict[str, Any]:
    is_weak = params.get("scaling") == "weak"
    return row(
        "jacobi",
        f"jacobi {dims} {label}",
        seconds,
        params={
            "global_cells": [64 * dim if is_weak else 64 for dim in dims],
            "topology": list(dims),
            **params,
        },
        local_cells=[64] * 3,
    )


def rows_of(results: Results) -> list[dict[str, Any]]:
    table = ring_tables.latency_table(results)
    return [dict(zip([c.key for c in table.columns], each, strict=True)) for each in table.rows]


def test_a_rings_latency_is_half_the_reports_slope_and_one_step_of_ours() -> None:
    rings = [ring(ranks, ranks * STEP_S, launch) for ranks in range(1, 25) for launch in (1, 2)]
    results = results_of([*rings, *ping_pong(FAST_BYTES_PER_S, "hot")])

    rows = rows_of(results)

    theirs = [each for each in rows if each["how"] == "half of the report's slope"]
    assert [(each["first"], each["last"]) for each in theirs] == [(1, 12), (13, 24)]
    assert [each["latency_s"] for each in theirs] == pytest.approx([0.5 * STEP_S] * 2)
    (ours,) = [each for each in rows if each["how"] == "a step of the ring"]
    assert (ours["first"], ours["last"]) == (3, 24)
    assert ours["latency_s"] == pytest.approx(STEP_S)
    one_byte_s = 1e-6 + 1.0 / FAST_BYTES_PER_S
    assert ours["over_ping_pong"] == pytest.approx(STEP_S / one_byte_s)
    (words,) = ring_tables.growth_words(results)
    assert "p^1 µs" in words


def test_rings_that_cannot_show_classes_say_what_they_need() -> None:
    rows = rows_of(results_of([ring(1, STEP_S), ring(2, 0.5 * STEP_S)]))

    assert rows[0]["words"] == "negative: no latency"
    (slope, _) = rows_of(results_of([ring(1, STEP_S), ring(2, 2.0 * STEP_S)]))
    assert "one neighbour at most" in slope["words"]
    assert rows[0]["over_ping_pong"] is None
    assert rows[1]["latency_s"] is None
    assert "3 ranks or more" in rows[1]["words"]
    assert ring_tables.growth_words(results_of([ring(1, STEP_S), ring(2, STEP_S)])) == ()


def test_a_ring_is_bounded_where_its_ranks_leave_a_domain() -> None:
    sockets = [{"host": "a", "package": i // 4, "l2": i, "l3": i // 2} for i in range(8)]

    found = ring_tables.boundaries(sockets)

    assert found == {4.5: "socket 2", 2.5: "L3 2", 6.5: "L3 4"}
    assert ring_tables.boundaries([{"host": "a", "package": -1}] * 4) == {}
    hosts = [{"host": name, "package": 0} for name in ("a", "a", "b", "b")]
    assert ring_tables.boundaries(hosts) == {2.5: "host 2"}


def test_a_round_in_which_a_ring_failed_is_left_out_of_all() -> None:
    """A ring of three that failed in round 2: the others' round 2 has nothing beside it."""
    drift_s = {1: 0.0, 2: 1e-3, 3: 2e-3}
    records = [
        ring(ranks, ranks * STEP_S + late_s, number)
        for ranks in (2, 3, 4)
        for number, late_s in drift_s.items()
        if (ranks, number) != (3, 2)
    ]

    (found,) = ring_tables.rings(results_of(records))

    assert found.launches.shape == (2, 3)
    steps_s = found.launches[:, 1:] - found.launches[:, :-1]
    assert steps_s.ravel().tolist() == pytest.approx([STEP_S] * 4)


def test_a_ring_is_drawn_with_its_fits_and_boundaries() -> None:
    rings = [ring(ranks, ranks * STEP_S) for ranks in (1, 2, 3, 4)]
    places = [{"host": "a", "package": i // 2} for i in range(4)]
    program = {"record": "mpi_program", "launch": 1, "ranks": places}

    lines, marks = ring_tables.chart_rows(replace(results_of(rings), programs=(program,)))

    assert marks == [{"mpi": lines[0]["mpi"], "ranks": 2.5, "boundary": "socket 2"}]
    kinds = {each["kind"] for each in lines}
    assert kinds == {"measured", "report's line, N = 1 to 4", "equal steps, N = 3 to 4"}
    ends = [each["ranks"] for each in lines if each["kind"].startswith("report")]
    assert ends == [1, 4], "no line is drawn beyond the rings there are"
    assert len(charts.ring(lines, marks)["layer"]) == 4


def test_a_latency_of_rings_whose_ranks_shared_cores_says_so() -> None:
    rings = [ring(ranks, ranks * STEP_S, launch=ranks) for ranks in range(1, 9)]
    # Ranks of rings of one round have launches of their own; four cores of two hardware threads.
    rings = [{**each, "round": 1} for each in rings]
    programs = tuple(
        {
            "record": "mpi_program",
            "launch": ranks,
            "ranks": [{"host": "a", "core": i % 4, "is_bound": True} for i in range(ranks)],
        }
        for ranks in range(1, 9)
    )
    few = replace(results_of(rings[:4]), programs=programs)
    many = replace(results_of(rings), programs=programs)

    (_, step) = rows_of(few)
    assert (step["last"], step["words"]) == (4, "")
    steps = [each for each in rows_of(many) if each["how"] == "a step of the ring"]
    assert [(each["last"], each["words"]) for each in steps] == [
        (8, "rings with ranks on SMT siblings included")
    ]
    (words,) = ring_tables.growth_words(many)
    assert words.endswith("on sizes left out; rings with ranks on SMT siblings included.")
    state = [each[3] for each in tables.ring_table(many).rows]
    assert state == ["measured"] * 4 + ["measured, on siblings"] * 4
    unknown = [each[3] for each in tables.ring_table(results_of(rings)).rows]
    assert unknown == ["measured, cores not known"] * 8


def summed(shape: list[int], topology: str, seconds: float) -> list[dict[str, Any]]:
    """Five launches that differ by little, each topology's in another order."""
    late = {"1x4x1": 0, "2x2x1": 2, "4x1x1": 3}[topology]
    return [
        row(
            "sum3d",
            f"sum3d {shape} on {topology}",
            seconds * (1.0 + 0.01 * ((number + late) % 5) + 1e-4 * late),
            params={"size": shape},
            launch=number,
            round=number,
        )
        for number in range(5)
    ]


def test_topologies_of_a_sum_are_compared_within_one_shape() -> None:
    shapes = [([2400, 100, 100], 1.0), ([800, 300, 100], 3.0)]
    rows = [
        each
        for shape, seconds in shapes
        for topology in ("1x4x1", "2x2x1", "4x1x1")
        for each in summed(shape, topology, seconds)
    ]

    (narrow, wide) = comparison.compare_sums(results_of(rows))

    assert narrow.startswith("a, 800x300x100: 3 configurations of the 3D sum show no difference")
    assert wide.startswith("a, 2400x100x100: 3 configurations of the 3D sum show no difference")
    (single,) = comparison.compare_sums(results_of(rows[:15]))
    assert single.startswith("a: 3 configurations")
    slow = [*rows[:10], *summed([2400, 100, 100], "4x1x1", 2.0), *rows[15:]]
    assert "the 3D sum differ" in comparison.compare_sums(results_of(slow))[1]


def delayed(launch: int, send_s: float, receive_s: float) -> list[dict[str, Any]]:
    return [
        row(
            "pingpong",
            "pingpong loggp",
            1e-6 + size / 1e9,
            params={"mode": "loggp", "size_bytes": size, "cache": "hot"},
            pair="l3",
            launch=launch,
            send_s=send_s,
            receive_s=receive_s,
            gap_s=3e-7,
        )
        for size in (1, 64, 4096)
    ]


def test_loggp_is_what_remains_of_a_message_without_its_overheads() -> None:
    results = results_of([*delayed(1, 2e-7, 1e-7), *delayed(2, 2e-7, 1e-7)])

    ((name, wire, low, high, send, receive, gap, rate, words),) = model_tables.loggp_table(
        results
    ).rows

    assert name == "a shm"
    assert wire == pytest.approx(1e-6 + 1e-9 - 3e-7, rel=0.01)
    assert low == pytest.approx(wire)
    assert high == pytest.approx(wire)
    assert (send, receive, gap) == (2e-7, 1e-7, 3e-7)
    assert rate == pytest.approx(1e9, rel=0.01)
    assert words == ""


def test_overheads_that_exceed_the_message_are_said_to() -> None:
    clipped = model_tables.loggp_table(results_of(delayed(1, 2e-6, 1e-6))).rows[0]

    assert clipped[1] == 0.0
    assert "exceed the message in 1 of 1" in str(clipped[-1])
    coarse = results_of(delayed(1, 0.0, 1e-7))
    assert model_tables.loggp_table(coarse).rows == (), "a clock too coarse shows no overhead"


def test_pairs_that_share_a_link_show_its_rate_and_others_that_it_was_not_reached() -> None:
    hot = ping_pong(FAST_BYTES_PER_S, "hot")
    for slower, words in ((2.0, ""), (1.0, "4 pairs do not saturate it")):
        many = [
            row(
                "pingpong",
                "pingpong multipair",
                1e-6 + slower * size / FAST_BYTES_PER_S,
                params={"mode": "multipair", "size_bytes": size, "cache": "hot", "num_pairs": 4},
                pair="core",
            )
            for size in SIZES_BYTES
        ]

        ((name, pairs, _, own, shared, said),) = model_tables.max_rate_table(
            results_of([*hot, *many])
        ).rows

        assert (name, pairs, said) == ("a shm", 4, words)
        assert own == pytest.approx(FAST_BYTES_PER_S, rel=0.02)
        assert shared == (None if words else pytest.approx(2.0 * FAST_BYTES_PER_S, rel=0.02))
    assert model_tables.max_rate_table(results_of(hot)).rows == ()


def test_the_parts_of_a_prediction_add_up_to_it_and_the_rest_is_said() -> None:
    launches = [
        {**each, "launch": number, "samples_s": [t * (1.0 + 0.01 * number) for t in times]}
        for number in range(3)
        for each in (*kernels(1.0), *ping_pong(FAST_BYTES_PER_S, "hot"))
        for times in [each["samples_s"]]
    ]
    hidden = swept((2, 1, 1), 2e-3, "overlapped", exchange="overlapped")
    results = results_of([*launches, swept((1, 1, 1), 3e-3), swept((2, 1, 1), 2e-3), hidden])

    table = model_tables.waterfall_table(results)

    keys = [column.key for column in table.columns]
    for each in table.rows:
        said: dict[str, Any] = dict(zip(keys, each, strict=True))
        parts = sum(said[key] for key in model_tables.PARTS) - said["hidden_s"]
        assert parts == pytest.approx(said["predicted_s"])
        assert said["predicted_low_s"] < said["predicted_s"] < said["predicted_high_s"]
        assert said["unexplained_s"] == pytest.approx(said["measured_s"] - said["predicted_s"])
    assert [each[0] for each in table.rows] == ["1x1x1", "2x1x1", "2x1x1 overlapped"]
    bars = [each for each in model_tables.bars(results) if each["topology"].endswith("overlapped")]
    drawn_ms = sum(each.get("ms", 0.0) for each in bars)
    assert drawn_ms == pytest.approx(1e3 * float(str(table.rows[2][keys.index("predicted_s")])))
    drawn = charts.waterfall(model_tables.bars(results))
    assert drawn["height"] == charts.HEIGHT_PX_PER_BAR * len(table.rows)


def test_where_a_prediction_is_off_is_told_part_by_part() -> None:
    known = [*kernels(1.0), *ping_pong(FAST_BYTES_PER_S, "hot")]
    said = jacobi_tables.sweeps(results_of([*known, swept((2, 1, 1), 1.0)]))[0].parts
    assert said is not None
    cells_s = said.compute_s + said.memory_s + said.saturation_s
    spent = {
        "compute": [cells_s + 3e-3, cells_s + 1e-3],  # of two ranks
        "pack": [said.pack_s, said.pack_s],
        "wire": [0.0, 2e-3],
    }
    off = {**swept((2, 1, 1), said.total_s + 5e-3), "rank_parts_s": spent}
    untold = swept((1, 1, 1), 3e-3)
    results = results_of([*known, off, untold])

    table = model_tables.beyond_table(results)

    ((name, _, _, whole, *parts),) = table.rows
    assert name == "2x1x1"
    assert whole == pytest.approx(5e-3)
    assert parts == pytest.approx([2e-3, 0.0, 3e-3])
    words = model_tables.error_words(results)
    (told,) = (line for line in words if line.startswith("2x1x1, a shm: the model is "))
    share = formats.percent(5e-3 / said.total_s)
    assert f"the model is {share} too fast" in told
    assert "+2.00 ms in cells" in told
    assert "+3.00 ms in messages and waiting" in told
    assert any(line.startswith("1x1x1, a shm: the model is ") for line in words)
    assert words[-1].startswith("The model knows caches and memory by two kernels alone")
    assert model_tables.error_words(results_of(known)) == ()


def test_scaling_is_of_one_grid_and_exchange_and_a_law_needs_points() -> None:
    two = [swept((1, 1, 1), 4.0), swept((2, 1, 1), 2.5)]
    other = [
        swept((2, 1, 1), 5.0, "weak", scaling="weak"),
        swept((2, 1, 1), 1.0, "overlapped", exchange="overlapped"),
        swept((2, 1, 1), 1.0, "weft", halo="weft"),
    ]

    table = model_tables.scaling_table(results_of([*two, *other]))

    assert [each[:2] for each in table.rows] == [(1, "the same"), (2, "the same"), (2, "grown")]
    assert table.rows[1][3] == pytest.approx(1.6)
    assert table.rows[1][5] == pytest.approx(2.0 / 1.6 - 1.0)
    assert table.rows[2][3] == pytest.approx(2.0 * 4.0 / 5.0), "twice the cells in 5 s"
    assert "needs 4 numbers of ranks, 2 are" in table.note


def test_the_law_of_a_planted_scaling_is_found() -> None:
    points = {n: 1e8 * n / (1.0 + 0.1 * (n - 1)) for n in (1, 2, 4, 8, 16, 32)}

    words, regime = model_tables.law_words(points, 32)

    assert "amdahl (serial 0.1)" in words
    assert "was not looked for: that needs 3 numbers of ranks beyond the 32 cores, 0" in regime
    assert "no other regime is seen" in model_tables.law_words(points, 4)[-1]
    halved = {n: 1e8 * min(n, 8) + 1e6 * max(n - 8, 0) for n in (1, 2, 4, 8, 10, 12, 14, 16)}
    assert "beyond 8 ranks, where ranks share cores" in model_tables.law_words(halved, 8)[-1]
    assert "each rank more adds 1 MLUP/s" in model_tables.law_words(halved, 8)[-1]


def placed(pair: str, slower: float) -> list[dict[str, Any]]:
    return [
        row(
            "pingpong",
            "pingpong placements",
            slower * (1e-6 + size / FAST_BYTES_PER_S),
            params={"mode": "placements", "size_bytes": size, "cache": "hot"},
            pair=pair,
        )
        for size in SIZES_BYTES
    ]


def test_every_placement_has_its_own_curve_and_one_alone_none() -> None:
    hot = ping_pong(FAST_BYTES_PER_S, "hot")
    results = results_of([*hot, *placed("l3", 1.0), *placed("machine", 3.0)])

    names = [each.name for each in results.curves()]

    assert names == ["a shm", "a shm, within an L3 cache", "a shm, between sockets"]
    assert {row[0] for row in tables.fit_table(results).rows} == set(names)
    far = results.curves()[2]
    assert far.times_s()[0] == pytest.approx(3.0 * (1e-6 + 1.0 / FAST_BYTES_PER_S))
    assert np.array_equal(far.sizes, SIZES_BYTES)
    alone = results_of([*hot, *placed("l3", 1.0)])
    assert [each.name for each in alone.curves()] == ["a shm"]


def test_many_cores_are_measured_by_placement_overlapped_and_grown() -> None:
    one = Installation("openmpi", "4.1.4", Path("/x/mpirun"), Path("/x/mpicxx"))
    shm = Transport("shm", "x", one.family, between="node")
    few, many = (
        {
            job.label
            for job in plan.jobs(plan.TIERS["quick"], {one: [shm]}, Capacity(cores, cores), ())
        }
        for cores in (1, 8)
    )

    assert {"pingpong placements", "jacobi 2x2x2 overlapped", "jacobi 2x2x2 weak"} <= many
    assert not any("overlapped" in label or "weak" in label for label in few)
    assert not any("siblings" in label for label in many)
    assert plan.weak_side(128, 2, 1 << 30) == 128
    assert plan.weak_side(320, 128, 64 << 30) == 160


def test_the_order_of_decompositions_is_that_of_the_same_ranks() -> None:
    base = [*kernels(1.0), *ping_pong(FAST_BYTES_PER_S, "hot")]
    results = results_of([*base, swept((1, 1, 1), 3e-3), swept((2, 1, 1), 2e-3)])

    assert "No two decompositions" in jacobi_tables.jacobi_table(results).note

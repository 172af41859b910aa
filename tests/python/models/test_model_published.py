# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The MPI report's tables: its model recomputed, slips found, runs ordered by a better one."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from weft_lab.models import jacobi_fitted, published
from weft_lab.models.decomposition import Decomposition, factorings
from weft_lab.models.jacobi_fitted import Machine, Problem, Run, Scaling
from weft_lab.models.published import jacobi_rows, recomputed_mlups, sum_rows
from weft_lab.models.ranking import order

MACHINES = {"X": Machine(2, 24, 2), "XI": Machine(2, 24, 1)}


@pytest.mark.parametrize("table", ["VII", "VIII", "IX", "X", "XI"])
def test_tables_follow_from_their_captions(table: str) -> None:
    for row in jacobi_rows(table):
        own = recomputed_mlups(row)
        assert own is not None
        assert own == pytest.approx(row.model_mlups, rel=published.AGREES_WITHIN)


def test_every_row_of_the_tables_is_there() -> None:
    assert len(jacobi_rows()) == 48
    assert len(sum_rows()) == 36
    for row in jacobi_rows():
        assert row.ranks == row.dims[0] * row.dims[1] * row.dims[2]
        single = jacobi_rows("IV" if published.captions()[row.table].node == "THIN" else "V")[0]
        inverse = row.ranks * single.measured_mlups / row.measured_mlups
        assert inverse == pytest.approx(row.measured_inverse_efficiency, rel=0.005)


def test_the_slips_are_found_and_nothing_else() -> None:
    found = {(each.table, each.row) for each in published.doubts()}

    assert found == {
        ("VI", ""),
        ("I", "(6, 2, 2) a=1"),
        ("III", "(24, 1, 1) a=1"),
        ("III", "(6, 4, 1) a=1"),
        ("III", "(6, 2, 2) a=1"),
    }
    words = {each.table + each.row: each.why for each in published.doubts()}
    assert "Table VII" in words["VI"]
    assert "23880000" in words["III(24, 1, 1) a=1"]
    assert "rank 23" in words["III(6, 4, 1) a=1"]


def test_the_checks_find_slips_that_are_put_in() -> None:
    good = sum_rows("II")
    assert published.doubts((), good) == []

    uneven = replace(good[0], load={**good[0].load, 3: 999_999, 4: 1_000_001})
    assert "splitting" in published.doubts((), [uneven])[0].why
    short = replace(good[0], load={**good[0].load, 3: 1})
    assert "add up" in published.doubts((), [short])[0].why
    twice = replace(good[1], low_s=good[0].low_s, high_s=good[0].high_s)
    assert "digit by digit" in published.doubts((), [good[0], twice])[0].why
    wrong = replace(jacobi_rows("X")[0], model_mlups=1353.0)
    assert published.doubts([wrong], ())[0].table == "X"


@pytest.mark.parametrize(("table", "wrong_before"), [("X", 3), ("XI", 3)])
def test_decompositions_are_ordered_right_where_the_report_orders_them_wrong(
    table: str, wrong_before: int
) -> None:
    side = published.points_per_side()
    caption, rows = published.captions()[table], jacobi_rows(table)
    runs = [Run(row.dims, 1e6 * row.measured_mlups) for row in rows]
    problem = Problem((side,) * 3, caption.serial_s, MACHINES[table])
    left_out = jacobi_fitted.leave_one_out(problem, runs)
    predicted = {run.dims: estimate for run, estimate in left_out}

    wrong = 0
    for ranks in sorted({row.ranks for row in rows if row.ranks >= 24}):
        same = [row for row in rows if row.ranks == ranks]
        measured = [row.measured_mlups for row in same]
        assert order(measured, [predicted[row.dims].value for row in same]).wrong == 0
        wrong += order(measured, [row.model_mlups for row in same]).wrong

    assert wrong == wrong_before
    for run, estimate in left_out:
        assert estimate.value == pytest.approx(run.updates_per_s, rel=0.08)


@pytest.mark.parametrize("scaling", ["strong", "weak"])
def test_the_fitted_model_gives_back_its_coefficients_and_its_waterfall_adds_up(
    scaling: Scaling,
) -> None:
    machine, cells = Machine(2, 8), (96, 96, 96)
    problem = Problem(cells, 2.0, machine, scaling)
    truth = jacobi_fitted.Fitted(problem, 0.01, 1e-8, 0.3, 0.0, 5)
    shapes = [(2, 1, 1), (4, 1, 1), (2, 2, 1), (8, 1, 1), (2, 2, 2), (16, 1, 1), (4, 2, 2)]
    ranks = [math.prod(dims) if scaling == "weak" else 1 for dims in shapes]
    runs = [
        Run(dims, num * 96**3 / truth.time_s(dims)) for dims, num in zip(shapes, ranks, strict=True)
    ]

    found = jacobi_fitted.fit(problem, runs)

    assert found.contention == pytest.approx(0.01, rel=1e-6)
    assert found.s_per_byte == pytest.approx(1e-8, rel=1e-6)
    assert found.sibling == pytest.approx(0.3, rel=1e-6)
    assert sum(found.waterfall((4, 2, 2)).values()) == pytest.approx(found.time_s((4, 2, 2)))


def test_faces_of_a_decomposition_pair_up() -> None:
    cut = Decomposition((10, 9, 8), (3, 2, 1))
    faces = [face for rank in range(6) for face in cut.faces(rank)]

    for face in faces:
        back = [f for f in cut.faces(face.neighbour) if f.neighbour == face.rank]
        assert [f.cells for f in back] == [face.cells]
    assert sum(cut.block(rank)[0] * cut.block(rank)[1] * 8 for rank in range(6)) == 720
    assert cut.busiest_cells() == max(
        sum(f.cells for f in cut.faces(rank)) for rank in range(cut.num_ranks)
    )
    periodic = Decomposition((10, 9, 8), (3, 2, 1), is_periodic=True)
    assert all(len(periodic.faces(rank)) == 4 for rank in range(6))


def test_every_arrangement_of_ranks_is_listed_once() -> None:
    assert factorings(12) == [(12, 1, 1), (6, 2, 1), (4, 3, 1), (3, 2, 2)]
    assert factorings(1) == [(1, 1, 1)]


def test_order_counts_only_pairs_that_differ_enough() -> None:
    assert order([100.0, 101.0], [1.0, 2.0]).tau is None
    assert order([100.0, 110.0, 121.0], [1.0, 2.0, 3.0]).tau == 1.0
    assert order([100.0, 110.0, 121.0], [3.0, 2.0, 1.0]).tau == -1.0
    assert order([100.0, 110.0], [1.0, 1.0]).wrong == 1

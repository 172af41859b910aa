# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of the parallel STL: its 91 problems, what a run takes of them, the table of all."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from synthetic_run import TWO_PROBLEMS, Shape, write_run
from weft_lab.machine.facts import Machine
from weft_lab.measuring.costs import CostModel, Sampling
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, Plan, make_plan
from weft_lab.pages.load import load
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import CHECKOUT, backend_infos, core_problems, problems_in_checkout
from weft_lab.suites.stl.reproduce import coverage_table
from weft_lab.suites.stl.rivals import matches
from weft_lab.suites.stl.tables import algorithm_table, all_tables, backend_table

MACHINE = Machine(cpus_usable=2, memory_bytes=8 << 30)


def planned(only: tuple[str, ...]) -> set[str]:
    offers = [Offer("stl", "seq@gcc", tuple(problems_in_checkout("stl")), is_serial=True)]
    plan = make_plan(RunOptions(tier="quick", only=only, budget_s=1e5), offers, MACHINE)
    return {task.cell.problem for task in plan.tasks}


def test_every_algorithm_of_the_papers_table_1_is_measured() -> None:
    problems = problems_in_checkout("stl")

    assert len(problems) == len(set(problems)) == 91
    assert {status for _, status in coverage_table().rows} == {"measured"}
    assert coverage_table().note.endswith("by itself, 86; and 5 beyond the standard.")


def named_in(rows: str) -> list[str]:
    return re.findall(r"^WEFT_STL_OPERATION\(\w+, (\w+),", rows, re.MULTILINE)


def test_names_are_those_of_the_operations_that_backends_offer() -> None:
    header = (CHECKOUT / "lab/stl/operations.hpp").read_text(encoding="utf-8")
    rows = (CHECKOUT / "lab/stl/operations.inc").read_text(encoding="utf-8")
    members = {*re.findall(r"(\w+)\)?(?:\([^;]*\))? = nullptr;", header), *named_in(rows)}
    members -= {"touch", "name"}  # no problem, and the parameter of a macro

    assert members == set(problems_in_checkout("stl"))


def test_mistakes_are_planted_in_every_problem() -> None:
    tests = ("planted_mistakes_test.cpp", "wrong_answers_test.cpp")
    texts = [(CHECKOUT / "tests/stl" / name).read_text(encoding="utf-8") for name in tests]
    planted = {name for text in texts for name in re.findall(r'"(\w+)"', text)}

    assert set(problems_in_checkout("stl")) <= planted


def test_a_run_measures_the_core_unless_it_names_problems_or_all() -> None:
    assert planned(()) == set(core_problems("stl"))
    assert planned(("rotate",)) == {"rotate"}
    assert planned(("all",)) == set(problems_in_checkout("stl"))


def test_reasons_name_problems_that_exist_and_no_problem_is_absent_and_wrong() -> None:
    problems = set(problems_in_checkout("stl"))

    for info in backend_infos().values():
        absent = {name for name, _ in info.not_offered}
        wrong = {name for name, _ in info.known_wrong}
        assert absent | wrong <= problems, info.id
        assert not absent & wrong, info.id
    assert len(dict(backend_infos()["gnu"].not_offered)) == 57


@pytest.mark.parametrize(("problem", "num_wrong"), [("max_element", 0), ("reduce", 1)])
def test_only_unknown_wrong_answers_count(problem: str, num_wrong: int) -> None:
    record = {
        "record": "result",
        "suite": "stl",
        "backend": "gnu",
        "variant": "gnu@gcc",
        "status": "wrong",
        "round": 1,
        "cell": Cell("stl", problem, "double", 8, 1).to_dict(),
    }
    plan = make_plan(
        RunOptions(tier="quick", only=(problem,), size=(8,), threads=(1,), budget_s=1e5),
        [Offer("stl", "gnu@gcc", (problem,), is_serial=False)],
        MACHINE,
    )
    ledger = Ledger(plan, CostModel(Sampling()))

    ledger.replay([record])

    assert isinstance(plan, Plan)
    assert ledger.num_wrong == num_wrong


def test_the_table_of_algorithms_has_a_row_for_each_and_compares_with_the_best_peer(
    tmp_path: Path,
) -> None:
    shape = Shape(
        exponents=(10, 23), backends=("seq", "gnu", "openmp"), problems=TWO_PROBLEMS, launches=3
    )
    view = load(write_run(tmp_path / "run", shape))

    by_case: dict[object, dict[str, Any]] = {}
    for table in (algorithm_table(view), backend_table(view, matches(view))):
        for row in table.rows:
            by_case.setdefault(row[0], {}).update(
                zip((c.key for c in table.columns), row, strict=True)
            )

    assert set(by_case) == {"reduce", "sort"}
    reduce = by_case["reduce"]
    times = {
        s.backend: s.time_s
        for s in view.at_all_threads()
        if view.case(s) == "reduce" and s.cell.size == 1 << 23
    }
    assert reduce["speedup"] == pytest.approx(times["seq"] / min(times["gnu"], times["openmp"]))
    assert reduce["speedup_over_best_peer"] >= 1.0
    assert reduce["bandwidth_fraction"] > 0.0
    assert by_case["sort"]["not_offered"] == "openmp"


def test_a_run_without_parallel_backends_has_no_such_table(tmp_path: Path) -> None:
    shape = Shape(exponents=(3, 12), backends=("seq",), problems=TWO_PROBLEMS, launches=3)

    assert all_tables(load(write_run(tmp_path / "run", shape))) == []

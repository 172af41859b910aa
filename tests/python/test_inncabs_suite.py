# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite Inncabs as the lab knows it: its problems, its runtimes and its plan."""

from __future__ import annotations

from weft_lab.cells import Cell
from weft_lab.costs import Task
from weft_lab.options import RunOptions
from weft_lab.plan import Machine, Offer, budget_skips, make_plan
from weft_lab.suites import backend_infos, backends_in_checkout, cases, problems_in_checkout

MACHINE = Machine(cpus_usable=2, memory_bytes=8 << 30)


def test_problems_are_the_folders_that_hold_a_header_of_their_name() -> None:
    problems = problems_in_checkout("inncabs")

    assert len(problems) == 14
    assert {"alignment", "health", "uts"} <= set(problems)
    assert "backends" not in problems


def test_every_problem_is_planned_with_classes_of_inputs() -> None:
    rows = cases("inncabs", problems_in_checkout("inncabs"))
    plain = [row for row in rows if not row.params]

    assert len(plain) == 14
    assert [row.problem for row in plain if set(row.sizes) != {"quick", "default", "full"}] == []
    assert {size for row in rows for sizes in row.sizes.values() for size in sizes} <= {1, 2, 3}


def test_every_runtime_is_described_and_no_other() -> None:
    assert set(backends_in_checkout("inncabs")) == set(backend_infos("inncabs"))


def test_types_and_allocators_play_no_part() -> None:
    offers = [Offer("inncabs", "onetbb@gcc", ("fib", "round"), is_serial=False)]

    plan = make_plan(RunOptions(tier="quick", suite=("inncabs",)), offers, MACHINE)

    cells = {task.cell for task in plan.tasks}
    assert {(c.problem, c.size) for c in cells} == {("fib", 2), ("round", 2)}
    assert {(c.type, c.allocator) for c in cells} == {("double", "default")}


def test_what_did_not_fit_the_budget_is_asked_for_by_suite_and_class() -> None:
    (skip,) = budget_skips([Task("onetbb@gcc", Cell("inncabs", "uts", size=3, threads=2))])

    assert skip.remedy == "./weft run --suite inncabs --only uts --size 3"


def test_the_original_graph_of_sparselu_is_a_variant_of_the_full_tier() -> None:
    offers = [Offer("inncabs", "onetbb@gcc", ("sparselu",), is_serial=False)]

    labels = {
        tier: {task.cell.label for task in make_plan(options, offers, MACHINE).tasks}
        for tier in ("quick", "default", "full")
        for options in (RunOptions(tier=tier, suite=("inncabs",), size=(2,)),)
    }

    assert labels["quick"] == labels["default"] == {"sparselu"}
    assert labels["full"] == {"sparselu", "sparselu original_graph=1"}


def test_a_variant_that_did_not_fit_the_budget_is_asked_for_in_its_tier() -> None:
    cell = Cell("inncabs", "sparselu", size=3, params=(("original_graph", 1),))

    (skip,) = budget_skips([Task("onetbb@gcc", cell)])

    assert skip.remedy == "./weft run --suite inncabs --only sparselu --size 3 --full"

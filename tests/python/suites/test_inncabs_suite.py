# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite Inncabs as the lab knows it: its problems, its runtimes and its plan."""

from __future__ import annotations

import re

import pytest
from weft_lab.errors import UsageError
from weft_lab.machine.facts import Machine
from weft_lab.measuring.costs import Task
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, budget_skips, make_plan
from weft_lab.storage.cells import LAUNCH_POLICIES, Cell
from weft_lab.storage.checkout import (
    CHECKOUT,
    backend_infos,
    backends_in_checkout,
    cases,
    problems_in_checkout,
)

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

    assert skip.message == "1 cells of uts with the input paper did not fit the time budget"
    assert skip.remedy == "./weft run --suite inncabs --only uts --size paper"


def test_the_original_graph_of_sparselu_is_a_variant_of_the_full_tier() -> None:
    offers = [Offer("inncabs", "onetbb@gcc", ("sparselu",), is_serial=False)]

    labels = {
        tier: {task.cell.label for task in make_plan(options, offers, MACHINE).tasks}
        for tier in ("quick", "default", "full")
        for options in (RunOptions(tier=tier, suite=("inncabs",), size=(2,)),)
    }

    assert labels["quick"] == labels["default"] == {"sparselu"}
    assert labels["full"] == {"sparselu", "sparselu original_graph=1"}


def test_the_limited_search_of_the_study_is_a_variant_of_the_full_tier() -> None:
    offers = [Offer("inncabs", "hpx@gcc", ("floorplan",), is_serial=False)]
    options = RunOptions(tier="full", suite=("inncabs",), size=(2,))

    labels = {task.cell.label for task in make_plan(options, offers, MACHINE).tasks}

    assert labels == {"floorplan", "floorplan max_tasks=200000"}


def test_launch_policies_are_variants_with_names_of_their_own() -> None:
    offers = [Offer("inncabs", "hpx@gcc", ("fib", "sparselu"), is_serial=False)]
    options = RunOptions(
        tier="full", suite=("inncabs",), size=(2,), threads=(1,), placement=("none",),
        launch=("async", "fork"),
    )  # fmt: skip

    cells = [task.cell for task in make_plan(options, offers, MACHINE).tasks]

    assert {cell.label for cell in cells} == {
        "fib", "fib launch=fork",
        "sparselu", "sparselu launch=fork",
        "sparselu original_graph=1", "sparselu launch=fork original_graph=1",
    }  # fmt: skip
    assert {cell.params for cell in cells if cell.problem == "fib"} == {(), (("launch", 3),)}
    assert Cell.from_dict(cells[1].to_dict(), "inncabs") == cells[1]


def test_launch_policies_are_in_the_order_of_the_programs() -> None:
    header = (CHECKOUT / "lab/inncabs/launch_policy.hpp").read_text(encoding="utf-8")
    names = re.search(r"launch_policies\.size\(\)> names\{([^}]*)\}", header)

    assert names is not None
    assert tuple(re.findall(r'"(\w+)"', names[1])) == LAUNCH_POLICIES


def test_bad_launch_policies_are_named() -> None:
    with pytest.raises(UsageError, match="unknown launch policy 'forked'"):
        RunOptions(suite=("inncabs",), launch=("forked",))
    with pytest.raises(UsageError, match="the suite stl has no launch policies"):
        RunOptions(launch=("fork",))


def test_a_launch_policy_that_did_not_fit_the_budget_is_asked_for_by_name() -> None:
    cells = [
        Cell("inncabs", "fib", size=2, params=(("launch", 1),)),
        Cell("inncabs", "sparselu", size=2, params=(("launch", 1), ("original_graph", 1))),
    ]

    remedies = [skip.remedy for skip in budget_skips([Task("hpx@gcc", cell) for cell in cells])]

    assert remedies == [
        "./weft run --suite inncabs --only fib --size small --launch deferred",
        "./weft run --suite inncabs --only sparselu --size small --launch deferred --full",
    ]


def test_a_variant_that_did_not_fit_the_budget_is_asked_for_in_its_tier() -> None:
    cell = Cell("inncabs", "sparselu", size=3, params=(("original_graph", 1),))

    (skip,) = budget_skips([Task("onetbb@gcc", cell)])

    assert skip.remedy == "./weft run --suite inncabs --only sparselu --size paper --full"

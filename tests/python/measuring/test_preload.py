# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocators in place of malloc: planned where found, loaded first, unknown to programs."""

from __future__ import annotations

import pytest
from weft_lab.machine import preload
from weft_lab.machine.facts import Machine
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, Plan, make_plan
from weft_lab.storage.cells import Cell

OFFERS = [Offer("inncabs", "onetbb@gcc", ("fib",), is_serial=False)]
BOTH = RunOptions(tier="quick", suite=("inncabs",), allocator=("default", "tcmalloc"))


def plan_with(preloads: frozenset[str]) -> Plan:
    return make_plan(BOTH, OFFERS, Machine(2, 8 << 30, preloads))


def test_an_allocator_that_is_found_is_an_axis() -> None:
    plan = plan_with(frozenset({"tcmalloc"}))

    assert {task.cell.allocator for task in plan.tasks} == {"default", "tcmalloc"}
    assert plan.skips == ()


def test_an_allocator_that_is_missing_is_skipped_with_a_remedy() -> None:
    plan = plan_with(frozenset())

    assert {task.cell.allocator for task in plan.tasks} == {"default"}
    (skip,) = plan.skips
    assert (skip.code, skip.count) == ("missing_library", 2)
    assert "libtcmalloc_minimal.so" in skip.message
    assert skip.remedy == "apt-get install libtcmalloc-minimal4"


def test_the_library_comes_before_what_is_preloaded_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preload, "library_of", lambda _: "libtcmalloc.so.4")

    found = preload.environment_for("tcmalloc", {"LD_PRELOAD": "own.so", "HOME": "h"})

    assert found == {"LD_PRELOAD": "libtcmalloc.so.4 own.so", "HOME": "h"}


def test_other_allocators_change_no_environment() -> None:
    assert preload.environment_for("first_touch", {"HOME": "h"}) == {"HOME": "h"}


def test_programs_are_asked_for_allocators_they_know() -> None:
    asked = [
        preload.as_the_program_knows_it(Cell("inncabs", "fib", allocator=name).to_dict())
        for name in ("tcmalloc", "first_touch", "default")
    ]

    assert [cell["allocator"] for cell in asked] == ["default", "first_touch", "default"]


def test_a_run_of_twenty_samples_has_twenty_samples() -> None:
    options = RunOptions(tier="full", suite=("inncabs",), protocol="counters", budget_s=1e6)

    sampling = make_plan(options, OFFERS, Machine(2, 8 << 30)).sampling

    assert (sampling.min_samples, sampling.max_samples) == (20, 20)
    assert sampling.protocol == "robust"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plans: the axes of each tier, what budget and memory leave out, the way through the manifest."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from unittest.mock import Mock

import pytest
from weft_lab.errors import UsageError
from weft_lab.machine.facts import Machine
from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.options import RunOptions, parse_budget
from weft_lab.measuring.plan import Offer, Plan, make_plan, thin
from weft_lab.measuring.rounds import BLOCK_CELLS_MAX, blocks_of
from weft_lab.measuring.run_context import RunContext
from weft_lab.storage.cells import Cell

PROBLEMS = ("for_each", "reduce", "sort")
OFFERS = [
    Offer("stl", "seq@gcc", PROBLEMS, is_serial=True),
    Offer("stl", "gnu@gcc", PROBLEMS, is_serial=False),
]
MACHINE = Machine(cpus_usable=6, memory_bytes=1 << 34)


def plan_of(machine: Machine = MACHINE, **options: object) -> Plan:
    return make_plan(RunOptions(**{"budget_s": 1e5, **options}), OFFERS, machine)  # type: ignore[arg-type]


def test_quick_is_double_on_one_and_all_threads() -> None:
    plan = plan_of(tier="quick")

    assert {task.cell.type for task in plan.tasks} == {"double"}
    assert {t.cell.threads for t in plan.tasks if t.variant == "gnu@gcc"} == {1, 6}
    assert {t.cell.threads for t in plan.tasks if t.variant == "seq@gcc"} == {1}


def test_first_touch_only_at_the_largest_size_of_quick() -> None:
    touched = [t.cell for t in plan_of(tier="quick").tasks if t.cell.allocator == "first_touch"]

    assert {cell.size for cell in touched} == {1 << 24}
    assert {cell.threads for cell in touched} == {6}


def test_default_adds_types_and_thread_counts_between() -> None:
    plan = plan_of()

    assert {task.cell.type for task in plan.tasks} == {"int", "float", "double"}
    assert {t.cell.threads for t in plan.tasks if t.variant == "gnu@gcc"} == {1, 2, 4, 6}


def test_a_problem_with_parameters_is_planned_with_each() -> None:
    labels = {task.cell.label for task in plan_of(only=("for_each",)).tasks}

    assert labels == {"for_each k_it=1", "for_each k_it=1000"}


def test_options_choose_the_axes() -> None:
    plan = plan_of(size=(8, 64), threads=(3,), type=("int",), smt=("on", "off"), only=("sort",))

    gnu = {task.cell for task in plan.tasks if task.variant == "gnu@gcc"}
    assert gnu == {
        Cell("stl", "sort", "int", size, 3, smt=smt) for size in (8, 64) for smt in ("on", "off")
    }


def test_the_control_runs_every_cell_of_the_baseline() -> None:
    plan = plan_of(tier="quick")

    by_variant = Counter(task.variant for task in plan.tasks)
    assert by_variant["seq@gcc#control"] == by_variant["seq@gcc"] > 0


def test_four_rounds_may_fit_the_budget_and_the_rest_is_listed() -> None:
    everything = plan_of()
    plan = plan_of(budget_s=60.0)

    costs = CostModel(plan.sampling)
    # Guesses may be twice too high; a tenth is kept for what no guess knows.
    assert 4 * sum(costs.predict_s(task) for task in plan.tasks) <= 2 * 0.9 * 60.0
    dropped = sum(skip.count for skip in plan.skips if skip.code == "budget")
    assert dropped == len(everything.tasks) - len(plan.tasks) > 0
    assert all("./weft run --only" in skip.remedy for skip in plan.skips)


def test_thinning_takes_from_the_expensive_problem_and_keeps_one_size_of_each() -> None:
    cheap = [Task("seq@gcc", Cell("stl", "reduce", size=1 << e)) for e in range(4, 12)]
    params = (("k_it", 1000),)
    dear = [Task("seq@gcc", Cell("stl", "for_each", size=1 << e, params=params)) for e in (10, 24)]

    kept, dropped = thin([*cheap, *dear], CostModel(Sampling()), 5.0)

    assert [task.cell.size for task in dropped] == [1 << 24]
    assert set(cheap) < set(kept)


OFFERS_MANY = [
    *OFFERS,
    *(Offer("stl", f"{name}@gcc", PROBLEMS, is_serial=False) for name in ("onetbb", "weft", "hpx")),
]


@pytest.mark.parametrize("budget_s", [5.0, 20.0, 60.0])
def test_sizes_that_the_user_named_stay_types_and_backends_go_first(budget_s: float) -> None:
    sizes = tuple(1 << exponent for exponent in (10, 16, 20))
    options = RunOptions(budget_s=budget_s, size=sizes, only=("sort",))

    plan = make_plan(options, OFFERS_MANY, MACHINE)

    assert {task.cell.size for task in plan.tasks} == set(sizes)
    assert {"seq@gcc", "seq@gcc#control", "weft@gcc"} <= {task.variant for task in plan.tasks}
    by_variant = {v: {t.cell.size for t in plan.tasks if t.variant == v} for v in
                  {t.variant for t in plan.tasks}}  # fmt: skip
    assert all(measured == set(sizes) for measured in by_variant.values())
    assert plan.deferred
    if {t.cell.type for t in plan.tasks} != {"double"}:
        assert {t.variant for t in plan.deferred} == {t.variant for t in plan.tasks}


def test_what_the_user_named_is_never_left_out() -> None:
    named = {"size": (1 << 24,), "type": ("int", "float"), "backend": ("seq", "gnu")}
    plan = plan_of(budget_s=2.0, only=("sort",), **named)

    assert plan.deferred == ()
    assert {task.cell.type for task in plan.tasks} == {"int", "float"}


def test_what_did_not_fit_is_measured_when_the_run_goes_on_with_more_time() -> None:
    plan = plan_of(budget_s=60.0)
    assert plan.deferred
    kept = Plan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert set(kept.deferred) == set(plan.deferred)

    more = kept.refitted(plan.needed_s * 4)

    assert set(more.tasks) == {*plan.tasks, *plan.deferred}
    assert more.deferred == ()
    assert not [skip for skip in more.skips if skip.code == "budget"]


def test_sizes_beyond_the_memory_are_left_out_with_that_reason() -> None:
    plan = plan_of(Machine(2, 1 << 20), size=(1 << 10, 1 << 30), only=("sort",))

    assert {task.cell.size for task in plan.tasks} == {1 << 10}
    codes = {(skip.code, skip.size) for skip in plan.skips}
    assert codes == {("memory", 1 << 30)}


def test_a_plan_survives_the_manifest() -> None:
    plan = plan_of(tier="quick", budget_s=30.0)

    again = Plan.from_dict(json.loads(json.dumps(plan.to_dict())))

    assert set(again.tasks) == set(plan.tasks)
    assert again.skips == plan.skips
    assert again.sampling == plan.sampling


def test_blocks_share_a_process_and_repeat_with_the_seed() -> None:
    tasks = plan_of().tasks

    blocks = blocks_of(tasks, seed=1, round_=1)

    assert blocks == blocks_of(tasks, seed=1, round_=1)
    assert blocks != blocks_of(tasks, seed=1, round_=2)
    assert Counter(t for b in blocks for t in b.tasks) == Counter(tasks)
    for block in blocks:
        assert len(block.tasks) <= BLOCK_CELLS_MAX
        assert len({(t.variant, t.cell.threads, t.cell.allocator) for t in block.tasks}) == 1


def test_guesses_are_corrected_by_what_was_learned() -> None:
    costs = CostModel(Sampling())
    known, unknown = (Task("seq@gcc", Cell("stl", "sort", size=1 << e)) for e in (10, 20))
    costs.learn(known, 3.0 * costs.guess_s(known.cell))

    assert costs.predict_s(unknown) == pytest.approx(3.0 * costs.guess_s(unknown.cell))


def test_costs_are_learned() -> None:
    costs = CostModel(Sampling())
    task, other = (Task(v, Cell("stl", "sort", size=1 << 20)) for v in ("seq@gcc", "gnu@gcc"))
    costs.learn(task, 7.0)

    assert costs.predict_s(task) == 7.0
    assert costs.predict_s(other) == 7.0


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("90s", 90), ("10m", 600), ("1.5h", 5400)]
)
def test_budgets(text: str, seconds: float) -> None:
    assert parse_budget(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "10 weeks", "-5m"])
def test_budgets_that_are_none(text: str) -> None:
    with pytest.raises(Exception, match="--budget 10m"):
        parse_budget(text)


@pytest.mark.parametrize("options", [{"rounds_max": 10**20}, {"seed": -(10**20)}])
def test_numbers_that_a_manifest_cannot_give_back_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="is too large: 9007199254740992 is the most"):
        RunOptions(**options)  # type: ignore[arg-type]


def test_thinning_leaves_time_for_the_rounds_wanted_and_one_probe_each() -> None:
    tasks = [Task("seq@gcc", Cell("stl", "copy", size=1 << e)) for e in range(4, 20)]
    costs = CostModel(Sampling())
    for task in tasks:
        costs.learn(task, took_s=0.14, probe_s=0.04)

    kept, _ = thin(tasks, costs, budget_s=4.0)

    # 4 rounds of 0.1 s and one probe of 0.04 s each: 8 tasks take 3.52 of the 3.6 s (90 %).
    assert len(kept) == 8


def test_a_process_is_told_the_threads_and_cores_of_its_block() -> None:
    tasks = [
        Task("gnu@gcc", Cell("stl", "sort", threads=threads, placement="cores"))
        for threads in (1, 2)
    ]
    programs = {"gnu@gcc": Path("weft_stl_gnu")}
    context = Mock(spec=RunContext, programs=programs, command_of=None)

    commands = [RunContext.command(context, block) for block in blocks_of(tasks, 1, 1)]

    assert sorted(" ".join(command) for command in commands) == [
        "weft_stl_gnu --stream --placement cores --smt on --threads 1",
        "weft_stl_gnu --stream --placement cores --smt on --threads 2",
    ]

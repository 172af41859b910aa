# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--quick` of every suite answers: on a simulated machine that is slower than guessed, where one
runtime hangs, nearly all problems have two contestants with a time at one size within two minutes.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from weft_lab.machine.facts import Machine
from weft_lab.measuring import runner
from weft_lab.measuring.costs import CostModel, Task
from weft_lab.measuring.launch import TIMEOUT_FACTOR
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, make_plan
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.run_context import Deadline, RunContext
from weft_lab.measuring.runner import Runner
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import backend_infos, problems_in_checkout
from weft_lab.storage.variants import is_control

HANGING = 3  # the number of the backend that never answers with more than one thread
# Over the guess: of the inputs of inncabs the largest time is guessed, of which most take a third.
SLOWNESS = {"inncabs": 0.3}
SLOWNESS_OTHERS = 1.5
START_S = 0.05


class SimulatedMachine:
    """Answers a task after its guessed time, more or less; what hangs takes all patience."""

    def __init__(self, hanging: str) -> None:
        self.now_s = 0.0
        self.hanging = hanging
        self.random = random.Random(1)
        self.waited_s = 0.0

    def launch(self, ledger: Ledger, _: RunContext, block: Block, on_answer: Callable[[int], None]
               ) -> Mock:  # fmt: skip
        self.now_s += START_S
        launch = Mock(was_stopped=False)

        def run(tasks: list[Task], deadline: Deadline) -> list[Task]:
            for index, task in enumerate(tasks):
                predicted_s = ledger.costs.predict_s(task)
                is_out = task in ledger.retired or ledger.failed_below(task)
                if is_out or predicted_s > deadline.remaining_s:
                    continue
                is_alive = self.answer(ledger, block, task, predicted_s)
                on_answer(block.round)
                if not is_alive:
                    return tasks[index + 1 :]
            return []

        launch.run = run
        return launch

    def answer(self, ledger: Ledger, block: Block, task: Task, predicted_s: float) -> bool:
        hangs = task.variant == self.hanging and task.cell.threads > 1
        slowness = SLOWNESS.get(task.cell.suite, SLOWNESS_OTHERS)
        took_s = slowness * ledger.costs.guess_s(task.cell) * self.random.lognormvariate(0.0, 0.3)
        if hangs:
            took_s = max(ledger.plan.timeout_min_s, TIMEOUT_FACTOR * predicted_s)
            self.waited_s += took_s
        self.now_s += took_s
        ledger.update(record(ledger, block, task, took_s, status="hung" if hangs else "ok"))
        return not hangs


def record(ledger: Ledger, block: Block, task: Task, took_s: float, status: str) -> dict[str, Any]:
    return {
        "record": "result",
        "variant": task.variant,
        "suite": task.cell.suite,
        "cell": task.cell.to_dict(),
        "status": status,
        "launch": ledger.launch,
        "round": block.round,
        "samples_s": [took_s / 10.0] if status == "ok" else [],
        "took_s": took_s,
    }


@pytest.fixture
def measured(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[Ledger, SimulatedMachine]:
    suite = request.param
    backends = sorted(backend_infos(suite), key=lambda name: (name != "seq", name))
    offers = [
        Offer(suite, f"{name}@gcc", tuple(problems_in_checkout(suite)), is_serial=name == "seq")
        for name in backends
    ]
    plan = make_plan(RunOptions(tier="quick", suite=(suite,)), offers, Machine(2, 1 << 33))
    here = SimulatedMachine(f"{backends[HANGING]}@gcc")
    monkeypatch.setattr(runner, "Launch", here.launch)
    ledger = Ledger(plan, CostModel(plan.sampling))
    context = Mock(clock=lambda: here.now_s)
    Runner(ledger, context, plan.budget_s).run()
    return ledger, here


@pytest.mark.parametrize("measured", ["stl", "tasks", "inncabs", "approaches"], indirect=True)
def test_nearly_every_problem_is_answered(measured: tuple[Ledger, SimulatedMachine]) -> None:
    ledger, here = measured
    contestants: dict[tuple[str, int], set[str]] = defaultdict(set)
    for task, state in ledger.states.items():
        if state.launch_medians_s and not is_control(task.variant):
            contestants[task.cell.label, task.cell.size].add(task.variant)
    answered = {label for (label, _), variants in contestants.items() if len(variants) > 1}
    asked = {task.cell.label for task in ledger.states}

    assert len(answered) >= 0.9 * len(asked)
    assert here.now_s < 1.1 * ledger.plan.budget_s
    assert here.waited_s < 0.5 * ledger.plan.budget_s


def test_what_hung_once_is_not_tried_at_larger_sizes_and_that_is_told() -> None:
    plan = make_plan(
        RunOptions(tier="quick", size=(64, 128, 256), only=("sort",)),
        [Offer("stl", "seq@gcc", ("sort",), is_serial=True),
         Offer("stl", "gnu@gcc", ("sort",), is_serial=False)],
        Machine(2, 1 << 33),
    )  # fmt: skip
    ledger = Ledger(plan, CostModel(plan.sampling))
    small = Task("gnu@gcc", Cell("stl", "sort", size=64, threads=2))
    block = Block(1, small.variant, "none", "on", (small,))

    ledger.update(record(ledger, block, small, 3.0, status="hung"))

    left = Counter(task.variant for task in ledger.pending(1) if task.cell.threads == 2)
    assert left["gnu@gcc"] == 0
    assert plan.timeout_min_s == 1.5

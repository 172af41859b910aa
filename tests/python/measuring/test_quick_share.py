# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--quick` of every suite answers: on a simulated machine that is slower than guessed, where one
runtime hangs, nearly all problems have two contestants with a time at one size within two minutes.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from weft_lab.machine.facts import Machine
from weft_lab.measuring import runner
from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.mpi import rounds
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.order import Labelled, in_order
from weft_lab.measuring.mpi.transports import transports_of
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, make_plan
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.run_context import Deadline, RunContext
from weft_lab.measuring.runner import Runner
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import backend_infos, problems_in_checkout
from weft_lab.storage.variants import is_control
from weft_lab.suites.halo import measure as halo_measure
from weft_lab.suites.halo import plan as halo_plan
from weft_lab.suites.mpi import measure as mpi_measure
from weft_lab.suites.mpi import plan as mpi_plan

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
                is_alive = self.answer(ledger, block, task)
                on_answer(block.round)
                if not is_alive:
                    return tasks[index + 1 :]
            return []

        launch.run = run
        return launch

    def answer(self, ledger: Ledger, block: Block, task: Task) -> bool:
        hangs = task.variant == self.hanging and task.cell.threads > 1
        slowness = SLOWNESS.get(task.cell.suite, SLOWNESS_OTHERS)
        took_s = slowness * ledger.costs.guess_s(task.cell) * self.random.lognormvariate(0.0, 0.3)
        if hangs:
            took_s = max(ledger.plan.timeout_min_s, ledger.costs.patience_s(task))
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


def test_a_contestant_may_take_five_times_as_long_as_the_best_so_far() -> None:
    costs = CostModel(Sampling())
    tasks = [Task(f"{name}@gcc", Cell("stl", "sort", size=64)) for name in ("a", "b", "c")]

    costs.learn(tasks[0], 2.0)
    costs.learn(tasks[1], 7.0)

    assert costs.patience_s(tasks[2]) == pytest.approx(10.0)
    assert costs.patience_s(tasks[1]) == pytest.approx(70.0)


Session = halo_measure._Session | mpi_measure._Session


@dataclass
class SlowLauncher:
    """Launches of MPI programs take so long that a third of the first round fits; some hang."""

    budget_s: float
    num_jobs: int
    now_s: float = 0.0
    measured: set[str] = field(default_factory=set)
    num_launches: int = 0

    @property
    def launch_s(self) -> float:
        return 3.0 * self.budget_s / self.num_jobs

    def launch(self, session: Session, job: Labelled, _round: int) -> None:
        self.num_launches += 1
        if self.num_launches == 2:
            self.now_s += session._patience_s
            return
        self.now_s += self.launch_s
        self.measured.add(job.problem)


def answered_by(
    monkeypatch: pytest.MonkeyPatch, session: Session, budget_s: float, num_jobs: int
) -> SlowLauncher:
    here = SlowLauncher(budget_s, num_jobs)
    module = rounds if isinstance(session, halo_measure._Session) else mpi_measure
    monkeypatch.setattr(module, "time", Mock(monotonic=lambda: here.now_s))
    monkeypatch.setattr(session, "_launch", lambda job, round_: here.launch(session, job, round_))
    session._stop = Mock(requested=False)
    session._recorder = Mock(is_given_up=lambda _: False, skips=[])
    session.run([])
    return here


OPEN_MPI = Installation("openmpi", "4.1.4", Path("/x/mpirun"), Path("/x/mpicxx"))


def test_quick_of_halo_answers_every_problem_though_time_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tier = halo_plan.TIERS["quick"]
    jobs = halo_plan.jobs(tier, (OPEN_MPI,), halo_plan.Host(2, 16 << 30), ())
    monkeypatch.setattr(halo_plan, "jobs", lambda *_: jobs)
    state = halo_measure._State()
    state.contestants[OPEN_MPI] = ()
    session = halo_measure._Session(RunOptions(tier="quick", suite=("halo",)), state, Mock())

    here = answered_by(monkeypatch, session, tier.budget_s, len(jobs))

    assert here.measured >= {job.problem for job in jobs} - _second(jobs)
    assert here.now_s < tier.budget_s + here.launch_s <= 180.0


def test_quick_of_mpi_answers_every_problem_though_time_is_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tier = mpi_plan.TIERS["quick"]
    shm = transports_of(OPEN_MPI, ())[0]
    jobs = mpi_plan.jobs(tier, {OPEN_MPI: [shm]}, Capacity(2, 2), ())
    state = mpi_measure._State()
    place = mpi_measure._Place(Mock(are_several=False), Capacity(2, 2))
    session = mpi_measure._Session(RunOptions(tier="quick", suite=("mpi",)), place, state, Mock())
    monkeypatch.setattr(mpi_measure._Session, "_jobs", lambda *_: jobs)
    budget_s = mpi_measure.BUDGETS_S["quick"]

    here = answered_by(monkeypatch, session, budget_s, len(jobs))

    assert here.measured >= {job.problem for job in jobs} - _second(jobs)
    assert here.now_s < budget_s + here.launch_s <= 180.0


def _second(jobs: Sequence[Labelled]) -> set[str]:
    """The problem whose first launch hangs: the second one."""
    return {in_order(jobs, RunOptions().seed, 1)[1].problem}

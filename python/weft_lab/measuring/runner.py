# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a plan: rounds of blocks, one new process each, until the budget is spent or the user stops
it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from weft_lab.measuring.costs import Task
from weft_lab.measuring.launch import Launch
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.plan import OWN_BACKEND, Skip, budget_skips, thin
from weft_lab.measuring.remedies import run_command
from weft_lab.measuring.rounds import Block, blocks_of
from weft_lab.measuring.run_context import Deadline, RunContext
from weft_lab.storage.cells import format_size
from weft_lab.storage.variants import BASELINE, is_control, program_of

SURE_FRACTION = 0.5
FIRST_STAGE_FRACTION = 0.25
OVERTIME_FRACTION = 0.05
LEARNING_FRACTION = 0.1
THIN_PERIOD_FRACTION = 0.02
Series = tuple[str, str, str]


class Runner:
    """Drives the rounds; afterwards `skips` lists the cells that did not fit the budget."""

    def __init__(self, ledger: Ledger, context: RunContext, budget_s: float) -> None:
        self._ledger = ledger
        self._context = context
        self._budget_s = budget_s
        self._thin_next_s = (1.0 - LEARNING_FRACTION) * budget_s
        self._deadline = Deadline(
            context.clock() + budget_s, OVERTIME_FRACTION * budget_s, context.clock
        )
        self.skips: list[Skip] = []
        self.was_stopped = False

    def run(self) -> None:
        """Measures until nothing is left, no cell fits the budget, or a stop is requested."""
        rounds_max = self._ledger.plan.rounds_max
        round_ = max(self._ledger.round, 1)
        while not self.was_stopped and (rounds_max is None or round_ <= rounds_max):
            if self._ledger.plan.is_sequential:
                self._ledger.find_clear(self._deadline.remaining_s)
            pending = self._ledger.pending(round_)
            # the remaining time makes the intervals of all cells narrower
            if not pending and self._ledger.clear:
                self._ledger.clear.clear()
                pending = self._ledger.pending(round_)
            tasks = self._fitting(pending)
            is_over = bool(pending) and not tasks
            is_done = not pending and round_ > self._ledger.round
            if is_over or is_done:
                break
            stages = [tasks] if round_ > 1 else self._stages(pending)
            for stage in stages:
                for block in blocks_of(self._fitting(stage), self._ledger.plan.seed, round_):
                    self._run_block(block)
            round_ += 1
        unmeasured = self._ledger.unmeasured()
        hopeless = [task for task in unmeasured if self._ledger.failed_below(task)]
        self.skips += [self._not_tried(task) for task in hopeless]
        left_out = budget_skips(task for task in unmeasured if task not in set(hopeless))
        self.skips += [_stopped(skip) for skip in left_out] if self.was_stopped else left_out

    def _stages(self, tasks: list[Task]) -> list[list[Task]]:
        """The stages of the first round.

        First every problem at one size and all threads, contestant by contestant, so that a run
        that ends early has a result for each problem. That size is the largest that leaves time for
        all problems. If a whole round surely fits, it is one stage.
        """
        if self._ledger.cost_s(tasks) <= SURE_FRACTION * self._budget_s:
            return [tasks]
        costs: dict[Series, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        most: dict[str, int] = defaultdict(int)
        for task in tasks:
            costs[_series(task)][task.cell.size] += self._ledger.costs.predict_s(task)
            most[task.variant] = max(most[task.variant], task.cell.threads)
        share_s = FIRST_STAGE_FRACTION * self._budget_s / max(len(costs), 1)
        telling: dict[Series, int] = {}
        for series, sizes in costs.items():
            fitting = [size for size, cost_s in sizes.items() if cost_s <= share_s]
            telling[series] = max(fitting, default=min(sizes))
        stages: dict[str, list[Task]] = {name: [] for name in sorted(most, key=_rank)}
        rest: list[Task] = []
        for task in tasks:
            cell = task.cell
            is_plain = cell.allocator == "default" and cell.placement == "none"
            is_first = cell.threads == most[task.variant] and cell.size == telling[_series(task)]
            is_first = is_first and is_plain and not is_control(task.variant)
            (stages[task.variant] if is_first else rest).append(task)
        return [*stages.values(), rest]

    def _not_tried(self, task: Task) -> Skip:
        failed = self._ledger.failed_below(task)
        assert failed is not None
        cell = task.cell
        status = self._ledger.states[failed].status
        return Skip(
            status,
            f"not tried: it {status} at {format_size(failed.cell.size)} already",
            run_command(cell.suite, cell.label, cell.type, failed.cell.size),
            cell.suite,
            cell.label,
            cell.type,
            cell.size,
            program_of(task.variant),
        )

    def _fitting(self, tasks: list[Task]) -> list[Task]:
        remaining_s = self._deadline.remaining_s
        if self._ledger.cost_s(tasks) <= remaining_s:
            return tasks
        return self._ledger.most_urgent(tasks, remaining_s)

    def _on_answer(self, round_: int) -> None:
        remaining_s = self._deadline.remaining_s
        self._context.watcher.on_answer(self._ledger, round_, remaining_s)
        if round_ == 1 and remaining_s <= self._thin_next_s:
            self._thin()
            self._thin_next_s = remaining_s - THIN_PERIOD_FRACTION * self._budget_s

    def _thin(self) -> None:
        """While costs are being learned: retires tasks so that the wanted rounds fit the budget.

        Decided anew each time, so that a task returns if the others turn out to be cheap.
        """
        named = self._ledger.plan.named
        _, dropped = thin(self._ledger.unfinished(), self._ledger.costs, self._budget_s, named)
        # All contestants are measured at the same named sizes, so those that have begun continue.
        begun = {_contestant(t) for t, state in self._ledger.states.items() if state.status}
        self._ledger.retired = {
            task for task in dropped if "size" not in named or _contestant(task) not in begun
        }

    def _run_block(self, block: Block) -> None:
        """Answers every task of the block, in a new process after each death or if one grew too
        large."""
        waiting = [
            task
            for task in block.tasks
            if task not in self._ledger.retired and not self._ledger.failed_below(task)
        ]
        while waiting and not self.was_stopped and self._deadline.remaining_s > 0:
            self._ledger.launch += 1
            launch = Launch(self._ledger, self._context, block, self._on_answer)
            waiting = launch.run(waiting, self._deadline)
            self.was_stopped = launch.was_stopped


def _rank(variant: str) -> tuple[bool, bool, str]:
    """The baseline and weft first: all others are compared with them."""
    return variant != BASELINE, not variant.startswith(OWN_BACKEND), variant


def _series(task: Task) -> Series:
    return task.cell.suite, task.cell.label, task.cell.type


def _contestant(task: Task) -> tuple[str, str]:
    return task.variant, task.cell.type


def _stopped(skip: Skip) -> Skip:
    """The cells that a stopped run did not reach, not because of the budget; resuming measures
    them."""
    cells = f"{skip.count} cells of {skip.label} {skip.type} at {format_size(skip.size or 0)}"
    message = f"{cells} were not reached before the run was stopped"
    return replace(
        skip, code="stopped", message=message, remedy="continue with: ./weft resume latest"
    )

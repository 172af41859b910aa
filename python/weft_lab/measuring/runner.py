# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a plan: rounds of blocks, one fresh process each, until the budget is spent or the user
stops it.
"""

from __future__ import annotations

from dataclasses import replace

from weft_lab.measuring.costs import Task
from weft_lab.measuring.launch import Launch
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.plan import Skip, budget_skips, thin
from weft_lab.measuring.rounds import Block, blocks_of
from weft_lab.measuring.run_context import Deadline, RunContext
from weft_lab.storage.cells import format_size

OVERTIME_FRACTION = 0.05
LEARNING_FRACTION = 0.1
THIN_PERIOD_FRACTION = 0.02


class Runner:
    """Drives the rounds; afterwards `skips` says what the budget left out."""

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
        """Measures until nothing is left, no cell fits the budget any more, or a stop is asked
        for.
        """
        rounds_max = self._ledger.plan.rounds_max
        round_ = max(self._ledger.round, 1)
        while not self.was_stopped and (rounds_max is None or round_ <= rounds_max):
            if self._ledger.plan.is_sequential:
                self._ledger.find_clear()
            pending = self._ledger.pending(round_)
            tasks = self._fitting(pending)
            is_over = bool(pending) and not tasks
            is_done = not pending and round_ > self._ledger.round
            if is_over or is_done:
                break
            for block in blocks_of(tasks, self._ledger.plan.seed, round_):
                self._run_block(block)
            round_ += 1
        left_out = budget_skips(self._ledger.unmeasured())
        self.skips += [_stopped(skip) for skip in left_out] if self.was_stopped else left_out

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
        """While costs are being learned: retires tasks so that the rounds wanted fit the budget.

        Decided anew each time, so that one comes back when the others turn out to be cheap.
        """
        named = self._ledger.plan.named
        _, dropped = thin(self._ledger.unfinished(), self._ledger.costs, self._budget_s, named)
        # All contestants are measured at the same named sizes: who has begun goes on.
        begun = {_contestant(t) for t, state in self._ledger.states.items() if state.status}
        self._ledger.retired = {
            task for task in dropped if "size" not in named or _contestant(task) not in begun
        }

    def _run_block(self, block: Block) -> None:
        """Answers every task of the block, in a new process after each death or when one grew too
        large.
        """
        waiting = [task for task in block.tasks if task not in self._ledger.retired]
        while waiting and not self.was_stopped and self._deadline.remaining_s > 0:
            self._ledger.launch += 1
            launch = Launch(self._ledger, self._context, block, self._on_answer)
            waiting = launch.run(waiting, self._deadline)
            self.was_stopped = launch.was_stopped


def _contestant(task: Task) -> tuple[str, str]:
    return task.variant, task.cell.type


def _stopped(skip: Skip) -> Skip:
    """What a stopped run did not come to: the budget is not to blame, and resuming measures it."""
    cells = f"{skip.count} cells of {skip.label} {skip.type} at {format_size(skip.size or 0)}"
    message = f"{cells} were not reached before the run was stopped"
    return replace(skip, code="stopped", message=message, remedy="go on with: ./weft resume latest")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One launch: a process answers tasks until they are done, it dies, stops answering, grows too
large, or time is up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from weft_lab.machine.preload import as_the_program_knows_it
from weft_lab.measuring.costs import Task
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.process import Answer, BenchProcess, Death, Reply, Silence, Stopped
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.run_context import Deadline, RunContext
from weft_lab.storage.store import SCHEMA, Record
from weft_lab.storage.variants import program_of

START_TIMEOUT_S = 30.0
RSS_GROWTH_MAX_BYTES = 256 << 20


class Launch:
    """One process and its tasks; the unit of replication."""

    def __init__(
        self,
        ledger: Ledger,
        context: RunContext,
        block: Block,
        on_answer: Callable[[int], None],
    ) -> None:
        self._ledger = ledger
        self._context = context
        self._block = block
        self._on_answer = on_answer
        self._number = ledger.launch
        self._grown_bytes = 0
        self.was_stopped = False

    def run(self, tasks: list[Task], deadline: Deadline) -> list[Task]:
        """Returns the tasks that still need a process, except those without time left."""
        if self._context.stop.requested:
            self.was_stopped = True
            return tasks
        try:
            process = BenchProcess(
                self._context.command(self._block),
                self._context.stop.fd,
                self._context.memory_limit_bytes,
                self._block.allocator,
                self._context.grace_s,
            )
        except OSError as error:
            self._record_failure(tasks[0], Death(f"could not be started: {error}", ()), 0.0)
            return tasks[1:]
        with process:
            greeting = process.read_record(START_TIMEOUT_S)
            if not isinstance(greeting, Reply):
                self._record_failure(tasks[0], greeting, 0.0)
                return tasks[1:]
            return self._ask_all(process, tasks, deadline)

    def _ask_all(self, process: BenchProcess, tasks: list[Task], deadline: Deadline) -> list[Task]:
        for index, task in enumerate(tasks):
            is_retired = task in self._ledger.retired or self._ledger.failed_below(task)
            if is_retired or self._ledger.costs.predict_s(task) > deadline.remaining_s:
                continue
            if not self._ask(process, task, deadline):
                return tasks[index + 1 :]
        return []

    def _ask(self, process: BenchProcess, task: Task, deadline: Deadline) -> bool:
        """Whether the process can take another task."""
        plan = self._ledger.plan
        patience_s = max(plan.timeout_min_s, self._ledger.costs.patience_s(task))
        left_s = deadline.remaining_s + deadline.overtime_s
        start_s = deadline.clock()
        probe = "yes" if self._ledger.states[task].wants_probe else "no"
        cell = as_the_program_knows_it(task.cell.to_dict())
        request = cell | self._ledger.sampling_of(task).to_dict() | {"probe": probe}
        answer = process.ask(request, min(patience_s, left_s))
        took_s = deadline.clock() - start_s
        if isinstance(answer, Reply):
            self._keep(task, answer.record, took_s)
            resources = answer.record.get("resources") or {}
            self._grown_bytes += resources.get("rss_growth_bytes") or 0
            can_go_on = self._grown_bytes <= RSS_GROWTH_MAX_BYTES
        else:
            # A missing answer at the end of the budget says nothing about the program.
            if not isinstance(answer, Silence) or patience_s <= left_s:
                self._record_failure(task, answer, took_s)
            can_go_on = False
        self._on_answer(self._block.round)
        return can_go_on

    def _record_failure(self, task: Task, answer: Answer, took_s: float) -> None:
        if isinstance(answer, Stopped):
            self.was_stopped = True
            return
        backend, _, toolchain = program_of(self._block.variant).partition("@")
        record = {"schema": SCHEMA, "record": "result", "backend": backend, "toolchain": toolchain}
        self._keep(task, {**record, **_failure(answer), "samples_s": []}, took_s)

    def _keep(self, task: Task, record: Mapping[str, Any], took_s: float) -> None:
        kept: Record = {
            **record,
            "cell": {**(record.get("cell") or {}), **task.cell.to_dict()},
            "suite": task.cell.suite,
            "variant": self._block.variant,
            "launch": self._number,
            "round": self._block.round,
            "run_id": self._context.run_id,
            "took_s": round(took_s, 6),
        }
        self._context.writer.write(kept)
        self._ledger.update(kept)


def _failure(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, Death):
        words = "; ".join((answer.cause, *answer.last_lines))
        return {"status": "crashed", "message": words, "last_lines": list(answer.last_lines)}
    if isinstance(answer, Silence):
        return {"status": "hung", "message": f"no answer within {answer.waited_s:.0f} s; killed"}
    message = f"not a failure: {answer!r}"
    raise TypeError(message)

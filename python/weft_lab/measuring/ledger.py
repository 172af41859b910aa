# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of every task so far; built from records, so a resumed run has the same state as the
first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.plan import LAUNCHES_MIN, LAUNCHES_TOLD, Plan
from weft_lab.measuring.racing import Contest, Race, Times, samples_wanted
from weft_lab.statistics.estimates import median, median_interval
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import backend_infos
from weft_lab.storage.variants import program_of

FAILURES_MAX = 2
FINAL_STATUSES = ("wrong", "skipped", "error")
# A hang costs its whole timeout each time, so a task that hung is not tried again.
FAILURE_WEIGHTS = {"crashed": 1, "hung": FAILURES_MAX}
# If a probe has no result, another launch may have one; a probe takes up to 0.3 s.
PROBES_MAX = 2
SETTLED_RELATIVE_ERROR = 0.05
# Samples of a launch, to see how much they differ.
SAMPLES_KEPT_MAX = 50
Place = tuple[str, str, str, int]  # suite, problem with its parameters, type, size


@dataclass
class TaskState:
    """Launch medians so far, the last round in which it was tried, and whether it will be tried
    again."""

    launch_medians_s: list[float] = field(default_factory=list)
    launches_s: list[tuple[float, ...]] = field(default_factory=list)
    last_round: int = 0
    num_failures: int = 0
    status: str = ""
    num_probes: int = 0
    is_parallelism_known: bool = False

    @property
    def wants_probe(self) -> bool:
        """Whether the next launch must watch its threads."""
        return not self.is_parallelism_known and self.num_probes < PROBES_MAX

    @property
    def is_settled(self) -> bool:
        """Whether there are enough launches for a sure decision, which agree within 5 %."""
        error = self.relative_error
        is_enough = len(self.launch_medians_s) >= LAUNCHES_TOLD
        return is_enough and error is not None and error <= SETTLED_RELATIVE_ERROR

    @property
    def is_final(self) -> bool:
        return self.status in FINAL_STATUSES or self.num_failures >= FAILURES_MAX

    @property
    def relative_error(self) -> float | None:
        """Half the median's interval over the median; half the range if there are few launches."""
        medians_s = self.launch_medians_s
        if len(medians_s) < 2:
            return None
        low_s, high_s = median_interval(medians_s) or (min(medians_s), max(medians_s))
        return 0.5 * (high_s - low_s) / median(medians_s)

    @property
    def urgency(self) -> float:
        """The sort key of tasks in a last, partial round: fewest launches first, then the most
        uncertain."""
        return -10.0 * len(self.launch_medians_s) + min(self.relative_error or 0.0, 9.0)


class Ledger:
    """The state of a plan's tasks. Not thread-safe."""

    def __init__(self, plan: Plan, costs: CostModel) -> None:
        self.plan = plan
        self.costs = costs
        self.states: dict[Task, TaskState] = {task: TaskState() for task in plan.tasks}
        self.retired: set[Task] = set()
        self.clear: set[Task] = set()
        self._times = Times()
        self._races: dict[Place, tuple[dict[tuple[str, int], int], Race]] = {}
        # The tasks of one problem at one size; under None those that no advice depends on.
        self._contests: dict[Place | None, list[tuple[Task, TaskState]]] = defaultdict(list)
        for task, state in self.states.items():
            self._contests[_place(task.cell)].append((task, state))
        self.launch = 0
        self.round = 0
        self._wrong: set[tuple[str, Cell]] = set()
        self._failed: dict[Task, tuple[int, Task]] = {}

    def replay(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Reads the records of an earlier part of this run."""
        for record in records:
            if record.get("record") == "result" and "variant" in record:
                self.update(record)

    def update(self, record: Mapping[str, Any]) -> None:
        self.launch = max(self.launch, int(record.get("launch", 0)))
        task = Task(str(record["variant"]), Cell.from_dict(record["cell"], str(record["suite"])))
        state = self.states.get(task)
        if state is None:
            return
        self.round = max(self.round, int(record["round"]))
        state.last_round = int(record["round"])
        state.status = str(record["status"])
        if state.status == "wrong" and not _is_known(record, task.cell):
            self._wrong.add((program_of(task.variant), task.cell))
        state.num_failures += FAILURE_WEIGHTS.get(state.status, 0)
        is_plain = task.cell.allocator == "default" and task.cell.placement == "none"
        if state.num_failures >= FAILURES_MAX and is_plain:
            key, failed = _at_any_size(task), (task.cell.size, task)
            self._failed[key] = min(failed, self._failed.get(key, failed), key=lambda f: f[0])
        if state.status == "ok" and record["samples_s"]:
            state.launch_medians_s.append(median(record["samples_s"]))
            state.launches_s.append(tuple(record["samples_s"][:SAMPLES_KEPT_MAX]))
        if state.status == "ok":
            self._learn(task, state, record)

    def _learn(self, task: Task, state: TaskState, record: Mapping[str, Any]) -> None:
        found = record.get("parallelism") or {}
        state.is_parallelism_known |= found.get("threads_active") is not None
        probe_s = float(record.get("probe_s") or 0.0)
        state.num_probes += probe_s > 0.0
        if "took_s" in record:
            self.costs.learn(task, float(record["took_s"]), probe_s)

    def pending(self, round_: int) -> list[Task]:
        """Tasks that must still be tried in this round, in the plan's order."""
        return [
            task
            for task, state in self.states.items()
            if state.last_round < round_
            and not state.is_final
            and task not in self.clear
            and task not in self.retired
            and self.failed_below(task) is None
        ]

    def failed_below(self, task: Task) -> Task | None:
        """The same task at a smaller size, if it crashed or hung there for good; then this size is
        not tried."""
        if not self._failed:
            return None
        size = self._failed.get(_at_any_size(task))
        return None if size is None or size[0] >= task.cell.size else size[1]

    def find_clear(self, remaining_s: float = math.inf) -> None:
        """Finds the tasks that need no more launches, so that the others get them: see `racing`.

        If the time left is too short for all, those whose verdict would take the longest get no
        launches. Decided anew each time, so a task can return when its rivals' times change.
        """
        self.clear = set()
        forecasts: list[tuple[float, Race]] = []
        for place, members in self._contests.items():
            able = {t: s for t, s in members if not s.is_final and t not in self.retired}
            if place is None:
                self.clear |= {t for t, s in able.items() if len(s.launches_s) >= LAUNCHES_TOLD}
            elif able and min(len(s.launches_s) for s in able.values()) >= LAUNCHES_MIN:
                race = self._race(place, able)
                self.clear |= able.keys() - race.tasks
                forecasts.append((race.launches * self.cost_s(race.tasks), race))
        self._drop_long_races(forecasts, remaining_s)

    def _race(self, place: Place, able: Mapping[Task, TaskState]) -> Race:
        """Returns the race of one problem at one size.

        Computed again only after new launches, or when a task has failed for good.
        """
        launches = {(t.variant, t.cell.threads): len(s.launches_s) for t, s in able.items()}
        known = self._races.get(place)
        if known is None or known[0] != launches:
            times = {task: self._times.of(task, s.launch_medians_s) for task, s in able.items()}
            known = self._races[place] = launches, Contest(times).race()
        return known[1]

    def _drop_long_races(self, forecasts: list[tuple[float, Race]], remaining_s: float) -> None:
        """Drops the races that do not fit the time left, unless none of them fits."""
        forecasts.sort(key=lambda forecast: forecast[0])
        dropped: set[Task] = set()
        num_kept = 0
        for needed_s, race in forecasts:
            remaining_s -= needed_s
            if remaining_s < 0.0:
                dropped |= race.tasks
            else:
                num_kept += bool(race.tasks)
        if num_kept:
            self.clear |= dropped

    def sampling_of(self, task: Task) -> Sampling:
        """The sampling of a task's next launch: with fewer samples if its launches differ more."""
        plan = self.plan.sampling
        if not self.plan.is_sequential:
            return plan
        launches = self.states[task].launches_s
        return replace(plan, min_samples=samples_wanted(launches, plan.min_samples))

    def unfinished(self) -> list[Task]:
        """Tasks that will be tried again, or would be if they were not retired."""
        return [task for task, state in self.states.items() if not state.is_final]

    def cost_s(self, tasks: Iterable[Task]) -> float:
        return sum(self.costs.predict_s(task) for task in tasks)

    def most_urgent(self, tasks: Iterable[Task], seconds: float) -> list[Task]:
        """The most uncertain tasks whose predicted costs fit in `seconds`; cheaper ones first on
        ties.
        """
        chosen: list[Task] = []
        for task in sorted(tasks, key=lambda t: (-self.states[t].urgency, self.costs.predict_s(t))):
            cost_s = self.costs.predict_s(task)
            if cost_s <= seconds:
                seconds -= cost_s
                chosen.append(task)
        return chosen

    def median_relative_error(self) -> float | None:
        """The median relative error of the cells with at least two launches; None if there are
        none."""
        errors = [state.relative_error for state in self.states.values()]
        known = [error for error in errors if error is not None]
        return median(known) if known else None

    @property
    def num_wrong(self) -> int:
        """The number of cells with a wrong answer that is not known in the suite's file. The
        control's are the baseline's and count once."""
        return len(self._wrong)

    def num_settled(self) -> int:
        return sum(state.is_settled for state in self.states.values())

    def unmeasured(self) -> list[Task]:
        """Tasks that never had an answer of any kind."""
        return [task for task, state in self.states.items() if not state.status]


def _place(cell: Cell) -> Place | None:
    """None if no advice depends on the cell."""
    is_plain = (cell.allocator, cell.placement, cell.smt) == ("default", "none", "on")
    return (cell.suite, cell.label, cell.type, cell.size) if is_plain else None


def _at_any_size(task: Task) -> Task:
    return Task(task.variant, replace(task.cell, size=0, allocator="default", placement="none"))


def _is_known(record: Mapping[str, Any], cell: Cell) -> bool:
    """Whether the suite's file says that this backend answers this problem wrongly."""
    info = backend_infos(cell.suite).get(str(record.get("backend")))
    return info is not None and cell.problem in dict(info.known_wrong)

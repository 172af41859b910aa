# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How many clear verdicts two minutes give, on simulated machines whose truth is known.

As a program, it measures `--quick` of the suite `stl` on ten machines, seeds 1000 to 1009;
arguments choose another number and first seed. Each machine is measured twice: with the same number
of launches for every cell, and with the launches where a verdict needs them. It prints how many
places (a problem at a size) have a sure advice, how many a likely one, and how many of both are
wrong. The noise is that of `advice_truth`.
"""

from __future__ import annotations

import math
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any
from unittest import mock

from weft_lab.advice.decisions import decide
from weft_lab.advice.findings import find
from weft_lab.checks import advice_truth
from weft_lab.machine.facts import Machine
from weft_lab.measuring import runner
from weft_lab.measuring.costs import CostModel, Sampling, Task
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, Plan, make_plan
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.run_context import Deadline, RunContext
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.estimates import THRESHOLD_MIN
from weft_lab.storage.checkout import core_problems
from weft_lab.storage.variants import BASELINE, is_control, program_of

SUITE = "stl"
SEED_FIRST = 1000
RUNS = 10
BACKENDS = ("seq", "gnu", "libstdcxx_tbb", "onetbb", "openmp", "weft")
SPEEDS = (0.5, 0.9, 1.0, 1.0, 1.02, 1.3, 4.0)
OVERHEADS_S = (0.0, 2e-7, 5e-6)
START_S = 0.03
MACHINE = Machine(2, 1 << 33)
Place = tuple[str, int]


class UniformLedger(Ledger):
    """Every cell is launched equally often."""

    def find_clear(self, remaining_s: float = 0.0) -> None:
        self.clear = set()

    def sampling_of(self, task: Task) -> Sampling:
        return self.plan.sampling


@dataclass
class SimulatedMachine:
    """Answers a plan; its clock advances only by its answers."""

    seed: int
    now_s: float = 0.0
    records: list[dict[str, Any]] = field(default_factory=list)
    num_launches: Counter[Place] = field(default_factory=Counter)
    _true_s: dict[tuple[str, Any], float] = field(default_factory=dict)

    def true_s(self, task: Task) -> float:
        """Returns the true seconds of one call."""
        key = program_of(task.variant), task.cell
        if key not in self._true_s:
            self._true_s[key] = self._draw(task)
        return self._true_s[key]

    def _draw(self, task: Task) -> float:
        cell = task.cell
        series = f"{self.seed} {cell.label} {cell.type}"
        steps = cell.size * dict(cell.params).get("k_it", 1)
        base_s = 2e-8 + steps * random.Random(series).choice((0.2e-9, 1e-9, 5e-9))
        if program_of(task.variant) == BASELINE:
            return base_s
        of_backend = random.Random(f"{series} {task.variant}")
        speed, overhead_s = of_backend.choice(SPEEDS), of_backend.choice(OVERHEADS_S)
        work_s = base_s / speed / (1 + 0.9 * (cell.threads - 1))
        return work_s + overhead_s * (cell.threads > 1)

    def launch(
        self, ledger: Ledger, _: RunContext, block: Block, on_answer: Callable[[int], None]
    ) -> SimpleNamespace:
        """Replaces `Launch`."""
        self.now_s += START_S

        def run(tasks: list[Task], deadline: Deadline) -> list[Task]:
            for task in tasks:
                is_out = task in ledger.retired
                if not is_out and ledger.costs.predict_s(task) <= deadline.remaining_s:
                    self._answer(ledger, block, task)
                    on_answer(block.round)
            return []

        return SimpleNamespace(was_stopped=False, run=run)

    def _answer(self, ledger: Ledger, block: Block, task: Task) -> None:
        cell, true_s = task.cell, self.true_s(task)
        sampling = ledger.sampling_of(task)
        took_s = CostModel(sampling).answer_s(cell, true_s)
        num_samples = max(sampling.min_samples, math.ceil(sampling.min_time_s / true_s))
        self.now_s += took_s
        number = len(ledger.states[task].launch_medians_s)
        noise = advice_truth.Noise.of(f"{self.seed} {task.variant} {cell.key}")
        launch_s = true_s * noise.factor(random.Random(f"{self.seed} {task} {number}"))
        within = random.Random(f"{self.seed} {task} {number} samples")
        backend, _, toolchain = program_of(task.variant).partition("@")
        record = {
            "record": "result",
            "suite": cell.suite,
            "variant": task.variant,
            "backend": backend,
            "toolchain": toolchain,
            "status": "ok",
            "launch": ledger.launch,
            "round": block.round,
            "cell": cell.to_dict(),
            "samples_s": [
                launch_s * (1 + within.expovariate(50.0))
                for _ in range(min(num_samples, advice_truth.SAMPLES))
            ],
            "calls_per_sample": 1,
            "elements": cell.size,
            "bytes_min": 8 * cell.size,
            "parallelism": {"threads_active": cell.threads},
            "took_s": took_s,
        }
        self.records.append(record)
        self.num_launches[cell.label, cell.size] += 1
        ledger.update(record)


@dataclass
class Verdicts:
    """The places of one or more runs by the confidence of their advice, and how many are wrong."""

    places: int = 0
    told: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)

    def add(self, other: Verdicts) -> None:
        self.places += other.places
        self.told += other.told
        self.wrong += other.wrong

    def text(self) -> str:
        parts = [
            f"{name} {self.told[name]} (wrong {self.wrong[name]})" for name in ("sure", "likely")
        ]
        return f"of {self.places} places: {', '.join(parts)}"


def plan_here() -> Plan:
    """The plan of `./weft report --quick` with six backends on a machine with two CPUs."""
    problems = tuple(core_problems(SUITE))
    offers = [Offer(SUITE, f"{name}@gcc", problems, is_serial=name == "seq") for name in BACKENDS]
    return make_plan(RunOptions(tier="quick", suite=(SUITE,)), offers, MACHINE)


def measured(seed: int, kind: type[Ledger]) -> SimulatedMachine:
    """A whole run."""
    plan = plan_here()
    here = SimulatedMachine(seed)
    ledger = kind(plan, CostModel(plan.sampling))
    context: Any = SimpleNamespace(
        clock=lambda: here.now_s, watcher=SimpleNamespace(on_answer=lambda *_: None)
    )
    with mock.patch.object(runner, "Launch", here.launch):
        runner.Runner(ledger, context, plan.budget_s).run()
    return here


def judge(here: SimulatedMachine, total: Verdicts) -> None:
    """Adds the verdicts of a run's page, and whether they are true."""
    findings = find(here.records, advice_truth.MANIFEST)
    places: dict[Place, list[CellSummary]] = defaultdict(list)
    for summary in findings.summaries:
        if summary.cell.allocator == "default":
            places[summary.cell.label, summary.cell.size].append(summary)
    for members in places.values():
        total.places += 1
        decision = next(iter(decide(members)), None)
        if decision is None:
            total.told["cannot tell"] += 1
            continue
        times_s = {
            (s.variant, s.cell.threads): here.true_s(Task(s.variant, s.cell))
            for s in members
            if not is_control(s.variant)
        }
        chosen_s = times_s[decision.variant, decision.threads]
        total.told[decision.confidence] += 1
        total.wrong[decision.confidence] += chosen_s > (1.0 + THRESHOLD_MIN) * min(times_s.values())


def study(runs: int, kind: type[Ledger], seed_first: int = SEED_FIRST) -> Verdicts:
    """All runs of one kind."""
    total = Verdicts()
    for seed in range(seed_first, seed_first + runs):
        judge(measured(seed, kind), total)
    return total


def main(arguments: Sequence[str]) -> int:
    """Makes the study with as many runs as the first argument says."""
    runs = int(arguments[0]) if arguments else RUNS
    first = int(arguments[1]) if len(arguments) > 1 else SEED_FIRST
    print(f"seeds {first} to {first + runs - 1}")
    for name, kind in (("uniform", UniformLedger), ("sequential", Ledger)):
        print(f"{name:10} {study(runs, kind, first).text()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

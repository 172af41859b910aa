# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The quality of the advice on simulated runs whose truth is known: regret and errors.

As a program, it makes 200 noisy runs and prints a table of them. It exits with 1 if an advice
contradicts its own intervals or is wrong more often than `ERRORS_MAX` allows.

The noise is that of a virtual machine. Launches of a cell differ by 1 to 15 %. One cell in ten has
two modes 1.75 times apart. One launch in twenty takes three times as long.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft_lab.advice.findings import Findings, find
from weft_lab.statistics.analysis_types import CellSummary, Decision
from weft_lab.statistics.estimates import THRESHOLD_MIN, mean, quantile
from weft_lab.statistics.ratios import time_ratio
from weft_lab.storage.variants import BASELINE, CONTROL_SUFFIX

RUNS = 200
SIZES = (1 << 8, 1 << 12, 1 << 16, 1 << 20)
PROBLEMS = 2
BACKENDS = ("alpha", "beta", "gamma")
THREADS = (1, 2)
SAMPLES = 5
SPREADS = (0.01, 0.03, 0.05, 0.15)
MODE_SHARE, MODE_FACTOR = 0.1, 1.75
SLOWED_SHARE, SLOWED_FACTOR = 0.05, 3.0
MANIFEST = {"machine": {"last_level_cache_bytes": 1 << 25}}
# The promise of the words: "sure" is right 99 times of 100, "likely" 9 times of 10. A choice is
# wrong if it is truly slower than the fastest, or than the baseline, by more than the threshold.
ERRORS_MAX = {"sure": 0.01, "likely": 0.1}
WORSE_THAN_BASELINE_MAX = 0.01

Place = tuple[str, int]
Choice = tuple[str, int]


@dataclass(frozen=True)
class Noise:
    """How the launches of one cell differ."""

    spread: float
    has_modes: bool

    @classmethod
    def of(cls, name: str) -> Noise:
        """The noise of the cell with this name: always the same."""
        chance = random.Random(name)
        return cls(chance.choice(SPREADS), chance.random() < MODE_SHARE)

    def factor(self, chance: random.Random) -> float:
        """A launch's time divided by the true one."""
        factor = chance.lognormvariate(0.0, self.spread)
        if self.has_modes and chance.random() < 0.5:
            factor *= MODE_FACTOR
        if chance.random() < SLOWED_SHARE:
            factor *= chance.uniform(1.0, SLOWED_FACTOR)
        return factor


@dataclass(frozen=True)
class Simulated:
    """One run and the true time of every choice at every place. Units: seconds."""

    records: list[dict[str, Any]]
    truth: dict[Place, dict[Choice, float]]


@dataclass
class Outcome:
    """The cost of following the advice of one confidence: the fractions of time lost, and the
    errors."""

    regrets: list[float] = field(default_factory=list)
    num_slower_than_best: int = 0
    num_slower_than_baseline: int = 0
    num_parallel: int = 0

    @property
    def count(self) -> int:
        return len(self.regrets)

    def share(self, number: int) -> float:
        return number / self.count if self.count else 0.0


@dataclass(frozen=True)
class Study:
    """All runs. `contradictions`: advice that its own intervals do not support."""

    runs: int
    outcomes: dict[str, Outcome]
    contradictions: tuple[str, ...]

    def errors(self) -> list[str]:
        """The numbers that exceed their limits."""
        found = list(self.contradictions)
        for confidence, limit in ERRORS_MAX.items():
            done = self.outcomes[confidence]
            slower = done.share(done.num_slower_than_best)
            worse = done.share(done.num_slower_than_baseline)
            if slower > limit:
                found.append(f"{confidence}: {slower:.1%} slower than the fastest")
            if worse > WORSE_THAN_BASELINE_MAX:
                found.append(f"{confidence}: {worse:.1%} slower than the baseline")
        return found

    def text(self) -> str:
        """A table, one line per confidence."""
        head = ("advice", "rows", "not seq", "regret", "95 %", "> best", "> seq")
        lines = ["{:12} {:>6} {:>8} {:>8} {:>8} {:>8} {:>8}".format(*head)]
        for confidence, done in self.outcomes.items():
            if done.count:
                lines.append(
                    f"{confidence:12} {done.count:6} {done.share(done.num_parallel):8.1%} "
                    f"{mean(done.regrets):8.2%} {quantile(done.regrets, 0.95):8.2%} "
                    f"{done.share(done.num_slower_than_best):8.2%} "
                    f"{done.share(done.num_slower_than_baseline):8.2%}"
                )
        return "\n".join([*lines, f"contradictions: {len(self.contradictions)}"])


def simulate(seed: int) -> Simulated:
    """A run of two to six launches of every cell."""
    random_ = random.Random(seed)
    launches = random_.randint(2, 6)
    made = Simulated([], defaultdict(dict))
    for number in range(PROBLEMS):
        problem = f"problem{number}"
        s_per_element = random_.choice((0.2e-9, 1e-9, 5e-9))
        speeds = {name: random_.choice((0.5, 0.9, 1.0, 1.0, 1.02, 1.3, 4.0)) for name in BACKENDS}
        overheads_s = {name: random_.choice((0.0, 2e-7, 5e-6)) for name in BACKENDS}
        for size in SIZES:
            base_s = 2e-8 + size * s_per_element
            runners = {(BASELINE, 1): base_s}
            for name in BACKENDS:
                for threads in THREADS:
                    work_s = base_s / speeds[name] / (1 + 0.9 * (threads - 1))
                    overhead_s = overheads_s[name] * (threads > 1)
                    runners[f"{name}@gcc", threads] = overhead_s + work_s
            made.truth[problem, size].update(runners)
            for (variant, threads), time_s in [
                *runners.items(),
                ((BASELINE + CONTROL_SUFFIX, 1), base_s),
            ]:
                cell = {"problem": problem, "size": size, "threads": threads, "type": "double"}
                made.records.extend(_launches(random_, variant, cell, time_s, launches))
    return made


def _launches(
    random_: random.Random, variant: str, cell: dict[str, Any], time_s: float, launches: int
) -> Iterator[dict[str, Any]]:
    noise = Noise(random_.choice(SPREADS), random_.random() < MODE_SHARE)
    backend, _, toolchain = variant.removesuffix(CONTROL_SUFFIX).partition("@")
    for launch in range(1, launches + 1):
        launch_s = time_s * noise.factor(random_)
        yield {
            "record": "result",
            "suite": "stl",
            "variant": variant,
            "backend": backend,
            "toolchain": toolchain,
            "status": "ok",
            "launch": launch,
            "round": launch,
            "cell": cell,
            "samples_s": [launch_s * (1 + random_.expovariate(50.0)) for _ in range(SAMPLES)],
            "calls_per_sample": 1,
            "elements": cell["size"],
            "bytes_min": 8 * cell["size"],
        }


def study(runs: int = RUNS) -> Study:
    """Simulates and judges `runs` runs, seeds 0, 1, ..."""
    outcomes = {name: Outcome() for name in ("sure", "likely", "cannot tell")}
    wrong: list[str] = []
    for seed in range(runs):
        made = simulate(seed)
        findings = find(made.records, MANIFEST)
        wrong += [f"run {seed}: {text}" for text in contradictions(findings)]
        for decision in findings.decisions:
            for (problem, size), times_s in made.truth.items():
                if problem == decision.label and decision.size_low <= size <= decision.size_high:
                    _judge(outcomes[decision.confidence], decision, times_s)
    return Study(runs, outcomes, tuple(wrong))


def _judge(outcome: Outcome, decision: Decision, times_s: dict[Choice, float]) -> None:
    chosen_s = times_s[decision.variant, decision.threads]
    outcome.regrets.append(chosen_s / min(times_s.values()) - 1.0)
    limit = 1.0 + THRESHOLD_MIN
    outcome.num_slower_than_best += chosen_s > limit * min(times_s.values())
    outcome.num_slower_than_baseline += chosen_s > limit * times_s[BASELINE, 1]
    outcome.num_parallel += decision.variant != BASELINE


def contradictions(findings: Findings) -> list[str]:
    """Every sure or likely advice that the intervals of its own run do not support."""
    found: list[str] = []
    for decision in findings.decisions:
        if decision.confidence == "cannot tell":
            continue
        for size in sorted({s.cell.size for s in _rivals(findings, decision)}):
            rivals = [s for s in _rivals(findings, decision) if s.cell.size == size]
            found += [
                f"{decision.label} {size}: {decision.variant}, {decision.threads} threads, "
                f"{decision.confidence}: {text}"
                for text in _unsupported(decision, rivals)
            ]
    return found


def _rivals(findings: Findings, decision: Decision) -> list[CellSummary]:
    return [
        s
        for s in findings.summaries
        if s.cell.label == decision.label
        and decision.size_low <= s.cell.size <= decision.size_high
        and not s.variant.endswith(CONTROL_SUFFIX)
    ]


def _unsupported(decision: Decision, rivals: Sequence[CellSummary]) -> Iterator[str]:
    limit = 1.0 + THRESHOLD_MIN
    choice = decision.variant, decision.threads
    chosen = next(s for s in rivals if (s.variant, s.cell.threads) == choice)
    fastest = min(rivals, key=lambda s: s.time_s or 0.0)
    for other in rivals:
        if other is chosen:
            continue
        ratio = time_ratio(other, chosen)
        high = None if ratio is None else ratio.high
        may_be_slower = high is None or high > limit
        if may_be_slower and (decision.confidence == "sure" or other is fastest):
            yield f"may be {high or 0.0:.2f} times as slow as {other.variant}"
        if other.variant == BASELINE:
            gain = time_ratio(chosen, other)
            if gain is None or gain.low is None or gain.low <= limit:
                yield "not shown to be faster than the baseline"


def main(arguments: Sequence[str]) -> int:
    """Makes the study with as many runs as the first argument says, else 200."""
    done = study(int(arguments[0]) if arguments else RUNS)
    print(f"{done.runs} simulated runs\n{done.text()}")
    wrong = done.errors()
    for text in wrong[:20]:
        print(text, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

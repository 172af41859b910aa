# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses the tasks that need more launches: those whose times can still change the advice in time.

The rule is that of `advice.decisions`, with its intervals.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from weft_lab.measuring.costs import UNTIMED_CALLS, Task
from weft_lab.measuring.plan import LAUNCHES_MIN, LAUNCHES_TOLD
from weft_lab.statistics.estimates import THRESHOLD_MIN, Resampled, mean, median
from weft_lab.storage.variants import BASELINE, is_control

# Stricter than an interval of the report, because cells are tested after every round.
CLEAR_LEVEL = 0.98
# After two launches a task is dropped only if it is slower by more than this factor, which exceeds
# the distance between two modes of one cell.
FACTOR_OF_TWO_LAUNCHES = 2.5
# With fewer launches than this the spread may be overestimated: the forecast is scaled down.
LAUNCHES_OF_A_FORECAST, OPTIMISM = 8, 0.3
LIMIT = math.log1p(THRESHOLD_MIN)
SAMPLES_MIN = 2

Launches = Sequence[Sequence[float]]


class Times:
    """The times of every task's launches, resampled once for each number of launches."""

    def __init__(self) -> None:
        self._known: dict[Task, Resampled] = {}

    def of(self, task: Task, medians_s: Sequence[float]) -> Resampled:
        """The resampled times of at least two launches."""
        import numpy as np

        found = self._known.get(task)
        if found is None or found.num_launches != len(medians_s):
            seed = zlib.crc32(f"{task.variant}|{task.cell.key}|{len(medians_s)}".encode())
            found = Resampled.of_medians(medians_s, np.random.default_rng(seed))
            self._known[task] = found
        return found


@dataclass(frozen=True)
class Race:
    """The tasks to launch again. `launches`: a forecast of how many launches until the verdict is
    clear."""

    tasks: frozenset[Task] = frozenset()
    launches: float = 0.0


@dataclass
class Contest:
    """The tasks of one problem at one size, of at least two launches each."""

    times: Mapping[Task, Resampled]
    _intervals: dict[tuple[Task, Task], tuple[float, float]] = field(default_factory=dict)

    def race(self) -> Race:
        """The tasks that decide the advice and are not clear yet; none if the advice is clear."""
        rivals = [task for task in self.times if not is_control(task.variant)]
        if not rivals:
            return Race()
        fastest = min(rivals, key=lambda task: self.times[task].centre)
        open_ = [t for t in rivals if t != fastest and self._is_open(t, fastest)]
        chosen = self._chosen(fastest, rivals)
        if chosen is not None and not open_:
            open_ = [t for t in rivals if t != chosen and self._slowdown(chosen, t)[1] > LIMIT]
            if not open_ and self.times[fastest].num_launches >= LAUNCHES_TOLD:
                return Race()
        racing = {fastest, *open_} | ({chosen} if chosen is not None else set())
        cells = {task.cell for task in racing if task.variant == BASELINE}
        controls = {t for t in self.times if is_control(t.variant) and t.cell in cells}
        return Race(frozenset(racing | controls), self._launches_needed(fastest, open_))

    def _is_open(self, task: Task, fastest: Task) -> bool:
        """Whether it may be faster by more than the threshold, or is the baseline and may be
        equally fast."""
        if self._is_out(task, fastest):
            return False
        low, high = self._slowdown(task, fastest)
        may_be_faster = low < -LIMIT or self.times[task].num_launches < LAUNCHES_TOLD
        return may_be_faster or (task.variant == BASELINE and low <= LIMIT < high)

    def _is_out(self, task: Task, fastest: Task) -> bool:
        """Whether it is significantly slower by more than the threshold."""
        if self._slowdown(task, fastest)[0] <= LIMIT:
            return False
        launches = min(self.times[each].num_launches for each in (task, fastest))
        factor = self.times[task].centre / self.times[fastest].centre
        return launches >= LAUNCHES_TOLD or factor > FACTOR_OF_TWO_LAUNCHES

    def _chosen(self, fastest: Task, rivals: Sequence[Task]) -> Task | None:
        """The simplest of the tasks that are as fast as the fastest; None if that is not clear."""
        baseline = next((task for task in rivals if task.variant == BASELINE), None)
        if baseline is not None and not self._is_out(baseline, fastest):
            is_close = baseline == fastest or self._slowdown(baseline, fastest)[1] <= LIMIT
            return baseline if is_close else None
        close = [t for t in rivals if t == fastest or self._slowdown(t, fastest)[1] <= LIMIT]
        return min(close, key=lambda task: (task.cell.threads, self.times[task].centre))

    def _slowdown(self, task: Task, other: Task) -> tuple[float, float]:
        """The interval of the logarithm of its time over the other's."""
        if (task, other) not in self._intervals:
            found = self.times[task].over(self.times[other], CLEAR_LEVEL)
            low, high = found.low or found.value, found.high or found.value
            self._intervals[task, other] = math.log(low), math.log(high)
        return self._intervals[task, other]

    def _launches_needed(self, fastest: Task, rivals: Collection[Task]) -> float:
        """An interval's width is inversely proportional to the square root of the number of
        launches."""
        needed = 1.0
        for task in rivals:
            launches = min(self.times[each].num_launches for each in (task, fastest))
            away = math.log(self.times[task].centre / self.times[fastest].centre)
            half = away - self._slowdown(task, fastest)[0]
            more = launches * ((half / (abs(away) + LIMIT)) ** 2 - 1.0)
            needed = max(needed, more * (OPTIMISM if launches < LAUNCHES_OF_A_FORECAST else 1.0))
        return needed


def samples_wanted(launches: Launches, samples_max: int) -> int:
    """The number of samples per launch with the least error for the time of its untimed calls and
    samples.

    If launches differ more than the samples of one launch, further samples add little information.
    Source:  W. G. Cochran, Sampling Techniques, section 10.6: the square root of the variance
             within over that between, times the cost of a launch over that of a sample.
    """
    spreads = [_log_variance(samples) for samples in launches if len(samples) > 1]
    if len(launches) < LAUNCHES_MIN or not spreads:
        return samples_max
    within = median(spreads)
    between = _log_variance([median(samples) for samples in launches])
    between -= within / mean([len(samples) for samples in launches])
    if between <= 0.0:
        return samples_max
    wanted = math.ceil(math.sqrt(within / between * UNTIMED_CALLS))
    return max(min(SAMPLES_MIN, samples_max), min(wanted, samples_max))


def _log_variance(times_s: Sequence[float]) -> float:
    logs = [math.log(time_s) for time_s in times_s]
    centre = mean(logs)
    return math.fsum((value - centre) ** 2 for value in logs) / (len(logs) - 1)

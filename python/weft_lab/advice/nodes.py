# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the nodes of a cluster: finds nodes that are slower than the others, why, and since
when.

A node's score is the mean, over the benchmarks that all nodes timed, of the logarithm of its time
over the median of all nodes.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from weft_lab.advice.history import Loaded, Time
from weft_lab.errors import UsageError
from weft_lab.statistics.analysis_types import CellSummary, Ratio
from weft_lab.statistics.estimates import (
    LEVEL,
    THRESHOLD_MIN,
    benjamini_hochberg,
    mean,
    median,
    student_quantile,
    student_tail,
)
from weft_lab.statistics.outliers import Apart, outliers
from weft_lab.storage.cells import Cell

NODES_MIN = 2
BENCHMARKS_FOR_SPREAD = 3
NEIGHBOUR_MIN, NOISE_MIN = 0.05, 0.02
NEIGHBOUR_FACTOR, NOISE_FACTOR = 2.0, 3.0
# Degrees of freedom of an error that is estimated from many launches.
MANY = 1e6
BANDWIDTH_LESS = 0.95
CLOCK_LESS = 0.97
QUARTILES_PER_DEVIATION = 2.0 * NormalDist().inv_cdf(0.75)

Key = tuple[str, Cell]
Fact = Callable[["Loaded"], float | None]


@dataclass(frozen=True)
class Node:
    """One node.

    `ratio`: its time over that of the median node, with its interval over benchmarks and launches.
    `apart`: set if it is an outlier, with the likely `cause`. `drift`: its newest run over the run
    before; `has_drifted`: by more than the threshold.
    """

    host: str
    ratio: Ratio
    num_runs: int
    apart: Apart | None
    cause: str
    drift: Ratio | None
    has_drifted: bool


@dataclass(frozen=True)
class Nodes:
    """From the fastest node to the slowest. `benchmarks`: the number that all of them timed."""

    members: tuple[Node, ...]
    benchmarks: int
    threshold: float

    @property
    def apart(self) -> tuple[Node, ...]:
        """The outliers, the slowest first."""
        return tuple(each for each in reversed(self.members) if each.apart is not None)


@dataclass(frozen=True)
class _Score:
    """The mean of logarithms over benchmarks, with its standard error and degrees of freedom."""

    value: float
    error: float
    freedom: float

    def ratio(self) -> Ratio:
        half = student_quantile(0.5 + 0.5 * LEVEL, self.freedom) * self.error
        low, value, high = (math.exp(self.value + each) for each in (-half, 0.0, half))
        return Ratio(value, low, high)

    def p_value(self, threshold: float) -> float:
        excess = abs(self.value) - math.log1p(threshold)
        if excess <= 0.0:
            return 1.0
        return 2.0 * student_tail(excess / self.error, self.freedom) if self.error else 0.0


def nodes(loaded: Sequence[Loaded], threshold: float = THRESHOLD_MIN) -> Nodes:
    """Compares the newest run of each node with those of the others.

    Errors: `UsageError` with fewer than two nodes, or without a benchmark that all of them timed.
    """
    by_host: dict[str, list[Loaded]] = defaultdict(list)
    for each in sorted(loaded, key=lambda each: each.visit.started_unix_s):
        by_host[each.visit.host].append(each)
    hosts = sorted(by_host)
    _refuse_one(hosts)
    newest = [_times(by_host[host][-1]) for host in hosts]
    shared = [key for key in newest[0] if all(key in times for times in newest)]
    if not shared:
        what, why = "the nodes have no benchmark in common", "only equal cells can be compared"
        raise UsageError(what, why, "measure the same on each: ./weft submit --slurm --each-node")
    centres = {key: median([times[key].point.log_s for times in newest]) for key in shared}
    scores = [_score(times, shared, centres) for times in newest]
    limit = math.log1p(threshold)
    apart = outliers([s.value for s in scores], [s.error for s in scores], limit)
    drifts = [_drift(by_host[host]) for host in hosts]
    known = [(i, drift) for i, drift in enumerate(drifts) if drift is not None]
    believed = benjamini_hochberg([drift.p_value(threshold) for _, drift in known])
    drifted = {i for (i, _), is_believed in zip(known, believed, strict=True) if is_believed}
    runs = [by_host[host][-1] for host in hosts]
    rest = [run for i, run in enumerate(runs) if i not in apart]
    members = [
        Node(
            host,
            scores[i].ratio(),
            len(by_host[host]),
            apart.get(i),
            cause_of(runs[i], rest, shared) if i in apart else "",
            drift.ratio() if (drift := drifts[i]) is not None else None,
            i in drifted,
        )
        for i, host in enumerate(hosts)
    ]
    members.sort(key=lambda node: node.ratio.value)
    return Nodes(tuple(members), len(shared), threshold)


def _refuse_one(hosts: Sequence[str]) -> None:
    if len(hosts) < NODES_MIN:
        raise UsageError(
            what=f"these runs are of one node, {hosts[0]}",
            why="nodes are compared with each other",
            remedy="for one node over time: ./weft history FOLDER...",
        )


def _times(run: Loaded) -> dict[Key, Time]:
    return {
        (s.variant, s.cell): Time(run.visit, s.time_s, s.time_low_s, s.time_high_s, s.launches)
        for s in run.summaries
        if s.time_s
    }


def _score(times: Mapping[Key, Time], keys: Sequence[Key], centres: Mapping[Key, float]) -> _Score:
    points = [times[key].point for key in keys]
    shifts = [point.log_s - centres[key] for key, point in zip(keys, points, strict=True)]
    return _mean(shifts, [point.error or 0.0 for point in points])


def _mean(shifts: Sequence[float], errors: Sequence[float]) -> _Score:
    """The error is the larger of two: that explained by launches, and that by the differences of
    benchmarks."""
    num = len(shifts)
    centre = mean(shifts)
    own = math.fsum(error**2 for error in errors) / num**2
    if num < BENCHMARKS_FOR_SPREAD:
        return _Score(centre, math.sqrt(own), MANY)
    spread = math.fsum((shift - centre) ** 2 for shift in shifts) / (num - 1) / num
    return _Score(centre, math.sqrt(max(own, spread)), num - 1 if spread > own else MANY)


def _drift(runs: Sequence[Loaded]) -> _Score | None:
    """The newest run over the one before it; None without two runs of the same benchmarks."""
    if len(runs) < NODES_MIN:
        return None
    before, now = _times(runs[-2]), _times(runs[-1])
    pairs = [(before[key].point, now[key].point) for key in now if key in before]
    if not pairs:
        return None
    errors = [math.hypot(a.error or 0.0, b.error or 0.0) for a, b in pairs]
    return _mean([b.log_s - a.log_s for a, b in pairs], errors)


def cause_of(run: Loaded, rest: Sequence[Loaded], keys: Sequence[Key]) -> str:
    """Readings in which the node differs from the others, the likeliest cause of its time first."""
    kept = set(keys)

    def over(fact: Callable[[CellSummary], float | None]) -> Fact:
        def of(each: Loaded) -> float | None:
            own = [s for s in each.summaries if (s.variant, s.cell) in kept]
            known = [value for s in own if (value := fact(s)) is not None]
            return median(known) if known else None

        return of

    waited = _compared(run, rest, over(_waited))
    if waited and waited[0] >= NEIGHBOUR_MIN and waited[0] >= NEIGHBOUR_FACTOR * waited[1]:
        return f"a neighbour: threads waited for a CPU {_percents(*waited)} of the time"
    noise = _compared(run, rest, over(_noise))
    if noise and noise[0] >= NOISE_MIN and noise[0] >= NOISE_FACTOR * noise[1]:
        return f"noise: launches vary by {_percents(*noise)}"
    clock = _compared(run, rest, _clock_mhz)
    if clock and clock[0] <= CLOCK_LESS * clock[1]:
        return f"clock: at most {clock[0]:.0f} MHz, elsewhere {clock[1]:.0f}"
    if differing := _governor(run, rest):
        return differing
    memory = _compared(run, rest, _bandwidth)
    if memory and memory[0] <= BANDWIDTH_LESS * memory[1]:
        return f"memory bandwidth: {100 * (1 - memory[0] / memory[1]):.0f} % less than elsewhere"
    return "unknown: waiting, noise, clock and memory bandwidth are as elsewhere, or not known"


def _compared(run: Loaded, rest: Sequence[Loaded], fact: Fact) -> tuple[float, float] | None:
    """The node's value and the median of the others; None if either is unknown."""
    own = fact(run)
    others = [value for each in rest if (value := fact(each)) is not None]
    return (own, median(others)) if own is not None and others else None


def _percents(own: float, others: float) -> str:
    return f"{100 * own:.0f} %, elsewhere {100 * others:.1f} %,".removesuffix(",")


def _waited(summary: CellSummary) -> float | None:
    return median(summary.waited) if summary.waited else None


def _noise(summary: CellSummary) -> float | None:
    """The relative spread of launches, by quartiles."""
    times = sorted(summary.launch_medians_s)
    if len(times) < 4:
        return None
    quarter = len(times) // 4
    spread = math.log(times[-1 - quarter] / times[quarter])
    return spread / QUARTILES_PER_DEVIATION


def _cpu(run: Loaded) -> Mapping[str, Any]:
    details = (run.manifest.get("machine") or {}).get("details") or {}
    cpu = details.get("cpu") if isinstance(details, dict) else None
    return cpu if isinstance(cpu, dict) else {}


def _clock_mhz(run: Loaded) -> float | None:
    value = _cpu(run).get("frequency_max_mhz")
    return float(value) if isinstance(value, int | float) else None


def _governor(run: Loaded, rest: Sequence[Loaded]) -> str:
    own, *others = (_governor_of(each) for each in (run, *rest))
    if own and others and all(other and other != own for other in others):
        return f"clock: governor {own}, elsewhere {', '.join(sorted(set(map(str, others))))}"
    return ""


def _governor_of(run: Loaded) -> str:
    found = _cpu(run).get("governor")
    value = found.get("value") if isinstance(found, dict) else found
    return str(value) if value else ""


def _bandwidth(run: Loaded) -> float | None:
    """The highest bandwidth of the probe's triad."""
    rows = run.manifest.get("bandwidth") or ()
    rates = [float(row["bytes_per_s"]) for row in rows if row.get("problem") == "triad"]
    return max(rates, default=None)

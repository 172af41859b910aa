# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Laws of speed over the number of processors, fitted and chosen among.

Formulas: throughput X(N) with X(1) = g:
    linear      g N
    amdahl      g N / (1 + s (N - 1)), s the serial fraction
    gustafson   g (N - s (N - 1)), s the serial share of the parallel run (scaled problem)
    usl         g N / (1 + s (N - 1) + k N (N - 1)), peak at sqrt((1 - s) / k)
    saturating  min(g N, roof)
    Karp-Flatt  e(N) = (1/S - 1/N) / (1 - 1/N), from a measured speed-up S
Units:   N processors, X work per second.
Assumptions: errors are factors of one size; one regime of N (else `regime_change`).
Source:  Amdahl, AFIPS 1967; Gustafson, CACM 31 (1988); Karp and Flatt, CACM 33 (1990); Gunther,
         Guerrilla Capacity Planning, 2007; Williams, Waterman, Patterson, CACM 52 (2009);
         Hurvich and Tsai, Biometrika 76 (1989) for AICc.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft_lab.models.arrays import Floats, ModelError, Numbers, positive, same_length

AICC_GAIN_MIN = 2.0
RESIDUAL_FLOOR = 1e-12
# For a change of regime: a straight line fits any two points beyond the cores.
POINTS_BEYOND_MIN = 3


@dataclass(frozen=True)
class Law:
    """A law's name, its parameters other than g, and X(N) for g and these."""

    name: str
    parameters: tuple[str, ...]
    of: Callable[[Floats, float, tuple[float, ...]], Floats]


LAWS: Mapping[str, Law] = {
    law.name: law
    for law in (
        Law("linear", (), lambda n, g, p: g * n),
        Law("amdahl", ("serial",), lambda n, g, p: g * n / (1.0 + p[0] * (n - 1.0))),
        Law("gustafson", ("serial",), lambda n, g, p: g * (n - p[0] * (n - 1.0))),
        Law(
            "usl",
            ("contention", "coherence"),
            lambda n, g, p: g * n / (1.0 + p[0] * (n - 1.0) + p[1] * n * (n - 1.0)),
        ),
        Law("saturating", ("roof_over_one",), lambda n, g, p: g * np.minimum(n, p[0])),
    )
}


@dataclass(frozen=True)
class Scaling:
    """A fitted law. `aicc` is None if there are too few points for it."""

    law: str
    single: float
    parameters: Mapping[str, float]
    max_relative_error: float
    aicc: float | None

    def throughput(self, processors: Numbers) -> Floats:
        """Predicted work per second."""
        law = LAWS[self.law]
        values = tuple(self.parameters[name] for name in law.parameters)
        return law.of(np.asarray(processors, dtype=np.float64), self.single, values)

    @property
    def peak_processors(self) -> float | None:
        """The number of processors at which the universal scalability law peaks; None for laws
        without a peak."""
        coherence = self.parameters.get("coherence", 0.0)
        if self.law != "usl" or coherence <= 0.0:
            return None
        return math.sqrt(max(1.0 - self.parameters["contention"], 0.0) / coherence)


def fit_law(name: str, processors: Numbers, throughput: Numbers) -> Scaling:
    """One law by least squares of logarithms, parameters within their physical ranges.

    Errors:  `ModelError` for an unknown law, or fewer points than parameters.
    """
    from scipy import optimize

    law = LAWS.get(name)
    if law is None:
        raise ModelError(
            what=f"unknown law '{name}'", why=f"known are {', '.join(LAWS)}", remedy="choose one"
        )
    n, x = positive("processors", processors), positive("throughputs", throughput)
    same_length(n, x, len(law.parameters) + 1)
    low, high, guesses = _ranges(law, float(n.max()))
    single = float(np.exp(np.mean(np.log(x / n))))
    solve: Any = optimize.least_squares

    def errors(values: Floats) -> Floats:
        modelled = law.of(n, math.exp(values[0]), tuple(float(value) for value in values[1:]))
        logs: Floats = np.log(np.maximum(modelled, 1e-300)) - np.log(x)
        return logs

    best = min(
        (
            solve(errors, [math.log(single), *guess], bounds=([-np.inf, *low], [np.inf, *high]))
            for guess in guesses
        ),
        key=lambda found: float(found.cost),
    )
    parameters = {key: float(v) for key, v in zip(law.parameters, best.x[1:], strict=True)}
    worst = float(np.max(np.abs(np.expm1(best.fun))))
    found = math.exp(best.x[0])
    return Scaling(name, found, parameters, worst, _aicc(2.0 * best.cost, n.size, len(best.x)))


def best_law(processors: Numbers, throughput: Numbers) -> Scaling:
    """The law with the least AICc; one with more parameters must gain at least 2.

    Errors:  `ModelError` for fewer than 2 points.
    """
    n = positive("processors", processors)
    same_length(n, positive("throughputs", throughput), 2)
    fits = [
        fit_law(law.name, n, throughput) for law in LAWS.values() if n.size > len(law.parameters)
    ]
    usable = [found for found in fits if found.aicc is not None]
    plain = [found for found in fits if len(found.parameters) <= 1]
    if any(found.aicc is None for found in plain):
        # Too few points to compare the laws: the closest one with at most one parameter.
        return min(plain, key=lambda found: found.max_relative_error)
    usable.sort(key=lambda found: len(found.parameters))
    chosen = usable[0]
    for found in usable[1:]:
        assert found.aicc is not None
        assert chosen.aicc is not None
        is_simpler = len(chosen.parameters) < len(found.parameters)
        if found.aicc < chosen.aicc - (AICC_GAIN_MIN if is_simpler else 0.0):
            chosen = found
    return chosen


def karp_flatt(processors: Numbers, speedup: Numbers) -> Floats:
    """The experimentally determined serial fraction of each point; growing means overhead.

    Errors:  `ModelError` for one processor, where it is not defined.
    """
    n, s = positive("processors", processors), positive("speed-ups", speedup)
    if np.any(n <= 1.0):
        raise ModelError(
            what="the serial fraction of one processor is not defined",
            why="there is nothing beside it that could be parallel",
            remedy="leave N = 1 out",
        )
    fractions: Floats = (1.0 / s - 1.0 / n) / (1.0 - 1.0 / n)
    return fractions


@dataclass(frozen=True)
class RegimeChange:
    """Two laws: `below` up to `last_below` processors, `above` from the next measured number on.

    `above` is a straight line X = offset + slope N, as after hyper-threads share cores.
    """

    last_below: float
    below: Scaling
    offset: float
    slope: float

    def throughput(self, processors: Numbers) -> Floats:
        """Predicted work per second."""
        n = np.asarray(processors, dtype=np.float64)
        values: Floats = np.where(
            n <= self.last_below, self.below.throughput(n), self.offset + self.slope * n
        )
        return values


def regime_change(
    processors: Numbers, throughput: Numbers, physical_cores: float
) -> RegimeChange | None:
    """Two regimes that change at the number of physical cores; None if one law fits as well.

    Needs 2 points up to the cores and `POINTS_BEYOND_MIN` beyond. The single law is kept unless two
    regimes halve its largest error.
    """
    n, x = positive("processors", processors), positive("throughputs", throughput)
    same_length(n, x, 2)
    is_below = n <= physical_cores
    if is_below.sum() < 2 or (~is_below).sum() < POINTS_BEYOND_MIN:
        return None
    single = best_law(n, x)
    offset, slope = np.polynomial.polynomial.polyfit(n[~is_below], x[~is_below], 1)
    below = best_law(n[is_below], x[is_below])
    found = RegimeChange(float(n[is_below].max()), below, float(offset), float(slope))
    worst = float(np.max(np.abs(found.throughput(n) / x - 1.0)))
    return found if worst < 0.5 * single.max_relative_error else None


def _ranges(law: Law, most: float) -> tuple[list[float], list[float], list[tuple[float, ...]]]:
    if law.name == "saturating":
        return [1.0], [np.inf], [(most * part,) for part in (0.3, 0.6, 0.9)]
    count = len(law.parameters)
    guesses = [tuple([value] * count) for value in (1e-4, 1e-2, 0.2)]
    return [0.0] * count, [1.0] * count, guesses


def _aicc(rss: float, num: int, num_parameters: int) -> float | None:
    k = num_parameters + 1  # and the size of the errors
    if num <= k + 1:
        return None
    residual = max(rss / num, RESIDUAL_FLOOR)
    return num * math.log(residual) + 2.0 * k + 2.0 * k * (k + 1) / (num - k - 1)

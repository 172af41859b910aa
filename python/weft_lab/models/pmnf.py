# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A search for the growth of a time in one parameter, guarded against over-fitting.

Formula: f(p) = c_0 + c_1 p^i log2(p)^j, c_0, c_1 >= 0, i and j from fixed sets (performance model
         normal form with one term); fits minimise relative errors. A term is taken only where
         leave-one-out cross-validation beats the constant by more than one standard error, and of
         the terms within one standard error of the best the slowest growing is taken.
Units:   as the values given.
Assumptions: at least 5 points; predictions beyond 4 times the largest p are refused.
Source:  Calotoiu, Hoefler, Poke, Wolf, Using Automated Performance Modeling to Find Scalability
         Bugs in Complex Codes, SC 2013; Breiman et al., Classification and Regression Trees, 1984
         (the one-standard-error rule).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from weft_lab.models.arrays import Floats, ModelError, Numbers, positive, same_length

QUARTERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
THIRDS = (1, 2, 4, 5, 7, 8)
EXPONENTS = tuple(
    sorted(
        {
            Fraction(0),
            Fraction(4, 5),
            *(Fraction(n, 4) for n in QUARTERS),
            *(Fraction(n, 3) for n in THIRDS),
        }
    )
)
LOG_EXPONENTS = (0, 1, 2)
POINTS_MIN = 5
EXTRAPOLATE_MAX = 4.0


@dataclass(frozen=True)
class Growth:
    """f(p) = `constant` + `factor` p^`power` log2(p)^`log_power`; a constant has factor 0.

    `cross_error`: mean relative error on points left out; `largest`: the largest p seen.
    """

    constant: float
    factor: float
    power: Fraction
    log_power: int
    cross_error: float
    cross_error_se: float
    residual: float
    largest: float

    def value(self, p: float) -> float:
        """Errors: `ModelError` beyond 4 times the largest p, where no data supports the form."""
        if p > EXTRAPOLATE_MAX * self.largest:
            raise ModelError(
                what=f"no prediction at {p:g}",
                why=f"the largest measured is {self.largest:g}, and a form is trusted up to "
                f"{EXTRAPOLATE_MAX:g} times that",
                remedy="measure larger ones",
            )
        shape = _term(np.array([p]), self.power, self.log_power)[0] if self.factor else 0.0
        return self.constant + self.factor * float(shape)

    def interval(self, p: float) -> tuple[float, float]:
        """The relative error that about 95 % of new values stay below: twice the larger of residual
        and cross-validation error."""
        middle, spread = self.value(p), 2.0 * max(self.residual, self.cross_error)
        return middle * max(1.0 - spread, 0.0), middle * (1.0 + spread)

    @property
    def text(self) -> str:
        """`15.6 + 0.00027 p^9/4 log2(p)^1`."""
        if not self.factor:
            return f"{self.constant:.4g}"
        power = f" p^{self.power}" if self.power else ""
        log = f" log2(p)^{self.log_power}" if self.log_power else ""
        return f"{self.constant:.4g} + {self.factor:.4g}{power}{log}"


def growth(parameter: Numbers, values: Numbers) -> Growth:
    """The simplest form that predicts unseen points as well as any other.

    Errors:  `ModelError` for fewer than 5 different p, or values that are not positive.
    """
    p, y = positive("parameters", parameter), positive("values", values)
    same_length(p, y, POINTS_MIN)
    if np.unique(p).size < POINTS_MIN:
        raise ModelError(
            what="so few points do not determine a growth",
            why=f"{np.unique(p).size} different parameters, {POINTS_MIN} are needed",
            remedy="measure more",
        )
    constant = _constant(p, y)
    candidates = [
        found
        for power in EXPONENTS
        for log_power in LOG_EXPONENTS
        if (power or log_power) and (found := _one_term(p, y, power, log_power)) is not None
    ]
    if not candidates:
        return constant
    best = min(candidates, key=lambda found: found.cross_error)
    if best.cross_error + best.cross_error_se >= constant.cross_error:
        return constant
    near = [c for c in candidates if c.cross_error <= best.cross_error + best.cross_error_se]
    return min(near, key=lambda found: (found.power, found.log_power))


def _constant(p: Floats, y: Floats) -> Growth:
    def fit(chosen: Floats) -> float:
        return float(np.sum(1.0 / chosen) / np.sum(1.0 / chosen**2))

    left_out = np.array([fit(np.delete(y, i)) / y[i] - 1.0 for i in range(y.size)])
    value = fit(y)
    residual = float(np.sqrt(np.mean((value / y - 1.0) ** 2)))
    error, se = _cross(left_out)
    return Growth(value, 0.0, Fraction(0), 0, error, se, residual, float(p.max()))


def _one_term(p: Floats, y: Floats, power: Fraction, log_power: int) -> Growth | None:
    """None if the term's factor vanishes."""
    term = _term(p, power, log_power)
    left_out = np.empty(y.size)
    for i in range(y.size):
        constant, factor = _fit(np.delete(term, i), np.delete(y, i))
        left_out[i] = (constant + factor * term[i]) / y[i] - 1.0
    constant, factor = _fit(term, y)
    if factor <= 0.0:
        return None
    freedom = max(y.size - 2, 1)
    residual = float(np.sqrt(np.sum(((constant + factor * term) / y - 1.0) ** 2) / freedom))
    error, se = _cross(left_out)
    return Growth(constant, factor, power, log_power, error, se, residual, float(p.max()))


def _fit(term: Floats, y: Floats) -> tuple[float, float]:
    from scipy import optimize

    solve: Any = optimize.nnls
    scale = float(term.max()) or 1.0
    found, _ = solve(np.column_stack([1.0 / y, term / scale / y]), np.ones_like(y))
    return float(found[0]), float(found[1]) / scale


def _term(p: Floats, power: Fraction, log_power: int) -> Floats:
    values: Floats = p ** float(power) * np.log2(p) ** log_power
    return values


def _cross(errors: Floats) -> tuple[float, float]:
    sizes = np.abs(errors)
    return float(np.mean(sizes)), float(np.std(sizes, ddof=1) / np.sqrt(sizes.size))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether topologies of the 3D sum differ: a test over all, and the smallest detectable difference.

Source:  Kruskal and Wallis, JASA 47 (1952), ranks of launches' medians.
"""

from __future__ import annotations

import math
from typing import Any

from weft_lab.pages import formats
from weft_lab.statistics.estimates import median
from weft_lab.suites.mpi.results import Case, Results

LAUNCHES_MIN = 3
LEVEL = 0.05
# Two-sided 5 % and 80 % power: 1.96 + 0.84.
DETECTABLE_Z = 2.8


def compare_sums(results: Results) -> list[str]:
    """One sentence per MPI and shape with three launches or more of two topologies or more."""
    cases = [case for case in results.cases("sum3d") if "late root" not in case.label]
    are_several = len({_shape(case) for case in cases}) > 1
    found = []
    for mpi, shape in sorted({(case.mpi, _shape(case)) for case in cases}):
        groups = [
            [median(samples) for samples in case.launches]
            for case in cases
            if (case.mpi, _shape(case)) == (mpi, shape)
        ]
        groups = [group for group in groups if len(group) >= LAUNCHES_MIN]
        if len(groups) >= 2:
            of_shape = f", {'x'.join(map(str, shape))}" if are_several else ""
            found.append(f"{mpi}{of_shape}: {sentence(groups)}")
    return found


def _shape(case: Case) -> tuple[int, ...]:
    return tuple(case.records[0]["params"].get("size", ()))


def sentence(groups: list[list[float]]) -> str:
    """The verdict with its probability, and the least difference that would have been seen."""
    from scipy import stats

    test: Any = stats.kruskal
    p_value = 1.0 if len({v for g in groups for v in g}) == 1 else float(test(*groups).pvalue)
    least = detectable(groups)
    verdict = "differ" if p_value < LEVEL else "show no difference"
    return (
        f"{len(groups)} configurations of the 3D sum {verdict} (Kruskal-Wallis p = {p_value:.3f}); "
        f"a difference of {formats.percent(least)} would have been seen four times in five."
    )


def detectable(groups: list[list[float]]) -> float:
    """The least relative difference of two groups that a test of their size finds with 80 %."""
    spreads = []
    for group in groups:
        logs = [math.log(value) for value in group]
        center = math.fsum(logs) / len(logs)
        spreads.append(math.fsum((v - center) ** 2 for v in logs) / (len(logs) - 1))
    pooled = math.fsum(spreads) / len(spreads)
    size = min(len(group) for group in groups)
    return math.expm1(DETECTABLE_Z * math.sqrt(2.0 * pooled / size))

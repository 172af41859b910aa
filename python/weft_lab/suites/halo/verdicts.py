# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which contestant is faster than the baseline on which shape, many comparisons at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from weft_lab.statistics.estimates import (
    RatioEstimate,
    Verdict,
    benjamini_hochberg,
    practical_threshold,
    verdict,
)
from weft_lab.suites.halo.plan import BASELINE, JUDGED, ROUNDS
from weft_lab.suites.halo.results import Results, Shape, by_shape, speed_up

UNJUDGED = "not judged: ranks share CPUs"


@dataclass(frozen=True)
class Comparison:
    """`speed`: time of the baseline over the contestant's. `believed`: survives the correction for
    as many comparisons as there are.
    """

    mpi: str
    shape: Shape
    contestant: str
    baseline_s: float
    time_s: float
    speed: RatioEstimate
    is_functional_only: bool
    believed: bool = False
    baseline: str = BASELINE

    @property
    def verdict(self) -> Verdict:
        """Of the contestant."""
        if not self.believed or self.is_functional_only:
            return "cannot tell"
        found = verdict(self.speed.low, self.speed.high, practical_threshold())
        turned: dict[Verdict, Verdict] = {"faster": "slower", "slower": "faster"}
        return turned.get(found, found)

    @property
    def words(self) -> str:
        return UNJUDGED if self.is_functional_only else self.verdict


@lru_cache(maxsize=16)
def compare(
    results: Results,
    jobs: tuple[str, ...],
    contestants: tuple[str, ...] = (),
    baseline: str = BASELINE,
) -> tuple[Comparison, ...]:
    """Every contestant, or those named, with the baseline of the same MPI and shape.

    At most one in twenty of the verdicts is false (Benjamini and Hochberg), over all of them.
    """
    return _corrected(_beside(results, jobs, contestants, baseline))


def _beside(
    results: Results, jobs: tuple[str, ...], contestants: tuple[str, ...], baseline: str
) -> list[Comparison]:
    found = []
    for (mpi, shape), times in by_shape(results.times(*jobs)).items():
        base = times.get(baseline)
        for name, each in times.items():
            if base is None or name == baseline or (contestants and name not in contestants):
                continue
            found.append(
                Comparison(
                    mpi,
                    shape,
                    name,
                    base.middle_s(),
                    each.middle_s(),
                    speed_up(base, each),
                    each.is_functional_only,
                    baseline=baseline,
                )
            )
    return found


def _corrected(found: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """`believed` for all of them together."""
    chances = [each.speed.p_value(practical_threshold()) for each in found]
    kept = benjamini_hochberg(chances) if chances else []
    return tuple(replace(each, believed=is_kept) for each, is_kept in zip(found, kept, strict=True))


@lru_cache(maxsize=16)
def swept(results: Results) -> tuple[Comparison, ...]:
    """The sweep's comparisons of the exchange that programs use with both hand-written ones."""
    found = [
        each
        for baseline in (BASELINE, ROUNDS)
        for each in _beside(results, ("sweep",), JUDGED, baseline)
    ]
    return _corrected(found)


def losers(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons that are slower."""
    return [each for each in comparisons if each.verdict == "slower"]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft against `seq` and every peer, algorithm by algorithm, corrected for the number of
comparisons.

Also the backends that gained nothing from the requested threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from weft_lab.pages.view import Bandwidth, RunView, gib_per_s
from weft_lab.statistics.analysis_types import CellSummary, Ratio
from weft_lab.statistics.estimates import (
    RatioEstimate,
    Verdict,
    benjamini_hochberg,
    practical_threshold,
    verdict,
)
from weft_lab.statistics.ratios import time_ratio
from weft_lab.storage.checkout import bounding_kernels

OURS = "weft"
BASELINE = "seq"
GAIN_MIN = 1.1  # less than this is none


@dataclass(frozen=True)
class Rival:
    """Another backend.

    `ratio`: its time over that of the backend it is compared with, more than 1 if that one is
    faster; `verdict` is that one's.
    """

    timed: CellSummary
    ratio: Ratio
    verdict: Verdict = "cannot tell"


@dataclass(frozen=True)
class Match:
    """One algorithm at one size, all threads. `subject`: weft, or the fastest where a run has no
    weft; `peers`: the others that run in parallel, fastest first.
    """

    case: str
    size: int
    subject: CellSummary | None = None
    seq: Rival | None = None
    peers: tuple[Rival, ...] = ()

    @property
    def best_peer(self) -> Rival | None:
        return next(iter(self.peers), None)

    @property
    def rivals(self) -> tuple[Rival, ...]:
        return (*((self.seq,) if self.seq else ()), *self.peers)

    def with_verdict(self, verdict: Verdict) -> list[Rival]:
        return [rival for rival in self.rivals if rival.verdict == verdict]


@dataclass(frozen=True)
class Bound:
    """The limit of the probe's kernel. `fraction`: the reached part of it; None if the elements may
    have stayed in a cache."""

    limit: Bandwidth
    fraction: float | None


def matches(view: RunView) -> list[Match]:
    """Every algorithm at every timed size, in order.

    A verdict needs an interval of the ratio, over launches, beyond `threshold`. It must also remain
    significant after the Benjamini-Hochberg correction over all comparisons of the run that have an
    interval.
    """
    by_place: dict[tuple[str, int], list[CellSummary]] = {}
    for s in view.at_all_threads():
        by_place.setdefault((view.case(s), s.cell.size), []).append(s)
    has_ours = any(s.backend == OURS for s in view.measured)
    found = [
        _match(place, here, has_ours=has_ours)
        for place, here in sorted(by_place.items(), key=lambda row: row[0])
    ]
    return _judged(found, threshold(view))


def threshold(view: RunView) -> float:
    """The smallest difference worth a verdict: 3 %, or the noise that intervals do not explain if
    that is more."""
    return practical_threshold(view.unexplained_noise)


def _match(place: tuple[str, int], here: Sequence[CellSummary], *, has_ours: bool) -> Match:
    parallel = sorted((s for s in here if s.backend != BASELINE), key=time_s)
    ours = [s for s in parallel if s.backend == OURS] if has_ours else parallel[:1]
    subject = next(iter(ours), None)
    if subject is None:
        return Match(*place)
    others = [s for s in parallel if s is not subject and (not has_ours or s.backend != OURS)]
    seq = min((s for s in here if s.backend == BASELINE), key=time_s, default=None)
    return Match(
        *place,
        subject,
        None if seq is None else _rival(subject, seq),
        tuple(_rival(subject, other) for other in others),
    )


def time_s(summary: CellSummary) -> float:
    return summary.time_s or 0.0


def _rival(subject: CellSummary, other: CellSummary) -> Rival:
    estimate = time_ratio(subject, other)
    if estimate is None:
        return Rival(other, Ratio(time_s(other) / time_s(subject), None, None))
    return Rival(other, Ratio(estimate.value, estimate.low, estimate.high))


def _judged(found: Sequence[Match], smallest: float) -> list[Match]:
    estimates: dict[tuple[int, str], RatioEstimate] = {}
    for number, match in enumerate(found):
        for rival in match.rivals:
            assert match.subject is not None
            estimate = time_ratio(match.subject, rival.timed)
            # Pairs without an interval, of a single launch, are not tested.
            if estimate is not None and estimate.low is not None:
                estimates[number, rival.timed.variant] = estimate
    p_values = [estimate.p_value(smallest) for estimate in estimates.values()]
    believed = benjamini_hochberg(p_values)
    told = {
        key: _flipped(verdict(estimate.low, estimate.high, smallest))
        for (key, estimate), is_believed in zip(estimates.items(), believed, strict=True)
        if is_believed
    }
    return [
        replace(
            match,
            seq=match.seq and _told(match.seq, told.get((number, match.seq.timed.variant))),
            peers=tuple(_told(p, told.get((number, p.timed.variant))) for p in match.peers),
        )
        for number, match in enumerate(found)
    ]


def _told(rival: Rival, verdict: Verdict | None) -> Rival:
    return rival if verdict is None else replace(rival, verdict=verdict)


def _flipped(verdict: Verdict) -> Verdict:
    """The subject is faster where the rival is slower."""
    other: dict[Verdict, Verdict] = {"slower": "faster", "faster": "slower"}
    return other.get(verdict, verdict)


def no_gain(view: RunView) -> frozenset[tuple[str, str, int]]:
    """Variant, algorithm and size of the cells that gain significantly less than a tenth from more
    threads.

    Timed with one thread and with all; after the same correction over all such pairs.
    """
    alone = {(s.variant, view.case(s), s.cell.size): s for s in view.plain() if s.cell.threads == 1}
    found: dict[tuple[str, str, int], RatioEstimate] = {}
    for s in view.at_all_threads():
        key = s.variant, view.case(s), s.cell.size
        one = alone.get(key)
        if s.backend == BASELINE or s.cell.threads == 1 or one is None:
            continue
        estimate = time_ratio(s, one)
        if estimate is not None and estimate.high is not None:
            found[key] = estimate
    p_values = [estimate.p_value_below(GAIN_MIN) for estimate in found.values()]
    believed = benjamini_hochberg(p_values)
    return frozenset(
        key
        for (key, estimate), is_believed in zip(found.items(), believed, strict=True)
        if is_believed and estimate.high is not None and estimate.high < GAIN_MIN
    )


def bound_of(view: RunView, s: CellSummary) -> Bound | None:
    """None without a probe or a traffic model."""
    kernels = bounding_kernels(s.cell.suite, s.cell.problem)
    alike = [point for point in view.probed if point.kernel in kernels] or list(view.probed)
    limit = _fastest(alike)
    moved = gib_per_s(s.bytes_min, s.time_s)
    if limit is None or moved is None or s.bytes_min is None:
        return None
    cache_bytes = (view.manifest.get("machine") or {}).get("last_level_cache_bytes") or 0
    return Bound(limit, moved / limit.gib_per_s if s.bytes_min > cache_bytes else None)


def _fastest(points: Iterable[Bandwidth]) -> Bandwidth | None:
    return max(points, key=lambda point: point.gib_per_s, default=None)

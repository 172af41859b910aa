# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results of a run of the suite of approaches: the differences of APIs, the paper's constant
offset, the cost of a unit of an API."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weft_lab.statistics.analysis_types import CellSummary, Ratio
from weft_lab.statistics.estimates import LEVEL
from weft_lab.statistics.ratios import time_ratio
from weft_lab.storage.variants import is_control

SUITE = "approaches"
BASELINE_BACKEND = "seq"
PEER = "openmp"
# weft's six ways to say the same, all on one pool.
APIS = (
    "weft_future",
    "weft_dataflow",
    "weft_coroutine",
    "weft_algorithm",
    "weft_sender",
    "weft_task_group",
)
FUSED, VECTOR, SETUP_TIMED = "taylor_fused", "taylor_vector", "taylor_setup_timed"
SERIES = "taylor_"
SCHEDULES = ("taylor_auto", "taylor_dynamic", "taylor_guided", "taylor_static")
# The paper's count on one core of its Intel machine, for 10^9 terms: a property of the C library's
# pow.
PAPER_FLOP_PER_TERM = 100.000028581
REACH = 0.03
# The API whose program timed its vector, and the one it was compared with.
COMPARED_BY_THE_PAPER = ("weft_future", "weft_coroutine", "hpx_future", "hpx_coroutine")
# The cost of fresh pages depends on their place; a cost per core would halve with two cores.
OFFSET_TOLERANCE = 0.1
# Intervals within a band this wide distinguish a constant from a value that halves with twice the
# threads.
OFFSET_BAND = 0.3
# End over end: two launches that disagree bound nothing.
WIDEST_INTERVAL = 20.0
# Unit problems: the name of one unit.
UNITS: Mapping[str, str] = {
    "async_get": "async + get",
    "then_chain": "then",
    "when_all": "when_all of 1,000, per future and its async",
    "when_all_join": "when_all of 1,000, per future, and keeping its promise",
    "dataflow": "dataflow node",
    "await_task": "co_await task",
    "await_future": "co_await ready future and making it",
    "await_ready": "co_await ready future",
    "schedule_then_wait": "schedule | then | sync_wait within a task",
    "schedule_from_outside": "schedule | then | sync_wait from outside the pool",
    "round_trip": "a cache line to another core and back",
    "nested_wait": "sync_wait within sync_wait",
    "bulk_chunk": "bulk, per chunk",
    "for_each_empty": "for_each of 1,000 calls that do next to nothing",
}

# The slowest and the fastest are chosen by the data: the pair is one of all there are (Bonferroni).
PAIRS = math.comb(len(APIS), 2)
LEVEL_OF_EXTREMES = 1 - (1 - LEVEL) / PAIRS

Spread = Literal["within", "beyond", "cannot tell"]


@dataclass(frozen=True)
class Sums:
    """The samples of one cell. Units: seconds per call."""

    count: int
    median_s: float
    least_s: float
    most_s: float

    def terms_per_s(self, terms: int) -> float:
        return terms / self.median_s


@dataclass(frozen=True)
class Against:
    """One approach against a rival in the same cell. `ratio`: its time over the rival's."""

    approach: str
    rival: str
    label: str
    terms: int
    threads: int
    ratio: Ratio
    spread: Spread


@dataclass(frozen=True)
class Offset:
    """The additional time of making the vector within the timed call. Units: seconds per call."""

    approach: str
    terms: int
    threads: int
    outside_s: float
    inside_s: float
    low_s: float | None
    high_s: float | None

    @property
    def added_s(self) -> float:
        return self.inside_s - self.outside_s


@dataclass(frozen=True)
class Unit:
    """The cost of one unit of an API; None is unknown, also for an interval without bounds.

    Units: seconds, bytes.
    """

    unit: str
    approach: str
    threads: int
    time_s: float
    low_s: float | None
    high_s: float | None
    allocations: float | None
    allocated_bytes: float | None


def timed(summaries: Iterable[CellSummary]) -> list[CellSummary]:
    """The timed cells of the suite, without the control."""
    return [
        s
        for s in summaries
        if s.cell.suite == SUITE and s.status == "ok" and s.time_s and not is_control(s.variant)
    ]


def series(summaries: Iterable[CellSummary]) -> list[CellSummary]:
    """The cells of the Taylor series."""
    return [s for s in timed(summaries) if s.cell.problem.startswith(SERIES)]


def sums(summary: CellSummary) -> Sums | None:
    """Median, least and most of all samples; None if none were kept."""
    samples = sorted(sample for launch in summary.samples_s for sample in launch)
    if not samples or summary.time_s is None:
        return None
    return Sums(len(samples), summary.time_s, samples[0], samples[-1])


def paper_gflops(terms: int, time_s: float) -> float:
    """Gflop/s as the paper counts them, independent of the instructions executed here."""
    return 1e-9 * PAPER_FLOP_PER_TERM * terms / time_s


def spread_of(ratio: Ratio) -> Spread:
    """Whether times are apart by more than the reach, as far as the interval can tell."""
    if ratio.low is None or ratio.high is None:
        return "cannot tell"
    if ratio.low >= 1 / (1 + REACH) and ratio.high <= 1 + REACH:
        return "within"
    if ratio.low > 1 + REACH or ratio.high < 1 / (1 + REACH):
        return "beyond"
    return "cannot tell"


def against_peer(summaries: Iterable[CellSummary], rival: str = PEER) -> list[Against]:
    """Every approach on equal work against the same with `rival`, cell by cell."""
    found: list[Against] = []
    for group in _by_cell(s for s in series(summaries) if s.cell.problem == FUSED):
        rivals = [s for s in group if s.backend == rival]
        if rivals:
            found += [
                a for s in group if s.backend != rival if (a := _against(s, rivals[0])) is not None
            ]
    return found


def among_themselves(summaries: Iterable[CellSummary]) -> list[Against]:
    """The slowest of weft's APIs against the fastest, in each cell where all are timed; the
    interval holds for all pairs at once.
    """
    found: list[Against] = []
    for group in _by_cell(s for s in series(summaries) if s.cell.problem == FUSED):
        ours = sorted((s for s in group if s.backend in APIS), key=lambda s: s.time_s or 0.0)
        if {s.backend for s in ours} == set(APIS):
            pair = _against(ours[-1], ours[0], LEVEL_OF_EXTREMES)
            found += [] if pair is None else [pair]
    return found


def _against(own: CellSummary, rival: CellSummary, level: float = LEVEL) -> Against | None:
    estimate = time_ratio(rival, own, level)
    if estimate is None:
        return None
    ratio = Ratio(estimate.value, estimate.low, estimate.high)
    cell = own.cell
    return Against(
        own.backend,
        rival.backend,
        cell.label,
        cell.size,
        cell.threads,
        ratio,
        spread_of(ratio),
    )


def _by_cell(summaries: Iterable[CellSummary]) -> list[list[CellSummary]]:
    """Groups of the same cell and toolchain; the baseline's is that of its one thread."""
    groups: dict[tuple[str, int, int, str], list[CellSummary]] = defaultdict(list)
    for s in summaries:
        groups[s.cell.label, s.cell.size, s.cell.threads, s.toolchain].append(s)
    return [groups[key] for key in sorted(groups)]


def offsets(summaries: Iterable[CellSummary]) -> list[Offset]:
    """The control: for each approach, terms and threads with both layouts."""
    pairs: dict[tuple[str, int, int], dict[str, CellSummary]] = defaultdict(dict)
    for s in series(summaries):
        if s.cell.problem in (VECTOR, SETUP_TIMED) and not s.cell.params:
            pairs[s.variant, s.cell.size, s.cell.threads][s.cell.problem] = s
    return [
        _offset(pair[VECTOR], pair[SETUP_TIMED])
        for _, pair in sorted(pairs.items())
        if len(pair) == 2
    ]


def _offset(outside: CellSummary, inside: CellSummary) -> Offset:
    low, high = None, None
    if inside.time_low_s is not None and outside.time_high_s is not None:
        low = inside.time_low_s - outside.time_high_s
    if inside.time_high_s is not None and outside.time_low_s is not None:
        high = inside.time_high_s - outside.time_low_s
    return Offset(
        inside.backend,
        inside.cell.size,
        inside.cell.threads,
        outside.time_s or 0.0,
        inside.time_s or 0.0,
        low,
        high,
    )


def units(summaries: Iterable[CellSummary]) -> list[Unit]:
    """The costs of units, in the order of `UNITS`, the cheapest first."""
    found = [_unit(s) for s in timed(summaries) if s.cell.problem in UNITS]
    order = list(UNITS.values())
    return sorted(found, key=lambda u: (order.index(u.unit), u.threads, u.time_s))


def _unit(s: CellSummary) -> Unit:
    size = s.cell.size

    def per_unit(value: float | None) -> float | None:
        return None if value is None else value / size

    def counted(name: str) -> float | None:
        counter = s.counters.get(name)
        return None if counter is None else counter.value

    low_s, high_s = s.time_low_s, s.time_high_s
    is_bounded = low_s is not None and high_s is not None and high_s <= WIDEST_INTERVAL * low_s
    return Unit(
        UNITS[s.cell.problem],
        s.backend,
        s.cell.threads,
        (s.time_s or 0.0) / size,
        per_unit(low_s) if is_bounded else None,
        per_unit(high_s) if is_bounded else None,
        per_unit(counted("allocations")),
        per_unit(counted("allocated")),
    )


def sentences(summaries: Sequence[CellSummary]) -> tuple[str, ...]:
    """The results for the paper's two claims: which API is fast, and the cost of coroutines."""
    return (*_spread_sentences(summaries), *_offset_sentences(summaries))


def _spread_sentences(summaries: Sequence[CellSummary]) -> list[str]:
    lines = [
        f"Equal work, {_where(a)}: the slowest of weft's {len(APIS)} APIs ({a.approach}) takes "
        f"{_ratio_text(a.ratio)} of the fastest ({a.rival}); {_verdict(a.spread)}."
        for group in largest(among_themselves(summaries))
        for a in group
        if a.ratio.low is not None
    ]
    ours = [a for a in against_peer(summaries) if a.approach in APIS]
    for cell in largest(ours):
        worst = max(cell, key=lambda a: a.ratio.value)
        if worst.ratio.low is None:
            continue
        lines.append(
            f"Equal work, {_where(worst)}: of weft's APIs {worst.approach} is furthest behind "
            f"OpenMP, at {_ratio_text(worst.ratio)} of its time; {_verdict(worst.spread)}."
        )
    return lines


def _offset_sentences(summaries: Sequence[CellSummary]) -> list[str]:
    groups: dict[int, list[Offset]] = defaultdict(list)
    for o in offsets(summaries):
        if o.approach in COMPARED_BY_THE_PAPER:
            groups[o.terms].append(o)
    lines = []
    for terms, group in sorted(groups.items()):
        if len({o.threads for o in group}) > 1:
            added = ", ".join(
                f"{o.added_s:.3g} s ({o.approach}, {o.threads} threads)" for o in group
            )
            verdict = {
                True: "a constant, whatever the API and the threads",
                False: "which differ by more than their intervals: no constant in this run",
                None: "too few launches, or intervals too wide, to say whether that is a constant",
            }[is_constant(group)]
            lines.append(
                f"Control, n = {terms:,}: allocating and filling the vector within the timed call "
                f"adds {added}: {verdict}."
            )
    return lines


def is_constant(group: Sequence[Offset]) -> bool | None:
    """True if all intervals lie in one narrow band above zero, False if they have no common value.

    None while an interval is unknown, or too wide to distinguish a constant from a value that
    shrinks with threads.
    """
    lows = [o.low_s for o in group if o.low_s is not None]
    highs = [o.high_s for o in group if o.high_s is not None]
    if len(lows) < len(group) or len(highs) < len(group):
        return None
    if max(lows) > (1 + OFFSET_TOLERANCE) * min(highs):
        return False
    is_narrow = min(lows) > 0 and max(highs) <= (1 + OFFSET_BAND) * min(lows)
    return True if is_narrow else None


def largest(found: Sequence[Against]) -> list[list[Against]]:
    """The cells with the most threads, and for each label the most terms: a group per label."""
    threads = max((a.threads for a in found), default=0)
    groups: dict[str, list[Against]] = defaultdict(list)
    for a in found:
        if a.threads == threads:
            groups[a.label].append(a)
    return [
        [a for a in group if a.terms == max(b.terms for b in group)]
        for _, group in sorted(groups.items())
    ]


def _where(a: Against) -> str:
    return f"{a.label}, n = {a.terms:,}, {a.threads} threads"


def _ratio_text(ratio: Ratio) -> str:
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.4f}"
    return f"{ratio.value:.4f} ({ratio.low:.4f} to {ratio.high:.4f})"


def _verdict(spread: Spread) -> str:
    percent = f"{100 * REACH:.0f} %"
    texts = {
        "within": f"within {percent}",
        "beyond": f"beyond {percent}",
        "cannot tell": f"whether within {percent} the interval cannot tell",
    }
    return texts[spread]

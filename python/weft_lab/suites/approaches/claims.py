# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The claims about weft's APIs, and the result of a run of the suite of approaches for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.storage.variants import is_control
from weft_lab.suites.approaches import findings as approaches
from weft_lab.suites.approaches.compile_cost import CompileCost
from weft_lab.suites.approaches.findings import Against, Unit

Reading = Literal["kept", "missed", "cannot tell", "not measured"]

NS = 1e9
# In addition to the time that two cores need for any communication. Units: ns.
OUTSIDE_NS = 200.0
# Two cores of any machine need less; two threads that take turns on one CPU need more. Units: ns.
LONGEST_TRIP_NS = 2000.0
# Units of one thread: the largest time in ns, by approach.
TIMES_NS: Mapping[str, tuple[str, float]] = {
    "schedule_then_wait": ("weft_sender", 60.0),
    "await_task": ("weft_coroutine", 12.0),
    "await_ready": ("weft_coroutine", 5.0),
    "bulk_chunk": ("weft_sender", 50.0),
}
# The largest number of malloc calls: by approach, and for how many units.
ALLOCATIONS: Mapping[str, tuple[str, int, float]] = {
    "schedule_then_wait": ("weft_sender", 1, 0.0),
    "schedule_from_outside": ("weft_sender", 1, 0.0),
    "when_all_join": ("weft_future", 1000, 1.0),
}
COMPILED = "weft_sender"
COMPILE_S = 1.5
COMPILE_MB = 250.0
# Programs of weft, and the factor by which they may take longer to compile than others.
COMPILE_RATIOS: Mapping[str, tuple[str, str, float]] = {
    "for_each.hpp read beside <algorithm>, <numeric> and tasks": (
        "weft_for_each_header",
        "std_and_tasks_headers",
        1.2,
    ),
    "five algorithms compiled beside those of <execution>": (
        "weft_five_algorithms",
        "std_five_algorithms",
        1.0,
    ),
}
NESTED_DEPTH = 1000
# Problems whose sums are added pairwise, and checked for 4 ulp for each of log2(n) levels.
PAIRWISE = ("taylor_fused", "taylor_deterministic", "taylor_listing")
DETERMINISTIC = "taylor_deterministic"


@dataclass(frozen=True)
class Claim:
    """A bound and the measured value; None is unknown, and also the other end of an open bound.

    `asked`: an upper bound, except for a depth. Units: `unit`.
    """

    text: str
    where: str
    unit: str
    asked: float | None
    measured: float | None
    low: float | None
    high: float | None
    reading: Reading


def claims(summaries: Sequence[CellSummary], costs: Sequence[CompileCost]) -> tuple[Claim, ...]:
    """Every bound, in the order of the page, with a remark if the run did not measure it."""
    units = {(u.unit, u.approach): u for u in approaches.units(summaries) if u.threads == 1}
    found = [
        *_spread_claims(summaries),
        _deterministic_claim(summaries),
        _error_claim(summaries),
        _outside_claim(summaries, units),
        *(_time_claim(units, problem, *bound) for problem, bound in TIMES_NS.items()),
        *(_allocation_claim(units, problem, *bound) for problem, bound in ALLOCATIONS.items()),
        _nested_claim(summaries),
        *_compile_claims(costs),
    ]
    return tuple(found)


def at_most(bound: float, low: float | None, high: float | None) -> Reading:
    """The verdict of an interval on an upper bound."""
    if low is None or high is None:
        return "cannot tell"
    if high <= bound:
        return "kept"
    return "missed" if low > bound else "cannot tell"


def _exactly(text: str, where: str, unit: str, asked: float, measured: float | None) -> Claim:
    """Values that are counted, and not estimated."""
    reading: Reading = "not measured"
    if measured is not None:
        reading = "kept" if measured <= asked else "missed"
    return Claim(text, where, unit, asked, measured, None, None, reading)


def _spread_claims(summaries: Sequence[CellSummary]) -> list[Claim]:
    """Per x, at the most terms and threads: the slowest of six by the fastest, and each of six by
    OpenMP.
    """
    among = approaches.largest(approaches.among_themselves(summaries))
    against = approaches.largest(
        [a for a in approaches.against_peer(summaries) if a.approach in approaches.APIS]
    )
    among_text = f"time of the slowest of weft's {len(approaches.APIS)} APIs over the fastest's"
    against_text = f"time of weft's {len(approaches.APIS)} APIs over OpenMP's, the one that decides"
    return [
        *of_groups(among_text, among),
        *of_groups(against_text, against),
    ]


def of_groups(
    text: str, groups: Sequence[Sequence[Against]], bound: float = 1.0 + approaches.REACH
) -> list[Claim]:
    """A claim per group: that the ratio of each of it is at most `bound`."""
    worst = [_deciding(bound, group) for group in groups]
    if not worst:
        return [Claim(text, "", "times", bound, None, None, None, "not measured")]
    return [
        Claim(
            text,
            f"{a.label}, n = {a.terms:,}, {a.threads} threads: {a.approach} and {a.rival}",
            "times",
            bound,
            a.ratio.value,
            a.ratio.low,
            a.ratio.high,
            at_most(bound, a.ratio.low, a.ratio.high),
        )
        for a in worst
    ]


def _deciding(bound: float, group: Sequence[Against]) -> Against:
    """The member whose verdict is the group's: the group keeps a bound if each member does, and
    misses it if one does. Of several with that verdict, the one with the largest ratio."""
    order = {"kept": 0, "cannot tell": 1, "missed": 2}
    return max(
        group,
        key=lambda a: (order[at_most(bound, a.ratio.low, a.ratio.high)], a.ratio.value),
    )


def _ours(summaries: Iterable[CellSummary]) -> list[CellSummary]:
    return [
        s
        for s in summaries
        if s.cell.suite == approaches.SUITE
        and s.backend.startswith("weft")
        and not is_control(s.variant)
    ]


def _deterministic_claim(summaries: Sequence[CellSummary]) -> Claim:
    """The most different sums that any approach gave for one series, over numbers of threads."""
    threads: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    sums: dict[tuple[str, str, int], set[str]] = defaultdict(set)
    for s in _ours(summaries):
        if s.cell.problem == DETERMINISTIC and s.fingerprints:
            key = s.variant, s.cell.label, s.cell.size
            threads[key].add(s.cell.threads)
            sums[key] |= set(s.fingerprints)
    most = max((len(sums[key]) for key in sums if len(threads[key]) > 1), default=None)
    counted = sorted(set().union(*(t for t in threads.values() if len(t) > 1)))
    where = f"with {', '.join(map(str, counted))} threads" if counted else ""
    return _exactly("different sums in deterministic mode", where, "sums", 1.0, most)


def _error_claim(summaries: Sequence[CellSummary]) -> Claim:
    checked = [
        s
        for s in _ours(summaries)
        if s.cell.problem in PAIRWISE and s.status in ("ok", "wrong", "crashed", "hung")
    ]
    num_wrong = float(sum(s.status != "ok" for s in checked)) if checked else None
    where = f"{len(checked)} series" if checked else ""
    return _exactly("sums off by more than 4 ulp x log2(n)", where, "sums", 0.0, num_wrong)


def _outside_claim(
    summaries: Sequence[CellSummary], units: Mapping[tuple[str, str], Unit]
) -> Claim:
    """The time from outside, minus the time that two cores need for any communication. With an
    impossible round trip, longer than any or than the way that includes it: cannot tell."""
    outside = units.get((approaches.UNITS["schedule_from_outside"], "weft_sender"))
    trip = units.get((approaches.UNITS["round_trip"], "std_thread"))
    text = "schedule | then | sync_wait from outside, less the round trip of a cache line"
    if outside is None or trip is None:
        where = _why_no_trip(summaries)
        return Claim(text, where, "ns", OUTSIDE_NS, None, None, None, "not measured")
    low = _difference_ns(outside.low_s, trip.high_s)
    high = _difference_ns(outside.high_s, trip.low_s)
    measured = NS * (outside.time_s - trip.time_s)
    is_trip_believable = NS * trip.time_s <= LONGEST_TRIP_NS and measured >= 0.0
    return Claim(
        text,
        f"{NS * outside.time_s:.0f} ns less {NS * trip.time_s:.0f} ns, 1 worker",
        "ns",
        OUTSIDE_NS,
        measured,
        low,
        high,
        at_most(OUTSIDE_NS, low, high) if is_trip_believable else "cannot tell",
    )


def _why_no_trip(summaries: Sequence[CellSummary]) -> str:
    """The message of the program that could not measure it here; empty if it was not asked."""
    refused = [
        s.message
        for s in summaries
        if s.cell.problem == "round_trip"
        and s.status == "skipped"
        and s.code not in ("not_offered", "budget")
    ]
    return refused[0] if refused else ""


def _difference_ns(own_s: float | None, less_s: float | None) -> float | None:
    return None if own_s is None or less_s is None else NS * (own_s - less_s)


def _time_claim(
    units: Mapping[tuple[str, str], Unit], problem: str, approach: str, bound_ns: float
) -> Claim:
    text = approaches.UNITS[problem]
    unit = units.get((text, approach))
    if unit is None:
        return Claim(text, "", "ns", bound_ns, None, None, None, "not measured")
    low = None if unit.low_s is None else NS * unit.low_s
    high = None if unit.high_s is None else NS * unit.high_s
    reading = at_most(bound_ns, low, high)
    return Claim(text, "1 worker", "ns", bound_ns, NS * unit.time_s, low, high, reading)


def _allocation_claim(
    units: Mapping[tuple[str, str], Unit], problem: str, approach: str, count: int, bound: float
) -> Claim:
    text = approaches.UNITS[problem]
    unit = units.get((text, approach))
    measured = None if unit is None or unit.allocations is None else count * unit.allocations
    where = "" if unit is None else "1 worker" if count == 1 else f"1 worker, {count:,} of them"
    return _exactly(text, where, "calls of malloc", bound, measured)


def _nested_claim(summaries: Sequence[CellSummary]) -> Claim:
    """At least so deep, on one worker."""
    text = approaches.UNITS["nested_wait"]
    found = [
        s
        for s in _ours(summaries)
        if s.cell.problem == "nested_wait"
        and s.cell.threads == 1
        and s.cell.size >= NESTED_DEPTH
        and s.status in ("ok", "wrong", "crashed", "hung")
    ]
    asked = float(NESTED_DEPTH)
    if not found:
        return Claim(text, "", "levels", asked, None, None, None, "not measured")
    works = [s.cell.size for s in found if s.status == "ok"]
    reading: Reading = "kept" if len(works) == len(found) else "missed"
    return Claim(text, "1 worker", "levels", asked, max(works, default=0), None, None, reading)


def _compile_claims(costs: Sequence[CompileCost]) -> list[Claim]:
    text = "compiling schedule | then | sync_wait, g++ -O0"
    cost = next((c for c in costs if c.api == COMPILED and c.time_s is not None), None)
    memory_mb = None if cost is None or cost.peak_bytes is None else 1e-6 * cost.peak_bytes
    time_s = None if cost is None else cost.time_s
    return [
        _exactly(text, "", "s", COMPILE_S, time_s),
        _exactly(text, "", "MB", COMPILE_MB, memory_mb),
        *(_ratio_claim(costs, what, *rest) for what, rest in COMPILE_RATIOS.items()),
    ]


def _ratio_claim(
    costs: Sequence[CompileCost], text: str, ours: str, theirs: str, bound: float
) -> Claim:
    """Medians of few compilations: no interval."""
    times_s = {cost.api: cost.time_s for cost in costs}
    own_s, other_s = times_s.get(ours), times_s.get(theirs)
    ratio = own_s / other_s if own_s and other_s else None
    return _exactly(text, "g++ -O0", "of the time", bound, ratio)

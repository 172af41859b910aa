# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sentences at the top of the page: the claims about weft, and the results."""

from __future__ import annotations

from collections.abc import Sequence

from weft_lab.machine.neighbours import disturbances
from weft_lab.pages import formats
from weft_lab.suites.halo.plan import BASELINE, JUDGED, ON_SAME_MEMORY, ROUNDS
from weft_lab.suites.halo.results import Results, by_shape, speed_up
from weft_lab.suites.halo.tables import (
    KEPT,
    OVERLAP_FACTOR,
    UNTOLD,
    interval_text,
    memory_shares,
    overlap_table,
)
from weft_lab.suites.halo.verdicts import Comparison, compare, losers, swept

MOST_NAMED = 8
GENERIC_SHARE = 0.10


def findings(results: Results) -> tuple[str, ...]:
    """Of all that was measured."""
    wrong = tuple(f"Wrong cells, so not timed: {name}." for name in results.wrong())
    told = (*wrong, *disturbances(results.manifest))
    return (*told, *_paper(results), *_memory(results), *_sweep(results))


def claims(results: Results) -> tuple[str, ...]:
    """weft's own claims, and whether this run confirms them."""
    return (*_generic(results), *_overlap(results))


def _paper(results: Results) -> list[str]:
    """The exchange that programs use, the largest shape first, for each MPI: chosen before the
    measurement."""
    own = [each for each in compare(results, ("paper",)) if each.contestant in JUDGED]
    own.sort(key=lambda each: (each.mpi, -each.shape.size[0], each.shape, each.contestant))
    return [
        f"{each.mpi}, {each.shape.text}: {each.contestant} takes {formats.seconds(each.time_s)}, "
        f"{formats.ratio(each.speed.value)} ({interval_text(each)}) as fast as rows copied "
        f"by hand ({formats.seconds(each.baseline_s)})."
        for each in own
    ]


def _memory(results: Results) -> list[str]:
    """The part of the speed on fields of `make_field` that hand-written rows would have on them
    too."""
    return [
        f"{each.mpi}, {each.shape.text}: of {ON_SAME_MEMORY}'s {formats.ratio(each.both.value)}, "
        f"{formats.ratio(each.memory.value)} "
        f"({formats.ratio_interval(each.memory.low, each.memory.high)}) is the memory, on which "
        f"rows by hand take {formats.seconds(each.same_memory_s)}, and "
        f"{formats.ratio(each.exchange.value)} "
        f"({formats.ratio_interval(each.exchange.low, each.exchange.high)}) the exchange."
        for each in memory_shares(results)
    ]


def _sweep(results: Results) -> list[str]:
    compared = [each for each in swept(results) if not each.is_functional_only]
    if not compared:
        return []
    shapes = {(each.mpi, each.shape) for each in compared}
    counts = {
        word: sum(each.verdict == word for each in compared)
        for word in ("faster", "cannot tell", "slower")
    }
    least = min(compared, key=lambda each: each.speed.value)
    lines = [
        f"Of {len(compared)} comparisons on {len(shapes)} shapes with hand-written exchanges "
        f"(a message per neighbour: {BASELINE}; per side: {ROUNDS}) weft is "
        f"faster in {counts['faster']} and slower in {counts['slower']}; "
        f"{counts['cannot tell']} show no significant difference. The least gain is "
        f"{formats.ratio(least.speed.value)} ({interval_text(least)}: {least.contestant} "
        f"beside {least.baseline}, {least.shape.text}, {least.mpi})."
    ]
    lost = losers(compared)
    if lost:
        lines.append(f"Slower: {_named(lost)}.")
    return lines


def _named(lost: Sequence[Comparison]) -> str:
    names = [
        f"{each.contestant} than {each.baseline} on {each.shape.text} with {each.mpi} "
        f"({formats.ratio(each.speed.value)}, {interval_text(each)})"
        for each in sorted(lost, key=lambda each: each.speed.value)
    ]
    rest = len(names) - MOST_NAMED
    return "; ".join(names[:MOST_NAMED]) + (f"; and {rest} more" if rest > 0 else "")


def _generic(results: Results) -> list[str]:
    """Whether descriptors that come with the call cost anything."""
    slowest = None
    for (mpi, shape), times in by_shape(results.times("paper")).items():
        uniform, generic = times.get("weft_own_memory"), times.get("weft_exchange_any")
        if uniform is None or generic is None:
            continue
        found = speed_up(uniform, generic)
        if slowest is None or found.value < slowest[0].value:
            slowest = (found, shape, mpi)
    if slowest is None:
        return []
    found, shape, mpi = slowest
    more = formats.signed_percent(1.0 / found.value - 1.0)
    bound = formats.percent(GENERIC_SHARE, 0)
    word = "the interval cannot decide whether that is within"
    if found.low is not None and 1.0 / found.low - 1.0 <= GENERIC_SHARE:
        word = "within"
    elif found.high is not None and 1.0 / found.high - 1.0 > GENERIC_SHARE:
        word = "not within"
    interval = formats.ratio_interval(found.low, found.high)
    return [
        f"Descriptors that come with each call (exchange_any) take {more} where they take most "
        f"({shape.text}, {mpi}; {interval} as fast): {word} {bound} of exchange."
    ]


def _overlap(results: Results) -> list[str]:
    rows = [row for row in overlap_table(results).rows if str(row[2]).startswith("weft")]
    if not rows:
        return []
    kept = sum(row[-1] == KEPT for row in rows)
    untold = sum(row[-1] == UNTOLD for row in rows)
    late = [f"{row[2]} on {row[1]} ({row[-1]})" for row in rows if row[-1] not in (KEPT, UNTOLD)]
    lines = [
        f"Overlapped computation takes no more than the computation and {OVERLAP_FACTOR} times the "
        f"exchange in {kept} of {len(rows)} cases; in {untold} the intervals cannot decide."
    ]
    if late:
        lines.append(f"It takes more: {'; '.join(late)}.")
    return lines

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the parallel algorithms in a few sentences to read first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from weft_lab.pages import formats
from weft_lab.pages.papers import standard_algorithms
from weft_lab.pages.view import RunView
from weft_lab.pages.words import Words
from weft_lab.statistics.estimates import geometric_mean
from weft_lab.storage.checkout import bounding_kernels
from weft_lab.suites.stl.rivals import BASELINE, OURS, Match, bound_of, matches

WORDS = Words(
    "algorithm",
    "elements",
    "problem size n, elements",
    "{} elements",
    "sequential code",
    formats.size,
    code="algorithm",
    question="Which backend and how many threads?",
)
NEAR_BOUND = 0.9
NAMES_MAX = 6


def sentences(view: RunView, found: Sequence[Match] | None = None) -> tuple[str, ...]:
    """Empty if no parallel algorithm was timed. In a run without weft, none is about weft."""
    timed = [m for m in (matches(view) if found is None else found) if m.subject is not None]
    if not timed:
        return ()
    ours = timed if any(s.backend == OURS for s in view.measured) else []
    largest = [m for m in ours if m.size == view.largest_size(m.case)]
    standard = standard_algorithms(s.cell.problem for m in ours for s in (m.subject,) if s)
    lines = (
        _overall([m for m in largest if m.subject and m.subject.cell.problem in standard]),
        _against_seq(ours),
        _against_peers(view, largest),
        _near_bound(view, largest),
        _secretly_sequential(view),
    )
    return tuple(line for line in lines if line)


def _overall(largest: Sequence[Match]) -> str:
    """Geometric means at the largest size of each standard algorithm, and the number of significant
    differences."""
    over_seq = [m.seq.ratio.value for m in largest if m.seq]
    with_peer = [m for m in largest if m.peers]
    if not over_seq or not with_peer:
        return ""
    sizes = [m.size for m in largest]
    over_peer = geometric_mean([m.peers[0].ratio.value for m in with_peer])
    num_best = sum(all(p.verdict == "faster" for p in m.peers) for m in with_peer)
    num_lost = sum(any(p.verdict == "slower" for p in m.peers) for m in with_peer)
    return (
        f"With {formats.size_band(min(sizes), max(sizes))} elements {OURS} is "
        f"{formats.ratio(geometric_mean(over_seq))} as fast as sequential code and "
        f"{formats.ratio(over_peer)} as fast as the best peer of each algorithm (geometric means "
        f"of {len(over_seq)} and {len(with_peer)}). It was significantly faster than every peer in "
        f"{num_best} of them and slower than one in {num_lost}; the others show no significant "
        f"difference.{_untold(sum(all(p.ratio.low is None for p in m.peers) for m in with_peer))}"
    )


def _untold(count: int) -> str:
    return f" Of {count} nothing is known: launches are too few or disagree." if count else ""


def _against_seq(ours: Sequence[Match]) -> str:
    """Where a parallel call was shown to cost more than a sequential one."""
    compared = [m for m in ours if m.seq and m.seq.ratio.low is not None]
    lost: dict[int, list[str]] = defaultdict(list)
    for m in compared:
        if m.seq and m.seq.verdict == "slower":
            lost[m.size].append(m.case)
    if not compared:
        num_untold = sum(m.seq is not None for m in ours)
        return (
            f"Whether a parallel call of {OURS} is slower than the sequential one is unknown in "
            f"any of {num_untold} pairs: launches are too few or disagree."
            if num_untold
            else ""
        )
    if not lost:
        return (
            f"A parallel call of {OURS} was nowhere significantly slower than the sequential one: "
            f"0 of {len(compared)} pairs."
        )
    places = (f"{formats.size(size)}: {_some(lost[size])}" for size in sorted(lost))
    return f"Significantly slower than sequential code, by elements: {'; '.join(places)}."


def _against_peers(view: RunView, largest: Sequence[Match]) -> str:
    """The algorithms to call instead, worst first."""
    found = []
    for m in largest:
        slower = [p for p in m.peers if p.verdict == "slower"]
        if slower:
            best = slower[0]
            factor = 1.0 / best.ratio.value
            text = f"{m.case} ({view.name(best.timed.variant)}, {formats.ratio(factor)})"
            found.append((factor, text))
    if not found:
        return ""
    texts = [text for _, text in sorted(found, reverse=True)]
    return f"At the largest sizes a peer was significantly faster in {_some(texts)}."


def _near_bound(view: RunView, largest: Sequence[Match]) -> str:
    """For algorithms that only read, write or copy, and whose data exceeds the caches."""
    fractions = []
    for m in largest:
        if m.subject is None or not bounding_kernels("stl", m.subject.cell.problem):
            continue
        bound = bound_of(view, m.subject)
        if bound is not None and bound.fraction is not None:
            fractions.append((bound.fraction, m.case))
    if not fractions:
        return ""
    num_near = sum(fraction >= NEAR_BOUND for fraction, _ in fractions)
    far = [f"{case} {formats.percent(f, 0)}" for f, case in sorted(fractions) if f < NEAR_BOUND]
    text = (
        "Of the algorithms that only read, write or copy, and more than fits into a cache, "
        f"{num_near} of {len(fractions)} reach {formats.percent(NEAR_BOUND, 0)} of what the "
        "machine's bandwidth allows"
    )
    return f"{text}; furthest below: {_some(far)}." if far else f"{text}."


def _secretly_sequential(view: RunView) -> str:
    names: dict[str, set[str]] = defaultdict(set)
    for s in view.at_all_threads():
        size = view.largest_size(view.case(s))
        if s.backend != BASELINE and s.is_sequential and s.cell.threads > 1 and s.cell.size == size:
            names[view.name(s.variant)].add(view.case(s))
    if not names:
        return ""
    parts = (f"{name} in {_some(sorted(names[name]))}" for name in sorted(names))
    return f"Asked for {view.threads_all} threads, and one did all: {'; '.join(parts)}."


def _some(names: Iterable[str]) -> str:
    """The first few, and how many more there are."""
    all_names = list(names)
    shown = ", ".join(all_names[:NAMES_MAX])
    rest = len(all_names) - NAMES_MAX
    return f"{shown} and {rest} more" if rest > 0 else shown

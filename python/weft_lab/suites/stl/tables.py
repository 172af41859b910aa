# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parallel algorithms of a run: one row for each, weft's position at each size, and where weft
is slower than sequential code or a peer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from weft_lab.pages import formats
from weft_lab.pages.table import Column, Table, Value, columns
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary, Ratio
from weft_lab.statistics.estimates import geometric_mean
from weft_lab.suites.stl.rivals import (
    BASELINE,
    OURS,
    Match,
    Rival,
    bound_of,
    matches,
    no_gain,
    threshold,
)

CORRECTED = (
    "Corrected for many comparisons (Benjamini-Hochberg, at most one in twenty of these findings "
    "is chance)."
)
NAMES_MAX = 2
NAME = "algorithms"


def all_tables(view: RunView) -> list[Table]:
    """None for a run that timed no parallel algorithm of the STL."""
    if not any(s.cell.suite == "stl" and s.backend != BASELINE for s in view.measured):
        return []
    found = matches(view)
    tables = [
        size_table(view, found),
        algorithm_table(view, found),
        slower_table(view, found),
        backend_table(view, found),
        first_call_table(view),
    ]
    return [table for table in tables if table.rows]


def subject_name(view: RunView) -> str:
    """weft, or the backend that replaces it in a run without weft."""
    return OURS if any(s.backend == OURS for s in view.measured) else "fastest"


def noise_text(view: RunView) -> str:
    """The noise floor, and the smallest difference that counts."""
    ties = f"differences below {formats.percent(threshold(view))} are ties"
    if view.noise_floor is None:
        return f"Noise floor not known; {ties}."
    left = formats.percent(view.unexplained_noise)
    return (
        f"Noise floor {formats.percent(view.noise_floor)} between two copies of seq, of which the "
        f"intervals leave {left} unexplained; {ties}."
    )


def algorithm_table(view: RunView, found: Sequence[Match] | None = None) -> Table:
    """All threads, the largest size of each algorithm, default allocator."""
    subject = subject_name(view)
    largest = _at_largest(view, matches(view) if found is None else found)
    return Table(
        name=NAME,
        title="Every algorithm",
        columns=columns(
            (view.words.case, "case"),
            ("elements", "size_elements", formats.size),
            ("seq", "seq_time_s", formats.seconds),
            (subject, "time_s", formats.seconds),
            ("vs seq", "speedup", formats.ratio),
            ("from", "speedup_low", formats.ratio),
            ("to", "speedup_high", formats.ratio),
            ("best peer", "best_peer"),
            ("vs best peer", "speedup_over_best_peer", formats.ratio),
            ("from", "speedup_over_best_peer_low", formats.ratio),
            ("to", "speedup_over_best_peer_high", formats.ratio),
            (f"{subject} is", "verdict"),
        ),
        rows=tuple(_row(view, case, largest.get(case)) for case in view.cases),
        note=f"{view.threads_all} threads, largest size of each algorithm, default allocator. "
        "Ratios: higher is better, 1 is as fast; from and to bound them in 95 % of cases, and "
        f"are left out where they are more than {formats.WIDEST_INTERVAL} × apart. "
        f"{noise_text(view)} {CORRECTED}",
    )


def _at_largest(view: RunView, found: Sequence[Match]) -> dict[str, Match]:
    return {match.case: match for match in found if match.size == view.largest_size(match.case)}


def _row(view: RunView, case: str, match: Match | None) -> tuple[Value, ...]:
    size = view.largest_size(case)
    seq = view.baselines.get((case, size)) if size is not None else None
    subject = match.subject if match else None
    peer = match.best_peer if match else None
    return (
        case,
        size,
        seq.time_s if seq else None,
        subject.time_s if subject else None,
        *_ratio(match.seq if match else None),
        view.name(peer.timed.variant) if peer else None,
        *_ratio(peer),
        verdict_text(view, match) if match else None,
    )


def backend_table(view: RunView, found: Sequence[Match]) -> Table:
    """For each algorithm, the reached fraction of the memory bandwidth; and the backends that
    ignore the thread count."""
    largest = _at_largest(view, found)
    idle = no_gain(view)
    return Table(
        name="algorithms_backends",
        title="Memory bandwidth reached, and libraries that ignored the thread count",
        columns=columns(
            (view.words.case, "case"),
            (f"{subject_name(view)}, of the bound", "bandwidth_fraction", formats.percent),
            ("bound", "bandwidth_bound"),
            ("that is", "bandwidth_bound_gib_per_s", formats.rate),
            ("secretly sequential", "sequential"),
            ("no gain from threads", "no_gain"),
            ("wrong", "wrong"),
            ("not offered", "not_offered"),
        ),
        rows=tuple(_backend_row(view, case, largest.get(case), idle) for case in view.cases),
        note="Bound: the least bytes that must move, divided by the bandwidth of the named kernel "
        "of the machine's own probe. If the algorithm writes new data, that is the faster of "
        "ordinary and non-temporal stores; if a callable of the caller writes, ordinary "
        "stores. In a cache: the data fits into one, so memory does not limit the call. "
        "Secretly sequential: asked for several threads, but one did all the work while the "
        "others slept. No gain from threads: less than a tenth faster than the same backend "
        f"with one, by the whole interval; {formats.UNKNOWN}: not timed with one. {CORRECTED}",
    )


def first_call_table(view: RunView) -> Table:
    """The additional time of a process's first call, at the size with the largest difference."""
    ratios: dict[str, dict[str, float]] = defaultdict(dict)
    for s in view.measured:
        if s.cell.suite == "stl" and s.cold_call_s is not None and s.time_s:
            of_case, variant = ratios[view.case(s)], view.name(s.variant)
            of_case[variant] = max(s.cold_call_s / s.time_s, of_case.get(variant, 0.0))
    names = {view.name(variant): None for variant in view.variants}
    known = [name for name in names if any(name in of_case for of_case in ratios.values())]
    return Table(
        name="algorithms_first_calls",
        title="First calls",
        columns=(
            *columns((view.words.case, "case")),
            *(Column(name, f"{name}_first_over_later", formats.ratio) for name in known),
        ),
        rows=tuple((case, *map(ratios[case].get, known)) for case in sorted(ratios)),
        note="The first call of an algorithm and type in a process, divided by the median of later "
        "ones: the largest ratio, of the sizes whose cell came first in some launch. It includes "
        "one-time costs: starting threads, code and data that are not in a cache, and trials of "
        "the library. One sample a launch, so no interval.",
    )


def _backend_row(
    view: RunView, case: str, match: Match | None, idle: frozenset[tuple[str, str, int]]
) -> tuple[Value, ...]:
    size = view.largest_size(case)
    parallel = [
        s
        for s in view.at_all_threads()
        if view.case(s) == case and s.cell.size == size and s.backend != BASELINE
    ]
    every = [s for s in view.summaries if view.case(s) == case]
    return (
        case,
        *_bound(view, match.subject if match else None),
        _names(view, [s for s in parallel if s.is_sequential and s.cell.threads > 1]),
        _names(view, [s for s in parallel if (s.variant, case, s.cell.size) in idle])
        if any(s.cell.threads == 1 for s in every if s.backend != BASELINE and s.time_s)
        else None,
        _names(view, [s for s in every if s.status == "wrong"]),
        _names(view, [s for s in every if s.code == "not_offered"]),
    )


def _ratio(rival: Rival | None) -> tuple[Value, Value, Value]:
    if rival is None:
        return None, None, None
    return (rival.ratio.value, *_interval(rival.ratio))


def _interval(ratio: Ratio) -> tuple[float | None, float | None]:
    """Unknown where two or three launches disagree so much that nothing is bounded."""
    if ratio.low is None or ratio.high is None:
        return None, None
    is_wide = ratio.high > formats.WIDEST_INTERVAL * ratio.low
    return (None, None) if is_wide else (ratio.low, ratio.high)


def verdict_text(view: RunView, match: Match) -> str:
    """`faster than all`, or the faster backends, and those without a significant difference."""
    if match.subject is None:
        return "not timed"
    if not match.rivals:
        return "alone"
    lost, untold = match.with_verdict("slower"), match.with_verdict("cannot tell")
    if len(untold) == len(match.rivals):
        return "cannot tell"
    parts = [f"slower than {_joined(view, lost)}"] if lost else []
    if len(untold) > NAMES_MAX:
        parts.append(f"no significant difference from {len(untold)} of {len(match.rivals)}")
    elif untold:
        parts.append(f"no significant difference from {_joined(view, untold)}")
    return "; ".join(parts) or "faster than all"


def _joined(view: RunView, rivals: Iterable[Rival]) -> str:
    return ", ".join(view.name(rival.timed.variant) for rival in rivals)


def _bound(view: RunView, s: CellSummary | None) -> tuple[Value, Value, Value]:
    bound = bound_of(view, s) if s else None
    if bound is None:
        return None, None, None
    if bound.fraction is None:
        return None, "in a cache", None
    kernel = bound.limit.kernel
    if bound.fraction > 1.0:
        kernel += ", which it passes: the probe was slower than memory, or a cache helps"
    return bound.fraction, kernel, bound.limit.gib_per_s


def _names(view: RunView, summaries: Sequence[CellSummary]) -> str:
    """Empty: nobody."""
    return ", ".join(sorted({view.name(s.variant) for s in summaries}))


def size_table(view: RunView, found: Sequence[Match]) -> Table:
    """A row per element type and size."""
    subject = subject_name(view)
    groups: dict[tuple[str, int], list[Match]] = {}
    for match in found:
        if match.subject is not None:
            groups.setdefault((match.subject.cell.type, match.size), []).append(match)
    return Table(
        name="algorithms_by_size",
        title=f"How {subject} stands at each size",
        columns=columns(
            ("type", "type"),
            ("elements", "size_elements", formats.size),
            (f"{view.words.case}s", "num_cases", formats.number),
            ("vs seq", "speedup_mean", formats.ratio),
            ("faster than seq", "num_faster_than_seq", formats.number),
            ("slower than seq", "num_slower_than_seq", formats.number),
            ("with a peer", "num_with_peer", formats.number),
            ("vs best peer", "speedup_over_best_peer_mean", formats.ratio),
            ("faster than every peer", "num_faster_than_peers", formats.number),
            ("slower than a peer", "num_slower_than_peer", formats.number),
        ),
        rows=tuple(_size_row(*key, groups[key]) for key in sorted(groups)),
        note=f"Geometric means over the algorithms; {view.threads_all} threads against one of seq. "
        f"Only statistically significant differences are counted. {noise_text(view)} {CORRECTED}",
    )


def _size_row(type_: str, size: int, group: Sequence[Match]) -> tuple[Value, ...]:
    seqs = [match.seq for match in group if match.seq]
    with_peer = [match for match in group if match.peers]
    best = [match.peers[0].ratio.value for match in with_peer]
    return (
        type_,
        size,
        len(group),
        geometric_mean([seq.ratio.value for seq in seqs]) if seqs else None,
        sum(seq.verdict == "faster" for seq in seqs),
        sum(seq.verdict == "slower" for seq in seqs),
        len(with_peer),
        geometric_mean(best) if best else None,
        sum(all(peer.verdict == "faster" for peer in match.peers) for match in with_peer),
        sum(any(peer.verdict == "slower" for peer in match.peers) for match in with_peer),
    )


def slower_table(view: RunView, found: Sequence[Match]) -> Table:
    """Every algorithm and size at which seq or a peer was measured to be faster by more than the
    threshold.

    Differences that are not significant are included and marked. Largest factor first.
    """
    subject = subject_name(view)
    rows = [
        (_factor(rival), match, rival)
        for match in found
        for rival in _faster_ones(match, threshold(view))
    ]
    rows.sort(key=lambda row: (row[2].verdict != "slower", -row[0]))
    return Table(
        name="algorithms_slower",
        title=f"Where {subject} is slower",
        columns=columns(
            (view.words.case, "case"),
            ("elements", "size_elements", formats.size),
            ("faster is", "rival"),
            ("by the factor", "factor", formats.ratio),
            ("from", "factor_low", formats.ratio),
            ("to", "factor_high", formats.ratio),
            (subject, "time_s", formats.seconds),
            ("the other", "rival_time_s", formats.seconds),
            ("shown", "shown"),
        ),
        rows=tuple(_slower_row(view, *row) for row in rows),
        note="seq, and the fastest peer. Not significant: launches differ so much that it may be "
        f"chance. {noise_text(view)} {CORRECTED}",
    )


def _faster_ones(match: Match, smallest: float) -> list[Rival]:
    return [
        rival
        for rival in (match.seq, match.best_peer)
        if rival is not None and _factor(rival) > 1.0 + smallest
    ]


def _factor(rival: Rival) -> float:
    return 1.0 / rival.ratio.value


def _slower_row(view: RunView, factor: float, match: Match, rival: Rival) -> tuple[Value, ...]:
    low, high = _interval(rival.ratio)
    return (
        match.case,
        match.size,
        view.name(rival.timed.variant),
        factor,
        1.0 / high if high else None,
        1.0 / low if low else None,
        match.subject.time_s if match.subject else None,
        rival.timed.time_s,
        "yes" if rival.verdict == "slower" else "no",
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parallel algorithms of a run: one row for each, how weft stands at each size, and where it is
slower than sequential code or a peer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft_lab.analysis import CellSummary, Ratio
from weft_lab.report import formats
from weft_lab.report.rivals import (
    BASELINE,
    OURS,
    Match,
    Rival,
    bound_of,
    matches,
    no_gain,
    time_s,
)
from weft_lab.report.table import Table, Value, columns
from weft_lab.report.view import RunView
from weft_lab.statistics import geometric_mean

CORRECTED = (
    "Corrected for many comparisons (Benjamini-Hochberg, at most one in twenty of those told is "
    "chance)."
)


def all_tables(view: RunView) -> list[Table]:
    """None for a run that timed no parallel algorithm of the STL."""
    if not any(s.cell.suite == "stl" and s.backend != BASELINE for s in view.measured):
        return []
    found = matches(view)
    tables = [algorithm_table(view, found), size_table(view, found), slower_table(view, found)]
    return [table for table in tables if table.rows]


def subject_name(view: RunView) -> str:
    """weft, or what stands for it in a run without."""
    return OURS if any(s.backend == OURS for s in view.measured) else "fastest"


def noise_text(view: RunView) -> str:
    """How large a difference must be to be told."""
    noise = "not known" if view.noise_floor is None else formats.percent(view.noise_floor)
    return f"Noise floor {noise}; differences below {formats.percent(view.threshold)} are ties."


def algorithm_table(view: RunView, found: Sequence[Match] | None = None) -> Table:
    """All threads, the largest size of each algorithm, default allocator."""
    subject = subject_name(view)
    largest = {m.case: m for m in found or matches(view) if m.size == view.largest_size(m.case)}
    idle = no_gain(view)
    return Table(
        name="algorithms",
        title="Every algorithm",
        columns=columns(
            (view.words.case, "case"),
            ("elements", "size_elements", formats.size),
            ("seq", "seq_time_s", formats.seconds),
            (subject, "time_s", formats.seconds),
            (f"{subject} vs seq", "speedup", formats.ratio),
            ("from", "speedup_low", formats.ratio),
            ("to", "speedup_high", formats.ratio),
            ("best peer", "best_peer"),
            ("vs best peer", "speedup_over_best_peer", formats.ratio),
            ("from", "speedup_over_best_peer_low", formats.ratio),
            ("to", "speedup_over_best_peer_high", formats.ratio),
            (f"{subject} is", "verdict"),
            ("of the bound", "bandwidth_fraction", formats.percent),
            ("bound", "bandwidth_bound"),
            ("secretly sequential", "sequential"),
            ("no gain from threads", "no_gain"),
            ("wrong", "wrong"),
            ("not offered", "not_offered"),
        ),
        rows=tuple(_row(view, case, largest.get(case), idle) for case in view.cases),
        note=f"{view.threads_all} threads, largest size of each algorithm, default allocator. "
        "Ratios: higher is better, 1 is as fast; from and to bound them in 95 % of cases. "
        f"{noise_text(view)} {CORRECTED} Bound: the least bytes that must move, over what the "
        "named kernel of the machine's own probe reached; non-temporal stores, which it does not "
        "use, go beyond 100 %. In a cache: that much fits into one, and memory bounds nothing. "
        "Secretly sequential: asked for several threads, and one did all while the others slept. "
        "No gain from threads: less than a tenth faster than the same backend with one.",
    )


def _row(
    view: RunView, case: str, match: Match | None, idle: frozenset[tuple[str, str, int]]
) -> tuple[Value, ...]:
    size = view.largest_size(case)
    here = [s for s in view.at_all_threads() if view.case(s) == case and s.cell.size == size]
    parallel = [s for s in here if s.backend != BASELINE]
    seq = min((s for s in here if s.backend == BASELINE), key=time_s, default=None)
    every = [s for s in view.summaries if view.case(s) == case]
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
        *_bound(view, subject),
        _names(view, [s for s in parallel if s.is_sequential and s.cell.threads > 1]),
        _names(view, [s for s in parallel if (s.variant, case, s.cell.size) in idle]),
        _names(view, [s for s in every if s.status == "wrong"]),
        _names(view, [s for s in every if s.code == "not_offered"]),
    )


def _ratio(rival: Rival | None) -> tuple[Value, Value, Value]:
    ratio = rival.ratio if rival else Ratio(0.0, None, None)
    return (ratio.value if rival else None, ratio.low, ratio.high)


def verdict_text(view: RunView, match: Match) -> str:
    """`faster than all`, or who is faster, and who was not told apart."""
    if match.subject is None:
        return "not timed"
    if not match.rivals:
        return "alone"
    lost = match.with_verdict("slower")
    open_ = match.with_verdict("cannot tell")
    parts = [f"slower than {_joined(view, lost)}"] if lost else []
    parts += [f"not told from {_joined(view, open_)}"] if open_ else []
    return "; ".join(parts) or "faster than all"


def _joined(view: RunView, rivals: Iterable[Rival]) -> str:
    return ", ".join(view.name(rival.timed.variant) for rival in rivals)


def _bound(view: RunView, s: CellSummary | None) -> tuple[Value, Value]:
    bound = bound_of(view, s) if s else None
    if bound is None:
        return None, None
    if bound.fraction is None:
        return None, "in a cache"
    limit = bound.limit
    return bound.fraction, f"{limit.kernel}, {formats.rate(limit.gib_per_s)}"


def _names(view: RunView, summaries: Sequence[CellSummary]) -> str | None:
    return ", ".join(sorted({view.name(s.variant) for s in summaries})) or None


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
        f"Counted is what was shown; the rest could not be told. {noise_text(view)} {CORRECTED}",
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
    threshold; what could be chance is there, and marked. Largest factor first.
    """
    subject = subject_name(view)
    rows = [
        (_factor(rival), match, rival)
        for match in found
        for rival in _faster_ones(match, view.threshold)
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
        note="seq, and the fastest peer. Not shown: launches differ so much that it may be "
        f"chance. {noise_text(view)} {CORRECTED}",
    )


def _faster_ones(match: Match, threshold: float) -> list[Rival]:
    return [
        rival
        for rival in (match.seq, match.best_peer)
        if rival is not None and _factor(rival) > 1.0 + threshold
    ]


def _factor(rival: Rival) -> float:
    return 1.0 / rival.ratio.value


def _slower_row(view: RunView, factor: float, match: Match, rival: Rival) -> tuple[Value, ...]:
    low, high = rival.ratio.low, rival.ratio.high
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

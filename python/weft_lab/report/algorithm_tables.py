# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row per algorithm: how fast weft is against sequential code, its peers and the memory, and
who is sequential, wrong or absent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft_lab.analysis import CellSummary
from weft_lab.report import formats
from weft_lab.report.table import Table, Value, columns
from weft_lab.report.view import RunView, gib_per_s

OURS = "weft"
BASELINE = "seq"


def all_tables(view: RunView) -> list[Table]:
    """None for a run that timed no parallel algorithm of the STL."""
    is_stl = any(s.cell.suite == "stl" and s.backend != BASELINE for s in view.measured)
    return [algorithm_table(view)] if is_stl else []


def algorithm_table(view: RunView) -> Table:
    """All threads, the largest size of each algorithm, default allocator."""
    has_ours = any(s.backend == OURS for s in view.measured)
    subject = OURS if has_ours else "fastest"
    return Table(
        name="algorithms",
        title="Every algorithm",
        columns=columns(
            (view.words.case, "case"),
            ("elements", "size_elements", formats.size),
            ("seq", "seq_time_s", formats.seconds),
            (subject, "time_s", formats.seconds),
            (f"{subject} vs seq", "speedup", formats.ratio),
            ("best peer", "best_peer"),
            (f"{subject} vs best peer", "speedup_over_best_peer", formats.ratio),
            ("of the bandwidth bound", "bandwidth_fraction", formats.percent),
            ("secretly sequential", "sequential"),
            ("wrong", "wrong"),
            ("not offered", "not_offered"),
        ),
        rows=tuple(_row(view, case, has_ours=has_ours) for case in view.cases),
        note=f"{view.threads_all} threads, largest size of each algorithm, default allocator. "
        "Ratios: higher is better, 1 is as fast. Bandwidth bound: the least bytes that must move, "
        "over what the machine's own triad reached; above 100 % the elements were in a cache. "
        "Secretly sequential: asked for several threads, and one did all.",
    )


def _row(view: RunView, case: str, *, has_ours: bool) -> tuple[Value, ...]:
    size = view.largest_size(case)
    here = [s for s in view.at_all_threads() if view.case(s) == case and s.cell.size == size]
    parallel = [s for s in here if s.backend != BASELINE]
    ours = _fastest(s for s in parallel if s.backend == OURS or not has_ours)
    peer = _fastest(s for s in parallel if s.backend != OURS and s is not ours)
    seq = _fastest(s for s in here if s.backend == BASELINE)
    every = [s for s in view.summaries if view.case(s) == case]
    return (
        case,
        size,
        seq.time_s if seq else None,
        ours.time_s if ours else None,
        view.speedup(ours) if ours else None,
        view.name(peer.variant) if peer else None,
        _over(peer, ours),
        _of_bound(view, ours),
        _names(view, [s for s in parallel if s.is_sequential and s.cell.threads > 1]),
        _names(view, [s for s in every if s.status == "wrong"]),
        _names(view, [s for s in every if s.code == "not_offered"]),
    )


def _fastest(summaries: Iterable[CellSummary]) -> CellSummary | None:
    return min(summaries, key=lambda s: s.time_s or 0.0, default=None)


def _over(slower: CellSummary | None, faster: CellSummary | None) -> float | None:
    if slower is None or faster is None or not slower.time_s or not faster.time_s:
        return None
    return slower.time_s / faster.time_s


def _of_bound(view: RunView, s: CellSummary | None) -> float | None:
    bound = max((point.gib_per_s for point in view.bandwidth), default=None)
    moved = gib_per_s(s.bytes_min, s.time_s) if s else None
    return moved / bound if moved and bound else None


def _names(view: RunView, summaries: Sequence[CellSummary]) -> str | None:
    return " ".join(sorted({view.name(s.variant) for s in summaries})) or None

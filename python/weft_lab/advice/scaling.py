# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where parallel execution begins and is faster, how many threads are used well, and impossible
times."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from weft_lab.statistics import estimates
from weft_lab.statistics.analysis_types import BreakEven, CellSummary, ThreadsWithEfficiency
from weft_lab.statistics.ratios import time_ratio
from weft_lab.statistics.summaries import with_samples
from weft_lab.storage.cells import format_size
from weft_lab.storage.checkout import backend_infos, operations_min
from weft_lab.storage.variants import BASELINE, is_control

EFFICIENCY_MIN = 0.7
CACHES_BEYOND = 4
LOOK = "look whether the work was really done; the raw samples are kept"
BANDWIDTH_EXCESS = 1.2
# The bandwidth of the first-level cache, as a multiple of the cache that the probe measures.
CACHE_EXCESS = 4.0
# More than any processor has: eight units of 64 bytes each; and 6.5 GHz if the highest clock is
# unknown.
VECTOR_BYTES_PER_CYCLE = 8 * 64
CLOCK_MAX_HZ = 6.5e9


def without_impossible_samples(
    summaries: Iterable[CellSummary],
    cache_bytes_per_s: float | None,
    clock_hz: float | None = None,
) -> list[CellSummary]:
    """Drops samples that are faster than this machine can be; a cell with no other samples is
    `implausible`.

    Such a sample needs four times the measured cache bandwidth of a thread, or more operations than
    vector units can do. The call returned early, or the compiler deleted it. `clock_hz`: the
    highest clock of this machine, if it is known.
    """
    rate = VECTOR_BYTES_PER_CYCLE * (clock_hz or CLOCK_MAX_HZ)
    return [_possible(summary, cache_bytes_per_s, rate) for summary in summaries]


def _least_s(
    summary: CellSummary, cache_bytes_per_s: float | None, vector_bytes_per_s: float
) -> tuple[float, str]:
    """Returns the shortest possible seconds of a call, and the name of the limiting resource."""
    cell = summary.cell
    moving_s = computing_s = 0.0
    if summary.bytes_min and cache_bytes_per_s is not None:
        moving_s = summary.bytes_min / (CACHE_EXCESS * cache_bytes_per_s * cell.threads)
    operations = operations_min(cell.suite, cell.problem, dict(cell.params))
    if operations:
        computing_s = operations * cell.array_bytes / (vector_bytes_per_s * cell.threads)
    if computing_s > moving_s:
        return computing_s, f"which {cell.threads} threads can do {operations} operations on each"
    return moving_s, "which the caches here can move the data"


def _possible(
    summary: CellSummary, cache_bytes_per_s: float | None, vector_bytes_per_s: float
) -> CellSummary:
    if summary.status != "ok":
        return summary
    least_s, why = _least_s(summary, cache_bytes_per_s, vector_bytes_per_s)
    kept = tuple(
        tuple(sample_s for sample_s in launch if sample_s >= least_s)
        for launch in summary.samples_s
    )
    total, left = (sum(map(len, samples)) for samples in (summary.samples_s, kept))
    if left == total:
        return summary
    message = (
        f"{total - left} of {total} samples are shorter than {1e9 * least_s:.3g} ns, the least in "
        f"{why}"
    )
    if left == 0:
        return replace(summary, status="implausible", message=message, remedy=LOOK)
    with_rest = with_samples(summary, tuple(launch for launch in kept if launch))
    return replace(with_rest, message=f"{message}; they are left out", remedy=LOOK)


def flag_implausible(
    summaries: Iterable[CellSummary], bandwidth_bytes_per_s: float | None, cache_bytes: int
) -> list[CellSummary]:
    """Marks times as `implausible` that need 1.2 times the measured memory bandwidth.

    Only cells count whose data exceeds every cache. Such a time means that the work was not done
    (deleted by the compiler, lazily allocated pages); no decision uses it. Without a measured
    bandwidth, nothing is marked.
    """
    return [_checked(summary, bandwidth_bytes_per_s, cache_bytes) for summary in summaries]


def _checked(
    summary: CellSummary, bandwidth_bytes_per_s: float | None, cache_bytes: int
) -> CellSummary:
    is_known = (
        bandwidth_bytes_per_s is not None
        and summary.bytes_min is not None
        and summary.time_s is not None
    )
    if (
        not is_known
        or summary.status != "ok"
        or summary.cell.array_bytes <= CACHES_BEYOND * cache_bytes
    ):
        return summary
    assert bandwidth_bytes_per_s is not None
    rate = (summary.bytes_min or 0) / (summary.time_s or 1.0)
    if rate <= BANDWIDTH_EXCESS * bandwidth_bytes_per_s:
        return summary
    moved, possible = rate / 1e9, bandwidth_bytes_per_s / 1e9
    message = f"moved at least {moved:.1f} GB/s, but the memory here moves {possible:.1f} GB/s"
    return replace(summary, status="implausible", message=message, remedy=LOOK)


def break_even(
    summaries: Iterable[CellSummary],
    threshold: float = estimates.THRESHOLD_MIN,
    baseline: str = BASELINE,
) -> list[BreakEven]:
    """Finds where parallel execution begins and where it is faster than the baseline.

    For each backend, problem and type at its most threads (not oversubscribed).
    """
    timed = [s for s in summaries if s.status == "ok" and _is_plain(s)]
    seq = {_point(s): s for s in timed if s.variant == baseline}
    series: dict[tuple[str, str, str, str], list[CellSummary]] = defaultdict(list)
    for summary in timed:
        if (
            summary.cell.threads > 1
            and not summary.is_oversubscribed
            and not is_control(summary.variant)
        ):
            cell = summary.cell
            series[cell.suite, cell.label, cell.type, summary.variant].append(summary)
    return [_break_even(_at_most_threads(members), seq, threshold) for members in series.values()]


def _break_even(
    row: Sequence[CellSummary], seq: dict[tuple[str, str, str, int], CellSummary], threshold: float
) -> BreakEven:
    runs_parallel = [
        (s.cell.size, None if s.is_sequential is None else not s.is_sequential) for s in row
    ]
    is_faster = [(s.cell.size, _beats(s, seq.get(_point(s)), threshold)) for s in row]
    parallel_from, beats_from = _true_from(runs_parallel), _true_from(is_faster)
    first = row[0]
    info = backend_infos(first.cell.suite).get(first.backend)
    return BreakEven(
        first.cell.suite,
        first.cell.label,
        first.cell.type,
        first.variant,
        first.backend,
        first.cell.threads,
        parallel_from,
        beats_from,
        info.setting if info else "",
        _break_even_reason(row, runs_parallel, beats_from),
    )


def _break_even_reason(
    row: Sequence[CellSummary],
    runs_parallel: Sequence[tuple[int, bool | None]],
    beats_from: int | None,
) -> str:
    largest = format_size(row[-1].cell.size)
    parts = []
    if all(value is None for _, value in runs_parallel):
        parts.append("it is unknown whether it ran in parallel")
    elif not any(value for _, value in runs_parallel):
        parts.append(f"runs sequentially at every size up to {largest}")
    if beats_from is None:
        parts.append(f"no significant speed-up over sequential up to {largest}")
    return "; ".join(parts)


def _true_from(points: Sequence[tuple[int, bool | None]]) -> int | None:
    """The smallest size from which on no size is False; unknown points do not count."""
    start: int | None = None
    for size, value in reversed(points):
        if value is False:
            break
        if value:
            start = size
    return start


def _beats(summary: CellSummary, seq: CellSummary | None, threshold: float) -> bool | None:
    estimate = time_ratio(seq, summary) if seq is not None else None
    if estimate is None:
        return None
    return estimates.verdict(estimate.low, estimate.high, threshold) == "faster"


def threads_with_efficiency(
    summaries: Iterable[CellSummary],
    efficiency_min: float = EFFICIENCY_MIN,
    baseline: str = BASELINE,
) -> list[ThreadsWithEfficiency]:
    """For the largest size of each series: the most threads with speed-up / threads >=
    `efficiency_min`.

    The speed-up is over the baseline, as in the paper's Table 6. Threads that were requested but
    did not work do not count. None if not even one thread reaches it.
    """
    timed = [
        s for s in summaries if s.status == "ok" and _is_plain(s) and not is_control(s.variant)
    ]
    seq = {_point(s): s for s in timed if s.variant == baseline}
    series: dict[tuple[str, str, str, str], list[CellSummary]] = defaultdict(list)
    for summary in timed:
        if summary.variant != baseline and _point(summary) in seq and not summary.is_oversubscribed:
            series[
                summary.cell.suite, summary.cell.label, summary.cell.type, summary.variant
            ].append(summary)
    result = []
    for (suite, label, type_, variant), members in series.items():
        size = max(s.cell.size for s in members)
        efficiencies = {
            s.cell.threads: _efficiency(s, seq[_point(s)])
            for s in members
            if s.cell.size == size and not (s.cell.threads > 1 and s.is_sequential)
        }
        good = [threads for threads, value in efficiencies.items() if value >= efficiency_min]
        best = max(good, default=None)
        efficiency = None if best is None else efficiencies[best]
        result.append(ThreadsWithEfficiency(suite, label, type_, size, variant, best, efficiency))
    return result


def _efficiency(summary: CellSummary, seq: CellSummary) -> float:
    return (seq.time_s or 0.0) / (summary.time_s or float("inf")) / summary.cell.threads


def _at_most_threads(members: Sequence[CellSummary]) -> list[CellSummary]:
    most = max(s.cell.threads for s in members)
    return sorted((s for s in members if s.cell.threads == most), key=lambda s: s.cell.size)


def _is_plain(summary: CellSummary) -> bool:
    cell = summary.cell
    is_plain = cell.placement == "none" and cell.smt == "on" and cell.allocator == "default"
    return is_plain and summary.time_s is not None


def _point(summary: CellSummary) -> tuple[str, str, str, int]:
    cell = summary.cell
    return cell.suite, cell.label, cell.type, cell.size

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run for the report: summaries by case, the seq baseline, and data that several figures use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from weft_lab.pages import theme
from weft_lab.pages.words import Words, words_of
from weft_lab.statistics.analysis_types import (
    BreakEven,
    CellSummary,
    Decision,
    ThreadsWithEfficiency,
)
from weft_lab.statistics.estimates import THRESHOLD_MIN
from weft_lab.statistics.idle import is_race

GIB = float(1 << 30)
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Bandwidth:
    """The bandwidth of a kernel of the machine's own probe with `threads` threads. Units: GiB/s."""

    threads: int
    gib_per_s: float
    kernel: str = "triad"


@dataclass(frozen=True)
class RunView:
    """One result folder, analysed.

    `programs` maps a variant to its `program` record; `bandwidth` is that of the triad, `probed`
    that of every kernel of the probe. `unexplained_noise`: the difference of two copies of the
    baseline beyond the interval of each pair.
    """

    folder: Path
    manifest: Record
    summaries: tuple[CellSummary, ...]
    decisions: tuple[Decision, ...] = ()
    break_evens: tuple[BreakEven, ...] = ()
    efficiencies: tuple[ThreadsWithEfficiency, ...] = ()
    noise_floor: float | None = None
    unexplained_noise: float | None = None
    threshold: float = THRESHOLD_MIN
    skipped: tuple[Record, ...] = ()
    programs: Mapping[str, Record] | None = None
    bandwidth: tuple[Bandwidth, ...] = ()
    probed: tuple[Bandwidth, ...] = ()
    num_lines_lost: int = 0

    @cached_property
    def words(self) -> Words:
        """The words of this run's suite."""
        return words_of({s.cell.suite for s in self.summaries})

    @cached_property
    def measured(self) -> tuple[CellSummary, ...]:
        """Verified and timed for speed, in the order figures show the variants."""
        rank = {variant: i for i, variant in enumerate(self.variants)}
        ok = [s for s in self.summaries if s.status == "ok" and s.time_s and is_race(s)]
        return tuple(sorted(ok, key=lambda s: (rank[s.variant], s.cell)))

    @cached_property
    def variants(self) -> tuple[str, ...]:
        """Every variant with a summary of any status, `seq` first."""
        return tuple(theme.order([s.variant for s in self.summaries]))

    @cached_property
    def has_several_toolchains(self) -> bool:
        return len({theme.toolchain_of(variant) for variant in self.variants}) > 1

    @cached_property
    def has_several_types(self) -> bool:
        return len({s.cell.type for s in self.summaries}) > 1

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """The measured cases, alphabetically; `sort (int)` where there are several types."""
        return tuple(sorted({self.case(s) for s in self.measured}))

    @cached_property
    def threads_all(self) -> int:
        """The most threads measured without oversubscription; 1 if nothing was measured."""
        return max((s.cell.threads for s in self.measured if not s.is_oversubscribed), default=1)

    @cached_property
    def baselines(self) -> Mapping[tuple[str, int], CellSummary]:
        """The `seq` summary by case and size; gcc's when several toolchains have one."""
        found: dict[tuple[str, int], CellSummary] = {}
        for summary in sorted(self.measured, key=lambda s: s.toolchain != "gcc"):
            is_plain = summary.cell.allocator == "default" and summary.cell.threads == 1
            if summary.backend == "seq" and is_plain:
                found.setdefault((self.case(summary), summary.cell.size), summary)
        return found

    def case(self, summary: CellSummary) -> str:
        return self.case_name(summary.cell.label, summary.cell.type)

    def case_name(self, label: str, type_: str) -> str:
        return f"{label} ({type_})" if self.has_several_types else label

    def name(self, variant: str) -> str:
        """`gnu`, or `gnu@clang` when the run has several toolchains."""
        return variant if self.has_several_toolchains else theme.backend_of(variant)

    @cached_property
    def _largest_sizes(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for s in self.measured:
            case = self.case(s)
            found[case] = max(found.get(case, 0), s.cell.size)
        with_baseline: dict[str, int] = {}
        for case, size in self.baselines:
            with_baseline[case] = max(with_baseline.get(case, 0), size)
        return {**found, **with_baseline}

    def largest_size(self, case: str) -> int | None:
        """The largest size of `case` that the baseline has, else the largest measured."""
        return self._largest_sizes.get(case)

    def speedup(self, summary: CellSummary) -> float | None:
        """The baseline's time over this one's; None without a baseline at that size."""
        base = self.baselines.get((self.case(summary), summary.cell.size))
        if base is None or base.time_s is None or not summary.time_s:
            return None
        return base.time_s / summary.time_s

    def plain(self, summaries: Iterable[CellSummary] | None = None) -> Iterator[CellSummary]:
        """Summaries with default allocator, no placement, and the machine's SMT: the data of most
        figures."""
        for s in self.measured if summaries is None else summaries:
            if (s.cell.allocator, s.cell.placement, s.cell.smt) == ("default", "none", "on"):
                yield s

    def at_all_threads(self) -> Iterator[CellSummary]:
        """Plain summaries as in the paper's problem scaling: all threads, `seq` with one."""
        for s in self.plain():
            if s.cell.threads == (1 if s.backend == "seq" else self.threads_all):
                yield s


def gib_per_s(bytes_moved: int | None, time_s: float | None) -> float | None:
    """Throughput in GiB/s; None when either is unknown."""
    return bytes_moved / time_s / GIB if bytes_moved and time_s else None

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The published data of the paper on HPX's performance counters: Tables I, II and V, and figures in
words.

Unknown is None: the paper's curves have no numbers in its text, and none are guessed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from weft_lab.pages.papers import published_hpx_counters


@dataclass(frozen=True)
class Outcome:
    """The result of a benchmark under a tool: its time, or its failure; neither if it was not run.

    Units: milliseconds; percent of the time without the tool.
    """

    time_ms: float | None = None
    status: str = ""
    overhead_percent: float | None = None


@dataclass(frozen=True)
class ToolRow:
    """Table I: one benchmark of the Standard version, alone and under two tools."""

    benchmark: str
    tasks: int | None
    baseline: Outcome
    tau: Outcome
    hpctoolkit: Outcome


@dataclass(frozen=True)
class Scaling:
    """Up to how many cores a version gets faster, or the paper's word for why not."""

    cores: int | None
    remark: str = ""

    def __str__(self) -> str:
        if self.cores is None:
            return self.remark
        return f"to {self.cores}" + (f" ({self.remark})" if self.remark else "")


@dataclass(frozen=True)
class Classification:
    """Table V. Units: microseconds, at one core, by HPX's counter of task durations."""

    benchmark: str
    structure: str
    synchronisation: str
    task_us: float
    granularity: str
    std: Scaling
    hpx: Scaling


@dataclass(frozen=True)
class FigureValue:
    """A number that the text or a caption says of a figure. `runtime`: std, hpx, or "" for both."""

    what: str
    value: float
    unit: str
    runtime: str = ""
    cores: int | None = None


@cache
def tool_rows() -> tuple[ToolRow, ...]:
    """Table I, in its order."""
    return tuple(_tool_row(name, row) for name, row in published_hpx_counters()["table1"].items())


@cache
def translations() -> Mapping[str, str]:
    """Table II: the Standard's name to HPX's."""
    return dict(published_hpx_counters()["table2"])


@cache
def classifications() -> Mapping[str, Classification]:
    """Table V by benchmark, in its order."""
    return {
        name: _classification(name, row) for name, row in published_hpx_counters()["table5"].items()
    }


def benchmark_of(figure: str) -> str:
    """The benchmark that `fig1` to `fig16` show. Errors: `KeyError` for another figure."""
    return str(published_hpx_counters()["figures"][figure]["benchmark"])


def figure_values(figure: str) -> tuple[FigureValue, ...]:
    """The numbers known of `fig1` to `fig16`; empty where the paper says it in words only."""
    rows = published_hpx_counters()["figures"][figure]["values"]
    return tuple(FigureValue(**row) for row in rows)


@cache
def text_values() -> tuple[FigureValue, ...]:
    """Numbers that the text says of all benchmarks or of a class of them."""
    return tuple(FigureValue(**row) for row in published_hpx_counters()["text"])


def _tool_row(name: str, row: Mapping[str, Any]) -> ToolRow:
    outcomes = {key: Outcome(**(row[key] or {})) for key in ("baseline", "tau", "hpctoolkit")}
    return ToolRow(benchmark=name, tasks=row["tasks"], **outcomes)


def _classification(name: str, row: Mapping[str, Any]) -> Classification:
    own = {key: value for key, value in row.items() if key != "scales_to"}
    scales = row["scales_to"]
    std, hpx = Scaling(**scales["std"]), Scaling(**scales["hpx"])
    return Classification(benchmark=name, **own, std=std, hpx=hpx)

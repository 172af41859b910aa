# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the records say: which variant to use where, from which size parallel pays, how many
threads are worth it.
"""

from __future__ import annotations

from weft_lab.analysis_types import (
    BreakEven,
    CellSummary,
    Confidence,
    CounterValue,
    Decision,
    Ratio,
    Status,
    ThreadsWithEfficiency,
)
from weft_lab.comparing import noise_floor, speedup
from weft_lab.decisions import decide
from weft_lab.scaling import break_even, flag_implausible, threads_with_efficiency
from weft_lab.summaries import summarise

__all__ = [
    "BreakEven",
    "CellSummary",
    "Confidence",
    "CounterValue",
    "Decision",
    "Ratio",
    "Status",
    "ThreadsWithEfficiency",
    "break_even",
    "decide",
    "flag_implausible",
    "noise_floor",
    "speedup",
    "summarise",
    "threads_with_efficiency",
]

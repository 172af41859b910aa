# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The changes since the previous run on the same machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft_lab.pages import formats
from weft_lab.pages.table import Table, columns
from weft_lab.statistics.analysis_types import Ratio
from weft_lab.statistics.estimates import (
    Launches,
    Verdict,
    benjamini_hochberg,
    bootstrap_ratio,
    verdict,
)

ROWS_MAX = 12


@dataclass(frozen=True)
class Changed:
    """`since`: the previous run; `table`: the cells that became faster or slower."""

    since: str
    lines: tuple[str, ...]
    table: Table


@dataclass(frozen=True)
class Shift:
    """One time of both runs. `ratio`: the later over the earlier. Units: seconds."""

    what: str
    before_s: float
    now_s: float
    ratio: Ratio
    verdict: Verdict


def shifts_of(
    before: Mapping[str, Launches], now: Mapping[str, Launches], threshold: float
) -> list[Shift]:
    """The changes of cells that both runs timed. At most one in twenty of the verdicts is false
    (Benjamini and Hochberg)."""
    both = [name for name in now if name in before]
    found = [bootstrap_ratio(before[name], now[name]) for name in both]
    believed = benjamini_hochberg([each.p_value(threshold) for each in found]) if found else []
    return [
        Shift(
            name,
            _middle(before[name]),
            _middle(now[name]),
            Ratio(each.value, each.low, each.high),
            verdict(each.low, each.high, threshold) if is_believed else "cannot tell",
        )
        for name, each, is_believed in zip(both, found, believed, strict=True)
    ]


def changed(since: str, shifts: Sequence[Shift], threshold: float) -> Changed | None:
    """None if the runs have no timed cell in common."""
    if not shifts:
        return None
    told = sorted(
        (each for each in shifts if each.verdict != "cannot tell"),
        key=lambda each: -max(each.ratio.value, 1 / each.ratio.value),
    )
    slower = sum(each.verdict == "slower" for each in told)
    limit = formats.percent(threshold)
    rest = len(shifts) - len(told)
    line = (
        f"Of {len(shifts)} times {slower} became longer and {len(told) - slower} shorter by more "
        f"than {limit}; {rest} show no significant difference."
    )
    rows = [
        (each.what, each.before_s, each.now_s, each.ratio.value, each.ratio.low, each.ratio.high)
        for each in told[:ROWS_MAX]
    ]
    table = Table(
        "changed",
        f"The largest changes since {since}",
        columns(
            ("what", "what"),
            ("before", "before_s", formats.seconds),
            ("now", "now_s", formats.seconds),
            ("now / before", "ratio", formats.ratio),
            ("from", "ratio_low", formats.ratio),
            ("to", "ratio_high", formats.ratio),
        ),
        tuple(rows),
    )
    return Changed(since, (line,), table)


def _middle(launches: Launches) -> float:
    every = sorted(sorted(samples)[len(samples) // 2] for samples in launches)
    return every[len(every) // 2]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first screen: decisions as the page shows them, each with a small interval plot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weft_lab.pages import formats, theme
from weft_lab.pages.tables import decisions_in_order
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import Decision, Ratio

MARKS = {"sure": "●", "likely": "◐", "cannot tell": "○"}
CONFIDENCE_LEGEND = (
    "One rule, from 95 % intervals alone: sequential code, unless another choice is significantly "
    "faster, by more than 3 %; of such choices, the one with the fewest threads. "
    "● sure: no other choice can be faster by more than 3 %. "
    "◐ likely: the fastest cannot, but another may be, at most twice as fast. ○ cannot tell: the "
    "fastest may be, or another may be more than twice as fast. Then "
    "nothing is recommended, and the row names the choice to stay with. Beside it: the smallest "
    "difference that these launches can detect. The small plot shows the speed-up and its interval "
    "over the whole band on a log scale; the dashed line is 1 ×, as fast as sequential code."
)
FOREST_WIDTH, FOREST_HEIGHT = 144, 12


@dataclass(frozen=True)
class DecisionRow:
    """One line of the first screen, as text."""

    case: str
    is_first: bool
    band: str
    name: str
    color: str
    threads: int
    speedup: str
    interval: str
    forest: str
    level: str
    mark: str
    confidence: str
    detectable: str
    ties: tuple[str, ...]
    reason: str


def decision_rows(view: RunView) -> list[DecisionRow]:
    """Rows in order; `is_first` starts a new algorithm."""
    decisions = decisions_in_order(view)
    scale = _scale([d.speedup for d in decisions if d.speedup])
    rows: list[DecisionRow] = []
    for decision in decisions:
        case = view.case_name(decision.label, decision.type)
        rows.append(_row(view, decision, scale, is_first=not rows or rows[-1].case != case))
    return rows


def _row(view: RunView, d: Decision, scale: tuple[float, float], *, is_first: bool) -> DecisionRow:
    ratio = d.speedup
    is_baseline = d.backend == "seq"
    return DecisionRow(
        case=view.case_name(d.label, d.type),
        is_first=is_first,
        band=view.words.band(d.size_low, d.size_high),
        name=view.name(d.variant),
        color=theme.color(d.backend),
        threads=d.threads,
        speedup="baseline"
        if is_baseline
        else formats.ratio(ratio.value)
        if ratio
        else "no baseline",
        interval=formats.ratio_interval(ratio.low, ratio.high)
        if ratio and ratio.low and not is_baseline
        else "",
        forest=_forest(ratio, scale) if ratio and not is_baseline else "",
        level=d.confidence.replace(" ", "-"),
        mark=MARKS[d.confidence],
        confidence=d.confidence,
        detectable="" if d.detectable is None else formats.percent(d.detectable),
        ties=tuple(view.name(variant) for variant in d.tied_variants),
        reason=d.reason,
    )


def is_shown_faster(d: Decision) -> bool:
    """Whether it is advised, parallel, and faster than seq by its whole interval."""
    is_parallel = d.backend != "seq" and d.threads > 1 and d.confidence != "cannot tell"
    return is_parallel and d.speedup is not None and d.speedup.low is not None and d.speedup.low > 1


def _scale(ratios: Sequence[Ratio]) -> tuple[float, float]:
    """Logarithms of the plot's ends: wide enough for every speed-up, not every interval."""
    values = [ratio.value for ratio in ratios if ratio.value > 0]
    return math.log(min([*values, 1.0]) / 1.6), math.log(max([*values, 1.0]) * 1.6)


def _forest(ratio: Ratio, scale: tuple[float, float]) -> str:
    low, high = scale

    def x(value: float) -> float:
        place = 3 + (FOREST_WIDTH - 6) * (math.log(value) - low) / (high - low)
        return round(min(max(place, 0.0), float(FOREST_WIDTH)), 1)

    middle = FOREST_HEIGHT / 2
    span = ""
    if ratio.low and ratio.high and ratio.low > 0:
        ends = f'x1="{x(ratio.low)}" x2="{x(ratio.high)}"'
        span = f'<line class="span" {ends} y1="{middle}" y2="{middle}"/>'
    return (
        f'<svg class="forest" viewBox="0 0 {FOREST_WIDTH} {FOREST_HEIGHT}" aria-hidden="true">'
        f'<line class="axis" x1="0" x2="{FOREST_WIDTH}" y1="{middle}" y2="{middle}"/>'
        f'<line class="one" x1="{x(1.0)}" x2="{x(1.0)}" y1="0" y2="{FOREST_HEIGHT}"/>'
        f'{span}<circle class="point" cx="{x(ratio.value)}" cy="{middle}" r="3"/></svg>'
    )

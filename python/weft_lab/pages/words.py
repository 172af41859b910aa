# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The words of the suites for the same things: the measured item, its size, its baseline."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass

from weft_lab.pages import formats
from weft_lab.storage.checkout import DEFAULT_SUITE, SUITES


@dataclass(frozen=True)
class Words:
    """`case`: the item that each problem has one of. `size`: the heading over sizes. `sized`: a
    size within a sentence. `baseline`: the name of the program that is not parallel. `code`: other
    code that may be faster than the baseline. `has_papers`: tables and figures of a paper are
    reproduced. `question`: the question that its page answers."""

    case: str
    size: str
    size_axis: str
    sized: str
    baseline: str
    show_size: Callable[[int | None], str] = formats.number
    code: str = "program"
    has_papers: bool = True
    question: str = "What should I use here?"

    def size_text(self, size: int) -> str:
        """`2²⁰ elements`, `n = 27`."""
        return self.sized.format(self.show_size(size))

    def band(self, low: int, high: int) -> str:
        """`2³ … 2⁹`, or one size."""
        low_text, high_text = self.show_size(low), self.show_size(high)
        return low_text if low == high else f"{low_text} … {high_text}"

    def band_text(self, low: int, high: int) -> str:
        """`2³ … 2⁹ elements`, `n = 27 … 32`."""
        return self.sized.format(self.band(low, high))


# The words of a suite without its own.
PROBLEMS = Words(
    "problem", "n", "n of the problem", "n = {}", "plain calls", formats.number, has_papers=False
)


def words_of(suites: set[str]) -> Words:
    """For a run of these suites: `WORDS` of `suites/<name>/words.py`."""
    name = suite_of(suites)
    if name not in SUITES:
        return PROBLEMS
    words: Words = importlib.import_module(f"weft_lab.suites.{name}.words").WORDS
    return words


def suite_of(suites: set[str]) -> str:
    """The suite as which a run of these suites is shown; empty if there is none."""
    if len(suites) == 1:
        return next(iter(suites))
    return DEFAULT_SUITE if not suites or DEFAULT_SUITE in suites else ""

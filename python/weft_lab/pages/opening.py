# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The first screen of a page: a question, the answer in a few sentences, and its figure."""

from __future__ import annotations

from dataclasses import dataclass

from weft_lab.pages.charts.figure import Figure

# The limit for everything above the first figure, with its caption.
WORDS_MAX = 120


@dataclass(frozen=True)
class Opening:
    """The first screen of a suite's page.

    `answer`: sentences, the most useful one first. `case`: the word for the items that the figures
    can switch between.
    """

    question: str
    answer: tuple[str, ...]
    figures: tuple[Figure, ...] = ()
    case: str = "shape"

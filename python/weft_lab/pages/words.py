# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suites call the same thing: what is measured, how large it is, what it is against."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from weft_lab.pages import formats
from weft_lab.storage.checkout import INPUT_CLASSES


@dataclass(frozen=True)
class Words:
    """`case`: what there is one of per problem. `size`: the heading over sizes. `sized`: a size
    within a sentence. `baseline`: what is not parallel.
    """

    case: str
    size: str
    size_axis: str
    sized: str
    baseline: str
    show_size: Callable[[int | None], str]

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


ALGORITHMS = Words(
    "algorithm",
    "elements",
    "problem size n, elements",
    "{} elements",
    "sequential code",
    formats.size,
)
# Sizes are the problems' own: the n of fib, milliseconds of idle, elements of sort.
TASKS = Words(
    "problem",
    "n",
    "n of the problem",
    "n = {}",
    "plain calls",
    formats.number,
)


def input_class(size: int | None) -> str:
    """The class of inputs that a size of the suite Inncabs stands for."""
    return formats.UNKNOWN if size is None else INPUT_CLASSES.get(size, str(size))


INNCABS = Words(
    "benchmark",
    "input",
    "class of the input",
    "{} input",
    "plain calls",
    input_class,
)

# Sizes are terms of the series, or calls of an API.
APPROACHES = Words(
    "problem",
    "n",
    "n of the problem",
    "n = {}",
    "a plain loop",
    formats.number,
)


def words_of(suites: set[str]) -> Words:
    """For a run of these suites."""
    if suites == {"inncabs"}:
        return INNCABS
    if suites == {"approaches"}:
        return APPROACHES
    return TASKS if suites and "stl" not in suites else ALGORITHMS

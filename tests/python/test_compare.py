# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`compare`: silent on two runs of the same tree, loud on an injected change of 10 %.

The noise is what real runs show: most cells repeat within 1-2 % between launches, some within 5 %,
a few launches are slowed by something else, samples within a launch agree better than launches do.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from weft_lab.analysis import noise_floor, summarise
from weft_lab.comparing import compare_runs
from weft_lab.statistics import practical_threshold

CELLS = 60
LAUNCHES = 5


def synthetic_run(generator: random.Random, slowdown: float = 1.0) -> list[dict[str, Any]]:
    """A run with `CELLS` cells on seq, its control and gnu; gnu is slowed down."""
    records: list[dict[str, Any]] = []
    for number in range(CELLS):
        spread = 0.05 if number % 6 == 0 else 0.015
        time_s = 1e-6 * 1.5**number
        for variant in ("seq@gcc", "seq@gcc#control", "gnu@gcc"):
            factor = slowdown if variant == "gnu@gcc" else 1.0
            records += launches(generator, variant, number, time_s * factor, spread)
    return records


def launches(
    generator: random.Random, variant: str, number: int, time_s: float, spread: float
) -> list[dict[str, Any]]:
    cell = {"problem": "sort", "size": 8 + number, "threads": 1}
    records = []
    for launch in range(LAUNCHES):
        disturbed = 1.0 + 0.3 * (generator.random() < 0.02)
        launch_s = time_s * disturbed * generator.lognormvariate(0.0, spread)
        samples_s = [launch_s * (1.0 + generator.expovariate(1 / 0.01)) for _ in range(10)]
        records.append(
            {
                "record": "result",
                "variant": variant,
                "suite": "stl",
                "cell": cell,
                "status": "ok",
                "launch": launch,
                "samples_s": samples_s,
            }
        )
    return records


def verdicts(a: list[dict[str, Any]], b: list[dict[str, Any]]) -> list[tuple[str, str]]:
    before, after = summarise(a), summarise(b)
    threshold = practical_threshold(noise_floor(before), noise_floor(after))
    return [(row.variant, row.verdict) for row in compare_runs(before, after, threshold)]


@pytest.mark.parametrize("repetition", range(20))
def test_two_runs_of_the_same_tree_give_no_verdict(repetition: int) -> None:
    generator = random.Random(repetition)

    found = verdicts(synthetic_run(generator), synthetic_run(generator))

    assert len(found) == 2 * CELLS
    assert {verdict for _, verdict in found} == {"cannot tell"}


@pytest.mark.parametrize(("slowdown", "expected"), [(1.1, "slower"), (1 / 1.1, "faster")])
@pytest.mark.parametrize("repetition", range(5))
def test_a_change_of_10_percent_is_found_where_it_is_and_nowhere_else(
    repetition: int, slowdown: float, expected: str
) -> None:
    generator = random.Random(100 + repetition)

    found = verdicts(synthetic_run(generator), synthetic_run(generator, slowdown))

    told = [(variant, verdict) for variant, verdict in found if verdict != "cannot tell"]
    assert set(told) == {("gnu@gcc", expected)}

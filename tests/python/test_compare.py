# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`compare`: silent on two runs of the same tree, loud on an injected change of 10 %.

The noise is what real runs show: most cells repeat within 1-2 % between launches, some within 5 %,
a few launches are slowed by something else, samples within a launch agree better than launches do.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
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
        records.append({
            "record": "result", "variant": variant, "suite": "stl", "cell": cell, "status": "ok",
            "launch": launch, "samples_s": samples_s,
        })  # fmt: skip
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


def test_compare_ends_with_1_on_a_regression_and_prints_json(weft: Any) -> None:
    chosen = ["--only", "steady", "--size", "2^16,2^20", "--rounds", "8", "--budget", "30s"]
    before, after = (
        Path(weft.run(*chosen, FAKE_SLOWDOWN=factor).stdout.strip()) for factor in ("1", "1.5")
    )

    worse = weft.call("compare", str(before), str(after), "--json")
    better = weft.call("compare", str(after), str(before))

    assert worse.returncode == 1, worse.stderr
    cells = json.loads(worse.stdout)["cells"]
    assert {cell["verdict"] for cell in cells} == {"slower"}
    assert "became slower" in worse.stderr
    assert better.returncode == 0
    assert "faster" in better.stdout


def test_runs_without_a_common_cell_cannot_be_compared(weft: Any) -> None:
    paths = [
        weft.run(
            "--only", "steady", "--size", size, "--rounds", "1", "--budget", "30s"
        ).stdout.strip()
        for size in ("64", "128")
    ]

    done = weft.call("compare", *paths)

    assert done.returncode == 2
    assert "no timed cell in common" in done.stderr


def test_compare_goes_on_past_a_corrupt_line_and_names_it(weft: Any) -> None:
    path = weft.run(
        "--only", "steady", "--size", "64", "--rounds", "2", "--budget", "30s"
    ).stdout.strip()
    samples = Path(path) / "samples.jsonl"
    lines = samples.read_text(encoding="utf-8").splitlines(keepends=True)
    lines[4] = lines[4][:40] + "\n"
    samples.write_text("".join(lines), encoding="utf-8")

    done = weft.call("compare", path, path)

    assert done.returncode == 0
    assert "line 5 is left out" in done.stderr.replace("\n", " ")

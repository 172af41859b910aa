# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How near a kernel comes to the machine's roofs: which roof, what share, and what is told."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from weft_lab.advice.decisions import decide
from weft_lab.checks.bench_power import noisy, summary
from weft_lab.measuring.bandwidth import operation_rates
from weft_lab.pages.view import RunView
from weft_lab.suites.bench import charts
from weft_lab.suites.bench.asked import Asked, Contestant
from weft_lab.suites.bench.results import BYTES_RATE, OPERATIONS_RATE, BenchRun, Estimate, Row
from weft_lab.suites.bench.roofline import (
    positions,
    roofline_table,
    roofline_text,
    roofs_of,
)

SIZE = 1 << 24
MANIFEST: dict[str, Any] = {
    "machine": {"last_level_cache_bytes": 1 << 20},
    "bandwidth": [
        {"problem": "read", "threads": 1, "bytes_per_s": 10e9},
        {"problem": "triad", "threads": 1, "bytes_per_s": 8e9},
        {"problem": "triad", "threads": 2, "bytes_per_s": 16e9},
    ],
    "operation_rates": [
        {"threads": 1, "operations_per_s": 20e9},
        {"threads": 2, "operations_per_s": 40e9},
    ],
}


def run_of(
    bytes_per_element: float,
    operations_per_element: float,
    s_per_element: float,
    manifest: dict[str, Any] | None = None,
) -> BenchRun:
    """A kernel of one backend with two threads."""
    asked = Asked((Contestant("weft", ("k.cpp",)),), (2,), (("n", (str(SIZE),)),), kernel="k.cpp")
    ((cell, _),) = asked.cells()
    time_s = s_per_element * SIZE
    rates = {BYTES_RATE: bytes_per_element, OPERATIONS_RATE: operations_per_element}
    metrics = {
        name: Estimate(value, 0.9 * value, 1.1 * value)
        for name, each in rates.items()
        if (value := 1e-9 * each / s_per_element)
    }
    row = Row("weft", summary("weft", cell, noisy(time_s, 1, 20)), {}, metrics, 0, "")
    view = RunView(Path(), MANIFEST if manifest is None else manifest, (row.summary,))
    return BenchRun(view, asked, (row,), None, None)


def test_roofs_are_the_most_that_the_probe_reached_by_threads() -> None:
    one, two = roofs_of(MANIFEST)

    assert (one.threads, one.bytes_per_s, one.operations_per_s) == (1, 10e9, 20e9)
    assert (two.threads, two.bytes_per_s, two.operations_per_s) == (2, 16e9, 40e9)
    assert two.attainable(1.0) == 16e9
    assert two.attainable(100.0) == 40e9
    assert roofs_of({}) == ()


@pytest.mark.parametrize(
    ("kernel", "limit", "share", "told"),
    [
        (
            (16, 2, 2e-9), "memory-bound", 0.5,
            "weft with 2 threads moves 8.00 GB/s, 50 % of the 16.0 GB/s that memory gives "
            "2 threads: memory-bound at 0.125 operations per byte.",
        ),
        (
            (8, 80, 8e-9), "compute-bound", 0.25,
            "weft with 2 threads does 10.0 Gop/s, 25 % of the 40.0 Gop/s of multiply-adds on "
            "2 threads: compute-bound at 10.0 operations per byte.",
        ),
        ((16, 0, 2e-9), "", 0.5, "50 % of the 16.0 GB/s that memory gives 2 threads."),
    ],
)  # fmt: skip
def test_the_lower_roof_is_the_one_that_counts(
    kernel: tuple[float, float, float], limit: str, share: float, told: str
) -> None:
    run = run_of(*kernel)

    found = positions(run)

    assert [each.limit for each in found] == [limit]
    assert found[0].share.value == pytest.approx(share)
    assert found[0].share.low == pytest.approx(0.9 * share)
    assert roofline_text(run, found).startswith(f"Roofline: at n = {SIZE} weft")
    assert roofline_text(run, found).endswith(told)
    table = roofline_table(run, found)
    (row,) = table.rows
    shown = dict(zip((column.key for column in table.columns), row, strict=True))
    assert shown["share"] == pytest.approx(share)
    assert ("bound" in shown) == bool(limit)
    figure = charts.below_roofs(run, table, found, "./weft bench k.cpp")
    assert (figure is None) == (not limit)


def test_data_that_caches_hold_are_below_no_roof_of_memory() -> None:
    manifest = {**MANIFEST, "machine": {"last_level_cache_bytes": 1 << 30}}
    run = run_of(16, 2, 0.25e-9, manifest)

    text = roofline_text(run, positions(run))

    assert "64.0 GB/s; its data may stay in the caches (1024.00 MiB)" in text
    assert "400 %" not in text
    assert text.endswith("A larger n tells.")


def test_what_is_told_is_of_the_choice() -> None:
    run, slower = run_of(16, 2, 2e-9), run_of(16, 2, 2.1e-9)
    (row,), (other,) = run.rows, slower.rows
    other = replace(other, name="b", summary=replace(other.summary, backend="b"))
    (decision,) = decide((other.summary,))
    view = replace(run.view, summaries=(row.summary, other.summary), decisions=(decision,))
    run = replace(run, view=view, rows=(row, other))

    text = roofline_text(run, positions(run))

    assert f"at n = {SIZE} b with 2 threads" in text


def test_without_bytes_or_a_probe_nothing_is_told() -> None:
    for run in (
        run_of(0, 2, 1e-9),
        run_of(16, 2, 1e-9, {"machine": {"last_level_cache_bytes": 1}}),
    ):
        assert positions(run) == []
        assert roofline_text(run, []) == ""
        assert roofline_table(run, []).rows == ()


def test_more_threads_than_the_probe_had_have_no_roof() -> None:
    run = run_of(16, 2, 1e-9)
    narrow = {**MANIFEST, "bandwidth": MANIFEST["bandwidth"][:2]}

    assert positions(replace(run, view=replace(run.view, manifest=narrow))) == []


def test_operations_of_the_probe_are_medians_of_launches_by_threads() -> None:
    records: list[dict[str, Any]] = [
        {
            "record": "result",
            "suite": "machine",
            "status": "ok",
            "cell": {"problem": problem, "threads": 2, "size": 1 << 25},
            "operations": 100.0,
            "samples_s": [1.0 / rate],
        }
        for problem, rate in (("multiply_add", 2), ("multiply_add", 4), ("multiply_add", 9),
                              ("triad", 50))
    ]  # fmt: skip

    assert operation_rates(records) == [{"threads": 2, "operations_per_s": pytest.approx(400.0)}]


def test_names_that_share_a_colour_differ_in_shape() -> None:
    names = tuple(f"p{n}" for n in range(24))
    axis = charts.alt.X("x:Q"), charts.alt.Y("value:Q")

    chart = charts._lines(charts._Lines("data", *axis, names, "tip:N"))

    points = chart.to_dict()["layer"][-1]["encoding"]
    looks = zip(points["color"]["scale"]["range"], points["shape"]["scale"]["range"], strict=True)
    assert len(set(looks)) == len(names)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The headline: parallel code gets credit for what threads gain, never for a better algorithm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from weft_lab.advice.decisions import decide
from weft_lab.pages.lead import confidence_text, extent_text, lead_text
from weft_lab.pages.view import RunView
from weft_lab.statistics.summaries import summarise

Records = Callable[..., list[dict[str, Any]]]


def view_of(records: list[dict[str, Any]]) -> RunView:
    summaries = summarise(records)
    manifest = {"measured_s": 120.0}
    return RunView(
        Path("/r/run"), manifest, tuple(summaries), tuple(decide(summaries, 0.03)), threshold=0.03
    )


def test_a_radix_sort_on_one_thread_is_not_parallel_speed(records_of: Records) -> None:
    records = (
        records_of("seq@gcc", 12e-3)
        + records_of("thrust_omp@gcc", 1.0e-3)
        + records_of("thrust_omp@gcc", 1.2e-3, threads=2)
    )

    text = lead_text(view_of(records))

    assert "Parallel code was not significantly faster for any of 1 algorithms" in text
    assert "A better algorithm on one thread pays for 1: up to 12." in text


def test_threads_are_credited_with_what_they_add(records_of: Records) -> None:
    records = (
        records_of("seq@gcc", 12e-3)
        + records_of("thrust_omp@gcc", 1.0e-3)
        + records_of("thrust_omp@gcc", 0.5e-3, threads=2)
    )

    text = lead_text(view_of(records))

    assert "pays for 1 of 1 algorithms: up to " in text
    factor = float(text.partition("up to ")[2].split()[0])
    assert 1.9 < factor < 2.1, "over the best code on one thread, not 24 over seq"


def test_one_launch_shows_no_gain_and_the_page_says_how_to_be_surer(records_of: Records) -> None:
    records = records_of("seq@gcc", 2e-3, launches=1) + records_of(
        "gnu@gcc", 1e-3, launches=1, threads=2
    )

    view = view_of(records)

    assert lead_text(view).startswith("No choice was significantly faster")
    assert "after 1 launch of each cell" in confidence_text(view)
    assert "./weft resume /r/run --budget 10m" in confidence_text(view)


def test_nothing_is_said_of_confidence_when_all_are_sure(records_of: Records) -> None:
    records = records_of("seq@gcc", 2e-3) + records_of("gnu@gcc", 1e-3, threads=2)

    assert confidence_text(view_of(records)) == ""


def test_the_headline_says_how_far_a_run_came_and_one_remedy(records_of: Records) -> None:
    records = records_of("seq@gcc", 2e-3, size=1 << 14) + records_of("gnu@gcc", 1e-3, size=1 << 14)
    dropped = {"code": "budget", "label": "sort", "type": "double", "size": 1 << 20, "count": 7}
    elsewhere = {**dropped, "code": "not_offered"}
    whole = view_of(records)
    short = replace(whole, skipped=(dropped,), manifest={"measured_s": 120.0, "needed_s": 1500.0})

    assert extent_text(whole) == ""
    assert extent_text(replace(whole, skipped=(elsewhere,))) == ""
    text = extent_text(short)
    assert "sort was measured to 2¹⁴ elements of 2²⁰ elements" in text
    assert "./weft resume /r/run --budget 25m" in text

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The simulated scheduler's table, figure and validation; records are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from weft_lab.checks import scheduler_growth
from weft_lab.checks.line_growth import growth_of
from weft_lab.checks.scheduler_growth import Run, draw, figure, simulated, table, validation

WORKERS = (2, 4, 8, 16, 32, 64)

MODEL = Path("weft_scheduler_model")


def known(_: Path, *arguments: str) -> dict[str, Any]:
    """Returns a record as the program prints it.

    Two workers take half as long as one, and an eighth longer than that in a real run. A search
    visits every worker or four, a steal six lines; nothing parks.
    """
    given = dict(zip(arguments[::2], arguments[1::2], strict=True))
    workers = int(given["--workers"]) if "--workers" in given else 1
    late = 125_000 if "--real" in given and workers > 1 else 0
    searched = 4 if "--fan-out" in given else workers
    return {
        "bodies_ns": 1_000_000,
        "time_ns": (1_000_000 + late) // workers,
        "tasks": 10,
        "wake_steps": workers - 1,
        "longest_list": 3,
        "operations": {
            "failed_search": {"number": 2, "visited": 2 * searched},
            "steal": {"number": 5, "visited": 30},
            "park": {"number": 0, "visited": 0},
        },
    }


@pytest.fixture(autouse=True)
def _known_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduler_growth, "output_of", known)


def visited(runs: list[Run], rules: str, operation: str) -> dict[int, float]:
    chosen = [run for run in runs if run.rules == rules and run.program == "tree"]
    return {run.workers: value for run in chosen if (value := run.visited(operation)) is not None}


def test_an_operation_that_visits_all_workers_is_found() -> None:
    runs = simulated(MODEL, WORKERS)

    assert growth_of(visited(runs, "as it is", "failed_search")).value(256) == pytest.approx(256.0)
    assert growth_of(visited(runs, "proposed", "failed_search")).value(256) == pytest.approx(4.0)
    assert growth_of(visited(runs, "as it is", "steal")).value(256) == pytest.approx(6.0)


def test_the_table_shows_speed_ups_and_what_did_not_occur() -> None:
    shown = table(simulated(MODEL, (1, 2, 4)), (1, 2, 4)).splitlines()

    speedups = next(line for line in shown if line.startswith("speed-up of tree, as it is"))
    assert speedups.split()[6:9] == ["1.0", "2.0", "4.0"]
    assert any(line.startswith("lines per park") and " - " in line for line in shown)


def test_the_figure_has_a_point_for_each_run_with_a_speed_up(tmp_path: Path) -> None:
    runs = simulated(MODEL, (1, 2))
    values = figure(runs)["layer"][1]["data"]["values"]

    assert {row["program"] for row in values} == {"tree", "uts", "loop"}
    assert json.dumps(values[0]) == json.dumps(
        {"program": "tree", "rules": "as it is", "workers": 1, "speedup": 1.0}
    )
    draw(runs, tmp_path / "f.svg")
    assert "Simulated, not measured" in (tmp_path / "f.svg").read_text(encoding="utf-8")


def test_the_validation_shows_how_far_real_runs_deviate() -> None:
    rows = [line for line in validation(MODEL).splitlines() if line.startswith("searching")]

    assert all(line.endswith("12.5%") for line in rows)
    assert len(rows) == 6

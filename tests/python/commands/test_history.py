# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verb `history` on folders of many days: order, sentences, page, and folders that are none."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from history_runs import DAY_S, START_S, write_run
from weft_here import call_here
from weft_lab.advice import history
from weft_lab.errors import UsageError
from weft_lab.pages.history import sentences, step_text
from weft_lab.statistics.change_points import Step

DAYS = 12


def launches(time_s: float, seed: int) -> list[float]:
    generator = np.random.default_rng(seed)
    return [float(time_s * np.exp(0.01 * x)) for x in generator.standard_normal(20)]


def days(results: Path, change: float, *, at: int = 7, commits: bool = True) -> list[Path]:
    """Runs of two programs, of which `sim` takes `change` longer from day `at` on."""
    return [
        write_run(
            results,
            day,
            {
                "sim": launches(1.0 + (change if day >= at else 0.0), day),
                "other": launches(2.0, 100 + day),
            },
            commit=f"{day:02d}" + 38 * "c" if commits else "",
        )
        for day in range(DAYS)
    ]


def quiet(_: str) -> None:
    pass


def test_a_planted_step_is_told_with_its_commit_and_interval(tmp_path: Path) -> None:
    paths = days(tmp_path, 0.1)

    found = history.histories(history.load(paths[::-1], quiet))

    assert found.is_by_commit
    assert [each.name for each in found.members] == ["sim", "other"]
    (step,) = found.members[0].steps
    assert step.at == 7
    assert step.low < 1.1 < step.high
    assert found.members[1].steps == ()
    (line,) = sentences(found)
    assert line.startswith("sim: slower by ")
    assert line.endswith("since 07ccccccc (2026-01-08).")


def test_days_without_a_change_give_no_alarm(tmp_path: Path) -> None:
    found = history.histories(history.load(days(tmp_path, 0.0, commits=False), quiet))

    assert not found.is_by_commit
    assert sentences(found) == (
        "No change of more than 3 % is significant in any of 2 benchmarks over 12 runs.",
    )


def test_runs_are_ordered_by_commit_even_when_old_commits_are_measured_last(tmp_path: Path) -> None:
    for day, commit in enumerate(("c", "a", "b")):
        made_s = START_S + DAY_S * "abc".index(commit)
        source = {"commit": commit * 40, "commit_unix_s": made_s}
        write_run(tmp_path, day, {"sim": launches(1.0, day)}, source=source)

    found = history.histories(history.load(list(tmp_path.iterdir()), quiet))

    assert [visit.name[0] for visit in found.visits] == ["a", "b", "c"]


def test_a_change_that_only_the_newest_run_shows_is_not_confirmed(tmp_path: Path) -> None:
    found = history.histories(history.load(days(tmp_path, 0.3, at=DAYS - 1), quiet))

    lines = sentences(found)

    assert "No change of more than 3 %" in lines[0]
    assert lines[1].startswith("Not confirmed: in the newest run sim is slower by ")


def test_machines_suites_and_disturbed_times_are_kept_apart(tmp_path: Path) -> None:
    for day in range(6):
        host = {"host": f"host{day % 2}"}
        waited = 0.5 if day == 5 else 0.0
        write_run(
            *(tmp_path, day, {"seq": launches(1.0 + day % 2, day)}),
            suite="stl", machine=host, waited=waited,
        )  # fmt: skip

    found = history.histories(history.load(list(tmp_path.iterdir()), quiet))

    assert sorted((each.name, len(each.times)) for each in found.members) == [
        ("seq sort on host0", 3),
        ("seq sort on host1", 2),
    ]
    assert found.num_disturbed == 1
    assert "1 times were left out" in " ".join(sentences(found))


def test_runs_that_were_all_disturbed_say_so(tmp_path: Path) -> None:
    for day in range(3):
        write_run(tmp_path, day, {"seq": launches(1.0, day)}, suite="stl", waited=0.5)

    found = history.histories(history.load(list(tmp_path.iterdir()), quiet))

    assert found.members == ()
    assert sentences(found) == (
        "No benchmark was timed by two of these runs on the same machine.",
        "3 times were left out: other programs took the CPUs meanwhile. "
        "Measure while nothing else runs.",
    )


@pytest.mark.parametrize(
    ("built", "expected"), [("abc123", "abc123"), ("ffff", "fffffffff"), (None, "fffffffff")]
)
def test_programs_older_than_the_checkout_are_named_by_their_own_commit(
    tmp_path: Path, built: str | None, expected: str
) -> None:
    programs = {"seq@gcc": {"toolchain": "gcc", "flags": "", "git_commit": built}}
    for day in range(2):
        write_run(
            *(tmp_path, day, {"seq": launches(1.0, day)}),
            suite="stl", commit="f" * 40, programs=programs,
        )  # fmt: skip

    found = history.histories(history.load(list(tmp_path.iterdir()), quiet))

    assert {visit.name for visit in found.visits} == {expected}
    assert found.is_by_commit == (expected != built)


def test_a_name_that_stands_for_two_commands_is_doubted(tmp_path: Path) -> None:
    for day, command in enumerate(("./a 1", "./a 2")):
        programs = {"a@command": {"toolchain": "command", "flags": command}}
        write_run(tmp_path, day, {"a": launches(1.0, day)}, programs=programs)

    found = history.histories(history.load(list(tmp_path.iterdir()), quiet))

    assert found.doubts == ("'a' stands for 2 different commands in these runs.",)


def test_what_is_no_run_is_left_out_and_one_run_is_no_history(tmp_path: Path) -> None:
    told: list[str] = []
    one = write_run(tmp_path, 0, {"sim": launches(1.0, 0)})
    (tmp_path / "other").mkdir()
    (tmp_path / "latest").symlink_to(one.name)
    broken = write_run(tmp_path, 1, {"sim": [1.0]}, started_unix_s="soon")

    with pytest.raises(UsageError, match="at least 2 runs are needed: 4 paths name 1"):
        history.load([one, tmp_path / "other", tmp_path / "latest", broken], told.append)

    assert len(told) == 2
    assert all(text.startswith("left out: ") for text in told)


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (Step(1, 1.123, 1.09, 1.15), "slower by 12 % [9.0, 15]"),
        (Step(1, 0.5, 0.4, 0.6), "faster by 50 % [40, 60]"),
    ],
)
def test_a_change_is_told_in_percent_of_the_time_before(step: Step, text: str) -> None:
    assert step_text(step) == text


def test_the_verb_writes_page_tables_and_figures(tmp_path: Path) -> None:
    days(tmp_path / "results", 0.1)
    paths = [str(path) for path in sorted((tmp_path / "results").iterdir())]

    done = call_here("history", "--output", "out", *paths, cwd=tmp_path)

    assert done.returncode == 0, done.stderr
    assert "sim: slower by" in done.stdout
    out = tmp_path / "out"
    page = (out / "history.html").read_text(encoding="utf-8")
    assert "sim: slower by" in page
    assert "<label>Benchmark <select" in page
    with (out / "tables" / "history.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 2 * DAYS
    assert {row["commit"] for row in rows if row["benchmark"] == "sim"} >= {"07ccccccc"}
    assert (out / "figures" / "history.svg").stat().st_size > 0
    assert (out / "figures" / "history-sim.png").stat().st_size > 0

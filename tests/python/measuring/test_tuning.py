# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What follows from launches of weft_tune, the file that results, and `./weft tune` as a user runs
it, with a program that answers as weft_tune does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from weft_lab.cli import make_app
from weft_lab.commands import tune
from weft_lab.errors import OutputError, WeftError
from weft_lab.measuring import tuning

ORIGIN = {"processor": "P family 1", "cpus": "0-7", "weft": "0.1.0", "build": "g++ 12.2, optimised"}
MIB = 1 << 20


def one_launch(seed: int = 0, **changes: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """An answer of `weft_tune values`: four workers, of which two read as fast as all."""
    noise = 1.0 + 0.001 * seed
    sizes = {8: 1.5, 16: 1.3, 32: 0.7, 64: 0.6}  # time with non-temporal stores over plain ones
    answer = {
        "origin": ORIGIN,
        "wake_us": [*(20.0 * noise, 21.0 * noise, 22.0 * noise) * 9, 90.0],
        "timing": {
            "called_ticks": 80 + seed,
            "looped_ticks": 70,
            "grouped_ticks": 90,
            "cost_ticks": 360,
        },
        "cache_bytes": 32 * MIB,
        "reading": [
            {"workers": workers, "gb_per_s": [rate * noise, rate * noise]}
            for workers, rate in ((1, 10.0), (2, 18.0), (4, 18.3))
        ],
        "stores": dict.fromkeys(tuning.STORES, "streamed"),
        "stream_sizes": [
            {
                "bytes": mib * MIB,
                "plain_us": [100.0 * noise, 101.0],
                "streamed_us": [100.0 * ratio, 101.0 * ratio * noise],
            }
            for mib, ratio in sizes.items()
        ],
    }
    return answer | changes


LAUNCHES = [one_launch(seed) for seed in range(9)]
STARTS_US = [1800.0 + 10 * i for i in range(10)]


def found(launches: list[dict[str, Any]]) -> dict[str, str | None]:
    rows = tuning.findings(launches, STARTS_US)
    return {f"{row.section}.{row.name}": row.text for row in rows}


def test_launches_that_agree_give_every_value() -> None:
    assert found(LAUNCHES) == {
        **{f"stores.{kind}": '"streamed"' for kind in tuning.STORES},
        "stores.stream_from_bytes": str(32 * MIB),
        "workers.start_us": "1800",
        "workers.wake_us": "21",
        "workers.spin_us": "42",
        "memory.workers": "2",
        "memory.worker_gb_per_s": "10",
        "memory.cache_bytes": str(32 * MIB),
        "timing.called_ticks": "84",
        "timing.looped_ticks": "70",
        "timing.grouped_ticks": "90",
        "timing.cost_ticks": "360",
    }


@pytest.mark.parametrize(
    ("plain", "of", "expected"),
    [(9, 9, '"plain"'), (8, 9, '"plain"'), (7, 9, None), (6, 6, '"plain"'), (5, 5, None)],
)
def test_stores_are_named_only_if_launches_agree(plain: int, of: int, expected: str | None) -> None:
    launches = [
        one_launch(stores=dict.fromkeys(tuning.STORES, "plain" if i < plain else "streamed"))
        for i in range(of)
    ]

    assert found(launches)["stores.fill"] == expected


def test_a_trial_without_a_result_counts_against_both_ways() -> None:
    launches = [one_launch(stores=dict.fromkeys(tuning.STORES, "open")) for _ in range(9)]

    assert found(launches)["stores.copy"] is None


def test_non_temporal_stores_must_be_faster_at_every_larger_size() -> None:
    def with_ratios(*ratios: float) -> list[dict[str, Any]]:
        sizes = [
            {
                "bytes": (8 << i) * MIB,
                "plain_us": [100.0, 101.0],
                "streamed_us": [100.0 * ratio, 101.0 * ratio],
            }
            for i, ratio in enumerate(ratios)
        ]
        return [one_launch(stream_sizes=sizes) for _ in range(9)]

    name = "stores.stream_from_bytes"
    assert found(with_ratios(0.5, 0.5, 1.2, 0.5))[name] == str(64 * MIB)
    assert found(with_ratios(0.5, 0.5, 0.5, 0.99))[name] is None
    assert found(with_ratios(0.5, 0.5, 0.5, 0.5))[name] == str(8 * MIB)


def test_workers_that_are_only_perhaps_as_fast_do_not_count() -> None:
    noisy = [
        one_launch(
            reading=[
                {"workers": 1, "gb_per_s": [10.0, 10.1]},
                {"workers": 2, "gb_per_s": [18.0 + 3 * (i % 2), 18.0 - 3 * (i % 3)]},
                {"workers": 4, "gb_per_s": [18.3, 18.2]},
            ]
        )
        for i in range(9)
    ]

    assert found(noisy)["memory.workers"] == "4"


def test_a_wide_interval_is_no_result() -> None:
    launches = [one_launch(wake_us=[20.0 * (1 + i % 4)]) for i in range(9)]
    values = found(launches)
    assert values["workers.wake_us"] is None
    assert values["workers.spin_us"] is None

    rates = [{"workers": 1, "gb_per_s": [4.0]}, {"workers": 2, "gb_per_s": [9.0]}]
    slow = [rates[0] | {"gb_per_s": [12.0]}, rates[1]]
    values = found([one_launch(reading=slow if i % 2 else rates) for i in range(9)])
    assert [text for name, text in values.items() if name.startswith("memory.")] == [None] * 3


def test_a_profile_that_the_library_refuses_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "weft_tune"
    path.write_text('#!/bin/sh\necho \'{"problem": "line 3: wrong"}\'\n')
    path.chmod(0o755)

    with pytest.raises(WeftError, match="line 3: wrong"):
        tuning.check(path, "text")


def test_the_lab_lets_the_profile_be_chosen(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-m", "weft_lab", "list"],
        env=os.environ | {"WEFT_PROFILE": str(tmp_path / "p.toml")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_spinning_stays_within_its_limits() -> None:
    assert found([one_launch(wake_us=[2.0])] * 5)["workers.spin_us"] == "20"
    assert found([one_launch(wake_us=[5000.0])] * 5)["workers.spin_us"] == "1000"


def test_the_file_is_toml_with_its_reasons() -> None:
    launches = [
        one_launch(stores={**LAUNCHES[0]["stores"], "map": "plain" if i % 2 else "streamed"})
        for i in range(9)
    ]
    text = tuning.profile_text(tuning.findings(launches, STARTS_US), ORIGIN, "2026-01-02")

    data = tomllib.loads(text)
    assert data["format"] == 1
    assert data["origin"] == {key: ORIGIN[key] for key in ("processor", "cpus", "weft")}
    assert data["timing"]["build"] == ORIGIN["build"]
    assert data["memory"]["workers"] == 2
    assert data["stores"]["fill"] == "streamed"
    assert "map" not in data["stores"]
    assert "# map: cannot tell, 5 of 9 launches" in text
    assert 'fill = "streamed"  # 9 of 9 launches' in text


def test_the_profile_before_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "new" / "profile.toml"

    assert tuning.write("first\n", file) is None
    assert tuning.write("second\n", file) == file.with_name("profile.toml.before")
    assert file.read_text() == "second\n"
    assert file.with_name("profile.toml.before").read_text() == "first\n"
    assert len(list(file.parent.iterdir())) == 2


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    with pytest.raises(OutputError, match="cannot be written") as error:
        tuning.write("text", tmp_path / "file" / "profile.toml")
    assert "--output" in str(error.value)


def test_benefits_compare_first_calls() -> None:
    without = [{"first task": 3000.0 + i, "loop": 50.0 + 9 * (i % 2)} for i in range(10)]
    with_it = [{"first task": 1000.0 + i, "loop": 50.0 + 9 * (i % 2)} for i in range(10)]

    task, loop = tuning.benefits(without, with_it)
    assert task.verdict == "faster"
    assert task.ratio == pytest.approx(1 / 3, rel=0.01)
    assert loop.verdict == "cannot tell"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Answers as weft_tune does, and notes with which WEFT_PROFILE it was asked."""
    state = {
        "file": str(tmp_path / "home" / "profile.toml"),
        "is_there": False,
        "problem": "",
        "origin": ORIGIN,
    }
    rows = [
        {
            "name": "workers.wake_us",
            "text": None,
            "line": 0,
            "default": "30",
            "meaning": "of a wake",
        }
    ]
    answers = {
        "values": one_launch(),
        "start": {"start_us": 1800.0},
        "first-calls": {"first task": 2000.0},
        "in-force": {**state, "values": rows},
    }
    for verb, answer in answers.items():
        (tmp_path / verb).write_text(json.dumps(answer))
    path = tmp_path / "weft_tune"
    path.write_text(
        f'#!/bin/sh\necho "$1 $WEFT_PROFILE" >> {tmp_path}/asked\ncat {tmp_path}/"$1"\n'
    )
    path.chmod(0o755)
    monkeypatch.delenv("WEFT_PROFILE", raising=False)
    monkeypatch.setattr(tune, "_built", lambda _progress: path)
    monkeypatch.setattr(tune, "PAIRS", 2)
    monkeypatch.setattr(tuning, "busy_cpus", lambda _seconds: 1.5)
    return path


def test_tune_writes_the_profile_that_programs_read(program: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(make_app(), ["tune", "--budget", "5s"])

    assert done.exit_code == 0, done.output
    written = tomllib.loads((tmp_path / "home" / "profile.toml").read_text())
    assert written["workers"]["wake_us"] == 21
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked.count("values off") in range(tune.LAUNCHES_MIN, tune.LAUNCHES_MAX + 1)
    assert asked.count("first-calls off") == 2
    assert asked.count(f"first-calls {tmp_path / 'home' / 'profile.toml'}") == 2
    assert all(not line.endswith("off") for line in asked if line.startswith("start"))
    assert "memory.workers" in done.output
    assert "cannot tell" in done.output  # first calls take the same time
    assert "other programs use 1.5 processors" in done.output.replace("\n", " ")


def test_a_busy_processor_is_seen() -> None:
    with subprocess.Popen(["sh", "-c", "while :; do :; done"]) as loop:
        busy = tuning.busy_cpus(0.3)
        loop.kill()

    assert busy is not None
    assert busy > 0.2


def test_tune_says_how_another_place_is_used(program: Path, tmp_path: Path) -> None:
    place = tmp_path / "mine.toml"
    done = CliRunner().invoke(make_app(), ["tune", "--budget", "5s", "--output", str(place)])

    assert done.exit_code == 0, done.output
    assert place.is_file()
    assert f"WEFT_PROFILE={place}" in done.output.replace("\n", "")


def test_a_program_that_fails_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "weft_tune"
    path.write_text("#!/bin/sh\necho 'no memory' >&2\nexit 1\n")
    path.chmod(0o755)

    with pytest.raises(Exception, match="no memory"):
        tuning.launch(path, "values", "off")

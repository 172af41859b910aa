# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench --placement`: which CPUs the threads of a launch get."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from weft_lab.errors import UsageError
from weft_lab.suites.bench import placement
from weft_lab.suites.bench.answer import settings_text
from weft_lab.suites.bench.asking import Line, asked_of, bench
from weft_lab.suites.bench.placement import cpus_of
from weft_lab.suites.bench.results import read

USABLE = set(range(8))


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two packages of two cores of two hardware threads: CPU n and n + 4 share a core, even cores
    are of package 0.
    """
    for cpu in USABLE:
        place = tmp_path / f"cpu{cpu}" / "topology"
        place.mkdir(parents=True)
        (place / "physical_package_id").write_text(f"{cpu % 2}\n", encoding="ascii")
        (place / "thread_siblings_list").write_text(f"{cpu % 4},{cpu % 4 + 4}\n", encoding="ascii")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: USABLE)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", (0, 1, 2, 3, 4, 5, 6, 7)),
        ("cores", (0, 1, 2, 3, 4, 5, 6, 7)),
        ("close", (0, 4, 2, 6, 1, 5, 3, 7)),
        ("spread", (0, 1, 2, 3, 4, 5, 6, 7)),
        ("3,0-1", (3, 0, 1)),
    ],
)
def test_a_placement_is_an_order_of_cpus(
    machine: Path, name: str, expected: tuple[int, ...]
) -> None:
    assert cpus_of(name, (2,), machine) == expected


def test_spread_takes_packages_in_turn_where_cores_are_numbered_by_package(
    machine: Path,
) -> None:
    for cpu in USABLE:
        place = machine / f"cpu{cpu}" / "topology"
        (place / "physical_package_id").write_text(f"{cpu % 4 // 2}\n", encoding="ascii")

    assert cpus_of("spread", (2,), machine) == (0, 2, 1, 3, 4, 6, 5, 7)
    assert cpus_of("cores", (2,), machine) == (0, 1, 2, 3, 4, 5, 6, 7)
    assert cpus_of("close", (2,), machine) == (0, 4, 1, 5, 2, 6, 3, 7)


def test_without_a_word_about_threads_or_cpus_there_is_no_affinity(machine: Path) -> None:
    assert cpus_of("", (), machine) == ()
    assert cpus_of("5,1", (), machine) == (5, 1)


@pytest.mark.parametrize(
    ("name", "threads", "what"),
    [
        ("near", (1,), "'near' is neither cores, close, spread nor a list of CPUs"),
        ("close", (), "--placement close without --threads"),
        ("0,99", (1,), "CPU 99 is not usable here"),
        ("0,0", (1,), "a CPU is named twice"),
        ("3-1", (1,), "'3-1' is neither"),
        ("0-99999999999", (1,), "is neither"),
        ("0,1", (1, 4), "names 2 CPUs for 4 threads"),
    ],
)
def test_a_placement_that_cannot_be_is_refused(
    machine: Path, name: str, threads: tuple[int, ...], what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        cpus_of(name, threads, machine)


def test_what_the_kernel_does_not_tell_is_one_package_of_single_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 3, 5})

    assert [cpus_of(name, (1,), tmp_path) for name in placement.NAMES] == [(0, 3, 5)] * 3


def test_a_launch_runs_on_the_cpus_of_the_list_and_the_settings_say_so(tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    chosen: dict[str, Any] = {
        "rounds": 1,
        "budget": "30s",
        "results": tmp_path / "results",
        "placement": str(cpu),
        "expect": (f"^{cpu}$",),
    }
    script = "import os; print(*os.sched_getaffinity(0))"

    bench(Line(("python3", "-c", script), **chosen))

    run = read(tmp_path / "results" / "latest")
    assert len(run.timed) == 1
    assert f"taskset -c {cpu} python3" in settings_text(run)
    assert asked_of(Line(("true",), **chosen)).cpus == (cpu,)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of halo exchange, with a launcher that is not one: measured, judged, shown."""

from __future__ import annotations

import io
import json
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from weft_lab.errors import (
    Interrupted,
    MissingError,
    ResultFolderError,
    UsageError,
    WrongAnswerFound,
)
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.options import RunOptions, is_asked_alone
from weft_lab.pages.papers import find_item
from weft_lab.storage.store import ResultFolder
from weft_lab.suites import protocol
from weft_lab.suites.halo import building, charts, plan, tables
from weft_lab.suites.halo.findings import findings
from weft_lab.suites.halo.measure import measure
from weft_lab.suites.halo.reproduce import render_item
from weft_lab.suites.halo.results import read, shape_of
from weft_lab.suites.halo.suite import SUITE
from weft_lab.suites.halo.verdicts import UNJUDGED, compare, losers, swept

OPEN_MPI = Installation("openmpi", "4.1.4", Path("/x/mpirun"), Path("/x/mpicxx"))
HOST = plan.Host(2, 16 << 30)


def _make_fake(folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "mpi" / "bin").mkdir(parents=True)
    script = Path(__file__).parents[1] / "fake_halo.py"
    _executable(folder / "mpi" / "bin" / "mpirun", f'exec {sys.executable} {script} "$@"')
    _executable(folder / "mpi" / "bin" / "mpicxx", "exit 0")
    (folder / "tools").mkdir()
    for name in ("sh", "setpriv", "true", "env"):
        found = shutil.which(name)
        if found:
            (folder / "tools" / name).symlink_to(found)
    patch.setenv("PATH", str(folder / "tools"))
    patch.setenv("WEFT_MPI_DIR", str(folder / "mpi"))
    program = folder / "bin" / building.PROGRAM
    patch.setattr(building, "build", lambda one: program)
    patch.setattr(building, "program_of", lambda one: program)
    patch.setattr("weft_lab.suites.halo.measure.machine.cpus_usable", lambda: 2)
    patch.setattr("weft_lab.suites.halo.measure.room_here", lambda: Capacity(2, 2))
    patch.setattr("weft_lab.suites.halo.measure.machine.memory_available_bytes", lambda: 16 << 30)


def _executable(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def _measure(folder: Path, patch: pytest.MonkeyPatch, *only: str, rounds: int) -> ResultFolder:
    _make_fake(folder, patch)
    options = RunOptions("quick", suite=("halo",), only=only, rounds_max=rounds)
    options = RunOptions(**{**vars(options), "results": folder / "results"})
    return measure(options, Console(file=io.StringIO()))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> ResultFolder:
    """A run of three rounds of all that a run measures, and the figures of the paper."""
    folder = tmp_path_factory.mktemp("halo")
    with pytest.MonkeyPatch.context() as patch:
        return _measure(folder, patch, *plan.PROBLEMS, rounds=3)


def test_the_sweep_has_forty_shapes_and_each_only_once() -> None:
    shapes = plan.shapes()

    assert len(shapes) >= 40
    assert len(set(shapes)) == len(shapes)
    assert {case.dims for case in shapes} == {(2, 1, 1), (1, 2, 1), (1, 1, 2)}
    assert {case.periodic for case in shapes} == {True, False}
    assert all(case.halo <= min(case.size) for case in shapes)


def test_jobs_name_their_shapes_and_leave_out_what_a_build_lacks() -> None:
    jobs = plan.jobs(plan.TIERS["default"], [OPEN_MPI], HOST, ())
    labels = {job.label for job in jobs}

    assert {"250³ 2x1x1", "250³ 1x1x2", "64³, 16³", "sweep 2", "overlap", "weak 16"} <= labels
    weak = next(job for job in jobs if job.label == "weak 4")
    assert weak.is_functional
    assert weak.rounds == 1
    steps = next(job for job in jobs if job.problem == "steps")
    words = steps.arguments(("by_hand_rows", "weft_own_memory"))
    assert words[:3] == ("steps", "--only", "by_hand_rows,weft_own_memory")
    sweep = next(job for job in jobs if job.label == "sweep 2").arguments(plan.SWEPT)
    assert sweep.count("--next") == len(plan.shapes()) - 1
    assert "--open" in sweep


def test_figures_of_the_paper_shrink_where_memory_is_short() -> None:
    full = plan.TIERS["full"]
    figures = plan.jobs(full, [OPEN_MPI], plan.Host(2, 64 << 30), ("fig6", "fig7"))

    assert [(job.num_ranks, job.cases[0].size[0]) for job in figures] == [(16, 250), (8, 250)]
    small = plan.Host(2, 2 << 30)
    assert plan.fitting_side(250, 16, small) < 250
    for job in plan.jobs(full, [OPEN_MPI], small, ("paper", "steps", "overlap")):
        for case in job.cases:
            needed = plan.FIELD_COPIES * job.num_ranks * case.field_bytes()
            assert needed < plan.MEMORY_SHARE * small.memory_bytes, job.label
    assert not any("250" in job.label for job in plan.jobs(full, [OPEN_MPI], small, ("paper",)))


def test_what_memory_made_smaller_is_listed_with_what_it_takes() -> None:
    full = plan.TIERS["full"]
    assert plan.shrunk(plan.jobs(full, [OPEN_MPI], HOST, ()), HOST) == []
    small = plan.Host(2, 2 << 30)

    skips = plan.shrunk(plan.jobs(full, [OPEN_MPI], small, ("paper", "overlap", "fig6")), small)

    assert [(skip.code, skip.label, skip.count) for skip in skips] == [
        ("memory", "fig6", 1),
        ("memory", "overlap", 1),
        ("memory", "paper", 3),
    ]
    assert "250³ cells on each of 16 ranks do not fit the 2.0 GiB that are free" in skips[0].message
    assert f"measured with {plan.fitting_side(250, 16, small)}³" in skips[0].message
    # 16 ranks, four copies of three fields of 256³ doubles, and 30 % for the rest.
    assert skips[0].remedy.startswith("free 34.3 GiB")


def test_a_run_on_little_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_fake(tmp_path, monkeypatch)
    monkeypatch.setattr(
        "weft_lab.suites.halo.measure.machine.memory_available_bytes", lambda: 1 << 30
    )
    options = RunOptions("quick", suite=("halo",), only=("paper",), rounds_max=1)
    options = RunOptions(**{**vars(options), "results": tmp_path / "results"})

    folder = measure(options, Console(file=io.StringIO()))

    told = json.loads(folder.skipped_path.read_text(encoding="utf-8"))["skipped"]
    assert [each["label"] for each in told if each["code"] == "memory"] == ["paper"]


def test_one_rank_alone_still_has_something_to_measure() -> None:
    jobs = plan.jobs(plan.TIERS["quick"], [OPEN_MPI], plan.Host(1, 1 << 30), ())

    assert {job.label for job in jobs if not job.is_functional} == {"sweep 1", "weak 1"}


def test_the_paper_s_bytes_per_message(measured: ResultFolder) -> None:
    table = tables.bytes_table(read(measured.path))
    paper = next(row for row in table.rows if row[0] == "250³ h3 f3 2x1x1")

    assert paper[1:4] == (4_500_000, 54_000, 648)


def test_verdicts_name_the_losers_and_only_those(measured: ResultFolder) -> None:
    compared = swept(read(measured.path))

    lost = losers(compared)

    rounds = [each for each in lost if each.shape.size[0] == 4]
    assert {each.contestant for each in rounds} == set(plan.JUDGED)
    assert {each.baseline for each in rounds} == {plan.ROUNDS}
    assert {each.shape.text for each in rounds} == {"4³ h1 f1 2x1x1"}
    rows = [each for each in lost if each not in rounds]
    assert {each.baseline for each in rows} == {plan.BASELINE, plan.ROUNDS}
    for each in rows:
        assert each.contestant == "weft_own_memory"
        assert each.shape.size[2] == 16
        assert each.shape.dims == (1, 1, 2)
        assert each.speed.high is not None
        assert each.speed.high < 1.0
    faster = [each for each in compared if each.verdict == "faster"]
    assert len(faster) + len(lost) == len(compared)
    told = " ".join(findings(read(measured.path)))
    assert f"slower in {len(lost)}" in told
    assert "than by_hand_rounds on 4³ h1 f1 2x1x1" in told


def test_the_memory_s_share_of_the_speed_is_told_apart(measured: ResultFolder) -> None:
    table = tables.memory_table(read(measured.path))
    keys = [column.key for column in table.columns]
    rows = [dict(zip(keys, row, strict=True)) for row in table.rows]

    assert {row["shape"] for row in rows} >= {"250³ h3 f3 2x1x1", "16³ h1 f1 2x1x1"}
    for row in rows:
        assert row["memory"] == pytest.approx(1.25, rel=0.05)
        assert row["exchange"] == pytest.approx(1.6, rel=0.05)
        assert row["both"] == pytest.approx(2.0, rel=0.05)
        assert row["exchange_low"] < row["exchange"] < row["exchange_high"]
    told = [line for line in findings(read(measured.path)) if "is the memory" in line]
    assert len(told) == len(rows)
    assert "250³ h3 f3 2x1x1: of weft_make_field's " in told[0]
    bars = charts.memory(read(measured.path))
    assert bars is not None
    (values,) = (found["values"] for found in [bars["data"]])
    assert [each["part"] for each in values[:2]] == ["by the memory", "by the exchange"]
    assert values[1]["to"] == pytest.approx(2.0, rel=0.05)


def test_ranks_that_share_cpus_are_not_judged(measured: ResultFolder) -> None:
    compared = compare(read(measured.path), ("weak",))

    assert {each.words for each in compared if each.shape.num_ranks > 2} == {UNJUDGED}
    assert UNJUDGED not in {each.words for each in compared if each.shape.num_ranks <= 2}


def test_overlap_is_held_to_the_sum_of_both(measured: ResultFolder) -> None:
    table = tables.overlap_table(read(measured.path))
    words = {str(row[2]): str(row[-1]) for row in table.rows}
    times = {
        str(row[2]): dict(zip((c.key for c in table.columns), row, strict=True))
        for row in table.rows
    }

    in_turn, alone = (times["weft_make_field"][key] for key in ("in_turn_s", "alone_s"))
    assert isinstance(in_turn, float)
    assert isinstance(alone, float)
    assert in_turn / alone == pytest.approx(2.2, rel=0.05)
    asked = times["weft_make_field"]["progressed_s"]
    assert isinstance(asked, float)
    assert asked / alone == pytest.approx(1.9, rel=0.05)
    assert times["by_hand_rows"]["progressed_s"] is None
    assert words["weft_make_field"] == "as it should be"
    assert "above it" in words["by_hand_rows"]
    assert tables.bound_words(tables.RatioEstimate(0.99, None, None, None, 0.0)) == tables.UNTOLD
    assert tables.bound_words(tables.RatioEstimate(1.02, 0.99, 1.05, 0.01, 3.0)) == tables.UNTOLD


def test_the_page_shows_what_was_found(measured: ResultFolder) -> None:
    assert protocol.of_folder(measured) is SUITE

    shown = SUITE.show(read(measured.path))

    text = shown.page.read_text(encoding="utf-8")
    assert "Every shape of the sweep" in text
    assert "petsc_dmda" in text
    assert text.count("<svg") >= 4
    summary = json.loads((measured.path / "summary.json").read_text(encoding="utf-8"))
    assert any(row["verdict"] == "slower" for row in summary["comparisons"])
    assert (measured.path / "figures" / "halo_overlap.png").stat().st_size > 0


@pytest.mark.parametrize("name", ["gcl-fig6", "gcl-fig7"])
def test_figures_of_the_paper_are_drawn_and_explained(measured: ResultFolder, name: str) -> None:
    item = find_item(name)

    shown = render_item(item, read(measured.path))

    told = " ".join(shown.lines)
    assert "The paper:" in told
    assert "ranks share CPUs here" in told
    assert "packings by messages" in told
    assert "<svg" in shown.files[0].read_text(encoding="utf-8")
    assert charts.steps(read(measured.path), item.table_key, "mpich-4.0.2") is None


def test_items_that_measure_nothing_say_where_to_read() -> None:
    with pytest.raises(UsageError, match="nothing to measure") as caught:
        find_item("gcl-fig3")
    assert "docs/halo.md" in caught.value.remedy


def test_wrong_cells_are_told_and_not_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_FAKE_WRONG", "by_hand_rounds")
    folder = _measure(tmp_path, monkeypatch, "paper", rounds=1)

    results = read(folder.path)

    assert "by_hand_rounds (16³ h1 f1 2x1x1, openmpi-4.1.4)" in results.wrong()
    assert any("expected 9" in row["message"] for row in results.skipped)
    assert findings(results)[0].startswith("Wrong cells")
    assert {each.contestant for each in results.times("paper")} >= {"by_hand_rows"}
    with pytest.raises(WrongAnswerFound, match="by_hand_rounds"):
        SUITE.raise_for_outcome(folder)
    assert shape_of(results.records[0]).num_ranks == 2


def test_a_launch_that_dies_is_no_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_FAKE_DEATH", "overlap")
    folder = _measure(tmp_path, monkeypatch, "overlap", rounds=3)

    results = read(folder.path)

    assert results.times("overlap") == []
    failed = [row for row in results.skipped if row["code"] == "failed"]
    assert len(failed) == 2
    assert "exit code 137" in failed[0]["message"]


def test_bad_requests_say_what_to_type(
    tmp_path: Path, measured: ResultFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_asked_alone("halo", ("halo",))
    with pytest.raises(UsageError, match="measured alone"):
        is_asked_alone("halo", ("halo", "stl"))
    with pytest.raises(UsageError, match="unknown problem 'swep'"):
        _measure(tmp_path, monkeypatch, "swep", rounds=1)
    with pytest.raises(UsageError, match="not resumed"):
        SUITE.resume(measured, None, None, None)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("WEFT_MPI_DIR")
    with pytest.raises(MissingError, match="no MPI"):
        measure(RunOptions("quick", suite=("halo",), results=tmp_path), Console(file=io.StringIO()))
    other = ResultFolder.create(tmp_path / "other")
    other.write_manifest({"mpi": {}})
    with pytest.raises(ResultFolderError, match="holds no measurement of the suite halo"):
        read(other.path)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"threads": (64,)}, "the suite halo has no --threads, but 64 was given"),
        ({"size": (12, 24)}, "the suite halo has no --size, but 12,24 was given"),
        ({"type": ("float",)}, "the suite halo has no --type, but float was given"),
        ({"backend": ("ghex",)}, "the suite halo has no --backend, but ghex was given"),
        ({"protocol": "paper"}, "the suite halo has no --protocol, but paper was given"),
    ],
)
def test_options_that_the_suite_ignores_are_refused(
    given: dict[str, Any], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_fake(tmp_path, monkeypatch)
    results = tmp_path / "results"
    options = RunOptions(
        "quick", suite=("halo",), only=("paper",), rounds_max=1, results=results, **given
    )

    with pytest.raises(UsageError, match=text):
        measure(options, Console(file=io.StringIO()))

    assert not results.exists()


def test_ctrl_c_while_it_builds_is_not_a_broken_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_fake(tmp_path, monkeypatch)

    def interrupted(one: Installation) -> Path:
        os.kill(os.getpid(), signal.SIGINT)
        raise MissingError(f"cannot build {building.PROGRAM} with {one.id}", "interrupted", "")

    monkeypatch.setattr(building, "build", interrupted)
    options = RunOptions("quick", suite=("halo",), results=tmp_path / "results")

    with pytest.raises(Interrupted, match="stopped on request"):
        measure(options, Console(file=io.StringIO()))

    (manifest,) = tmp_path.glob("results/*/manifest.json")
    assert json.loads(manifest.read_text(encoding="utf-8"))["status"] == "interrupted"


def test_a_build_that_fails_says_the_compilers_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _executable(tmp_path / "cmake", 'echo "CMake Error: no compiler"; exit 1')
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(building, "build_folder", lambda one: tmp_path / "build")

    with pytest.raises(MissingError, match="cannot build weft_mpi_halo") as caught:
        building.build(OPEN_MPI)

    assert "no compiler" in caught.value.why
    assert "--preset bench" in caught.value.remedy

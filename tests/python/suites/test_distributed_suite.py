# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of calls between ranks, with a launcher that is not one: measured, judged, shown."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from weft_lab.errors import MissingError, ResultFolderError, UsageError, WrongAnswerFound
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.options import RunOptions
from weft_lab.pages.papers import find_item
from weft_lab.storage.store import ResultFolder
from weft_lab.suites import protocol
from weft_lab.suites.distributed import asked, building, page, plan, scaling, tables
from weft_lab.suites.distributed.measure import measure
from weft_lab.suites.distributed.results import read
from weft_lab.suites.distributed.suite import SUITE

OPEN_MPI = Installation("openmpi", "4.1.4", Path("/x/mpirun"), Path("/x/mpicxx"))
INTEL = Installation("other", "1.0", Path("/x/mpirun"), Path("/x/mpicxx"))
Rows = list[dict[str, Any]]


def _make_fake(folder: Path, patch: pytest.MonkeyPatch) -> None:
    (folder / "mpi" / "bin").mkdir(parents=True)
    script = Path(__file__).parents[1] / "fake_calls.py"
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
    patch.setattr("weft_lab.suites.distributed.measure.machine.cpus_usable", lambda: 2)
    patch.setattr("weft_lab.suites.distributed.measure.room_here", lambda: Capacity(2, 2))


def _executable(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def _measure(folder: Path, patch: pytest.MonkeyPatch, *only: str, rounds: int) -> ResultFolder:
    _make_fake(folder, patch)
    options = RunOptions("quick", suite=("distributed",), only=only, rounds_max=rounds)
    options = RunOptions(**{**vars(options), "results": folder / "results"})
    return measure(options, Console(file=io.StringIO()))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> ResultFolder:
    """A run of three rounds of all that a run measures."""
    folder = tmp_path_factory.mktemp("distributed")
    with pytest.MonkeyPatch.context() as patch:
        return _measure(folder, patch, rounds=3)


def _rows(table: tables.Table) -> Rows:
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def test_each_transport_has_every_cell_of_two_ranks() -> None:
    jobs = plan.jobs(plan.TIERS["default"], [OPEN_MPI], 2, ())

    labels = [job.label for job in jobs]
    assert len(set(labels)) == len(labels)
    for problem in plan.ON_EVERY_TRANSPORT:
        assert {f"{problem}, shm", f"{problem}, tcp"} <= set(labels)
    memory = [job for job in jobs if job.problem == "memory"]
    assert [(job.num_ranks, job.is_functional) for job in memory] == [(2, True), (5, True)]
    assert not any(job.is_functional for job in jobs if job.problem != "memory")
    vectors = next(job for job in jobs if job.problem == "bandwidth").arguments()
    assert vectors[-2:] == ("--sizes", ",".join(map(str, plan.SIZES)))


def test_an_mpi_without_known_transports_uses_its_own_choice() -> None:
    jobs = plan.jobs(plan.TIERS["quick"], [INTEL], 2, ("round_trip",))

    assert [job.transport_name for job in jobs] == [plan.OWN_CHOICE]


def test_one_processor_only_counts_bytes() -> None:
    jobs = plan.jobs(plan.TIERS["quick"], [OPEN_MPI], 1, ())

    assert {job.problem for job in jobs} == {"memory"}


def test_the_tables_hold_the_ratios_of_the_law(measured: ResultFolder) -> None:
    results = read(measured.path)

    calls = _rows(tables.calls_table(results))
    ratios = {
        (row["transport"], row["operation"]): row["ratio"]
        for row in calls
        if row["caller"] == "a task"
    }
    assert ratios["shm", "round trip, 8 bytes"] == pytest.approx(2.5, rel=0.02)
    assert ratios["tcp", "round trip, 8 bytes"] == pytest.approx(1.4, rel=0.02)
    assert ratios["tcp", "post, 8 bytes"] == pytest.approx(0.25, rel=0.02)
    assert {row["caller"] for row in calls} == {"a task", "a thread"}
    vectors = _rows(tables.bandwidth_table(results))
    assert {row["size_bytes"] for row in vectors} == set(plan.SIZES)
    for row in vectors:
        fresh = 0.95 if row["transport"] == "shm" else 0.5
        assert row["ratio"] == pytest.approx(fresh, rel=0.02)
        assert row["ratio_same"] == pytest.approx(fresh / 1.2, rel=0.02)
        assert row["ratio_low"] < row["ratio"] < row["ratio_high"]
    busy = _rows(tables.busy_table(results))
    assert {row["contestant"] for row in busy} == {"MPI_Test between tasks", "weft"}


def test_promises_are_kept_broken_or_open_by_their_intervals(measured: ResultFolder) -> None:
    found = {(each.transport, each.what): each for each in asked.promises(read(measured.path))}

    assert found["shm", "round trip of async over MPI's"].words == asked.KEPT
    assert found["tcp", "round trip of async over MPI's"].words == asked.KEPT
    assert found["shm", "rate of post over MPI's"].words == asked.KEPT
    assert found["tcp", "rate of post over MPI's"].words == asked.BROKEN
    assert found["shm", "bandwidth, 1048576 bytes, over MPI's"].words == asked.KEPT
    assert found["tcp", "bandwidth, 1048576 bytes, over MPI's"].words == asked.BROKEN
    assert ("shm", "bandwidth, 65536 bytes, over MPI's") not in found
    assert found["shm", "memory for each peer"].value == pytest.approx(20 * 1024)
    assert found["shm", "random updates in batches over MPI's"].words == asked.KEPT
    assert found["tcp", "random updates in batches over MPI's"].words == asked.BROKEN
    assert found["shm", "heat, steps of about 100 µs, rate over MPI's"].words == asked.KEPT
    assert found["tcp", "tree search, efficiency on two ranks"].words == asked.BROKEN
    assert found["shm", "barrier over 1.1 times MPI's and 1 µs"].words == asked.KEPT
    most = asked.Bound(3.0, is_most=True, show=str)
    assert most.words(2.9, 3.1) == most.words(None, None) == asked.UNTOLD
    (table,) = SUITE.claims(read(measured.path))
    assert {row["verdict"] for row in _rows(table)} == {asked.KEPT, asked.BROKEN}


def test_programs_have_ratios_and_efficiencies(measured: ResultFolder) -> None:
    rows = _rows(tables.programs_table(read(measured.path)))

    by_name = {(row["transport"], row["program"], row["posts"]): row for row in rows}
    batches = by_name["shm", "random updates", "in batches"]
    assert batches["ratio"] == pytest.approx(0.8, rel=0.02)
    assert batches["efficiency"] == pytest.approx(10 / 12, rel=0.02)
    search = by_name["tcp", "tree search", ""]
    assert search["efficiency"] == pytest.approx(0.8, rel=0.02)
    assert search["ratio"] is None
    heat = by_name["shm", "heat, 32768 cells", ""]
    assert heat["efficiency"] == pytest.approx(10 / 12, rel=0.02)


def test_predictions_begin_at_the_measured_efficiency(measured: ResultFolder) -> None:
    found = scaling.predictions(read(measured.path))

    by_name = {(each.case.transport, each.name): each for each in found}
    assert len(by_name) == 10
    for each in found:
        two = each.by_ranks[2]
        assert two.value == pytest.approx(each.measured)
        assert all(point.low <= point.high for point in each.by_ranks.values())
        assert two.low < two.high
    updates = by_name["shm", "updates in batches"]
    assert updates.by_ranks[4096].value < updates.by_ranks[16].value < updates.measured
    # o = 250 + 62.5 ns, w = 0.25 us and s = 0.6875 us by the law of the stand-in
    heat = by_name["shm", "heat, 32768 cells"]
    assert heat.modelled == pytest.approx(10 / (10 + 4 * 0.3125 + 0.6875), rel=0.02)
    figure = scaling.scaling_figure(found)
    assert figure is not None
    assert figure.cases == ("openmpi-4.1.4, shm", "openmpi-4.1.4, tcp")


def test_missing_costs_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _measure(tmp_path, monkeypatch, "gups", "uts", "post_rate", rounds=1)

    results = read(folder.path)

    assert scaling.predictions(results) == ()
    (line,) = page.findings(results)
    assert "the cells round_trip, bandwidth" in line
    assert "--only bandwidth,gups,post_rate,round_trip,uts" in line


def test_the_page_answers_its_question(measured: ResultFolder) -> None:
    assert protocol.of_folder(measured) is SUITE

    shown = SUITE.show(read(measured.path))

    text = shown.page.read_text(encoding="utf-8")
    assert "What does a call on another rank cost?" in text
    assert "openmpi-4.1.4, shm: calling a function with 8 bytes" in text
    assert "Bandwidth of a vector" in text
    assert text.count("<svg") >= 1
    summary = json.loads((measured.path / "summary.json").read_text(encoding="utf-8"))
    assert {row["verdict"] for row in summary["promises"]} == {asked.KEPT, asked.BROKEN}


def test_wrong_answers_are_told_and_not_timed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_FAKE_WRONG", "round_trip")
    folder = _measure(tmp_path, monkeypatch, "round_trip", "post_rate", rounds=1)

    results = read(folder.path)

    assert "weft_task (round_trip, openmpi-4.1.4)" in results.wrong()
    assert results.cases("round_trip") == {}
    assert results.cases("post_rate") != {}
    with pytest.raises(WrongAnswerFound, match="an answer was wrong"):
        SUITE.raise_for_outcome(folder)


def test_a_launch_that_dies_is_no_measurement(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_FAKE_DEATH", "idle")
    folder = _measure(tmp_path, monkeypatch, "idle", rounds=2)

    results = read(folder.path)

    assert results.cases("idle") == {}
    assert SUITE.claims(results) == ()
    failed = [row for row in results.skipped if row["code"] == "failed"]
    assert "exit code 137" in failed[0]["message"]


def test_bad_requests_say_what_to_type(
    tmp_path: Path, measured: ResultFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(UsageError, match="unknown problem 'trip'"):
        _measure(tmp_path, monkeypatch, "trip", rounds=1)
    with pytest.raises(UsageError, match="not resumed"):
        SUITE.resume(measured, None, None, None)
    with pytest.raises(UsageError, match="follows no paper"):
        SUITE.render(find_item("gcl-fig6"), read(measured.path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("WEFT_MPI_DIR")
    wanted = RunOptions("quick", suite=("distributed",), results=tmp_path)
    with pytest.raises(MissingError, match="no MPI"):
        measure(wanted, Console(file=io.StringIO()))
    other = ResultFolder.create(tmp_path / "other")
    other.write_manifest({"mpi": {}})
    with pytest.raises(ResultFolderError, match="no measurement of the suite distributed"):
        read(other.path)

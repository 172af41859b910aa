# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite of message passing, with a launcher that is not one: found, probed, measured, shown."""

from __future__ import annotations

import io
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from mpi_programs import executable, plant_mpi
from rich.console import Console
from weft_lab.errors import Interrupted, MissingError, ResultFolderError, UsageError
from weft_lab.measuring.mpi import slurm
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.diagnosis import examine
from weft_lab.measuring.mpi.installations import (
    Installation,
    find_installations,
    identify,
    why_none,
)
from weft_lab.measuring.mpi.launching import (
    Launch,
    command_of,
    diagnostics_of,
    environment_of,
    run,
    shown,
)
from weft_lab.measuring.mpi.transports import Transport, all_transports, judge, transports_of
from weft_lab.measuring.options import RunOptions, is_asked_alone
from weft_lab.pages.papers import find_item, items
from weft_lab.storage.store import ResultFolder
from weft_lab.suites import protocol
from weft_lab.suites.mpi import building, jacobi_tables, page, plan, ring_tables, tables
from weft_lab.suites.mpi.measure import measure
from weft_lab.suites.mpi.reproduce import forecast, problems_of, render_item
from weft_lab.suites.mpi.results import read
from weft_lab.suites.mpi.suite import SUITE

OPEN_MPI = Installation("openmpi", "4.1.4", Path("/x/mpirun"), Path("/x/mpicxx"))
PROGRAM = Path("/x/weft_mpi")


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An mpirun that answers and an mpicxx that makes files, and no other MPI."""
    plant_mpi(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> ResultFolder:
    """A run of three rounds."""
    folder = tmp_path_factory.mktemp("measured")
    options = RunOptions(
        "quick", budget_s=1200.0, suite=("mpi",), rounds_max=3, results=folder / "results"
    )
    with pytest.MonkeyPatch.context() as patch:
        plant_mpi(folder, patch)
        return measure(options, Console(file=io.StringIO()))


def test_versions_of_three_families_are_recognised() -> None:
    words = {
        "mpirun (Open MPI) 4.1.4": ("openmpi", "4.1.4"),
        "mpirun (Open MPI) 5.0.11": ("openmpi", "5.0.11"),
        "HYDRA build details:\n    Version:                                 4.0.2": (
            "mpich",
            "4.0.2",
        ),
        "Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 1": ("intel", "2021.18"),
    }

    for text, (family, version) in words.items():
        found = identify(text, OPEN_MPI)
        assert found is not None
        assert (found.family, found.version) == (family, version)
    assert identify("mpirun: not found", OPEN_MPI) is None


def test_installations_are_found_and_the_lack_of_one_is_explained(
    fake: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [one.id for one in find_installations()] == ["openmpi-4.1.4"]
    assert examine()[0].transports[0].startswith("shm")
    monkeypatch.delenv("WEFT_MPI_DIR")
    assert find_installations() == [] or "WEFT" not in str(find_installations()[0].launcher)
    empty = {"PATH": "/nowhere"}
    assert "neither PATH" in why_none(empty)


def test_an_intel_mpi_on_path_is_told_its_folder(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    for name in ("mpirun", "mpicxx"):
        executable(tmp_path / "bin" / name, 'echo "Intel(R) MPI Library for Linux* OS, Version 9"')
    path = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin"}

    (one,) = [each for each in find_installations(path) if each.family == "intel"]
    assert one.environment({})["I_MPI_ROOT"] == str(tmp_path)
    (known,) = [
        each
        for each in find_installations({**path, "I_MPI_ROOT": "/opt/impi"})
        if each.family == "intel"
    ]
    assert known.prefix == "", "who set it knows better"
    (named,) = [
        each
        for each in find_installations(
            {**path, "I_MPI_ROOT": "/opt/impi", "WEFT_MPI_DIR": str(tmp_path)}
        )
        if each.family == "intel"
    ]
    assert named.prefix == str(tmp_path)


def test_every_row_of_the_table_of_transports_is_sound() -> None:
    rows = all_transports()

    assert {row.family for row in rows} == {"openmpi", "mpich", "intel"}
    names = [row.name for row in transports_of(OPEN_MPI)]
    assert names == ["shm", "tcp", "openib", "ucx"]
    with pytest.raises(UsageError, match="unknown transport 'tpc'"):
        transports_of(OPEN_MPI, ["tpc"])


def test_a_transport_is_believed_only_with_proof() -> None:
    tcp = Transport("tcp", "btl tcp", "openmpi", proof="Using tcp btl", least_us=1.0)

    assert judge(tcp, "bml: Using tcp btl for send", 5e-6, True).is_verified
    silent = judge(tcp, "", 5e-6, True)
    assert not silent.is_verified
    assert "does not report" in silent.words
    only_slow = Transport("tcp", "tcp", "mpich", least_us=1.0)
    assert not judge(only_slow, "anything", 5e-6, True).is_verified
    told = judge(tcp, "bml: Using tcp btl for send", 0.3e-6, True)
    assert not told.is_verified
    assert "shared memory" in told.words
    ucx = Transport("ucx", "pml ucx", "openmpi", proof="component ucx selected")
    assert not judge(ucx, "component ob1 selected", 0.3e-6, True).is_verified


def test_every_transport_that_a_slow_byte_may_fake_has_a_proof() -> None:
    unproven = {
        (row.family, row.name) for row in all_transports() if row.least_us and not row.proof
    }

    assert unproven == set()
    ucx = next(row for row in all_transports() if row.name == "ucx_tcp")
    talk = "ucp_worker.c:1763 UCX  INFO    ep_cfg[1]: tag(tcp/lo tcp/eth0) rma_am(tcp/lo)"
    assert judge(ucx, talk, 6e-6, True).is_verified
    assert not judge(ucx, talk.replace("tcp/", "sysv/"), 6e-6, True).is_verified


def test_a_librarys_words_are_heard_where_the_program_prints() -> None:
    text = '[0] MPI startup(): libfabric provider: tcp\n{"record": "mpi_result"}\n'

    assert diagnostics_of(text) == "[0] MPI startup(): libfabric provider: tcp\n"


def test_commands_bind_ranks_and_name_transport_and_hosts() -> None:
    tcp = transports_of(OPEN_MPI, ["tcp"])[0]
    here = command_of(Launch(OPEN_MPI, PROGRAM, ("ring",), 2, tcp))
    assert here[:5] == ["/x/mpirun", "-n", "2", "--bind-to", "core"]
    assert here[-3:] == ["ring", "--expect-ranks", "2"]
    far = " ".join(
        command_of(
            Launch(OPEN_MPI, PROGRAM, ("ring",), 2, tcp, ("10.0.0.1", "10.0.0.2"), "agent", "v0")
        )
    )
    assert "--host 10.0.0.1:1,10.0.0.2:1" in far
    assert "plm_rsh_agent agent" in far
    assert "btl_tcp_if_include v0" in far
    mpich = Installation("mpich", "4.0.2", Path("/x/mpirun"), Path("/x/mpicxx"))
    hydra = " ".join(
        command_of(Launch(mpich, PROGRAM, ("ring",), 4, None, ("a", "b"), "rsh", "v0"))
    )
    assert "-hosts a,b -ppn 2 -launcher ssh -launcher-exec rsh -iface v0" in hydra
    many = command_of(Launch(OPEN_MPI, PROGRAM, ("ring",), 8, tcp, is_functional=True))
    assert "--oversubscribe" in many
    assert many[-2:] == ["--functional", "yes"]
    with pytest.raises(UsageError, match="0 ranks"):
        command_of(Launch(OPEN_MPI, PROGRAM, ("ring",), 0))


def test_one_mpis_variables_reach_only_its_own_processes() -> None:
    intel = Installation("intel", "2021.18", Path("/i/mpirun"), Path("/i/mpicxx"), "/i")
    what = Launch(intel, PROGRAM, ("ring",), 2, transports_of(intel, ["tcp"])[0])

    own = environment_of(what, {"PATH": "/bin"})

    assert own["I_MPI_FABRICS"] == "ofi"
    assert own["LD_LIBRARY_PATH"] == "/i/lib"
    assert own["I_MPI_PIN_DOMAIN"] == "core"
    assert "FI_PROVIDER=tcp" in shown(what)


def test_a_launch_that_dies_keeps_what_it_had_measured(fake: None) -> None:
    one = find_installations()[0]
    arguments = ("sum3d", "--size", "13,13,13")

    outcome = run(Launch(one, PROGRAM, arguments, 2), 20.0)

    assert "exit code 137: a rank died" in outcome.failure
    assert len(outcome.results) == 1


def test_a_launch_that_hangs_is_killed_and_said_so(fake: None) -> None:
    one = find_installations()[0]

    outcome = run(Launch(one, PROGRAM, ("sum3d", "--size", "14,14,14"), 2), 1.0)

    assert "no end within 1 s" in outcome.failure
    assert outcome.program is not None


def test_a_wrong_answer_and_a_missing_launcher_are_failures(fake: None) -> None:
    one = find_installations()[0]
    wrong = run(Launch(one, PROGRAM, ("ring", "--impl", "isend"), 2), 20.0)
    assert wrong.failure == "another's tag"
    gone = Installation("openmpi", "4", Path("/nowhere/mpirun"), Path("/nowhere/mpicxx"))
    assert "cannot start" in run(Launch(gone, PROGRAM, ("ring",), 2), 5.0).failure


def test_sizes_reach_what_the_reports_extrapolation_averages() -> None:
    for name, tier in plan.TIERS.items():
        sizes = plan.sizes_of(tier)
        assert sizes[0] == 1, name
        assert sizes[-1] >= 1 << 25
        assert sizes == sorted(set(sizes))
    assert 1025 in plan.sizes_of(plan.TIERS["default"])


def test_a_run_is_measured_kept_and_shown(measured: ResultFolder) -> None:
    results = read(measured.path)
    shown_ = SUITE.show(results)

    assert protocol.of_folder(measured) is SUITE
    assert measured.read_manifest()["status"] == "complete"
    states = {row["transport"]: row["is_usable"] for row in results.transports}
    assert states == {"shm": True, "tcp": True, "openib": False, "ucx": False}
    assert any("openib" in row["message"] for row in results.skipped)
    by_method = {
        (row[0], row[1]): row for row in tables.fit_table(results).rows if "tcp" in str(row[0])
    }
    relative = by_method["openmpi-4.1.4 tcp", "relative"]
    assert relative[2] == pytest.approx(5e-6, rel=0.03)
    assert relative[3] == pytest.approx(1e10, rel=0.03)
    text = shown_.page.read_text(encoding="utf-8")
    assert "87.0 %" in text
    assert "23880000" in text
    assert "All pairs of ranks" in text
    assert "data caches of the measured CPUs: L1 48 KiB, L2 3 MiB." in text
    assert results.caches == {"L1": 48 << 10, "L2": 3 << 20}
    assert "What would happen on more nodes is not known" in text
    assert 'class="drawn"' in text
    summary = json.loads((measured.path / "summary.json").read_text("utf-8"))
    assert summary["transports"]["openmpi-4.1.4 shm"]["latency_us"] == pytest.approx(0.3, rel=0.05)
    names = {path.name for path in shown_.files}
    assert {"openmpi-4.1.4_tcp_fit.csv", "openmpi-4.1.4_tcp_extra.csv", "extrap.jsonl"} <= names


def test_jacobi_is_predicted_from_the_kernels(measured: ResultFolder) -> None:
    rows = {row[2]: row for row in jacobi_tables.jacobi_table(read(measured.path)).rows}

    # A core does 10^8 updates/s, and 24 bytes each at 10^10 bytes/s are added.
    assert rows["1x1x1"][9] == pytest.approx(100.0 / 1.24, rel=0.05)
    assert rows["2x1x1"][10] is not None


def test_oversubscribed_rings_are_checked_and_not_timed(measured: ResultFolder) -> None:
    rows = {row[2]: row for row in tables.ring_table(read(measured.path)).rows}

    assert rows[4][3] == "functional only"
    assert rows[4][4] is None
    assert rows[2][7] == pytest.approx(1e-6, rel=0.02)
    assert ring_tables.ring_classes(read(measured.path)) == []


@pytest.mark.long
def test_every_item_of_the_report_is_drawn(measured: ResultFolder) -> None:
    results = read(measured.path)
    own = [item for item in items() if item.suite == "mpi"]

    assert len(own) == 17
    for item in own:
        done = render_item(item, results)
        assert done.files[0].is_file()
        assert all(table.rows for table in done.tables)
    ten = render_item(find_item("mpi-table10"), results)
    assert "orders 3 wrong, the better one 0" in ten.lines[0]
    assert "Read as weak scaling" in ten.lines[1]
    assert problems_of(find_item("mpi-fig1")) == ("ring", "pingpong")
    assert {"jacobi", "bandwidth", "pack"} < set(problems_of(find_item("mpi-fig6")))
    six = render_item(find_item("mpi-table6"), results)
    assert "Table VII" in six.lines[0]


def test_the_reports_three_shapes_are_measured_where_the_sums_alone_are_asked_for(
    measured: ResultFolder,
) -> None:
    room, tier = Capacity(2, 2), plan.TIERS["full"]
    alone = plan.jobs(tier, {OPEN_MPI: []}, room, ("sum3d",))
    among = plan.jobs(tier, {OPEN_MPI: []}, room, ("sum3d", "ring"))

    assert plan.sum_shapes(tier) == [(2400, 100, 100), (1200, 200, 100), (800, 300, 100)]
    widths = [job.arguments[2] for job in alone if "late root" not in job.label]
    assert widths == [f"{shape},100" for shape in ("2400,100", "1200,200", "800,300") for _ in "01"]
    assert len([job for job in among if job.problem == "sum3d"]) == 4
    assert len({job.label for job in alone}) == len(alone)
    results = read(measured.path)
    one = render_item(find_item("mpi-table1"), results)
    two = render_item(find_item("mpi-table2"), results)
    assert not any("another shape" in line for line in one.lines)
    assert any("no matrices of 200 columns" in line for line in two.lines)


def test_more_nodes_are_expected_to_be_faster_within_an_interval() -> None:
    rows = forecast().rows

    assert [row[0] for row in rows] == [1, 2, 4, 8]
    speeds = [float(str(row[3])) for row in rows]
    assert speeds == sorted(speeds)
    assert all(float(str(row[4])) < float(str(row[3])) < float(str(row[5])) for row in rows)
    assert speeds[1] == pytest.approx(5080.64, rel=0.03)


def test_topologies_that_do_not_differ_are_not_said_to(measured: ResultFolder) -> None:
    lines = page.findings(read(measured.path))

    assert any(
        "configurations of the 3D sum" in line and "four times in five" in line for line in lines
    )
    assert any("late" in line and "20.0 %" in line for line in lines)


def test_what_cannot_be_measured_is_refused(fake: None, tmp_path: Path) -> None:
    options = RunOptions("quick", suite=("mpi",), only=("sort",), results=tmp_path)
    with pytest.raises(UsageError, match="unknown problem 'sort'"):
        measure(options, Console(file=io.StringIO()))
    with pytest.raises(UsageError, match="measured alone"):
        is_asked_alone("mpi", ("stl", "mpi"))
    assert is_asked_alone("mpi", ("mpi",))
    assert not is_asked_alone("mpi", ("stl",))


def test_no_mpi_at_all_is_said_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft_lab.measuring.mpi.recording.find_installations", list)

    with pytest.raises(MissingError, match="no MPI to measure"):
        measure(RunOptions("quick", suite=("mpi",), results=tmp_path / "r"), Console())
    assert not (tmp_path / "r").exists()


def test_an_mpi_that_cannot_build_is_skipped_with_its_compilers_words(
    fake: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(building, "FLAGS", ("broken",))

    with pytest.raises(MissingError, match="nothing to measure") as told:
        measure(RunOptions("quick", suite=("mpi",), results=tmp_path), Console(file=io.StringIO()))
    assert "cannot build" in told.value.why


def test_a_folder_of_another_suite_is_refused(tmp_path: Path) -> None:
    folder = ResultFolder.create(tmp_path)
    folder.write_manifest({"run_id": "x"})

    with pytest.raises(ResultFolderError, match="no measurement of the suite mpi"):
        read(folder.path)


def test_a_run_of_this_suite_is_not_resumed(measured: ResultFolder) -> None:
    with pytest.raises(UsageError, match="not resumed"):
        SUITE.resume(measured, None, None, None)


def test_the_reports_interval_is_its_equation_9() -> None:
    low, high = tables.report_interval([1.0, 2.0, 3.0])

    assert low == pytest.approx(2.0 - 1.96 / 3**0.5)
    assert high == pytest.approx(2.0 + 1.96 / 3**0.5)
    assert tables.report_interval([1.0]) == (None, None)


def test_a_slurm_job_is_written_and_its_absence_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = slurm.Request(("--full",), tasks_per_node=24, minutes=90, partition="THIN")
    text = slurm.script(wanted)

    assert text.startswith("#!/bin/bash")
    assert "#SBATCH --nodes=1" in text
    assert "#SBATCH --time=01:30:00" in text
    assert "account" not in text
    assert "--suite mpi --full" in text
    path = slurm.write(wanted, tmp_path / "job.sbatch")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingError, match="no sbatch"):
        slurm.submit(path)
    executable(tmp_path / "sbatch", 'echo "Submitted batch job 7"')
    assert slurm.submit(path) == "Submitted batch job 7"
    executable(tmp_path / "sbatch", 'echo "invalid partition" >&2; exit 1')
    with pytest.raises(UsageError, match="invalid partition"):
        slurm.submit(path)
    with pytest.raises(UsageError, match="one node"):
        slurm.script(slurm.Request((), nodes=0))
    assert "#SBATCH --nodes=2" in slurm.script(slurm.Request((), nodes=2))


@pytest.mark.parametrize("given", [{"threads": (64,)}, {"size": (12,)}, {"type": ("float",)}])
def test_options_that_the_suite_ignores_are_refused(
    fake: None, given: dict[str, Any], tmp_path: Path
) -> None:
    options = RunOptions(
        "quick", suite=("mpi",), only=("ring",), rounds_max=1, results=tmp_path / "results", **given
    )

    with pytest.raises(UsageError, match=f"the suite mpi has no --{next(iter(given))}"):
        measure(options, Console(file=io.StringIO()))


def test_ctrl_c_while_it_builds_is_not_a_broken_build(
    fake: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(one: Installation) -> Path:
        os.kill(os.getpid(), signal.SIGINT)
        raise MissingError(f"cannot build {building.PROGRAM} with {one.id}", "interrupted", "")

    monkeypatch.setattr(building, "build", interrupted)
    options = RunOptions("quick", suite=("mpi",), results=tmp_path / "results")

    with pytest.raises(Interrupted, match="stopped on request"):
        measure(options, Console(file=io.StringIO()))

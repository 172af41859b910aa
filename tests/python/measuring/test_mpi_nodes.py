# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks on several machines: which ones, how they are started, and what is measured across them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from mpi_records import FAST_BYTES_PER_S, SLOW_BYTES_PER_S, kernels, ping_pong, results_of, row
from weft_lab.errors import MissingError
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Launch, command_of, environment_of, shown
from weft_lab.measuring.mpi.nodes import Nodes, find_nodes
from weft_lab.measuring.mpi.transports import transports_of
from weft_lab.suites.mpi import jacobi_tables, plan

OPEN_MPI = Installation("openmpi", "4.1.4", Path("/x/mpirun"), Path("/x/mpicxx"))
MPICH = Installation("mpich", "4.0.2", Path("/x/mpirun"), Path("/x/mpicxx"))
INTEL = Installation("intel", "2021.18", Path("/i/mpirun"), Path("/i/mpicxx"), "/i")
PROGRAM = Path("/x/weft_mpi")


def scontrol(folder: Path, body: str) -> None:
    path = folder / "scontrol"
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)


def test_the_nodes_of_a_job_are_those_that_slurm_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    job = {"SLURM_JOB_NODELIST": "n[1-2]"}
    with pytest.raises(MissingError, match="no scontrol"):
        find_nodes((), job)
    scontrol(tmp_path, '[ "$3" = "n[1-2]" ] && printf "n1\\nn2\\n"')

    assert find_nodes((), job) == Nodes(("n1", "n2"), uses_srun=True)
    assert find_nodes(("a", "b"), job) == Nodes(("a", "b"))
    assert find_nodes((), {}) == Nodes()
    scontrol(tmp_path, "echo n1")
    assert find_nodes((), job) == Nodes(), "one node is this machine"
    scontrol(tmp_path, "echo 'Invalid hostlist' >&2; exit 1")
    with pytest.raises(MissingError, match="not known by name"):
        find_nodes((), job)


def test_srun_spreads_ranks_binds_them_and_is_told_the_transport_by_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tcp = transports_of(OPEN_MPI, ["tcp"])[0]
    what = Launch(OPEN_MPI, PROGRAM, ("ring",), 4, tcp, ("n1", "n2"), uses_srun=True)

    text = " ".join(command_of(what))

    assert text.startswith("srun --mpi=pmix --nodes 2 --ntasks 4 --nodelist n1,n2")
    assert "--ntasks-per-node 2 --distribution=block" in text
    assert "--cpu-bind=cores" in text
    assert "--mca" not in text
    assert text.endswith("/x/weft_mpi ring --expect-ranks 4")
    own = environment_of(what, {})
    assert own["OMPI_MCA_pml"] == "ob1"
    assert own["OMPI_MCA_btl"] == "self,tcp"
    assert "OMPI_MCA_btl_base_verbose" not in own
    assert environment_of(replace(what, is_probe=True), {})["OMPI_MCA_btl_base_verbose"] == "30"
    intel = replace(what, installation=INTEL, transport=None)
    assert environment_of(intel, {"I_MPI_PMI_LIBRARY": "/l.so"})["I_MPI_PMI_LIBRARY"] == "/l.so"
    monkeypatch.setattr(
        "weft_lab.measuring.mpi.launching.PMI_LIBRARIES", (f"{str(tmp_path)[1:]}/*.so",)
    )
    assert "I_MPI_PMI_LIBRARY" not in environment_of(intel, {})
    (tmp_path / "libpmi2.so").touch()
    assert environment_of(intel, {})["I_MPI_PMI_LIBRARY"] == str(tmp_path / "libpmi2.so")
    hydra = replace(what, installation=MPICH, transport=None, is_functional=True)
    assert "--mpi=pmi2" in command_of(hydra)
    assert "--overcommit" in command_of(hydra)


def test_on_one_machine_a_launcher_does_not_see_the_job_it_is_in() -> None:
    job = {"SLURM_JOB_ID": "7", "SLURM_TASKS_PER_NODE": "1", "PATH": "/bin"}
    here = Launch(OPEN_MPI, PROGRAM, ("ring",), 2)

    assert not any(name.startswith("SLURM") for name in environment_of(here, job))
    assert environment_of(here, job)["PATH"] == "/bin"
    assert environment_of(replace(here, hosts=("n1",)), job)["SLURM_JOB_ID"] == "7"
    step = replace(here, hosts=("n1", "n2"), uses_srun=True)
    assert environment_of(step, job)["SLURM_JOB_ID"] == "7"


def test_a_command_that_is_shown_takes_away_the_job_that_the_launcher_must_not_see(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = Launch(OPEN_MPI, PROGRAM, ("ring",), 2)
    plain = shown(here)
    monkeypatch.setenv("SLURM_TASKS_PER_NODE", "1")
    monkeypatch.setenv("SLURM_JOB_ID", "7")

    assert shown(here) == f"env -u SLURM_JOB_ID -u SLURM_TASKS_PER_NODE {plain}"
    assert "-u" not in shown(replace(here, hosts=("n1",))).split()


def test_across_hosts_only_transports_that_leave_a_node_are_measured() -> None:
    tier = plan.TIERS["quick"]
    tcp = transports_of(OPEN_MPI, ["tcp"])

    jobs = plan.jobs_across(tier, {OPEN_MPI: tcp, MPICH: []}, 2, 3, ())

    assert {job.installation for job in jobs} == {OPEN_MPI}
    messages = [job for job in jobs if job.problem == "pingpong"]
    assert [(job.num_ranks, job.num_hosts) for job in messages] == [(2, 2), (4, 2)]
    assert ["multipair" in job.arguments for job in messages] == [False, True]
    single = plan.jobs_across(tier, {OPEN_MPI: tcp}, 1, 3, ("pingpong",))
    assert [job.num_ranks for job in single] == [2], "a node of one CPU has one pair"
    assert [job.num_ranks for job in jobs if job.problem == "ring"] == [3, 6]
    assert {job.arguments[4] for job in jobs if job.problem == "jacobi"} == {"6,1,1", "3,2,1"}
    assert plan.jobs_across(tier, {OPEN_MPI: tcp}, 2, 3, ("sum3d",)) == []


def test_messages_between_hosts_are_a_curve_of_their_own_and_carry_the_faces_between_them() -> None:
    far = [{**each, "pair": "hosts"} for each in ping_pong(SLOW_BYTES_PER_S, "hot")]
    sweep = row(
        "jacobi",
        "jacobi hosts 2x1x1",
        0.02,
        params={"global_cells": [64, 64, 64], "topology": [2, 1, 1]},
        local_cells=[32, 64, 64],
        launch=9,
    )
    rows = [*kernels(1.0), *ping_pong(FAST_BYTES_PER_S, "hot"), *far, sweep]
    places = {"record": "mpi_program", "launch": 9, "ranks": [{"host": "a"}, {"host": "b"}]}

    apart = replace(results_of(rows), programs=(places,))

    assert [each.is_between_hosts for each in apart.series()] == [False, True]
    assert apart.series()[1].name.endswith("between hosts")
    here, there = jacobi_tables.sweeps(results_of(rows))[0], jacobi_tables.sweeps(apart)[0]
    assert (here.num_hosts, there.num_hosts) == (1, 2)
    assert here.parts is not None
    assert there.parts is not None
    assert there.parts.wire_s > 2.0 * here.parts.wire_s
    near = [each for each in rows if each.get("pair") != "hosts"]
    unknown = replace(results_of(near), programs=(places,))
    assert jacobi_tables.sweeps(unknown)[0].parts is None

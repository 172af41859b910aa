# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cores and their hardware threads: how many a host has, what is launched on them, what is said."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mpi_programs import plant_mpi
from mpi_records import FAST_BYTES_PER_S, kernels, ping_pong, results_of, row
from rich.console import Console
from weft_lab.measuring.mpi.capacity import (
    QUESTION,
    SIBLINGS,
    Capacity,
    capacity_from,
    capacity_here,
    capacity_of,
    threads_of_a_core_from,
    threads_of_a_core_here,
)
from weft_lab.measuring.mpi.installations import Installation, find_installations
from weft_lab.measuring.mpi.launching import Launch, Placing, command_of, environment_of
from weft_lab.measuring.mpi.nodes import Nodes, check_reachable
from weft_lab.measuring.mpi.transports import Transport
from weft_lab.measuring.options import RunOptions
from weft_lab.suites.mpi import jacobi_tables, model_tables, plan, ring_tables
from weft_lab.suites.mpi.measure import measure
from weft_lab.suites.mpi.results import Results, read

OPEN_MPI = Installation("openmpi", "4.1.4", Path("/x/mpirun"), Path("/x/mpicxx"))
OPEN_MPI_5 = replace(OPEN_MPI, version="5.0.11")
MPICH = Installation("mpich", "4.0.2", Path("/x/mpirun"), Path("/x/mpicxx"))
INTEL = Installation("intel", "2021.18", Path("/i/mpirun"), Path("/i/mpicxx"), "/i")
SHM = Transport("shm", "x", OPEN_MPI.family, between="node")
# Two sockets of two cores of two hardware threads each, numbered as Linux often does.
TWO_SOCKETS = {cpu: f"{cpu % 4},{cpu % 4 + 4}" for cpu in range(8)}
# CPUs 0-3 are those of two cores; their neighbours in the list are siblings.
ADJACENT = {cpu: f"{cpu // 2 * 2}-{cpu // 2 * 2 + 1}" for cpu in range(4)}


def plant(folder: Path, siblings: dict[int, str]) -> Path:
    """The kernel's folder of such CPUs."""
    for cpu, text in siblings.items():
        path = folder / f"cpu{cpu}" / SIBLINGS
        path.parent.mkdir(parents=True)
        path.write_text(f"{text}\n", encoding="ascii")
    return folder


@pytest.mark.parametrize(
    ("allowed", "siblings", "cores"),
    [
        (range(8), TWO_SOCKETS, 4),
        ({0, 4}, TWO_SOCKETS, 1),
        ({0, 1, 2, 3}, TWO_SOCKETS, 4),
        ({0, 4, 5}, TWO_SOCKETS, 2),
        (range(4), ADJACENT, 2),
        ({1, 2}, ADJACENT, 2),
        (range(4), {cpu: str(cpu) for cpu in range(4)}, 4),
        ({3, 9}, {}, 2),
    ],
)
def test_cores_are_those_of_the_cpus_that_may_be_used(
    allowed: set[int], siblings: dict[int, str], cores: int
) -> None:
    assert capacity_of(allowed, siblings) == Capacity(cores, len(allowed))


def test_this_machine_has_what_the_mask_and_the_quota_leave(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cpus = plant(tmp_path, TWO_SOCKETS)
    monkeypatch.setattr("weft_lab.measuring.mpi.capacity.machine.cpus_usable", lambda: 6)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(6)))

    assert capacity_here(cpus) == Capacity(4, 6)
    assert capacity_here(cpus).has_siblings
    monkeypatch.setattr("weft_lab.measuring.mpi.capacity.machine.cpus_usable", lambda: 3)
    assert capacity_here(cpus) == Capacity(3, 3), "a quota of three CPUs runs three ranks at once"


def test_a_host_tells_what_a_process_of_it_may_use() -> None:
    first = min(os.sched_getaffinity(0))

    def answer(allowed: set[int]) -> Capacity | None:
        ask = f"os.sched_setaffinity(0, {allowed}); os.execl('/bin/sh', 'sh', '-c', sys.argv[1])"
        said = subprocess.run(
            [sys.executable, "-c", f"import os, sys; {ask}", QUESTION],
            capture_output=True,
            text=True,
            check=True,
        )
        return capacity_from(f"Welcome to 3 hosts\n{said.stdout}")

    assert answer({first}) == Capacity(1, 1)
    whole = answer(os.sched_getaffinity(0))
    assert whole is not None
    assert whole.at_most(capacity_here().threads) == capacity_here()
    assert capacity_from("command not found") is None


def test_a_host_that_answers_with_siblings_is_counted_in_cores() -> None:
    lines = [f"/sys/devices/system/cpu/cpu{cpu}/{SIBLINGS}:{TWO_SOCKETS[cpu]}" for cpu in range(8)]
    said = "\n".join(["Cpus_allowed_list:\t1-3,5-7", *lines])

    assert capacity_from(said) == Capacity(3, 6)
    assert capacity_from("Cpus_allowed_list:\t1-3,5-7\n") == Capacity(6, 6)


# Each of them makes a step of srun one that has no more CPUs than its ranks ask for.
ASKS_FOR_LESS = (
    *("SLURM_EXACT", "SLURM_EXCLUSIVE", "SLURM_HINT", "SLURM_THREADS_PER_CORE"),
    *("SLURM_CPUS_PER_TASK", "SRUN_CPUS_PER_TASK", "SLURM_TRES_PER_TASK"),
)


def plant_srun(folder: Path, patch: pytest.MonkeyPatch, allowed: str, of_job: str) -> Nodes:
    """A job whose steps may use these CPUs, of `TWO_SOCKETS`, and one CPU where less is asked."""
    asks = " ".join(f'-o -n "${name}"' for name in ASKS_FOR_LESS)
    script = ["#!/bin/sh", f"allowed={allowed}", f"if [ -n '' {asks} ]; then allowed=0; fi"]
    script += ['echo "Cpus_allowed_list: $allowed"']
    script += [f"echo /cpu{cpu}/{SIBLINGS}:{text}" for cpu, text in TWO_SOCKETS.items()]
    (folder / "srun").write_text("\n".join(script), encoding="utf-8")
    (folder / "srun").chmod(0o755)
    patch.setenv("PATH", str(folder))
    for name in ASKS_FOR_LESS:
        patch.delenv(name, raising=False)
    patch.setenv("SLURM_JOB_CPUS_PER_NODE", of_job)
    return Nodes(("n1", "n2"), uses_srun=True)


@pytest.mark.parametrize(
    ("allowed", "of_job", "cores"),
    [
        ("0-7", "8(x2)", 4),
        ("0-7", "4,2", 1),  # two CPUs are those of one core
        ("0-3", "4(x2)", 4),  # confined to them, whichever they are
        ("0", "8(x2)", 4),  # a step that is given one CPU says nothing of the job
        ("0-3", "8(x2)", 4),
        ("0-7", "", 4),
        ("0-7", "1(x2)", 1),
    ],
)
def test_a_job_of_slurm_has_the_cores_of_its_steps_and_no_more_than_it_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, allowed: str, of_job: str, cores: int
) -> None:
    nodes = plant_srun(tmp_path, monkeypatch, allowed, of_job)

    found = check_reachable(nodes, OPEN_MPI)

    assert found == Capacity(cores, cores), "srun gives each rank a core"


@pytest.mark.parametrize("name", ASKS_FOR_LESS)
def test_no_variable_of_the_job_makes_the_question_a_step_of_one_cpu(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    nodes = plant_srun(tmp_path, monkeypatch, "0-7", "")
    monkeypatch.setenv(name, "1")

    assert check_reachable(nodes, OPEN_MPI) == Capacity(4, 4)


@pytest.mark.parametrize(
    ("of_job", "room"),
    [
        ("2", Capacity(1, 2)),
        ("4", Capacity(2, 4)),
        ("8", Capacity(4, 8)),
        ("16", Capacity(4, 8)),
        ("", Capacity(4, 8)),
    ],
)
def test_a_job_on_one_node_that_confines_nothing_has_no_more_than_it_asked_for(
    monkeypatch: pytest.MonkeyPatch, of_job: str, room: Capacity
) -> None:
    monkeypatch.setattr("weft_lab.measuring.mpi.nodes.capacity_here", lambda: Capacity(4, 8))
    monkeypatch.setattr("weft_lab.measuring.mpi.nodes.threads_of_a_core_here", lambda: 2)
    monkeypatch.setenv("SLURM_JOB_CPUS_PER_NODE", of_job)

    assert check_reachable(Nodes(), OPEN_MPI) == room


def test_threads_of_a_core_are_those_of_the_host_not_of_the_process(tmp_path: Path) -> None:
    lines = [f"/cpu{cpu}/{SIBLINGS}:{text}" for cpu, text in TWO_SOCKETS.items()]

    assert threads_of_a_core_from("\n".join(["Cpus_allowed_list: 0", *lines])) == 2
    assert threads_of_a_core_from("Cpus_allowed_list: 0") == 1
    assert threads_of_a_core_here(plant(tmp_path / "smt", TWO_SOCKETS)) == 2
    assert threads_of_a_core_here(tmp_path / "unknown") == 1


def words_of(one: Installation, placing: Placing, num_ranks: int = 4) -> str:
    return " ".join(command_of(Launch(one, Path("/x/p"), ("ring",), num_ranks, placing=placing)))


def test_each_mpi_is_told_what_ranks_are_bound_to() -> None:
    assert "--bind-to core --map-by core /x/p" in words_of(OPEN_MPI, "cores")
    assert "--bind-to hwthread --map-by core --use-hwthread" in words_of(OPEN_MPI, "threads")
    assert "--map-by hwthread --use-hwthread-cpus" in words_of(OPEN_MPI, "siblings")
    assert "--bind-to hwthread --map-by core:hwtcpus /x" in words_of(OPEN_MPI_5, "threads")
    assert "-bind-to core /x/p" in words_of(MPICH, "cores")
    assert "-bind-to hwthread -map-by core /x/p" in words_of(MPICH, "threads")
    assert "-bind-to hwthread /x/p" in words_of(MPICH, "siblings")
    pins: list[tuple[Placing, str | None]] = [("threads", "scatter"), ("siblings", "compact")]
    for placing, order in (("cores", None), *pins):
        own = environment_of(Launch(INTEL, Path("/x/p"), ("ring",), 4, placing=placing), {})
        assert own["I_MPI_PIN_DOMAIN"] == ("core" if order is None else "1")
        assert own.get("I_MPI_PIN_ORDER") == order
    loose = Launch(OPEN_MPI, Path("/x/p"), ("ring",), 4, placing="threads", is_functional=True)
    assert "--map-by" not in command_of(loose)
    assert "--bind-to none" in " ".join(command_of(loose))
    step = Launch(OPEN_MPI, Path("/x/p"), ("ring",), 4, uses_srun=True, placing="threads")
    assert "--cpu-bind=threads" in command_of(step)


def test_ranks_beyond_the_cores_are_as_many_as_another_regime_needs() -> None:
    assert plan.sibling_ranks(Capacity(24, 24)) == []
    assert plan.sibling_ranks(Capacity(24, 48)) == [25, 32, 40, 48]
    assert plan.sibling_ranks(Capacity(4, 8)) == [5, 7, 8]
    assert plan.sibling_ranks(Capacity(2, 4)) == [3, 4], "all there are"
    assert plan.sibling_ranks(Capacity(20, 80)) == [21, 40, 60, 80], "of four threads a core"


def test_only_what_needs_more_ranks_than_cores_is_placed_on_siblings() -> None:
    jobs = plan.jobs(plan.TIERS["quick"], {OPEN_MPI: [SHM]}, Capacity(4, 8), ())

    most = {
        problem: max(j.num_ranks for j in jobs if j.problem == problem)
        for problem in ("ring", "sum3d", "pingpong", "jacobi", "bandwidth")
    }
    assert most == {"ring": 8, "sum3d": 4, "pingpong": 4, "jacobi": 8, "bandwidth": 8}
    assert not any(job.is_functional for job in jobs), "each rank has a hardware thread"
    grids = {job.label for job in jobs if job.problem == "jacobi" and job.num_ranks == 8}
    assert grids == {"jacobi 8x1x1", "jacobi 2x2x2"}
    (pair,) = [job for job in jobs if job.on_siblings]
    assert (pair.label, pair.num_ranks) == ("pingpong siblings", 2)
    assert "placements" in pair.arguments
    plain = plan.jobs(plan.TIERS["quick"], {OPEN_MPI: [SHM]}, Capacity(2, 2), ())
    assert not any(job.on_siblings or "placements" in job.arguments for job in plain)
    single = plan.jobs(plan.TIERS["quick"], {OPEN_MPI: [SHM]}, Capacity(1, 2), ())
    assert {job.label for job in single} >= {"pingpong hot", "pingpong siblings", "jacobi 2x1x1"}


def test_a_run_with_siblings_binds_labels_and_measures_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant_mpi(tmp_path, monkeypatch, Capacity(2, 4))
    monkeypatch.setenv("FAKE_CORES", "2")
    options = RunOptions(
        "quick",
        budget_s=600.0,
        suite=("mpi",),
        only=("jacobi", "ring", "bandwidth", "pingpong"),
        backend=("shm",),
        rounds_max=1,
        results=tmp_path / "results",
    )

    results = read(measure(options, Console(file=io.StringIO())).path)

    assert [skip["message"] for skip in results.skipped] == []
    assert results.manifest["mpi"]["cores_usable"] == 2
    assert results.manifest["mpi"]["cpus_usable"] == 4
    shared = {each.name: each.ranks_per_core for each in jacobi_tables.sweeps(results)}
    assert shared["2x1x1"] == 1
    assert shared["3x1x1 on siblings"] == 2
    assert shared["4x1x1 on siblings"] == 2
    places = [series.pair for series in results.curves() if series.mode == "placements"]
    assert places == ["core", "l3"]
    marks = ring_tables.chart_rows(results)[1]
    assert [(mark["ranks"], mark["boundary"]) for mark in marks] == [(2.5, "SMT siblings")]
    (note,) = [model_tables.scaling_table(results).note]
    assert "beyond the 2 cores, 2 were measured" in note


def on_cores(launch: int, cores: list[int], **more: object) -> dict[str, Any]:
    ranks = [{"host": "a", "core": core, "is_bound": True, **more} for core in cores]
    return {"record": "mpi_program", "launch": launch, "ranks": ranks}


def swept(num_ranks: int, launch: int) -> dict[str, Any]:
    params = {"global_cells": [64] * 3, "topology": [num_ranks, 1, 1]}
    cells = [64 // num_ranks, 64, 64]
    return row("jacobi", f"jacobi {launch}", 1e-3, params=params, local_cells=cells, launch=launch)


def test_a_sweep_on_siblings_is_predicted_with_the_speed_that_siblings_have() -> None:
    slow = [
        {**each, "samples_s": [time / 0.6 for time in each["samples_s"]]}
        if each["label"] == "bandwidth 2" and each["params"]["kernel"] == "stencil"
        else each
        for each in kernels(1.0)
    ]
    rows = [*slow, *ping_pong(FAST_BYTES_PER_S, "hot"), swept(2, 8), swept(2, 9)]
    found: Results = replace(results_of(rows), programs=(on_cores(8, [0, 1]), on_cores(9, [0, 0])))

    apart, together = jacobi_tables.sweeps(found)

    assert (apart.name, together.name) == ("2x1x1", "2x1x1 on siblings")
    assert (apart.ranks_per_core, together.ranks_per_core) == (1, 2)
    assert apart.parts is not None
    assert together.parts is not None
    assert together.parts.compute_s == pytest.approx(apart.parts.compute_s / 0.6)
    assert model_tables.predicted_interval(found, together).value == together.parts.total_s


def test_cores_of_ranks_that_are_bound_to_none_are_not_known() -> None:
    loose = on_cores(1, [0, 0], is_bound=False)
    older = {"record": "mpi_program", "launch": 2, "ranks": [{"host": "a", "core": 3, "cpus": [3]}]}
    both = replace(results_of([]), programs=(loose, older))

    assert both.ranks_per_core(1) is None
    assert both.ranks_per_core(2) == 1
    assert both.ranks_per_core(3) is None


SYNTHETIC = {"HWLOC_SYNTHETIC": "pack:2 core:2 pu:2", "HWLOC_THISSYSTEM": "1"}


@pytest.fixture(scope="module")
def open_mpi_4() -> Installation:
    one = next((each for each in find_installations() if each.id.startswith("openmpi-4")), None)
    if one is None:
        pytest.skip("there is no Open MPI 4 here")
    return one


def mapped(one: Installation, num_ranks: int, placing: Placing) -> str:
    """What Open MPI makes of a launch on two sockets of two cores of two hardware threads: it tells
    its map, and then cannot bind to CPUs that are not here.
    """
    what = Launch(one, Path("/bin/true"), ("x",), num_ranks, placing=placing)
    head, *rest = command_of(what)
    own = {n: text for n, text in environment_of(what).items() if not n.startswith("OMPI_MCA_")}
    done = subprocess.run(
        [head, "--display-map", *rest],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**own, **SYNTHETIC},
    )
    return done.stdout + done.stderr


def test_open_mpi_binds_ranks_as_the_plan_counts_on(
    open_mpi_4: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMPI_MCA_rmaps_base_oversubscribe", "1")  # as users in containers have it
    refused = mapped(open_mpi_4, 8, "cores")
    assert "There are not enough slots" in refused, "a rank on each hardware thread's core"
    cases: list[tuple[int, Placing, list[str]]] = [
        (4, "cores", ["BB/..", "../BB"]),
        (5, "threads", ["B./..", "../B.", ".B/.."]),
        (2, "siblings", ["B./..", ".B/.."]),
    ]
    for num_ranks, placing, bound in cases:
        told = mapped(open_mpi_4, num_ranks, placing)
        for each in bound:
            assert f"[{each}]" in told, told

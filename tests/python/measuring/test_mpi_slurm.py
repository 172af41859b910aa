# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A job on two nodes of Slurm, both of them this machine: submitted, measured, read as any run."""

from __future__ import annotations

import sys
from pathlib import Path

import local_slurm
import pytest
from mpi_programs import program_of
from weft_lab.measuring.mpi import slurm
from weft_lab.measuring.mpi.installations import find_installations
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.suites.mpi.results import read

pytestmark = [
    pytest.mark.skipif(bool(local_slurm.why_not()), reason=local_slurm.why_not()),
]
WORDS = ("--quick", "--only", "pingpong,ring", "--backend", "tcp", "--rounds", "2")


def processes_of(folder: Path) -> list[str]:
    """The command lines of all that was started with the cluster's configuration."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if f"SLURM_CONF={folder}".encode() in (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().decode().replace("\0", " "))
        except OSError:
            continue
    return found


def submitted(cluster: local_slurm.Cluster, program: Path) -> Path:
    """The result folder of a job on both nodes."""
    results = cluster.folder / "results"
    arguments = (*WORDS, "--programs", str(program.parent), "--results", str(results))
    wanted = slurm.Request(
        arguments, nodes=2, minutes=5, program=f"{sys.executable} -P -m weft_lab"
    )
    job = slurm.write(wanted, cluster.folder / "job.sbatch")
    log = cluster.folder / "job.log"
    cluster.call("sbatch", "--wait", f"--output={log}", str(job), timeout_s=150.0)
    found = [path for path in results.iterdir() if path.is_dir() and not path.is_symlink()]
    assert len(found) == 1, log.read_text()
    return found[0]


def test_a_job_on_two_nodes_leaves_a_normal_folder_and_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = next((each for each in find_installations() if each.family == "openmpi"), None)
    program = None if one is None else program_of(one)
    if program is None:
        pytest.skip("there is no Open MPI with a built weft_mpi: ./weft run --suite mpi --quick")
    monkeypatch.setenv("PYTHONPATH", str(CHECKOUT / "python"))
    monkeypatch.setenv("OMPI_MCA_btl_tcp_if_include", "lo")

    with local_slurm.two_nodes(tmp_path) as cluster:
        found = read(submitted(cluster, program))
        assert len(processes_of(tmp_path)) >= len(local_slurm.NODES)

    assert found.manifest["mpi"]["hosts"] == list(local_slurm.NODES)
    assert found.manifest["mpi"]["starter"] == "srun"
    far = [each for each in found.series() if each.is_between_hosts]
    assert [each.hosts for each in far] == [local_slurm.NODES]
    assert len(far[0].launches) == 2
    rings = [case for case in found.cases("ring") if case.label == "ring hosts 2"]
    assert rings
    assert not rings[0].is_functional_only
    assert processes_of(tmp_path) == []


def test_a_node_that_slurm_does_not_have_is_named(tmp_path: Path) -> None:
    from weft_lab.errors import MissingError
    from weft_lab.measuring.mpi.nodes import Nodes, check_reachable

    one = next(iter(find_installations()), None)
    if one is None:
        pytest.skip("there is no MPI here")
    with local_slurm.two_nodes(tmp_path) as cluster, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLURM_CONF", cluster.environment["SLURM_CONF"])
        check_reachable(Nodes((local_slurm.NODES[1],), uses_srun=True), one)
        with pytest.raises(MissingError, match="host 'nowhere' cannot be reached"):
            check_reachable(Nodes((local_slurm.NODES[0], "nowhere"), uses_srun=True), one)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machines that a run may use: the named ones, or those of the Slurm job it runs in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft_lab.errors import MissingError, UsageError
from weft_lab.measuring.mpi.capacity import (
    QUESTION,
    Capacity,
    capacity_from,
    capacity_here,
    threads_of_a_core_from,
    threads_of_a_core_here,
)
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Launch, command_of, environment_of, last_words

JOB_NODES, JOB_CPUS = "SLURM_JOB_NODELIST", "SLURM_JOB_CPUS_PER_NODE"
# A step of Slurm may use all CPUs that its job has on a node, unless one of these variables asks
# for less: srun reads them (srun(1): --exact, --exclusive, --cpus-per-task, --hint,
# --threads-per-core).
LESS = frozenset(
    {
        "SLURM_EXACT",
        "SLURM_EXCLUSIVE",
        "SLURM_HINT",
        "SLURM_THREADS_PER_CORE",
        "SLURM_CPUS_PER_TASK",
        "SRUN_CPUS_PER_TASK",
        "SLURM_TRES_PER_TASK",
    }
)
SHELL = Path("/bin/sh")
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Nodes:
    """The machines of a run.

    `hosts`: empty is this machine alone. `uses_srun`: Slurm's `srun` starts ranks, else the MPI's
    own launcher, which reaches hosts by ssh.
    """

    hosts: tuple[str, ...] = ()
    uses_srun: bool = False

    @property
    def are_several(self) -> bool:
        return len(self.hosts) > 1


def find_nodes(wanted: Sequence[str] = (), environment: Mapping[str, str] = os.environ) -> Nodes:
    """The named hosts; otherwise the nodes of the Slurm job, if there are several; otherwise this
    machine.

    Errors: `UsageError` for a host named twice; `MissingError` if Slurm does not tell its nodes.
    """
    if wanted:
        twice = sorted({host for host in wanted if list(wanted).count(host) > 1})
        if twice:
            raise UsageError(
                what=f"host '{twice[0]}' is named twice",
                why="a message between hosts needs two different ones",
                remedy="name each host once: --hosts a,b",
            )
        return Nodes(tuple(wanted))
    listed = environment.get(JOB_NODES, "")
    if not listed:
        return Nodes()
    hosts = _expanded(listed)
    return Nodes(hosts, uses_srun=True) if len(hosts) > 1 else Nodes()


def check_reachable(nodes: Nodes, one: Installation) -> Capacity:
    """Asks each host; returns the least capacity for ranks of all of them.

    Without hosts, that is this machine's capacity. In a job of Slurm it is limited to the job's.

    Errors: `MissingError` with the host that does not answer.
    """
    capacities = [_capacity_of(host, nodes, one) for host in nodes.hosts]
    of_job = _cpus_of_job()
    if not capacities:
        return room_here()
    least = Capacity(
        min(each.cores for each, _ in capacities), min(each.threads for each, _ in capacities)
    )
    if not nodes.uses_srun:
        return least
    per_core = max(threads for _, threads in capacities)
    if of_job and least.threads < min(of_job):  # this step was given a part of the job's CPUs
        cores = max(least.cores, min(of_job) // per_core)
    else:
        cores = _of_job(least, per_core, of_job).cores
    return Capacity(cores, cores)  # srun gives each rank a core


def room_here() -> Capacity:
    """This machine's capacity for ranks; in a job of Slurm limited to the job's."""
    return _of_job(capacity_here(), threads_of_a_core_here(), _cpus_of_job())


def _of_job(found: Capacity, per_core: int, of_job: Sequence[int]) -> Capacity:
    """The capacity of a process on a node, limited to that of its job. If a process may use more
    than the job has, Slurm does not confine it, and only the job's number of CPUs (hardware
    threads) counts."""
    if not of_job or found.threads <= min(of_job):
        return found
    threads = min(of_job)
    return Capacity(min(found.cores, max(threads // per_core, 1)), threads)


def _capacity_of(host: str, nodes: Nodes, one: Installation) -> tuple[Capacity, int]:
    """A host's capacity for ranks, and the number of hardware threads per core."""
    what = Launch(
        one,
        SHELL,
        ("",),
        1,
        hosts=(host,),
        is_functional=True,  # not bound to one core
        uses_srun=nodes.uses_srun,
    )
    command = command_of(what)
    command = [*command[: command.index(str(SHELL)) + 1], "-c", QUESTION]
    environment = {name: text for name, text in environment_of(what).items() if name not in LESS}
    said, why = _answer(command, environment)
    found = None if why else capacity_from(said)
    if found is None:
        hint = f"srun --nodelist {host} nproc" if nodes.uses_srun else f"ssh {host} nproc"
        raise MissingError(
            what=f"host '{host}' cannot be reached",
            why=why or f"asked for its CPUs it says '{said.strip()[-200:]}'",
            remedy=f"make this work: {hint}; or leave the host out",
        )
    return found, threads_of_a_core_from(said)


def _answer(command: list[str], environment: Mapping[str, str]) -> tuple[str, str]:
    """The output, and the error: one of them is empty."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_S,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return "", f"no answer within {TIMEOUT_S:.0f} s"
    except OSError as error:
        return "", f"cannot start {command[0]}: {error.strerror or error}"
    return (done.stdout, "") if done.returncode == 0 else ("", last_words(done.stderr))


def _cpus_of_job(environment: Mapping[str, str] = os.environ) -> list[int]:
    """CPUs of the job's nodes as Slurm writes them: `24(x2),16`; empty outside of a job."""
    groups = environment.get(JOB_CPUS, "").split(",")
    counts = [group.partition("(")[0] for group in groups]
    return [int(count) for count in counts if count.isdigit()]


def _expanded(listed: str) -> tuple[str, ...]:
    """The names of `n[1-2,7]`, as Slurm itself expands them."""
    scontrol = shutil.which("scontrol")
    if scontrol is None:
        raise MissingError(
            what=f"the nodes of this job, {listed}, are not known by name",
            why="there is no scontrol here",
            remedy="name them: --hosts a,b",
        )
    done = subprocess.run(
        [scontrol, "show", "hostnames", listed],
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    if done.returncode != 0 or not done.stdout.split():
        raise MissingError(
            what=f"the nodes of this job, {listed}, are not known by name",
            why=done.stderr.strip() or f"scontrol ended with {done.returncode}",
            remedy="name them: --hosts a,b",
        )
    return tuple(done.stdout.split())

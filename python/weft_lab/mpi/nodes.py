# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machines that a run may use: those named, or those of the Slurm job it runs in."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft_lab.errors import MissingError, UsageError
from weft_lab.mpi.installations import Installation
from weft_lab.mpi.launching import Launch, command_of, environment_of, last_words

JOB_NODES = "SLURM_JOB_NODELIST"
TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Nodes:
    """`hosts`: empty is this machine alone. `uses_srun`: ranks are started by Slurm's `srun`, else
    by the MPI's own launcher, which reaches hosts by ssh.
    """

    hosts: tuple[str, ...] = ()
    uses_srun: bool = False

    @property
    def are_several(self) -> bool:
        return len(self.hosts) > 1


def find_nodes(wanted: Sequence[str] = (), environment: Mapping[str, str] = os.environ) -> Nodes:
    """The hosts named, else the nodes of the Slurm job there is, if several, else this machine.

    Errors: `UsageError` for a host named twice; `MissingError` where Slurm does not say its nodes.
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


def check_reachable(nodes: Nodes, one: Installation) -> None:
    """Starts `true` on each host. Errors: `MissingError` with the one that does not answer."""
    for host in nodes.hosts:
        command, environment = _greeting(host, nodes, one)
        why = _why_not(command, environment)
        if why:
            hint = f"srun --nodelist {host} true" if nodes.uses_srun else f"ssh {host} true"
            raise MissingError(
                what=f"host '{host}' cannot be reached",
                why=why,
                remedy=f"make this work: {hint}; or leave the host out",
            )


def _greeting(host: str, nodes: Nodes, one: Installation) -> tuple[list[str], dict[str, str]]:
    from pathlib import Path

    program = Path(shutil.which("true") or "/bin/true")
    what = Launch(one, program, ("",), 1, hosts=(host,), uses_srun=nodes.uses_srun)
    command = command_of(what)
    return command[: command.index(str(program)) + 1], environment_of(what)


def _why_not(command: list[str], environment: Mapping[str, str]) -> str:
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
        return f"no answer within {TIMEOUT_S:.0f} s"
    except OSError as error:
        return f"cannot start {command[0]}: {error.strerror or error}"
    return "" if done.returncode == 0 else last_words(done.stderr)


def _expanded(listed: str) -> tuple[str, ...]:
    """The names behind `n[1-2,7]`, as Slurm itself expands them."""
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

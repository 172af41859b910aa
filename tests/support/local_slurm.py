# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Slurm cluster of two nodes on this machine: daemons of its own, in folders of its own."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "sinfo", "unshare", "taskset")
# Of this process alone: another checkout may have a cluster at the same time.
NODES = tuple(f"weft{os.getpid()}n{number}" for number in (1, 2))
READY_S = 30.0
CONFIG = """
ClusterName=weft
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
SelectType=select/linear
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
TmpFS={folder}/tmp.%n
NodeName={first} NodeAddr=127.0.0.1 Port={first_port} CPUs=1
NodeName={second} NodeAddr=127.0.0.1 Port={second_port} CPUs=1
PartitionName=main Nodes={first},{second} Default=YES State=UP
"""


@dataclass(frozen=True)
class Cluster:
    """What a process needs to be a client of it."""

    folder: Path
    environment: dict[str, str]

    def call(self, *command: str, timeout_s: float = 60.0) -> str:
        """What a command prints; fails with what it says."""
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
            env=self.environment,
        )
        assert done.returncode == 0, done.stdout + done.stderr + self.logs()
        return done.stdout

    def logs(self) -> str:
        """The last words of its daemons."""
        found = sorted(self.folder.glob("*.log"))
        return "".join(f"\n{path.name}: {path.read_text()[-1500:]}" for path in found)


def why_not() -> str:
    """Why there can be no such cluster here; empty if there can."""
    if os.geteuid() != 0:
        return "daemons and namespaces need root"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"there is no {', '.join(missing)} (Debian: slurmctld slurmd slurm-client munge)"
    if len(os.sched_getaffinity(0)) < len(NODES):
        return "every node needs a CPU of its own"
    return ""


@contextlib.contextmanager
def two_nodes(folder: Path) -> Iterator[Cluster]:
    """The cluster while entered; all of its processes are gone afterwards, whatever happened."""
    ports = _free_ports(3)
    for name in ("state", *(f"{kind}.{node}" for kind in ("spool", "tmp") for node in NODES)):
        (folder / name).mkdir()
    config = folder / "slurm.conf"
    config.write_text(
        CONFIG.format(
            host=socket.gethostname(),
            folder=folder,
            port=ports[0],
            first=NODES[0],
            first_port=ports[1],
            second=NODES[1],
            second_port=ports[2],
        )
    )
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    folder.chmod(0o755)
    cluster = Cluster(folder, {**os.environ, "SLURM_CONF": str(config)})
    started: list[subprocess.Popen[bytes]] = []
    try:
        for command in _daemons(folder, key):
            started.append(_start(cluster, command))
            if command[0] == "munged":
                _wait_for((folder / "munge.socket").exists, cluster)
        _wait_for(lambda: _num_idle(cluster) == len(NODES), cluster)
        yield cluster
    finally:
        for process in reversed(started):
            _end(process)


def _daemons(folder: Path, key: Path) -> list[list[str]]:
    munge = ["munged", "--foreground", "--force", f"--key-file={key}"]
    munge += [f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid"]
    munge += [f"--seed-file={folder}/munged.seed", f"--log-file={folder}/munged.log"]
    nodes = [
        [
            *("taskset", "-c", str(cpu), "unshare", "--uts", "--pid", "--fork", "--kill-child"),
            *("--mount-proc", "sh", "-c", 'hostname "$0"; exec slurmd -D -N "$0"', node),
        ]
        for node, cpu in zip(NODES, sorted(os.sched_getaffinity(0)), strict=False)
    ]
    return [munge, ["slurmctld", "-D"], *nodes]


def _start(cluster: Cluster, command: list[str]) -> subprocess.Popen[bytes]:
    with (cluster.folder / f"{command[0]}.out.log").open("ab") as out:
        return subprocess.Popen(
            command, stdout=out, stderr=out, env=cluster.environment, start_new_session=True
        )


def _end(process: subprocess.Popen[bytes]) -> None:
    """A node's processes end with the first of its namespace."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(5.0)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _num_idle(cluster: Cluster) -> int:
    done = subprocess.run(
        ["sinfo", "--noheader", "--Node", "--format=%t"],
        capture_output=True,
        text=True,
        check=False,
        env=cluster.environment,
    )
    return done.stdout.split().count("idle")


def _wait_for(is_ready: object, cluster: Cluster) -> None:
    assert callable(is_ready)
    end_s = time.monotonic() + READY_S
    while not is_ready():
        assert time.monotonic() < end_s, f"not ready within {READY_S:.0f} s{cluster.logs()}"
        time.sleep(0.1)


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        every = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in every:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in every]

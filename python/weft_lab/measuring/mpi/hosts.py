# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This machine as two hosts: network namespaces joined by a virtual cable, optionally with a rate.

Measurements between them show this machine's software, never a network: for tests only.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from weft_lab.errors import MissingError

NEEDS = ("ip", "tc", "unshare", "taskset")
INTERFACE = "wv0"
NETWORK = "10.77.0"
PACKET_MAX_BYTES = 30_000
BUCKET_BYTES = 32 << 10
AGENT = """#!/bin/sh
# Stands for ssh: the first word is a host, the rest a command for it.
while [ "${{1#-}}" != "$1" ]; do shift; done
case $1 in
  {first_ip}) name={first} cpu={first_cpu} ;;
  {second_ip}) name={second} cpu={second_cpu} ;;
  *) echo "agent: no host $1" >&2; exit 255 ;;
esac
shift
inside='hostname "$0"; exec sh -c "$1"'
exec taskset -c "$cpu" ip netns exec "$name" unshare --uts sh -c "$inside" "$name" "$*"
"""


@dataclass(frozen=True)
class Hosts:
    """Two hosts: addresses for a launcher, names of the namespaces, and the command that reaches
    them."""

    addresses: tuple[str, str]
    names: tuple[str, str]
    agent: Path

    @property
    def prefix(self) -> tuple[str, ...]:
        """The command under which a launcher runs on the first host."""
        enter = 'hostname "$0"; exec "$@"'
        inside = ("unshare", "--uts", "sh", "-c", enter, self.names[0])
        return ("ip", "netns", "exec", self.names[0], *inside)

    @property
    def network(self) -> str:
        return f"{NETWORK}.0/24"


def why_not() -> str:
    """Why this machine cannot be two hosts; empty if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [name for name in NEEDS if shutil.which(name) is None]
    if missing:
        return f"there is no {', '.join(missing)}"
    probe = f"weft-probe-{os.getpid()}"
    done = subprocess.run(
        ["ip", "netns", "add", probe], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return f"the kernel refuses a network namespace: {done.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return ""


@contextlib.contextmanager
def two_hosts(folder: Path, rate: str = "") -> Iterator[Hosts]:
    """The hosts while entered; namespaces and cable are removed afterwards, also after an error.

    `rate`: as tc writes it, "1gbit". Errors: `MissingError` if a step fails, with its message.
    """
    names = (f"weft{os.getpid()}a", f"weft{os.getpid()}b")
    addresses = (f"{NETWORK}.1", f"{NETWORK}.2")
    cpus = sorted(os.sched_getaffinity(0))
    try:
        for name in names:
            _ip("netns", "add", name)
        _ip(
            "link",
            "add",
            INTERFACE,
            "netns",
            names[0],
            "type",
            "veth",
            "peer",
            "name",
            INTERFACE,
            "netns",
            names[1],
        )
        for name, address in zip(names, addresses, strict=True):
            _ip("-n", name, "addr", "add", f"{address}/24", "dev", INTERFACE)
            _ip("-n", name, "link", "set", INTERFACE, "up")
            _ip("-n", name, "link", "set", "lo", "up")
            if rate:
                _limit(name, rate)
        agent = folder / "agent"
        agent.write_text(
            AGENT.format(
                first_ip=addresses[0],
                first=names[0],
                first_cpu=cpus[0],
                second_ip=addresses[1],
                second=names[1],
                second_cpu=cpus[-1],
            ),
            encoding="utf-8",
        )
        agent.chmod(0o755)
        yield Hosts(addresses, names, agent)
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _limit(name: str, rate: str) -> None:
    """Limits the host's sending to `rate`, with a very small bucket, as a cable has none.

    A bucket fills while the answer of a ping-pong travels, and is then sent at once. With a bucket
    of 256 KiB, messages of 1 MiB were 30 % faster than the cable. A bucket of 16 KiB overflows
    while a timer is late, which costs 5 % of a rate of 1 Gbit/s. Packets with their headers must
    fit into the bucket. Packets should not be much smaller, since each costs timers and interrupts
    on the CPUs that compute.
    """
    _ip("-n", name, "link", "set", "dev", INTERFACE, "gso_max_size", str(PACKET_MAX_BYTES))
    limit = ("tbf", "rate", rate, "burst", str(BUCKET_BYTES), "latency", "400ms")
    _call("tc", "-n", name, "qdisc", "add", "dev", INTERFACE, "root", *limit)


def socket_rate(hosts: Hosts, num_bytes: int = 64 << 20) -> float:
    """Bytes per second of one plain TCP stream from the first host to the second.

    Errors: `MissingError` when it cannot be measured.
    """
    program = [sys.executable, "-c", RECEIVER, hosts.addresses[1], str(num_bytes)]
    command = ["ip", "netns", "exec", hosts.names[1], *program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as receiver:
        assert receiver.stdout is not None
        try:
            receiver.stdout.readline()
            sender = [sys.executable, "-c", SENDER, hosts.addresses[1], str(num_bytes)]
            _call("ip", "netns", "exec", hosts.names[0], *sender)
            told = receiver.stdout.readline()
        finally:
            # Otherwise a receiver whose sender failed would wait for a connection for ever.
            receiver.kill()
    try:
        return float(told)
    except ValueError as error:
        raise MissingError(
            what="the socket transfer gave no rate",
            why=told.strip() or "it said nothing",
            remedy="see its errors",
        ) from error


PORT = 7077
# The first quarter fills the bucket of the rate limit and is not timed.
RECEIVER = f"""
import socket, sys, time
total = int(sys.argv[2])
with socket.create_server((sys.argv[1], {PORT})) as server:
    print("ready", flush=True)
    peer, _ = server.accept()
    got = begin = mark = 0
    while got < total:
        piece = peer.recv(1 << 16)
        if not piece:
            print(f"the sender ended after {{got}} of {{total}} bytes", flush=True)
            sys.exit(1)
        got += len(piece)
        if not begin and got >= total // 4:
            begin, mark = time.monotonic(), got
    print((got - mark) / (time.monotonic() - begin), flush=True)
"""
SENDER = f"""
import socket, sys
with socket.create_connection((sys.argv[1], {PORT})) as peer:
    piece = bytes(1 << 16)
    num_pieces, rest = divmod(int(sys.argv[2]), len(piece))
    for _ in range(num_pieces):
        peer.sendall(piece)
    peer.sendall(piece[:rest])
"""


def _ip(*arguments: str) -> None:
    _call("ip", *arguments)


def _call(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MissingError(
            what=f"'{' '.join(command[:6])}' failed",
            why=done.stderr.strip() or f"exit code {done.returncode}",
            remedy="run as root on a kernel with network namespaces, veth and tbf",
        )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All processes that a command started, also orphaned ones: their resources, and their end."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
# Inherited by every process that a launch starts, also by those that leave its session.
MARK = "LAB_LAUNCH"
KILL_TIMEOUT_S = 10.0
PAUSE_S = 0.02


@dataclass(frozen=True)
class Usage:
    """The resources of all processes of a launch together."""

    num_threads: int = 0
    resident_bytes: int = 0


@dataclass(frozen=True)
class Facts:
    """One line of /proc/PID/stat."""

    pid: int
    session: int
    num_threads: int
    resident_bytes: int


def usage(session: int) -> Usage:
    """Of the processes of one session."""
    members = [facts for facts in _processes() if facts.session == session]
    return Usage(
        sum(facts.num_threads for facts in members), sum(facts.resident_bytes for facts in members)
    )


def kill_all(session: int, mark: str) -> int:
    """Kills every process of the session or with the mark; returns how many were still there.

    A process may start others until it is dead, so this looks again until none is found.
    """
    killed: set[int] = set()
    deadline_s = time.monotonic() + KILL_TIMEOUT_S
    while (found := _found(session, mark)) and time.monotonic() < deadline_s:
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        killed |= found
        time.sleep(PAUSE_S)
    return len(killed)


def _found(session: int, mark: str) -> set[int]:
    own = os.getpid()
    return {
        facts.pid
        for facts in _processes()
        if facts.pid != own and (facts.session == session or _has_mark(facts.pid, mark))
    }


def _processes() -> Iterator[Facts]:
    """Every process that lives; those that are dead and not yet waited for are left out."""
    for name in os.listdir(PROC):  # noqa: PTH208 - names are all that is needed, and it is quicker
        if name.isdecimal():
            facts = _facts(int(name))
            if facts is not None:
                yield facts


def _facts(pid: int) -> Facts | None:
    try:
        text = (PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # The name, in parentheses, may hold anything.
    fields = text.rpartition(")")[2].split()
    if fields[0] in "ZX":
        return None
    page_bytes = os.sysconf("SC_PAGE_SIZE")
    return Facts(pid, int(fields[3]), int(fields[17]), int(fields[21]) * page_bytes)


def _has_mark(pid: int, mark: str) -> bool:
    try:
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return f"{MARK}={mark}".encode() in environment.split(b"\0")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One launch of a bench program: cells are sent line by line, and records come back; death and a
timeout are answers too."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from weft_lab.machine.preload import environment_for
from weft_lab.storage.store import Record

TICK_S = 1.0
CLOSE_TIMEOUT_S = 5.0
STDERR_LINES = 5
ENDED_SILENTLY = "ended with exit code 0 before it answered"


@dataclass(frozen=True)
class Reply:
    """The program answered with a record."""

    record: Record


@dataclass(frozen=True)
class Death:
    """The program ended without answering."""

    cause: str
    last_lines: tuple[str, ...]


@dataclass(frozen=True)
class Silence:
    """No answer in time; the program has been killed."""

    waited_s: float


@dataclass(frozen=True)
class Stopped:
    """The user asked to stop; the program has been killed."""


Answer = Reply | Death | Silence | Stopped


class BenchProcess:
    """A running bench program in a process group of its own.

    `allocator`: one of `preload.LIBRARIES` replaces malloc in it. `grace_s`: the time it may take,
    once its input has ended, to end its own processes outside the group. The group dies with
    `close()`, and on Linux with this process too, however that ends.
    """

    def __init__(
        self,
        command: Sequence[str],
        stop_fd: int | None = None,
        memory_limit_bytes: int | None = None,
        allocator: str = "default",
        grace_s: float = 0.0,
    ) -> None:
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._stop_fd = stop_fd
        self._memory_limit_bytes = memory_limit_bytes
        self._grace_s = grace_s
        self._buffer = b""
        self._process = subprocess.Popen(
            [*die_with_parent(), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env=environment_for(allocator, child_environment(os.environ)),
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, cell: Mapping[str, Any], timeout_s: float) -> Answer:
        """Sends one cell and waits for its record."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(cell).encode() + b"\n")
            self._process.stdin.flush()
        return self.read_record(timeout_s)

    def read_record(self, timeout_s: float) -> Answer:
        """The next record; lines that are not JSON objects (output of libraries) are skipped."""
        start_s = time.monotonic()
        while True:
            record = self._take_record()
            if record is not None:
                return Reply(record)
            waited_s = time.monotonic() - start_s
            if waited_s >= timeout_s:
                self.kill()
                return Silence(waited_s)
            end = self._wait(min(TICK_S, timeout_s - waited_s))
            if end is not None:
                return end

    def close(self) -> None:
        """Ends the input, waits a moment for the program to exit, and kills the remaining
        processes."""
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(CLOSE_TIMEOUT_S)
        self.kill()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._stderr.close()

    def kill(self) -> None:
        """Kills the whole process group and waits for the program."""
        if self._grace_s and self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(self._grace_s)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def __enter__(self) -> BenchProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _take_record(self) -> Record | None:
        while b"\n" in self._buffer:
            line, self._buffer = self._buffer.split(b"\n", 1)
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if isinstance(record, dict):
                    return record
        return None

    def _wait(self, seconds: float) -> Death | Stopped | None:
        assert self._process.stdout is not None
        watched = [self._process.stdout.fileno()]
        if self._stop_fd is not None:
            watched.append(self._stop_fd)
        ready, _, _ = select.select(watched, [], [], seconds)
        if self._stop_fd in ready:
            self.kill()
            return Stopped()
        if watched[0] in ready:
            chunk = os.read(watched[0], 1 << 16)
            self._buffer += chunk
            return None if chunk else self._death()
        return self._check_memory()

    def _check_memory(self) -> Death | None:
        used_bytes = resident_bytes(self.pid)
        if (
            self._memory_limit_bytes is None
            or used_bytes is None
            or used_bytes <= self._memory_limit_bytes
        ):
            return None
        self.kill()
        limit_mib = self._memory_limit_bytes >> 20
        return Death(
            f"used {used_bytes >> 20} MiB of memory, more than the {limit_mib} MiB it may have", ()
        )

    def _death(self) -> Death:
        try:
            code = self._process.wait(CLOSE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.kill()
            return Death("closed its output and did not end", self._last_lines())
        self.kill()
        return Death(_cause(code), self._last_lines())

    def _last_lines(self) -> tuple[str, ...]:
        self._stderr.seek(max(0, self._stderr.seek(0, os.SEEK_END) - 8192))
        lines = self._stderr.read().decode(errors="replace").splitlines()
        return tuple(line for line in lines if line.strip())[-STDERR_LINES:]


def child_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment without OMP_NUM_THREADS: the cell sets the number of threads."""
    return {name: value for name, value in environment.items() if name != "OMP_NUM_THREADS"}


def resident_bytes(pid: int) -> int | None:
    """The process's present memory; None if it has ended or the kernel does not report it."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _cause(code: int) -> str:
    if code >= 0:
        return ENDED_SILENTLY if code == 0 else f"ended with exit code {code} before it answered"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"


@cache
def die_with_parent() -> tuple[str, ...]:
    # A killed lab must not leave a hanging program behind. setpriv (util-linux) uses exec, so the
    # pid stays the same.
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return ()
    prefix = (setpriv, "--pdeathsig", "KILL")
    works = subprocess.run([*prefix, "true"], capture_output=True, check=False)
    return prefix if works.returncode == 0 else ()

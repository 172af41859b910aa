# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one command within limits of time, memory, threads and disk; nothing of it is left after."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from weft_lab.measuring.process import child_environment, die_with_parent
from weft_lab.measuring.stopping import StopSignal
from weft_lab.suites.inncabs.external_tools.process_tree import MARK, Usage, kill_all, usage

TICK_S = 0.25
TICKS_PER_DISK_LOOK = 4
LAST_LINES = 5
TAIL_BYTES = 8192
How = Literal["exited", "signal", "timeout", "memory", "threads", "disk", "stopped", "not_started"]


@dataclass(frozen=True)
class Limits:
    """Beyond these a command is killed. They hold for all of its processes together.

    `threads`: more than a program itself allows a runtime that it tries, so that it can tell how
    far that came.
    """

    time_s: float = 120.0
    memory_bytes: int = 4 << 30
    threads: int = 60_000
    disk_bytes: int = 4 << 30


@dataclass(frozen=True)
class Workplace:
    """The folder of one launch. `output`: for the tool, and the working directory."""

    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / "output"

    @property
    def record(self) -> Path:
        return self.folder / "record.jsonl"

    @property
    def messages(self) -> Path:
        return self.folder / "messages.txt"

    @classmethod
    def make(cls, folder: Path) -> Workplace:
        place = cls(folder.resolve())
        place.output.mkdir()
        return place


@dataclass(frozen=True)
class End:
    """How a command ended. `code`: exit code, or the signal's number.

    Units: seconds from start to end, bytes held at most and left in the output folder.
    """

    how: How
    text: str
    code: int = 0
    wall_s: float = 0.0
    peak_bytes: int = 0
    output_bytes: int = 0
    last_lines: tuple[str, ...] = ()


def run_guarded(
    command: Sequence[str],
    environment: Mapping[str, str],
    place: Workplace,
    limits: Limits,
    stop: StopSignal | None = None,
) -> End:
    """Runs the command in its own session, and kills the remaining processes.

    Errors: none; a command that cannot be started counts as ended.
    """
    mark = uuid.uuid4().hex
    start_s = time.monotonic()
    with place.messages.open("wb") as messages:
        try:
            process = subprocess.Popen(
                [*die_with_parent(), *command],
                cwd=place.output,
                stdin=subprocess.DEVNULL,
                stdout=messages,
                stderr=subprocess.STDOUT,
                env={**child_environment(os.environ), **environment, MARK: mark},
                start_new_session=True,
            )
        except OSError as error:
            return End("not_started", f"could not be started: {error.strerror}")
        try:
            _tame(process.pid)
            end = _Watch(process, place, limits, stop).until_end()
        finally:
            kill_all(process.pid, mark)
            process.wait()
    return replace(
        end,
        wall_s=time.monotonic() - start_s,
        output_bytes=folder_bytes(place.output),
        last_lines=_last_lines(place.messages),
    )


def folder_bytes(folder: Path) -> int:
    """The total size of the files below the folder; files that vanish meanwhile do not count."""
    total = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):
            total += path.lstat().st_size
    return total


class _Watch:
    """Looks at a running command now and then."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        place: Workplace,
        limits: Limits,
        stop: StopSignal | None,
    ) -> None:
        self._process = process
        self._place = place
        self._limits = limits
        self._stop = stop
        self._start_s = time.monotonic()
        self._peak_bytes = 0

    def until_end(self) -> End:
        """Waits for the command, or for the first limit that it exceeds."""
        num_ticks = 0
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return self._ended(self._process.wait(TICK_S))
            num_ticks += 1
            now = usage(self._process.pid)
            self._peak_bytes = max(self._peak_bytes, now.resident_bytes)
            end = self._excess(now) or self._stopped()
            if end is None and num_ticks % TICKS_PER_DISK_LOOK == 0:
                end = self._disk_excess()
            if end is not None:
                return replace(end, peak_bytes=self._peak_bytes)

    def _ended(self, code: int) -> End:
        if code >= 0:
            return End("exited", f"exit code {code}", code, peak_bytes=self._peak_bytes)
        return End("signal", signal_name(-code), -code, peak_bytes=self._peak_bytes)

    def _excess(self, now: Usage) -> End | None:
        limits = self._limits
        if time.monotonic() - self._start_s > limits.time_s:
            return End("timeout", f"not done after {limits.time_s:.0f} s")
        if now.resident_bytes > limits.memory_bytes:
            held, most = now.resident_bytes >> 20, limits.memory_bytes >> 20
            return End("memory", f"held {held} MiB of memory, more than {most} MiB")
        if now.num_threads > limits.threads:
            return End("threads", f"had {now.num_threads} threads, more than {limits.threads}")
        return None

    def _stopped(self) -> End | None:
        is_wished = self._stop is not None and self._stop.requested
        return End("stopped", "stopped on request") if is_wished else None

    def _disk_excess(self) -> End | None:
        written, most = folder_bytes(self._place.folder), self._limits.disk_bytes
        if written <= most:
            return None
        return End("disk", f"wrote {written >> 20} MiB, more than {most >> 20} MiB")


def signal_name(number: int) -> str:
    """`SIGSEGV`, or `signal 99` for one without a name."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _tame(pid: int) -> None:
    """No core files; and if memory runs out all the same, the kernel ends this one first."""
    with contextlib.suppress(OSError, ValueError):
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text("1000", encoding="ascii")


def _last_lines(path: Path) -> tuple[str, ...]:
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - TAIL_BYTES))
        lines = stream.read().decode(errors="replace").splitlines()
    return tuple(line.strip() for line in lines if line.strip())[-LAST_LINES:]

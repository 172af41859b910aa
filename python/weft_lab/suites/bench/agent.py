# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches a user's program and times it: the process between the lab and that program.

It reads cells from standard input and writes records to standard output, as bench programs do. It
runs alone, without the lab's packages: `python -I -S agent.py SETTINGS`. It is a separate process
for two reasons: a program's peak memory counts from that of its parent process, and the lab has
threads that would disturb the clock. It has one thread, which sleeps while a program runs. When its
input ends, it ends all processes that it started, and itself.
"""

# ruff: noqa: PTH123, PTH208 - pathlib would make this process larger, and slower to start

from __future__ import annotations

import contextlib
import ctypes
import json
import math
import os
import re
import resource
import select
import signal
import struct
import sys
import time
from typing import Any

Record = dict[str, Any]
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
OUTPUT_MAX_BYTES = 16 << 20
LAST_LINES = 3
LINE_MAX = 200
TAIL_BYTES = 8192
FLOOR_LAUNCHES = 3
# After the program ends, its child processes have this long to end by themselves.
GRACE_S = 0.2
CHUNK_BYTES = 1 << 16
# Beyond both, the threads of a program wait for a CPU because of each other.
SHARE_WAITED, SHARE_USED = 0.1, 0.9
# perf_event_open: its number by architecture, and (type, config) of its hardware events.
PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241}
HARDWARE = {
    "instructions": (0, 1),
    "cycles": (0, 0),
    "cache_misses": (0, 3),
    "branch_misses": (0, 5),
}
TERMINAL = re.compile(r"\b(tty|terminal|curses|TERM)\b|ioctl", re.IGNORECASE)


class InputEnded(Exception):
    """The lab closed the input while a program was running."""


class Launch:
    """One launch of a program: `run` starts it and waits for it."""

    def __init__(self, path: str, argv: list[str], env: dict[str, str], stdin: str) -> None:
        self.streams: dict[int, bytearray] = {}
        self.is_flooded = False
        self.out = bytearray()
        self.err = bytearray()
        self._stdin = stdin
        self._path, self._argv, self._env = path, argv, env
        self.pid = 0
        self.time_ns = 0

    def run(self, timeout_s: float | None, *, reads_output: bool) -> None:
        """Starts it and waits until it ends, floods its output, or the time is over."""
        error_fd, error_end = os.pipe()
        output_fd, output_end = os.pipe() if reads_output else (-1, -1)
        self.streams = {error_fd: self.err, **({output_fd: self.out} if reads_output else {})}
        try:
            try:
                start_ns = self._start(output_end, error_end)
            finally:
                os.close(error_end)
                if reads_output:
                    os.close(output_end)
            self._wait_for(start_ns, timeout_s)
        finally:
            for fd in self.streams:
                os.close(fd)

    def _start(self, output_end: int, error_end: int) -> int:
        null = os.devnull
        actions: list[tuple[Any, ...]] = [
            (os.POSIX_SPAWN_OPEN, 0, self._stdin or null, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, output_end, 1)
            if output_end >= 0
            else (os.POSIX_SPAWN_OPEN, 1, null, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_DUP2, error_end, 2),
        ]
        defaults = [signal.SIGPIPE, signal.SIGXFSZ]
        start_ns = time.monotonic_ns()
        self.pid = os.posix_spawn(
            self._path, self._argv, self._env, file_actions=actions, setpgroup=0, setsigdef=defaults
        )
        return start_ns

    def _wait_for(self, start_ns: int, timeout_s: float | None) -> None:
        pidfd = os.pidfd_open(self.pid)
        try:
            self._wait(pidfd, start_ns, timeout_s)
        finally:
            os.close(pidfd)

    def _wait(self, pidfd: int, start_ns: int, timeout_s: float | None) -> None:
        poll = select.poll()
        for fd in (pidfd, *self.streams):
            poll.register(fd, select.POLLIN)
        poll.register(0, 0)  # poll reports the end of input without being asked to
        open_ = set(self.streams)
        while True:
            left_ms = None
            if timeout_s is not None:
                left_ms = max(0.0, 1e3 * timeout_s - 1e-6 * (time.monotonic_ns() - start_ns))
            ready = {fd for fd, _ in poll.poll(left_ms)}
            self.time_ns = time.monotonic_ns() - start_ns
            if pidfd in ready:
                for fd in open_:
                    os.set_blocking(fd, False)
                    self._drain(fd)
                return
            if 0 in ready:
                raise InputEnded
            for fd in ready & open_:
                if not self._take(fd):
                    poll.unregister(fd)
                    open_.discard(fd)
            if self.is_flooded or not ready:
                return

    def _drain(self, fd: int) -> None:
        """Reads the rest of the pipe, 16 MiB at most: other processes may continue writing."""
        for _ in range(OUTPUT_MAX_BYTES // CHUNK_BYTES + 1):
            if self.is_flooded or not self._take(fd):
                return

    def _take(self, fd: int) -> bool:
        """Reads the available bytes. Returns False at the end of the stream."""
        try:
            chunk = os.read(fd, CHUNK_BYTES)
        except BlockingIOError:
            return False
        kept = self.streams[fd]
        kept += chunk
        if len(kept) > OUTPUT_MAX_BYTES:
            # Standard error keeps its end only; too much standard output fails the launch.
            self.is_flooded = self.is_flooded or kept is self.out
            del kept[:-TAIL_BYTES]
        return bool(chunk)


def children() -> list[int]:
    """Returns the children of this process, orphans that it adopted included."""
    me = os.getpid()
    every = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    return [pid for pid in every if (status := _stat(pid)) and status[1] == me]


def _stat(pid: int) -> tuple[str, int, str] | None:
    """Name, parent and state; None when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stream:
            text = stream.read()
    except OSError:
        return None
    name, _, rest = text.partition("(")[2].rpartition(")")
    words = rest.split()
    return name, int(words[1]), words[0]


def reap() -> bool:
    """Waits for every child that has ended. Returns whether others still run."""
    while True:
        try:
            pid, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return False
        if pid == 0:
            return True


def end_all(grace_s: float = 0.0) -> list[str]:
    """Kills every process that descends from this one. Returns the names of those killed."""
    names: dict[int, str] = {}  # by pid: one that was killed may take a while to end
    end_s = time.monotonic() + grace_s
    while reap():
        if time.monotonic() >= end_s:
            for pid in children():
                status = _stat(pid)
                if status and status[2] != "Z":
                    names[pid] = status[0]
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
    return list(names.values())


def counter(name: str, unit: str, value: float | None, reason: str = "") -> Record:
    row: Record = {"name": name, "unit": unit, "value": value, "per": "sample"}
    if value is None:
        return {**row, "per": "call", "reason": reason}
    return {**row, "values": [value]}


class HardwareCounters:
    """Counts events of the programs that this process starts, and of their children; never its own.

    Each event is opened on this process, disabled, inherited, and enabled by exec. A program's
    counts are added to the event when it ends. Each has a twin that is not inherited and never
    enabled: without it, Linux may give this process's events to the child at the first switch from
    one to the other (their sets are equal then), and they end with it. `reasons`: why an event
    cannot be counted.
    """

    ATTRIBUTES = struct.Struct("<IIQQQQQ64x")
    READ = struct.Struct("<QQQ")
    WITH_TIMES = 1 | 2  # time enabled, and time running
    TWIN_FLAGS = 1 | 1 << 5 | 1 << 6  # disabled, user mode
    FLAGS = TWIN_FLAGS | 1 << 1 | 1 << 12  # inherit, enable on exec
    CLOSED_BY_EXEC = 8

    def __init__(self, events: dict[str, tuple[int, int]]) -> None:
        self._fds: dict[str, int] = {}
        self.reasons: dict[str, str] = {}
        number = PERF_EVENT_OPEN.get(os.uname().machine)
        for name, event in events.items():
            if number is None:
                self.reasons[name] = "perf_event_open is not known for this architecture"
                continue
            fd = self._open(number, event, self.FLAGS)
            if fd < 0 or self._open(number, event, self.TWIN_FLAGS) < 0:
                error = os.strerror(ctypes.get_errno())
                self.reasons[name] = f"the kernel does not count it here: {error}"
            else:
                self._fds[name] = fd

    def _open(self, number: int, event: tuple[int, int], flags: int) -> int:
        """Opens an event on this process. Returns its descriptor, or -1 and sets errno."""
        library = ctypes.CDLL(None, use_errno=True)
        kind, config = event
        size = self.ATTRIBUTES.size
        fields = (kind, size, config, 0, 0, self.WITH_TIMES, flags)
        text = ctypes.create_string_buffer(self.ATTRIBUTES.pack(*fields), size)
        return int(library.syscall(number, text, 0, -1, -1, self.CLOSED_BY_EXEC))

    def read(self) -> dict[str, tuple[int, int, int]]:
        """Counts so far, with the ns for which each event was enabled and running."""
        found = {}
        for name, fd in self._fds.items():
            data = os.read(fd, self.READ.size)
            if len(data) == self.READ.size:
                found[name] = self.READ.unpack(data)
        return found

    def rows(self, before: dict[str, tuple[int, int, int]]) -> list[Record]:
        """The counts since `before`, as counters of a record. An event that shared a hardware
        counter with others is scaled up to the whole time.
        """
        after = self.read()
        rows = [counter(name, name, None, reason) for name, reason in self.reasons.items()]
        for name, values in after.items():
            if name not in before:
                continue
            count, enabled, running = (b - a for a, b in zip(before[name], values, strict=True))
            known = running > 0
            value = count * enabled / running if known else None
            rows.append(counter(name, name, value, "" if known else "it never ran"))
        return rows


def run_delay_s(pid: int) -> float | None:
    """How long the first thread of a process that ended, and is not reaped, waited for a CPU."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as stream:
            return 1e-9 * int(stream.read().split()[1])
    except (OSError, ValueError, IndexError):
        return None


def delay_of_others(delay_s: float | None, cpu_s: float, time_s: float) -> Record:
    """The counter of the run delay. A program that keeps all its CPUs busy and still waits has more
    threads than CPUs: these waited for each other, and no other program is at fault.
    """
    reason = "the kernel does not tell"
    capacity_s = len(os.sched_getaffinity(0)) * time_s
    if delay_s is not None and delay_s > SHARE_WAITED * time_s and cpu_s > SHARE_USED * capacity_s:
        delay_s, reason = None, "its own threads waited for each other: it has more than CPUs"
    return counter("run_delay", "s", delay_s, reason)


def own_peak_bytes() -> int:
    """Returns this process's peak memory. Every process that it starts begins with that peak."""
    try:
        with open("/proc/self/status", encoding="ascii") as stream:
            line = next(line for line in stream if line.startswith("VmHWM"))
        return int(line.split()[1]) << 10
    except (OSError, StopIteration, ValueError, IndexError):
        return 0


def cause_of(status: int) -> str:
    """A wait status in words."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        try:
            name = signal.Signals(number).name
        except ValueError:
            name = f"signal {number}"
        text = signal.strsignal(number)
        return f"killed by {name}" + (f" ({text})" if text else "")
    return f"ended with exit code {os.WEXITSTATUS(status)}"


def last_words(error: bytearray) -> list[str]:
    lines = bytes(error[-TAIL_BYTES:]).decode("utf-8", "replace").splitlines()
    return [line.strip()[:LINE_MAX] for line in lines if line.strip()][-LAST_LINES:]


class Agent:
    """Answers cells of one contestant with one count of threads."""

    def __init__(self, settings: Record) -> None:
        self._settings = settings
        self._env = {**os.environ}
        for name in settings["unset"]:
            self._env.pop(name, None)
        self._expected = None
        if settings["expect_file"]:
            with open(settings["expect_file"], "rb") as stream:
                self._expected = stream.read(OUTPUT_MAX_BYTES + 1)
        self._patterns = [re.compile(text.encode(), re.MULTILINE) for text in settings["expect"]]
        self._metrics = [
            (row["name"], row["unit"], re.compile(row["pattern"].encode(), re.MULTILINE))
            for row in settings["metrics"]
        ]
        self._warm: set[str] = set()
        self._hardware = HardwareCounters(HARDWARE)
        self._floor_s = self._measure_floor()

    def greeting(self) -> Record:
        return {"schema": 1, "record": "program", "program": "agent", "floor_s": self._floor_s}

    def answer(self, cell: Record) -> Record:
        asked = self._settings["cells"][cell["id"]]
        env = {**self._env, **asked["env"]}
        warmups = 0
        if cell["id"] not in self._warm:
            self._warm.add(cell["id"])
            warmups = self._settings["warmup"]
        for _ in range(warmups):
            failure, _ = self._launch(asked, env)
            if failure:
                return self._record(cell, failure)
        failure, found = self._launch(asked, env)
        return self._record(cell, failure or {**found, "warmup_calls": warmups})

    def _record(self, cell: Record, found: Record) -> Record:
        head = {
            "schema": 1,
            "record": "result",
            "cell": cell,
            "backend": self._settings["name"],
            "toolchain": self._settings["toolchain"],
            "samples_s": [],
            "floor_s": self._floor_s,
        }
        return {**head, **found}

    def _measure_floor(self) -> list[float]:
        """Returns the seconds that launches of `true` take."""
        path = self._settings["floor"]
        times = []
        for number in range(FLOOR_LAUNCHES + 1 if path else 0):
            launch = Launch(path, [path], self._env, "")
            launch.run(None, reads_output=False)
            os.waitpid(launch.pid, 0)
            if number:
                times.append(1e-9 * launch.time_ns)
        return times

    def _launch(self, asked: Record, env: dict[str, str]) -> tuple[Record, Record]:
        """Launches the program once. Returns the failure or the result; the other is empty."""
        settings = self._settings
        if asked["prepare"]:
            shell = Launch("/bin/sh", ["sh", "-c", asked["prepare"]], env, "")
            shell.run(settings["timeout_s"], reads_output=False)
            failure, _ = self._ended(shell, 0, "--prepare ")
            if failure:
                return failure, {}
        reads = bool(self._patterns or self._metrics or self._expected is not None)
        started = time.time()
        own_peak = own_peak_bytes()
        hardware = self._hardware.read()
        launch = Launch(settings["path"], asked["argv"], env, settings["stdin"])
        try:
            launch.run(settings["timeout_s"], reads_output=reads)
        except OSError as error:
            return _failed("crashed", f"cannot be started: {error.strerror}"), {}
        delay_s = run_delay_s(launch.pid)
        failure, usage = self._ended(launch, settings["exit_code"])
        if failure:
            return failure, {}
        output, spoken = bytes(launch.out), bytes(launch.err)
        wrong = self._wrong(output, spoken)
        if wrong:
            return _failed("wrong", wrong), {}
        metrics, missing = self._read_metrics(output + b"\n" + spoken)
        if missing:
            return _failed("wrong", missing), {}
        time_s = 1e-9 * launch.time_ns
        return {}, {
            "status": "ok",
            "samples_s": [time_s],
            "calls_per_sample": 1,
            "statistic": "median",
            "statistic_s": time_s,
            "oversubscribed": settings["oversubscribed"],
            "started_unix_s": started,
            "wall_s": time_s,
            **_resources(usage, time_s, own_peak, delay_s, self._hardware.rows(hardware)),
            "metrics": metrics,
        }

    def _ended(self, launch: Launch, code: int, what: str = "") -> tuple[Record, Any]:
        """Returns the failure, if any, and the resources used; kills processes that are left."""
        if launch.is_flooded or self._is_running(launch.pid):
            return self._killed(launch, what), None
        _, status, usage = os.wait4(launch.pid, 0)
        left = end_all(GRACE_S)
        if os.WIFSIGNALED(status) or os.WEXITSTATUS(status) != code:
            text = what + cause_of(status)
            if code and not os.WIFSIGNALED(status):
                text += f" instead of {code}"
            return _failed("crashed", _with_words(text, launch.err)), None
        if left:
            names = ", ".join(sorted(set(left)))
            count = f"{len(left)} process{'' if len(left) == 1 else 'es'}"
            text = f"{what}left {count} running behind it ({names}): killed; its time would be too"
            return _failed("crashed", f"{text} short"), None
        return {}, usage

    def _killed(self, launch: Launch, what: str) -> Record:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(launch.pid, signal.SIGKILL)
        os.waitpid(launch.pid, 0)
        end_all()
        if launch.is_flooded:
            limit = OUTPUT_MAX_BYTES >> 20
            text = f"wrote more than {limit} MiB of output, which --expect and --metric read"
            return _failed("crashed", f"{what}{text}: killed")
        limit_s = self._settings["timeout_s"]
        text = f"{what}did not end within {limit_s:g} s (--timeout): killed"
        return _failed("hung", _with_words(text, launch.err))

    @staticmethod
    def _is_running(pid: int) -> bool:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def _wrong(self, output: bytes, error: bytes) -> str:
        if self._expected is not None and output != self._expected:
            pairs = zip(output, self._expected, strict=False)
            at = next((n for n, (a, b) in enumerate(pairs) if a != b), None)
            at = min(len(output), len(self._expected)) if at is None else at
            name = self._settings["expect_file"]
            sizes = f"{len(output)} bytes, {len(self._expected)} expected"
            return f"its output differs from {name} at byte {at} ({sizes})"
        for pattern in self._patterns:
            if not pattern.search(output + b"\n" + error):
                return f"its output has no match of --expect '{pattern.pattern.decode()}'"
        return ""

    def _read_metrics(self, output: bytes) -> tuple[list[Record], str]:
        found = []
        for name, unit, pattern in self._metrics:
            matches = pattern.findall(output)
            last = matches[-1] if matches else b""
            text = (last[0] if isinstance(last, tuple) else last).decode("utf-8", "replace")
            try:
                value = float(text)
                if not math.isfinite(value):
                    raise ValueError
            except ValueError:
                said = f"'{text[:40]}' is no number" if matches else "nothing in its output matches"
                return [], f"prints no --metric {name}: {said} ('{pattern.pattern.decode()}')"
            found.append({"name": name, "unit": unit, "value": value})
        return found, ""


def _with_words(text: str, error: bytearray) -> str:
    words = last_words(error)
    text = "; ".join([text, *words])
    if any(TERMINAL.search(line) for line in words):
        text += "; perhaps it wants a terminal, which a measured program does not get"
    return text


def _failed(status: str, message: str) -> Record:
    return {"status": status, "message": message}


def _resources(
    usage: resource.struct_rusage,
    time_s: float,
    own_peak: int,
    delay_s: float | None,
    hardware: list[Record],
) -> Record:
    cpu_s = usage.ru_utime + usage.ru_stime
    peak = usage.ru_maxrss << 10
    # Linux counts a new process's peak from that of the process that started it.
    is_known = peak > own_peak
    return {
        "parallelism": {
            "cpu_over_wall": cpu_s / time_s,
            "threads_active": None,
            "sequential": None,
        },
        "resources": {"peak_rss_bytes": peak if is_known else None, "rss_growth_bytes": None},
        "peak_rss_at_most_bytes": max(peak, own_peak),
        "counters": [
            counter("cpu_time", "s", cpu_s),
            counter("user_time", "s", usage.ru_utime),
            counter("system_time", "s", usage.ru_stime),
            counter("minor_faults", "faults", usage.ru_minflt),
            counter("major_faults", "faults", usage.ru_majflt),
            counter("voluntary_switches", "switches", usage.ru_nvcsw),
            counter("involuntary_switches", "switches", usage.ru_nivcsw),
            delay_of_others(delay_s, cpu_s, time_s),
            *hardware,
        ],
    }


def tell(record: Record) -> None:
    line = json.dumps(record).encode() + b"\n"
    while line:
        line = line[os.write(1, line) :]


def become_parent_of_orphans() -> None:
    """Makes this process the parent of orphaned descendants. No signal ends it when the lab dies:
    it sees the end of its input, and first ends the processes that it started."""
    library = ctypes.CDLL(None)
    library.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    library.prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0)


def main() -> int:
    settings: Record = json.loads(sys.argv[1])
    become_parent_of_orphans()
    os.close(os.pidfd_open(os.getpid()))  # refused: reported here, before anything was started
    if settings["cpus"]:
        os.sched_setaffinity(0, settings["cpus"])
    if settings["directory"]:
        os.chdir(settings["directory"])
    try:
        agent = Agent(settings)
        tell(agent.greeting())
        for line in iter(sys.stdin.buffer.readline, b""):
            tell(agent.answer(json.loads(line)))
    except (InputEnded, BrokenPipeError):
        pass
    finally:
        # Also processes with their own process group.
        end_all()
    return 0


if __name__ == "__main__":
    sys.exit(main())

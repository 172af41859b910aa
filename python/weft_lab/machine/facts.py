# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts that a result depends on beside the programs: processor, memory, compilers, packages,
environment, commit."""

from __future__ import annotations

import json
import os
import platform
import shutil
import socket
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from weft_lab.machine import preload
from weft_lab.machine.toolchains import TOOLCHAINS
from weft_lab.storage.checkout import CHECKOUT

ENVIRONMENT_PREFIXES = ("OMP_", "KMP_", "TBB_", "WEFT_", "GOMP_", "HPX_", "LD_PRELOAD", "MALLOC_")
PACKAGES = ("numpy", "scipy", "polars", "altair", "vl-convert-python", "typer", "rich", "jinja2")
LAST_LEVEL_CACHE_DEFAULT_BYTES = 32 << 20


@dataclass(frozen=True)
class Machine:
    """The machine's facts for the plan. `preloads`: allocators that can replace malloc.

    Units: bytes.
    """

    cpus_usable: int
    memory_bytes: int
    preloads: frozenset[str] = frozenset()


def describe(machine_program: Path | None) -> dict[str, Any]:
    """The machine as `weft_machine` describes it; without that program, the facts that Python alone
    can read."""
    described = _run_json([str(machine_program)]) if machine_program else None
    reason = "weft_machine is not built" if machine_program is None else "weft_machine gave no JSON"
    return {
        "host": socket.gethostname(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpus_usable": cpus_usable(),
        "memory_available_bytes": memory_available_bytes(),
        "last_level_cache_bytes": last_level_cache_bytes(),
        "load_average_1min": _load_average(),
        "cpu_model": _cpu_model(),
        "details": described,
        "details_missing": None if described is not None else reason,
    }


def for_plan() -> Machine:
    """The facts of this machine for the plan."""
    preloads = frozenset(name for name in preload.LIBRARIES if preload.library_of(name))
    return Machine(cpus_usable(), memory_available_bytes(), preloads)


def software() -> dict[str, Any]:
    """Compilers, Python packages, commit and the environment variables that change results."""
    return {
        "compilers": {
            name: _version(shutil.which(name))
            for name in (*(row.compiler for row in TOOLCHAINS), "cmake", "ninja")
        },
        "python": platform.python_version(),
        "packages": {name: _package_version(name) for name in PACKAGES},
        "git": git_state(CHECKOUT),
        "environment": relevant_environment(os.environ),
    }


def relevant_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that the runtimes under test read, and no others: results are made to be
    shared."""
    return {
        name: environment[name]
        for name in sorted(environment)
        if name.startswith(ENVIRONMENT_PREFIXES)
    }


def git_state(folder: Path) -> dict[str, Any]:
    """The commit, its time, and whether tracked files were changed; None outside a repository.

    Units: seconds since 1970.
    """
    commit = _first_line(["git", "-C", str(folder), "rev-parse", "HEAD"])
    status = _output(["git", "-C", str(folder), "status", "--porcelain", "--untracked-files=no"])
    made_s = _first_line(["git", "-C", str(folder), "log", "-1", "--format=%ct"])
    return {
        "commit": commit,
        "commit_unix_s": int(made_s) if made_s and made_s.isdecimal() else None,
        "is_dirty": None if status is None or commit is None else bool(status.strip()),
    }


def cpus_usable() -> int:
    """The affinity mask, or the cgroup's CPU quota rounded up if that is less."""
    count = len(os.sched_getaffinity(0))
    quota = _cgroup_cpu_quota()
    return count if quota is None else max(1, min(count, quota))


def _cgroup_cpu_quota() -> int | None:
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return None if quota == "max" else -(-int(quota) // int(period))
    except (OSError, ValueError):
        return None


def memory_available_bytes() -> int:
    """The available memory of /proc/meminfo, or the cgroup's remaining memory if that is less."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next(
            int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable")
        )
    except (OSError, StopIteration, ValueError):
        available = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    allowed = _cgroup_memory_left()
    return available if allowed is None else min(available, allowed)


def _cgroup_memory_left() -> int | None:
    folder = Path("/sys/fs/cgroup")
    try:
        limit = (folder / "memory.max").read_text(encoding="ascii").strip()
        used = int((folder / "memory.current").read_text(encoding="ascii"))
        return None if limit == "max" else max(0, int(limit) - used)
    except (OSError, ValueError):
        return None


def last_level_cache_bytes() -> int:
    """The largest cache of CPU 0; 32 MiB if the kernel does not report it."""
    sizes = []
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = path.read_text(encoding="ascii").strip()
        if text.endswith("K") and text[:-1].isdecimal():
            sizes.append(int(text[:-1]) << 10)
    return max(sizes, default=LAST_LEVEL_CACHE_DEFAULT_BYTES)


def _cpu_model() -> str | None:
    """The kernel's name of the first processor; None if it has none."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next((name for name in named if name), None)


def _load_average() -> float | None:
    try:
        return os.getloadavg()[0]
    except OSError:
        return None


def _package_version(name: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _run_json(command: Sequence[str]) -> dict[str, Any] | None:
    text = _output(command)
    try:
        value = json.loads(text) if text else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


@cache
def _version(program: str | None) -> str | None:
    """Asked once of each program, since starting compilers takes time."""
    return None if program is None else _first_line([program, "--version"])


def _first_line(command: Sequence[str]) -> str | None:
    lines = (_output(command) or "").splitlines()
    return next((line for line in lines if line.strip()), None)  # nvc++ prints an empty line first


def _output(command: Sequence[str]) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None

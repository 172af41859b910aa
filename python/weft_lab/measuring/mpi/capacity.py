# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The number of ranks that fit a host: one per core, or one per hardware thread of the cores."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from weft_lab.machine import facts as machine

CPUS = Path("/sys/devices/system/cpu")
SIBLINGS = "topology/thread_siblings_list"
# Prints a few lines on any Linux, with standard tools; `capacity_from` parses them.
QUESTION = f"grep ^Cpus_allowed_list: /proc/self/status; grep -sH . {CPUS}/cpu[0-9]*/{SIBLINGS}; :"
ALLOWED_LINE = re.compile(r"^Cpus_allowed_list:\s*([\d,-]+)\s*$", re.MULTILINE)
SIBLINGS_LINE = re.compile(rf"/cpu(\d+)/{SIBLINGS}:([\d,-]+)\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Capacity:
    """The part of a host that a process may use: `cores`, and all their hardware threads (CPUs)."""

    cores: int
    threads: int

    @property
    def has_siblings(self) -> bool:
        """Whether a core has several of the hardware threads."""
        return self.threads > self.cores

    def at_most(self, threads: int) -> Capacity:
        """The capacity limited to that many hardware threads."""
        return Capacity(min(self.cores, threads), min(self.threads, threads))


def capacity_here(cpus: Path = CPUS) -> Capacity:
    """The capacity of this process: its affinity mask, and a cgroup's quota of CPU time if that is
    less.

    `cpus`: the kernel's folder of CPUs.
    """
    allowed = os.sched_getaffinity(0)
    siblings = {cpu: text for cpu in allowed if (text := _text(cpus / f"cpu{cpu}" / SIBLINGS))}
    return capacity_of(allowed, siblings).at_most(machine.cpus_usable())


def capacity_from(said: str) -> Capacity | None:
    """The capacity of a host, from its answer to `QUESTION`; None if the answer is invalid."""
    allowed = ALLOWED_LINE.search(said)
    if allowed is None:
        return None
    siblings = {int(cpu): text for cpu, text in SIBLINGS_LINE.findall(said)}
    return capacity_of(numbers(allowed[1]), siblings)


def threads_of_a_core_here(cpus: Path = CPUS) -> int:
    """Hardware threads per core of this machine, including those that this process may not use."""
    texts = (_text(path) for path in cpus.glob(f"cpu[0-9]*/{SIBLINGS}"))
    return _threads_of_a_core(texts)


def threads_of_a_core_from(said: str) -> int:
    """Hardware threads per core of a host, by its answer to `QUESTION`; unusable ones count."""
    return _threads_of_a_core(text for _, text in SIBLINGS_LINE.findall(said))


def capacity_of(allowed: Collection[int], siblings: Mapping[int, str]) -> Capacity:
    """`siblings`: by CPU the CPUs of its core, as the kernel lists them; a CPU without a list is
    its own core.

    The list identifies the core: the kernel's core numbers repeat in every socket.
    """
    cores = {frozenset(numbers(siblings.get(cpu, str(cpu)))) for cpu in allowed}
    return Capacity(len(cores), len(allowed))


def numbers(listed: str) -> set[int]:
    """The numbers of a list like `0-2,5`."""
    ends = [part.partition("-")[::2] for part in listed.strip().split(",")]
    return {cpu for first, last in ends for cpu in range(int(first), int(last or first) + 1)}


def _threads_of_a_core(listed: Iterable[str]) -> int:
    return max((len(numbers(text)) for text in listed if text), default=1)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except OSError:
        return ""

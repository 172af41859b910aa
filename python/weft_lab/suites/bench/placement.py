# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which CPUs the threads of a launch get, and in which order: `--placement`."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from weft_lab.errors import UsageError

CORES, CLOSE, SPREAD = "cores", "close", "spread"
NAMES = (CORES, CLOSE, SPREAD)
TOPOLOGY = Path("/sys/devices/system/cpu")
WORDS = {
    CORES: "one of each core first",
    CLOSE: "core by core, with all hardware threads of each",
    SPREAD: "of each processor package in turn, one of each core first",
}


def cpus_of(placement: str, threads: Sequence[int], topology: Path = TOPOLOGY) -> tuple[int, ...]:
    """The usable CPUs in the order in which threads get them; empty without a requested affinity.

    A list such as `0,2-5` is that order. Errors: `UsageError` for an invalid placement, a CPU that
    is not usable, or too few of them.
    """
    if placement in NAMES or not placement:
        if not threads:
            _refuse_alone(placement)
            return ()
        return _ordered(placement or CORES, topology)
    found = _listed(placement)
    most = max(threads, default=1)
    if most > len(found):
        what = f"--placement {placement} names {len(found)} CPUs for {most} threads"
        raise UsageError(what, "each thread needs one", "name more CPUs, or fewer --threads")
    return found


def words_of(placement: str) -> str:
    """The order in words."""
    return WORDS.get(placement or CORES, f"in the order {placement}")


def _refuse_alone(placement: str) -> None:
    if placement:
        raise UsageError(
            what=f"--placement {placement} without --threads",
            why="it says which CPUs the threads get, and how many is not said",
            remedy="type --threads 1,2,all, too; or name the CPUs: --placement 0,1",
        )


def _listed(text: str) -> tuple[int, ...]:
    found: list[int] = []
    for part in text.split(","):
        first, dash, last = part.partition("-")
        is_range = first.isdecimal() and (not dash or last.isdecimal())
        if not is_range or int(last or first) < int(first) or int(last or first) >= 1 << 16:
            why = f"'{part}' is neither {', '.join(NAMES)} nor a list of CPUs"
            what = f"--placement '{text}' is wrong"
            raise UsageError(what, why, "type for example --placement close, or --placement 0,2-5")
        found += range(int(first), int(last or first) + 1)
    usable = os.sched_getaffinity(0)
    unknown = [cpu for cpu in found if cpu not in usable]
    if unknown or len(set(found)) < len(found):
        what = f"--placement '{text}' is wrong"
        why = f"CPU {unknown[0]} is not usable here" if unknown else "a CPU is named twice"
        remedy = f"usable are {','.join(map(str, sorted(usable)))}"
        raise UsageError(what, why, remedy)
    return tuple(found)


def _ordered(placement: str, topology: Path) -> tuple[int, ...]:
    packages: dict[str, dict[str, list[int]]] = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        place = topology / f"cpu{cpu}" / "topology"
        package = _text(place / "physical_package_id") or "0"
        core = _text(place / "thread_siblings_list") or str(cpu)
        packages.setdefault(package, {}).setdefault(core, []).append(cpu)
    cores = [list(each.values()) for each in packages.values()]
    if placement == CLOSE:
        return tuple(cpu for package in cores for core in package for cpu in core)
    if placement == SPREAD:
        return tuple(_by_turns(_by_turns(package) for package in cores))
    # By the CPU's number, as the kernel counts cores.
    return tuple(_by_turns(sorted(core for package in cores for core in package)))


def _by_turns(groups: Iterable[Sequence[int]]) -> list[int]:
    """The first of each group, then the second of each, ..."""
    turns = itertools.zip_longest(*groups)
    return [cpu for turn in turns for cpu in turn if cpu is not None]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""

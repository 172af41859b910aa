# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about this machine that decide how reliable its measurements are."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft_lab.machine.facts import cpus_usable, describe

WATCH_S = 0.3
INTERRUPTION_S = 20e-6


@dataclass(frozen=True)
class Fact:
    """A fact about the machine; `value` is None if it is unknown, and `note` says why.

    `is_concern`: it makes measurements less reliable.
    """

    name: str
    value: str | None
    note: str = ""
    is_concern: bool = False


def facts(machine_program: Path | None) -> list[Fact]:
    """Returns the known facts. Cost: half a second, most of it watching for interruptions."""
    described = describe(machine_program)
    return [
        _cpus(),
        _governor(Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")),
        _virtual(Path("/proc/cpuinfo")),
        _load(described["load_average_1min"]),
        _interruptions(interrupted_share(WATCH_S)),
        _counters(described["details"], Path("/proc/sys/kernel/perf_event_paranoid")),
    ]


def _cpus() -> Fact:
    in_mask, usable = len(os.sched_getaffinity(0)), cpus_usable()
    online = os.cpu_count() or in_mask
    if usable < in_mask:
        return Fact("CPUs", f"{usable} usable", f"a cgroup quota; {in_mask} are in the mask", True)
    if in_mask < online:
        return Fact("CPUs", f"{usable} usable", f"the affinity mask; {online} are online", True)
    return Fact("CPUs", f"{usable} usable", "no quota, no affinity mask")


def _governor(path: Path) -> Fact:
    try:
        governor = path.read_text(encoding="ascii").strip()
    except OSError:
        return Fact("frequency governor", None, "the kernel does not show it (a virtual machine?)")
    hint = "" if governor == "performance" else "times may drift while the frequency changes"
    return Fact("frequency governor", governor, hint, bool(hint))


def _virtual(path: Path) -> Fact:
    try:
        is_virtual = " hypervisor" in path.read_text(encoding="utf-8")
    except OSError as error:
        return Fact("virtual machine", None, f"{path}: {error.strerror}")
    note = "neighbours can take processor time away" if is_virtual else ""
    return Fact("virtual machine", "yes" if is_virtual else "no", note, is_virtual)


def _load(load: float | None) -> Fact:
    if load is None:
        return Fact("load, last minute", None, "the kernel does not report it")
    is_busy = load > 0.5
    note = "other programs run; measure when they do not" if is_busy else ""
    return Fact("load, last minute", f"{load:.2f}", note, is_busy)


def interrupted_share(duration_s: float) -> float:
    """Returns the fraction of the time in which this process was ready to run but did not run."""
    start = last = time.perf_counter()
    lost_s = 0.0
    while last < start + duration_s:
        now = time.perf_counter()
        if now - last > INTERRUPTION_S:
            lost_s += now - last
        last = now
    return lost_s / (last - start)


def _interruptions(share: float) -> Fact:
    is_noisy = share > 0.01
    note = "short measurements will scatter" if is_noisy else f"watched for {WATCH_S:.1f} s"
    return Fact("interrupted", f"{100 * share:.2f} % of the time", note, is_noisy)


def _counters(details: dict[str, Any] | None, paranoid: Path) -> Fact:
    """Uses the result of `weft_machine`; before it is built, only the kernel's setting is known."""
    counters = (details or {}).get("counters")
    if isinstance(counters, list):
        hardware = [row for row in counters if row.get("name") in {"cycles", "instructions"}]
        reasons = {str(row["reason"]) for row in hardware if not row["available"]}
        if hardware:
            note = (
                "; ".join(sorted(reasons)) or "through perf_event: neither PAPI nor LIKWID needed"
            )
            return Fact("hardware counters", "no" if reasons else "yes", note)
    try:
        level = paranoid.read_text(encoding="ascii").strip()
    except OSError:
        return Fact("hardware counters", None, "this kernel has no perf_event")
    note = f"known once weft_machine is built; perf_event_paranoid is {level}"
    return Fact("hardware counters", None, note)

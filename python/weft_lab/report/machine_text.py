# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine in words: one line for the top of the page, rows for the paper's Table 2, and what to trust."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft_lab.report import formats
from weft_lab.report.view import Record, RunView

NOISE_GOOD, NOISE_BAD = 0.02, 0.05
LOAD_BUSY_FRACTION = 0.25


@dataclass(frozen=True)
class TrustRow:
    """One fact that decides how far the numbers can be believed; `level` is good, note or bad."""

    name: str
    value: str
    level: str
    help: str = ""


def machine(view: RunView) -> Record:
    """The manifest's machine, empty when the run was cut off before it was described."""
    found = view.manifest.get("machine") or {}
    return found if isinstance(found, Mapping) else {}


def details(view: RunView) -> Record:
    """What the program weft_machine described; empty when it was not built."""
    found = machine(view).get("details") or {}
    return found if isinstance(found, Mapping) else {}


def find(record: Any, *names: str) -> Any:  # noqa: ANN401 - JSON
    """The first of `names` found in a JSON object at any depth, or None."""
    if not isinstance(record, Mapping):
        return None
    for name in names:
        if record.get(name) is not None:
            return record[name]
    nested = (find(value, *names) for value in record.values() if isinstance(value, Mapping))
    return next((value for value in nested if value is not None), None)


def one_line(view: RunView) -> str:
    """`Intel Xeon · 2 CPUs usable · 32 MiB last-level cache · 7.8 GiB memory free`."""
    parts = [str(find(details(view), "cpu_model", "model_name", "model") or "unknown processor")]
    cpus = machine(view).get("cpus_usable")
    parts.append(
        f"{cpus} CPU{'' if cpus == 1 else 's'} usable" if cpus else "unknown number of CPUs"
    )
    cache, memory = (
        machine(view).get("last_level_cache_bytes"),
        machine(view).get("memory_available_bytes"),
    )
    if cache:
        parts.append(f"{cache / (1 << 20):.3g} MiB last-level cache")
    if memory:
        parts.append(f"{memory / (1 << 30):.3g} GiB memory free")
    return " · ".join(parts)


def started(view: RunView) -> str:
    """The start in UTC, or a dash."""
    at = view.manifest.get("started_unix_s")
    return (
        time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
        if isinstance(at, (int, float))
        else formats.UNKNOWN
    )


def machine_rows(view: RunView) -> list[tuple[str, str]]:
    """The paper's Table 2 for this machine; only what is known."""
    here, more = machine(view), details(view)
    software: Record = view.manifest.get("software") or {}
    rows = [
        ("CPU", find(more, "cpu_model", "model_name", "model")),
        ("Architecture", here.get("architecture")),
        ("Core frequency", _megahertz(find(more, "frequency_max_mhz", "cpu_mhz"))),
        (
            "Sockets | NUMA nodes",
            _pair(
                find(more, "sockets", "num_sockets", "packages"),
                find(more, "numa_nodes", "num_numa_nodes"),
            ),
        ),
        (
            "Cores | hardware threads",
            _pair(
                find(more, "cores", "num_cores"),
                find(more, "hardware_threads", "num_cpus", "cpus_online"),
            ),
        ),
        ("Max. #threads used", max((s.cell.threads for s in view.measured), default=None)),
        ("Memory free at the start", _gib(here.get("memory_available_bytes"))),
        ("Last-level cache", _gib(here.get("last_level_cache_bytes"))),
        ("Kernel", here.get("kernel")),
        ("Compilers", _lines((software.get("compilers") or {}).values())),
        ("Libraries", _libraries(view)),
        ("STREAM-like triad, 1 | all threads", _bandwidths(view)),
    ]
    return [(name, str(value)) for name, value in rows if value]


def _pair(first: Any, second: Any) -> str | None:  # noqa: ANN401 - JSON
    known = [formats.UNKNOWN if value is None else _count(value) for value in (first, second)]
    return None if known == [formats.UNKNOWN] * 2 else " | ".join(known)


def _count(value: Any) -> str:  # noqa: ANN401 - JSON
    return str(len(value)) if isinstance(value, (list, tuple, Mapping)) else str(value)


def _megahertz(value: Any) -> str | None:  # noqa: ANN401 - JSON
    return f"{value / 1000:.2f} GHz" if isinstance(value, (int, float)) else None


def _gib(value: Any) -> str | None:  # noqa: ANN401 - JSON
    if not isinstance(value, (int, float)):
        return None
    return f"{value / (1 << 30):.3g} GiB" if value >= 1 << 30 else f"{value / (1 << 20):.3g} MiB"


def _lines(values: Any) -> str:  # noqa: ANN401 - JSON
    return "; ".join(str(value) for value in values if value)


def _libraries(view: RunView) -> str:
    found = {
        f"{name} {version}"
        for program in (view.programs or {}).values()
        for name, version in (program.get("libraries") or {}).items()
    }
    return ", ".join(sorted(found))


def _bandwidths(view: RunView) -> str:
    return " | ".join(
        formats.rate(point.gib_per_s) for point in sorted(view.bandwidth, key=lambda b: b.threads)
    )


def trust_rows(view: RunView) -> list[TrustRow]:
    """The trust box, most decisive first."""
    return [
        _noise(view),
        _wrong(view),
        _load(view),
        _virtual(view),
        _governor(view),
        _quota(view),
        _hardware(view),
        _extent(view),
        _budget(view),
        *_losses(view),
    ]


def _noise(view: RunView) -> TrustRow:
    text = "Two identical copies of the baseline differ by less than this in 95 % of cells"
    if view.noise_floor is None:
        return TrustRow("Noise floor (A/A)", "not known: too few pairs", "note", text)
    level = (
        "good"
        if view.noise_floor <= NOISE_GOOD
        else "note"
        if view.noise_floor <= NOISE_BAD
        else "bad"
    )
    value = f"{formats.percent(view.noise_floor)}; smaller differences than {formats.percent(view.threshold)} are ties"
    return TrustRow("Noise floor (A/A)", value, level, text)


def _wrong(view: RunView) -> TrustRow:
    count = sum(s.status == "wrong" for s in view.summaries)
    checked = sum(s.status in ("ok", "wrong", "implausible") for s in view.summaries)
    value = f"{count} of {checked} cells" if count else f"none in {checked} cells"
    return TrustRow(
        "Wrong answers",
        value,
        "bad" if count else "good",
        "Every answer is checked before it is timed",
    )


def _load(view: RunView) -> TrustRow:
    load, cpus = machine(view).get("load_average_1min"), machine(view).get("cpus_usable") or 1
    steal = find(details(view), "steal_fraction")
    if load is None:
        return TrustRow("Load at the start", "not known", "note")
    text = f"{load:.2f} on {cpus} CPU{'' if cpus == 1 else 's'}"
    if isinstance(steal, (int, float)) and math.isfinite(steal):
        text += f", stolen {formats.percent(steal)}"
    return TrustRow(
        "Load at the start", text, "note" if load > LOAD_BUSY_FRACTION * cpus else "good"
    )


def _fact(view: RunView, name: str, keys: tuple[str, ...], text: str = "") -> TrustRow:
    value = find(details(view), *keys)
    missing = machine(view).get("details_missing") or "not visible here"
    if isinstance(value, Mapping):
        value = value.get("value") or value.get("reason")
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return TrustRow(
        name, str(missing if value is None else value), "note" if value is None else "good", text
    )


def _virtual(view: RunView) -> TrustRow:
    row = _fact(
        view,
        "Virtual machine",
        ("hypervisor", "virtualization", "virtual_machine", "is_virtual_machine"),
    )
    is_bare = row.value in ("no", "none", "")
    return TrustRow(
        row.name,
        row.value or "no",
        "good" if is_bare else "note",
        "Guests see noise of their neighbours",
    )


def _governor(view: RunView) -> TrustRow:
    return _fact(
        view,
        "Frequency governor",
        ("governor", "frequency_governor", "cpu_governor"),
        "powersave and turbo change the clock while measuring",
    )


def _quota(view: RunView) -> TrustRow:
    return _fact(
        view,
        "CPU quota",
        ("cpu_quota", "cgroup_cpu_quota", "quota_cpus", "cpu_quota_cpus"),
        "A cgroup can stop all threads for part of every period",
    )


def _hardware(view: RunView) -> TrustRow:
    name = "Hardware counters"
    values = [s.counters["instructions"] for s in view.measured if "instructions" in s.counters]
    if any(value.value is not None for value in values):
        return TrustRow(name, "available", "good")
    reason = next((value.reason for value in values if value.reason), "none were recorded")
    return TrustRow(name, f"none: {reason}", "note", "Times and software counters do not need them")


def _extent(view: RunView) -> TrustRow:
    launches = [s.launches for s in view.measured]
    if not launches:
        return TrustRow("Launches per cell", "nothing was measured", "bad")
    samples = sum(len(launch) for s in view.measured for launch in s.samples_s)
    spread = (
        f"{min(launches)}"
        if min(launches) == max(launches)
        else f"{min(launches)} to {max(launches)}"
    )
    level = "good" if min(launches) >= 3 else "note"
    value = f"{spread} process launches, {formats.number(len(launches))} cells, {formats.number(samples)} samples"
    return TrustRow("Measured", value, level, "Process launches are the unit of replication")


def _budget(view: RunView) -> TrustRow:
    options: Record = view.manifest.get("options") or {}
    took = view.manifest.get("measured_s")
    status = str(view.manifest.get("status", "unknown"))
    parts = [status] + ([f"{took:.0f} s measured"] if isinstance(took, (int, float)) else [])
    if options.get("budget_s"):
        parts.append(f"budget {options['budget_s']:.0f} s")
    elif options.get("tier"):
        parts.append(f"tier {options['tier']}")
    return TrustRow("Run", ", ".join(parts), "good" if status == "complete" else "note")


def _losses(view: RunView) -> list[TrustRow]:
    implausible = sum(s.status == "implausible" for s in view.summaries)
    rows = []
    if implausible:
        rows.append(
            TrustRow(
                "Impossible times",
                f"{implausible} cells, set aside",
                "bad",
                "They would need more memory bandwidth than the machine has",
            )
        )
    if view.num_lines_lost:
        rows.append(
            TrustRow(
                "Unreadable lines", f"{view.num_lines_lost} in samples.jsonl, left out", "note"
            )
        )
    return rows

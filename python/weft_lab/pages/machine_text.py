# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine in words: one line, rows for the paper's Table 2, and its numbers' reliability."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from weft_lab.machine.neighbours import disturbances
from weft_lab.pages import formats
from weft_lab.pages.lead import extent_text
from weft_lab.pages.view import Record, RunView

NOISE_GOOD, NOISE_BAD = 0.02, 0.05
LOAD_BUSY_FRACTION = 0.25
NOISE_FLOOR = "Noise floor (A/A)"


@dataclass(frozen=True)
class TrustRow:
    """One fact about the reliability of the numbers; `level` is good, note or bad."""

    name: str
    value: str
    level: str
    help: str = ""


def machine(view: RunView) -> Record:
    """The manifest's machine, empty when the run was cut off before it was described."""
    found = view.manifest.get("machine") or {}
    return found if isinstance(found, Mapping) else {}


def details(view: RunView) -> Record:
    """The description by weft_machine; empty if that program was not built."""
    found = machine(view).get("details") or {}
    return found if isinstance(found, Mapping) else {}


def fact(view: RunView, *path: str) -> Any:  # noqa: ANN401 - JSON
    """One value of weft_machine's description, or None when it is not known."""
    found: Any = details(view)
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def one_line(view: RunView) -> str:
    """`Intel Xeon · 2 CPUs usable · 32 MiB last-level cache · 7.8 GiB memory free`."""
    model = fact(view, "cpu", "cpu_model") or machine(view).get("cpu_model")
    parts = [str(model or "unknown processor")]
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
    here = machine(view)
    software: Record = view.manifest.get("software") or {}
    rows = [
        ("CPU", fact(view, "cpu", "cpu_model")),
        ("Architecture", here.get("architecture")),
        (
            "Core frequency",
            _megahertz(fact(view, "cpu", "frequency_max_mhz"), fact(view, "cpu", "cpu_mhz")),
        ),
        ("Sockets | NUMA nodes", _counts(view, "packages", "numa_nodes")),
        ("Cores | hardware threads", _counts(view, "cores", "hardware_threads")),
        ("Max. #threads used", max((s.cell.threads for s in view.measured), default=None)),
        ("Memory free at the start", _gib(here.get("memory_available_bytes"))),
        ("Last-level cache", _gib(here.get("last_level_cache_bytes"))),
        ("Kernel", here.get("kernel")),
        ("Compilers", _lines(_named(software.get("compilers") or {}))),
        ("Libraries", _libraries(view)),
        ("STREAM-like triad, 1 | all threads", _bandwidths(view)),
        ("Machine profile", _profile(view)),
    ]
    return [(name, str(value)) for name, value in rows if value]


def _profile(view: RunView) -> str | None:
    """What weft knew of ./weft tune while it was measured."""
    values = fact(view, "profile", "values")
    count = len(values) if isinstance(values, Mapping) else 0
    return f"weft used {count} values of ./weft tune" if count else None


def _counts(view: RunView, *names: str) -> str | None:
    """`2 | 8`: how many of each the topology lists."""
    lists = [fact(view, "topology", name) for name in names]
    texts = [str(len(found)) if isinstance(found, list) else formats.UNKNOWN for found in lists]
    return None if set(texts) == {formats.UNKNOWN} else " | ".join(texts)


def _megahertz(most: Any, now: Any) -> str | None:  # noqa: ANN401 - JSON
    if isinstance(most, (int, float)):
        return f"{most / 1000:.2f} GHz"
    return f"{now / 1000:.2f} GHz when described" if isinstance(now, (int, float)) else None


def _gib(value: Any) -> str | None:  # noqa: ANN401 - JSON
    if not isinstance(value, (int, float)):
        return None
    return f"{value / (1 << 30):.3g} GiB" if value >= 1 << 30 else f"{value / (1 << 20):.3g} MiB"


def _lines(values: Any) -> str:  # noqa: ANN401 - JSON
    return "; ".join(str(value) for value in values if value)


def _named(versions: Mapping[str, str | None]) -> list[str]:
    """The first line of `--version`; some tools print a bare number."""
    return [
        f"{tool} {line}" if line[:1].isdigit() else line for tool, line in versions.items() if line
    ]


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


def host(view: RunView) -> str:
    """The name of the machine a run was made on."""
    return str(machine(view).get("host") or view.folder.name)


def trust_rows(view: RunView) -> list[TrustRow]:
    """The trust box, most decisive first."""
    return [
        _noise(view),
        _wrong(view),
        _load(view),
        *_neighbours(view),
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
        return TrustRow(NOISE_FLOOR, "not known: too few pairs", "note", text)
    level = (
        "good"
        if view.noise_floor <= NOISE_GOOD
        else "note"
        if view.noise_floor <= NOISE_BAD
        else "bad"
    )
    ties = f"differences smaller than {formats.percent(view.threshold)} are ties"
    value = f"{formats.percent(view.noise_floor)}; {ties}"
    return TrustRow(NOISE_FLOOR, value, level, text)


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
    steal = fact(view, "system", "steal_fraction")
    if load is None:
        return TrustRow("Load at the start", "not known", "note")
    text = f"{load:.2f} on {cpus} CPU{'' if cpus == 1 else 's'}"
    if isinstance(steal, (int, float)) and math.isfinite(steal):
        text += f", stolen {formats.percent(steal)}"
    return TrustRow(
        "Load at the start", text, "note" if load > LOAD_BUSY_FRACTION * cpus else "good"
    )


def _neighbours(view: RunView) -> list[TrustRow]:
    help_ = "Two measurements at once take cores, caches and memory bandwidth from each other"
    return [TrustRow("Disturbed", text, "bad", help_) for text in disturbances(view.manifest)]


def _virtual(view: RunView) -> TrustRow:
    text = "Virtual machines see noise from their neighbours, and the host sets the clock"
    value = fact(view, "cpu", "hypervisor")
    if value is None:
        return TrustRow("Virtual machine", _not_described(view), "note", text)
    return TrustRow("Virtual machine", "yes" if value else "no", "note" if value else "good", text)


def _governor(view: RunView) -> TrustRow:
    value, reason = _value_or_reason(view, "cpu", "governor")
    text = "powersave and turbo change the clock while measuring"
    level = "good" if value == "performance" else "note"
    return TrustRow("Frequency governor", str(value or reason), level, text)


def _quota(view: RunView) -> TrustRow:
    value, reason = _value_or_reason(view, "limits", "quota_cpus")
    text = "A cgroup can stop all threads for part of every period"
    if value is None:
        return TrustRow("CPU quota", reason, "good" if reason == "unlimited" else "note", text)
    return TrustRow("CPU quota", f"{value:g} CPUs", "note", text)


def _value_or_reason(view: RunView, *path: str) -> tuple[Any, str]:
    """weft_machine gives the reason of each unknown value."""
    found = fact(view, *path)
    if not isinstance(found, Mapping):
        return None, _not_described(view)
    return found.get("value"), str(found.get("reason") or "no reason was given")


def _not_described(view: RunView) -> str:
    return f"not known: {machine(view).get('details_missing') or 'weft_machine did not say'}"


def _hardware(view: RunView) -> TrustRow:
    name = "Hardware counters"
    values = [s.counters["instructions"] for s in view.measured if "instructions" in s.counters]
    if any(value.value is not None for value in values):
        return TrustRow(name, "available", "good")
    reason = next((value.reason for value in values if value.reason), "none were recorded")
    return TrustRow(name, f"none: {reason.partition(';')[0]}", "note", reason)


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
    counts = f"{formats.number(len(launches))} cells, {formats.number(samples)} samples"
    value = f"{spread} process launches, {counts}"
    return TrustRow("Measured", value, level, "Process launches are the unit of replication")


def _budget(view: RunView) -> TrustRow:
    options: Record = view.manifest.get("options") or {}
    took = view.manifest.get("measured_s")
    status = str(view.manifest.get("status", "unknown"))
    is_whole = status == "complete" and not extent_text(view)
    parts = [status if is_whole or status != "complete" else "not everything that was asked"] + (
        [f"{took:.0f} s measured"] if isinstance(took, (int, float)) else []
    )
    if options.get("budget_s"):
        parts.append(f"budget {options['budget_s']:.0f} s")
    elif options.get("tier"):
        parts.append(f"tier {options['tier']}")
    return TrustRow("Run", ", ".join(parts), "good" if is_whole else "note")


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

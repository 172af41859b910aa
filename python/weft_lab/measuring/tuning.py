# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine profile: launches of `weft_tune`, and what follows from them.

A value that launches do not agree on is left out of the profile, and the library decides in each
process as it does without one.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft_lab.errors import MissingError, OutputError, WeftError
from weft_lab.statistics.estimates import LEVEL, bootstrap_centre, bootstrap_ratio, median, verdict
from weft_lab.storage import folder_files

PROGRAM = "weft_tune"
LAUNCH_TIMEOUT_S = 300.0
STORES = ("fill", "copy", "map", "scan", "compact", "clear")
TIMING = ("called_ticks", "looped_ticks", "grouped_ticks", "cost_ticks")
AS_FAST = 0.97  # of the fastest: more workers are not worth a difference of 3 %
SPIN_PER_WAKE = 2.0  # searching costs at most as much again as sleeping and being woken
SPIN_US = (20.0, 1000.0)
SIZE_THRESHOLD = 0.03  # a difference between the ways to store that counts

Launch = Mapping[str, Any]
SECTIONS = {
    "stores": "how large ranges are written: with plain or with non-temporal stores (streamed)",
    "workers": "what starting and waking workers takes, and how many memory can keep busy",
    "memory": "what one worker reads",
    "timing": "what the timing of tasks costs, in ticks of the processor's clock",
}


@dataclass(frozen=True)
class Finding:
    """A value of the profile. `text` is as in the file; None: launches do not agree."""

    section: str
    name: str
    text: str | None
    why: str


@dataclass(frozen=True)
class Benefit:
    """A first call's median time without and with the profile."""

    what: str
    without_us: float
    with_us: float
    ratio: float
    low: float | None
    high: float | None

    @property
    def verdict(self) -> str:
        return verdict(self.low, self.high, SIZE_THRESHOLD)


def launch(program: Path, verb: str, profile: str) -> Launch:
    """Runs `weft_tune VERB` with WEFT_PROFILE=`profile`, or as the user set it if that is empty.

    Errors: `WeftError` with the program's own words.
    """
    environment = os.environ | ({"WEFT_PROFILE": profile} if profile else {})
    try:
        done = subprocess.run(
            [str(program), verb],
            env=environment,
            capture_output=True,
            text=True,
            timeout=LAUNCH_TIMEOUT_S,
            check=False,
        )
        answer: Launch = json.loads(done.stdout) if done.returncode == 0 else {}
    except (OSError, subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        raise WeftError(what=f"{program} {verb} failed", why=str(error)) from error
    if done.returncode != 0:
        raise WeftError(
            what=f"{program} {verb} failed", why=done.stderr.strip() or "it said nothing"
        )
    return answer


def built(folder: Path) -> Path:
    """Returns the program in `folder`. Errors: `MissingError` if it is not built."""
    program = folder / PROGRAM
    if not program.is_file():
        raise MissingError(
            what=f"{program} is not built", why="nothing was tuned yet", remedy="run ./weft tune"
        )
    return program


def findings(launches: Sequence[Launch], starts_us: Sequence[float]) -> list[Finding]:
    """What at least two launches of `weft_tune values` say, and the times of `weft_tune start`."""
    return [
        *(_stores(kind, [each["stores"][kind] for each in launches]) for kind in STORES),
        _stream_size(launches),
        *_workers(launches, starts_us),
        *timing(launches),
    ]


def _stores(kind: str, verdicts: Sequence[str]) -> Finding:
    """The way that significantly more than half of the launches prefer, by a sign test."""
    counts = {way: verdicts.count(way) for way in ("plain", "streamed")}
    way, most = max(counts.items(), key=lambda item: item[1])
    count = len(verdicts)
    chance = sum(math.comb(count, k) for k in range(most, count + 1)) / 2.0**count
    why = f"{most} of {count} launches"
    return Finding("stores", kind, f'"{way}"' if chance <= 1.0 - LEVEL else None, why)


def _stream_size(launches: Sequence[Launch]) -> Finding:
    """The smallest size from which on non-temporal stores are faster at every larger one."""
    sizes = [row["bytes"] for row in launches[0]["stream_sizes"]]
    found: int | None = None
    for index, size in reversed(list(enumerate(sizes))):
        rows = [each["stream_sizes"][index] for each in launches]
        ratio = bootstrap_ratio(
            [row["plain_us"] for row in rows], [row["streamed_us"] for row in rows]
        )
        if verdict(ratio.low, ratio.high, SIZE_THRESHOLD) != "faster":
            break
        found = size
    name = "stream_from_bytes"
    if found is None or found < 1 << 20:
        return Finding("stores", name, None, f"not faster at {sizes[-1] >> 20} MiB for certain")
    return Finding("stores", name, str(found), f"faster from {found >> 20} MiB on")


def _workers(launches: Sequence[Launch], starts_us: Sequence[float]) -> list[Finding]:
    wake = _centre("workers", "wake_us", [each["wake_us"] for each in launches])
    wake_us = median([median(each["wake_us"]) for each in launches])
    spin_us = min(max(SPIN_PER_WAKE * wake_us, SPIN_US[0]), SPIN_US[1])
    rows = {
        row["workers"]: [each["reading"][i]["gb_per_s"] for each in launches]
        for i, row in enumerate(launches[0]["reading"])
    }
    rates = {workers: median([median(rate) for rate in found]) for workers, found in rows.items()}
    fastest = max(rates.values())
    enough = min(workers for workers, rate in rates.items() if rate >= AS_FAST * fastest)
    measured = ", ".join(f"{workers}: {rate:.3g} GB/s" for workers, rate in rates.items())
    return [
        _centre("workers", "start_us", [[us] for us in starts_us]),
        wake,
        Finding("workers", "spin_us", _rounded(spin_us), "twice the time of a wake"),
        Finding("workers", "memory_bound", str(enough), f"by workers {measured}"),
        _centre("memory", "worker_gb_per_s", rows[1], "GB/s"),
    ]


def timing(launches: Sequence[Launch]) -> list[Finding]:
    """What timing tasks costs. Workers that know it start faster."""
    return [
        Finding(
            "timing",
            name,
            str(round(median([each["timing"][name] for each in launches]))),
            f"{min(each['timing'][name] for each in launches)} to "
            f"{max(each['timing'][name] for each in launches)} in {len(launches)} launches",
        )
        for name in TIMING
    ]


def _centre(
    section: str, name: str, samples: Sequence[Sequence[float]], unit: str = "us"
) -> Finding:
    """The median of the launches' medians, with its interval."""
    centre = median([median(each) for each in samples])
    interval = bootstrap_centre(samples)
    extent = "" if interval is None else f", {LEVEL:.0%} {_amount(*interval)}"
    return Finding(section, name, _rounded(centre), f"{_amount(centre)}{extent} {unit}")


def _amount(*values: float) -> str:
    """`1630` or `28.4 to 41.2`: three digits, and never an exponent."""
    return " to ".join(f"{value:.0f}" if value >= 100 else f"{value:.3g}" for value in values)


def busy_cpus(seconds: float) -> float | None:
    """How many processors other programs use, watched for a while; None if the kernel hides it."""

    def busy_s() -> float:
        words = Path("/proc/stat").read_text("utf-8").split("\n", 1)[0].split()[1:9]
        user, nice, system, _idle, _waiting, *interrupts_and_stolen = map(int, words)
        return (user + nice + system + sum(interrupts_and_stolen)) / os.sysconf("SC_CLK_TCK")

    try:
        before, start = busy_s(), time.monotonic()
        time.sleep(seconds)
        return (busy_s() - before) / (time.monotonic() - start)
    except (OSError, ValueError):
        return None


def _rounded(value: float) -> str:
    """Two significant digits, as a plain number."""
    digits = 1 - math.floor(math.log10(value))
    return f"{round(value, digits):.{max(digits, 0)}f}"


def benefits(without: Sequence[Launch], with_it: Sequence[Launch]) -> list[Benefit]:
    """Compares the first calls of launches without and with the profile."""
    rows = []
    for what in without[0]:
        sides = [[each[what]] for each in without], [[each[what]] for each in with_it]
        ratio = bootstrap_ratio(*sides)
        before_us, after_us = (median([us for [us] in side]) for side in sides)
        rows.append(Benefit(what, before_us, after_us, ratio.value, ratio.low, ratio.high))
    return rows


def profile_text(found: Sequence[Finding], origin: Mapping[str, str], date: str) -> str:
    """The file, in the part of TOML that the library reads."""
    lines = [
        f"# What weft measured on this machine on {date}, written by ./weft tune.",
        "# Every program that uses weft reads it. WEFT_PROFILE=off prevents that.",
        "# You may change values or remove lines; ./weft explain profile shows what is in force.",
        "format = 1",
        "",
        "[origin]  # on any other machine, and by any other weft, this file is refused",
        *(f'{key} = "{value}"' for key, value in origin.items()),
    ]
    for section, meaning in SECTIONS.items():
        lines += ["", f"[{section}]  # {meaning}"]
        for each in found:
            if each.section == section:
                known = f"{each.name} = {each.text}" if each.text else f"# {each.name}: cannot tell"
                lines.append(f"{known}  # {each.why}" if each.text else f"{known}, {each.why}")
    return "\n".join(lines) + "\n"


def write(text: str, file: Path) -> Path | None:
    """Writes the profile at once or not at all. Returns where the profile before it is kept."""
    kept = file.with_name(file.name + ".before")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        had_one = file.is_file()
        if had_one:
            folder_files.write(file.parent, kept.name, file.read_bytes())
        folder_files.write(file.parent, file.name, text)
    except OSError as error:
        raise OutputError(
            what=f"the profile cannot be written to {file}",
            why=error.strerror or str(error),
            remedy="name another place with --output, and set WEFT_PROFILE to it",
        ) from error
    return kept if had_one else None

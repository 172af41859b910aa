# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine profile: launches of `weft_tune`, and what follows from them.

A value that launches do not agree on is left out of the profile: the library then decides as it
does without one.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
WIDEST = 1.5  # upper over lower end of an interval: a wider one is no result
SPIN_PER_WAKE = 2.0  # a worker that parks and is woken at once has lost about a third of its time
SPIN_US = (20.0, 1000.0)
WAKE_US_MIN = 0.5  # the least that the library accepts
SIZE_THRESHOLD = 0.03  # a difference between the ways to store that counts

Launch = Mapping[str, Any]
SECTIONS = {
    "stores": "how large ranges are written: with plain or with non-temporal stores (streamed)",
    "workers": "what starting and waking workers takes",
    "memory": "how many workers read it as fast as all, and what one of them reads",
    "timing": "what the timing of tasks costs, in ticks of the processor's clock",
}
WHOLE = ("memory",)  # sections whose values mean nothing without the others


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
    """What several launches of `weft_tune values` say, and the times of `weft_tune start`."""
    found = [
        *(_stores(kind, [each["stores"][kind] for each in launches]) for kind in STORES),
        _stream_size(launches),
        _centre("workers", "start_us", [[us] for us in starts_us], "us"),
        *_wake(launches),
        *_memory(launches),
        *timing(launches),
    ]
    broken = {each.section for each in found if each.text is None} & set(WHOLE)
    return [replace(each, text=None) if each.section in broken else each for each in found]


def _stores(kind: str, verdicts: Sequence[str]) -> Finding:
    """The way that more than half of the launches prefer, by a two-sided sign test."""
    counts = {way: verdicts.count(way) for way in ("plain", "streamed")}
    way, most = max(counts.items(), key=lambda item: item[1])
    count = len(verdicts)
    chance = 2.0 * sum(math.comb(count, k) for k in range(most, count + 1)) / 2.0**count
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


def _wake(launches: Sequence[Launch]) -> list[Finding]:
    """The time of a wake, and how long a worker searches before it parks."""
    wake = _centre("workers", "wake_us", [each["wake_us"] for each in launches], "us", WAKE_US_MIN)
    if wake.text is None:
        return [wake, Finding("workers", "spin_us", None, "it follows from wake_us")]
    wanted_us = SPIN_PER_WAKE * float(wake.text)
    spin_us = min(max(wanted_us, SPIN_US[0]), SPIN_US[1])
    why = "twice the time of a wake" if spin_us == wanted_us else "the limit of what pays"
    return [wake, Finding("workers", "spin_us", _rounded(spin_us), why)]


def _memory(launches: Sequence[Launch]) -> list[Finding]:
    """The fewest workers that certainly read as fast as the fastest number."""
    rates = {
        row["workers"]: [each["reading"][i]["gb_per_s"] for each in launches]
        for i, row in enumerate(launches[0]["reading"])
    }
    centres = {
        workers: median([median(rate) for rate in found]) for workers, found in rates.items()
    }
    fastest = max(centres, key=lambda workers: centres[workers])
    enough = next(
        workers
        for workers in rates
        if workers == fastest or _is_as_fast(rates[workers], rates[fastest])
    )
    measured = ", ".join(f"{workers}: {rate:.3g} GB/s" for workers, rate in centres.items())
    return [
        Finding("memory", "workers", str(enough), f"by workers {measured}"),
        _centre("memory", "worker_gb_per_s", rates[1], "GB/s"),
        Finding(
            "memory", "cache_bytes", str(launches[0]["cache_bytes"]), "as the kernel lists them"
        ),
    ]


def _is_as_fast(rates: Sequence[Sequence[float]], fastest: Sequence[Sequence[float]]) -> bool:
    low = bootstrap_ratio(fastest, rates).low
    return low is not None and low >= AS_FAST


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
    section: str, name: str, samples: Sequence[Sequence[float]], unit: str, least: float = 0.0
) -> Finding:
    """The median of the launches' medians, at least `least`, if its interval is narrow."""
    centre = max(median([median(each) for each in samples]), least)
    interval = bootstrap_centre(samples)
    extent = "" if interval is None else f", {LEVEL:.0%} {_amount(*interval)}"
    is_narrow = interval is not None and 0.0 < interval[1] <= WIDEST * interval[0]
    why = f"{_amount(centre)}{extent} {unit}"
    return Finding(section, name, _rounded(centre) if is_narrow else None, why)


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
    build = origin["build"]
    lines = [
        f"# What weft measured on this machine on {date}, written by ./weft tune.",
        "# Every program that uses weft reads it. WEFT_PROFILE=off prevents that.",
        "# You may change values or remove lines; ./weft explain profile shows what is in force.",
        "format = 1",
        "",
        "[origin]  # other kinds of machines and other versions of weft refuse this file",
        *(f'{key} = "{value}"' for key, value in origin.items() if key != "build"),
    ]
    for section, meaning in SECTIONS.items():
        lines += ["", f"[{section}]  # {meaning}"]
        if section == "timing":
            lines.append(f'build = "{build}"  # other builds measure it themselves')
        for each in found:
            if each.section == section:
                known = f"{each.name} = {each.text}" if each.text else f"# {each.name}: cannot tell"
                lines.append(f"{known}  # {each.why}" if each.text else f"{known}, {each.why}")
    return "\n".join(lines) + "\n"


def check(program: Path, text: str) -> None:
    """Lets the library read the profile before any program does.

    Errors: `WeftError` if it would refuse the profile.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "profile.toml"
        file.write_text(text, encoding="utf-8")
        problem = launch(program, "in-force", str(file))["problem"]
    if problem:
        raise WeftError(what="the library refuses what was measured", why=problem)


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

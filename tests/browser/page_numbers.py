# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An independent reading of a result folder: medians from raw lines, with no code of the lab."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from statistics import median

Key = tuple[str, str, int, int]  # algorithm, backend, size, threads
UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
DIGITS_SHOWN = 3


def medians_of(folder: Path) -> dict[Key, float]:
    """Seconds per call: the median over launches of each launch's median."""
    launches: dict[Key, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for line in (folder / "samples.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["record"] != "result" or record["status"] != "ok" or "#" in record["variant"]:
            continue
        cell = record["cell"]
        if cell["allocator"] != "default":
            continue
        params = [f"{name}={value}" for name, value in cell["params"].items()]
        label = " ".join([cell["problem"], *params])
        key = (label, record["backend"], cell["size"], cell["threads"])
        launches[key][record["launch"]] += record["samples_s"]
    return {
        key: median(median(samples) for samples in by_launch.values())
        for key, by_launch in launches.items()
    }


def wrong_numbers(rows: list[list[str]], folder: Path) -> list[str]:
    """What in the page's table of times differs from the raw samples by more than rounding."""
    expected = medians_of(folder)
    found = []
    for row in rows:
        label, backend, size, threads, time = row[:5]
        key = (label, backend, _size(size), int(threads))
        if key not in expected:
            found.append(f"{key} is in the page, but not in the samples")
        elif not _is_rounding(_seconds(time), expected[key]):
            found.append(f"{key}: the page says {time}, the samples say {expected[key]:.6g} s")
    return found


def _is_rounding(shown: float, true: float) -> bool:
    # Three digits are shown, so the last may be off by a half: 0.5 % of a number such as 1.00.
    return abs(shown - true) <= 0.0051 * true


def _seconds(text: str) -> float:
    number, unit = text.split()
    return float(number) * UNITS[unit]


def _size(text: str) -> int:
    raised = re.fullmatch(r"2([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    return 1 << int(raised[1].translate(RAISED)) if raised else int(re.sub(r"\s", "", text))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that the bandwidth probe agrees with the STREAM-style reference on an idle machine.

compare_bandwidth.py PROBE REFERENCE [ELEMENTS [THREADS [LIMIT_PERCENT]]]: exit code 1 if a kernel
differs by more than the limit (default 5 %). Launches alternate; each side's best median counts.
"""

import json
import subprocess
import sys

KERNELS = ("copy", "scale", "add", "triad")
LAUNCHES = 3


def probe_bytes_per_s(probe: str, elements: str, threads: str) -> dict[str, float]:
    """Return each kernel's rate at the median of the probe's samples."""
    options = ["--problem", ",".join(KERNELS), "--size", elements, "--threads", threads]
    command = [probe, *options, "--min-samples", "20", "--json"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    results = [json.loads(line) for line in text.splitlines()[1:]]
    return {r["cell"]["problem"]: r["bytes_min"] / r["statistic_s"] for r in results}


def reference_bytes_per_s(reference: str, elements: str, threads: str) -> dict[str, float]:
    """Return each kernel's median rate as the reference prints it."""
    command = [reference, elements, threads]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split() for line in text.splitlines()]
    return {name: float(median) for name, median, _best in rows}


def main(arguments: list[str]) -> int:
    """Alternate launches of both programs, print the comparison, return the exit code."""
    probe, reference, *rest = arguments
    elements, threads, limit_percent = [*rest, *("16777216", "1", "5")[len(rest) :]]
    ours = dict.fromkeys(KERNELS, 0.0)
    theirs = dict.fromkeys(KERNELS, 0.0)
    for _ in range(LAUNCHES):
        for rates, found in (
            (ours, probe_bytes_per_s(probe, elements, threads)),
            (theirs, reference_bytes_per_s(reference, elements, threads)),
        ):
            for kernel in KERNELS:
                rates[kernel] = max(rates[kernel], found[kernel])
    worst = 0.0
    for kernel in KERNELS:
        difference = 100 * (ours[kernel] / theirs[kernel] - 1)
        worst = max(worst, abs(difference))
        print(
            f"{kernel:6} probe {ours[kernel] / 1e9:7.2f} GB/s,"
            f" reference {theirs[kernel] / 1e9:7.2f} GB/s, difference {difference:+.1f} %"
        )
    return 1 if worst > float(limit_percent) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

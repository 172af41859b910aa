# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for mpirun, and for the suite's program behind it: times follow a known law.

By MPI a message takes 0.5 us over shared memory and 10 us by tcp, and 1 ns for each 8 bytes. A call
of a task takes 2.5 times a round trip over shared memory, and 1.4 times one by tcp. Posts have four
times MPI's rate. Vectors have 0.95 of MPI's bandwidth over shared memory and 0.5 by tcp. A runtime
takes 100 KiB and 20 KiB for each peer. Batches of updates have 1.25 times MPI's rate over shared
memory and 0.8 by tcp. A step of heat takes 2 us more than the computation over shared memory, and
20 us by tcp. Two ranks search a tree with an efficiency of 0.95 over shared memory and 0.8 by tcp.
`WEFT_FAKE_WRONG` names a cell whose answers are wrong, `WEFT_FAKE_DEATH` one that dies.
"""

from __future__ import annotations

import json
import os
import random
import sys
from typing import Any

MESSAGE_S = {"shm": 0.5e-6, "tcp": 10e-6}
CALL = {"shm": 2.5, "tcp": 1.4}
BANDWIDTH = {"shm": 0.95, "tcp": 0.5}
CALLERS = ("weft_task", "weft_thread")


def main(arguments: list[str]) -> int:
    if "--version" in arguments:
        print("mpirun (Open MPI) 4.1.4")
        return 0
    ranks = int(arguments[arguments.index("-n") + 1])
    start = next(i for i, word in enumerate(arguments) if word.endswith("weft_mpi_calls"))
    name, rest = arguments[start + 1], arguments[start + 2 :]
    transport = "tcp" if any("tcp" in word for word in arguments[:start]) else "shm"
    samples = int(rest[rest.index("--samples") + 1])
    _say({"record": "mpi_program", "library": "Open MPI v4.1.4", "num_workers": 1})
    for params, contestants in _cases(name, transport, ranks, rest):
        for contestant, series in contestants.items():
            is_wrong = os.environ.get("WEFT_FAKE_WRONG") == name
            answer = (
                {"status": "wrong", "message": f"{name} by {contestant}: an answer was wrong"}
                if is_wrong
                else {"status": "ok", **_noisy(series, samples)}
            )
            _say(
                {
                    "record": "mpi_result",
                    "suite": "distributed",
                    "cell": name,
                    "contestant": contestant,
                    "params": params,
                    "num_ranks": ranks,
                    "is_functional_only": "--functional" in rest,
                    **answer,
                }
            )
    if os.environ.get("WEFT_FAKE_DEATH") == name:
        print("rank 1 was killed", file=sys.stderr)
        return 137
    return 4 if os.environ.get("WEFT_FAKE_WRONG") == name else 0


Series = dict[str, float]


def _cases(
    name: str, transport: str, ranks: int, rest: list[str]
) -> list[tuple[dict[str, Any], dict[str, Series]]]:
    one_s = MESSAGE_S[transport]
    small = {"size_bytes": 8}
    if name == "bandwidth":
        return [_vector(int(size), transport) for size in _sizes(rest)]
    if name == "collective":
        both = _beside(2 * one_s, 2.1 * one_s)
        return [({"operation": what}, both) for what in ("barrier", "all_reduce")]
    if name in ("gups", "heat", "uts"):
        return _program(name, is_tcp=transport == "tcp")
    if name == "idle":
        return [
            ({"state": state}, {"mpi": {"cpu_share": raw}, "weft_thread": {"cpu_share": 0.004}})
            for state, raw in (("asleep", 0.0001), ("at a barrier", 0.99))
        ]
    if name == "memory":
        heap = {"heap_bytes": (100 + 20 * ranks) * 1024.0}
        return [({}, {"mpi": {"heap_bytes": 9000.0}, "weft_thread": heap})]
    weft = {"call_s": 25e-6, "p99_s": 45e-6}
    found = {
        "round_trip": _beside(2 * one_s, 2 * one_s * CALL[transport]),
        "post_rate": _beside(one_s / 2, one_s / 8),
        "busy_round_trip": {"mpi": {"call_s": 20e-6, "p99_s": 30e-6}, "weft_task": weft},
    }
    return [(small, found[name])]


def _beside(mpi_s: float, weft_s: float) -> dict[str, Series]:
    return {"mpi": {"call_s": mpi_s}, **{who: {"call_s": weft_s} for who in CALLERS}}


def _program(name: str, *, is_tcp: bool) -> list[tuple[dict[str, Any], dict[str, Series]]]:
    if name == "gups":
        times = {"mpi": 15e-9, "alone": 10e-9, "weft_batches": (18.75 if is_tcp else 12.0) * 1e-9}
        times["weft_task"] = 300e-9
        return [({"look_ahead": 1024, "table_bytes": 1 << 23}, _calls(times))]
    if name == "heat":
        more = 20e-6 if is_tcp else 2e-6
        return [
            ({"cells": n}, _calls({"mpi": s + 1e-6, "alone": s, "weft_task": s + more}))
            for n, s in ((1 << 15, 10e-6), (1 << 18, 100e-6), (1 << 21, 1e-3))
        ]
    times = {"alone": 300e-9, "weft_task": 150e-9 / (0.8 if is_tcp else 0.95)}
    return [({"nodes": 1031269}, _calls(times))]


def _calls(times: dict[str, float]) -> dict[str, Series]:
    return {who: {"call_s": seconds} for who, seconds in times.items()}


def _vector(size: int, transport: str) -> tuple[dict[str, Any], dict[str, Series]]:
    raw_s = MESSAGE_S[transport] + 1e-9 * size / 8
    times = {"mpi": raw_s, "mpi_fresh_memory": 1.2 * raw_s}
    times["weft_task"] = 1.2 * raw_s / BANDWIDTH[transport]
    return {"size_bytes": size, "at_once": 4}, {who: {"call_s": s} for who, s in times.items()}


def _sizes(rest: list[str]) -> list[str]:
    return rest[rest.index("--sizes") + 1].split(",")


def _noisy(series: Series, samples: int) -> dict[str, list[float]]:
    is_counted = "heap_bytes" in series
    launch = 1.0 if is_counted else random.lognormvariate(0.0, 0.003)
    return {
        name: [
            value * launch * (1.0 if is_counted else random.lognormvariate(0.0, 0.003))
            for _ in range(samples)
        ]
        for name, value in series.items()
    }


def _say(record: dict[str, Any]) -> None:
    print(json.dumps({"schema": 1, **record}), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

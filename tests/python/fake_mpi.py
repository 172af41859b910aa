# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for mpirun and the bench program: answers with records whose times follow a known law.

What goes wrong is chosen by the problem's arguments: `--size 13,13,13` dies, `--size 14,14,14`
hangs, `--impl isend` finds a wrong answer. Shared memory is as fast as 0.3 us, tcp as 5 us. There
are as many cores as FAKE_CORES says, or one for each rank; each has two hardware threads.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from typing import Any

LATENCIES_S = {"vader": 0.3e-6, "tcp": 5e-6}
REFUSED = ("openib", "ucx")


def main(arguments: list[str]) -> int:
    if "--version" in arguments:
        print("mpirun (Open MPI) 4.1.4")
        return 0
    text = " ".join(arguments)
    if any(name in text for name in REFUSED):
        print("-----\nNo components were able to be opened in the pml framework.", file=sys.stderr)
        return 1
    ranks = int(arguments[arguments.index("-n") + 1])
    cores = int(os.environ.get("FAKE_CORES", ranks))
    if "--bind-to core" in text and ranks > cores:
        print("There are not enough slots available in the system", file=sys.stderr)
        return 1
    start = next(i for i, word in enumerate(arguments) if word.endswith("weft_mpi"))
    problem, options = arguments[start + 1], _options(arguments[start + 2 :])
    latency = next((s for name, s in LATENCIES_S.items() if name in text), 0.3e-6)
    if "btl_base_verbose" in text:
        used = next((name for name in LATENCIES_S if name in text), "none")
        print(f"mca: bml: Using {used} btl for send", file=sys.stderr)
    caches = {"L1": 48 << 10, "L2": 3 << 20}
    is_packed = "--map-by hwthread" in text
    places = [
        {
            "host": "here",
            "cpus": [i],
            "core": i // 2 if is_packed else i % cores,
            "data_caches_bytes": caches,
        }
        for i in range(ranks)
    ]
    functional = options.get("functional") == "yes"
    _say({"record": "mpi_program", "ranks": places, "num_ranks": ranks})
    if options.get("size") == "14,14,14":
        time.sleep(60)
    for params, seconds, more in _cases(problem, options, ranks, latency):
        noise = random.random()
        samples = [seconds * (1.0 + 0.01 * noise + 0.001 * i) for i in range(5)]
        _say(
            {
                "record": "mpi_result",
                "suite": "mpi",
                "status": "ok",
                "problem": problem,
                "params": params,
                "samples_s": samples,
                "num_ranks": ranks,
                "is_functional_only": functional,
                **more,
                **({"pair": "core"} if is_packed else {}),
            }
        )
    if options.get("size") == "13,13,13":
        print("a rank died on signal 9", file=sys.stderr)
        return 137
    if options.get("impl") == "isend":
        _say(
            {"record": "mpi_result", "status": "wrong", "message": "another's tag", "samples_s": []}
        )
        return 4
    return 0


def _cases(
    problem: str, options: dict[str, str], ranks: int, latency: float
) -> list[tuple[dict[str, Any], float, dict[str, Any]]]:
    if problem == "pingpong":
        mode, cache = options.get("mode", "pingpong"), options.get("cache", "hot")
        return [
            (
                {"mode": mode, "size_bytes": int(size), "cache": cache},
                latency + int(size) / 1e10,
                {
                    "pair": "l3",
                    "pair_ranks": [0, ranks - 1],
                    "send_s": 1e-7,
                    "receive_s": 1e-7,
                    "gap_s": 1e-7,
                },
            )
            for size in options["sizes"].split(",")
        ]
    if problem == "ring":
        return [({"impl": "sendrecv"}, ranks * 1e-6, {})]
    if problem == "sum3d":
        share = 0.87 if options.get("barrier") == "no" else 0.2
        spent = {"wait": 0.0, "scatter": share, "compute": 0.01, "gather": 0.99 - share}
        phases = {name: [value * 1e-3] * ranks for name, value in spent.items()}
        size = [int(side) for side in options["size"].split(",")]
        return [
            (
                {"a": options.get("a", "0"), "size": size},
                1e-3,
                {"rank_phases_s": phases, "loads": [1]},
            )
        ]
    if problem == "jacobi":
        side = int(options["size"].split(",")[0])
        grid = [int(part) for part in options["topology"].split(",")]
        seconds = side**3 / 1e8 / ranks
        more = {"local_cells": [side // g for g in grid], "updates_per_s": side**3 / seconds}
        return [({"global_cells": [side] * 3, "topology": grid}, seconds, more)]
    if problem == "bandwidth":
        work = {"copy": 2.4e8, "triad": 3.2e8, "stencil": 1e6}
        return [
            (
                {"kernel": name},
                amount / (1e8 if name == "stencil" else 1e10),
                {"work_per_rank": amount},
            )
            for name, amount in work.items()
        ]
    return [({"axis": axis}, 1e-5, {"work_per_rank": 1e5}) for axis in range(3)]


def _options(words: list[str]) -> dict[str, str]:
    return {
        name.removeprefix("--"): value for name, value in zip(words[::2], words[1::2], strict=True)
    }


def _say(record: dict[str, Any]) -> None:
    print(json.dumps({"schema": 1, **record}), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

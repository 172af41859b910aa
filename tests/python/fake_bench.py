# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bench program without a benchmark: speaks docs/reference/records.md and misbehaves on request.

Times come from a model with launch-to-launch spread, so tests of planning, running and deciding
are quick.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time

TYPE_CHECKING = False  # importing typing and pathlib takes as long as the rest of this program
if TYPE_CHECKING:
    from typing import Any

PROBLEMS = ["steady", "noisy", "wrong", "crash", "hang", "leak", "throws", "absent"]
LAUNCH_SPREAD = {"steady": 0.005, "noisy": 0.2}


def write(record: dict[str, Any]) -> None:
    print(json.dumps({"schema": 1, **record}), flush=True)


def program_record(backend: str) -> dict[str, Any]:
    return {
        "record": "program",
        "program": f"weft_fake_{backend}",
        "suite": "fake",
        "backend": backend,
        "toolchain": "gcc",
        "compiler": "g++ 12.2.0",
        "flags": "-O3",
        "libraries": {},
        "weft_version": "0.1.0",
        "git_commit": "abc1234",
        "executable_bytes": 1234,
        "pid": os.getpid(),
        "cpus_usable": 2,
        "cpus_source": "affinity mask",
        "timer_cost_s": 2e-8,
        "timer_resolution_s": 1e-9,
        "call_overhead_s": 1e-9,
        "environment": {
            "OMP_WAIT_POLICY": None,
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS"),
        },
        "problems": PROBLEMS,
        "serial": backend == "seq",
    }


def misbehave(problem: str, cell: dict[str, Any]) -> dict[str, Any] | None:
    if problem == "crash" and cell["size"] >= int(os.environ.get("FAKE_CRASH_SIZE", "0")):
        print("about to divide by nothing", file=sys.stderr, flush=True)
        os.abort()
    if problem == "hang":
        time.sleep(3600)
    if problem == "throws":
        print("std::bad_alloc", file=sys.stderr, flush=True)
        sys.exit(1)
    if problem == "wrong":
        return {"status": "wrong", "samples_s": [], "message": "element 17 is 3, expected 4"}
    if problem == "absent":
        return {
            "status": "skipped",
            "code": "not_offered",
            "message": "no such algorithm",
            "remedy": "use another",
        }
    return None


def measured(cell: dict[str, Any], backend: str, generator: random.Random) -> dict[str, Any]:
    speedup = (
        1.0
        if backend == "seq"
        else float(os.environ.get("FAKE_SPEEDUP", "1.8")) ** (cell["threads"] > 1)
    )
    overhead_s = 0.0 if backend == "seq" else 2e-5
    is_sequential = cell["threads"] > 1 and (backend == "seq" or cell["size"] < 1024)
    call_s = (1e-6 + cell["size"] * 1e-9 / speedup + overhead_s) * float(
        os.environ.get("FAKE_SLOWDOWN", "1")
    )
    spread = LAUNCH_SPREAD.get(cell["problem"], 0.01)
    launch_s = call_s * generator.lognormvariate(0.0, spread)
    samples = [launch_s * generator.lognormvariate(0.0, 0.01) for _ in range(9)]
    growth = (100 << 20) if cell["problem"] == "leak" else 0
    return {
        "status": "ok",
        "samples_s": samples,
        "calls_per_sample": 1,
        "warmup_calls": 1,
        "first_call_s": 2 * call_s,
        "statistic": "median",
        "statistic_s": sorted(samples)[4],
        "elements": cell["size"],
        "bytes_min": 8 * cell["size"],
        "oversubscribed": cell["threads"] > 2,
        "parallelism": {"cpu_over_wall": 1.0, "threads_active": 1, "sequential": is_sequential},
        "counters": [
            {"name": "cpu_time", "unit": "s", "value": call_s, "per": "call"},
            {
                "name": "instructions",
                "unit": "events",
                "value": None,
                "reason": "no hardware counters in this guest",
            },
        ],
        "resources": {"peak_rss_bytes": 1 << 24, "rss_growth_bytes": growth},
        "started_unix_s": time.time(),
        "verify_s": 0.0,
        "setup_s": 0.0,
        "wall_s": 0.001,
    }


def answer(line: str, backend: str, generator: random.Random) -> dict[str, Any]:
    cell = json.loads(line)
    time.sleep(float(os.environ.get("FAKE_CELL_S", "0")))
    if cell["problem"] not in PROBLEMS:
        outcome = {
            "status": "error",
            "field": "problem",
            "message": f"unknown problem '{cell['problem']}'",
        }
    else:
        outcome = misbehave(cell["problem"], cell) or measured(cell, backend, generator)
    return {"record": "result", "cell": cell, "backend": backend, "toolchain": "gcc", **outcome}


def main() -> None:
    backend = sys.argv[0].rpartition("weft_fake_")[2]
    generator = random.Random()
    write(program_record(backend))
    for line in sys.stdin:
        write(answer(line, backend, generator))


if __name__ == "__main__":
    main()

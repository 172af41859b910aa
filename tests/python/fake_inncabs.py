# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bench program of the suite inncabs without a benchmark: one cell from the command line, one
record into a file; some benchmarks fail as their namesakes do elsewhere.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

TRIED = "std_async failed after it had started 400 of 9000 tasks, in a process of its own: "
# By benchmark, for the runtime std_async only.
REFUSALS = {
    "nqueens": ("unsupported", TRIED + "it threw: Resource temporarily unavailable; threads"),
    "qap": ("unsupported", TRIED + "it was ended by signal 11 (Segmentation fault); threads"),
    "uts": ("unsupported", TRIED + "it was ended when it had 50001 threads, more than 50000"),
    "sort": ("memory", "needs 9 GiB"),
}
COST = {"perf": 1.5}


def main() -> None:
    backend = Path(sys.argv[0]).name.removeprefix("weft_inncabs_")
    facts = {
        "schema": 1, "record": "program", "program": Path(sys.argv[0]).name, "suite": "inncabs",
        "backend": backend, "toolchain": "gcc", "problems": ["fib", "sort", "nqueens"],
    }  # fmt: skip
    if "--stream" in sys.argv:
        print(json.dumps(facts), flush=True)
        return
    options = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    problem = options["--problem"]
    if problem == "health":
        os.kill(os.getpid(), signal.SIGSEGV)
    lines = [facts, record_of(problem, backend)]
    Path(options["--output"]).write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")


def record_of(problem: str, backend: str) -> dict[str, Any]:
    record: dict[str, Any] = {"schema": 1, "record": "result", "backend": backend}
    if problem in REFUSALS and backend == "std_async":
        code, message = REFUSALS[problem]
        return {**record, "status": "skipped", "code": code, "message": message, "samples_s": []}
    if problem == "fft":
        return {**record, "status": "wrong", "message": "element 3 is off", "samples_s": []}
    time_s = COST.get(os.environ.get("FAKE_TOOL", ""), 1.0)
    return {**record, "status": "ok", "tasks": 77, "samples_s": [time_s], "statistic_s": time_s}


main()

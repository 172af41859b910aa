# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planted records of the suite mpi, whose times follow a known law."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from weft_lab.suites.mpi.results import Results

SIZES_BYTES = (1, 64, 4096, 1 << 18, 1 << 22, 1 << 24)
FAST_BYTES_PER_S, COLD_BYTES_PER_S, SLOW_BYTES_PER_S = 1e10, 4e9, 1e8


def row(problem: str, label: str, seconds: float, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "status": "ok",
        "problem": problem,
        "label": label,
        "mpi": "a",
        "transport": "shm",
        "launch": 1,
        "round": 1,
        "command": "mpirun",
        "params": {},
        "samples_s": [seconds] * 3,
        "is_functional_only": False,
        **more,
    }


def results_of(rows: Iterable[dict[str, Any]]) -> Results:
    return Results(Path(), {}, tuple(rows), (), ())


def ping_pong(bytes_per_s: float, cache: str, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    return [
        row(
            "pingpong",
            f"pingpong {cache}",
            1e-6 + size / bytes_per_s,
            params={"mode": "pingpong", "size_bytes": size, "cache": cache},
            pair="core",
            **more,
        )
        for size in SIZES_BYTES
    ]


def kernels(speed: float, **more: Any) -> list[dict[str, Any]]:  # noqa: ANN401
    """One and two ranks whose copy moves 2.4e10 bytes of memory traffic per second."""
    work = {"copy": (2.4e8, 0.01), "stencil": (1e6, 0.01)}
    return [
        row(
            "bandwidth",
            f"bandwidth {ranks}",
            seconds / speed,
            params={"kernel": kernel},
            work_per_rank=amount,
            **more,
        )
        for ranks in (1, 2)
        for kernel, (amount, seconds) in work.items()
    ]

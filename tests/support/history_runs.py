# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes result folders of one benchmark each, as runs of many days or commits leave them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

DAY_S = 86_400.0
START_S = 1_767_225_600.0  # 2026-01-01


def write_run(
    results: Path,
    day: int,
    times_s: Mapping[str, Sequence[float]],
    *,
    suite: str = "bench",
    commit: str = "",
    waited: float = 0.0,
    **manifest: object,
) -> Path:
    """A run whose programs took so long in each launch. `waited`: of each launch's time, how long
    its thread waited for a CPU.
    """
    toolchain = "command" if suite == "bench" else "gcc"
    folder = results / f"2026-01-{day + 1:02d}T000000-host"
    folder.mkdir(parents=True)
    source = {"commit": commit or None, "commit_unix_s": START_S + DAY_S * day if commit else None}
    whole = {
        "schema": 1,
        "run_id": folder.name,
        "status": "complete",
        "started_unix_s": START_S + DAY_S * day,
        "machine": {"host": "host"},
        "programs": {
            f"{name}@{toolchain}": {"toolchain": toolchain, "flags": f"./{name}"}
            for name in times_s
        },
        **({"bench": {}, "source": source} if suite == "bench" else {"software": {"git": source}}),
        **manifest,
    }
    (folder / "manifest.json").write_text(json.dumps(whole), encoding="utf-8")
    lines = [
        json.dumps(
            {
                **_record(number, time_s, waited),
                "variant": f"{name}@{toolchain}",
                "backend": name,
                "toolchain": toolchain,
                "suite": suite,
                "cell": {"problem": "run" if suite == "bench" else "sort", "size": 1, "threads": 1},
            }
        )
        for name, times in times_s.items()
        for number, time_s in enumerate(times, start=1)
    ]
    (folder / "samples.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _record(launch: int, time_s: float, waited: float) -> dict[str, Any]:
    delay = {"name": "run_delay", "unit": "s", "value": waited * time_s, "per": "phase"}
    return {
        "schema": 1,
        "record": "result",
        "status": "ok",
        "launch": launch,
        "round": launch,
        "samples_s": [time_s],
        "phase_s": time_s,
        "counters": [delay],
    }

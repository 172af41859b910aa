# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The answer of `weft doctor` as one object: for `--json`, and for a Python without packages."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from weft_lab.machine.doctor import Finding, backend_state, can
from weft_lab.machine.doctor_facts import Fact
from weft_lab.measuring.mpi.diagnosis import examine as examine_mpi
from weft_lab.storage.checkout import CHECKOUT

MACHINE_PROGRAM = CHECKOUT / "build/bench/bin/weft_machine"
EXIT_CANNOT_REPORT = 3


def as_json(findings: list[Finding], machine: list[Fact], root: Path) -> dict[str, Any]:
    """The installed and the missing requirements, JSON-ready."""
    return {
        "schema": 1,
        "checkout": str(root),
        "can_report": can("report", findings),
        "can_test": can("report", findings) and can("test", findings),
        "requirements": [finding.to_dict() for finding in findings],
        "backends": {
            backend: {"is_available": not lacking, "lacks": lacking}
            for backend, lacking in backend_state(findings).items()
        },
        "machine": [asdict(fact) for fact in machine],
        "mpi": [asdict(fact) for fact in examine_mpi()],
    }

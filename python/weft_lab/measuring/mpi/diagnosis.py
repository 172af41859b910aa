# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The answer of `./weft doctor` about message passing: every MPI, its transports, and missing
parts."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from weft_lab.measuring.mpi.installations import find_installations, why_none
from weft_lab.measuring.mpi.transports import transports_of


@dataclass(frozen=True)
class MpiFact:
    """One MPI, and the transports that a run will try; `problem` is empty if it can be used."""

    id: str
    launcher: str
    compiler: str
    transports: tuple[str, ...]
    problem: str = ""


def examine(environment: Mapping[str, str] = os.environ) -> list[MpiFact]:
    """One line per MPI, or one that says why there is none. Cost: a version call per launcher."""
    found = [
        MpiFact(
            one.id,
            str(one.launcher),
            str(one.compiler),
            tuple(f"{each.name} ({each.report})" for each in transports_of(one)),
        )
        for one in find_installations(environment)
    ]
    return found or [MpiFact("none", "", "", (), why_none(environment))]

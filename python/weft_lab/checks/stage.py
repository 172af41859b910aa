# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stage of `./weft test`: a name, a purpose, and the commands that must all succeed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Step:
    """One command of a stage, run at the root of the checkout."""

    title: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """Steps in order; the first that fails ends the stage.

    `on_request`: runs only when `--only` names it.
    """

    name: str
    purpose: str
    steps: Callable[[Path], list[Step]]
    on_request: bool = False


@dataclass(frozen=True)
class StageResult:
    """How a stage ended. `failed_step` is empty when it passed."""

    name: str
    duration_s: float
    log: Path
    failed_step: str = ""

    @property
    def is_passed(self) -> bool:
        return not self.failed_step

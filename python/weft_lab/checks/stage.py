# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A stage of `./weft test`: a name, a purpose, and the commands that must all succeed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# How a program ends that could not check what it is for, as ctest's tests do.
NOT_CHECKED = 77


@dataclass(frozen=True)
class Step:
    """One command of a stage, run at the root of the checkout. `may_be_unchecked`: it may end with
    `NOT_CHECKED` and its reason, which is neither a failure nor a pass.
    """

    title: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    may_be_unchecked: bool = False


@dataclass(frozen=True)
class Stage:
    """Steps in order; the first that fails ends the stage, unless they are independent.

    `on_request`: runs only when `--only` names it.
    `runs_beside`: runs beside the stages after it, once those before it have ended.
    `runs_alone`: starts when all before it have ended, those that run beside others, too.
    """

    name: str
    purpose: str
    steps: Callable[[Path], list[Step]]
    on_request: bool = False
    are_steps_independent: bool = False
    runs_beside: bool = False
    runs_alone: bool = False


@dataclass(frozen=True)
class StageResult:
    """How a stage ended, the titles of the steps that failed, and of those that checked nothing
    with the reason of each.
    """

    name: str
    duration_s: float
    log: Path
    failed_steps: tuple[str, ...] = ()
    unchecked_steps: tuple[str, ...] = ()

    @property
    def is_passed(self) -> bool:
        return not self.failed_steps

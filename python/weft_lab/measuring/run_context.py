# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state that rounds and launches share: programs, the sample file, the stop signal and the end
of measuring."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.stopping import StopSignal
from weft_lab.storage.store import SampleWriter
from weft_lab.storage.variants import program_of


class Watcher(Protocol):
    """Gets every answer; shows progress."""

    def on_answer(self, ledger: Ledger, round_: int, remaining_s: float) -> None: ...


@dataclass(frozen=True)
class RunContext:
    """The arguments of a runner beside the ledger.

    `programs`: path by variant. `memory_limit_bytes`: the largest memory of one bench process.
    `command_of`: the command that answers a block, if it is not one of these programs; `grace_s`:
    the time it may take to end its own processes.
    """

    programs: Mapping[str, Path]
    writer: SampleWriter
    stop: StopSignal
    watcher: Watcher
    run_id: str
    memory_limit_bytes: int | None = None
    clock: Callable[[], float] = time.monotonic
    command_of: Callable[[Block], list[str]] | None = None
    grace_s: float = 0.0

    def command(self, block: Block) -> list[str]:
        if self.command_of is not None:
            return self.command_of(block)
        program = self.programs[program_of(block.variant)]
        fixed = ["--placement", block.placement, "--smt", block.smt, "--threads", block.threads]
        return [str(program), "--stream", *map(str, fixed)]


@dataclass(frozen=True)
class Deadline:
    """The end of measuring. A cell that runs at the end may take `overtime_s` more."""

    end_s: float
    overtime_s: float
    clock: Callable[[], float]

    @property
    def remaining_s(self) -> float:
        return self.end_s - self.clock()

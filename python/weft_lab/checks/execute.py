# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs stages and keeps their output, from which it picks the lines that say why one failed."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO

from weft_lab.checks.stage import Stage, StageResult, Step

STEP_TIMEOUT_S = 4500.0  # of those that take what the others leave, too
TAIL_LINES = 25
TELLING_LINES = 12
LINE_CHARACTERS = 240
TELLING = re.compile(
    r"\berror\b|\bFAILED\b|\*\*\*(Failed|Timeout)|\bFailure$|Assertion|^E  |Sanitizer:|No such file"
)


def run_stages(
    stages: Sequence[Stage], root: Path, *, keep_going: bool, tell: Callable[[str, str], None]
) -> list[StageResult]:
    """Runs the stages; `tell(stage, step)` is called as each step starts.

    Results are in the order of the stages.
    """
    ended: dict[str, StageResult] = {}
    with ThreadPoolExecutor() as pool:
        beside = {
            stage.name: pool.submit(run_stage, stage, root, tell)
            for stage in stages
            if stage.runs_beside
        }
        for stage in stages:
            if stage.name in beside:
                continue
            ended[stage.name] = run_stage(stage, root, tell)
            if not ended[stage.name].is_passed and not keep_going:
                break
        ended |= {name: result.result() for name, result in beside.items()}
    return [ended[stage.name] for stage in stages if stage.name in ended]


def run_stage(stage: Stage, root: Path, tell: Callable[[str, str], None]) -> StageResult:
    """Runs one stage; .weft/log/test-<stage>.log keeps its output."""
    log = root / ".weft" / "log" / f"test-{stage.name}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    started_s = time.monotonic()
    failed_steps: list[str] = []
    with log.open("w", encoding="utf-8") as output:
        for step in stage.steps(root):
            tell(stage.name, step.title)
            if not run_step(step, root, output):
                failed_steps.append(step.title)
                if not stage.are_steps_independent:
                    break
    return StageResult(stage.name, time.monotonic() - started_s, log, tuple(failed_steps))


def run_step(step: Step, root: Path, output: IO[str]) -> bool:
    """Runs one command with its output appended to the log; true if it succeeded."""
    output.write(f"$ {' '.join(step.command)}\n")
    output.flush()
    try:
        done = subprocess.run(
            step.command,
            cwd=root,
            env={**os.environ, **step.environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            timeout=STEP_TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        output.write(
            f"error: {step.command[0]} is not installed; ./weft doctor says how to get it\n"
        )
        return False
    except subprocess.TimeoutExpired:
        output.write(f"error: no end after {STEP_TIMEOUT_S:.0f} s; the command was killed\n")
        return False
    output.write(f"exit code {done.returncode}\n")
    return done.returncode == 0


def relevant_lines(text: str) -> list[str]:
    """Returns the first lines that name an error, a mark for lines left out, the last lines."""
    lines = [line[:LINE_CHARACTERS] for line in text.splitlines() if line.strip()]
    tail_start = max(0, len(lines) - TAIL_LINES)
    telling = [line for line in lines[:tail_start] if TELLING.search(line)][:TELLING_LINES]
    return [*telling, *(["[...]"] if tail_start else []), *lines[tail_start:]]

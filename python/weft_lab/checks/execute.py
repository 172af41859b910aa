# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs stages and keeps their output, from which it picks the lines that say why one failed."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import IO, Literal

from weft_lab.checks.stage import NOT_CHECKED, Stage, StageResult, Step

Ended = Literal["passed", "failed", "unchecked"]

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
        beside: dict[str, Future[StageResult]] = {}
        for stage in stages:
            if stage.runs_alone:
                wait(beside.values())
            ended_beside = [each.result() for each in beside.values() if each.done()]
            if not keep_going and not all(result.is_passed for result in ended_beside):
                break
            if stage.runs_beside:
                beside[stage.name] = pool.submit(run_stage, stage, root, tell)
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
    unchecked_steps: list[str] = []
    with log.open("w", encoding="utf-8") as output:
        for step in stage.steps(root):
            tell(stage.name, step.title)
            ended = run_step(step, root, output)
            if ended == "unchecked":
                unchecked_steps.append(f"{step.title}: {_reason(log)}")
            elif ended == "failed":
                failed_steps.append(step.title)
                if not stage.are_steps_independent:
                    break
    taken_s = time.monotonic() - started_s
    return StageResult(stage.name, taken_s, log, tuple(failed_steps), tuple(unchecked_steps))


def _reason(log: Path) -> str:
    """The last line that the step itself wrote, before that of its exit code."""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    last = lines[-2] if len(lines) > 1 else "$ "
    return "it does not say why" if last.startswith("$ ") else last.removeprefix("not checked: ")


def run_step(step: Step, root: Path, output: IO[str]) -> Ended:
    """Runs one command with its output appended to the log."""
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
        return "failed"
    except subprocess.TimeoutExpired:
        output.write(f"error: no end after {STEP_TIMEOUT_S:.0f} s; the command was killed\n")
        return "failed"
    output.write(f"exit code {done.returncode}\n")
    output.flush()
    if done.returncode == NOT_CHECKED and step.may_be_unchecked:
        return "unchecked"
    return "passed" if done.returncode == 0 else "failed"


def relevant_lines(text: str) -> list[str]:
    """Returns the first lines that name an error, a mark for lines left out, the last lines."""
    lines = [line[:LINE_CHARACTERS] for line in text.splitlines() if line.strip()]
    tail_start = max(0, len(lines) - TAIL_LINES)
    telling = [line for line in lines[:tail_start] if TELLING.search(line)][:TELLING_LINES]
    return [*telling, *(["[...]"] if tail_start else []), *lines[tail_start:]]

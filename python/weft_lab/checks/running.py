# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a stage of noxfile.py runs its commands: each output is appended to the stage's log."""

from __future__ import annotations

import os
import re
from pathlib import Path
from subprocess import STDOUT

import nox
from nox.command import CommandFailed

from weft_lab.checks import NAMED, NOT_CHECKED, log_of
from weft_lab.checks.unchanged import REASON, Inputs, Reads

NUM_CPUS = str(len(os.sched_getaffinity(0)))
NUM_TESTS = str(2 * len(os.sched_getaffinity(0)))  # tests of MPI wait more than they compute
COMMAND_CHARACTERS = 100
TAIL_LINES = 25
TELLING_LINES = 12
LINE_CHARACTERS = 240
TELLING = re.compile(
    r"\berror\b|\bFAILED\b|\*\*\*(Failed|Timeout)|\bFailure$|Assertion|^E  |Sanitizer:|No such file"
)
started: set[str] = set()  # stages whose log this run has begun


def run(session: nox.Session, *command: str) -> None:
    """Runs one command at the root of the checkout and appends its output to the stage's log.

    A command that fails prints its relevant lines at once: a run that is stopped later shows them.

    Errors: if a command exits with NOT_CHECKED, it lacks what it would check: the stage is skipped
            with the command's last line as the reason. Any other code fails the stage.
    """
    log = log_of(session.name, Path.cwd())
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {
        "CMAKE_BUILD_PARALLEL_LEVEL": NUM_CPUS,
        "CTEST_PARALLEL_LEVEL": NUM_TESTS,
        "PYTHONDONTWRITEBYTECODE": "",  # else each start of ./weft compiles the lab again: 0.1 s
    }
    with log.open("a" if session.name in started else "w", encoding="utf-8") as output:
        started.add(session.name)
        line = " ".join(command)
        output.write(f"$ {line}\n")
        output.flush()
        start = output.tell()
        session.log(line if len(line) < COMMAND_CHARACTERS else f"{line[:COMMAND_CHARACTERS]}...")
        try:
            session.run(*command, env=environment, log=False, stdout=output, stderr=STDOUT)
        except CommandFailed as failed:
            output.flush()
            text = log.read_bytes()[start:].decode(errors="replace")
            if failed.return_code == NOT_CHECKED:
                session.skip(text.splitlines()[-1])
            print(*(f"  {line}" for line in relevant_lines(text)), sep="\n", flush=True)
            raise


def relevant_lines(text: str) -> list[str]:
    """Returns the first lines that name an error, a mark for lines left out, the last lines."""
    lines = [line[:LINE_CHARACTERS] for line in text.splitlines() if line.strip()]
    tail_start = max(0, len(lines) - TAIL_LINES)
    telling = [line for line in lines[:tail_start] if TELLING.search(line)][:TELLING_LINES]
    return [*telling, *(["[...]"] if tail_start else []), *lines[tail_start:]]


def run_changed(session: nox.Session, *checks: tuple[Reads, dict[str, list[str]]]) -> bool:
    """Runs the commands of those checks whose files changed since they last passed here.

    A stage that was named runs all of them. Continues after a command that failed, and names those
    that failed at the end. Returns whether any ran.
    """
    failed: list[str] = []
    num_run = 0
    for reads, commands in checks:
        inputs = Inputs("-".join((session.name, *commands)).replace(" ", "_"), Path.cwd(), reads)
        if inputs.passed() and NAMED not in session.posargs:
            session.log(f"{', '.join(commands)}: {REASON}")
            continue
        num_run += 1
        num_failed_before = len(failed)
        for title, command in commands.items():
            try:
                run(session, *command)
            except CommandFailed:
                failed.append(title)
        if len(failed) == num_failed_before:
            inputs.note_pass()
    if failed:
        session.error(", ".join(failed))
    return num_run > 0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The outcome of a launch: its times, or its failure in a word and a sentence."""

from __future__ import annotations

import contextlib
import json
import re
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft_lab.storage.store import Record
from weft_lab.suites.inncabs.external_tools.guard import End, Workplace, signal_name
from weft_lab.suites.inncabs.external_tools.tools import Tool

SHELL_SIGNALS_FROM = 128
# How the program itself reports that its runtime did not survive a call in a separate process.
TRIAL_ENDS = (
    (re.compile(r"it was ended by signal (\d+)"), "crashed"),
    (re.compile(r"it threw: "), "crashed"),
    (re.compile(r"it was ended when it had \d+ threads"), "threads"),
    (re.compile(r"it was ended when it held \d+ MiB"), "memory"),
    (re.compile(r"it was ended after \d+ s"), "timeout"),
)

STARTED = re.compile(r"after it had started (\d+)")


@dataclass(frozen=True)
class Outcome:
    """`status`: ok, crashed, wrong, timeout, memory, threads, disk, no_output, failed or stopped.

    `word`: the same for a narrow column, more exact if possible: `SIGSEGV`. `tasks_started`: by a
    runtime that did not survive its trial.
    """

    status: str
    word: str = ""
    how: str = ""
    tasks_started: int | None = None


def read_record(path: Path) -> Record | None:
    """The result that the program wrote; None if it did not come so far."""
    with contextlib.suppress(OSError, ValueError):
        lines = path.read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        return next((each for each in records if each.get("record") == "result"), None)
    return None


def outcome_of(end: End, record: Record | None, tool: Tool | None, place: Workplace) -> Outcome:
    """The first thing that went wrong, else ok."""
    if end.how not in ("exited", "signal"):
        return Outcome("crashed" if end.how == "not_started" else end.how, end.how, end.text)
    if record is None:
        return _unanswered(end)
    if record["status"] != "ok":
        return _refused(record)
    if end.how == "signal" or end.code != 0:
        return Outcome("crashed", _word(end), f"{_told(end)}, after the program had answered")
    if tool is not None and not tool.has_recorded(place.output):
        return Outcome("no_output", "no data", f"{tool.title} recorded nothing; {_told(end)}")
    return Outcome("ok")


def record_of(end: End, record: Record | None, outcome: Outcome) -> dict[str, Any]:
    """The stored data of a launch. Units: seconds, bytes. Unknown is None."""
    is_ok = outcome.status == "ok" and record is not None
    return {
        "status": outcome.status,
        "word": outcome.word,
        "how": outcome.how,
        "samples_s": list(record["samples_s"]) if is_ok and record else [],
        "statistic_s": record["statistic_s"] if is_ok and record else None,
        "tasks": record.get("tasks") if record else None,
        "tasks_started": outcome.tasks_started,
        "scaled": record.get("scaled") if record else None,
        "command_s": end.wall_s,
        "peak_rss_bytes": end.peak_bytes or None,
        "output_bytes": end.output_bytes,
        "last_lines": [] if is_ok else list(end.last_lines),
    }


def _unanswered(end: End) -> Outcome:
    word = _word(end)
    return Outcome("crashed", word, f"{_told(end)}, before the program had answered")


def _refused(record: Record) -> Outcome:
    """The program lives and says that it cannot, or that its answer is wrong."""
    message = str(record.get("message", ""))
    if record["status"] == "wrong":
        return Outcome("wrong", "wrong", message)
    if record.get("code") == "memory":
        return Outcome("memory", "memory", message)
    for pattern, status in TRIAL_ENDS:
        found = pattern.search(message)
        if found:
            word = signal_name(int(found[1])) if found.lastindex else status
            threw = "it threw" in found[0]
            return Outcome(status, "threw" if threw else word, message, _tasks_started(message))
    return Outcome("failed", "failed", message)


def _tasks_started(message: str) -> int | None:
    found = STARTED.search(message)
    return int(found[1]) if found else None


def _word(end: End) -> str:
    if end.how == "signal":
        return signal_name(end.code)
    # A shell between the lab and the program says so of the signal that ended it.
    number = end.code - SHELL_SIGNALS_FROM
    is_signal = number in {each.value for each in signal.Signals}
    return signal_name(number) if is_signal else f"exit {end.code}"


def _told(end: End) -> str:
    return "; ".join((f"ended by {end.text}" if end.how == "signal" else end.text, *end.last_lines))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One class per exit code; every message says what happened, why, and what to type next."""

from __future__ import annotations

from typing import ClassVar


class WeftError(Exception):
    """A failure that a user can act on: shown without a traceback; the program exits with
    `exit_code`."""

    exit_code: ClassVar[int] = 1

    def __init__(self, what: str, why: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        reason = f": {self.why}" if self.why else ""
        return f"{self.what}{reason}" + (f"\n  -> {self.remedy}" if self.remedy else "")


class RegressionFound(WeftError):
    """`compare` found a cell that became slower."""

    exit_code: ClassVar[int] = 1


class UsageError(WeftError):
    """A name, number or combination of options that does not exist."""

    exit_code: ClassVar[int] = 2


class MissingError(WeftError):
    """A tool or library is missing, or nothing could be built."""

    exit_code: ClassVar[int] = 3


class WrongAnswerFound(WeftError):
    """A backend computed a wrong answer; the run is complete and everything is kept."""

    exit_code: ClassVar[int] = 4


class ResultFolderError(WeftError):
    """A result folder cannot be written or read, or lacks the requested data."""

    exit_code: ClassVar[int] = 5


class OutputError(WeftError):
    """A verb's output cannot be written; no measurement is affected."""

    exit_code: ClassVar[int] = 6


class Interrupted(WeftError):
    """Ctrl-C or SIGTERM; all measurements so far are kept."""

    exit_code: ClassVar[int] = 130


EXIT_CODES: dict[int, str] = {
    0: "done",
    1: "compare or bench found a regression",
    2: "unknown name or bad value",
    3: "a tool or library is missing, or a build failed",
    4: "a wrong answer was found, or a launch failed (the run is complete, everything is kept)",
    5: "the result folder is unusable",
    6: "standard output cannot be written (what was measured is kept)",
    130: "interrupted (what was measured is kept)",
}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of MPI jobs in rounds, until the rounds or the budget are over."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

from weft_lab.errors import MissingError, WrongAnswerFound
from weft_lab.measuring.mpi.launching import Outcome
from weft_lab.measuring.mpi.order import LAUNCH_TIMEOUT_S, in_order, patience_s
from weft_lab.measuring.mpi.recording import Job, Recorder
from weft_lab.measuring.options import RunOptions
from weft_lab.storage.store import ResultFolder


class RoundJob(Job, Protocol):
    """A kind of launch that is made in the first `rounds` rounds."""

    @property
    def problem(self) -> str: ...

    @property
    def rounds(self) -> int: ...


AnyJob = TypeVar("AnyJob", bound=RoundJob)


class Rounds(ABC, Generic[AnyJob]):
    """Jobs in random order in every round. `wrong`: what gave wrong answers."""

    def __init__(self, options: RunOptions, recorder: Recorder) -> None:
        self._options = options
        self._recorder = recorder
        self._progress = recorder.progress
        self._stop = recorder.stop
        self._patience_s = LAUNCH_TIMEOUT_S
        self.wrong: list[str] = []
        self.num_rounds = 0

    @abstractmethod
    def _launch(self, job: AnyJob, round_: int) -> None:
        """Launches the job once and keeps its records."""

    def _run_rounds(
        self, jobs: Sequence[AnyJob], rounds: int, budget_s: float, why_none: str
    ) -> None:
        """Errors: `MissingError` if there are no jobs; `why_none`: why, if no skip says it."""
        if not jobs:
            raise MissingError(
                what="there is nothing to measure",
                why="; ".join(skip.message for skip in self._recorder.skips) or why_none,
                remedy="./weft doctor explains the MPIs",
            )
        self._patience_s = patience_s(budget_s)
        deadline_s = time.monotonic() + budget_s
        self._progress.say(
            f"measuring {len(jobs)} kinds of launches for {budget_s:.0f} s into "
            f"{self._recorder.folder.path} "
            "(Ctrl-C keeps what is measured)"
        )
        for round_ in range(1, rounds + 1):
            wanted = [job for job in jobs if round_ <= job.rounds]
            order = in_order(wanted, self._options.seed, round_)
            for number, job in enumerate(order):
                if self._stop.requested or time.monotonic() > deadline_s:
                    self._skip_unfinished(round_, order[number:])
                    return
                if not self._recorder.is_given_up(job):
                    self._progress.on_launch(round_, number, len(order), job.label)
                    self._launch(job, round_)
            self.num_rounds = round_

    def _note_wrong(self, job: AnyJob, outcome: Outcome) -> int:
        """Lists contestants with wrong answers, each once. Returns their number."""
        wrong = [row for row in outcome.results if row.get("status") == "wrong"]
        for row in wrong:
            message = f"{job.installation.id} {job.label}: {row['message']}"
            if message not in self.wrong:
                self.wrong.append(message)
                self._recorder.skip("wrong_answer", message, outcome.command)
        return len(wrong)

    def _skip_unfinished(self, round_: int, left: Sequence[AnyJob]) -> None:
        if not self._stop.requested:
            names = ", ".join(sorted({job.problem for job in left}))
            message = f"the budget ended in round {round_}, before {len(left)} launches ({names})"
            self._recorder.skip("budget", message, "give a larger --budget")


def raise_for_wrong(folder: ResultFolder, suite: str, wrong_what: str) -> None:
    """Errors: `WrongAnswerFound` if the manifest lists wrong answers; `wrong_what` names them."""
    wrong = folder.read_manifest()[suite].get("wrong", [])
    if wrong:
        raise WrongAnswerFound(
            what=f"wrong {wrong_what}: {wrong[0]}",
            why=f"{len(wrong)} contestants were not timed; everything else is kept",
            remedy=f"./weft report {folder.path} lists them",
        )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The progress of a run: one live line on a terminal, otherwise an occasional plain line."""

from __future__ import annotations

import time
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console

from weft_lab.measuring import bandwidth
from weft_lab.measuring.ledger import SETTLED_RELATIVE_ERROR, Ledger

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PLAIN_PERIOD_S = 10.0
# Drawing wakes a core that is being measured, so it is rare and happens only between records.
LIVE_PERIOD_S = 0.5


class RunProgress:
    """Shows stages, builds and rounds on `console` (never on standard output)."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._live: Progress | None = None
        self._task: TaskID | None = None
        self._last_shown_s = float("-inf")

    def __enter__(self) -> RunProgress:
        if self.console.is_terminal:
            from rich.progress import BarColumn, Progress, TextColumn

            columns = (
                TextColumn("{task.description}"),
                BarColumn(bar_width=24),
                TextColumn("{task.fields[text]}"),
            )
            self._live = Progress(
                *columns, console=self.console, auto_refresh=False, transient=True
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def say(self, text: str) -> None:
        """A line that stays."""
        self.console.print(text, markup=False, highlight=False, soft_wrap=True)

    def on_build(self, done: int, total: int, what: str) -> None:
        self._show("build", done, total, f"{done}/{total} {what[:60]}")

    def on_launch(self, round_: int, done: int, total: int, what: str) -> None:
        """Progress of a measurement whose unit is a launch."""
        self._show(f"round {round_}", done, total, f"{done}/{total} launches, {what}")

    def on_answer(self, ledger: Ledger, round_: int, remaining_s: float) -> None:
        if not self._is_due():
            return
        total = len(ledger.states) - len(ledger.retired)
        done = total - len(ledger.pending(round_))
        text = f"{done}/{total} cells{_precision(ledger)}, {_clock(remaining_s)} left"
        is_probe = all(task.cell.suite == bandwidth.SUITE for task in ledger.states)
        self._show("memory" if is_probe else f"round {round_}", done, total, text)

    def _is_due(self) -> bool:
        period_s = PLAIN_PERIOD_S if self._live is None else LIVE_PERIOD_S
        return time.monotonic() - self._last_shown_s >= period_s

    def _show(self, stage: str, done: int, total: int, text: str) -> None:
        if not self._is_due():
            return
        self._last_shown_s = time.monotonic()
        if self._live is None:
            self.say(f"{stage:<9}{text}")
            return
        if self._task is None:
            self._task = self._live.add_task(stage, total=total, text=text)
        self._live.update(
            self._task,
            description=f"{stage:<9}",
            completed=done,
            total=total,
            text=text,
            refresh=True,
        )


def _precision(ledger: Ledger) -> str:
    """The uncertainty of the typical cell, and the number of cells with a small one; nothing in
    round 1."""
    typical = ledger.median_relative_error()
    if typical is None:
        return ""
    limit = f"±{100 * SETTLED_RELATIVE_ERROR:.0f} %"
    error = f"{100 * typical:.1f}" if typical < 0.1 else f"{100 * typical:.0f}"
    return f", typical interval ±{error} %, {ledger.num_settled()} within {limit}"


def _clock(seconds: float) -> str:
    whole = max(0, round(seconds))
    return f"{whole // 60}:{whole % 60:02d}"

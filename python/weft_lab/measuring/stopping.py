# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ctrl-C and SIGTERM stop a run between two records, never in the middle of one."""

from __future__ import annotations

import os
import signal
import threading
from types import FrameType

from weft_lab.errors import Interrupted


class StopSignal:
    """While entered, SIGINT and SIGTERM set `requested` and make `fd` readable; a second one stops
    at once.

    Threads: handlers exist only if entered by the main thread; in other threads nothing is ever
             requested.
    """

    def __init__(self) -> None:
        self.requested = False
        self._previous: dict[int, object] = {}
        self.fd, self._wake_fd = os.pipe()

    def __enter__(self) -> StopSignal:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._previous[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._previous.items():
            signal.signal(number, handler)  # type: ignore[arg-type]
        self._previous.clear()
        os.close(self.fd)
        os.close(self._wake_fd)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
        os.write(self._wake_fd, b"!")


def raise_if_requested(stop: StopSignal) -> None:
    """Errors: `Interrupted` once the user has requested a stop, before anything is measured. Ctrl-C
    reaches compilers as well, so their failures mean nothing then."""
    if stop.requested:
        raise Interrupted(
            what="stopped on request",
            why="nothing was measured yet",
            remedy="type the same command again",
        )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the tool and its target are, and how tests run them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TOOL = os.environ.get("WEFT_TOP_TOOL", "")
TARGET = os.environ.get("WEFT_TOP_TARGET", "")

SHORT_LOOK = ("--once", "--interval", "200ms")  # at programs that keep processors busy

Start = Callable[[str], "subprocess.Popen[str]"]
Top = Callable[..., "subprocess.CompletedProcess[str]"]


@contextmanager
def started_programs() -> Iterator[Start]:
    """Starts targets, waits until each is what it is to be, and kills all at the end."""
    started: list[subprocess.Popen[str]] = []

    def run(what: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [TARGET, what], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    try:
        yield run
    finally:
        for process in started:
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()


def run_tool(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the tool to its end."""
    return subprocess.run(
        [TOOL, *arguments], capture_output=True, text=True, timeout=120, check=False
    )

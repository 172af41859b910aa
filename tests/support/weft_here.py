# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs `./weft` in the test's process: the same answer without a second of imports."""

from __future__ import annotations

import signal
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import CompletedProcess
from types import FrameType
from typing import NoReturn

import pytest
from weft_lab import cli

LIMIT_S = 120


def call_here(
    *arguments: str, cwd: Path | None = None, **environment: str
) -> CompletedProcess[str]:
    """The answer of `./weft` to these arguments, with these additional variables."""
    out, err = StringIO(), StringIO()
    code: object = 0
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGALRM)}
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["weft", *arguments])
        for name, value in {"NO_COLOR": "1", **environment}.items():
            patch.setenv(name, value)
        if cwd is not None:
            patch.chdir(cwd)
        signal.signal(signal.SIGALRM, _expired)
        signal.alarm(LIMIT_S)
        try:
            cli.main()
        except SystemExit as end:
            code = end.code or 0
        except Exception:
            traceback.print_exc()
            code = 1
        finally:
            signal.alarm(0)
            for number, handler in before.items():
                signal.signal(number, handler)
    assert isinstance(code, int)
    return CompletedProcess(["weft", *arguments], code, out.getvalue(), err.getvalue())


def _expired(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    pytest.fail(f"./weft has not answered after {LIMIT_S} s")

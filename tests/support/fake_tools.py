# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools that work, or fail in every way that the lab tells apart; made into a folder for PATH."""

from __future__ import annotations

import sys
from pathlib import Path

from weft_lab.suites.inncabs.external_tools.tools import Tool

GREEDY = """
import time
held = bytearray(b"x") * (200 << 20)
time.sleep(60)
"""
MANY_THREADS = """
import threading
gate = threading.Event()
for _ in range(60):
    threading.Thread(target=gate.wait, daemon=True).start()
gate.wait(60)
"""
# Each gets the program's command line as its arguments.
SCRIPTS = {
    "works": 'echo data >out; exec "$@"',
    "silent": ': >out; exec "$@"',
    "segv": "kill -SEGV $$",
    "wrapped_segv": "sh -c 'kill -SEGV $$'; exit $?",
    "exits": 'echo "no permission" >&2; exit 3',
    "late": 'echo data >out; "$@"; exit 4',
    "hangs": "sleep 60",
    "greedy": f"exec {sys.executable} -S -c '{GREEDY}'",
    "threads": f"exec {sys.executable} -S -c '{MANY_THREADS}'",
    "writer": "exec yes >out",
    # One stays in the session, one leaves it, and both outlive their parent.
    "forks": 'sleep 61 & setsid sleep 62 & echo data >out; exec "$@"',
}


def make(folder: Path, name: str, script: str | None = None) -> Path:
    """An executable in the folder."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{SCRIPTS[name] if script is None else script}\n", "utf-8")
    path.chmod(0o755)
    return path


def tool(folder: Path, name: str) -> Tool:
    """The tool that runs a program under one of the scripts."""
    path = make(folder, name)
    return Tool(name, name, (str(path),), (str(path),), "out", f"install {name}")

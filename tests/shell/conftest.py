# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A copy of the front door in a folder with a space, on a fake machine."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from front_door import FAKES, FrontDoor

ROOT = Path(__file__).resolve().parents[2]
REAL_TOOLS = (
    *(
        "sh",
        "cat",
        "cksum",
        "date",
        "dirname",
        "env",
        "find",
        "flock",
        "grep",
        "head",
        "ln",
        "mkdir",
        "mv",
    ),
    *("readlink", "rm", "sed", "sleep", "tail", "tar", "tr"),
)


@pytest.fixture
def door(tmp_path: Path) -> FrontDoor:
    checkout, machine = tmp_path / "check out", tmp_path / "machine"
    commands = checkout / "python/weft_lab/commands"
    commands.mkdir(parents=True)
    for verb in ("report", "reproduce", "compare", "docs", "test", "trace"):
        (commands / f"{verb}.py").write_text(f'# SPDX\n"""Does {verb}."""\n')
    (checkout / "python/weft_lab/__init__.py").write_text('__version__ = "1.2.3"\n')
    shutil.copy(ROOT / "weft", checkout)
    shutil.copy(ROOT / "noxfile.py", checkout)
    shutil.copytree(ROOT / "packaging", checkout / "packaging")
    (machine / "bin").mkdir(parents=True)
    for tool in REAL_TOOLS:
        (machine / "bin" / tool).symlink_to(shutil.which(tool) or tool)
    for name, body in FAKES.items():
        path = machine / "bin" / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
    return FrontDoor(checkout, machine)

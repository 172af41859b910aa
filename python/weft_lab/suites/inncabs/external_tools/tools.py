# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools of `data/external_tools.toml`: which ones are installed and work, and what to install
otherwise."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any, Literal

from weft_lab.storage import data_files
from weft_lab.suites.inncabs.external_tools.guard import Limits, Workplace, run_guarded

FILE = "external_tools.toml"
VERSION_TIMEOUT_S = 20.0
TRIAL_LIMITS = Limits(time_s=30.0)
State = Literal["usable", "not_installed", "not_usable"]


@dataclass(frozen=True)
class Tool:
    """One block of the file, which explains the fields."""

    id: str
    title: str
    needs: tuple[str, ...]
    command: tuple[str, ...]
    records: str
    install: str
    version: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)

    def around(self, command: list[str], output: Path) -> list[str]:
        """The command line that runs `command` under the tool."""
        return [*(word.format(output=output) for word in self.command), *command]

    def variables(self, output: Path) -> dict[str, str]:
        return {name: text.format(output=output) for name, text in self.environment.items()}

    def has_recorded(self, output: Path) -> bool:
        """Whether it left anything that is not empty."""
        found = (path for path in output.glob(self.records) if path.is_file())
        return any(path.stat().st_size > 0 for path in found)


@dataclass(frozen=True)
class Finding:
    """A tool on this machine. `why`: its problem; `remedy`: how to solve it."""

    tool: Tool
    state: State
    version: str = ""
    why: str = ""
    remedy: str = ""

    def to_dict(self) -> dict[str, Any]:
        """As the manifest keeps it."""
        return {
            "id": self.tool.id,
            "title": self.tool.title,
            "command": " ".join(self.tool.command),
            **{key: value for key, value in asdict(self).items() if key != "tool"},
        }


@cache
def tools() -> tuple[Tool, ...]:
    """Every tool of the file, in its order. Errors: `UsageError` for a key that nothing reads."""
    table = data_files.load(FILE)
    data_files.check_keys(FILE, "the file", table, ("tool",), ("tool",))
    known = tuple(member.name for member in fields(Tool))
    needed = ("id", "title", "needs", "command", "records", "install")
    data_files.check_rows(FILE, "tool", table["tool"], known, needed)
    return tuple(_tool(row) for row in table["tool"])


def find(tool: Tool) -> Finding:
    """Looks for the tool and tries it on a program that does nothing. Cost: about a second."""
    for name in tool.needs:
        if shutil.which(name) is None:
            why = f"no {name} on PATH"
            return Finding(tool, "not_installed", why=why, remedy=tool.install)
    version = _version(tool)
    why = _try(tool)
    if why:
        return Finding(tool, "not_usable", version, why, f"try it by hand; {tool.install}")
    return Finding(tool, "usable", version)


def _tool(row: Mapping[str, Any]) -> Tool:
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in row.items()
    }
    return Tool(**values)


def _version(tool: Tool) -> str:
    if not tool.version:
        return ""
    try:
        done = subprocess.run(
            [tool.needs[0], *tool.version],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=VERSION_TIMEOUT_S,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    number = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return number[0] if number else ""


def _try(tool: Tool) -> str:
    """Why it does not work here, or empty: a program of a moment, long enough for one sample."""
    with tempfile.TemporaryDirectory(prefix="weft-tool-") as folder:
        place = Workplace.make(Path(folder))
        command = tool.around([shutil.which("sleep") or "sleep", "0.05"], place.output)
        end = run_guarded(command, tool.variables(place.output), place, TRIAL_LIMITS)
        if end.how != "exited" or end.code != 0:
            return "; ".join((end.text, *end.last_lines))
        return ""

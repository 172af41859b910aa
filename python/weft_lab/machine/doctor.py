# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tools and libraries are installed or missing, and the backends that they make possible."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

COMPILERS = ("g++", "c++", "clang++-19")
TIMEOUT_S = 20.0


@dataclass(frozen=True)
class Requirement:
    """One row of `data/requirements.toml`, which explains the fields."""

    id: str
    purpose: str
    level: str
    apt: str
    module: str
    otherwise: str
    command: str = ""
    least: str = ""
    header: str = ""
    folder: str = ""
    config: str = ""
    backends: tuple[str, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A requirement on this machine. `missing` says why it is not met, empty if it is."""

    requirement: Requirement
    version: str | None
    missing: str

    @property
    def is_met(self) -> bool:
        return not self.missing

    def to_dict(self) -> dict[str, Any]:
        """The finding as `--json` prints it."""
        wanted = self.requirement
        return {
            "id": wanted.id,
            "for": wanted.purpose,
            "level": wanted.level,
            "is_met": self.is_met,
            "version": self.version,
            "missing": self.missing or None,
            "ways": {"apt": wanted.apt, "module": wanted.module, "otherwise": wanted.otherwise},
        }


def requirements() -> list[Requirement]:
    """Every row of `data/requirements.toml`."""
    text = resources.files("weft_lab").joinpath("data/requirements.toml").read_text("utf-8")
    rows = tomllib.loads(text)["requirement"]
    return [
        Requirement(
            **{key: value for key, value in row.items() if key not in {"for", "backends"}},
            purpose=row["for"],
            backends=tuple(row.get("backends", [])),
        )
        for row in rows
    ]


def examine(
    wanted: Sequence[Requirement], root: Path, environment: Mapping[str, str] = os.environ
) -> list[Finding]:
    """Looks for every requirement. Cost: a version call per tool, one preprocessor call."""
    headers = found_headers([row.header for row in wanted if row.header], environment)
    return [_examine(row, root, environment, headers) for row in wanted]


def _examine(
    wanted: Requirement, root: Path, environment: Mapping[str, str], headers: set[str] | None
) -> Finding:
    if wanted.command:
        return _examine_command(wanted, environment)
    if wanted.header:
        if headers is None:
            return Finding(wanted, None, "no C++ compiler to look for the header with")
        is_there = wanted.header in headers
        return Finding(wanted, None, "" if is_there else f"no header <{wanted.header}>")
    if wanted.folder:
        is_there = (root / wanted.folder).is_dir()
        return Finding(wanted, None, "" if is_there else f"no folder {wanted.folder}")
    is_there = has_cmake_config(wanted.config, environment)
    where = f"no {wanted.config}Config.cmake in WEFT_{wanted.config}_DIR or CMAKE_PREFIX_PATH"
    return Finding(wanted, None, "" if is_there else where)


def _examine_command(wanted: Requirement, environment: Mapping[str, str]) -> Finding:
    path = shutil.which(wanted.command, path=environment.get("PATH"))
    if path is None:
        return Finding(wanted, None, f"no {wanted.command} on PATH")
    version = tool_version(path)
    if wanted.least and version is None:
        return Finding(wanted, None, f"{path} does not report its version")
    if wanted.least and version is not None and version_key(version) < version_key(wanted.least):
        return Finding(wanted, version, f"{path} is {version}, at least {wanted.least} is needed")
    return Finding(wanted, version, "")


def tool_version(path: str) -> str | None:
    """Returns the first number with a dot that `path --version` prints."""
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\d+(?:\.\d+)+", done.stdout)
    return match[0] if done.returncode == 0 and match else None


def version_key(version: str) -> tuple[int, ...]:
    """Returns a version in a form that compares as versions do: 3.9 before 3.24."""
    return tuple(int(part) for part in version.split("."))


def found_headers(headers: Sequence[str], environment: Mapping[str, str]) -> set[str] | None:
    """Returns the headers that the C++ compiler finds by itself; None without a compiler."""
    path = environment.get("PATH")
    compiler = next((found for name in COMPILERS if (found := shutil.which(name, path=path))), None)
    if compiler is None:
        return None
    lines = [f"#if __has_include(<{name}>)\nfound {name}\n#endif" for name in headers]
    done = subprocess.run(
        [compiler, "-E", "-P", "-x", "c++", "-"],
        input="\n".join(lines) + "\n",
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )
    # The preprocessor may put spaces around the slashes.
    printed = {line.replace(" ", "").removeprefix("found") for line in done.stdout.splitlines()}
    return printed.intersection(headers)


def has_cmake_config(name: str, environment: Mapping[str, str]) -> bool:
    """True if `find_package(name)` would find a config file in the places the user named."""
    own = environment.get(f"WEFT_{name}_DIR", "")
    prefixes = [own, *re.split("[:;]", environment.get("CMAKE_PREFIX_PATH", ""))]
    folders = [Path(prefix) for prefix in prefixes if prefix]
    patterns = (f"{name}Config.cmake", f"lib*/cmake/{name}/{name}Config.cmake")
    return any(any(folder.glob(pattern)) for folder in folders for pattern in patterns)


def backend_state(findings: Sequence[Finding]) -> dict[str, list[str]]:
    """Returns every backend with the requirements it lacks."""
    state: dict[str, list[str]] = {}
    for finding in findings:
        for backend in finding.requirement.backends:
            lacking = state.setdefault(backend, [])
            lacking += [] if finding.is_met else [finding.requirement.id]
    return state


def can(level: str, findings: Sequence[Finding]) -> bool:
    """True if nothing of that level is missing."""
    return all(finding.is_met for finding in findings if finding.requirement.level == level)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dependencies run one way: what the library may use, and who may import whom in the lab."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from weft_lab.checks.files import own_files

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)

# Package or module of the lab, and the only modules that may import it.
IMPORTED_ONLY_BY = {
    "weft_lab.commands": ("weft_lab.cli", "weft_lab.commands"),
    "weft_lab.cli": ("weft_lab.__main__",),
    "weft_lab.checks": ("weft_lab.checks", "weft_lab.site", "weft_lab.commands.test"),
}

# Rooms of the lab from the lowest to the highest: a module imports from its own and lower ones.
LAB_ROOMS = (
    *("errors", "notices"),
    *("storage", "machine", "statistics", "models", "advice", "measuring", "pages", "suites"),
    *("bare", "cli_options", "checks", "site", "commands", "cli", "__main__"),
)

# Outside of their folders suites are found by the protocol; these are about one alone.
KNOW_A_SUITE = {
    *("weft_lab.commands.fit", "weft_lab.commands.merge", "weft_lab.commands.submit"),
    *("weft_lab.commands.bench", "weft_lab.checks.cable_rate", "weft_lab.checks.imb_agreement"),
}
SHARED_BY_SUITES = {"protocol", "cells", "launched"}

# All of the library reads the environment by process_environment(), which setuid programs survive.
READS_ENVIRONMENT = Path("src/base/options.cpp")
GETENV = re.compile(r"\b\w*getenv\b")


def reads_environment(root: Path) -> list[str]:
    """Returns a message for every other way to read the environment."""
    return [
        f"{path}:{number}: {match[0]}: call weft::base::process_environment"
        for path in own_files(root)
        if path.parts[0] in {"include", "src"} and path != READS_ENVIRONMENT
        for number, line in enumerate(_lines(root / path), start=1)
        if (match := GETENV.search(line))
    ]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def uses_standard_execution(root: Path) -> list[str]:
    """Returns the public headers that include <execution>, which drags in TBB."""
    headers = [path for path in own_files(root, ".hpp") if path.parts[0] == "include"]
    return [
        f"{path} includes <execution>"
        for path in headers
        if "execution" in INCLUDE.findall((root / path).read_text(encoding="utf-8"))
    ]


def _imports(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def _is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def _lab_imports(root: Path) -> dict[str, set[str]]:
    """Returns the modules of the lab, each with those that it imports anywhere in its text."""
    paths = [path for path in own_files(root, ".py") if path.parts[:2] == ("python", "weft_lab")]
    names = [".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__") for path in paths]
    found: dict[str, set[str]] = {}
    for path, name in zip(paths, names, strict=True):
        imported = _imports(ast.parse((root / path).read_text(encoding="utf-8")))
        either = {part for each in imported for part in (each, each.rpartition(".")[0])}
        found[name] = (either & set(names)) - {"weft_lab", name}
    return found


def wrong_rooms(root: Path) -> list[str]:
    """Returns a message for every import of a higher room, and of a suite by what is not of it."""
    found: list[str] = []
    for importer, imported in _lab_imports(root).items():
        room, *inner = importer.split(".")[1:] or [""]
        if room not in LAB_ROOMS:
            found += [] if importer == "weft_lab" else [f"{importer}: not in a room of {LAB_ROOMS}"]
            continue
        for name in sorted(imported):
            other, *theirs = name.split(".")[1:]
            if LAB_ROOMS.index(other) > LAB_ROOMS.index(room):
                found.append(f"{importer} imports {name}: {room} is below {other}")
            elif other == "suites" and theirs and theirs[0] not in SHARED_BY_SUITES:
                is_own = room == "suites" and inner[:1] == theirs[:1]
                if not is_own and importer not in KNOW_A_SUITE:
                    found.append(f"{importer} imports {name}: suites are found by the protocol")
    return found


def import_circles(root: Path) -> list[str]:
    """Returns a message for every module of the lab that imports itself by way of others."""
    graph = _lab_imports(root)
    found: list[str] = []
    for start in graph:
        reached: set[str] = set()
        to_read = set(graph[start])
        while to_read:
            one = to_read.pop()
            reached.add(one)
            to_read |= graph.get(one, set()) - reached
        if start in reached:
            found.append(f"{start} is in a circle of imports")
    return found


def wrong_imports(root: Path) -> list[str]:
    """Returns a message for every import of the lab that goes against IMPORTED_ONLY_BY."""
    found: list[str] = []
    for path in own_files(root, ".py"):
        if path.parts[:2] != ("python", "weft_lab"):
            continue
        importer = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
        for name in _imports(ast.parse((root / path).read_text(encoding="utf-8"))):
            for package, importers in IMPORTED_ONLY_BY.items():
                if _is_in(name, package) and not any(_is_in(importer, who) for who in importers):
                    found.append(f"{path} imports {name}: only {importers} may")
    return found

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dependencies run one way: who may include or import whom."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from weft_lab.checks.files import own_files

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)

# A module may include itself and what stands here.
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "counters": {"base"},
    "tasks": {"base", "counters"},
    "execution": {"base", "counters", "tasks"},
    "algorithms": {"base", "counters", "tasks", "execution"},
    "halo": {"base", "counters"},
}
MAY_INCLUDE["compat"] = set(MAY_INCLUDE)
JOINS_HALO_AND_EXECUTION = Path("include/weft/halo/async.hpp")

# Package or module of the lab, and the only modules that may import it.
IMPORTED_ONLY_BY = {
    "weft_lab.commands": ("weft_lab.cli", "weft_lab.commands"),
    "weft_lab.cli": ("weft_lab.__main__",),
    "weft_lab.checks": ("weft_lab.checks", "weft_lab.commands.test"),
}


# All of the library reads the environment by process_environment(), which setuid programs survive.
READS_ENVIRONMENT = Path("src/base/options.cpp")
GETENV = re.compile(r"\b\w*getenv\b")


def module_of(path: Path) -> str | None:
    """Returns the library module that a file of include/weft or src belongs to."""
    parts = path.parts
    if parts[:2] == ("include", "weft") and len(parts) > 3:
        return parts[2]
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def reads_environment(root: Path) -> list[str]:
    """Returns a message for every other way to read the environment."""
    return [
        f"{path}:{number}: {match[0]}: call weft::process_environment"
        for path in own_files(root)
        if path.parts[0] in {"include", "src"} and path != READS_ENVIRONMENT
        for number, line in enumerate(_lines(root / path), start=1)
        if (match := GETENV.search(line))
    ]


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def wrong_includes(root: Path) -> list[str]:
    """Returns a message for every include that goes against the direction."""
    found: list[str] = []
    for path in own_files(root, ".cpp", ".hpp"):
        if path.parts[0] not in {"include", "src"}:
            continue
        module = module_of(path)
        for name in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
            target = name.split("/")
            if target[0] in {"lab", "tests"}:
                found.append(f"{path} includes {name}: the library uses neither lab nor tests")
            if module is None or target[0] != "weft" or len(target) < 3:
                continue
            allowed = {module} | MAY_INCLUDE.get(module, set())
            if path == JOINS_HALO_AND_EXECUTION:
                allowed |= {"execution", "tasks"}
            if target[1] not in allowed:
                found.append(f"{path} includes {name}: {module} may use {sorted(allowed)}")
    return found


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

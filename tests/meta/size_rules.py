# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ceilings on files and functions, with a list of reasoned exceptions that must all be needed."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from weft_lab.checks.files import own_files

FILE_LINES = 600
TEST_FILE_LINES = 800
FUNCTION_LINES = 60
FRONT_DOOR_LINES = 200
CMAKE_LISTS_LINES = 150
README_LINES = 300

NOISE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])'|^[ \t]*\#(?:\\\n|[^\n])*",
    re.DOTALL | re.MULTILINE,
)
NOT_A_FUNCTION = re.compile(
    r"^\s*(?:template\s*<[^;{}]*>\s*)?(?:namespace|class|struct|enum|union|extern)\b|=\s*$"
)


@dataclass(frozen=True)
class Finding:
    """Something too long. `what` is path or path::function, as the list of exceptions has it."""

    what: str
    lines: int
    ceiling: int


def _without_noise(text: str) -> str:
    return NOISE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def cpp_functions(text: str) -> list[tuple[str, int]]:
    """Returns name and number of lines of every function body outside other functions."""
    code = _without_noise(text)
    found: list[tuple[str, int]] = []
    open_blocks: list[tuple[str, int]] = []  # function name or empty, offset of its first line
    last = 0
    for match in re.finditer(r"[{};]", code):
        head = code[last : match.start()]
        inside = any(name for name, _ in open_blocks)
        if match[0] == "{":
            called = re.search(r"([\w~:]+|operator\s*\S+)\s*\(", head)
            is_function = called and not inside and not NOT_A_FUNCTION.search(head)
            start = last + len(head) - len(head.lstrip())
            open_blocks.append((called[1] if called and is_function else "", start))
        elif match[0] == "}" and open_blocks:
            name, start = open_blocks.pop()
            if name:
                found.append((name, code.count("\n", start, match.start()) + 1))
        last = match.end()
    return found


def python_functions(text: str) -> list[tuple[str, int]]:
    """Returns name and number of lines of every function."""
    return [
        (node.name, (node.end_lineno or node.lineno) - node.lineno + 1)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def file_ceiling(path: Path) -> int | None:
    """Returns how many lines a file may have; None if it has no ceiling."""
    named = {
        "weft": FRONT_DOOR_LINES,
        "CMakeLists.txt": CMAKE_LISTS_LINES,
        "README.md": README_LINES,
    }
    if path.name in named:
        return named[path.name]
    if path.suffix not in {".cpp", ".hpp", ".py", ".sh", ".cmake"}:
        return None
    return TEST_FILE_LINES if path.parts[0] == "tests" else FILE_LINES


def too_long(root: Path) -> list[Finding]:
    """Returns every file and function over its ceiling, without regard to exceptions."""
    found: list[Finding] = []
    for path in own_files(root):
        ceiling = file_ceiling(path)
        if ceiling is None:
            continue
        text = (root / path).read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > ceiling:
            found.append(Finding(str(path), lines, ceiling))
        functions = []
        if path.suffix in {".cpp", ".hpp"}:
            functions = cpp_functions(text)
        elif path.suffix == ".py":
            functions = python_functions(text)
        found += [
            Finding(f"{path}::{name}", length, FUNCTION_LINES)
            for name, length in functions
            if length > FUNCTION_LINES
        ]
    return found


def exceptions(text: str) -> dict[str, str]:
    """Returns what is excepted and why, from lines `what: reason`."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {what.strip(): reason.strip() for what, _, reason in (_split(line) for line in lines)}


def _split(line: str) -> tuple[str, str, str]:
    what, colon, reason = line.partition(": ")
    return what, colon, reason


def violations(findings: list[Finding], excepted: dict[str, str]) -> list[str]:
    """Returns what is too long and not excepted, and exceptions without need or reason."""
    needed = {finding.what for finding in findings}
    messages = [
        f"{finding.what} has {finding.lines} lines, ceiling {finding.ceiling}"
        for finding in findings
        if finding.what not in excepted
    ]
    messages += [f"the exception for {what} is not needed" for what in excepted.keys() - needed]
    messages += [
        f"the exception for {what} gives no reason" for what, why in excepted.items() if not why
    ]
    return messages

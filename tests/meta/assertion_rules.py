# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every test asserts something, itself or by a helper of its file or of a header of the tests."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from size_rules import NOISE, NOT_A_FUNCTION
from weft_lab.checks.files import own_files

ASSERTS = re.compile(r"\b(?:EXPECT|ASSERT)_[A-Z]|\b(?:FAIL|ADD_FAILURE)\(|\bstatic_assert\b")
TEST = re.compile(r"\b(?:TYPED_)?TEST(?:_F|_P)?\(\s*(\w+)\s*,\s*(\w+)\s*\)$")
DEFINED = re.compile(r"\b(\w+)\s*\(|\b(\w+)\s*=\s*\[")
CALLED = re.compile(r"\b(\w+)\s*[<(]")
MACRO = re.compile(r"^#define (\w+)\(((?:\\\n|[^\n])*)", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(?:tests/)?([^"]+)"', re.MULTILINE)

Functions = list[tuple[str, str]]


def without_assertion(root: Path) -> list[str]:
    """Returns the tests without an assertion; such a test fails only if it throws or hangs."""
    return [*_of_cpp(root), *_of_python(root)]


def _of_cpp(root: Path) -> Iterator[str]:
    tests = root / "tests"
    known = {
        path.relative_to("tests"): list(_functions((root / path).read_text("utf-8")))
        for path in own_files(root, ".cpp", ".cu", ".hpp")
        if path.parts[0] == "tests"
    }
    for path, functions in known.items():
        seen = _with_headers(tests, path, set(known))
        helpers = [each for one in seen for each in known[one] if not TEST.search(each[0])]
        asserting = _asserting(helpers)
        for head, body in functions:
            test = TEST.search(head)
            if test and not _asserts(body, asserting):
                yield f"tests/{path}: {test[1]}.{test[2]} asserts nothing"


def _functions(text: str) -> Iterator[tuple[str, str]]:
    """Yields head and body of every function outside others, and of every macro with arguments."""
    yield from ((f"{name}(", body) for name, body in MACRO.findall(text))
    code = NOISE.sub(" ", text)
    open_blocks: list[tuple[str, int]] = []  # head of a function or nothing, where its body begins
    last = 0
    for match in re.finditer(r"[{};]", code):
        if match[0] == "{":
            head = code[last : match.start()].strip()
            inside = any(outer for outer, _ in open_blocks)
            is_function = DEFINED.search(head) and not inside and not NOT_A_FUNCTION.search(head)
            open_blocks.append((head if is_function else "", match.end()))
        elif match[0] == "}" and open_blocks:
            head, start = open_blocks.pop()
            if head:
                yield head, code[start : match.start()]
        last = match.end()


def _with_headers(tests: Path, path: Path, known: set[Path]) -> set[Path]:
    """Returns the file and what it includes of the tests, directly or not."""
    seen = {path}
    to_read = [path]
    while to_read:
        one = to_read.pop()
        names = INCLUDE.findall((tests / one).read_text("utf-8"))
        found = {Path(name) for name in names} | {one.parent / name for name in names}
        to_read += (found & known) - seen
        seen |= found & known
    return seen


def _asserting(helpers: Functions) -> set[str]:
    """Returns the names of the helpers that assert, or call one that does."""
    names: set[str] = set()
    while True:
        heads = [DEFINED.search(head) for head, body in helpers if _asserts(body, names)]
        more = {head[1] or head[2] for head in heads if head} - names
        if not more:
            return names
        names |= more


def _asserts(body: str, asserting: set[str]) -> bool:
    return bool(ASSERTS.search(body)) or not asserting.isdisjoint(CALLED.findall(body))


def _of_python(root: Path) -> Iterator[str]:
    functions = {
        path: _python_functions(ast.parse((root / path).read_text("utf-8")))
        for path in own_files(root, ".py")
        if path.parts[0] == "tests"
    }
    shared = [f for path, found in functions.items() if not _has_tests(path) for f in found]
    for path, own in functions.items():
        names = {"raises", "fail"}
        helpers = [*own, *shared]
        while more := {f.name for f in helpers if f.asserts_by(names)} - names:
            names |= more
        tests = [f for f in own if f.name.startswith("test_")] if _has_tests(path) else []
        for test in tests:
            if not test.asserts_by(names):
                yield f"{path}: {test.name} asserts nothing"


@dataclass(frozen=True)
class PythonFunction:
    """What of a function tells whether it asserts: by itself, or by what it calls."""

    name: str
    asserts: bool
    called: frozenset[str]

    def asserts_by(self, asserting: set[str]) -> bool:
        return self.asserts or not self.called.isdisjoint(asserting)


def _has_tests(path: Path) -> bool:
    return path.name.startswith("test_")


def _python_functions(tree: ast.Module) -> list[PythonFunction]:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return [_read(node) for node in ast.walk(tree) if isinstance(node, kinds)]


def _read(function: ast.FunctionDef | ast.AsyncFunctionDef) -> PythonFunction:
    nodes = list(ast.walk(function))
    functions = [node.func for node in nodes if isinstance(node, ast.Call)]
    called = frozenset(
        each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "")
        for each in functions
    )
    asserts = any(isinstance(node, ast.Assert) for node in nodes)
    asserts = asserts or any(name.startswith("assert_") for name in called)
    return PythonFunction(function.name, asserts, called)

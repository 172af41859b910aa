# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tests that a mutant meets: single test files, a module's programs, or Python tests."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Protocol

LIBRARY = ("base", "counters", "tasks", "execution", "algorithms", "policies", "halo")
FOLDERS: dict[str, tuple[str, ...]] = {m: (f"include/weft/{m}", f"src/{m}") for m in LIBRARY}
FOLDERS |= {"tools": ("tools/top",), "lab": ("lab/harness",), "python": ("python/weft_lab",)}
LABELS = {"tools": "top", "lab": "harness"}  # of ctest; elsewhere the module's name
LEFT_OUT = "slow|inputs|gpu|peer|python"  # tests with these labels
NEAREST_MAX = 3


class Check(Protocol):
    """Tests that may notice a mutant. `build` returns a hash of the programs, or nothing."""

    name: str

    def build(self) -> str | None: ...
    def passes(self, limit_s: float) -> bool: ...


def call(
    command: Sequence[str], limit_s: float, cwd: Path, env: Mapping[str, str] | None = None
) -> tuple[bool, str]:
    """Runs a command, ends all it started when it exceeds the limit, and returns its output."""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=os.environ | dict(env or {}),
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        try:
            output = process.communicate(timeout=limit_s)[0]
        except BaseException as stop:
            os.killpg(process.pid, signal.SIGKILL)
            if not isinstance(stop, subprocess.TimeoutExpired):
                raise
            return False, "time limit exceeded"
    return process.returncode == 0, output


@dataclass
class Build:
    """The build folder, and the tests that ctest would run."""

    tree: Path
    folder: Path
    limit_s: float
    tests: list[tuple[list[str], str]] = field(default_factory=list)  # command, properties

    def __post_init__(self) -> None:
        os.environ |= {"CCACHE_BASEDIR": str(self.tree), "CCACHE_NOHASHDIR": "true"}
        pattern = r"add_test\(\[=\[(.+?)\]=\] (.+)\)\nset_tests_properties\(\[=\[\1\]=\] (.+)\)"
        for path in self.folder.glob("tests/**/CTestTestfile.cmake"):
            for _, command, properties in re.findall(pattern, path.read_text("utf-8")):
                self.tests.append((shlex.split(command), properties))

    def ninja(self, *targets: str) -> bool:
        return call(["ninja", "-j1", *targets], self.limit_s, self.folder)[0]

    def command_for(self, target: str) -> str:
        """Returns the command that makes a target of what it is made of."""
        return call(["ninja", "-t", "commands", target], 60, self.folder)[1].splitlines()[-1]

    def tests_of(self, file: str) -> list[tuple[list[str], str]]:
        """Returns the tests that run a file of tests/."""
        folder = f"{self.folder / Path(file).parent}/"
        mark = f"--file={Path(file).name}"
        return [test for test in self.tests if mark in test[0] and folder in " ".join(test[0])]


@dataclass
class Alone:
    """One test file, compiled and linked without the others of its program."""

    of: Build
    name: str

    def __post_init__(self) -> None:
        command = self.of.tests_of(self.name)[0][0]
        self.program = next(part for part in command if "/weft_test_" in part)
        self.alone = f"{self.program}_{Path(self.name).stem}"  # there it finds programs it runs

    def build(self) -> str | None:
        target = Path(self.program).name
        link = self.of.command_for(target)
        own = re.findall(rf"\S+/CMakeFiles/{target}\.dir/\S+\.o\b", link)
        needed = set(re.findall(r" (\w\S+\.(?:a|o|so))\b", link)) - set(own)
        compile_it = re.sub(r" -MD -MT \S+ -MF \S+", "", self.of.command_for(own[0]))
        compile_it = re.sub(r" -c \S+", f" -c {self.of.tree / self.name}", compile_it)
        compile_it = re.sub(r" -o \S+", f" -o {self.alone}.o", compile_it)
        for each in own:
            link = link.replace(each, f"{self.alone}.o" if each == own[0] else "")
        link = re.sub(r" -o \S+", f" -o {self.alone}", link)
        steps = [["sh", "-c", compile_it], ["sh", "-c", link]]
        done = self.of.ninja(*sorted(needed)) and all(
            call(step, self.of.limit_s, self.of.folder)[0] for step in steps
        )
        return hashlib.sha1(Path(self.alone).read_bytes()).hexdigest() if done else None

    def passes(self, limit_s: float) -> bool:
        for command, properties in self.of.tests_of(self.name):
            mine = [self.alone if part == self.program else part for part in command]
            if not call(mine, limit_s, self.of.folder, environment(properties))[0]:
                return False
        return True


@dataclass
class InProgram:
    """One test file, in the program that it shares with others."""

    of: Build
    name: str

    def build(self) -> str | None:
        command = self.of.tests_of(self.name)[0][0]
        program = Path(next(part for part in command if "/weft_test_" in part))
        if not self.of.ninja(str(program.relative_to(self.of.folder))):
            return None
        return hashlib.sha1(program.read_bytes()).hexdigest()

    def passes(self, limit_s: float) -> bool:
        return all(
            call(command, limit_s, self.of.folder, environment(properties))[0]
            for command, properties in self.of.tests_of(self.name)
        )


def environment(properties: str) -> dict[str, str]:
    """Returns the variables that ctest sets for a test with these properties."""
    settings = re.search(r'ENVIRONMENT "([^"]*)"', properties)
    return dict(pair.split("=", 1) for pair in settings[1].split(";")) if settings else {}


@dataclass
class Programs:
    """All test programs of a module; tests that fail without a mutant are left out."""

    of: Build
    name: str  # the label
    failing: list[str] | None = None

    def build(self) -> str | None:
        label = re.compile(rf'LABELS "(?:[^"]*;)?{self.name}[;"]')
        left_out = re.compile(rf'LABELS "[^"]*\b(?:{LEFT_OUT})\b')
        asked = [
            f"{properties} {' '.join(command)}"
            for command, properties in self.of.tests
            if label.search(properties) and not left_out.search(properties)
        ]
        program = re.compile(
            rf"{self.of.folder}/((?:(?!CMakeFiles)[\w.-]+/)*weft[\w-]+)(?![\w./-])"
        )
        programs = sorted(set(program.findall(" ".join(asked))))
        if not self.of.ninja(*programs):
            return None
        parts = (self.of.folder / program for program in programs)
        return hashlib.sha1(b"".join(part.read_bytes() for part in parts)).hexdigest()

    def passes(self, limit_s: float) -> bool:
        command = ["ctest", "-L", f"^{self.name}$", "-LE", LEFT_OUT]
        if self.failing is not None:
            command += ["--stop-on-failure", "-E", f"^({'|'.join(self.failing)})$"]
        passed, output = call(command, limit_s, self.of.folder)
        if self.failing is None:
            self.failing = re.findall(r"^\s+\d+ - (\S+) \(", output, re.MULTILINE)
            return passed or bool(self.failing)
        return passed


@dataclass
class Pytest:
    """Python test files; tests that fail without a mutant are left out."""

    tree: Path
    name: str
    failing: list[str] | None = None

    def build(self) -> str | None:
        return str(time.monotonic())

    def passes(self, limit_s: float) -> bool:
        command = [sys.executable, "-P", "-m", "pytest", "-q", "--tb", "no", *self.name.split()]
        command += ["-p", "no:cacheprovider", "-m", "not browser and not timed"]
        if self.failing is not None:
            command += ["-x", *(part for each in self.failing for part in ("--deselect", each))]
        passed, output = call(command, limit_s, self.tree, {"PYTHONPATH": "python"})
        if self.failing is None:
            self.failing = re.findall(r"^(?:FAILED|ERROR) (\S+)", output, re.MULTILINE)
            return passed or bool(self.failing)
        return passed


@cache
def sources(tree: Path, module: str) -> list[Path]:
    suffixes = {".py"} if module == "python" else {".cpp", ".hpp"}
    found = [path for folder in FOLDERS[module] for path in (tree / folder).rglob("*")]
    return sorted(path.relative_to(tree) for path in found if path.suffix in suffixes)


@cache
def text_of(path: Path) -> str:
    return path.read_text("utf-8")


def checks(build: Build, module: str, path: Path) -> list[Check]:
    """Returns the tests that a mutant of a file meets, the nearest first."""
    tree = build.tree
    if module == "python":
        package, _, name = ".".join(path.with_suffix("").parts[1:]).rpartition(".")
        importing = rf"\b{package}\.{name}\b|from {package} import [^\n]*\b{name}\b"
        files = sorted(tree.glob("tests/python/*/test_*.py"))
        near = [
            str(file.relative_to(tree))
            for file in files
            if name in file.stem or re.search(importing, text_of(file))
        ]
        return [Pytest(tree, name) for name in (" ".join(near), "tests/python") if name]
    # A changed source leaves the test's object as it was; linking the program anew is quick.
    kind = InProgram if path.suffix == ".cpp" else Alone
    asked: list[Check] = [kind(build, test) for test in nearest_tests(build, path)]
    return [*asked, Programs(build, LABELS.get(module, module))]


def nearest_tests(build: Build, path: Path) -> list[str]:
    """Returns the test files of the same name, or that include it, else what includes it."""
    tree = build.tree
    files = [file.relative_to(tree) for file in sorted(tree.glob("tests/**/*_test.cpp"))]
    files = [file for file in files if build.tests_of(str(file))]
    own = path.parts[2 if path.parts[0] == "include" else 1]
    others = {other for module in FOLDERS for other in sources(tree, module)}
    seen = ring = {path} | _own_header(tree, path, others)
    while ring:
        including = _including(ring)
        stems = {f"{each.stem}_test" for each in ring}
        near = [
            (not is_same, file.parts[1] != own, len(text_of(tree / file)), str(file))
            for file in files
            if (is_same := file.stem in stems and file.parts[1] == own)
            or including.search(text_of(tree / file))
        ]
        if near:
            return [file for *_, file in sorted(near)[:NEAREST_MAX]]
        ring = {other for other in others - seen if including.search(text_of(tree / other))}
        seen = seen | ring
    return []


def _including(files: set[Path]) -> re.Pattern[str]:
    names = {"/".join(file.parts[1:]) for file in files} | {str(file) for file in files}
    return re.compile(rf'#include ["<](?:{"|".join(map(re.escape, sorted(names)))})[">]')


def _own_header(tree: Path, path: Path, others: set[Path]) -> set[Path]:
    """Returns the header that a source includes first, which declares what it defines."""
    first = re.search(r'#include "([^"]+)"', text_of(tree / path))
    if path.suffix != ".cpp" or first is None:
        return set()
    return {other for other in others if str(other).endswith(f"/{first[1]}")}

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mutants change what the code means, leave all else alone, and are counted rightly."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path

import mutate
import nearest
import pytest
from mistakes import mutants_of

CPP = """\
// a < b and 1 + 1
#include <vector>
static_assert(1 < 2, "a < b");
template <class T, int n = 3>
  requires(n < 4)
void shift(T& x, int n) {
  if (n < 4 && name(x, n) != "a < b") {
    x.push(first, last);
    WEFT_ASSERT(n > 0, "1 + 1");
    throw error("no " + std::to_string(n - 1));
  }
  flag.store(!found, std::memory_order_release);
  const auto most = std::min(n, 1U);
}
"""

PYTHON = '''\
"""Adds 1 + 1."""
from a import b

def f(x: int = 1) -> int:
    """1 < 2"""
    if x < 4 and not done(x, y):
        values.append(x + 1)  # 1 + 1
        raise ValueError(f"{x} == 1")
    return max(x, "a == b" == x)
'''


def planted(source: str, suffix: str, operator: str) -> list[str]:
    """The changed lines of all mutants of an operator."""
    return [
        after.strip()
        for mutant in mutants_of(source, suffix)
        if mutant.operator == operator
        for before, after in zip(
            source.splitlines(), mutant.planted(source).splitlines(), strict=True
        )
        if before != after
    ]


@pytest.mark.parametrize(
    ("operator", "lines"),
    [
        ("boundary", ['if (n <= 4 && name(x, n) != "a < b") {']),
        ("equality", ['if (n < 4 && name(x, n) == "a < b") {']),
        ("logic", ['if (n < 4 || name(x, n) != "a < b") {']),
        ("condition", ['if (!(n < 4 && name(x, n) != "a < b")) {']),
        (
            "constant",
            ['if (n < 5 && name(x, n) != "a < b") {', 'if (n < 3 && name(x, n) != "a < b") {'],
        ),
        ("arguments", ['if (n < 4 && name(n, x) != "a < b") {', "x.push(last, first);"]),
        ("statement", [";", ";"]),
        ("negation", ["flag.store(found, std::memory_order_release);"]),
        ("memory order", ["flag.store(!found, std::memory_order_relaxed);"]),
        ("extreme", ["const auto most = std::max(n, 1U);"]),
        ("arithmetic", []),
        ("early return", []),
    ],
)
def test_mistakes_in_cpp(operator: str, lines: list[str]) -> None:
    assert planted(CPP, ".cpp", operator) == lines


def test_functions_without_result_return_early() -> None:
    source = "void x::f(int i) const {\n  g();\n}\nint h() {\n}\n"

    assert planted(source, ".hpp", "early return") == ["void x::f(int i) const { return;"]


@pytest.mark.parametrize(
    ("operator", "lines"),
    [
        ("boundary", ["if x <= 4 and not done(x, y):"]),
        ("logic", ["if x < 4 or not done(x, y):"]),
        ("negation", ["if x < 4 and done(x, y):"]),
        ("condition", ["if not (x < 4 and not done(x, y)):"]),
        ("arguments", ["if x < 4 and not done(y, x):"]),
        ("statement", ["pass  # 1 + 1"]),
        ("arithmetic", ["values.append(x - 1)  # 1 + 1"]),
        ("equality", ['return max(x, "a == b" != x)']),
        ("extreme", ['return min(x, "a == b" == x)']),
    ],
)
def test_mistakes_in_python(operator: str, lines: list[str]) -> None:
    assert planted(PYTHON, ".py", operator) == lines


def test_python_mutants_parse() -> None:
    for mutant in mutants_of(PYTHON, ".py"):
        ast.parse(mutant.planted(PYTHON))


def test_the_seed_chooses(tmp_path: Path) -> None:
    (tmp_path / "src/base").mkdir(parents=True)
    (tmp_path / "src/base/a.cpp").write_text(CPP)
    chosen = [
        [mutate.choose(tmp_path, "base", generator) for _ in range(5)]
        for generator in map(random.Random, ("1", "1", "2"))
    ]

    assert chosen[0] == chosen[1] != chosen[2]


class FakeTests:
    """Tests that notice a mutant if it has a word; those of each name are asked once without."""

    def __init__(self, place: Path, name: str) -> None:
        self.place, self.name = place, name

    def build(self) -> str | None:
        source = self.place.read_text()
        return None if "n - 0" in source else source.replace("unused + 1", "unused - 1")

    def passes(self, limit_s: float) -> bool:
        return limit_s > 0 and self.name not in self.place.read_text()


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("near", ("caught", "near")),
        ("far", ("caught", "far")),
        ("harmless", ("survived", "")),
        ("n - 0", ("not compiled", "near")),
    ],
)
def test_tests_are_asked_in_turn(
    text: str, outcome: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "a.cpp"
    place.write_text("x")
    asked = [FakeTests(place, "x"), FakeTests(place, "near"), FakeTests(place, "far")]
    monkeypatch.setattr(mutate, "checks", lambda *_: asked)
    judge = mutate.Judge(nearest.Build(tmp_path, tmp_path, 60))

    assert judge.outcome("base", Path("a.cpp"), mutate.Mutant(0, 1, text, "")) == outcome
    assert place.read_text() == "x"


def test_what_changes_no_program_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.cpp").write_text("unused + 1")
    monkeypatch.setattr(mutate, "checks", lambda *_: [FakeTests(tmp_path / "a.cpp", "near")])
    judge = mutate.Judge(nearest.Build(tmp_path, tmp_path, 60))

    mutant = mutate.Mutant(7, 8, "-", "arithmetic")
    assert judge.outcome("base", Path("a.cpp"), mutant) == ("unchanged", "")


def test_equivalent_mutants_are_left_out_of_the_fraction() -> None:
    row = {"module": "base", "outcome": "survived"}
    rows = [row, row | {"equivalent": "for a reason"}, row | {"outcome": "not compiled"}]
    rows += [row | {"outcome": "caught"}] * 3

    assert "| base | 5 | 1 | 3 | 0 | 1 | 75% |" in mutate.table(rows)
    assert "| halo | 0 | 0 | 0 | 0 | 0 | none |" in mutate.table(rows)


def test_what_later_tests_catch_does_not_change_the_fraction() -> None:
    row = {"module": "base", "outcome": "survived"}
    rows = [row, row | {"caught_since": "a_test.cpp: b"}, row | {"outcome": "caught"}]

    assert "| base | 3 | 0 | 1 | 1 | 1 | 33% |" in mutate.table(rows)


def test_contributing_has_the_table_of_the_results() -> None:
    root = Path(__file__).parents[3]
    text = (root / "tests/mutation/results.jsonl").read_text("utf-8")
    results = [json.loads(line) for line in text.splitlines()]

    assert mutate.table(results) in (root / "CONTRIBUTING.md").read_text("utf-8")


def test_a_changed_header_compiles_a_test_alone_and_a_source_links_its_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build = nearest.Build(tmp_path, tmp_path, 60)
    program = f"{tmp_path}/tests/base/weft_test_base"
    build.tests.append(([program, "--file=a_test.cpp"], ""))
    monkeypatch.setattr(nearest, "nearest_tests", lambda *_: ["tests/base/a_test.cpp"])

    of_header = nearest.checks(build, "base", Path("include/weft/base/a.hpp"))
    of_source = nearest.checks(build, "base", Path("src/base/a.cpp"))

    assert [type(check) for check in of_header] == [nearest.Alone, nearest.Programs]
    assert [type(check) for check in of_source] == [nearest.InProgram, nearest.Programs]


def test_a_test_file_runs_in_its_program_with_ctests_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tests/base").mkdir(parents=True)
    program = tmp_path / "tests/base/weft_test_base"
    program.write_text("#!/bin/sh\n[ $1 = --file=a_test.cpp ] && [ $WORKERS = 2 ]\n")
    program.chmod(0o755)
    build = nearest.Build(tmp_path, tmp_path, 60)
    command = [str(program), "--file=a_test.cpp"]
    build.tests.append((command, 'ENVIRONMENT "WORKERS=2;A=b" LABELS "base"'))
    built: list[str] = []
    monkeypatch.setattr(build, "ninja", lambda *targets: built.extend(targets) or True)
    check = nearest.InProgram(build, "tests/base/a_test.cpp")

    assert check.build() is not None
    assert built == ["tests/base/weft_test_base"]
    assert check.passes(60)
    build.tests[0] = (command, "")
    assert not check.passes(60)


def test_the_nearest_tests_include_what_changed(tmp_path: Path) -> None:
    files = {
        "include/weft/base/a.hpp": "",
        "src/base/deep.hpp": "",
        "src/base/a.cpp": '#include "weft/base/a.hpp"\n#include "base/deep.hpp"\n',
        "tests/base/a_test.cpp": "// by name",
        "tests/base/b_test.cpp": '#include "weft/base/a.hpp"\n',
        "tests/base/c_test.cpp": "// of something else",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    build = nearest.Build(tmp_path, tmp_path / "build", 60)
    for name in "abc":
        command = [f"{tmp_path}/build/tests/base/weft_test_base", f"--file={name}_test.cpp"]
        build.tests.append((command, ""))

    both = ["tests/base/a_test.cpp", "tests/base/b_test.cpp"]
    assert nearest.nearest_tests(build, Path("include/weft/base/a.hpp")) == both
    assert nearest.nearest_tests(build, Path("src/base/a.cpp")) == both
    assert nearest.nearest_tests(build, Path("src/base/deep.hpp")) == both[:1]


def test_a_modules_tests_that_fail_without_a_mutant_are_not_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = []

    def call(command: list[str], *_: object) -> tuple[bool, str]:
        commands.append(" ".join(command))
        return len(commands) > 1, "The following tests FAILED:\n\t 7 - base.gone (Not Run)\n"

    monkeypatch.setattr(nearest, "call", call)
    asked = nearest.Programs(nearest.Build(tmp_path, tmp_path, 60), "base")

    assert asked.passes(1)
    assert asked.passes(1)
    assert commands[1].endswith("--stop-on-failure -E ^(base.gone)$")


def test_programs_are_those_of_the_module_that_tests_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    (tmp_path / "weft_test_base").write_bytes(b"")
    build = nearest.Build(tmp_path, tmp_path, 60)
    build.tests += [
        ([f"{tmp_path}/weft_test_base", "--file=a_test.cpp"], 'LABELS "base;plain"'),
        ([f"{tmp_path}/weft_slow"], 'LABELS "base;slow"'),
        ([f"{tmp_path}/weft_test_tasks"], 'LABELS "tasks"'),
        (["cmake", f"{tmp_path}/CMakeFiles/weft_b.dir/b.cpp.o"], 'LABELS "base"'),
    ]
    monkeypatch.setattr(build, "ninja", lambda *targets: built.extend(targets) or True)

    assert nearest.Programs(build, "base").build() is not None
    assert built == ["weft_test_base"]

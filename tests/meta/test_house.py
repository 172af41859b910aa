# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tree keeps the rules of the house, and each rule finds a planted violation."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import assertion_rules
import dependency_rules
import include_rules
import name_rules
import pytest
import text_rules

ROOT = Path(__file__).resolve().parents[2]
SPDX = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
Rule = Callable[[Path], list[str]]

# Rule, and a file that breaks it.
PLANTED: list[tuple[Rule, str, str]] = [
    (
        assertion_rules.without_assertion,
        "tests/base/a_test.cpp",
        'void f() {}\nTEST(A, b) {\n  f("EXPECT_EQ(");  // ASSERT_TRUE(\n}\n',
    ),
    (assertion_rules.without_assertion, "tests/python/test_a.py", "def test_b():\n    f(1)\n"),
    (
        include_rules.wrong_includes,
        "include/weft/base/a.hpp",
        '#include "weft/counters/b.hpp"\n',
    ),
    (include_rules.wrong_includes, "src/halo/a.cpp", "#include <weft/tasks/b.hpp>\n"),
    (include_rules.wrong_includes, "src/base/a.cpp", '#include "lab/harness/clock.hpp"\n'),
    (include_rules.wrong_includes, "src/base/a.cpp", '#include "tasks/a.hpp"\n'),
    (include_rules.wrong_includes, "src/algorithms/a.cpp", '#include "tasks/b/a.hpp"\n'),
    (
        include_rules.wrong_includes,
        "include/weft/execution/a.hpp",
        '#include "weft/tasks/detail/b/a.hpp"\n',
    ),
    (
        include_rules.names_of_higher_modules,
        "include/weft/tasks/a.hpp",
        "namespace weft::execution::detail {\nstruct a;\n}\n",
    ),
    (include_rules.include_cycles, "src/base/a.hpp", '#include "base/a.hpp"\n'),
    (include_rules.not_tied_to_the_library, "include/weft/base/a.hpp", "struct a {};\n"),
    (dependency_rules.reads_environment, "src/tasks/a.cpp", 'std::getenv("HOME");\n'),
    (dependency_rules.reads_environment, "include/weft/halo/a.hpp", '::secure_getenv("A");\n'),
    (dependency_rules.uses_standard_execution, "include/weft/base/a.hpp", "#include <execution>\n"),
    (dependency_rules.wrong_imports, "python/weft_lab/a.py", "from weft_lab.commands import run\n"),
    (dependency_rules.wrong_imports, "python/weft_lab/a.py", "import weft_lab.cli\n"),
    (text_rules.without_licence_or_purpose, "src/base/a.cpp", "// Adds two numbers.\n"),
    (text_rules.without_licence_or_purpose, "src/base/a.cpp", SPDX + "#include <vector>\n"),
    (text_rules.forbidden_words, "docs/a.md", "see /" + "root/x\n"),
    (text_rules.forbidden_words, "packaging/a.txt", "https://py" + "pi.org/simple\n"),
    (text_rules.forbidden_words, "src/a.cpp", "// TO" + "DO: later\n"),
    (text_rules.without_pragma_once, "include/weft/base/a.hpp", SPDX),
    (text_rules.lost_examples, "include/weft/a.hpp", "/// Example: tests/a/b_test.cpp: c.\n"),
    (text_rules.merged_fields, "src/a.hpp", "/// Cost:    a lock, no\n/// load. Threads: any.\n"),
    (text_rules.merged_fields, "src/a.hpp", "/// Threads: any, but\n/// not\n///          two.\n"),
    (text_rules.backend_conditions, "lab/stl/problems/a.cpp", "#ifdef WEFT_HAS_TBB\n#endif\n"),
    (text_rules.backend_conditions, "lab/stl/a.hpp", "#if A && \\\n  defined(_OPENMP)\n#endif\n"),
    (name_rules.untested_problems, "lab/stl/problems/sort.cpp", SPDX),
    (name_rules.unlisted_headers, "include/weft/base/detail/a.hpp", SPDX),
    (name_rules.unlisted_headers, "include/weft/a.hpp", SPDX),
    (
        name_rules.hand_written_forwards,
        "include/weft/compat/hpx/hpx/a.hpp",
        "// Same.\n#pragma once\n\n#include <hpx/b.hpp>  // IWYU pragma: export\n",
    ),
    (
        name_rules.hand_written_forwards,
        "include/weft/compat/hpx/hpx/a.hpp",
        '#pragma once\n#error \\\n    "none"\n',
    ),
    (
        name_rules.misstated_exec_names,
        "docs/exec_names.md",
        "| `then` | yes | `weft/execution/then.hpp` | |\n",
    ),
    (name_rules.misstated_exec_names, "docs/exec_names.md", "| `then` | perhaps | | |\n"),
    (name_rules.unreasoned_packages, "packaging/apt/a.txt", "g++   g++\n"),
]


@pytest.mark.parametrize(
    "rule",
    [
        *dict.fromkeys(rule for rule, _, _ in PLANTED),
        *(dependency_rules.wrong_rooms, dependency_rules.import_circles),
        include_rules.unneeded_exceptions,
    ],
)
def test_tree_keeps_rule(rule: Rule) -> None:
    assert rule(ROOT) == []


@pytest.mark.parametrize(("rule", "path", "text"), PLANTED)
def test_rule_finds_planted_violation(rule: Rule, path: str, text: str, tmp_path: Path) -> None:
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text(text, encoding="utf-8")

    assert len(rule(tmp_path)) == 1


def test_graph_of_modules_is_the_one_in_contributing(tmp_path: Path) -> None:
    table = include_rules.graph_table(include_rules.module_graph(ROOT))
    print(table)

    assert table in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

    for name in ("src/halo/a.cpp", "src/tasks/a.cpp"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text('#include "weft/base/b.hpp"\n#include "counters/b/c.hpp"\n')
    graph = include_rules.module_graph(tmp_path)
    assert {module for module in graph if graph[module] == {"base", "counters"}} == {
        "halo",
        "tasks",
    }


def test_longer_circle_of_includes_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "include/weft/tasks"
    folder.mkdir(parents=True)
    for name, included in (("a", "b"), ("b", "c"), ("c", "a"), ("d", "a")):
        (folder / f"{name}.hpp").write_text(f'#include "weft/tasks/{included}.hpp"\n')

    circles = include_rules.include_cycles(tmp_path)

    assert [circle.split()[0] for circle in circles] == [
        f"include/weft/tasks/{name}.hpp" for name in "abc"
    ]


def test_a_helper_may_assert(tmp_path: Path) -> None:
    (tmp_path / "tests/a").mkdir(parents=True)
    (tmp_path / "tests/a/b.hpp").write_text("void deep() {\n  EXPECT_TRUE(true);\n}\n")
    own = "template <class T>\nvoid near() {\n  deep();\n}\n"
    test = '#include "a/b.hpp"\n' + own + "TEST_P(A, b) {\n  if (x) {\n    near<int>();\n  }\n}\n"
    (tmp_path / "tests/a/b_test.cpp").write_text(test)

    assert assertion_rules.without_assertion(tmp_path) == []


def test_a_page_of_names_is_compared_with_the_headers(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "include/weft/execution").mkdir(parents=True)
    header = (
        "struct then_t;\ninline constexpr then_t then{};\ntemplate <class S>\nconcept sender = 1;\n"
    )
    (tmp_path / "include/weft/execution/a.hpp").write_text(header + "// then\nlet(then_value);\n")
    page = tmp_path / "docs/exec_names.md"
    page.write_text("| `then`, `sender` | yes | `weft/execution/a.hpp` | |\n| `let` | no | | |\n")
    assert name_rules.misstated_exec_names(tmp_path) == []

    page.write_text(
        "| `let`, `then_value` | yes | `weft/execution/a.hpp` | |\n| `then` | no | | |\n"
    )
    assert len(name_rules.misstated_exec_names(tmp_path)) == 3


def test_a_module_of_the_lab_imports_from_its_own_room_and_lower_ones(tmp_path: Path) -> None:
    lab = tmp_path / "python/weft_lab"
    texts = {
        "storage/low.py": "from weft_lab.pages import high\n",
        "pages/high.py": "def f():\n    from weft_lab.storage import low\n",
        "suites/stl/a.py": "from weft_lab.suites.mpi import plan\n",
        "suites/mpi/plan.py": "from weft_lab.pages.high import f\n",
    }
    for name, text in texts.items():
        (lab / name).parent.mkdir(parents=True, exist_ok=True)
        (lab / name).write_text(text)

    assert sorted(dependency_rules.wrong_rooms(tmp_path)) == [
        "weft_lab.storage.low imports weft_lab.pages.high: storage is below pages",
        "weft_lab.suites.stl.a imports weft_lab.suites.mpi.plan: suites are found by the protocol",
    ]
    circles = dependency_rules.import_circles(tmp_path)
    assert [circle.split()[0] for circle in sorted(circles)] == [
        "weft_lab.pages.high",
        "weft_lab.storage.low",
    ]


def test_header_of_a_module_has_all_of_its_headers(tmp_path: Path) -> None:
    assert name_rules.incomplete_umbrellas(ROOT) == []

    folder = tmp_path / "include/weft/base"
    folder.mkdir(parents=True)
    (folder.parent / "base.hpp").write_text('#include "weft/base/a.hpp"\n')
    (folder / "a.hpp").write_text(SPDX)
    (folder / "b.hpp").write_text(SPDX)
    assert name_rules.incomplete_umbrellas(tmp_path) == [
        "include/weft/base.hpp does not include weft/base/b.hpp"
    ]
    gone = [name for name in name_rules.IN_NO_UMBRELLA if not (ROOT / "include" / name).exists()]
    assert gone == []


def test_versions_agree() -> None:
    assert name_rules.differing_versions(ROOT) == []


def test_differing_version_is_found(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text("project(weft VERSION 1.2.3 LANGUAGES CXX)")
    (tmp_path / "CITATION.cff").write_text("title: weft\nversion: 1.2.4\n")

    assert name_rules.differing_versions(tmp_path) == [
        "CITATION.cff says 1.2.4, CMakeLists.txt 1.2.3"
    ]


def test_a_backend_may_name_itself(tmp_path: Path) -> None:
    (tmp_path / "lab/stl/backends").mkdir(parents=True)
    (tmp_path / "lab/stl/backends/gnu.cpp").write_text("#ifdef WEFT_GNU\n#endif\n")

    assert text_rules.backend_conditions(tmp_path) == []

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No file or function is over its ceiling, and the counting is right."""

from __future__ import annotations

from pathlib import Path

import size_rules

ROOT = Path(__file__).resolve().parents[2]
EXCEPTIONS = ROOT / "tests/meta/size_exceptions.txt"

CPP = """
namespace a {
struct s {
  s() : x_{1} {}
  int x_;
};
int table[] = {1,
  2, 3};
template <class T>
auto f(T t) -> int {
  auto g = [&](int i) {
    return i;  // } not an end
  };
  const char* brace = "}";
  return g(t);
}
}  // namespace a
"""


def test_tree_is_within_ceilings() -> None:
    excepted = size_rules.exceptions(EXCEPTIONS.read_text(encoding="utf-8"))

    assert size_rules.violations(size_rules.too_long(ROOT), excepted) == []


def test_cpp_functions_are_measured_with_their_heads() -> None:
    assert dict(size_rules.cpp_functions(CPP)) == {"s": 1, "f": 8}


def test_long_file_and_functions_are_found(tmp_path: Path) -> None:
    body = "  ++x;\n" * 61
    (tmp_path / "a.cpp").write_text(f"void f(int x) {{\n{body}}}\n" + "\n" * 600)
    (tmp_path / "b.py").write_text("def g():\n" + "    pass\n" * 60)

    found = {finding.what: finding.lines for finding in size_rules.too_long(tmp_path)}

    assert found == {"a.cpp": 663, "a.cpp::f": 63, "b.py::g": 61}


def test_exceptions_must_be_needed_and_reasoned() -> None:
    findings = [size_rules.Finding("a.cpp", 700, 600), size_rules.Finding("b.cpp", 700, 600)]
    excepted = size_rules.exceptions("# comment\na.cpp: \nc.cpp: a table\n")

    assert size_rules.violations(findings, excepted) == [
        "b.cpp has 700 lines, ceiling 600",
        "the exception for c.cpp is not needed",
        "the exception for a.cpp gives no reason",
    ]

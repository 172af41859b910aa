# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each public name has one meaning, also for programs that use several namespaces at once."""

from __future__ import annotations

import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest
from weft_lab.checks.public_names import PAGE, names_of, page, probe, with_meanings

ROOT = Path(__file__).resolve().parents[2]

HEADER = """
#pragma once
namespace weft {
namespace a::detail { struct hidden {}; }
/// Says what it is. And more.
template <class T>
concept small = requires(T t) { t.f(); };
struct forward;
/// A class.
template <class T>
  requires(sizeof(T) > 1) && small<T>
class large : T {};
/// Returns `x`, e.g. one; that
/// is all.
template <class T>
  requires requires(T t) { t + t; }
[[nodiscard]] T twice(T x) noexcept(noexcept(x + x)) { return x; }
struct forward { int member = 0; /** { */ };
forward::forward() {}
template <> struct traits<int> {};
inline constexpr forward value{};
bool operator==(forward, forward);
using other::shown;
}
"""


def header_only(root: Path, text: str, name: str = "a.hpp") -> Path:
    """Makes a tree with one public header."""
    (root / "include/weft").mkdir(parents=True, exist_ok=True)
    (root / "include/weft" / name).write_text(text)
    return root


def compiled(root: Path, source: str) -> subprocess.CompletedProcess[str]:
    """Lets the compiler check a program that includes headers of the tree."""
    compiler = shutil.which("g++") or shutil.which("clang++-19")
    if compiler is None:
        pytest.skip("no compiler")
    command = [compiler, "-std=c++20", f"-I{root / 'include'}", "-fsyntax-only", "-xc++", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False)


def test_names_are_read_from_headers(tmp_path: Path) -> None:
    names = {each.name: each for each in names_of(header_only(tmp_path, HEADER))}

    assert sorted(names) == ["forward", "large", "shown", "small", "twice", "value"]
    assert names["small"].kind == "concept"
    assert names["small"].meaning == "Says what it is"
    assert (names["twice"].kind, names["twice"].meaning) == (
        "function",
        "Returns `x`, e.g. one; that is all",
    )
    assert (names["large"].kind, names["large"].meaning) == ("class", "A class")
    assert names["forward"].is_defined
    assert names["value"].of_type == "forward"


def test_every_public_name_has_a_meaning() -> None:
    assert [each for each in with_meanings(names_of(ROOT)) if not each.meaning] == []


def algorithms(root: Path) -> set[str]:
    """Returns the functions of namespace weft that take an execution policy."""
    found = [each for each in names_of(root) if each.header.startswith("weft/algorithms/")]
    return {
        each.name
        for each in found
        if each.namespace == "weft" and each.kind == "function"
        if re.search(rf"\b{each.name}\(\s*Policy&&", (root / "include" / each.header).read_text())
    }


def test_every_algorithm_has_a_row_of_costs_and_a_form_for_ranges() -> None:
    table = (ROOT / "docs/algorithms.md").read_text(encoding="utf-8").split("| memory |\n", 1)[1]
    rows = " ".join(re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE))
    costs = re.findall(r"`([\w*]+)`", rows)
    ranges = {each.name for each in names_of(ROOT) if each.namespace == "weft::ranges"}
    names = algorithms(ROOT)

    assert {name for name in names if not any(fnmatch(name, row) for row in costs)} == set()
    assert names - ranges == {"for_loop", "for_loop_strided"}  # of indices
    assert {"adjacent_find", "uninitialized_fill_n"} <= names


def test_the_page_of_public_names_is_up_to_date() -> None:
    assert (ROOT / PAGE).read_text(encoding="utf-8") == page(ROOT), (
        "write it: PYTHONPATH=python python -m weft_lab.checks.public_names ."
    )


def test_function_objects_and_shown_names_share_a_meaning(tmp_path: Path) -> None:
    text = "namespace weft {\n/// Joins.\nstruct join_t {};\ninline constexpr join_t join{};\n"
    header_only(tmp_path, text + "namespace a {\nusing weft::join;\nusing std::shown;\n}\n}\n")

    rows = {(each.namespace, each.name): each for each in with_meanings(names_of(tmp_path))}

    assert set(rows) == {("weft", "join"), ("weft::a", "join"), ("weft::a", "shown")}
    assert {rows["weft", "join"].meaning, rows["weft::a", "join"].meaning} == {"Joins"}
    assert rows["weft::a", "shown"].meaning == "`std::shown`"


def test_no_name_is_ambiguous_after_using_directives() -> None:
    done = compiled(ROOT, probe(ROOT))

    assert done.returncode == 0, done.stderr


def test_an_ambiguous_name_is_found(tmp_path: Path) -> None:
    header_only(tmp_path, "namespace weft {\nvoid one();\nstruct two {};\n}\n")
    header_only(tmp_path, "namespace weft::execution {\nvoid one();\nstruct two {};\n}\n", "b.hpp")
    header_only(tmp_path, "namespace weft::algorithms {\nstruct three {};\n}\n", "c.hpp")

    done = compiled(tmp_path, probe(tmp_path))

    assert "two" in done.stderr
    assert "ambiguous" in done.stderr
    assert "three" not in done.stderr

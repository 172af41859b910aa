# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The documentation site: every public name has an entry, links lead somewhere, text stays text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pytest
import typer
from weft_lab.checks.public_names import names_of, with_meanings
from weft_lab.commands import verb, verb_names
from weft_lab.site import api_pages
from weft_lab.site.build import all_pages, names_without_entry, with_links
from weft_lab.site.command_pages import command_page
from weft_lab.site.docstrings import escaped, parse
from weft_lab.site.examples import cut
from weft_lab.site.headers import Header, read_headers
from weft_lab.site.pages import Site, contents
from weft_lab.site.signatures import LINE_CHARACTERS, formatted
from weft_lab.storage.checkout import CHECKOUT

HEADER = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes boxes, of any
// size.
#pragma once
namespace weft {
/// What a box is made of.
enum class material { wood,  // light
                      iron };
/// Keeps a value.
///
/// Takes *any* value of size [0, n).
/// Cost:    one word; see
///          `peek`.
/// Example: tests/boxes/box_test.cpp: holds_what_it_is_given.
template <class T>
  requires(sizeof(T) > 1)
class box : detail::base<T> {
 public:
  explicit box(T value) : value_(value) {}
  box(const box&) = delete;
  /// Returns the value. Cost: a load.
  [[nodiscard]] const T& peek() const noexcept { return value_; }
  /// Compares.
  friend bool operator==(const box&, const box&) = default;
  static constexpr int num_sides = 6;  // of a cube

 private:
  /// Hidden.
  void shake();
  T value_;
};
template <class Signature>
class closed_box;
/// A box of calls.
template <class R>
class closed_box<R()> {
 public:
  /// Opens it.
  R operator()() const;
};
/// Opens a box.
struct open_t {
  /// Gently.
  int operator()(int x) const { return x; }
};
inline constexpr open_t open{};
[[gnu::always_inline]] inline int shut(int first, int second) { return first + second; }
}
"""
TEST = "TEST(Box, holds_what_it_is_given) {\n  EXPECT_EQ(box<int>(3).peek(), 3);\n}\n\nint f();\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with one header, one test and two pages."""
    files = {
        "include/weft/boxes/box.hpp": HEADER,
        "tests/boxes/box_test.cpp": TEST,
        "examples/a_b.cpp": "int main() {}\n",
        "docs/README.md": "# t\n\n## Start\n\n- [Go](go.md): do\n"
        "<!-- site: - [API](api/x.md) -->\n",
        "docs/go.md": "# Go\n\n[a](../examples/a_b.cpp) [b](README.md#start) [c](../NEWS.md)\n"
        "![p](images/p.svg) `[d](../x)` [e](../examples) [f](../CHANGELOG.md#new)\n",
        "docs/images/p.svg": "<svg/>",
        "NEWS.md": "# N\n",
        "CHANGELOG.md": "# C\n\n## New\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture(scope="module")
def headers() -> list[Header]:
    return read_headers(CHECKOUT)


def test_every_public_name_has_an_entry_with_a_declaration(headers: list[Header]) -> None:
    wanted = {f"{each.namespace}::{each.name}" for each in with_meanings(names_of(CHECKOUT))}

    places = api_pages.places(headers)

    assert len(wanted) > 700
    assert wanted - set(places) == set()
    assert len(set(places.values())) == len(places)
    entries = [entry for header in headers for entry in header.entries]
    assert [each.name.name for each in entries if not each.signatures] == []


def test_fields_of_docstrings_reach_the_pages(headers: list[Header]) -> None:
    pages = api_pages.api_pages(CHECKOUT, headers, lambda file: f"source/{file}")

    group = pages["reference/api/tasks/task_group"]
    assert ":Cost: one block of a worker's cache and a push" in group
    assert ":Threads: `run`, `cancel`" in group
    assert "TEST_P(TaskGroup, runs_every_task_once) {" in group
    assert "### task\\_group::run\n" in group
    assert "| member | meaning | cost |\n" in group
    assert "perform_counted" not in group
    assert ":Errors:" in pages["reference/api/algorithms/sort"]
    assert (
        "| halo for C | [include/weft/halo.h](/source/include/weft/halo.h.md) |"
        in (pages["reference/api/index"])
    )


def test_members_and_overloads_are_read(tree: Path) -> None:
    (header,) = read_headers(tree)
    entries = {each.name.name: each for each in header.entries}
    members = {each.name: each for each in entries["box"].members}

    assert header.purpose == "Makes boxes, of any size."
    assert set(entries) == {"material", "box", "closed_box", "open", "shut"}
    assert "wood,  // light" in entries["material"].signatures[0].code
    assert entries["box"].signatures[0].code == (
        "template <class T>\n  requires(sizeof(T) > 1)\nclass box;"
    )
    assert set(members) == {"box", "peek", "num_sides"}
    assert members["peek"].code == "[[nodiscard]] const T& peek() const noexcept;"
    assert members["num_sides"].code.endswith("num_sides = 6;  // of a cube")
    assert [each.code for each in entries["box"].members if each.name == "box"] == [
        "explicit box(T value);",
        "box(const box&) = delete;",
    ]
    assert [each.name for each in entries["closed_box"].members] == ["operator()"]
    assert [each.code for each in entries["open"].members] == ["int operator()(int x) const;"]
    assert entries["shut"].signatures[0].code == "int shut(int first, int second);"


def test_page_of_a_header(tree: Path) -> None:
    pages = api_pages.api_pages(tree, read_headers(tree), lambda _file: "")

    page = pages["reference/api/boxes/box"]
    assert "(weft-box)=\n## box\n" in page
    assert "Takes \\*any\\* value of size \\[0, n)." in page
    assert ":Cost: one word; see\n    `peek`." in page
    assert "EXPECT_EQ(box<int>(3).peek(), 3);\n}\n```" in page
    assert "| member | meaning |" not in page  # one member alone needs no table
    assert ":Cost: a load." in page
    assert "shake" not in page
    assert "[boxes](boxes.md)" in pages["reference/api/index"]
    assert "/reference/api/boxes/box.md#weft-box" in pages["reference/api/boxes"]


def test_docstrings_become_markdown() -> None:
    doc = parse(["/// Does `a*b` and c*d.", "///", "/// - one", "///   more", "/// - two"])

    assert doc.text == "Does `a*b` and c\\*d.\n\n- one\nmore\n- two"
    assert doc.fields == ()
    assert escaped("<a> [b] c_d `e_f`") == "\\<a\\> \\[b\\] c\\_d `e_f`"


def test_fields_within_a_line_are_fields() -> None:
    doc = parse(["/// True if so. Cost: two loads.", "/// Errors:  none."])

    assert doc.text == "True if so."
    assert [(each.name, each.text) for each in doc.fields] == [
        ("Cost", "two loads."),
        ("Errors", "none."),
    ]


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("int f(int a,\n      int b);", "int f(int a, int b);"),
        ("[[gnu::always_inline]] inline void f();", "void f();"),
        (
            "template <class F>\n  requires(sizeof...(F) > 0) && a<F> void f();",
            "template <class F>\n  requires(sizeof...(F) > 0) && a<F>\nvoid f();",
        ),
        (
            "template <class T> requires requires(T t) { t + t; } T twice(T x);",
            "template <class T>\n  requires requires(T t) { t + t; }\nT twice(T x);",
        ),
    ],
)
def test_declarations_are_laid_out(code: str, wanted: str) -> None:
    assert formatted(code) == wanted


def test_long_declarations_have_a_parameter_a_line() -> None:
    parameters = [f"std::map<int, long> parameter_{i}" for i in range(4)]

    lines = formatted(f"void f({', '.join(parameters)}) noexcept;").splitlines()

    assert lines == ["void f(", *(f"    {each}," for each in parameters[:3]), lines[-1]]
    assert lines[-1] == f"    {parameters[3]}) noexcept;"
    assert max(map(len, lines)) <= LINE_CHARACTERS


def test_examples_are_cut_from_tests(tree: Path) -> None:
    code = cut(tree, "tests/boxes/box_test.cpp", "holds_what_it_is_given")

    assert code == TEST.partition("\n\n")[0]
    assert cut(tree, "tests/boxes/box_test.cpp", "gone") == ""
    assert cut(tree, "tests/gone.cpp", "gone") == ""


def test_links_lead_into_the_site(tree: Path) -> None:
    site = Site(tree)
    site.add_docs()

    page = site.pages["go"]
    assert "[a](/source/examples/a_b.cpp.md)" in page
    assert "[b](/index.md#start)" in page
    assert "[c](/source/NEWS.md.md)" in page
    assert "![p](/images/p.svg)" in page
    assert "`[d](../x)`" in page
    assert "[e](/source/examples.md)" in page
    assert "[f](/project/changelog.md#new)" in page
    assert "int main() {}" in site.pages["source/examples/a_b.cpp"]
    assert "/source/examples/a_b.cpp.md" in site.pages["source/examples"]


def test_contents_follow_the_lists_of_the_first_page(tree: Path) -> None:
    site = Site(tree)
    site.add_docs()

    assert ":caption: Start\n\nGo <go>\nAPI <api/x>\n" in site.pages["index"]
    assert contents("## None\n\ntext\n") == ""


def test_every_page_of_docs_is_in_the_contents() -> None:
    pages, _ = all_pages(CHECKOUT, {name: verb(name) for name in verb_names()})

    listed = contents(pages["index"])

    own = [name for name in pages if not name.startswith(("source/", "reference/api/"))]
    assert [name for name in own if name != "index" and f"<{name}>" not in listed] == []
    assert "<reference/api/index>" in listed


def test_command_line_has_every_verb_and_option() -> None:
    page = command_page({name: verb(name) for name in verb_names()})

    for name in verb_names():
        assert f"\n## {name}\n" in page
    assert "| `--budget <str>` | Time for measuring: 90s, 10m, 1.5h. |" in page
    assert "./weft doctor --json" in page
    assert str(CHECKOUT) not in page
    assert "| 4 |" in page


def test_options_of_a_command_come_from_its_help() -> None:
    def measure(
        what: Annotated[str, typer.Argument(help="The | thing.")],
        often: Annotated[int, typer.Option(help="How often.")] = 3,
    ) -> None:
        """Measures <it>.

        Examples: ./weft measure x; ./weft measure
        y
        """

    page = command_page({"measure": measure})

    assert "./weft measure [OPTIONS] WHAT" in page
    assert "| `WHAT` | The \\| thing. |" in page
    assert "| `--often <int>` | How often.  \\[default: 3\\] |" in page
    assert "Measures \\<it\\>." in page
    assert "```sh\n./weft measure x\n./weft measure y\n```" in page


def test_names_page_links_to_entries() -> None:
    page = "## weft\n\n| `box` | class |\n\n## weft::a\n\n| `box` | class |\n"

    linked = with_links(page, {"weft::box": ("reference/api/x", "weft-box")})

    assert "| [`box`](/reference/api/x.md#weft-box) | class |" in linked
    assert linked.count("| `box` |") == 1


def test_a_name_without_entry_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.html").write_text('<span id="weft-here"></span>')
    places = {"weft::here": ("x", "weft-here"), "weft::gone": ("x", "weft-gone")}

    names = ["weft::here", "weft::gone", "weft::nowhere"]

    assert names_without_entry(tmp_path, names, places) == ["weft::gone", "weft::nowhere"]

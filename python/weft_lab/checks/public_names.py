# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists the public names of the library, each with the sentence that its docstring begins with."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from weft_lab.checks.files import own_files

PAGE = Path("docs/reference/names.md")
HEADERS = Path("include/weft")
HEAD = """# Public names

Generated from the docstrings of `include/weft` by
`PYTHONPATH=python python -m weft_lab.checks.public_names .`; a test of `tests/meta` says when the
page is out of date. Members of classes, names in a namespace `detail` and the headers of
`weft/compat` are left out. The type of a function object is its name with `_t`.
"""
USED_TOGETHER = ("weft", "weft::execution", "weft::algorithms")
NO_CALLS = {"alias", "concept", "value template"}
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\s+([\w:]*)$")
KEYWORDS = {"alignas", "decltype", "explicit", "noexcept", "requires", "sizeof", "static_assert"}
NOTHING_NEW = r"(friend|static_assert|extern|using namespace)\b|(class|struct) [\w:]+\s*(<|::)"
KINDS = (
    ("alias", r"using (\w+)\s*="),
    ("concept", r"concept (\w+)"),
    ("class", r"(?:class|struct|union|enum(?: class)?) (\w+)"),
)
OPENING = {"(": ")", "[": "]", "{": "}", "<": ">"}
SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)\.(?=\s|$)")
TOKEN = re.compile(
    r"""(?P<doc>^[ \t]*///[^\n]*$)
      | (?P<skip>//[^\n]*|/\*[\s\S]*?\*/|^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
      | (?P<text>R"\([\s\S]*?\)"|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)') | (?P<brace>[{};]) """,
    re.VERBOSE | re.MULTILINE,
)


@dataclass(frozen=True)
class PublicName:
    """A name of a namespace, as the page shows it."""

    namespace: str
    name: str
    kind: str  # "class", "concept", "alias", "value", "function", or "using" of another namespace
    header: str
    meaning: str
    is_defined: bool = True
    of_type: str = ""  # of a value

    @property
    def shown_kind(self) -> str:
        """The kind as pages name it: a value `then` of type `then_t` is a function object."""
        return "function object" if self.of_type == f"{self.name}_t" else self.kind


def tokens(source: str) -> Iterator[tuple[str, str, int]]:
    """Splits a header into "doc" lines, braces and semicolons, and the "code" between them, each
    with its place."""
    at = 0
    for found in TOKEN.finditer(source):
        if found.start() < at:
            continue
        yield "code", source[at : found.start()], at
        kind = found.lastgroup or ""
        if kind == "text":
            yield "code", '""', found.start()
        elif kind != "skip":
            yield kind, found[0].strip(), found.start()
        at = found.end()
    yield "code", source[at:], at


def closing(text: str, start: int) -> int:
    """Returns the place of the bracket that closes the one at `start`; the end if none does."""
    opens, closes = text[start], OPENING[text[start]]
    depth = 0
    for i in range(start, len(text)):
        if text[i] == closes and not (closes == ">" and text[i - 1] in "-="):
            depth -= 1
            if depth == 0:
                return i
        depth += text[i] == opens
    return len(text) - 1


def _bare(declaration: str) -> str:
    """Returns a declaration without attributes and without the text before a template's name."""
    text = re.sub(r"\[\[.*?\]\]", " ", declaration, flags=re.DOTALL)
    text = " ".join(text.split())
    while match := re.match(r"template\s*<", text):
        text = text[closing(text, match.end() - 1) + 1 :].strip()
    if text.startswith("requires") and (
        found := re.search(r"\b(class|struct|union|using) \w", text)
    ):
        return text[found.start() :]
    return text


def _function_name(text: str) -> str | None:
    """Returns the text before the first list of parameters."""
    at = 0
    while (at := text.find("(", at)) >= 0:
        before = re.search(r"([\w:~]+)\s*$", text[:at])
        if before and before[1] not in KEYWORDS:
            has_type = re.sub(r"\b(constexpr|inline|explicit)\b", "", text[: before.start()])
            return before[1] if has_type.strip() else None
        at = closing(text, at) + 1
    return None


def _declared(declaration: str) -> tuple[str, str, str] | None:
    """Returns kind and name of what a declaration declares, and a value's type."""
    text = _bare(declaration)
    if re.match(NOTHING_NEW, text) or "operator" in text:
        return None
    if match := re.match(r"using ([\w:]+::(\w+))$", text):
        return "using", match[2], match[1]
    for kind, pattern in KINDS:
        if match := re.match(pattern, text):
            return kind, match[1], ""
    head = text.partition(" = ")[0]
    if name := _function_name(head):
        return None if ":" in name or "~" in name else ("function", name, "")
    match = re.match(r"(?:inline |constexpr |const )*(.*?)\s*\b(\w+)\s*$", head)
    if not match or not match[1] or match[1].endswith("::"):
        return None
    kind = "value template" if re.match(r"\s*template\b", declaration) else "value"
    return kind, match[2], match[1].partition("<")[0]


def sentence(doc: list[str]) -> str:
    """Returns the first sentence of a docstring."""
    lines = [line.removeprefix("///").strip() for line in doc]
    first = " ".join(lines[: lines.index("")] if "" in lines else lines)
    end = SENTENCE.search(first)
    return first[: end.start()] if end else first


def _is_body(code: str) -> bool:
    """Returns whether the brace after this text begins the body of a function."""
    text = _bare(code)
    if re.match(r"(class|struct|union|enum|concept|using)\b", text) or "=" in re.sub(
        r"\(.*\)|operator\W+", "", text
    ):
        return False
    return bool(_function_name(text)) or "operator" in text or text.endswith(")")


def is_requirement(code: str) -> bool:
    """Returns whether the brace after this text begins a list of requirements."""
    text = code.rstrip()
    if text.endswith(")"):
        depth = 0
        for i in range(len(text) - 1, -1, -1):
            depth += (text[i] == ")") - (text[i] == "(")
            if depth == 0:
                text = text[:i].rstrip()
                break
    return bool(re.search(r"\brequires$", text))


@dataclass(frozen=True)
class Declaration:
    """A declaration of a header at namespace scope, and the position of its text."""

    namespace: str
    code: str  # without comments and without text in braces
    doc: list[str]
    has_body: bool
    start: int  # of the code
    end: int
    body: tuple[int, int]  # the text between the last braces


@dataclass
class _Reader:
    """The part of a header that was read since the last declaration."""

    scopes: list[str] = field(default_factory=list)
    code: str = ""
    doc: list[str] = field(default_factory=list)
    depth: int = 0
    has_body: bool = False
    is_function: bool = False
    start: int = 0
    body: tuple[int, int] = (0, 0)

    def begin(self) -> None:
        self.code, self.doc, self.has_body, self.is_function = "", [], False, False
        self.body = (0, 0)

    def open(self, at: int) -> None:
        """Reads a brace that opens."""
        if self.depth == 0 and (match := NAMESPACE.match(" ".join(self.code.split()))):
            self.scopes.append(match[1])
            self.begin()
            return
        if self.depth == 0 and not is_requirement(self.code):
            self.is_function = _is_body(self.code)
            self.has_body = True
            self.body = (at + 1, at + 1)
        self.depth += 1

    def close(self, at: int) -> bool:
        """Reads a brace that closes; true at the end of a declaration."""
        if self.depth == 0:
            self.scopes = self.scopes[:-1]
            self.begin()
            return False
        self.depth -= 1
        if self.depth == 0:
            self.body = (self.body[0], at)
        return self.depth == 0 and self.is_function

    def read(self, kind: str, text: str, at: int) -> bool:
        """Reads a token; true at the end of a declaration."""
        if text == "}":
            return self.close(at)
        if text == "{":
            self.open(at)
        elif self.depth == 0 and kind == "code":
            if not self.code.strip():
                self.start = at + len(text) - len(text.lstrip())
            self.code += text
        elif self.depth == 0 and kind == "doc" and not self.code.strip():
            self.doc.append(text)
        return self.depth == 0 and text == ";"


def declarations(source: str) -> Iterator[Declaration]:
    """Yields the declarations of a header at namespace scope."""
    reader = _Reader()
    for kind, text, at in tokens(source):
        if reader.read(kind, text, at):
            if reader.code.strip():
                namespace, end = "::".join(reader.scopes), at + len(text)
                place = (reader.has_body, reader.start, end, reader.body)
                yield Declaration(namespace, reader.code, reader.doc, *place)
            reader.begin()


def public_declarations(source: str) -> Iterator[tuple[Declaration, PublicName]]:
    """Yields the public declarations of a header, each with the name it declares."""
    for each in declarations(source):
        parts = each.namespace.split("::")
        declared = _declared(each.code)
        if parts[0] != "weft" or "detail" in parts or declared is None:
            continue
        kind, name, of_type = declared
        is_defined = each.has_body or kind != "class"
        yield (
            each,
            PublicName(each.namespace, name, kind, "", sentence(each.doc), is_defined, of_type),
        )


def public_headers(root: Path) -> list[Path]:
    """Returns the headers whose names are public, relative to the checkout."""
    headers = [path for path in own_files(root, ".hpp") if path.is_relative_to(HEADERS)]
    return [path for path in headers if path.relative_to(HEADERS).parts[0] != "compat"]


def names_of(root: Path) -> list[PublicName]:
    """Returns the public names of the headers, sorted; of several declarations, the one with a
    docstring."""
    found: dict[tuple[str, str], PublicName] = {}
    for path in public_headers(root):
        header = str(path.relative_to("include"))
        for _, name in public_declarations((root / path).read_text("utf-8")):
            new = replace(name, header=header)
            old = found.get((new.namespace, new.name))
            if old is None or (new.is_defined, bool(new.meaning), new.kind != "using") > (
                old.is_defined,
                bool(old.meaning),
                old.kind != "using",
            ):
                found[new.namespace, new.name] = new
    return sorted(found.values(), key=lambda each: (each.namespace, each.name))


def probe(root: Path) -> str:
    """Returns a program that uses each name without its namespace.

    It begins with using-directives for all namespaces that users need not write.
    """
    names = [each for each in names_of(root) if each.namespace in USED_TOGETHER]
    lines = [f"#include <{name}>" for name in sorted({each.header for each in names})]
    lines += ["namespace user {"]
    lines += [f"using namespace {namespace};" for namespace in USED_TOGETHER]
    no_calls = {each.name for each in names if each.kind in NO_CALLS}
    for name in sorted({each.name for each in names}):
        if name in no_calls:
            lines += [f"namespace use_{name} {{ using user::{name}; }}"]
        else:
            lines += [f"template <class T> auto use_{name}(T t) -> decltype({name}(t));"]
    return "\n".join([*lines, "}", ""])


def with_meanings(names: list[PublicName]) -> list[PublicName]:
    """Returns the names with docstrings. A name without one gets that of its type, or of the name
    it refers to.

    The types of function objects are left out: `then_t` is the type of `then`.
    """
    described = {each.name: each.meaning for each in names if each.meaning}
    objects = {each.of_type for each in names if each.kind == "value"}
    return [
        replace(each, meaning=each.meaning or _shared_meaning(each, described))
        for each in names
        if not (each.name.endswith("_t") and each.name in objects)
    ]


def _shared_meaning(name: PublicName, described: dict[str, str]) -> str:
    found = (described.get(each) for each in (name.of_type, name.name, f"{name.name}_t"))
    return next(filter(None, found), f"`{name.of_type}`" if name.kind == "using" else "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def page(root: Path) -> str:
    """Returns the page of all public names."""
    names = with_meanings(names_of(root))
    parts = [HEAD]
    for namespace in sorted({each.namespace for each in names}):
        rows = [each for each in names if each.namespace == namespace]
        parts += [f"\n## {namespace}\n\n| name | kind | header | meaning |\n|---|---|---|---|\n"]
        for each in rows:
            cells = (f"`{each.name}`", each.shown_kind, f"`{each.header}`", _cell(each.meaning))
            parts += [f"| {' | '.join(cells)} |\n"]
    return "".join(parts)


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    (root / PAGE).write_text(page(root), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the public headers for the API reference: names, overloads, and members of classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft_lab.checks.public_names import (
    Declaration,
    PublicName,
    declarations,
    is_requirement,
    names_of,
    public_declarations,
    public_headers,
    tokens,
    with_meanings,
)
from weft_lab.site.signatures import COMMENT, behind_template, formatted

ACCESS = re.compile(r"(?:\s*\b(public|protected|private)\s*:(?!:))+")
PURPOSE = re.compile(r"^// SPDX[^\n]*\n((?:// [^\n]*\n)+)")
TYPE = re.compile(r"\b(?:class|struct|union|enum)\b")
Known = dict[tuple[str, str], PublicName]
NO_LINT = re.compile(r"^[ \t]*// NOLINT[^\n]*\n", re.MULTILINE)
NOT_SHOWN = re.compile(r"^(?:friend|static_assert|template\s*<>)\b")


@dataclass(frozen=True)
class Signature:
    """A declaration as it is shown, without its body, and its docstring."""

    code: str
    doc: list[str]
    name: str = ""  # of a member of a class


@dataclass
class Entry:
    """A public name in one header."""

    name: PublicName
    signatures: list[Signature] = field(default_factory=list)
    members: list[Signature] = field(default_factory=list)


@dataclass(frozen=True)
class Header:
    """A public header."""

    path: str  # "weft/tasks/task_group.hpp"
    purpose: str
    entries: list[Entry]


def _without_body(code: str) -> str:
    """Removes the members' initialisers of a constructor, and the text after the declaration."""
    code = COMMENT.sub("", code)
    depth = 0
    for i, letter in enumerate(code):
        depth += (letter in "([") - (letter in ")]")
        is_list = letter == ":" and code[i - 1 : i + 2] not in {":::", "::"}
        if is_list and depth == 0 and ":" not in (code[i - 1], code[i + 1 : i + 2]):
            head = code[:i].rstrip()
            if head.endswith((")", "noexcept")):
                return head
    return code.rstrip()


@dataclass(frozen=True)
class _Statement:
    """A declaration within a class; `start`, `body` and `end` are places in the class's body."""

    access: str  # "" before the first label
    code: str  # without comments and without text in braces
    doc: list[str]
    start: int
    end: int
    body: int | None  # where the function's or inner class's body begins


def _statements(text: str) -> Iterator[_Statement]:
    """Yields the declarations of a class."""
    access, code, start, depth = "", "", 0, 0
    doc: list[str] = []
    body: int | None = None
    for kind, piece, at in tokens(text):
        if kind == "brace" and piece in "{}":
            depth += 1 if piece == "{" else -1
            if piece == "{" and depth == 1 and _opens_body(code):
                body = at
        elif depth == 0 and kind == "code":
            if not code.strip():
                labels = ACCESS.match(piece)
                access = labels[1] if labels else access
                code = piece[labels.end() :] if labels else piece
                start = at + len(piece) - len(code.lstrip())
            else:
                code += piece
        elif depth == 0 and kind == "doc" and not code.strip():
            doc = [*doc, piece]
        is_function_end = piece == "}" and body is not None and _is_function(code)
        if kind == "brace" and depth == 0 and (piece == ";" or is_function_end):
            if code.strip():
                yield _Statement(access, code, doc, start, at + 1, body)
            code, doc, body = "", [], None


def _opens_body(code: str) -> bool:
    """Returns whether a brace after this text begins a body, not a requirement or an argument."""
    is_inside = code.count("(") > code.count(")") or code.rstrip().endswith(("=", ","))
    return not is_inside and not is_requirement(code)


def _is_function(code: str) -> bool:
    """Returns whether a declaration with a body is a function: no semicolon follows it."""
    return "(" in code and not TYPE.match(behind_template(code))


def _member_name(code: str) -> str:
    """Returns the name that a declaration within a class declares; "" if it has none."""
    text = re.sub(r"\[\[.*?\]\]|explicit\([^)]*\)|decltype\([^)]*\)", " ", behind_template(code))
    patterns = (
        r"\b(operator\s*(?:\(\)|\[\]|co_await|[^\s\w(]+|[\w:]+(?: ?[&*])?))",
        r"\busing (\w+)\s*=",
        r"^(?:class|struct|union|enum(?: class)?) (\w+)",
    )
    found = next(filter(None, (re.search(pattern, text) for pattern in patterns)), None)
    head = re.split(r"(?<![=!<>])=(?!=)|\{", text)[0].strip()
    found = found or re.search(r"(~?\w+)\s*\(", head) or re.search(r"(\w+)\s*;?$", head)
    return " ".join(found[1].split()) if found else ""


def _members_of(body: str, is_class: bool) -> list[Signature]:
    found: list[Signature] = []
    for each in _statements(body):
        is_public = each.access == "public" or (not each.access and not is_class)
        head = each.code.strip()
        if not is_public or NOT_SHOWN.match(head):
            continue
        plain = behind_template(body[each.start : each.body or each.end])
        cut = body[each.start : each.body or each.end].rstrip("; \n")
        if TYPE.match(plain) and each.body is not None:
            shown = formatted(cut + ";")
        elif re.match(r"[^={]*\(|.*\boperator\b", plain):
            shown = formatted(_without_body(cut) + ";")
        else:
            shown = _with_comment(body, (each.start, each.end))
        found.append(Signature(shown, each.doc, _member_name(plain)))
    return found


def _with_comment(body: str, place: tuple[int, int]) -> str:
    """Returns a declaration with the comment after it."""
    line_end = body.find("\n", place[1])
    behind = body[place[1] : line_end if line_end >= 0 else len(body)]
    comment = behind.rstrip() if behind.strip().startswith("//") else ""
    return re.sub(r"\n  ", "\n", body[place[0] : place[1]]) + comment


def _signature(source: str, each: Declaration, kind: str) -> Signature:
    """Returns a declaration of a namespace as the reference shows it."""
    text = source[each.start : each.end]
    if each.has_body and kind == "class" and not is_plain(source, each):
        head = source[each.start : each.body[0] - 1]
        text = formatted(
            re.sub(r"\s*:\s*(?:public )?(?!:)[\w:]*detail::.*$", "", head, flags=re.DOTALL) + ";"
        )
    elif kind == "function":
        head = text.rstrip("; \n") if text.endswith(";") else source[each.start : each.body[0] - 1]
        text = formatted(_without_body(head) + ";")
    return Signature(NO_LINT.sub("", text), each.doc)


def is_plain(source: str, each: Declaration) -> bool:
    """Returns whether a class is an enumeration, or has only public data."""
    head = source[each.start : each.body[0]]
    body = source[slice(*each.body)]
    if re.search(r"\benum\b", head):
        return True
    return not re.search(r"\b(?:private|protected)\s*:|operator|\)\s*(?:const|noexcept|\{|;)", body)


def _entries(source: str, header: str, known: Known) -> list[Entry]:
    found: dict[tuple[str, str], Entry] = {}
    for each, name in public_declarations(source):
        key = (name.namespace, name.name)
        is_forward = name.kind == "class" and not each.has_body
        if is_forward and (key in found or known[key].header != header or known[key].is_defined):
            continue
        entry = found.setdefault(key, Entry(name))
        entry.signatures.append(_signature(source, each, name.kind))
        if is_forward:
            entry.members += _members_of_special(source, name.name)
        elif name.kind == "class" and not is_plain(source, each):
            is_class = bool(re.match(r"class\b", behind_template(each.code)))
            entry.members += _members_of(source[slice(*each.body)], is_class)
    return list(found.values())


def _members_of_special(source: str, name: str) -> list[Signature]:
    """Returns the members of the first specialization of a class that has only specializations."""
    for each in declarations(source):
        text = behind_template(each.code)
        if each.has_body and re.match(rf"(?:class|struct) (?:\[\[\w+\]\] )?{name}\s*<", text):
            return _members_of(source[slice(*each.body)], text.startswith("class"))
    return []


def read_headers(root: Path) -> list[Header]:
    """Returns the public headers with their names, as the page of public names has them."""
    names = names_of(root)
    everything = {(each.namespace, each.name): each for each in names}
    known = {(each.namespace, each.name): each for each in with_meanings(names)}
    headers: list[Header] = []
    for path in public_headers(root):
        source = (root / path).read_text(encoding="utf-8")
        header = str(path.relative_to("include"))
        purpose = PURPOSE.match(source)
        lines = [line[3:] for line in purpose[1].splitlines()] if purpose else []
        entries = _with_function_objects(_entries(source, header, everything))
        kept = [each for each in entries if (each.name.namespace, each.name.name) in known]
        for each in kept:
            each.name = known[each.name.namespace, each.name.name]
        headers.append(Header(header, " ".join(lines), kept))
    return headers


def _with_function_objects(entries: list[Entry]) -> list[Entry]:
    """Gives `then` the docstring and the calls of its type `then_t`."""
    types = {(each.name.namespace, each.name.name): each for each in entries}
    for each in entries:
        kind = types.get((each.name.namespace, each.name.of_type))
        if each.name.kind != "value" or kind is None or kind is each:
            continue
        each.members = [*kind.members, *each.members]
        if not any(signature.doc for signature in each.signatures):
            doc = next((signature.doc for signature in kind.signatures if signature.doc), [])
            each.signatures = [Signature(each.signatures[0].code, doc), *each.signatures[1:]]
    return entries

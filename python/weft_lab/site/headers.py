# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the public headers for the API reference: names, overloads, and members of classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from weft_lab.checks.public_names import (
    TOKEN,
    Declaration,
    PublicName,
    declarations,
    names_of,
    public_declarations,
    public_headers,
    with_meanings,
)
from weft_lab.site.signatures import behind_template, formatted

ACCESS = re.compile(r"\s*\b(public|protected|private)\s*:(?!:)")
PURPOSE = re.compile(r"^// SPDX[^\n]*\n((?:// [^\n]*\n)+)")
TYPE = re.compile(r"\b(?:class|struct|union|enum)\b")
Known = dict[tuple[str, str], PublicName]
NOT_SHOWN = re.compile(r"^(?:friend|static_assert|template\s*<>)\b")


@dataclass(frozen=True)
class Signature:
    """A declaration as it is shown, without its body, and its docstring."""

    code: str
    doc: list[str]


@dataclass(frozen=True)
class Member(Signature):
    """A public member of a class."""

    name: str


@dataclass
class Entry:
    """A public name in one header."""

    name: PublicName
    signatures: list[Signature] = field(default_factory=list)
    members: list[Member] = field(default_factory=list)


@dataclass(frozen=True)
class Header:
    """A public header."""

    path: str  # "weft/tasks/task_group.hpp"
    purpose: str
    entries: list[Entry]


def _without_body(code: str) -> str:
    """Cuts the members' initialisers of a constructor away, and what follows the declaration."""
    depth = 0
    for i, letter in enumerate(code):
        depth += (letter in "([") - (letter in ")]")
        is_list = letter == ":" and code[i - 1 : i + 2] not in {":::", "::"}
        if is_list and depth == 0 and ":" not in (code[i - 1], code[i + 1 : i + 2]):
            head = code[:i].rstrip()
            if head.endswith((")", "noexcept")):
                return head
    return code.rstrip()


def members(body: str) -> Iterator[tuple[str, str, list[str], tuple[int, int], bool]]:
    """Yields what a class declares: access, code, docstring, place, and whether a body follows."""
    access, code, doc, start, depth, has_braces = "", "", [], 0, 0, False
    for found in _pieces(body):
        kind, text, at = found
        if kind == "brace" and text == "{":
            depth += 1
            has_braces = True
        elif kind == "brace" and text == "}":
            depth -= 1
        elif depth == 0 and kind == "code":
            while label := ACCESS.match(text if not code.strip() else ""):
                access, text, at = label[1], text[label.end() :], at + label.end()
            if text.strip() and not code.strip():
                start = at + len(text) - len(text.lstrip())
            code += text
        elif depth == 0 and kind == "doc" and not code.strip():
            doc = [*doc, text]
        is_end = kind == "brace" and depth == 0 and (text == ";" or _ends_function(text, code))
        if is_end:
            if code.strip():
                yield access, code, doc, (start, at + 1), has_braces
            code, doc, has_braces = "", [], False


def _pieces(source: str) -> Iterator[tuple[str, str, int]]:
    at = 0
    for found in TOKEN.finditer(source):
        if found.start() < at:
            continue
        yield "code", source[at : found.start()], at
        kind = found.lastgroup or ""
        if kind == "text":
            yield "code", found[0], found.start()
        elif kind != "skip":
            yield kind, found[0].strip(), found.start()
        at = found.end()
    yield "code", source[at:], at


def _ends_function(text: str, code: str) -> bool:
    """Tells whether a brace that closed ended a function, which no semicolon follows."""
    plain = re.sub(r"\s+", " ", re.sub(r"template ?<.*?> ", "", code)).strip()
    if text != "}" or re.match(r"(?:class|struct|union|enum|using)\b", plain):
        return False
    return "(" in plain and "=" not in re.sub(r"\(.*\)|operator ?\W+|<=|>=|==|!=", "", plain)


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


def _members_of(body: str, is_class: bool) -> list[Member]:
    found: list[Member] = []
    for access, code, doc, place, has_braces in members(body):
        is_public = access == "public" or (not access and not is_class)
        head = code.strip()
        if not is_public or NOT_SHOWN.match(head) or not head:
            continue
        name = _member_name(head)
        plain = behind_template(head)
        text = body[place[0] : place[1]]
        if TYPE.match(plain) and has_braces:
            shown = formatted(text[: _body_start(text)] + ";")
        elif re.match(r"[^={]*\(|.*\boperator\b", plain):
            cut = text[: _body_start(text)] if has_braces else text.rstrip("; \n")
            shown = formatted(_without_body(cut) + ";")
        else:
            shown = _with_comment(body, place)
        found.append(Member(shown, doc, name))
    return found


def _body_start(text: str) -> int:
    """Returns where the last group in braces at the outer level begins."""
    depth = 0
    start = len(text)
    for i, letter in enumerate(text):
        if letter == "{":
            if depth == 0:
                start = i
            depth += 1
        elif letter == "}":
            depth -= 1
    return start


def _with_comment(body: str, place: tuple[int, int]) -> str:
    """Returns a declaration with the comment behind it."""
    line_end = body.find("\n", place[1])
    behind = body[place[1] : line_end if line_end >= 0 else len(body)]
    comment = behind.rstrip() if behind.strip().startswith("//") else ""
    return re.sub(r"\n  ", "\n", body[place[0] : place[1]]) + comment


def _signature(source: str, each: Declaration, kind: str) -> Signature:
    """Returns a declaration of a namespace as the reference shows it."""
    text = source[each.start : each.end]
    if each.has_body and kind == "class" and not is_plain(source, each):
        head = source[each.start : each.body[0] - 1]
        text = formatted(re.sub(r"\s*:\s*(?:public )?(?!:)[\w:]*detail::.*$", "", head, flags=re.DOTALL) + ";")
    elif kind == "function":
        head = source[each.start : each.body[0] - 1] if each.has_body else text.rstrip("; \n")
        text = formatted(_without_body(head) + ";")
    return Signature(text, each.doc)


def is_plain(source: str, each: Declaration) -> bool:
    """Tells whether a class is an enumeration, or has nothing but data that all may see."""
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


def _members_of_special(source: str, name: str) -> list[Member]:
    """Returns the members of the first specialization of a class that is defined only so."""
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

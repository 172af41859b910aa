# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lays out declarations for a page: the template's head, the constraint, a parameter a line."""

from __future__ import annotations

import re

from weft_lab.checks.public_names import closing

LINE_CHARACTERS = 78
COMMENT = re.compile(r"//[^\n]*")
NOT_FOR_USERS = re.compile(r"\[\[gnu::\w+\]\]\s*|\binline\s+(?!namespace)")


def flat(code: str) -> str:
    """Returns a declaration in one line, without comments and without parts that are only for the
    compiler."""
    text = " ".join(COMMENT.sub("", code).split())
    return NOT_FOR_USERS.sub("", text).replace("( ", "(").replace("< ", "<")


def split_list(text: str) -> list[str]:
    """Splits a list of parameters at its outer commas."""
    parts: list[str] = [""]
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter in "([{<") - (
            letter in ")]}" or (letter == ">" and text[i - 1] not in "-=")
        )
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _broken(text: str, start: int) -> str:
    """Puts each part of the list that the bracket at `start` opens on a line of its own."""
    end = closing(text, start)
    parts = split_list(text[start + 1 : end])
    if len(text) <= LINE_CHARACTERS or not parts:
        return text
    return text[: start + 1] + "\n    " + ",\n    ".join(parts) + text[end:]


def _constraint_end(text: str) -> int:
    """Returns where the declaration begins after `requires ...` at the start of `text`."""
    start = re.match(r"requires\s*", text)
    at = start.end() if start else 0
    while True:
        if text[at] == "(":
            at = closing(text, at) + 1
        elif found := re.match(r"requires\s*(\([^{]*\))?\s*\{", text[at:]):
            at = closing(text, at + found.end() - 1) + 1
        else:
            found = re.match(r"!?(?:::)?\w+(?:::\w+)*", text[at:])
            at += found.end() if found else 0
            while at < len(text) and text[at] in "<(":
                at = closing(text, at) + 1
                if inner := re.match(r"(?:::\w+)+", text[at:]):
                    at += inner.end()
        joined = re.match(r"\s*(?:&&|\|\|)\s*", text[at:])
        if not joined:
            return at
        at += joined.end()


def _heads(text: str) -> tuple[list[str], str]:
    """Splits a declaration in one line into `template <...>` and `requires ...`, and the rest."""
    heads: list[str] = []
    while re.match(r"template\s*<", text):
        end = closing(text, text.index("<"))
        heads.append(text[: end + 1])
        text = text[end + 1 :].strip()
        if re.match(r"requires\b", text):
            end = _constraint_end(text)
            heads.append(text[:end])
            text = text[end:].strip()
    return heads, text


def behind_template(code: str) -> str:
    """Returns a declaration in one line without its template's head and constraint."""
    return _heads(flat(code))[1]


def formatted(code: str) -> str:
    """Returns the declaration of a function or class over several lines."""
    heads, text = _heads(flat(code))
    lines: list[str] = []
    for head in heads:
        if head.startswith("template"):
            lines.append(_broken(head, head.index("<")))
        elif len(head) > LINE_CHARACTERS:
            lines.append("  " + re.sub(r"\s*(&&|\|\|)\s*", r" \1\n           ", head))
        else:
            lines.append(f"  {head}")
    text = re.sub(r"\s+;$", ";", text)
    opening = re.search(r"(?:operator\s*\(\)|[\w~=!<>+\-*/&|]+)\s*\(", text)
    start = opening.end() - 1 if opening else -1
    return "\n".join([*lines, _broken(text, start) if start >= 0 else text])

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The mistakes that mutate.py plants: every place of a source where one fits."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/meta"), str(ROOT / "python")]
from size_rules import NOISE  # noqa: E402  # needs the line above

# Name, languages, what is replaced, by what.
OPERATORS = [
    ("boundary", "cpp py", r"(?<= )([<>])(?= )", r"\1="),
    ("boundary", "cpp py", r"(?<= )([<>])=(?= )", r"\1"),
    ("equality", "cpp py", r"(?<= )==(?= )", "!="),
    ("equality", "cpp py", r"(?<= )!=(?= )", "=="),
    ("arithmetic", "cpp py", r"(?<=[\w)\]] )\+(?= )", "-"),
    ("arithmetic", "cpp py", r"(?<=[\w)\]] )-(?= )", "+"),
    ("arithmetic", "cpp", r"(?<=[\w)\]] )\*(?= )", "+"),
    ("arithmetic", "cpp", r"(?<=[\w)\]] )/(?= )", "*"),
    ("arithmetic", "cpp py", r"(?<= )\+=(?= )", "-="),
    ("step", "cpp", r"(?<![\w+])\+\+(?=\w)", "--"),
    ("logic", "cpp", r"(?<= )&&(?= )", "||"),
    ("logic", "cpp", r"(?<= )\|\|(?= )", "&&"),
    ("logic", "py", r"(?<= )and(?= )", "or"),
    ("logic", "py", r"(?<= )or(?= )", "and"),
    ("negation", "cpp", r"(?<=[(\s])!(?=\w)", ""),
    ("negation", "py", r"\bnot (?=\w)", ""),
    ("condition", "cpp", r"\b(if|while) \(([^;]+)\) \{(?= *$)", r"\1 (!(\2)) {"),
    ("condition", "py", r"\b(if|while) ([^:\n]+):(?= *$)", r"\1 not (\2):"),
    ("statement", "cpp", r"^( +)(?!return\b)[\w.:>()\[\]*-]+(?:\(.*\)| [-+|&]?= [^;]+);(?= *$)",
     r"\1;"),
    ("statement", "py", r"^( +)[\w.]+(?:\(.*\)| [-+|&]= .*\S)(?= *$)", r"\1pass"),
    ("constant", "cpp py", r"(?<![\w.'])\d+(?![\w.'])", "+1"),
    ("constant", "cpp py", r"(?<![\w.'])[1-9]\d*(?![\w.'])", "-1"),
    ("constant", "cpp", r"\btrue\b", "false"),
    ("constant", "cpp", r"\bfalse\b", "true"),
    ("constant", "py", r"\bTrue\b", "False"),
    ("constant", "py", r"\bFalse\b", "True"),
    ("extreme", "cpp py", r"\bmin\(", "max("),
    ("extreme", "cpp py", r"\bmax\(", "min("),
    ("memory order", "cpp", r"\bmemory_order_(?:acquire|release|acq_rel|seq_cst)\b",
     "memory_order_relaxed"),
    ("early return", "cpp", r"^( *(?:[\w:]+ )*void [\w:]+\(.*\)(?: const)?(?: noexcept)? \{)$",
     r"\1 return;"),
    ("arguments", "cpp py", r"(?<=\w\()(?<!m(?:in|ax)\()([a-z]\w*), ([a-z]\w*)(?=\))",
     r"\2, \1"),
]  # fmt: skip
COMPILED = [
    (name, langs.split(), re.compile(p, re.MULTILINE), r) for name, langs, p, r in OPERATORS
]

# What declares, asserts or tells, up to its end.
NOT_MEANT = re.compile(
    r"\b(?:static_assert|WEFT_ASSERT\w*|throw|using|friend|concept|template|requires|enum)\b[^;{]*"
    r"|\b(?:noexcept|decltype|alignas|sizeof)\s*\([^()]*\)|\[\[[^\]]*\]\]|\boperator\s*\S+"
)


@dataclass(frozen=True)
class Mutant:
    """`text` instead of the characters from `start` to `end`."""

    start: int
    end: int
    text: str
    operator: str

    def planted(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def cpp_code(source: str) -> str:
    """Returns the source with blanks for all that mutants leave alone."""
    return NOT_MEANT.sub(_blank, NOISE.sub(_blank, source))


def python_code(source: str) -> str:
    """Returns the source with blanks for all that mutants leave alone."""
    lines = source.splitlines(keepends=True)
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(source).readline))):
        if token.type in {tokenize.STRING, tokenize.COMMENT}:
            (first, left), (last, right) = token.start, token.end
            for number in range(first, last + 1):
                line = lines[number - 1]
                begin = left if number == first else 0
                end = right if number == last else len(line.rstrip("\n"))
                lines[number - 1] = line[:begin] + " " * (end - begin) + line[end:]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Raise | ast.Assert):
            told = range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            told = range(node.lineno, node.body[0].lineno)
        else:
            continue
        for number in told:
            lines[number - 1] = " " * len(lines[number - 1].rstrip("\n")) + "\n"
    return "".join(lines)[: len(source)]


def mutants_of(source: str, suffix: str) -> list[Mutant]:
    """Returns every mutant of a source file."""
    language = "py" if suffix == ".py" else "cpp"
    code = python_code(source) if language == "py" else cpp_code(source)
    return [
        Mutant(match.start(), match.end(), text, name)
        for name, languages, pattern, by in COMPILED
        if language in languages
        for match in pattern.finditer(code)
        if (text := _replacement(match, by, source)) != match[0]
    ]


def _replacement(match: re.Match[str], by: str, source: str) -> str:
    """Returns `by` with numbers counted on, and with groups as the source has them."""
    if by in {"+1", "-1"}:
        return str(int(match[0]) + int(by))
    return re.sub(r"\\(\d)", lambda group: source[slice(*match.span(int(group[1])))], by)

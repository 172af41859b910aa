# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every file says and does not say: licence, purpose, no machine, no backend in an #if."""

from __future__ import annotations

import re
from pathlib import Path

from weft_lab.checks.files import own_files
from weft_lab.site.docstrings import FIELD_NAMES

SPDX = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
WITH_SPDX = {".cpp", ".cu", ".hpp", ".py", ".sh", ".cmake", ".toml", ".in", ".lock"}
WITH_PURPOSE = {".cpp", ".cu", ".hpp", ".py", ".sh"}
SPDX_BY_NAME = {"weft", "CMakeLists.txt", ".ci/run"}

# Written in parts, so that this file does not hold what it forbids.
FORBIDDEN = {
    "absolute path of one machine": r"(?<![\w.$}~])/" r"(?:work|root|home/\w+)/\w",
    "host of a package index": r"\b(?:py"
    r"pi\.org|pythonho"
    r"sted|deb\.deb"
    r"ian|archive\.ubu"
    r"ntu)",
    "work without an issue": r"\b(?:TO" r"DO\b(?!\(#\d+\))|FIX" r"ME\b|X" r"XX\b)",
    "who wrote it": r"(?i)\b(?:cla" r"ude|chat" r"gpt|co" r"pilot|sub-?ag" r"ent|anth" r"ropic)\b",
}
BACKEND_WORDS = {
    *("tbb", "onetbb", "onedpl", "openmp", "omp", "hpx", "thrust", "cccl", "gnu", "pstl"),
    *("icpx", "nvc", "nvhpc", "taskflow", "kokkos"),
}
CONDITION = re.compile(r"^[ \t]*#[ \t]*(?:el)?if(?:n?def)?\b((?:\\\n|[^\n])*)", re.MULTILINE)


def _text(root: Path, path: Path) -> str | None:
    try:
        return (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def without_licence_or_purpose(root: Path) -> list[str]:
    """Returns the files whose first lines lack the SPDX line or the sentence of purpose."""
    found: list[str] = []
    for path in own_files(root):
        if path.suffix not in WITH_SPDX and str(path) not in SPDX_BY_NAME:
            continue
        lines = [line for line in (_text(root, path) or "").splitlines()[:5] if line.strip()]
        lines = [line for line in lines if not line.startswith(("#!", "# shellcheck"))]
        if not lines or SPDX not in lines[0]:
            found.append(f"{path}: the first line is not '{SPDX}'")
        elif path.suffix in WITH_PURPOSE and not _is_purpose(lines[1] if len(lines) > 1 else ""):
            found.append(f"{path}: the second line does not say what the file is for")
    return found


def _is_purpose(line: str) -> bool:
    return re.match(r'(?://|#|r?""")\s*\S+\s+\S+\s+\S', line) is not None


def forbidden_words(root: Path) -> list[str]:
    """Returns every line that names a machine, a package host, an author's tool or unowned work."""
    found: list[str] = []
    for path in own_files(root):
        for number, line in enumerate((_text(root, path) or "").splitlines(), start=1):
            found += [
                f"{path}:{number}: {what}: {match[0]}"
                for what, pattern in FORBIDDEN.items()
                if (match := re.search(pattern, line))
            ]
    return found


def without_pragma_once(root: Path) -> list[str]:
    """Returns the headers without #pragma once."""
    return [
        f"{path}: no #pragma once"
        for path in own_files(root, ".hpp")
        if not re.search(r"^#pragma once$", _text(root, path) or "", re.MULTILINE)
    ]


EXAMPLE = re.compile(r"Example:\s+((?:tests|examples)/[\w/]+\.\w+)(?::\s+(?:///\s+)?(\w+))?")


def lost_examples(root: Path) -> list[str]:
    """Returns the examples of docstrings whose file, or the test of that name in it, is gone."""
    found: list[str] = []
    for path in own_files(root, ".hpp"):
        for example in EXAMPLE.finditer(_text(root, path) or ""):
            file, test = root / example[1], example[2] or ""
            if not file.is_file():
                found.append(f"{path}: no file {example[1]}")
            elif test not in file.read_text(encoding="utf-8"):
                found.append(f"{path}: no {test} in {example[1]}")
    return found


# A line of a docstring, and the fields of which each begins a line of its own.
DOC_LINE = re.compile(r"^\s*///( .*)?$")
FIELD = rf"(?:{'|'.join(FIELD_NAMES)}):"
FIELD_WITHIN = re.compile(rf"^ (?:[a-z`(]|{FIELD}).*\s{FIELD}(?:\s|$)")
IN_FIELD = re.compile(rf"^ (?:{FIELD}|\s{{4}})")


def merged_fields(root: Path) -> list[str]:
    """Returns the lines of docstrings whose fields a formatter has run into each other."""
    found: list[str] = []
    for path in own_files(root, ".cpp", ".hpp"):
        lines = [
            match[1] or "" if (match := DOC_LINE.match(line)) else None
            for line in (_text(root, path) or "").splitlines()
        ]
        for number, (before, line, after) in enumerate(
            zip([None, *lines], [*lines, None], [*lines[1:], None, None], strict=False), start=1
        ):
            if line is None:
                continue
            if FIELD_WITHIN.match(line):
                found.append(f"{path}:{number}: a field begins within the line:{line}")
            elif (
                IN_FIELD.match(before or "")
                and re.match(r" \S", line)
                and not re.match(f" {FIELD}", line)
                and (after or "").startswith("     ")
            ):
                found.append(f"{path}:{number}: a piece of a field that is not aligned:{line}")
    return found


def backend_conditions(root: Path) -> list[str]:
    """Returns every #if that names a backend outside that backend's own file."""
    found: list[str] = []
    for path in own_files(root, ".cpp", ".hpp"):
        if "backends" in path.parts or path.name.startswith("backend_"):
            continue
        for condition in CONDITION.findall(_text(root, path) or ""):
            words = {word.lower() for word in re.split(r"[^A-Za-z0-9]+", condition)}
            found += [
                f"{path}: #if{condition}: names {word}" for word in sorted(words & BACKEND_WORDS)
            ]
    return found

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Skips a check whose input files have not changed since it last passed in this checkout.

`.weft/passed/NAME` holds the fingerprint of the input files of check NAME. A stage that is
named (`./weft test --only NAME`) always runs.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from weft_lab.checks.files import own_files

REASON = "nothing it reads has changed since it passed here"
CPP = {".cpp", ".cu", ".hpp"}
Reads = Callable[[Path], bool]  # whether a check reads a file, named from the top of the checkout


def with_suffix(*suffixes: str) -> Reads:
    """Selects files with one of these suffixes, and the configuration of linters."""
    return lambda path: path.suffix in suffixes or path.name in {".clang-format", "pyproject.toml"}


def all_but_cpp_of(*folders: str) -> Reads:
    """Selects all files except C++ sources in these folders."""
    return lambda path: path.suffix not in CPP or path.parts[0] not in folders


class Inputs:
    """The files of a checkout that a check reads: those for which `reads` is true."""

    def __init__(self, check: str, root: Path, reads: Reads) -> None:
        self._note = root / ".weft" / "passed" / check
        self._fingerprint = fingerprint(root, reads)

    def passed(self) -> bool:
        """Returns whether the check passed here with the same file contents."""
        return self._note.is_file() and self._note.read_text("utf-8") == self._fingerprint

    def note_pass(self) -> None:
        """Records that the check passed with the contents from when this object was made."""
        self._note.parent.mkdir(parents=True, exist_ok=True)
        self._note.write_text(self._fingerprint, encoding="utf-8")


def fingerprint(root: Path, reads: Reads) -> str:
    """Returns a hash of the names of all own files and the contents of the files that are read."""
    digest = hashlib.sha256()
    for path in own_files(root):
        digest.update(f"\n{path}\n".encode(errors="surrogateescape"))
        if reads(path):
            digest.update(hashlib.sha256((root / path).read_bytes()).digest())
    return digest.hexdigest()

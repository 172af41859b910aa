# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of a source's compilations clang-tidy reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from weft_lab.checks.tidy import compilations

PLAIN = "clang++ -c"
DELAYED = "clang++ -DDELAYS -c"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "steps.hpp").write_text("#ifdef DELAYS\nvoid pause();\n#endif\n")
    for name in ("first", "second"):
        (tmp_path / f"{name}.cpp").write_text('#include "steps.hpp"\n')
    (tmp_path / "own.cpp").write_text('#include "steps.hpp"\n#ifdef DELAYS\n#endif\n')
    return tmp_path


def read(root: Path, *compiled: tuple[str, str]) -> list[tuple[str, str]]:
    """Returns source and command of what would be read of these."""
    database = root / "build/compile_commands.json"
    database.parent.mkdir()
    entries = [
        {"directory": str(root), "file": source, "command": command} for source, command in compiled
    ]
    database.write_text(json.dumps(entries))
    found = compilations(database, root)
    return [(path.name, entry["command"]) for path, kept in found.items() for entry in kept]


def test_a_header_that_an_option_changes_is_read_once_with_it(root: Path) -> None:
    compiled = [(name, how) for how in (PLAIN, DELAYED) for name in ("first.cpp", "second.cpp")]

    assert read(root, *compiled) == [
        ("first.cpp", PLAIN),
        ("first.cpp", DELAYED),
        ("second.cpp", PLAIN),
    ]


def test_a_source_that_an_option_changes_is_read_with_and_without(root: Path) -> None:
    compiled = [(name, how) for how in (DELAYED, PLAIN) for name in ("first.cpp", "own.cpp")]

    assert read(root, *compiled) == [
        ("first.cpp", DELAYED),
        ("first.cpp", PLAIN),
        ("own.cpp", DELAYED),
        ("own.cpp", PLAIN),
    ]


def test_fortran_is_not_read(root: Path) -> None:
    (root / "module.f90").write_text("module steps\nend module\n")

    assert read(root, ("module.f90", "gfortran -c"), ("own.cpp", PLAIN)) == [("own.cpp", PLAIN)]

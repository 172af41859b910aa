# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a fork costs does not depend on whether its user defines NDEBUG."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
USE = """
#include "weft/tasks/fork_join.hpp"
void a();
void b();
void both() { weft::fork_join([] { a(); }, [] { b(); }); }
"""
INSTRUCTION = re.compile(r"^\t[a-z]", re.MULTILINE)
FUNCTION = re.compile(r"^_Z4bothv:[^\n]*\n(.*?)^\t\.size\t_Z4bothv", re.MULTILINE | re.DOTALL)


def instructions(compiler: str, folder: Path, *options: str) -> int:
    """Returns how many `both` has."""
    source = folder / "use.cpp"
    source.write_text(USE)
    command = [compiler, "-std=c++20", "-O2", "-S", "-o", "-", f"-I{ROOT / 'include'}", *options]
    done = subprocess.run([*command, str(source)], capture_output=True, text=True, check=True)
    found = FUNCTION.search(done.stdout)
    assert found is not None
    return len(INSTRUCTION.findall(found[1]))


@pytest.mark.parametrize("name", ["g++", "clang++-19"])
def test_a_fork_is_as_short_with_assertions(name: str, tmp_path: Path) -> None:
    compiler = shutil.which(name)
    if compiler is None:
        pytest.skip(f"no {name}")
    with_assertions = instructions(compiler, tmp_path)
    without = instructions(compiler, tmp_path, "-DNDEBUG")
    tracking = instructions(compiler, tmp_path, "-DWEFT_TRACKS_LOCKS")
    assert with_assertions <= 1.05 * without
    assert tracking > 1.05 * without  # of a library that was built with assertions

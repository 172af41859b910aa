# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of what must not compile takes no source whose mistakes nobody looked at."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "cmake" / "weft_compile_fail.cmake"
WRONG = "  int x = nothing;"


def check(folder: Path, *mistakes: str) -> subprocess.CompletedProcess[str]:
    """Checks a source with these lines behind `#if defined(MISTAKES)`."""
    compiler = shutil.which("c++")
    if compiler is None or shutil.which("cmake") is None:
        pytest.skip("neither a C++ compiler nor CMake")
    source = folder / "calls.cpp"
    source.write_text("\n".join(["void f() {", "#if defined(MISTAKES)", *mistakes, "#endif", "}"]))
    command = f"-DCOMMAND={compiler};-fsyntax-only"
    return subprocess.run(
        ["cmake", command, f"-DSOURCE={source}", "-P", str(SCRIPT)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_expected_mistakes_pass(tmp_path: Path) -> None:
    done = check(tmp_path, f"{WRONG}  // expect: nothing", f"{WRONG}  // expect: nothing")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("mistakes", "complaint"),
    [
        ([WRONG], "none of its mistakes"),
        ([f"{WRONG}  // expects: nothing"], "// expect: "),
        ([f"{WRONG}  // expect: nothing", WRONG], "without an expectation"),
        ([WRONG, f"{WRONG}  // expect: nothing"], "without an expectation"),
        (["  int x = 0;  // expect: nothing"], "does not say"),
        ([f"{WRONG}  // expect: something"], "does not say"),
    ],
)
def test_others_do_not(tmp_path: Path, mistakes: list[str], complaint: str) -> None:
    done = check(tmp_path, *mistakes)
    assert done.returncode != 0
    assert complaint in " ".join(done.stderr.split())

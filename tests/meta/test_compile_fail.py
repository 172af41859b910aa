# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of what a compiler must reject fails on every mistake that it cannot confirm."""

import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "cmake" / "weft_compile_fail.cmake"
WRONG = "  int x = nothing;"
HEADER = """
template <class T>
void take(T x) {
  static_assert(sizeof(T) == 1, "take: larger than a byte");
  x.value;
}
"""
IN_HEADER = "take: larger than a byte"


@pytest.fixture(params=["c++", "clang++-19"])
def compiler(request: pytest.FixtureRequest) -> str:
    """g++ prints the cause of an error in a header before the error, clang after it."""
    path = shutil.which(str(request.param))
    if path is None or shutil.which("cmake") is None:
        pytest.skip(f"no {request.param}, or no CMake")
    return path


def check(
    compiler: str, folder: Path, *mistakes: str, right: str = "  int right = 0;"
) -> subprocess.CompletedProcess[str]:
    """Checks a source with the line `right`, and these lines behind `#if defined(MISTAKES)`."""
    (folder / "take.hpp").write_text(HEADER)
    source = folder / "calls.cpp"
    before = ['#include "take.hpp"', "void f() {", right, "#if defined(MISTAKES)"]
    source.write_text("\n".join([*before, *mistakes, "#endif", "}"]))
    return subprocess.run(
        ["cmake", f"-DCOMMAND={compiler};-fsyntax-only", f"-DSOURCE={source}", "-P", str(SCRIPT)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "mistakes",
    [
        [f"{WRONG}  // expect: nothing", f"{WRONG}  // expect: nothing"],
        ["  take(1);", f"  // expect: {IN_HEADER}", f"  take(2L);  // expect: {IN_HEADER}"],
    ],
)
def test_expected_mistakes_pass(compiler: str, tmp_path: Path, mistakes: list[str]) -> None:
    done = check(compiler, tmp_path, *mistakes)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("mistakes", "complaint"),
    [
        ([WRONG], "none of its mistakes"),
        ([f"{WRONG}  // expects: nothing"], "// expect: "),
        ([f"{WRONG}  // expect: nothing", WRONG], "without an expectation"),
        ([WRONG, f"{WRONG}  // expect: nothing"], "without an expectation"),
        (["  int x = 0;  // expect: nothing"], "calls.cpp:5: the compiler accepts"),
        ([f"{WRONG}  // expect: something"], 'calls.cpp:5: the compiler does not say "something"'),
        (["  take(1);  // expect: larger than two"], 'does not say "larger than two"'),
        (
            [f"  take(1);  // expect: {IN_HEADER}", f"  f();  // expect: {IN_HEADER}"],
            "calls.cpp:6: the compiler accepts",
        ),
        (
            [f"  take(1);  // expect: {IN_HEADER}", f"  take(2);  // expect: {IN_HEADER}"],
            "calls.cpp:6: the compiler accepts",  # it reports an instantiation once
        ),
        ([f"  take(1);  // expect: {IN_HEADER}", "  take(2L);"], "without an expectation"),
    ],
)
def test_others_do_not(compiler: str, tmp_path: Path, mistakes: list[str], complaint: str) -> None:
    done = check(compiler, tmp_path, *mistakes)
    assert done.returncode != 0
    assert complaint in " ".join(done.stderr.split())


@pytest.mark.parametrize("right", [WRONG, "  take(2L);", "  int x = absent;", "  take(3.0f);"])
def test_an_error_outside_the_mistakes_is_refused(
    compiler: str, tmp_path: Path, right: str
) -> None:
    mistakes = [f"{WRONG}  // expect: nothing", f"  take(1);  // expect: {IN_HEADER}"]
    assert check(compiler, tmp_path, *mistakes).returncode == 0
    assert check(compiler, tmp_path, *mistakes, right=right).returncode != 0

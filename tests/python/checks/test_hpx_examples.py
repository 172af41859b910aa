# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the count of HPX's examples that compile, on planted programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
TOOL = CHECKOUT / "tests/compat/compile_hpx_examples.py"
CMAKE = """set(example_programs good other)
if(NOT MSVC)
  list(APPEND example_programs bad)
endif()
if(HPX_WITH_DISTRIBUTED_RUNTIME)
  set(example_programs ${example_programs} far)
endif()
"""


def count(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Runs the tool on a folder."""
    command = [sys.executable, str(TOOL), str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_programs_that_do_not_compile_are_named_with_their_reason(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    (tmp_path / "good.cpp").write_text("#include <hpx/config.hpp>\nint main() {}\n")
    (tmp_path / "bad.cpp").write_text('static_assert(false, "weft has none");\n')
    (tmp_path / "far.cpp").write_text("#include <hpx/actions.hpp>\n")

    done = count(tmp_path)

    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "bad: weft has none"
    assert lines[1].startswith('far: "weft::hpx_compat runs in one process')
    assert lines[2] == "1 of 3 compile (in all)"
    assert lines[3] == "1 of 2 compile (built by HPX without localities)"


def test_programs_of_several_localities_are_counted_too(tmp_path: Path) -> None:
    (tmp_path / "far.cpp").write_text(
        "#include <hpx/hpx_main.hpp>\n#include <hpx/include/actions.hpp>\n"
        "int f() { return 1; }\nHPX_PLAIN_ACTION(f)\n"
        "int main() { return f_action()(hpx::find_here()) - 1; }\n"
    )

    alone = count(tmp_path)
    with_others = count(tmp_path, "--distributed")

    assert alone.stdout.splitlines()[-1] == "0 of 1 compile (in all)"
    assert with_others.stdout.splitlines() == ["1 of 1 compile (in all)"]


def test_a_folder_without_programs_is_refused(tmp_path: Path) -> None:
    done = count(tmp_path)

    assert done.returncode == 2
    assert "holds no .cpp file" in done.stderr


def test_programs_may_have_headers_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "kernel.hpp").write_text("#pragma once\n")
    (tmp_path / "good.cpp").write_text("#include <kernel.hpp>\nint main() {}\n")

    without = count(tmp_path)
    with_headers = count(tmp_path, "--include", str(tmp_path / "own"))

    assert without.stdout.splitlines()[-1] == "0 of 1 compile (in all)"
    assert with_headers.stdout.splitlines() == ["1 of 1 compile (in all)"]


def test_a_run_that_finds_no_libraries_says_so(tmp_path: Path) -> None:
    (tmp_path / "good.cpp").write_text("int main() {}\n")

    done = count(tmp_path, "--run", str(tmp_path / "nothing"))

    lines = done.stdout.splitlines()
    assert lines[0].startswith("good: it does not link: ")
    assert lines[1] == "0 of 1 compile and run (in all)"

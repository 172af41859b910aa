# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Facts about the <hpx/...> headers that CMake makes from a table, on planted tables."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[3]
SCRIPT = CHECKOUT / "cmake/weft_hpx_headers.cmake"
TABLE = """# a table
sentence localities weft has one process; for several, see weft/halo
sub/actions.hpp  missing localities
sub/all.hpp      future.hpp sub/names.hpp
sub/names.hpp    std <any> any any_cast
"""


def make(folder: Path, table: str) -> subprocess.CompletedProcess[str]:
    """Makes the headers of a table next to one that is written by hand, future.hpp."""
    (folder / "hand/hpx").mkdir(parents=True, exist_ok=True)
    (folder / "hand/hpx/future.hpp").write_text("#pragma once\n")
    (folder / "table.txt").write_text(table)
    names = {"TABLE": "table.txt", "BY_HAND": "hand", "MADE": "made"}
    definitions = [f"-D{name}={folder / value}" for name, value in names.items()]
    command = ["cmake", *definitions, "-P", str(SCRIPT)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_each_row_makes_its_header(tmp_path: Path) -> None:
    done = make(tmp_path, TABLE)

    assert done.returncode == 0, done.stderr
    made = tmp_path / "made/hpx/sub"
    assert "#include <hpx/sub/names.hpp>" in (made / "all.hpp").read_text()
    assert "#include <hpx/future.hpp>" in (made / "all.hpp").read_text()
    names = (made / "names.hpp").read_text()
    assert "#include <any>" in names
    assert "using std::any_cast;" in names
    error = (made / "actions.hpp").read_text().splitlines()[-1]
    assert error == '#error "weft has one process; for several, see weft/halo"'


def test_made_headers_compile_with_what_they_include(tmp_path: Path) -> None:
    make(tmp_path, TABLE)
    source = tmp_path / "use.cpp"
    source.write_text("#include <hpx/sub/all.hpp>\nhpx::any value = 1;\n")
    folders = [f"-I{tmp_path / name}" for name in ("made", "hand")]

    command = ["c++", "-std=c++20", "-Werror", "-fsyntax-only", *folders, str(source)]
    subprocess.run(command, check=True)


def test_a_header_of_no_row_goes_and_the_others_stay_as_they_are(tmp_path: Path) -> None:
    make(tmp_path, TABLE)
    made = tmp_path / "made/hpx/sub"
    before = (made / "names.hpp").stat().st_mtime_ns

    make(tmp_path, TABLE.replace("sub/all.hpp      future.hpp sub/names.hpp\n", ""))

    assert sorted(path.name for path in made.iterdir()) == ["actions.hpp", "names.hpp"]
    assert (made / "names.hpp").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a.hpp gone.hpp", "there is no <hpx/gone.hpp>"),
        ("a.hpp missing word", 'no row "sentence word ..."'),
        ("future.hpp sub/names.hpp", "is written by hand"),
        ("sub/all.hpp future.hpp", "there is another row for this header"),
        ("../a.hpp future.hpp", '"../a.hpp" is no header below <hpx/>'),
        ("a.hpp", "HEADER INCLUDED"),
    ],
)
def test_a_wrong_row_is_quoted_with_its_reason(tmp_path: Path, row: str, reason: str) -> None:
    done = make(tmp_path, TABLE + row + "\n")

    message = " ".join(done.stderr.split())
    assert done.returncode != 0
    assert f'row "{row}":' in message
    assert reason in message


def test_options_without_boost_say_what_to_install() -> None:
    folders = [f"-I{CHECKOUT / name}" for name in ("include", "include/weft/compat/hpx")]
    command = ["c++", "-std=c++20", "-fsyntax-only", *folders, "-xc++", "-"]
    text = "#include <hpx/program_options.hpp>\n"

    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "install libboost-program-options-dev" in done.stderr

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of a source's compilations clang-tidy reads, and what it need not read again."""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path

import pytest
from weft_lab.checks import tidy
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


def keys(root: Path, option: str = "", with_tools: str = "clang-tidy 22") -> dict[str, str]:
    """The fingerprints of `root`'s sources, by name."""
    database = root / "build/compile_commands.json"
    database.parent.mkdir(exist_ok=True)
    command = f"{PLAIN} -I{root} {option}"
    entries = [
        {"directory": str(root), "file": name, "command": command}
        for name in ("first.cpp", "own.cpp")
    ]
    database.write_text(json.dumps(entries))
    found = compilations(database, root)
    return {path.name: key for path, key in tidy.sources_to_check(found, root, with_tools).items()}


def test_the_same_sources_elsewhere_are_not_read_again(root: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    shutil.copytree(root, elsewhere)

    assert keys(elsewhere) == keys(root)


@pytest.mark.parametrize("changed", ["first.cpp", "steps.hpp", ".clang-tidy"])
def test_what_changed_is_read_again(root: Path, changed: str) -> None:
    before = keys(root)
    with (root / changed).open("a") as file:
        file.write("// changed\n")
    after = keys(root)

    assert after["first.cpp"] != before["first.cpp"]
    assert (after["own.cpp"] != before["own.cpp"]) == (changed != "first.cpp")
    assert keys(root, "-O1") != after
    assert keys(root, with_tools="clang-tidy 23") != after


def test_what_was_clean_is_known_until_nobody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    clean = tidy.CleanSources(set())
    clean.add("one")
    clean.add("other")
    long_ago = time.time() - 2 * tidy.CleanSources.UNUSED_S
    os.utime(tmp_path / "weft/tidy/one", (long_ago, long_ago))

    clean = tidy.CleanSources({"third"})

    assert "one" not in clean
    assert "other" in clean
    assert "third" in clean
    assert "fourth" not in clean


def test_recorded_sources_are_skipped_unless_the_whole_is_asked_for(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checked: list[str] = []

    def check(source: Path, build: Path, options: list[str]) -> tuple[Path, bool, str]:
        checked.append(source.name)
        return source, "unclean" not in source.read_text("utf-8"), "found"

    def run(*options: str) -> int:
        checked.clear()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / f"cache{time.monotonic_ns()}"))
        monkeypatch.setattr("sys.argv", ["tidy", str(root), str(root / "build"), *options])
        return tidy.main()

    for name, stub in {
        "check": check,
        "tools": lambda *_: "",
        "openmp_options": lambda _: [],
    }.items():
        monkeypatch.setattr(tidy, name, stub)
    (root / ".ci").mkdir()
    keys(root)

    assert run("--record") == 0
    assert sorted(checked) == ["first.cpp", "own.cpp"]
    assert run() == 0
    assert not checked
    (root / "own.cpp").write_text("// unclean\n")
    before = (root / tidy.RECORD).read_text("utf-8")
    assert run("--record") == 1
    assert checked == ["own.cpp"]
    assert "own.cpp:\nfound" in capsys.readouterr().out
    assert (root / tidy.RECORD).read_text("utf-8") == before
    assert run("--whole") == 1
    assert sorted(checked) == ["first.cpp", "own.cpp"]


def test_headers_in_angle_brackets_and_of_tools_are_read(root: Path) -> None:
    for header in ("include/weft/tasks.hpp", "tools/top/view.hpp"):
        (root / header).parent.mkdir(parents=True)
        (root / header).touch()
    source = root / "user.cpp"
    source.write_text('#include <vector>\n#include <weft/tasks.hpp>\n#include "top/view.hpp"\n')

    found = tidy.included_files(source, tidy.include_roots(root))

    assert [path.name for path in found] == ["tasks.hpp", "view.hpp", "user.cpp"]

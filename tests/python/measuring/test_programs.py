# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Building: a broken program costs only itself; what is missing has a name and a remedy."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from weft_lab.errors import MissingError
from weft_lab.machine.toolchains import CLANG, GCC
from weft_lab.measuring import programs
from weft_lab.measuring.programs import Builder, Program, build_programs, find_in, probe

NINJA = """\
rule compile
  command = {compile}
  description = Building $out
build weft_fake_good: phony bin/weft_fake_good
build weft_fake_bad: phony bin/weft_fake_bad
build bin/weft_fake_good: compile {source}
build bin/weft_fake_bad: compile {missing}
"""


@pytest.fixture
def build_folder(tmp_path: Path, fake_programs: Path) -> Path:
    """A ninja folder in which one program builds and the other fails like a compiler would."""
    if shutil.which("ninja") is None:
        pytest.skip("ninja is not installed")
    broken = tmp_path / "broken.cpp"
    broken.write_text("broken", encoding="utf-8")
    complain = f"echo '{broken}:7:3: error: no beer'; false"
    compile_ = f"! grep -q ^broken $in && cp -p $in $out || {{ {complain}; }}"
    text = NINJA.format(compile=compile_, source=fake_programs / "weft_fake_seq", missing=broken)
    (tmp_path / "build.ninja").write_text(text, encoding="utf-8")
    (tmp_path / "bin").mkdir()
    return tmp_path


def test_one_program_that_does_not_compile_leaves_the_others(build_folder: Path) -> None:
    steps: list[tuple[int, int]] = []
    builder = Builder(GCC, build_folder)

    errors = builder.build(
        ["weft_fake_good", "weft_fake_bad"], lambda done, total, _: steps.append((done, total))
    )

    assert list(errors) == ["weft_fake_bad"]
    assert errors["weft_fake_bad"] == f"{build_folder}/broken.cpp:7:3: error: no beer"
    assert steps
    assert {total for _, total in steps} == {2}
    assert isinstance(probe(build_folder / "bin" / "weft_fake_good"), Program)


def test_targets_are_those_cmake_defines(build_folder: Path) -> None:
    assert Builder(GCC, build_folder).targets() == {"weft_fake_good", "weft_fake_bad"}


def test_what_was_not_built_is_told_with_a_remedy(
    build_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cmake_says = {"hops": "set HOPS_DIR to the folder that holds them"}
    monkeypatch.setattr(programs, "build_folder", lambda _toolchain: build_folder)
    monkeypatch.setattr(Builder, "configure", lambda _self: cmake_says)
    monkeypatch.setattr(Builder, "missing_tool", lambda _self: None)
    wanted = [("fake", "good"), ("fake", "bad"), ("fake", "hops"), ("fake", "onedpl_tbb")]

    found = build_programs(GCC, wanted, lambda *_: None)

    skips = {skip.variant: (skip.code, skip.remedy) for skip in found.skips}
    assert [program.path.name for program in found.programs] == ["weft_fake_good"]
    assert skips["bad@gcc"][0] == "not_built"
    assert "ninja -C" in skips["bad@gcc"][1]
    assert skips["hops@gcc"] == ("missing_library", "set HOPS_DIR to the folder that holds them")
    assert "PyPI" in skips["onedpl_tbb@gcc"][1]


def test_a_missing_compiler_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda tool: None if tool == "clang++-19" else tool)

    found = build_programs(CLANG, [("stl", "seq")], lambda *_: None)

    assert found.programs == []
    assert "clang++-19 is not installed" in found.skips[0].message
    assert found.skips[0].remedy == "apt-get install clang-19 libomp-19-dev"


def test_cmake_that_fails_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cmake = tmp_path / "cmake"
    cmake.write_text(
        "#!/bin/sh\nprintf 'CMake Error at x.cmake:3 (find):\\n\\n  no compiler' >&2; exit 1\n",
        encoding="utf-8",
    )
    cmake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(
        MissingError, match=r"CMake Error at x.cmake:3 \(find\): no compiler"
    ) as caught:
        Builder(GCC, tmp_path / "build").configure()

    assert caught.value.exit_code == 3


def test_cmakes_own_remedies_are_understood() -> None:
    said = "-- weft: stl backends not built: openmp, gnu (install OpenMP (libomp))\n-- Done\n"

    assert programs.remedies_in(said) == {
        "openmp": "install OpenMP (libomp)",
        "gnu": "install OpenMP (libomp)",
    }


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("#!/bin/sh\necho 'error while loading libhops.so' >&2; exit 127\n", "libhops.so"),
        ("#!/bin/sh\necho '{}'\n", "did not introduce itself"),
        ("not a program", "could not be started|exit code"),
    ],
)
def test_a_program_that_does_not_start_is_skipped_with_its_words(
    tmp_path: Path, text: str, why: str
) -> None:
    program = tmp_path / "weft_fake_odd"
    program.write_text(text, encoding="utf-8")
    program.chmod(0o755)

    found = find_in(tmp_path)

    assert found.programs == []
    (skip,) = found.skips
    assert skip.code == "not_built"
    assert any(part in skip.message for part in why.split("|"))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names asked for and folders given: what is refused says what is known and what to type."""

from __future__ import annotations

from pathlib import Path

import pytest
from weft_lab.errors import MissingError, UsageError
from weft_lab.measuring import catalog
from weft_lab.measuring.options import RunOptions

PROBE = """\
#!/bin/sh
echo '{"record": "program", "suite": "machine", "backend": "bandwidth", "toolchain": "gcc",
 "problems": ["scale", "triad"]}' | tr -d '\\n'
echo
"""


def gather(programs: Path, **options: object) -> catalog.Toolbox:
    chosen = RunOptions(programs=programs, **options)  # type: ignore[arg-type]
    catalog.check_options(chosen)
    return catalog.gather(chosen, lambda *_: None)


@pytest.fixture
def folder(tmp_path: Path, fake_programs: Path) -> Path:
    """The fake programs beside the machine's probe, as in a build folder."""
    for program in fake_programs.iterdir():
        (tmp_path / program.name).symlink_to(program)
    add(tmp_path, "weft_bandwidth", PROBE)
    return tmp_path


def add(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")
    (folder / name).chmod(0o755)


def test_the_probe_of_a_folder_is_found_and_is_no_backend(folder: Path) -> None:
    toolbox = gather(folder)

    assert {program.record["backend"] for program in toolbox.programs} == {"seq", "alpha", "beta"}
    assert toolbox.bandwidth is not None


@pytest.mark.parametrize(
    ("options", "what", "known"),
    [
        ({"backend": ("bandwidth",)}, "unknown backend 'bandwidth'", "alpha, beta, seq"),
        ({"backend": ("alpha@clang",)}, "unknown variant 'alpha@clang'", "alpha@gcc, beta@gcc"),
        ({"suite": ("machine",)}, "unknown suite 'machine'", "fake"),
    ],
)
def test_the_names_known_are_those_a_run_can_measure(
    folder: Path, options: dict[str, object], what: str, known: str
) -> None:
    with pytest.raises(UsageError) as caught:
        gather(folder, **options)

    assert caught.value.what == what
    assert caught.value.why.startswith(f"known are {known}")


def test_problems_of_the_probe_are_not_offered(folder: Path) -> None:
    with pytest.raises(UsageError, match="unknown problem 'triad'") as caught:
        gather(folder, only=("triad",))

    assert "steady" in caught.value.why
    assert "scale" not in caught.value.why


def test_of_a_folder_with_two_suites_one_is_measured(folder: Path) -> None:
    other = PROBE.replace("machine", "stl").replace("bandwidth", "seq")
    add(folder, "weft_stl_seq", other)

    assert {program.suite for program in gather(folder).programs} == {"stl"}
    assert {program.suite for program in gather(folder, suite=("fake",)).programs} == {"fake"}
    with pytest.raises(UsageError, match="a run holds one suite"):
        gather(folder, suite=("fake", "stl"))


@pytest.mark.parametrize(
    ("name", "what", "remedy"),
    [
        ("@clang", "'@clang' names no backend", "--backend gnu@clang"),
        ("gnu@", "'gnu@' names no toolchain", "--backend gnu@clang"),
        ("@", "'@' names no backend", "--backend gnu@clang"),
    ],
)
@pytest.mark.parametrize("has_programs", [True, False])
def test_half_a_variant_is_refused(
    folder: Path, has_programs: bool, name: str, what: str, remedy: str
) -> None:
    programs = folder if has_programs else None

    with pytest.raises(UsageError) as caught:
        catalog.check_options(RunOptions(backend=(name,), programs=programs))

    assert caught.value.what == what
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(("name", "what"), [("absent", "no folder"), (".", "nothing to measure")])
def test_a_folder_without_programs_says_what_to_type(tmp_path: Path, name: str, what: str) -> None:
    with pytest.raises(MissingError, match=what) as caught:
        gather(tmp_path / name)

    assert str(tmp_path) in str(caught.value)
    assert "cmake --preset bench && cmake --build build/bench" in caught.value.remedy

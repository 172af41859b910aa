# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which compiler builds what: a found one is used where it is wanted, a missing one is named."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from weft_lab.errors import MissingError, UsageError
from weft_lab.machine import doctor
from weft_lab.machine.toolchains import GCC, ICPX, NVCXX, TOOLCHAINS, Toolchain
from weft_lab.measuring import catalog, names, programs
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.programs import Builder, Found, Program
from weft_lab.storage.checkout import CHECKOUT, backends_in_checkout

ALL = set(backends_in_checkout("stl"))
BY_PRESET = {toolchain.preset: toolchain.name for toolchain in TOOLCHAINS}

# They say what they are as the real ones do, by their macros; CMake is to believe them.
FAKES = {
    ICPX: "clang++-19 -D__INTEL_LLVM_COMPILER=20250100",
    NVCXX: "g++ -D__NVCOMPILER -D__NVCOMPILER_MAJOR__=25 -D__NVCOMPILER_MINOR__=5 "
    "-D__NVCOMPILER_PATCHLEVEL__=0",
}
FAKE_COMPILER = """\
#!/bin/sh
for argument in "$@"; do
  case $argument in
    -fp-model=precise | -Kieee | -tp=native) ;;
    -mp | -fiopenmp) arguments="$arguments -fopenmp" ;;
    *) arguments="$arguments $argument" ;;
  esac
done
exec {compiler} $arguments
"""


def put_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, *tools: str) -> None:
    """Makes `tools`, which do nothing, all that PATH holds."""
    for tool in ("cmake", "ninja", *tools):
        (folder / tool).write_text("#!/bin/sh\n", encoding="utf-8")
        (folder / tool).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


@pytest.fixture
def everything_builds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every backend of every compiler on PATH compiles."""

    def find_in(folder: Path, targets: Iterable[str]) -> Found:
        toolchain = BY_PRESET[folder.parent.name]
        return Found([program(folder / name, toolchain) for name in targets], [])

    def program(path: Path, toolchain: str) -> Program:
        backend = path.name.removeprefix("weft_stl_")
        record = {"suite": "stl", "backend": backend, "toolchain": toolchain}
        return Program(path, record)

    monkeypatch.setattr(Builder, "configure", lambda _self: {})
    monkeypatch.setattr(Builder, "targets", lambda _self: {f"weft_stl_{name}" for name in ALL})
    monkeypatch.setattr(Builder, "build", lambda *_: {})
    monkeypatch.setattr(programs, "find_in", find_in)


def built_by(toolbox: catalog.Toolbox) -> dict[str, set[str]]:
    built: dict[str, set[str]] = {}
    for program in toolbox.programs:
        built.setdefault(program.record["toolchain"], set()).add(program.record["backend"])
    return built


def gather(**options: object) -> catalog.Toolbox:
    return catalog.gather(RunOptions(**options), lambda *_: None)  # type: ignore[arg-type]


@pytest.mark.usefixtures("everything_builds")
@pytest.mark.parametrize(
    ("options", "built"),
    [
        ({"tier": "quick"}, {"gcc": ALL - {"stdpar"}}),
        ({}, {"gcc": ALL - {"stdpar"}, "nvcxx": {"stdpar"}}),
        (
            {"tier": "full"},
            {name: ALL - {"stdpar"} for name in ("gcc", "clang", "icpx")} | {"nvcxx": ALL},
        ),
        ({"backend": ("gnu@icpx",)}, {"gcc": {"seq"}, "icpx": {"gnu"}}),
        ({"backend": ("gnu", "gnu@nvcxx")}, {"gcc": {"seq", "gnu"}, "nvcxx": {"gnu"}}),
        ({"backend": ("stdpar",)}, {"gcc": {"seq"}, "nvcxx": {"stdpar"}}),
        ({"backend": ("stdpar",), "tier": "quick"}, {"gcc": {"seq"}, "nvcxx": {"stdpar"}}),
        ({"backend": ("stdpar@nvcxx",)}, {"gcc": {"seq"}, "nvcxx": {"stdpar"}}),
        ({"backend": ("gnu@clang",), "tier": "full"}, {"gcc": {"seq"}, "clang": {"gnu"}}),
    ],
)
def test_compilers_found_build_what_is_wanted_of_them(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, object],
    built: dict[str, set[str]],
) -> None:
    put_on_path(tmp_path, monkeypatch, "g++", "clang++-19", "icpx", "nvc++")

    assert built_by(gather(**options)) == built


@pytest.mark.usefixtures("everything_builds")
def test_full_uses_what_is_found_and_says_once_per_compiler_what_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_path(tmp_path, monkeypatch, "g++", "icpx")

    toolbox = gather(tier="full")

    assert set(built_by(toolbox)) == {"gcc", "icpx"}
    assert [(skip.variant, skip.message) for skip in toolbox.skips] == [
        ("*@clang", "nothing was built by clang: clang++-19 is not installed"),
        ("*@nvcxx", "nothing was built by nvcxx: nvc++ is not installed"),
    ]


@pytest.mark.usefixtures("everything_builds")
@pytest.mark.parametrize(
    ("options", "message", "remedy"),
    [
        ({"backend": ("gnu@icpx",)}, "gnu was not built by icpx: icpx is not installed", "oneAPI"),
        ({"backend": ("stdpar",)}, "stdpar was not built by nvcxx: nvc++ is not", "NVIDIA HPC SDK"),
        ({}, "stdpar was not built by nvcxx: nvc++ is not installed", "NVIDIA HPC SDK"),
        ({"tier": "quick"}, "--quick builds with g++ only", "./weft run --backend stdpar"),
    ],
)
def test_a_missing_compiler_is_one_skip_with_a_remedy_and_the_rest_goes_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: dict[str, object],
    message: str,
    remedy: str,
) -> None:
    put_on_path(tmp_path, monkeypatch, "g++")

    toolbox = gather(**options)

    assert "seq" in built_by(toolbox)["gcc"]
    (skip,) = toolbox.skips
    assert message in skip.message
    assert remedy in skip.remedy


@pytest.mark.usefixtures("everything_builds")
@pytest.mark.parametrize("tier", ["quick", "default", "full"])
@pytest.mark.parametrize(
    ("missing", "remedy"), [("g++", "apt-get install g++"), ("cmake", "apt-get install cmake")]
)
def test_with_nothing_to_build_with_the_remedy_is_the_tool_that_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tier: str, missing: str, remedy: str
) -> None:
    put_on_path(tmp_path, monkeypatch, "g++")
    (tmp_path / missing).unlink()

    with pytest.raises(MissingError, match=re.escape(f"{missing} is not installed")) as caught:
        gather(tier=tier)

    assert caught.value.remedy == remedy


@pytest.mark.usefixtures("everything_builds")
@pytest.mark.parametrize("broken", [GCC, NVCXX])
def test_a_compiler_that_cmake_refuses_costs_only_its_own_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: Toolchain
) -> None:
    put_on_path(tmp_path, monkeypatch, "g++", "nvc++")

    def configure(builder: Builder) -> dict[str, str]:
        if builder.toolchain is broken:
            raise MissingError(what="cmake could not configure", why="no licence", remedy="get one")
        return {}

    monkeypatch.setattr(Builder, "configure", configure)

    if broken is GCC:  # it builds the baseline
        with pytest.raises(MissingError, match="no licence"):
            gather()
    else:
        toolbox = gather()
        assert set(built_by(toolbox)) == {"gcc"}
        assert [(skip.variant, skip.remedy) for skip in toolbox.skips] == [
            ("stdpar@nvcxx", "get one")
        ]
        assert "no licence" in toolbox.skips[0].message


@pytest.mark.parametrize(
    ("backend", "what", "remedy"),
    [
        ("gnu@nvc++", "unknown toolchain 'nvc++'", "did you mean 'nvcxx'?"),
        ("gnu@ipcx", "unknown toolchain 'ipcx'", "did you mean 'icpx'?"),
        ("gnu@msvc", "unknown toolchain 'msvc'", "./weft list"),
        ("stdpar@gcc", "'stdpar' cannot be built by gcc", "type --backend stdpar"),
    ],
)
def test_an_impossible_toolchain_is_refused_with_the_nearest_that_works(
    backend: str, what: str, remedy: str
) -> None:
    with pytest.raises(UsageError) as caught:
        catalog.check_options(RunOptions(backend=(backend,)))

    assert what in caught.value.what
    assert remedy in caught.value.remedy


def test_list_tells_which_toolchains_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_on_path(tmp_path, monkeypatch, "g++", "icpx")

    told = {row["name"]: row["is_found"] for row in names.every_name()["toolchains"]}

    assert told == {"gcc": True, "clang": False, "icpx": True, "nvcxx": False}


def test_every_toolchain_has_a_preset_and_three_ways_to_get_it() -> None:
    text = (CHECKOUT / "CMakePresets.json").read_text(encoding="utf-8")
    presets = {preset["name"]: preset for preset in json.loads(text)["configurePresets"]}
    commands = {row.command for row in doctor.requirements()}

    for toolchain in TOOLCHAINS:
        assert toolchain.preset in presets
        assert toolchain.compiler in commands
    for toolchain in (ICPX, NVCXX):
        variables = presets[toolchain.preset]["cacheVariables"]
        assert variables["CMAKE_CXX_COMPILER"] == toolchain.compiler


@pytest.mark.long
@pytest.mark.parametrize(
    ("toolchain", "program", "flags"),
    [
        (ICPX, "weft_stl_seq", "-fp-model=precise -O3 -DNDEBUG -O3 -march=native -fopenmp-simd"),
        (NVCXX, "weft_stl_stdpar", "-Kieee -O3 -DNDEBUG -O3 -tp=native -stdpar=multicore -mp"),
    ],
    ids=["icpx", "nvcxx"],
)
def test_cmake_knows_the_compiler_and_gives_it_flags_of_its_own(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    toolchain: Toolchain,
    program: str,
    flags: str,
) -> None:
    if any(shutil.which(tool) is None for tool in ("cmake", "ninja", "g++", "clang++-19")):
        pytest.skip("needs cmake, ninja and both compilers")
    compiler = tmp_path / toolchain.compiler
    script = FAKE_COMPILER.format(compiler=FAKES[toolchain])
    compiler.write_text(script, encoding="utf-8")
    compiler.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    builder = Builder(toolchain, tmp_path / "build")

    builder.configure()

    assert program in builder.targets()
    infos = (tmp_path / "build/lab/stl").glob(f"{program}_build_info_CXX.cpp")
    info = next(infos).read_text(encoding="utf-8")
    assert f'.toolchain = "{toolchain.name}"' in info
    assert flags in info
    assert ("weft_stl_stdpar" in builder.targets()) == (toolchain is NVCXX)
    commands = subprocess.run(
        ["ninja", "-C", tmp_path / "build", "-t", "commands", program],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert ("-Wconversion" in commands) == (toolchain is not NVCXX)
    assert ("-fopenmp-simd" in commands) == (toolchain is not NVCXX)
    assert "-fast" not in commands


def test_progress_of_a_build_names_the_compiler_and_the_file(tmp_path: Path) -> None:
    if shutil.which("ninja") is None:
        pytest.skip("needs ninja")
    (tmp_path / "build.ninja").write_text(
        "rule copy\n"
        "  command = touch $out\n"
        "  description = Building CXX object $out\n"
        "build src/CMakeFiles/weft_base.dir/base/chunk.cpp.o: copy\n",
        encoding="utf-8",
    )
    shown: list[tuple[int, int, str]] = []

    errors = Builder(GCC, tmp_path).build(
        ["src/CMakeFiles/weft_base.dir/base/chunk.cpp.o"], lambda *step: shown.append(step)
    )

    assert errors == {}
    assert shown[-1] == (1, 1, "gcc: chunk.cpp")

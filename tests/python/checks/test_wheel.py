# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`pip install .`: the wheel has the lab with its sources and the compiled modules."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from weft_lab import __version__

ROOT = Path(__file__).resolve().parents[3]
LACKS = [name for name in ("scikit_build_core", "nanobind") if not importlib.util.find_spec(name)]
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(bool(LACKS), reason=f"no {', '.join(LACKS)} to build a wheel with"),
]


def run(*command: str | Path, **environment: str) -> str:
    """Runs a program outside the checkout; returns what it prints."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without a network, with the objects of stage gcc in ccache.

    The build folder is as deep as stage gcc's, since ccache knows objects by relative paths. Stage
    `wheel` names a wheel that it built as users do.
    """
    if "WEFT_WHEEL" in os.environ:
        return Path(os.environ["WEFT_WHEEL"])
    folder = tmp_path_factory.mktemp("wheel")
    presets = json.loads((ROOT / "CMakePresets.json").read_text("utf-8"))["configurePresets"]
    base = next(preset["environment"] for preset in presets if preset["name"] == "base")
    cache = {name: value.replace("${sourceDir}", str(ROOT)) for name, value in base.items()}
    settings = ["cmake.args=--preset=gcc", "cmake.build-type=Debug"]
    build = ROOT / "build/gcc-wheel"
    shutil.rmtree(build, ignore_errors=True)
    settings += [f"build-dir={build}"]
    options = [f"--config-settings={setting}" for setting in settings]
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    run(*pip, *options, "--wheel-dir", folder, ROOT, **cache)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new environment with the wheel; the packages that it needs are those of this one."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--no-deps", "--no-index", wheel)
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(folder / "bin/python", "-c", ask).strip())
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder


def test_wheel_is_for_this_python_and_holds_the_labs_sources(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())

    assert wheel.name.startswith(f"weft_lab-{__version__}-cp{sys.version_info[0]}")
    sources = "weft_lab/sources"
    assert {f"{sources}/CMakeLists.txt", f"{sources}/include/weft/weft.hpp"} <= names
    assert {"weft_lab/cli.py", "weft/halo.py", "weft/_halo.pyi"} <= names
    assert {"weft/lab.py", "weft/_weft.pyi", "weft/py.typed"} <= names
    of_checkouts = {f"weft_lab/commands/{verb}.py" for verb in ("docs", "fuzz", "test")}
    assert not {f"{sources}/python/{name}" for name in of_checkouts} & names
    assert not of_checkouts & names
    compiled = re.compile(r"weft/.*\.[ch]pp|.*\.pyc")
    assert not any(compiled.fullmatch(name) for name in names)


def test_commands_work_and_use_a_copy_that_belongs_to_the_user(
    environment: Path, tmp_path: Path
) -> None:
    weft = environment / "bin/weft"
    home = {"XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": ""}

    assert run(weft, "--version", **home) == f"weft {__version__}\n"
    assert "inclusive_scan" in run(weft, "list", "--json", **home)
    answer = json.loads(run(weft, "doctor", "--json", **home))
    assert answer["checkout"] == str(tmp_path / "weft-lab")
    assert (tmp_path / "weft-lab/lab/CMakeLists.txt").is_file()


def test_weft_halo_is_compiled_where_there_is_an_mpi(wheel: Path, environment: Path) -> None:
    if not any("/_halo." in name and name.endswith(".so") for name in wheel_names(wheel)):
        pytest.skip("built without MPI or Python's headers")

    code = "import weft._halo as halo; print(halo.__file__)"
    found = run(environment / "bin/python", "-c", code, PYTHONPATH="")

    assert Path(found.strip()).is_relative_to(environment)


def test_weft_sorts_and_reads_counters_without_an_mpi(wheel: Path, environment: Path) -> None:
    if not any("/_weft." in name and name.endswith(".so") for name in wheel_names(wheel)):
        pytest.skip("built without Python's headers")

    code = (
        "import array, weft, weft.counters as counters; values = array.array('d', [2, 1]); "
        "weft.sort(values); print(values.tolist(), len(counters.discover()) > 100)"
    )

    assert run(environment / "bin/python", "-c", code, PYTHONPATH="") == "[1.0, 2.0] True\n"


def wheel_names(wheel: Path) -> list[str]:
    """What is in the wheel."""
    return [f"/{name}" for name in zipfile.ZipFile(wheel).namelist()]

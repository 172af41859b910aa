# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Debian packages of a small project: who may read the files, and what the packages need."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
LACKS = [name for name in ("cmake", "cpack", "dpkg-deb") if shutil.which(name) is None]
pytestmark = pytest.mark.skipif(bool(LACKS), reason=f"no {', '.join(LACKS)}")
PROJECT = """
cmake_minimum_required(VERSION 3.24)
project(weft VERSION 0.1.0 DESCRIPTION "A small one" LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH "${PROJECT_SOURCE_DIR}/cmake")
foreach(library IN LISTS LIBRARIES)
  add_library(${library} INTERFACE IMPORTED)
endforeach()
install(FILES include/weft/version.hpp DESTINATION include/weft COMPONENT dev)
include(weft_deb)
"""


def run(*command: str | Path, cwd: Path) -> str:
    """Runs a program whose files nobody else may read; returns what it prints."""
    done = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        umask=0o077,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def packages(folder: Path, *options: str) -> tuple[Path, Path]:
    """Makes libweft-dev and weft-lab of a project that nobody else may read."""
    source, build = folder / "source", folder / "build"
    for name in ("docs", "examples", "include/weft", "lab", "python/weft_lab/commands"):
        (source / name).mkdir(parents=True)
    for name in ("src", "tools"):
        (source / name).mkdir()
    for name in ("cmake", "packaging"):
        shutil.copytree(ROOT / name, source / name)
    for name in ("CITATION.cff", "LICENSE", "README.md", "CMakePresets.json", "weft"):
        shutil.copy(ROOT / name, source)
    (source / "CMakeLists.txt").write_text(PROJECT)
    for name in ("include/weft/version.hpp", "lab/main.cpp", "docs/README.md"):
        (source / name).touch()
    for verb in ("docs", "fuzz", "report", "test"):
        (source / f"python/weft_lab/commands/{verb}.py").touch()
    for path in (source, *source.rglob("*")):
        path.chmod(path.stat().st_mode & 0o700)
    run("cmake", "-S", source, "-B", build, *options, cwd=folder)
    run("cpack", "-G", "DEB", "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=none", cwd=build)
    return next(build.glob("libweft-*dev_*.deb")), next(build.glob("weft-lab_*.deb"))


def test_everybody_may_read_what_a_private_build_packs(tmp_path: Path) -> None:
    modes: dict[str, str] = {}
    for package in packages(tmp_path):
        for line in run("dpkg-deb", "-c", package, cwd=tmp_path).splitlines():
            modes[line.split()[-1]] = line.split()[0]

    folders = {name for name in modes if name.endswith("/")}
    assert {modes[name] for name in folders} == {"drwxr-xr-x"}
    run_by_users = {name for name, mode in modes.items() if mode == "-rwxr-xr-x"}
    lab = "./usr/share/weft"
    scripts = {f"{lab}/packaging/deb/weft.sh", f"{lab}/packaging/python/lock.sh"}
    assert run_by_users == {"./usr/bin/weft", f"{lab}/weft", *scripts}
    others = {mode for name, mode in modes.items() if name not in folders | run_by_users}
    assert others == {"-rw-r--r--"}
    assert {"./usr/include/weft/version.hpp", f"{lab}/lab/main.cpp"} <= set(modes)
    verbs = {name for name in modes if name.startswith(f"{lab}/python/weft_lab/commands/")}
    assert {Path(name).name for name in verbs} == {"commands", "report.py"}


@pytest.mark.parametrize(
    ("folder", "recommended", "name"),
    [
        ("openmpi/include", "libopenmpi-dev", "libweft-dev"),
        ("mpich", "libmpich-dev", "libweft-mpich-dev"),
    ],
)
def test_library_needs_pkg_config_and_the_mpi_that_it_was_built_with(
    tmp_path: Path, folder: str, recommended: str, name: str
) -> None:
    mpi = f"-DMPI_CXX_HEADER_DIR=/usr/lib/{folder}"
    dev, _ = packages(tmp_path, "-DLIBRARIES=PkgConfig::highway;weft::halo", mpi)

    fields = run("dpkg-deb", "-f", dev, "Depends", "Recommends", cwd=tmp_path)
    assert "Depends: libc6-dev, pkg-config, libhwy-dev (>= 1.0.3)" in fields
    assert f"Recommends: {recommended}\n" in fields
    others = run("dpkg-deb", "-f", dev, "Package", "Provides", "Conflicts", cwd=tmp_path)
    only_mpich = "Provides: libweft-dev\nConflicts: libweft-dev\n" if "mpich" in name else ""
    assert others == f"Package: {name}\n{only_mpich}"

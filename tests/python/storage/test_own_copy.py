# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lab's sources: the checkout, or the user's copy of those that a wheel brought."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from weft_lab.storage.own_copy import checkout


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """An installed package with sources, which nobody may write to."""
    package = tmp_path / "site-packages/weft_lab"
    (package / "sources/lab").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "sources/CMakeLists.txt").write_text("project(weft)\n")
    (package / "sources/lab/main.cpp").write_text("int main() {}\n")
    (package / "sources/lab/main.cpp").chmod(0o444)
    return package


def copy_of(package: Path, home: Path) -> Path:
    return checkout(package, {"XDG_DATA_HOME": str(home)})


def test_checkout_is_used_as_it_is(tmp_path: Path) -> None:
    package = tmp_path / "python/weft_lab"
    package.mkdir(parents=True)

    assert checkout(package, {}) == tmp_path


def test_sources_of_a_wheel_are_copied_to_the_users_folder(package: Path, tmp_path: Path) -> None:
    copy = copy_of(package, tmp_path / "data")

    assert copy == tmp_path / "data/weft-lab"
    assert (copy / "lab/main.cpp").read_text() == "int main() {}\n"


def test_copy_is_made_once(package: Path, tmp_path: Path) -> None:
    (copy_of(package, tmp_path) / "CMakeLists.txt").write_text("mine\n")

    assert (copy_of(package, tmp_path) / "CMakeLists.txt").read_text() == "mine\n"


def test_another_version_replaces_sources_and_keeps_what_was_built(
    package: Path, tmp_path: Path
) -> None:
    built = copy_of(package, tmp_path) / "build/program"
    built.parent.mkdir()
    built.touch()
    (package / "sources/lab/main.cpp").unlink()
    (package / "sources/lab/newer.cpp").touch()
    os.utime(package / "__init__.py", (1, 1))

    copy = copy_of(package, tmp_path)

    assert [path.name for path in (copy / "lab").iterdir()] == ["newer.cpp"]
    assert built.exists()


def test_interrupted_copy_is_made_again(package: Path, tmp_path: Path) -> None:
    copy = copy_of(package, tmp_path)
    (copy / "stamp").unlink()
    (copy / "CMakeLists.txt").unlink()

    assert (copy_of(package, tmp_path) / "CMakeLists.txt").exists()

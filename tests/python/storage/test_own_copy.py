# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lab's sources: the checkout, or the user's copy of those that a wheel brought."""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from pathlib import Path

import pytest
from weft_lab.errors import MissingError
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

    copy = copy_of(package, tmp_path)

    assert [path.name for path in (copy / "lab").iterdir()] == ["newer.cpp"]
    assert built.exists()


def test_interrupted_copy_is_made_again(package: Path, tmp_path: Path) -> None:
    copy = copy_of(package, tmp_path)
    (copy / "stamp").unlink()
    (copy / "CMakeLists.txt").unlink()

    assert (copy_of(package, tmp_path) / "CMakeLists.txt").exists()


def test_folder_that_weft_did_not_make_is_left_as_it_is(package: Path, tmp_path: Path) -> None:
    mine = tmp_path / "data/weft-lab/lab/mine.txt"
    mine.parent.mkdir(parents=True)
    mine.touch()

    with pytest.raises(MissingError, match="is not empty and no copy that weft made"):
        copy_of(package, tmp_path / "data")

    assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == [mine]


def test_same_sources_installed_again_or_elsewhere_replace_nothing(
    package: Path, tmp_path: Path
) -> None:
    (copy_of(package, tmp_path) / "CMakeLists.txt").write_text("mine\n")
    other = Path(shutil.copytree(package, tmp_path / "other environment/weft_lab"))
    os.utime(other / "__init__.py", (1, 1))
    (other / "sources/lab/__pycache__").mkdir()
    (other / "sources/lab/__pycache__/main.pyc").touch()

    assert (copy_of(other, tmp_path) / "CMakeLists.txt").read_text() == "mine\n"


def test_sources_that_another_process_uses_are_not_replaced(package: Path, tmp_path: Path) -> None:
    copy = tmp_path / "weft-lab"
    (copy / "lab").mkdir(parents=True)
    (copy / "lab/older.cpp").touch()
    (copy / "weft-copy.lock").touch()
    with (copy / "weft-use.lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_SH)

        with pytest.raises(MissingError, match="still runs from the sources"):
            copy_of(package, tmp_path)

        assert (copy / "lab/older.cpp").exists()

    assert (copy_of(package, tmp_path) / "lab/main.cpp").exists()


def test_copy_in_use_is_locked_until_the_process_ends(package: Path, tmp_path: Path) -> None:
    copy = copy_of(package, tmp_path)

    with (copy / "weft-use.lock").open() as other, pytest.raises(BlockingIOError):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_file_system_without_locks_will_do(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_locks(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)

    assert (copy_of(package, tmp_path) / "lab/main.cpp").exists()

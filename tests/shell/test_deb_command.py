# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command of the package weft-lab: each user gets a copy of the lab's sources."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAB = '#!/bin/sh\necho "$(dirname "$0") runs $*"\n[ "$1" != wait ] || read -r line\n'


@dataclass(frozen=True)
class Installed:
    """The package's files, unpacked below a folder, and the home of a user."""

    usr: Path
    data: Path

    @property
    def copy(self) -> Path:
        """Where the user's copy lies."""
        return self.data / "weft"

    def begin(self, *arguments: str, path: str = "") -> subprocess.Popen[str]:
        """Starts the command, with programs of the folder `path` before those of the system."""
        environment = {
            "PATH": f"{path}:{os.environ['PATH']}".strip(":"),
            "XDG_DATA_HOME": str(self.data),
        }
        return subprocess.Popen(
            [self.usr / "bin/weft", *arguments],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def start(self, *arguments: str, path: str = "") -> tuple[int, str, str]:
        """Runs the command to its end; returns exit code, output and messages."""
        process = self.begin(*arguments, path=path)
        output, messages = process.communicate(timeout=60)
        return process.returncode, output, messages

    def upgrade(self) -> None:
        """Installs another version."""
        (self.usr / "share/weft/src/newer.cpp").touch()


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    usr = tmp_path / "usr"
    (usr / "share/weft/src").mkdir(parents=True)
    (usr / "share/weft/src/a.cpp").touch()
    (usr / "share/weft/weft").write_text(LAB)
    (usr / "share/weft/weft").chmod(0o755)
    (usr / "bin").mkdir()
    shutil.copy(ROOT / "packaging/deb/weft.sh", usr / "bin/weft")
    return Installed(usr, tmp_path / "user's data")


def test_lab_runs_from_the_users_copy(installed: Installed) -> None:
    code, output, messages = installed.start("list", "--json")

    assert (code, output) == (0, f"{installed.copy} runs list --json\n"), messages
    assert (installed.copy / "src/a.cpp").exists()


def test_folder_that_weft_did_not_make_is_left_as_it_is(installed: Installed) -> None:
    mine = installed.copy / "src/mine.txt"
    mine.parent.mkdir(parents=True)
    mine.touch()

    code, _, messages = installed.start("list")

    assert code == 3
    assert "is not empty and no copy that weft made" in messages
    assert [path for path in installed.copy.rglob("*") if path.is_file()] == [mine]


def test_another_version_replaces_sources_and_keeps_what_was_built(installed: Installed) -> None:
    installed.start("list")
    (installed.copy / "build").mkdir()
    (installed.copy / "src/older.cpp").touch()
    installed.upgrade()

    assert installed.start("list")[0] == 0

    assert {path.name for path in (installed.copy / "src").iterdir()} == {"a.cpp", "newer.cpp"}
    assert (installed.copy / "build").exists()


def test_sources_that_a_running_weft_uses_are_not_replaced(installed: Installed) -> None:
    with installed.begin("wait") as running:
        assert running.stdout is not None
        assert "runs wait" in running.stdout.readline()
        assert installed.start("list")[0] == 0  # the same version
        installed.upgrade()

        code, _, messages = installed.start("list")

        assert code == 3
        assert "another weft of yours still runs" in messages
        assert not (installed.copy / "src/newer.cpp").exists()
        running.communicate("\n")
    assert installed.start("list")[0] == 0
    assert (installed.copy / "src/newer.cpp").exists()


def test_file_system_without_locks_will_do(installed: Installed, tmp_path: Path) -> None:
    (tmp_path / "flock").write_text("#!/bin/sh\nexit 71\n")
    (tmp_path / "flock").chmod(0o755)

    assert installed.start("list", path=str(tmp_path))[0] == 0

    assert (installed.copy / "src/a.cpp").exists()

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""./weft and its virtual environment: made once, repaired when broken, never by two at a time."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from front_door import FrontDoor


def pip_calls(door: FrontDoor) -> list[str]:
    """Returns which lock files pip was given since the last look."""
    calls = [call for call in door.calls("python") if "-m pip install" in call]
    return [call.partition("packaging/python/")[2].split()[0] for call in calls]


def test_lab_gets_the_arguments_as_they_were(door: FrontDoor) -> None:
    done = door.start("compare", "a b", "--x=*")

    assert done.exit_code == 0
    assert done.output == f"lab[compare a b --x=*] {door.checkout}/python\n"


def test_packages_are_installed_with_hashes_and_without_the_users_pythonpath(
    door: FrontDoor,
) -> None:
    door.start("compare", PYTHONPATH="/elsewhere")

    (call,) = [call for call in door.calls("python") if "-m pip" in call]
    assert "--require-hashes" in call
    assert "--only-binary :all:" in call
    assert "PYTHONPATH=unset" in (door.checkout / ".weft/log/pip-report.log").read_text()


@pytest.mark.timed
def test_second_start_installs_nothing_and_takes_less_than_a_second(door: FrontDoor) -> None:
    door.start("report")
    door.calls("python")

    took_s = []
    for _ in range(3):  # another process may take the processor for a moment
        started_s = time.monotonic()
        done = door.start("report")
        took_s.append(time.monotonic() - started_s)
        assert pip_calls(door) == []
        assert done.exit_code == 0

    assert min(took_s) < 1.0


def test_test_verb_adds_its_packages_to_the_same_environment(door: FrontDoor) -> None:
    door.start("compare")
    assert pip_calls(door) == ["report.lock"]

    door.start("test")
    assert pip_calls(door) == ["test.lock", "docs.lock", "onedpl.lock", "cccl.lock"]


@pytest.mark.parametrize(
    ("arguments", "is_needed"),
    [
        (["docs"], True),
        (["docs", "--open"], True),
        (["docs", "--help"], False),
        (["compare"], False),
        (["test", "--only", "browser"], True),
        (["test", "--only=lint,docs"], True),
        (["test", "--only", "lint"], False),
        (["test", "--list"], False),
    ],
)
def test_what_builds_the_site_has_its_packages(
    door: FrontDoor, arguments: list[str], is_needed: bool
) -> None:
    assert door.start(*arguments).exit_code == 0

    assert ("docs.lock" in pip_calls(door)) == is_needed


def test_list_of_stages_needs_the_tests_packages_and_nothing_else(door: FrontDoor) -> None:
    assert door.start("test", "--list").exit_code == 0

    assert pip_calls(door) == ["report.lock", "test.lock"]
    assert door.calls("apt-get") == []


def test_changed_lock_file_is_installed_again(door: FrontDoor) -> None:
    door.start("test")
    pip_calls(door)

    with (door.checkout / "packaging/python/test.lock").open("a") as lock:
        lock.write("another==1.0 --hash=sha256:0\n")
    door.start("test")

    assert pip_calls(door) == ["test.lock"]


def test_environment_without_its_python_is_made_anew(door: FrontDoor) -> None:
    door.start("compare")
    pip_calls(door)

    (door.checkout / ".weft/venv/bin/python").unlink()
    done = door.start("compare")

    assert done.exit_code == 0
    assert pip_calls(door) == ["report.lock"]


def test_environment_whose_making_was_interrupted_is_made_anew(door: FrontDoor) -> None:
    assert door.start("compare", FAKE_VENV_RC="129").exit_code == 3
    left_over = door.checkout / ".weft/venv/left_over"
    left_over.touch()  # and a python that answers, but has no pip yet

    assert door.start("compare").exit_code == 0
    assert not left_over.exists()
    assert pip_calls(door) == ["report.lock"]


def test_interrupted_addition_of_packages_loses_none_of_those_before(door: FrontDoor) -> None:
    assert door.start("compare").exit_code == 0
    assert door.start("test", "--list", FAKE_PIP_RC="1").exit_code == 3
    pip_calls(door)

    assert door.start("test", "--list").exit_code == 0
    assert pip_calls(door) == ["report.lock", "test.lock"]


def test_failed_installation_says_what_to_do_and_is_repaired_at_the_next_start(
    door: FrontDoor,
) -> None:
    failed = door.start("compare", FAKE_PIP_RC="1")
    assert failed.exit_code == 3
    assert failed.output == ""
    assert "pip was asked" in failed.messages
    assert "what to do: check the network" in failed.messages
    left_over = door.checkout / ".weft/venv/left_over"
    left_over.touch()

    assert door.start("compare").exit_code == 0
    assert not left_over.exists()


def test_two_starts_at_once_install_once(door: FrontDoor) -> None:
    starts = [door.start_in_background("compare", FAKE_PIP_S="1") for _ in range(2)]

    messages = [start.communicate(timeout=120)[1] for start in starts]

    assert [start.returncode for start in starts] == [0, 0]
    assert pip_calls(door) == ["report.lock"]
    assert any("is setting up; waiting" in text for text in messages)


def wait_for(is_so: Callable[[], bool]) -> None:
    """Waits for a condition that another process makes true."""
    end_s = time.monotonic() + 60.0
    while not is_so():
        assert time.monotonic() < end_s
        time.sleep(0.01)


def test_lock_ends_with_its_owner_although_pip_goes_on(door: FrontDoor) -> None:
    first = door.start_in_background("compare", FAKE_PIP_S="600")
    wait_for((door.machine / "requirements").exists)
    first.kill()
    first.wait()

    try:
        assert door.start("compare").exit_code == 0
    finally:
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate(timeout=60)


def test_file_system_without_locks_is_told_and_used(door: FrontDoor) -> None:
    flock = door.machine / "bin/flock"
    flock.unlink()
    flock.write_text("#!/bin/sh\nexit 71\n")
    flock.chmod(0o755)

    done = door.start("compare")

    assert done.exit_code == 0
    assert "no locks here (flock failed)" in done.messages


def test_no_other_user_can_hold_the_lock(door: FrontDoor) -> None:
    door.start("compare")

    assert (door.checkout / ".weft/setup.lock").stat().st_mode & 0o777 == 0o600


def test_lock_depends_on_no_process_id(door: FrontDoor) -> None:
    left_over = door.checkout / ".weft/lock"
    left_over.mkdir(parents=True)
    (left_over / "pid").write_text(f"{os.getpid()}\n")

    assert door.start("compare").exit_code == 0


def test_start_that_waits_while_all_is_removed_sets_up_alone(door: FrontDoor) -> None:
    first = door.start_in_background("compare", FAKE_PIP_S="600")
    wait_for((door.machine / "requirements").exists)
    waiting = door.start_in_background("compare")
    assert waiting.stderr is not None
    assert "waiting" in waiting.stderr.readline()
    (door.checkout / ".weft/setup.lock").unlink()
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate(timeout=60)

    waiting.communicate(timeout=60)

    assert waiting.returncode == 0
    assert (door.checkout / ".weft/setup.lock").exists()


def test_moved_or_copied_environment_is_made_anew(door: FrontDoor, tmp_path: Path) -> None:
    door.start("compare")
    pip_calls(door)
    moved = Path(shutil.copytree(door.checkout, tmp_path / "moved", symlinks=True))

    assert door.start("compare", door=moved / "weft").exit_code == 0
    assert pip_calls(door) == ["report.lock"]
    assert door.start("compare", door=moved / "weft").exit_code == 0
    assert pip_calls(door) == []


def test_unlocked_start_keeps_the_versions_and_drops_the_hashes(door: FrontDoor) -> None:
    door.start("compare", WEFT_UNLOCKED="1")

    requirements = (door.machine / "requirements").read_text()
    assert "\ntyper==" in requirements
    assert "--hash" not in requirements
    assert "\\" not in requirements


def test_peer_headers_are_found_in_an_include_folder(door: FrontDoor) -> None:
    door.start("report")

    assert (door.checkout / ".weft/cccl/include").is_dir()


def test_missing_peer_headers_do_not_stop_the_report(door: FrontDoor) -> None:
    door.start("compare")

    done = door.start("report", FAKE_PIP_RC="1")

    assert done.exit_code == 0
    assert "it is listed as not measured" in done.messages


def test_no_usable_python_is_explained(door: FrontDoor) -> None:
    (door.machine / "bin/python3").write_text("#!/bin/sh\nexit 1\n")

    done = door.start("compare", WEFT_NO_APT="1")

    assert done.exit_code == 3
    assert "WEFT_PYTHON=" in done.messages

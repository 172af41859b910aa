# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""./weft and Debian packages: only the missing ones, announced, and only where that is allowed."""

from __future__ import annotations

from front_door import FrontDoor


def installed_by(door: FrontDoor) -> list[str]:
    """Returns the packages of the one real apt-get install."""
    (call,) = [call for call in door.calls("apt-get") if "install --yes" in call]
    return call.partition("--no-install-recommends ")[2].split()


def test_missing_packages_are_announced_with_their_size_and_installed(door: FrontDoor) -> None:
    done = door.start("report", "--quick", FAKE_INSTALLED="libtbb-dev libhwloc-dev")

    packages = installed_by(door)
    assert done.exit_code == 0
    assert f"{len(packages)} new (41.2 MB)" in done.messages
    assert "installing with apt-get (WEFT_NO_APT=1 forbids it): g++ cmake" in done.messages
    assert {"g++", "cmake", "ninja-build", "nlohmann-json3-dev"} <= set(packages)
    assert not {"libtbb-dev", "libhwloc-dev"} & set(packages)


def test_command_on_path_stands_in_for_its_package(door: FrontDoor) -> None:
    (door.machine / "bin/cmake").symlink_to("/bin/true")

    door.start("report", "--quick")

    assert "cmake" not in installed_by(door)


def test_quick_report_does_without_the_second_compiler(door: FrontDoor) -> None:
    door.start("report", "--quick")
    quick = installed_by(door)
    door.start("report")

    assert set(installed_by(door)) - set(quick) == {"clang-19", "libomp-19-dev"}


def test_browser_is_installed_only_for_the_browser_stage(door: FrontDoor) -> None:
    for without in (["--only", "lint,python"], []):
        door.start("test", *without)
        assert "chromium" not in installed_by(door)

    for arguments in (["--only=browser"], ["--all"], ["--all", "--stop"]):
        door.start("test", *arguments)
        assert "chromium" in installed_by(door)


def test_verb_that_builds_nothing_installs_no_package(door: FrontDoor) -> None:
    for arguments in (["compare", "a", "b"], ["report", "--help"]):
        done = door.start(*arguments)

        assert done.exit_code == 0
        assert door.calls("apt-get") == []


def test_apt_can_be_forbidden(door: FrontDoor) -> None:
    done = door.start("report", WEFT_NO_APT="1")

    assert door.calls("apt-get") == []
    assert done.output.startswith("lab[report]")
    assert "apt-get install --no-install-recommends g++" in done.messages


def test_user_without_root_gets_three_ways_and_goes_on(door: FrontDoor) -> None:
    done = door.start("report", FAKE_UID="1000")

    assert door.calls("apt-get") == []
    assert done.exit_code == 0
    for way in ("as root:", "on a cluster:", "without root:"):
        assert way in done.messages


def test_empty_package_lists_are_fetched_once(door: FrontDoor) -> None:
    door.start("report", FAKE_EMPTY_LISTS="1")

    assert len([call for call in door.calls("apt-get") if call.endswith("update")]) == 1


def test_package_that_the_system_lacks_is_left_out_and_named(door: FrontDoor) -> None:
    done = door.start("report", FAKE_UNKNOWN="clang-19")

    assert "offers no package clang-19" in done.messages
    assert "clang-19" not in installed_by(door)


def test_failed_installation_is_explained_and_the_lab_still_starts(door: FrontDoor) -> None:
    done = door.start("report", FAKE_APT_RC="100")

    assert "what to do: run: apt-get install" in done.messages
    assert done.output.startswith("lab[report]")


def test_python_comes_with_the_first_call_of_apt_get(door: FrontDoor) -> None:
    (door.machine / "bin/python3").write_text("#!/bin/sh\nexit 1\n")

    done = door.start("report", "--quick")

    assert installed_by(door)[0] == "python3-venv"
    assert done.exit_code == 3  # the fake package brings no Python


def test_tracing_needs_what_builds_the_tool_and_no_peers(door: FrontDoor) -> None:
    done = door.start("trace", "--", "true")

    packages = set(installed_by(door))
    assert {"g++", "cmake"} <= packages
    assert "clang-19" not in packages
    assert "peer headers" not in done.messages


def test_tools_are_installed_only_for_the_table_that_measures_them(door: FrontDoor) -> None:
    door.start("reproduce", "pstl-table1")
    assert "heaptrack" not in installed_by(door)

    done = door.start("reproduce", "counters-table1", FAKE_UNKNOWN="linux-perf")
    assert "heaptrack" in installed_by(door)
    assert "offers no package linux-perf" in done.messages

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ./weft answers before anything is installed: by Python alone, without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from front_door import FrontDoor
from weft_lab import __version__
from weft_lab.commands import verb as verb_of
from weft_lab.commands import verb_names

ROOT = Path(__file__).resolve().parents[2]
WITHOUT_NETWORK = ["unshare", "--net", "--map-root-user"]


def can_cut_the_network() -> bool:
    """Whether this system lets a user start a program without a network."""
    if shutil.which("unshare") is None:
        return False
    return (
        subprocess.run([*WITHOUT_NETWORK, "true"], capture_output=True, check=False).returncode == 0
    )


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the answers need of a checkout, without .weft and build; nobody may write to it."""
    folder = tmp_path_factory.mktemp("clone")
    shutil.copy(ROOT / "weft", folder)
    for name in ("packaging", "lab"):
        shutil.copytree(ROOT / name, folder / name)
    no_bytecode = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "python", folder / "python", ignore=no_bytecode)
    return folder


def ask(clone: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Asks without a network, and with Debian's Python where there is one: it has no packages."""
    command = [*(WITHOUT_NETWORK if can_cut_the_network() else []), str(clone / "weft"), *arguments]
    environment = {"PATH": os.environ["PATH"], "HOME": str(clone)}
    if Path("/usr/bin/python3").exists():
        environment["WEFT_PYTHON"] = "/usr/bin/python3"
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, timeout=120
    )


def test_version_is_that_of_the_project(clone: Path) -> None:
    done = ask(clone, "--version")

    assert done.stdout == f"weft {__version__}\n"


def test_doctor_says_what_is_missing_and_that_packages_are(clone: Path) -> None:
    done = ask(clone, "doctor")

    assert done.returncode in {0, 3}, done.stderr
    assert "building the bench programs" in done.stdout
    assert "Python packages not installed" in done.stdout
    assert not (clone / ".weft").exists()


def test_doctor_for_programs_is_the_same_object_as_ever(clone: Path) -> None:
    answer = json.loads(ask(clone, "doctor", "--json").stdout)

    assert answer["checkout"] == str(clone)
    assert {"g++", "cmake"} <= {row["id"] for row in answer["requirements"]}


def test_list_has_the_names_of_the_checkout(clone: Path) -> None:
    text, names = ask(clone, "list").stdout, json.loads(ask(clone, "list", "--json").stdout)

    stl = next(suite for suite in names["suites"] if suite["name"] == "stl")
    assert "inclusive_scan" in stl["problems"]
    assert "suite stl" in text
    assert "nothing yet" in text


def test_help_of_a_verb_is_its_description(clone: Path) -> None:
    done = ask(clone, "compare", "--help")

    assert done.returncode == 0
    assert "Compare run B with run A" in done.stdout
    assert "./weft setup" in done.stdout


def test_every_verb_has_its_description_whatever_else_is_asked(clone: Path) -> None:
    for name in verb_names():
        done = ask(clone, name, "--quick", "a", "--help", "--", "program", "--verbose")

        assert (done.returncode, done.stderr) == (0, "")
        assert f"usage: ./weft {name} " in done.stdout
        assert (verb_of(name).__doc__ or "no description").partition("\n")[0] in done.stdout


@pytest.mark.parametrize("name", ["__init__", "_main", "nosuch"])
def test_file_that_is_no_verb_has_no_help(clone: Path, name: str) -> None:
    done = ask(clone, name, "--help")

    assert done.returncode == 2
    assert f"no verb '{name}'" in done.stderr


def test_texts_name_all_that_the_answers_for_programs_name(clone: Path) -> None:
    doctor, listed = ask(clone, "doctor").stdout, ask(clone, "list").stdout
    for_programs = json.loads(ask(clone, "doctor", "--json").stdout)
    names = json.loads(ask(clone, "list", "--json").stdout)

    wanted = [row["id"] for row in for_programs["requirements"]] + [*for_programs["backends"]]
    wanted += [fact["name"] for fact in for_programs["machine"]]
    assert [name for name in wanted if name not in doctor] == []
    suites = names["suites"]
    wanted = [row["name"] for suite in suites for row in suite["backends"]]
    wanted += [name for suite in suites for name in (suite["name"], *suite["problems"])]
    wanted += [row["name"] for row in names["toolchains"]]
    assert [name for name in wanted if name not in listed] == []


def test_unknown_option_is_refused(clone: Path) -> None:
    done = ask(clone, "doctor", "--jsn")

    assert done.returncode == 2
    assert "unknown option --jsn" in done.stderr


@pytest.mark.parametrize("arguments", [["doctor"], ["list", "--json"], ["report", "--help"]])
def test_questions_install_nothing(door: FrontDoor, arguments: list[str]) -> None:
    for verb in ("doctor", "list"):
        (door.checkout / f"python/weft_lab/commands/{verb}.py").touch()

    assert door.start(*arguments).exit_code == 0

    assert f"python -P -m weft_lab.bare {' '.join(arguments)}" in door.calls("python")
    assert not (door.checkout / ".weft").exists()


def test_questions_go_to_the_lab_once_it_is_installed(door: FrontDoor) -> None:
    door.start("compare")

    assert door.start("report", "--help").output.startswith("lab[report --help]")


def test_help_of_the_users_program_is_no_question(door: FrontDoor) -> None:
    done = door.start("trace", "--", "program", "--help")

    assert done.output.startswith("lab[trace -- program --help]")


def test_no_recent_python_is_explained(door: FrontDoor) -> None:
    (door.machine / "bin/python3").write_text("#!/bin/sh\nexit 1\n")

    done = door.start("report", "--help")

    assert done.exit_code == 3
    assert "no Python 3.11 or newer" in done.messages


def test_questions_install_nothing_in_a_checkout_that_was_moved(door: FrontDoor) -> None:
    door.start("report")
    (door.checkout / ".weft/venv/place").write_text("/elsewhere/.weft\n")
    door.calls("python")

    assert door.start("report", "--help").exit_code == 0

    calls = door.calls("python")
    assert "python -P -m weft_lab.bare report --help" in calls
    assert not any("-m venv" in call or "-m pip" in call for call in calls)

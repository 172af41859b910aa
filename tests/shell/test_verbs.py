# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""./weft and its verbs: help without installing, unknown names, links, cleaning."""

from __future__ import annotations

from pathlib import Path

import pytest
from front_door import FrontDoor


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["help"]])
def test_help_on_a_fresh_machine_lists_the_verbs_and_installs_nothing(
    door: FrontDoor, arguments: list[str]
) -> None:
    done = door.start(*arguments)

    assert done.exit_code == 0
    assert "  report     Does report.\n" in done.output
    assert "  clean " in done.output
    assert not (door.checkout / ".weft").exists()


def test_help_comes_from_the_lab_once_it_is_installed(door: FrontDoor) -> None:
    door.start("compare")

    assert door.start("--help").output.startswith("lab[--help]")


@pytest.mark.parametrize("verb", ["frobnicate", "re/port", "__init__"])
def test_unknown_verb_gives_the_list_and_exit_code_2(door: FrontDoor, verb: str) -> None:
    done = door.start(verb)

    assert done.exit_code == 2
    assert f"no verb '{verb}'" in done.messages
    assert "  report     Does report.\n" in done.messages
    assert not (door.checkout / ".weft").exists()


def test_link_to_the_front_door_works(door: FrontDoor, tmp_path: Path) -> None:
    link = tmp_path / "somewhere else"
    link.symlink_to(door.checkout / "weft")

    assert door.start("compare", door=link).exit_code == 0


def test_clean_removes_what_was_made_and_keeps_results(door: FrontDoor) -> None:
    door.start("compare")
    for folder in ("build", "results", "python/weft_lab"):
        (door.checkout / folder).mkdir(exist_ok=True)

    assert door.start("clean").exit_code == 0

    left = {path.name for path in door.checkout.iterdir()}
    assert left == {"packaging", "python", "results", "weft"}
    door.start("clean", "--results")
    assert not (door.checkout / "results").exists()


def test_clean_does_not_follow_links_out_of_the_checkout(door: FrontDoor, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    (precious / "data").mkdir(parents=True)
    (door.checkout / "build").symlink_to(precious)

    assert door.start("clean").exit_code == 0

    assert (precious / "data").is_dir()
    assert not (door.checkout / "build").exists()


def test_clean_refuses_what_it_does_not_know(door: FrontDoor) -> None:
    (door.checkout / "build").mkdir()

    done = door.start("clean", "--everything")

    assert done.exit_code == 2
    assert (door.checkout / "build").is_dir()


def test_clean_refuses_outside_a_checkout(door: FrontDoor) -> None:
    (door.checkout / "build").mkdir()
    (door.checkout / "packaging/python/report.lock").unlink()

    assert door.start("clean").exit_code == 3
    assert (door.checkout / "build").is_dir()

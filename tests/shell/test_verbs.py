# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""./weft and its verbs: help without installing, unknown names, links, cleaning."""

from __future__ import annotations

from pathlib import Path

import pytest
from front_door import FrontDoor
from weft_lab.commands.test import list_stages


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
    assert left == {"noxfile.py", "packaging", "python", "results", "weft"}
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


def cache_of(folder: Path, made_at: Path, source: Path) -> Path:
    """Writes what CMake wrote into a build folder that was at `made_at`."""
    (folder / "CMakeFiles").mkdir(parents=True)
    cache = folder / "CMakeCache.txt"
    cache.write_text(
        f"CMAKE_CACHEFILE_DIR:INTERNAL={made_at}\nCMAKE_HOME_DIRECTORY:INTERNAL={source}\n"
    )
    return cache


@pytest.mark.parametrize("verb", ["report", "test", "trace"])
def test_build_folders_of_a_moved_checkout_are_configured_anew(
    door: FrontDoor, tmp_path: Path, verb: str
) -> None:
    build, before = door.checkout / "build", tmp_path / "before"
    own = cache_of(build / "own", build / "own", door.checkout)
    probe = build / "own/CMakeFiles/CheckC"  # CMake's own try of a compiler
    own_probe = cache_of(probe, probe, probe)
    moved = cache_of(build / "gcc", before / "build/gcc", before)
    nested = cache_of(build / "mpi/openmpi/halo", before / "build/mpi/openmpi/halo", before)
    copied = cache_of(build / "copied", build / "own", door.checkout)
    (moved.parent / "main.o").touch()

    done = door.start(verb)

    assert done.exit_code == 0
    assert own.exists()
    assert own_probe.exists()
    for cache in (moved, nested, copied):
        assert not cache.exists()
        assert not (cache.parent / "CMakeFiles").exists()
        assert f"configuring {cache.parent} anew" in done.messages
    assert (moved.parent / "main.o").exists()


@pytest.mark.parametrize("names", ["lint,,python", ",lint", "lint,"])
def test_empty_names_of_stages_are_ignored(door: FrontDoor, names: str) -> None:
    assert door.start("test", "--only", names).exit_code == 0


@pytest.mark.parametrize("arguments", [["--only", "nosuch"], ["--only=lint, nosuch"]])
def test_unknown_stage_is_refused_before_anything_is_installed(
    door: FrontDoor, arguments: list[str]
) -> None:
    done = door.start("test", *arguments)

    assert done.exit_code == 2
    assert "no test stage 'nosuch'; the stages are lint meta gcc python docs " in done.messages
    assert not (door.checkout / ".weft").exists()
    assert door.calls("apt-get") == []


def test_every_stage_of_nox_is_known_to_the_front_door(door: FrontDoor) -> None:
    stages = [stage["name"] for stage in list_stages()]

    assert door.start("test", f"--only={', '.join(stages)}").exit_code == 0
    assert f"the stages are {' '.join(stages)} " in door.start("test", "--only", "no").messages

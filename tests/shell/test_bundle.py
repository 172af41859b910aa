# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""./weft bundle and ./weft setup --from: one file for machines without a network."""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

import pytest
from front_door import FrontDoor


def pip_calls(door: FrontDoor) -> list[str]:
    """Returns pip's calls since the last look."""
    return [call for call in door.calls("python") if "-m pip" in call]


def make_bundle(door: FrontDoor, folder: Path) -> Path:
    """Has the front door pack a bundle, with a build folder and results beside its sources."""
    for name in ("build/gcc/main.o", "results/run/samples.jsonl", ".git/config", "src/a.cpp"):
        path = door.checkout / name
        path.parent.mkdir(parents=True)
        path.touch()
    bundle = folder / "bundle.tar"
    done = door.start("bundle", str(bundle))
    assert done.exit_code == 0, done.messages
    return bundle


def test_bundle_holds_sources_and_wheels_and_nothing_that_was_made(
    door: FrontDoor, tmp_path: Path
) -> None:
    with tarfile.open(make_bundle(door, tmp_path)) as bundle:
        names = [Path(name) for name in bundle.getnames()]

    assert {name.parts[0] for name in names} == {"weft-1.2.3"}
    inside = {"/".join(name.parts[1:]) for name in names}
    assert {"weft", "src/a.cpp", "packaging/python/report.lock"} <= inside
    wheels = {f".weft/wheels/{name}.whl" for name in ("report", "onedpl", "cccl")}
    assert wheels <= inside
    made = {name for name in inside if name.startswith(("build", "results", ".git", ".weft"))}
    assert made == {*wheels, ".weft", ".weft/wheels"}


def test_bundle_checks_the_hashes_of_what_it_packs(door: FrontDoor, tmp_path: Path) -> None:
    make_bundle(door, tmp_path)

    packed = [call for call in pip_calls(door) if "pip download" in call]
    assert len(packed) == 3
    assert all("--require-hashes" in call for call in packed)


def test_setup_from_a_bundle_asks_no_index(door: FrontDoor, tmp_path: Path) -> None:
    bundle = make_bundle(door, tmp_path)
    shutil.rmtree(door.checkout / ".weft")
    pip_calls(door)

    done = door.start("setup", "--from", str(bundle))

    assert done.exit_code == 0, done.messages
    calls = pip_calls(door)
    assert len(calls) == 3
    assert all("--no-index" in call and "--require-hashes" in call for call in calls)
    assert door.calls("apt-get") == []


def test_unpacked_bundle_needs_no_setup(door: FrontDoor, tmp_path: Path) -> None:
    with tarfile.open(make_bundle(door, tmp_path)) as bundle:
        bundle.extractall(tmp_path / "there", filter="data")
    pip_calls(door)

    done = door.start("compare", door=tmp_path / "there/weft-1.2.3/weft")

    assert done.exit_code == 0, done.messages
    (call,) = pip_calls(door)
    assert "--no-index" in call


def test_package_that_a_bundle_lacks_comes_from_the_index(door: FrontDoor, tmp_path: Path) -> None:
    bundle = make_bundle(door, tmp_path)
    door.start("setup", "--from", str(bundle))
    pip_calls(door)

    assert door.start("test", FAKE_LACKS="test.lock").exit_code == 0

    first, second = (call for call in pip_calls(door) if "test.lock" in call)
    assert "--no-index" in first
    assert "--no-index" not in second


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["setup", "--from"], "--from needs the file"),
        (["setup", "--from", "nosuch.tar"], "there is no file nosuch.tar"),
        (["setup", "--form", "x"], "unknown option --form"),
        (["bundle", "--out", "x"], "unknown option --out"),
    ],
)
def test_mistakes_are_explained(door: FrontDoor, arguments: list[str], message: str) -> None:
    done = door.start(*arguments)

    assert done.exit_code == 2
    assert message in done.messages


def test_file_that_is_no_bundle_is_refused_and_leaves_nothing(
    door: FrontDoor, tmp_path: Path
) -> None:
    wrong = tmp_path / "wrong.tar"
    wrong.write_text("no archive\n")

    done = door.start("setup", "--from", str(wrong))

    assert done.exit_code == 3
    assert "wrong.tar is no bundle" in done.messages
    assert not (door.checkout / ".weft/wheels").exists()
    assert not (door.checkout / ".weft/unpacked").exists()


def test_setup_alone_installs_what_verbs_need(door: FrontDoor) -> None:
    assert door.start("setup").exit_code == 0

    assert len(pip_calls(door)) == 3
    door.start("report")
    assert pip_calls(door) == []

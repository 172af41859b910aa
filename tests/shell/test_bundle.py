# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""./weft bundle and ./weft setup --from: one file for machines without a network."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tarfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from front_door import FrontDoor


def pip_calls(door: FrontDoor) -> list[str]:
    """Returns pip's calls since the last look."""
    return [call for call in door.calls("python") if "-m pip" in call]


def make_bundle(door: FrontDoor, folder: Path) -> Path:
    """Has the front door pack a bundle, with a build folder and results beside its sources."""
    made = ("build/gcc/main.o", "results/run/samples.jsonl", ".git/config")
    caches = (".mypy_cache/3.11/a.json", ".ruff_cache/a", "tests/.pytest_cache/a")
    for name in (*made, *caches, "src/a.cpp", "tests/a_cache/a.cpp"):
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
    assert {"weft", "src/a.cpp", "packaging/python/report.lock", "tests/a_cache/a.cpp"} <= inside
    assert not [name for name in inside if "cache/" in name and not name.endswith(".cpp")]
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


def test_setup_from_a_bundle_never_asks_the_index(door: FrontDoor, tmp_path: Path) -> None:
    bundle = make_bundle(door, tmp_path)
    shutil.rmtree(door.checkout / ".weft")
    pip_calls(door)

    done = door.start("setup", "--from", str(bundle), FAKE_LACKS="report.lock")

    assert done.exit_code == 3
    assert "the bundle is damaged, or of another checkout" in done.messages
    assert "network" not in done.messages
    (call,) = pip_calls(door)
    assert "--no-index" in call


def test_packages_of_a_bundle_are_never_installed_without_their_hashes(
    door: FrontDoor, tmp_path: Path
) -> None:
    bundle = make_bundle(door, tmp_path)
    pip_calls(door)

    done = door.start("setup", "--from", str(bundle), WEFT_UNLOCKED="1")
    assert done.exit_code == 2
    assert "unset WEFT_UNLOCKED" in done.messages

    door.start("test", WEFT_UNLOCKED="1")  # the packages are still in .weft/wheels
    calls = pip_calls(door)
    assert calls
    assert not [call for call in calls if "--find-links" in call]


@pytest.mark.parametrize("name", ["p", "n[a-z]w.tar", "new:er.tar", "src/new.tar"])
def test_bundle_in_the_checkout_leaves_out_itself_alone(door: FrontDoor, name: str) -> None:
    for path in ("python/p", "src/new.tar.cpp", "naw.tar"):
        (door.checkout / path).parent.mkdir(exist_ok=True)
        (door.checkout / path).touch()
    bundle = door.checkout / name
    for _ in range(2):
        if bundle.suffix == ".tar" or not bundle.exists():
            done = door.start("bundle", name, cwd=door.checkout)
            assert done.exit_code == 0, done.messages

    with tarfile.open(bundle) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {"python/p", "packaging/setup/verbs.sh", "src/new.tar.cpp", "naw.tar"} <= inside
    assert not {name, f"{name}.new"} & inside


@pytest.mark.parametrize("name", ["weft", "packaging", "folder.tar"])
def test_bundle_replaces_nothing_but_a_bundle(door: FrontDoor, name: str) -> None:
    (door.checkout / "folder.tar").mkdir()
    before = {path: path.stat().st_mtime_ns for path in door.checkout.rglob("*")}

    done = door.start("bundle", str(door.checkout / name))

    assert done.exit_code == 2
    assert "exists and is no bundle" in done.messages
    assert before == {path: path.stat().st_mtime_ns for path in door.checkout.rglob("*")}


def archive_of(path: Path, members: Iterable[tarfile.TarInfo]) -> Path:
    """An archive with these members, each file of three bytes."""
    with tarfile.open(path, "w") as archive:
        for member in members:
            member.size = 3 if member.isreg() else 0
            archive.addfile(member, io.BytesIO(b"new"))
    return path


def member(name: str, **fields: object) -> tarfile.TarInfo:
    """A member of an archive; a file unless `type` says otherwise."""
    info = tarfile.TarInfo(name)
    for key, value in fields.items():
        setattr(info, key, value)
    return info


def test_setup_takes_wheels_alone_and_makes_them_the_users(door: FrontDoor, tmp_path: Path) -> None:
    members = [
        member("w/.weft/wheels", type=tarfile.DIRTYPE, mode=0o777, uid=1234, gid=1234),
        member("w/.weft/wheels/a.whl", mode=0o4777, uid=1234, gid=1234),
        member("w/.weft/wheels/links.html"),
        member("w/.weft/wheels/deep/b.whl"),
        member("w/.weft/venv/bin/python", mode=0o755),
    ]

    done = door.start("setup", "--from", str(archive_of(tmp_path / "b.tar", members)))

    assert done.exit_code == 0, done.messages
    wheels = door.checkout / ".weft/wheels"
    assert [path.name for path in wheels.rglob("*")] == ["a.whl"]
    for path in (wheels, wheels / "a.whl"):
        found = path.stat()
        assert found.st_uid == os.getuid()
        assert not stat.S_IMODE(found.st_mode) & (stat.S_ISUID | stat.S_IWOTH)
    assert not (door.checkout / ".weft/unpacked").exists()


@pytest.mark.parametrize(
    "members",
    [
        [member("v/.weft/wheels/a.whl"), member("w/.weft/wheels/a.whl")],
        [member("w/.weft/wheels", type=tarfile.SYMTYPE, linkname="/etc")],
        [member("w/.weft/wheels/a.whl", type=tarfile.SYMTYPE, linkname="/etc/passwd")],
        [member("w/.weft/wheels/a.whl", type=tarfile.FIFOTYPE)],
        [member("w/weft")],
    ],
    ids=["two folders", "linked folder", "linked wheel", "pipe", "no wheels"],
)
def test_hostile_bundle_is_refused_and_the_packages_stay(
    door: FrontDoor, tmp_path: Path, members: list[tarfile.TarInfo]
) -> None:
    good = door.checkout / ".weft/wheels/good.whl"
    good.parent.mkdir(parents=True)
    good.touch()

    done = door.start("setup", "--from", str(archive_of(tmp_path / "host:b.tar", members)))

    assert done.exit_code == 3
    assert "host:b.tar is no bundle: " in done.messages
    assert list(good.parent.iterdir()) == [good]
    assert not (door.checkout / ".weft/unpacked").exists()


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

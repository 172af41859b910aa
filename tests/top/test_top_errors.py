# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What weft-top says when there is nothing to see, and what to type instead."""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import tempfile
from pathlib import Path

import pytest
from top_programs import TARGET, TOOL, Start, Top

# In segment_header:
VERSION_OFFSET = 8
NUM_FIELDS_OFFSET = 24
BLOCK_BYTES_OFFSET = 64
PID_OFFSET = 88  # and behind it the user and the start
PROGRAM_OFFSET = 152


def left_behind(start: Start, folder: Path) -> Path:
    """The file of a program that was killed."""
    process = start("idle")
    process.kill()
    process.wait()
    return next(folder.iterdir())


def message(top: Top, *arguments: str) -> str:
    done = top(*arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    return done.stderr


def test_nothing_runs(top: Top, folder: Path) -> None:
    assert folder.is_dir()
    assert "weft top -- PROGRAM" in message(top, "--once")


def test_a_pid_that_is_no_process_is_told_with_those_that_are(start: Start, top: Top) -> None:
    process = start("idle")

    text = message(top, "--pid", "2147483646")

    assert "there is no process 2147483646" in text
    assert str(process.pid) in text


def test_a_process_that_is_no_weft_program(top: Top, folder: Path) -> None:
    assert folder.is_dir()
    assert "it does not use weft" in message(top, "--pid", str(os.getpid()))


def test_a_program_that_forbids_to_look(
    start: Start, top: Top, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_STATS", "off")
    process = start("idle")

    assert list(folder.iterdir()) == []
    assert "runs with WEFT_STATS=off" in message(top, "--pid", str(process.pid))


def test_a_program_is_found_in_another_folder(
    start: Start, top: Top, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start("idle")
    monkeypatch.setenv("WEFT_STATS_DIR", str(tmp_path))

    assert top("--once", "--pid", str(process.pid)).returncode == 0


def test_no_such_folder(top: Top, folder: Path) -> None:
    folder.rmdir()

    assert "set WEFT_STATS_DIR to an existing folder" in message(top, "--once")


def test_of_several_one_must_be_chosen(start: Start, top: Top) -> None:
    pids = [start("idle").pid, start("idle").pid]

    text = message(top, "--once")

    assert "--pid PID" in text
    assert all(str(pid) in text for pid in pids)


def test_another_version_is_refused(start: Start, top: Top, folder: Path) -> None:
    path = left_behind(start, folder)
    content = bytearray(path.read_bytes())
    struct.pack_into("=I", content, VERSION_OFFSET, 99)
    path.write_bytes(content)

    text = message(top, "--pid", path.name.split(".")[2])

    assert "layout version 99" in text
    assert "use the weft-top that was installed with" in text


@pytest.mark.parametrize("size", [0, 100, 700, 40_000])
def test_a_file_that_was_cut_off_is_refused(
    size: int, start: Start, top: Top, folder: Path
) -> None:
    path = left_behind(start, folder)
    path.write_bytes(path.read_bytes()[:size])

    assert "weft top: " in message(top, "--pid", path.name.split(".")[2])


def test_every_damaged_header_is_refused_or_read(start: Start, top: Top, folder: Path) -> None:
    path = left_behind(start, folder)
    pid = path.name.split(".")[2]
    whole = path.read_bytes()
    for offset in range(16, 112, 8):
        content = bytearray(whole)
        struct.pack_into("=Q", content, offset, 0x7FFF_FFFF_FFFF_FFF1)
        path.write_bytes(content)

        done = top("--once", "--pid", pid)

        assert done.returncode in (0, 1), f"byte {offset}: {done.returncode}"


def test_what_belongs_to_another_user(start: Start, top: Top) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can become another user")
    assert top("--help").returncode == 0
    with tempfile.TemporaryDirectory() as open_folder:
        shutil.copy(TOOL, open_folder)
        Path(open_folder).chmod(0o755)
        stats = Path(open_folder) / "stats"
        stats.mkdir(mode=0o755)
        os.environ["WEFT_STATS_DIR"] = str(stats)
        process = start("idle")
        done = subprocess.run(
            [Path(open_folder) / Path(TOOL).name, "--pid", str(process.pid)],
            capture_output=True,
            text=True,
            user=65534,
            check=False,
        )
    assert done.returncode == 1
    assert "it belongs to user 0" in done.stderr
    assert "sudo weft-top" in done.stderr


def forged(path: Path, start: int) -> Path:
    """A copy of a program's file that claims another start, and another program name."""
    parts = path.name.split(".")
    if os.geteuid() == 0:
        parts[1] = "65534"
    content = bytearray(path.read_bytes())
    struct.pack_into("=QQQ", content, PID_OFFSET, int(parts[2]), int(parts[1]), start)
    content[PROGRAM_OFFSET : PROGRAM_OFFSET + 8] = b"nothing\0"
    copy = path.with_name(".".join([*parts[:3], str(start), "stat"]))
    copy.write_bytes(content)
    os.chown(copy, int(parts[1]), -1)
    return copy


def test_a_forged_file_does_not_stand_in_for_the_process(
    start: Start, top: Top, folder: Path
) -> None:
    process = start("idle")
    forged(next(folder.iterdir()), 999_999_999)

    done = top("--once", "--json", "--pid", str(process.pid))

    assert json.loads(done.stdout)["program"] == Path(TARGET).name


def test_a_forged_file_is_not_shown_as_a_process_that_has_none(
    start: Start, top: Top, folder: Path
) -> None:
    process = start("idle")
    real = next(folder.iterdir())
    forged(real, 999_999_999)
    real.unlink()

    # The process has its file mapped, but nobody can open a file that was removed.
    text = message(top, "--pid", str(process.pid))

    assert f"process {process.pid} " in text
    assert "999999999.stat is the file of another process of that number" in text


def test_a_file_of_another_user_than_the_process_is_not_trusted(
    start: Start, top: Top, folder: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    process = start("idle")
    real = next(folder.iterdir())
    forged(real, int(real.name.split(".")[3]))
    real.unlink()
    reason = f"it belongs to user 65534, and process {process.pid} to user 0"

    assert reason in message(top, "--pid", str(process.pid))
    everything = top("--all", "--once")
    assert reason in everything.stderr
    assert len(everything.stdout.splitlines()) == 1
    assert "no weft program runs here" in message(top, "--once")


@pytest.mark.parametrize("arguments", [["--once"], ["--pid", "1"], ["--reap"], ["--all", "--once"]])
def test_named_pipes_in_the_folder_hold_nobody_up(
    arguments: list[str], top: Top, folder: Path
) -> None:
    for user in (os.geteuid(), 65534):
        os.mkfifo(folder / f"weft.{user}.1.1.stat", 0o666)

    assert top(*arguments).returncode in (0, 1)


def test_a_damaged_file_among_others_does_not_hold_up_the_list(
    start: Start, top: Top, folder: Path
) -> None:
    damaged = left_behind(start, folder)
    content = bytearray(damaged.read_bytes())
    struct.pack_into("=Q", content, NUM_FIELDS_OFFSET, 0)
    struct.pack_into("=QQ", content, BLOCK_BYTES_OFFSET, 0, 1 << 40)
    damaged.write_bytes(content)
    process = start("idle")

    shown = top("--all", "--once", "--json")

    assert json.loads(shown.stdout)["pid"] == process.pid
    assert "more fields or blocks" in message(top, "--pid", damaged.name.split(".")[2])


def test_what_killed_programs_left_can_be_removed(start: Start, top: Top, folder: Path) -> None:
    path = left_behind(start, folder)
    running = start("idle")

    done = top("--reap")

    assert done.stdout == f"removed {path}\n1 removed\n"
    assert [file.name.split(".")[2] for file in folder.iterdir()] == [str(running.pid)]


def test_looking_keeps_what_a_killed_program_left(start: Start, top: Top, folder: Path) -> None:
    path = left_behind(start, folder)

    top("--once")
    top("--once")

    assert path.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--wat"], "no option --wat"),
        (["fib"], "weft top -- fib"),
        (["--pid"], "--pid needs a value"),
        (["--pid", "x"], "the number of a process"),
        (["--interval", "1ns"], "10ms or more"),
        (["--once=1"], "takes no value"),
        (["--serve", "70000"], "a port from 1 to 65535"),
        (["--pid", "1", "--all"], "exclude each other"),
        (["--all", "--record", "x"], "--pid instead of --all"),
        (["--"], "no program after --"),
    ],
)
def test_wrong_options(arguments: list[str], words: str, top: Top) -> None:
    done = top(*arguments)

    assert done.returncode == 2
    assert words in done.stderr


def test_a_program_that_does_not_exist(top: Top, folder: Path) -> None:
    assert folder.is_dir()
    assert "cannot start nothing_like_this" in message(top, "--", "nothing_like_this")


def test_a_file_that_is_no_recording(top: Top, tmp_path: Path) -> None:
    assert "is not a recording" in message(top, "--replay", TARGET)
    assert "cannot read" in message(top, "--replay", str(tmp_path / "missing"))


def test_an_unwritable_file(start: Start, top: Top) -> None:
    start("idle")

    assert "cannot write" in message(top, "--once", "--record", "/no/such/folder/x")
    assert "cannot write" in message(top, "--once", "--openmetrics", "/no/such/folder/x")

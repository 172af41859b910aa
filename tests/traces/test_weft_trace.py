# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `weft-trace` does with programs, rings, and things that are neither."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from conftest import Run, runner
from trace_reader import read_trace

# In trace_file_header:
NUM_MODULE_BYTES_OFFSET = 424
MODULES_OFFSET = 432
SLOT_HEADER_BYTES = 256
RECORD_BYTES = 32


def test_a_program_is_run_and_its_trace_written(
    run: Run, weft_trace: str, recording_program: str, tmp_path: Path
) -> None:
    done = run(weft_trace, "--", recording_program, "day")

    assert done.returncode == 0
    assert f"weft: trace {tmp_path / 'trace.pftrace'}: 7 slices" in done.stderr
    assert len(read_trace(tmp_path / "trace.pftrace").tasks()) == 7
    assert [each.name for each in tmp_path.iterdir()] == ["trace.pftrace"]


@pytest.mark.parametrize("how", ["day", "kill"])
def test_no_name_commands_the_terminal(
    how: str, run: Run, weft_trace: str, recording_program: str
) -> None:
    name = "a\x1b[2J\x1b]0;title\x07\nb"
    outputs = [
        run(recording_program, how, WEFT_TRACE=f"{name}.pftrace"),
        run(recording_program, "segv", WEFT_TRACE=f"{name}.crash"),
        run(weft_trace, "--recover", f"{name}.crash.rings"),
        run(weft_trace, "-o", f"{name}.tool", "--", recording_program, how),
        run(weft_trace, "--recover", f"{name}.not-there"),
        run(weft_trace, "--", f"./{name}.not-there"),
    ]

    for done in outputs[1:]:
        assert "a?[2J?]0;title?" in done.stderr
    assert not [done for done in outputs if "\x1b" in done.stderr or "\x07" in done.stderr]


@pytest.mark.parametrize("ending", [("kill", 128 + 9), ("term", 128 + 15), ("quick", 7)])
def test_the_exit_code_is_the_programs(
    ending: tuple[str, int], run: Run, weft_trace: str, recording_program: str, tmp_path: Path
) -> None:
    how, code = ending
    done = run(weft_trace, "-o", "x.pftrace", recording_program, how)

    assert done.returncode == code
    assert len(read_trace(tmp_path / "x.pftrace").tasks()) == 2
    assert ("ended by signal" in done.stderr) == (code > 128)


def test_options_are_for_weft_trace_up_to_the_program(
    run: Run, weft_trace: str, recording_program: str, tmp_path: Path
) -> None:
    done = run(weft_trace, "--last=100ms", "--buffer", "1MiB", "--", recording_program, "wrap")

    assert done.returncode == 0
    assert len(read_trace(tmp_path / "trace.pftrace").tasks()) == 10_000


def test_a_program_without_workers_has_no_trace(run: Run, weft_trace: str) -> None:
    done = run(weft_trace, "--", "true")

    assert done.returncode == 1
    assert "true started no weft worker" in done.stderr


def test_an_unwritable_folder_is_told_before_the_program_runs(
    run: Run, weft_trace: str, recording_program: str, tmp_path: Path
) -> None:
    done = run(weft_trace, "-o", "/nonexistent/t", "--", "touch", "mark")

    assert done.returncode == 1
    assert "cannot write a trace to /nonexistent" in done.stderr
    assert not (tmp_path / "mark").exists()


def test_rings_of_an_earlier_crash_are_not_thrown_away(
    run: Run, weft_trace: str, recording_program: str, tmp_path: Path
) -> None:
    run(recording_program, "kill", WEFT_TRACE="trace.pftrace")
    refused = run(weft_trace, "--", recording_program, "day")

    assert refused.returncode == 1
    assert f"weft trace --recover {tmp_path / 'trace.pftrace.rings'}" in refused.stderr
    assert (tmp_path / "trace.pftrace.rings").exists()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "weft trace -- PROGRAM [ARGUMENTS...]"),
        (["--lst", "3"], "there is no option --lst"),
        (["--last", "3", "--", "true"], "accepted is a duration with its unit"),
        (["--buffer=1", "--", "true"], "accepted is a size"),
        (["--output"], "--output wants a value"),
        (["--recover", "a.rings", "--", "true"], "runs no program"),
        (["--recover", "a.rings", "b.rings", "-o", "x"], "there are 2 files of rings"),
    ],
)
def test_wrong_arguments_are_answered_with_right_ones(
    arguments: list[str], word: str, run: Run, weft_trace: str
) -> None:
    done = run(weft_trace, *arguments)

    assert done.returncode == 2
    assert word in done.stderr


def test_a_program_that_does_not_exist_is_named(run: Run, weft_trace: str) -> None:
    done = run(weft_trace, "--", "no-such-program")

    assert done.returncode == 1
    assert "cannot run no-such-program: No such file" in done.stderr


@pytest.mark.parametrize("content", [b"", b"hello", bytes(100_000)])
def test_what_is_no_file_of_rings_is_refused(
    content: bytes, run: Run, weft_trace: str, tmp_path: Path
) -> None:
    (tmp_path / "a.rings").write_bytes(content)
    done = run(weft_trace, "--recover", "a.rings")

    assert done.returncode == 1
    assert "it is no file of rings" in done.stderr


def test_a_named_pipe_is_refused_at_once(run: Run, weft_trace: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.rings", 0o666)
    done = run(weft_trace, "--recover", "a.rings")

    assert done.returncode == 1
    assert "it is a named pipe and no regular file" in done.stderr


def test_a_link_to_rings_is_followed(
    rings: Path, run: Run, weft_trace: str, tmp_path: Path
) -> None:
    (tmp_path / "link.rings").symlink_to(rings)

    assert run(weft_trace, "--recover", "link.rings").returncode == 0


def test_modules_that_are_pipes_are_not_opened(rings: Path, run: Run, weft_trace: str) -> None:
    pipe = rings.with_name("pipe")
    os.mkfifo(pipe, 0o666)
    inode = pipe.stat().st_ino
    line = f"000000000000-7fffffffffff r-xp 00000000 00:00 {inode} {pipe}\n".encode()
    data = bytearray(rings.read_bytes())
    struct.pack_into("=Q", data, NUM_MODULE_BYTES_OFFSET, len(line))
    data[MODULES_OFFSET : MODULES_OFFSET + len(line)] = line
    rings.write_bytes(data)

    done = run(weft_trace, "--recover", rings.name)

    assert done.returncode == 0
    names = {task.name for task in read_trace(rings.with_suffix("")).tasks()}
    assert all(name.startswith("pipe+0x") for name in names)


def test_rings_of_another_user_are_not_taken_for_those_of_the_program(
    run: Run, weft_trace: str, recording_program: str, tmp_path: Path
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    (tmp_path / "trace.1.pftrace.rings").write_bytes(b"planted")
    os.chown(tmp_path / "trace.1.pftrace.rings", 65534, -1)
    os.mkfifo(tmp_path / "trace.2.pftrace.rings", 0o666)

    done = run(weft_trace, "--", recording_program, "day")

    assert done.returncode == 0
    assert (tmp_path / "trace.pftrace").exists()
    assert (tmp_path / "trace.1.pftrace.rings").exists()


@pytest.fixture(scope="module")
def rings_of_killed(recording_program: str, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of rings of a program that was killed."""
    folder = tmp_path_factory.mktemp("killed")
    runner(folder)(recording_program, "kill", WEFT_TRACE="trace.pftrace")
    return (folder / "trace.pftrace.rings").read_bytes()


@pytest.fixture
def rings(rings_of_killed: bytes, tmp_path: Path) -> Path:
    """A file of rings that a test may change."""
    path = tmp_path / "trace.pftrace.rings"
    path.write_bytes(rings_of_killed)
    return path


def test_rings_that_were_cut_off_show_what_is_left(
    rings: Path, run: Run, weft_trace: str, tmp_path: Path
) -> None:
    rings.write_bytes(rings.read_bytes()[:-70_000])
    done = run(weft_trace, "--recover", rings.name)

    assert done.returncode == 0
    assert "0 slices" in done.stderr


@pytest.mark.parametrize("place", range(0, 136, 8))
def test_a_damaged_header_never_ends_in_a_crash(
    place: int, rings: Path, run: Run, weft_trace: str
) -> None:
    data = bytearray(rings.read_bytes())
    data[place : place + 4] = b"\xff\xff\xff\x7f"
    rings.write_bytes(data)
    done = run(weft_trace, "--recover", rings.name)

    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("value", [1 << 63, (1 << 63) - 1, (1 << 64) - 1])
@pytest.mark.parametrize("place", [24, 32, 40, 48, 56, 64, 72, 88])
def test_an_extreme_header_never_ends_in_a_crash(
    place: int, value: int, rings: Path, run: Run, weft_trace: str
) -> None:
    data = bytearray(rings.read_bytes())
    struct.pack_into("=Q", data, place, value)
    rings.write_bytes(data)
    done = run(weft_trace, "--recover", rings.name)

    assert done.returncode in (0, 1), done.stderr
    assert "runtime error" not in done.stderr


@pytest.mark.parametrize("word", range(4))
def test_extreme_records_never_end_in_a_crash(
    word: int, rings: Path, run: Run, weft_trace: str
) -> None:
    data = bytearray(rings.read_bytes())
    slot, slot_bytes, num_records = struct.unpack_from("=QQQ", data, 16)
    first = slot + SLOT_HEADER_BYTES
    for record in range(first, first + 16 * RECORD_BYTES, 2 * RECORD_BYTES):
        struct.pack_into("=Q", data, record + 8 * word, (1 << 64) - 1)
    struct.pack_into("=II", data, slot, (1 << 32) - 1, (1 << 32) - 1)
    rings.write_bytes(data)
    done = run(weft_trace, "--last=1h", "--recover", rings.name)

    assert done.returncode == 0, done.stderr
    assert "runtime error" not in done.stderr
    assert slot_bytes >= num_records * RECORD_BYTES

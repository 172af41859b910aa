# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `weft-trace` does with programs, rings, and things that are neither."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run
from trace_reader import read_trace


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


@pytest.fixture
def rings(run: Run, recording_program: str, tmp_path: Path) -> Path:
    run(recording_program, "kill", WEFT_TRACE="trace.pftrace")
    return tmp_path / "trace.pftrace.rings"


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

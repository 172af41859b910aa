# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft fuzz`: which formats there are, and that what breaks a reader is found, kept and told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from weft_lab.commands import fuzz
from weft_lab.errors import UsageError

sys.path.insert(0, str(fuzz.SOURCES))
import result_folder


def planted(_folder: Path, _valid: Path) -> None:
    message = "planted"
    raise KeyError(message)


def test_every_fuzzer_of_the_tree_is_a_format() -> None:
    declared = (fuzz.SOURCES / "CMakeLists.txt").read_text(encoding="utf-8")

    in_cpp = set(fuzz.list_formats()) - {fuzz.RESULT_FOLDER}

    assert {line for line in in_cpp if f"weft_fuzz({line} " in declared} == in_cpp
    assert declared.count("weft_fuzz(") == len(in_cpp)


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(UsageError, match="segment"):
        fuzz.command("segments")


def test_a_reader_that_breaks_is_found_and_its_folder_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(result_folder, "VERBS", {"compare": planted})

    assert result_folder.fuzz(0.5, 1, tmp_path) == 1

    said = capsys.readouterr().out
    (kept,) = tmp_path.iterdir()
    assert "crash: compare: KeyError" in said
    assert [Path(other) for _, other in fuzz.KEPT.findall(said)] == [kept]
    assert result_folder.read(kept, "compare", kept).startswith("KeyError at test_fuzz.py")


def test_a_reader_that_waits_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr(result_folder, "WAIT_MAX_S", 1)
    monkeypatch.setattr(result_folder, "VERBS", {"compare": lambda *_: pipe.read_bytes()})

    assert result_folder.read(tmp_path, "compare", tmp_path).startswith("TooSlow")


def test_what_libfuzzer_says_of_a_crash_is_understood() -> None:
    said = (
        "==1== ERROR: AddressSanitizer: heap-buffer-overflow on address 0x1\n"
        "SUMMARY: AddressSanitizer: heap-buffer-overflow a.cpp:1\n"
        "artifact_prefix='/x/elf-'; Test unit written to /x/elf-crash-1\n"
        "stat::number_of_executed_units: 22\n"
    )

    found = fuzz.RUNS.search(said)

    assert found is not None
    assert found[1] == "22"
    assert fuzz.KEPT.findall(said) == [("/x/elf-crash-1", "")]
    assert len(fuzz.CAUSE.findall(said)) == 2

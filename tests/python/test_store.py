# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result folder survives torn, corrupt, newer and missing files, and says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from weft_lab.errors import ResultFolderError
from weft_lab.store import ResultFolder, SampleWriter


@pytest.fixture
def folder(tmp_path: Path) -> ResultFolder:
    made = ResultFolder.create(tmp_path / "results")
    made.write_manifest({"status": "running"})
    return made


def test_latest_points_at_the_newest(tmp_path: Path) -> None:
    ResultFolder.create(tmp_path, now_s=0.0)
    second = ResultFolder.create(tmp_path, now_s=0.0)

    assert second.path.name.startswith("1970-01-01T000000-")
    assert (tmp_path / "latest").resolve() == second.path.resolve()


def test_what_is_written_is_read(folder: ResultFolder) -> None:
    with folder.append() as writer:
        writer.write({"schema": 1, "record": "result", "n": 1})
        writer.write({"schema": 1, "record": "result", "n": 2})

    assert [record["n"] for record in folder.read_samples().records] == [1, 2]


def test_a_torn_last_line_is_dropped_and_the_next_append_starts_a_line(
    folder: ResultFolder,
) -> None:
    folder.samples_path.write_text('{"schema":1,"n":1}\n{"schema":1,"n":2', encoding="utf-8")

    samples = folder.read_samples()
    assert [record["n"] for record in samples.records] == [1]
    assert samples.torn_bytes == 17
    assert samples.corrupt == []

    with folder.append() as writer:
        writer.write({"schema": 1, "n": 3})
    assert [record["n"] for record in folder.read_samples().records] == [1, 3]


def test_corrupt_middle_lines_are_reported_by_number_and_the_rest_is_read(
    folder: ResultFolder,
) -> None:
    lines = ['{"schema":1,"n":1}', "{garbage", '{"n":"no schema"}', '{"schema":1,"n":4}']
    folder.samples_path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    samples = folder.read_samples()

    assert [record["n"] for record in samples.records] == [1, 4]
    assert [line.number for line in samples.corrupt] == [2, 3]


def test_a_newer_schema_is_refused(folder: ResultFolder) -> None:
    folder.samples_path.write_text('{"schema":2}\n', encoding="utf-8")

    with pytest.raises(ResultFolderError, match="schema 2"):
        folder.read_samples()


def test_a_replaced_file_is_never_half_written(folder: ResultFolder) -> None:
    with pytest.raises(ValueError, match="nan"):
        folder.write_json("summary.json", {"value": 1.0, "bad": float("nan")})

    assert not (folder.path / "summary.json").exists()


@pytest.mark.parametrize("lost", ["manifest.json", "samples.jsonl"])
def test_a_half_written_folder_names_what_it_lacks(folder: ResultFolder, lost: str) -> None:
    (folder.path / lost).unlink()

    with pytest.raises(ResultFolderError, match=lost) as caught:
        ResultFolder.open(folder.path)

    assert caught.value.exit_code == 5


def test_a_broken_manifest_says_so(folder: ResultFolder) -> None:
    folder.manifest_path.write_text('{"schema": 1, "sta', encoding="utf-8")

    with pytest.raises(ResultFolderError, match=r"manifest\.json"):
        ResultFolder.open(folder.path).read_manifest()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ResultFolderError, match="no result folder"):
        ResultFolder.open(tmp_path / "nowhere")


def test_results_that_cannot_be_written_name_the_place(tmp_path: Path) -> None:
    # A file where the folder should be fails for every user, root included.
    blocked = tmp_path / "results"
    blocked.write_text("", encoding="utf-8")

    with pytest.raises(ResultFolderError, match="cannot write results") as caught:
        ResultFolder.create(blocked)

    assert "--results DIR" in caught.value.remedy


def test_a_full_disk_is_an_error_of_the_folder(folder: ResultFolder) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with (
        Path("/dev/full").open("wb", buffering=0) as stream,
        pytest.raises(ResultFolderError, match="No space left"),
    ):
        SampleWriter(stream, folder.path).write({"schema": 1})


def test_the_manifest_is_json_with_a_schema(folder: ResultFolder) -> None:
    assert json.loads(folder.manifest_path.read_text(encoding="utf-8"))["schema"] == 1


def test_a_full_disk_is_one_error_with_a_remedy(tmp_path: Path) -> None:
    full = Path("/dev/full").open("ab", buffering=0)  # noqa: SIM115 - the writer closes it

    with (
        pytest.raises(ResultFolderError, match="No space left"),
        SampleWriter(full, tmp_path) as to,
    ):
        to.write({"schema": 1, "record": "result"})

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result folder survives torn, corrupt, newer and missing files, and says what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from weft_lab.errors import ResultFolderError
from weft_lab.storage.store import ResultFolder, SampleWriter


@pytest.fixture
def folder(tmp_path: Path) -> ResultFolder:
    made = ResultFolder.create(tmp_path / "results")
    made.write_manifest({"status": "running"})
    return made


def test_latest_points_at_the_newest(tmp_path: Path) -> None:
    first = ResultFolder.create(tmp_path, now_s=0.0)
    second = ResultFolder.create(tmp_path, now_s=0.0)

    first.point_latest()
    second.point_latest()

    assert second.path.name.startswith("1970-01-01T000000-")
    assert (tmp_path / "latest").resolve() == second.path.resolve()


def test_what_is_written_is_read(folder: ResultFolder) -> None:
    with folder.append() as writer:
        writer.write({"schema": 1, "record": "note", "n": 1})
        writer.write({"schema": 1, "record": "note", "n": 2})

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

    assert {path.name for path in folder.path.iterdir()} == {"manifest.json", "samples.jsonl"}


RESULT = {
    "schema": 1,
    "record": "result",
    "suite": "stl",
    "variant": "gnu@gcc",
    "status": "ok",
    "launch": 1,
    "round": 1,
    "cell": {"problem": "sort"},
    "samples_s": [1e-3],
}


def test_a_result_that_the_lab_wrote_is_usable(folder: ResultFolder) -> None:
    folder.samples_path.write_text(json.dumps(RESULT) + "\n", encoding="utf-8")

    assert folder.read_samples().corrupt == []


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ({"cell": None}, "'cell' is missing"),
        ({"cell": {}}, "cell cannot be read"),
        ({"cell": {"problem": "sort", "size": "many"}}, "cell cannot be read"),
        ({"variant": 7}, "'variant' is missing"),
        ({"round": "one"}, "'round' is missing"),
        ({"samples_s": None}, "without samples"),
        ({"samples_s": ["fast"]}, "not a number"),
        ({"samples_s": [float("nan")]}, "NaN is not JSON"),
        ({"took_s": "long"}, "not a number"),
    ],
)
def test_a_result_that_readers_would_stumble_over_is_a_corrupt_line(
    folder: ResultFolder, damage: dict[str, object], reason: str
) -> None:
    line = json.dumps({**RESULT, **damage})
    folder.samples_path.write_text(line + "\n" + json.dumps(RESULT) + "\n", encoding="utf-8")

    samples = folder.read_samples()

    assert len(samples.records) == 1
    assert reason in samples.corrupt[0].reason


def test_damage_is_told_with_what_to_type_and_does_not_flood(folder: ResultFolder) -> None:
    folder.samples_path.write_bytes(b"\xff\n" + 8 * b"{\n" + b'{"schema"')

    told = folder.read_samples().damage()

    assert "line 1 is skipped: not text in UTF-8" in told[0]
    assert f"sed -n 2p {folder.samples_path}" in told[1]
    assert "4 more lines" in told[-2]
    assert f"./weft resume {folder.path}" in told[-1]
    assert len(told) == 7


def test_only_one_run_at_a_time_writes_into_a_folder(folder: ResultFolder) -> None:
    with folder.locked():
        with pytest.raises(ResultFolderError, match="another weft") as caught:
            ResultFolder(folder.path).locked().__enter__()
        with folder.append() as writer:
            writer.write({"schema": 1})

    assert "Ctrl-C" in caught.value.remedy
    with ResultFolder(folder.path).locked():
        assert len(folder.read_samples().records) == 1


@pytest.mark.parametrize("lost", ["manifest.json", "samples.jsonl"])
def test_a_half_written_folder_names_what_it_lacks(folder: ResultFolder, lost: str) -> None:
    (folder.path / lost).unlink()

    with pytest.raises(ResultFolderError, match=lost) as caught:
        ResultFolder.open(folder.path)

    assert caught.value.exit_code == 5


@pytest.mark.parametrize("text", ['{"schema": 1, "sta', "", "[1, 2]", "7"])
def test_a_broken_manifest_says_so(folder: ResultFolder, text: str) -> None:
    folder.manifest_path.write_text(text, encoding="utf-8")

    with pytest.raises(ResultFolderError, match=r"manifest\.json"):
        ResultFolder.open(folder.path).read_manifest()


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ResultFolderError, match="no result folder"):
        ResultFolder.open(tmp_path / "nowhere")


def test_before_the_first_run_the_way_to_one_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ResultFolderError, match=r"-> measure first: \./weft report --quick"):
        ResultFolder.open(Path("latest"))


def test_a_mistyped_folder_gets_the_nearest_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = ResultFolder.create(Path("results"), now_s=0.0)

    with pytest.raises(ResultFolderError, match=f"did you mean '{made.path.name}'"):
        ResultFolder.open(Path(made.path.name + "x"))


def test_results_that_cannot_be_written_name_the_place(tmp_path: Path) -> None:
    # A file where the folder should be fails for every user, root included.
    blocked = tmp_path / "results"
    blocked.write_text("", encoding="utf-8")

    with pytest.raises(ResultFolderError, match="cannot write results") as caught:
        ResultFolder.create(blocked)

    assert "--results DIR" in caught.value.remedy
    assert "is a file" in caught.value.why


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


def test_only_a_folder_without_measurements_is_discarded(tmp_path: Path) -> None:
    empty, kept, strange = (ResultFolder.create(tmp_path / name) for name in ("a", "b", "c"))
    for folder in (empty, kept, strange):
        folder.write_manifest({"status": "running"})
    kept.samples_path.write_text("{}\n", encoding="utf-8")
    (strange.path / "note.txt").write_text("mine", encoding="utf-8")

    for folder in (empty, kept, strange):
        folder.discard()

    assert not empty.path.exists()
    assert kept.manifest_path.exists()
    assert (strange.path / "note.txt").exists()

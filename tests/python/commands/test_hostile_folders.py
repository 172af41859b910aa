# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A result folder from a stranger is data: it runs, opens and writes nothing but its own files."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any, Protocol

import pytest
from rich.console import Console
from synthetic_run import UNUSUAL, write_run
from weft_lab.errors import ResultFolderError, UsageError
from weft_lab.machine.toolchains import GCC
from weft_lab.measuring import session
from weft_lab.measuring.catalog import Toolbox
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.programs import build_folder, find_in
from weft_lab.pages.plain_page import PlainPage, Section, write_plain_page
from weft_lab.pages.static_files import draw
from weft_lab.pages.table import Column, Table
from weft_lab.storage.folder_files import make, understood, write
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.cells import build_report
from weft_lab.suites.inncabs.external_tools.beside import newest

Change = Callable[[dict[str, Any]], object]
READING = [["report"], ["compare", "."], ["merge"], ["explain", "reduce", "--from"]]


class Weft(Protocol):
    """The fixture `weft` of conftest.py."""

    results: Path
    programs: Path

    def call(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]: ...
    def run(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture
def mailed(tmp_path: Path) -> Path:
    """A finished run of a few cells."""
    return write_run(tmp_path / "mailed", UNUSUAL["one_size"])


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, fake_programs: Path) -> Path:
    options = RunOptions(
        tier="quick",
        suite=("fake",),
        only=("steady",),
        size=(64,),
        rounds_max=1,
        programs=fake_programs,
        results=tmp_path_factory.mktemp("results"),
    )
    return session.measure(options, Console(file=StringIO())).path


@pytest.fixture
def stopped(tmp_path: Path, measured: Path) -> Path:
    """A stopped run on fake programs."""
    folder = Path(shutil.copytree(measured, tmp_path / "stopped"))
    change_manifest(folder, lambda manifest: manifest.update(status="interrupted"))
    return folder


def change_manifest(folder: Path, change: Change) -> None:
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    path.write_text(json.dumps(manifest), encoding="utf-8")


def content_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_resume_runs_no_program_that_the_folder_names(weft: Weft, stopped: Path) -> None:
    trap, sprung = stopped / "a trap", stopped.parent / "sprung"
    trap.mkdir()
    for name in ("weft_fake_seq", "weft_bandwidth", "weft_machine"):
        (trap / name).write_text(f"#!/bin/sh\n: >'{sprung}'\n", encoding="utf-8")
        (trap / name).chmod(0o755)
    change_manifest(stopped, lambda manifest: manifest["options"].update(programs=str(trap)))
    before = content_of(stopped)

    done = weft.call("resume", str(stopped))

    assert not sprung.exists()
    assert done.returncode == 2
    assert "a result folder never chooses what runs" in done.stderr
    assert f"./weft resume {stopped} --programs '{trap}'" in done.stderr
    assert content_of(stopped) == before, "nothing is lost"


def test_resume_goes_on_with_the_programs_that_the_user_names(weft: Weft, stopped: Path) -> None:
    done = weft.call("resume", str(stopped), "--programs", str(weft.programs))

    assert done.returncode == 0, done.stderr
    assert ResultFolder.open(stopped).read_manifest()["status"] == "complete"


@pytest.mark.parametrize(
    ("named", "used"),
    [
        ("/elsewhere/bin", None),
        (str(build_folder(GCC) / "bin"), build_folder(GCC) / "bin"),
        (None, None),
    ],
)
def test_resume_goes_on_with_the_programs_of_this_checkout(
    weft: Weft, monkeypatch: pytest.MonkeyPatch, named: str | None, used: Path | None
) -> None:
    programs = find_in(weft.programs, ["weft_fake_seq"]).programs
    gathered: list[Path | None] = []

    def gather(options: RunOptions, *_: object) -> Toolbox:
        gathered.append(options.programs)
        return Toolbox(programs)

    monkeypatch.setattr(session, "gather", gather)
    monkeypatch.setattr(session, "check_options", lambda _options: None)
    options = RunOptions(
        tier="quick", only=("steady",), size=(64,), rounds_max=1, results=weft.results
    )
    folder = session.measure(options, Console(file=StringIO()))
    change_manifest(
        folder.path, lambda manifest: manifest["options"].update(programs=named, results="/etc")
    )
    terminal = StringIO()

    session.resume(folder, Console(file=terminal), session.Additional(budget_s=121.0))

    assert gathered == [None, used]
    named_now = folder.read_manifest()["options"]["programs"]
    assert named_now == (None if used is None else str(used.resolve()))
    is_told = "never chooses what runs, so this checkout's programs continue" in terminal.getvalue()
    assert is_told == (named == "/elsewhere/bin")


def cell_of(manifest: dict[str, Any]) -> dict[str, Any]:
    cell: dict[str, Any] = manifest["plan"]["cells"][0][1]
    return cell


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: cell_of(manifest).update(placement="--list"),
        lambda manifest: cell_of(manifest).update(smt="--param"),
        lambda manifest: cell_of(manifest).update(allocator="/tmp/evil.so"),
        lambda manifest: cell_of(manifest).update(threads=10**9),
        lambda manifest: cell_of(manifest).update(size=-1),
        lambda manifest: manifest["plan"].update(variants=["../../bin/sh@gcc"] * 9),
        lambda manifest: manifest["plan"].update(cells=7),
        lambda manifest: manifest.update(plan="none"),
        lambda manifest: manifest.update(programs={"alpha@gcc": []}),
        lambda manifest: manifest.update(measured_s="long"),
        lambda manifest: manifest.update(resumed_unix_s=3),
        lambda manifest: manifest.update(options=[]),
        lambda manifest: manifest["options"].update(budget_s="1e9"),
        lambda manifest: manifest["options"].update(budget_s=-1.0),
        lambda manifest: manifest["options"].update(backend=[3]),
        lambda manifest: manifest["options"].update(tier="endless"),
        lambda manifest: manifest["options"].update(suite=["../../.."]),
    ],
)
def test_resume_refuses_what_no_run_writes(
    fake_programs: Path, stopped: Path, change: Change
) -> None:
    change_manifest(stopped, change)
    samples = (stopped / "samples.jsonl").read_bytes()

    more = session.Additional(programs=fake_programs)
    with pytest.raises((ResultFolderError, UsageError), match="-> "):
        session.resume(ResultFolder(stopped), Console(file=StringIO()), more)

    assert (stopped / "samples.jsonl").read_bytes() == samples


@pytest.mark.parametrize(
    "damage",
    [
        {"record": "result", "took_s": None},
        {"record": "result", "counters": [1]},
        {"record": "program", "took_s": "x"},
    ],
)
def test_resume_is_one_message_or_goes_on_whatever_a_line_holds(
    weft: Weft, stopped: Path, damage: dict[str, Any]
) -> None:
    path = stopped / "samples.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    result = next(line for line in map(json.loads, lines) if line["record"] == "result")
    with path.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(result | damage) + "\n")

    done = weft.call("resume", str(stopped), "--programs", str(weft.programs))

    assert "Traceback" not in done.stderr
    assert done.returncode == 0 or "holds a value that weft cannot use" in done.stderr


def test_resume_that_cannot_begin_changes_nothing(weft: Weft, stopped: Path) -> None:
    change_manifest(stopped, lambda manifest: manifest["plan"].update(cells=7))
    before = content_of(stopped)

    done = weft.call("resume", str(stopped), "--programs", str(weft.programs))

    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert content_of(stopped) == before


def test_programs_in_a_circle_of_links_are_one_message(weft: Weft, stopped: Path) -> None:
    (stopped / "loop").symlink_to("loop")
    change_manifest(
        stopped, lambda manifest: manifest["options"].update(programs=str(stopped / "loop"))
    )

    done = weft.call("resume", str(stopped))

    assert done.returncode == 2
    assert "a result folder never chooses what runs" in done.stderr


@pytest.mark.long
def test_names_in_a_folder_are_no_markup(weft: Weft, mailed: Path) -> None:
    path = mailed / "samples.jsonl"
    text = path.read_text(encoding="utf-8")
    problem = json.loads(text.splitlines()[-1])["cell"]["problem"]
    path.write_text(text.replace(f'"{problem}"', '"[/x]"'), encoding="utf-8")

    for arguments in (["report", str(mailed)], ["compare", str(mailed), str(mailed)]):
        done = weft.call(*arguments)

        assert "Traceback" not in done.stderr
        assert done.returncode == 0, done.stderr


def test_blank_lines_are_no_records(mailed: Path) -> None:
    path = mailed / "samples.jsonl"
    before = ResultFolder.open(mailed).read_samples()
    path.write_bytes(path.read_bytes() + b"\n" * 100_000)

    after = ResultFolder.open(mailed).read_samples()

    assert after.records == before.records
    assert after.corrupt == before.corrupt


@pytest.mark.parametrize("name", ["samples.jsonl", "manifest.json"])
def test_resume_writes_through_no_link(fake_programs: Path, stopped: Path, name: str) -> None:
    victim = stopped.parent / "victim"
    (stopped / name).rename(victim)
    (stopped / name).symlink_to(victim)
    with victim.open("a", encoding="utf-8") as stream:
        stream.write("no line feed")
    before = victim.read_bytes()

    more = session.Additional(programs=fake_programs)
    with pytest.raises(ResultFolderError, match=name if name == "manifest.json" else "symbolic"):
        session.resume(ResultFolder(stopped), Console(file=StringIO()), more)

    assert victim.read_bytes() == before


def test_report_replaces_links_to_other_files(mailed: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious", encoding="utf-8")
    for name in ("report.html", "summary.json", "advice.json", "tables/decisions.csv"):
        (mailed / name).parent.mkdir(exist_ok=True)
        (mailed / name).symlink_to(victim)

    built = build_report(mailed)

    assert victim.read_text(encoding="utf-8") == "precious"
    assert not built.page.is_symlink()
    assert (mailed / "tables/decisions.csv").stat().st_size > len("precious")


@pytest.mark.parametrize("name", ["figures", "tables"])
def test_report_writes_into_no_linked_folder(mailed: Path, tmp_path: Path, name: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (mailed / name).symlink_to(elsewhere)

    with pytest.raises(ResultFolderError, match="must not hold"):
        build_report(mailed)

    assert list(elsewhere.iterdir()) == []


def test_no_folder_is_made_below_a_link(tmp_path: Path) -> None:
    (tmp_path / "reproduced").symlink_to(tmp_path)

    with pytest.raises(OSError, match="must not hold"):
        make(tmp_path / "reproduced" / "figures")


def test_names_from_a_folder_lead_to_no_other_folder(tmp_path: Path) -> None:
    (tmp_path / "run" / "table3_counters_").mkdir(parents=True)
    table = Table("table3_counters_/../../stolen", "t", (Column("a", "a"),), (("1",),))

    table.write_csv(tmp_path / "run")
    write(tmp_path / "run", "../stolen", "x")

    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_a_measurement_under_tools_outside_the_folder_is_not_read(tmp_path: Path) -> None:
    inside, outside = tmp_path / "run/tools/first", tmp_path / "outside"
    for place in (inside, outside):
        place.mkdir(parents=True)
    latest = inside.parent / "latest"

    latest.symlink_to(outside)
    assert newest(tmp_path / "run") is None

    latest.unlink()
    latest.symlink_to("first")
    assert newest(tmp_path / "run") == inside.resolve()


@pytest.mark.parametrize("name", ["samples.jsonl", "manifest.json", "skipped.json", "compile.json"])
def test_pipes_are_not_waited_for(weft: Weft, mailed: Path, name: str) -> None:
    (mailed / name).unlink(missing_ok=True)
    os.mkfifo(mailed / name)

    done = weft.call("explain", "reduce", "--from", str(mailed))

    is_needed = name in ("samples.jsonl", "manifest.json")
    assert done.returncode == (5 if is_needed else 0), done.stderr


@pytest.mark.parametrize(
    ("verb", "value"),
    [
        *((verb, "[[]]") for verb in READING),
        *((READING[-1], value) for value in ("9" * 5000, "1e999", "NaN", "[" * 100_000, '"many"')),
    ],
    ids=lambda text: text[0][:9],
)
def test_a_manifest_of_nonsense_is_one_message(
    weft: Weft, mailed: Path, verb: list[str], value: str
) -> None:
    path = mailed / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest["machine"]["last_level_cache_bytes"] = "HERE"
    path.write_text(json.dumps(manifest).replace('"HERE"', value), encoding="utf-8")
    name, *more = [str(mailed) if word == "." else word for word in verb]

    done = weft.call(name, *more, str(mailed))

    assert done.returncode == 5
    assert "Traceback" not in done.stderr
    assert len(done.stderr) < 1000
    assert "-> " in done.stderr


@pytest.mark.parametrize(
    "time_s",
    ["1e999", "-1e-9", "0", "1e300", "9" * 400, "NaN", '"1"', "[" * 100_000 + "]" * 100_000],
    ids=["infinite", "negative", "nought", "endless", "digits", "nan", "text", "deep"],
)
def test_a_time_that_no_clock_shows_is_a_damaged_line(mailed: Path, time_s: str) -> None:
    path = mailed / "samples.jsonl"
    *_, last = path.read_text(encoding="utf-8").splitlines()
    line = json.dumps({**json.loads(last), "samples_s": ["HERE"]}).replace('"HERE"', time_s)
    path.write_text(f"{line}\n{last}\n", encoding="utf-8")

    samples = ResultFolder.open(mailed).read_samples()

    assert [each.number for each in samples.corrupt] == [1]
    assert len(samples.records) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [("parallelism", 1), ("resources", []), ("counters", {}), ("probe_s", "1"), ("backend", 1)],
)
def test_a_result_whose_field_is_of_the_wrong_kind_is_a_damaged_line(
    mailed: Path, field: str, value: object
) -> None:
    path = mailed / "samples.jsonl"
    *_, last = path.read_text(encoding="utf-8").splitlines()
    path.write_text(json.dumps({**json.loads(last), field: value}) + "\n", encoding="utf-8")

    assert ResultFolder.open(mailed).read_samples().corrupt[0].reason.endswith("of the wrong kind")


@pytest.mark.long
def test_texts_of_a_folder_do_not_reach_the_terminal_as_commands(weft: Weft, mailed: Path) -> None:
    title = "\x1b]0;owned\x07\x9b2J\x7f"
    change_manifest(
        mailed, lambda manifest: manifest["machine"]["details"]["cpu"].update(cpu_model=title)
    )
    samples = mailed / "samples.jsonl"
    text = samples.read_text(encoding="utf-8")
    samples.write_text(text.replace("reduce", json.dumps(title)[1:-1]), encoding="utf-8")

    done = weft.call("report", str(mailed))

    assert done.returncode == 0, done.stderr
    shown = done.stdout + done.stderr + (mailed / "report.html").read_text(encoding="utf-8")
    assert "owned" in shown
    outside_scripts = shown.partition("window.vegaEmbed")[0]
    assert not set("\x1b\x07\x9b\x7f") & set(outside_scripts)


def test_a_wrong_kind_of_value_is_told_with_its_place(mailed: Path) -> None:
    change_manifest(mailed, lambda manifest: manifest.update(bandwidth=[True]))

    with pytest.raises(ResultFolderError, match=r"cannot use.*\.py, line \d+"), understood(mailed):
        build_report(mailed)


def test_pages_and_drawings_escape_every_text(tmp_path: Path) -> None:
    evil = "</script></style></svg><script>alert(1)</script><img src=x onerror=alert(2)>"
    mark = {"type": "text", "text": evil}
    spec = {"data": {"values": [{"a": evil}]}, "mark": mark, "title": evil}
    spec["encoding"] = {"x": {"field": "a", "type": "nominal", "title": evil}}
    table = Table("t", evil, (Column(evil, evil),), ((evil,),), evil)
    drawing = draw(spec, tmp_path / "figures", evil)
    section = Section(evil, (evil,), (drawing,), table, evil, {"title": evil})

    page = write_plain_page(tmp_path / "p.html", PlainPage(evil, evil, evil, evil), [section])

    text = page.read_text(encoding="utf-8")
    assert "alert(1)" in text
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert {path.parent for path in tmp_path.rglob("*.svg")} == {tmp_path / "figures"}

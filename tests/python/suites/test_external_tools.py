# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft reproduce counters-table1` with fake programs and fake tools: rounds, tables, messages."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import fake_tools
import jsonschema
import pytest
import weft_lab
from weft_here import call_here
from weft_lab.errors import ResultFolderError, UsageError
from weft_lab.measuring.options import RunOptions
from weft_lab.suites.inncabs import tool_tables
from weft_lab.suites.inncabs.external_tools.asked import wanted_by
from weft_lab.suites.inncabs.external_tools.conditions import BASELINE, Job
from weft_lab.suites.inncabs.external_tools.results import read
from weft_lab.suites.inncabs.external_tools.session import rounds_of

CHECKOUT = Path(__file__).parents[3]
# Each writes its data where the real one is told to, and runs the program at the end of its
# command line.
AFTER_OPTIONS = 'while [ "$1" != -- ]; do shift; done; shift; '
TOOLS = {
    "perf": 'case "$1" in --version) echo "perf version 9.1"; exit ;; sched) exit 1 ;; esac; '
    + "echo data >perf.data; export FAKE_TOOL=perf; "
    + AFTER_OPTIONS
    + 'exec "$@"',
    "heaptrack": 'case "$1" in --version) exit ;; esac; shift 2; '
    + 'case "$*" in *fib*) kill -SEGV $$ ;; esac; echo data >heaptrack.1; exec "$@"',
    "gprofng": 'case "$1" in --version) exit ;; esac; shift 4; '
    + "mkdir run.er; echo log >run.er/log; : >run.er/profile; "
    + 'case "$*" in *pyramids*) ;; *) echo data >run.er/profile ;; esac; exec "$@"',
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("programs")
    source = (CHECKOUT / "tests/python/fake_inncabs.py").read_text(encoding="utf-8")
    (folder / "not-counting").mkdir()
    for name in ("std_async", "weft_future", "not-counting/weft_future"):
        head, _, tail = name.rpartition("/")
        path = folder / head / f"weft_inncabs_{tail}"
        path.write_text(f"#!{sys.executable} -S\n{source}", encoding="utf-8")
        path.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def path_of_tools(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH with the fake tools and what scripts need; neither TAU nor HPCToolkit is there."""
    folder = tmp_path_factory.mktemp("tools")
    for name, script in TOOLS.items():
        fake_tools.make(folder, name, script)
    for name in ("sh", "sleep", "setpriv", "mkdir", "git", "true"):
        found = shutil.which(name)
        if found is not None:
            (folder / name).symlink_to(found)
    return str(folder)


class Table1:
    """The command, with fakes in place of programs and tools."""

    def __init__(self, results: Path, programs: Path, path: str) -> None:
        self.results = results
        self._programs = programs
        self._environment = {"PATH": path, "COLUMNS": "300", "NO_COLOR": "1"}

    def _command(self, *arguments: str) -> list[str]:
        places = ["--programs", str(self._programs), "--results", str(self.results)]
        return ["reproduce", "counters-table1", *places, "--size", "1", *arguments]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-P", "-m", "weft_lab", *self._command(*arguments)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT / "python"), **self._environment},
        )  # fmt: skip

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return call_here(*self._command(*arguments), **self._environment)


@pytest.fixture(scope="module")
def table1(tmp_path_factory: pytest.TempPathFactory, programs: Path, path_of_tools: str) -> Table1:
    return Table1(tmp_path_factory.mktemp("run") / "results", programs, path_of_tools)


@pytest.fixture(scope="module")
def done(table1: Table1) -> subprocess.CompletedProcess[str]:
    return table1.call("--rounds", "2", "--only", "fib,health,nqueens,pyramids,round")


@pytest.fixture(scope="module")
def folder(table1: Table1, done: subprocess.CompletedProcess[str]) -> Path:
    assert done.returncode == 0, done.stderr
    return (table1.results / "latest").resolve()


def row_of(text: str, start: str) -> str:
    return next(line for line in text.splitlines() if line.startswith(start))


def test_table_says_of_every_tool_what_it_cost_or_how_it_failed(
    done: subprocess.CompletedProcess[str], folder: Path
) -> None:
    fib = row_of(done.stdout, "fib")

    assert folder.is_dir()
    assert "1.00 s" in fib
    assert "+50.0 %" in fib
    assert "SIGSEGV" in fib
    assert "+0.0 %" in row_of(done.stdout, "round")
    assert "no data" in row_of(done.stdout, "pyramids")


def test_failure_without_tools_is_a_result_and_no_tool_is_tried_then(
    done: subprocess.CompletedProcess[str], folder: Path
) -> None:
    results = read(folder)

    assert results.measured[Job("nqueens", "std_async", BASELINE)].word == "threw"
    assert results.measured[Job("nqueens", "std_async", "perf_record")].word == "n/a"
    assert results.measured[Job("nqueens", "weft_future", "perf_record")].status == "ok"
    assert "failed: health (SIGSEGV), nqueens (threw after 400 tasks)" in done.stdout


def test_missing_tools_are_rows_that_say_what_to_install(
    done: subprocess.CompletedProcess[str],
) -> None:
    for tool, remedy in (("TAU", "spack install tau"), ("HPCToolkit", "spack install hpctoolkit")):
        row = row_of(done.stdout, tool)
        assert "not installed" in row
        assert remedy in row
    assert "not usable" in row_of(done.stdout, "perf sched record")


def test_published_values_stand_beside(
    done: subprocess.CompletedProcess[str], folder: Path
) -> None:
    paper = done.stdout.partition("The paper: std::async alone")[2]
    pyramids = row_of(paper, "pyramids")

    assert "112\u202f344" in pyramids
    assert "+12707 %" in pyramids
    assert "SegV" in pyramids
    assert "all 11 that were tried failed under TAU" in done.stdout
    page = (folder / "reproduced" / "table1.html").read_text(encoding="utf-8")
    assert page.count("+12707 %") == 2  # in the sentence and in its row
    assert "under HPCToolkit 4 ran, +3505 % to +12707 %, and 6 failed" in done.stdout


def test_nothing_of_the_launches_is_left_in_the_folder(folder: Path) -> None:
    assert {path.name for path in folder.iterdir()} == {
        "manifest.json", "samples.jsonl", "reproduced",
    }  # fmt: skip


def test_every_launch_is_kept_and_what_failed_is_not_repeated(folder: Path) -> None:
    lines = (folder / "samples.jsonl").read_text(encoding="utf-8").splitlines()
    launches = [json.loads(line) for line in lines]
    rounds = {
        key: [each["round"] for each in launches if (each["problem"], each["condition"]) == key]
        for key in (("round", "perf_record"), ("fib", "heaptrack"), ("health", "perf_record"))
    }

    assert rounds["round", "perf_record"] == [1, 1, 2, 2]
    assert rounds["fib", "heaptrack"] == [1, 1]
    assert rounds["health", "perf_record"] == []


def test_every_kept_line_is_of_the_schema(folder: Path) -> None:
    path = Path(weft_lab.__file__).parent / "data" / "record.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))
    lines = (folder / "samples.jsonl").read_text(encoding="utf-8").splitlines()

    assert {json.loads(line)["record"] for line in lines} == {"tool_launch"}
    for line in lines:
        validator.validate(json.loads(line))


def test_numbers_are_in_the_csv_with_their_spread(folder: Path) -> None:
    with (folder / "reproduced" / "table1.csv").open(encoding="utf-8") as stream:
        rows = {
            (row["benchmark"], row["runtime"], row["condition"]): row
            for row in csv.DictReader(stream)
        }
    perf = rows["fib", "std_async", "perf_record"]

    assert float(perf["overhead"]) == pytest.approx(0.5)
    assert (perf["low_s"], perf["high_s"], perf["num_launches"]) == ("1.5", "1.5", "2")
    assert rows["pyramids", "std_async", "baseline"]["paper_time_s"] == "2.148"
    assert rows["pyramids", "std_async", "tau"]["status"] == "not_installed"
    assert rows["pyramids", "std_async", "tau"]["time_s"] == ""


def test_benchmarks_that_were_not_reached_say_so(folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied)
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    manifest["external_tools"]["problems"].append("uts")
    (copied / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    results = read(copied)
    told = " ".join(tool_tables.findings(results))

    uts = results.measured[Job("uts", "std_async", BASELINE)]
    assert (uts.status, uts.how) == ("not_run", "the time was over; a larger --budget helps")
    assert "std_async alone: 3 of 5 ran" in told
    assert "1 more was not run, as the time was over" in told


def test_tasks_are_held_against_the_papers_with_its_inputs(folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied)
    manifest = json.loads((copied / "manifest.json").read_text(encoding="utf-8"))
    manifest["external_tools"]["size"] = 3
    manifest["external_tools"]["problems"] = ["fft", "fib", "pyramids", "round"]
    (copied / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    samples = (copied / "samples.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in samples.splitlines()]
    for problem, tasks in (("round", 512), ("pyramids", 112_343)):
        lines += [{**lines[0], "problem": problem, "tasks": tasks}]
    # The paper printed 2.04E+06.
    lines += [{**lines[0], "problem": "fft", "tasks": 2_044_999}]
    kept = [each for each in lines if each["problem"] == "fib" or each["tasks"] != 77]
    text = "".join(json.dumps(each) + "\n" for each in kept)
    (copied / "samples.jsonl").write_text(text, encoding="utf-8")

    assert tool_tables.tasks_sentence(read(copied)) == (
        "As many tasks as in the paper: fft 2\u202f044\u202f999, round 512; other numbers: "
        "pyramids 112\u202f343 (the paper: 112\u202f344)."
    )
    assert "--size paper" in tool_tables.tasks_sentence(read(folder))


def test_weft_is_compared_with_a_build_that_does_not_count(folder: Path) -> None:
    results = read(folder)

    assert results.has_plain
    counted = results.measured[Job("round", "weft_future", "counters")]
    assert counted.overhead == pytest.approx(0.0)


def test_without_such_a_build_the_cost_of_counting_is_unknown(
    programs: Path, path_of_tools: str, tmp_path: Path
) -> None:
    only = tmp_path / "programs"
    shutil.copytree(programs, only, ignore=shutil.ignore_patterns("not-counting"))
    run = Table1(tmp_path / "results", only, path_of_tools)

    done = run.call("--rounds", "1", "--only", "fib", "--backend", "weft_future")
    results = read((run.results / "latest").resolve())

    assert done.returncode == 0, done.stderr
    assert results.measured[Job("fib", "weft_future", "counters")].overhead is None
    assert "the baseline of weft_future counts" in tool_tables.how_to_read(results)


def test_finished_measurement_is_shown_again(table1: Table1, folder: Path) -> None:
    page = folder / "reproduced" / "table1.html"
    before = page.read_text(encoding="utf-8")
    page.unlink()

    again = table1.call("--from", str(folder))

    assert again.returncode == 0, again.stderr
    assert page.read_text(encoding="utf-8") == before


def test_no_launch_begins_after_the_budget(table1: Table1) -> None:
    start_s = time.monotonic()
    done = table1.call("--budget", "1", "--rounds", "100000", "--only", "round")
    results = read((table1.results / "latest").resolve())

    assert done.returncode == 0, done.stderr
    assert time.monotonic() - start_s < 60.0
    assert 0 < max(each.num_launches for each in results.measured.values()) < 1000


def interrupted(table1: Table1, number: signal.Signals) -> tuple[Path, int, str, str]:
    """The folder of a measurement that got a signal after its first launch, and how it ended."""
    latest = table1.results / "latest"
    before = latest.resolve()
    process = table1.start("--rounds", "400", "--only", "round")
    deadline_s = time.monotonic() + 30.0
    while latest.resolve() == before or not (latest / "samples.jsonl").stat().st_size:
        assert time.monotonic() < deadline_s
        time.sleep(0.05)
    process.send_signal(number)
    output, messages = process.communicate(timeout=120)
    return latest.resolve(), process.returncode, output, messages


def test_what_was_measured_before_a_kill_is_shown(table1: Table1, folder: Path) -> None:
    killed, code, _, _ = interrupted(table1, signal.SIGKILL)
    with (killed / "samples.jsonl").open("a", encoding="utf-8") as samples:
        samples.write('{"schema":1,"record":"tool_lau')

    done = table1.call("--from", str(killed))

    assert killed != folder
    assert code == -signal.SIGKILL
    assert done.returncode == 0, done.stderr
    assert "round" in done.stdout


def test_request_to_stop_keeps_what_is_measured(table1: Table1, folder: Path) -> None:
    stopped, code, output, messages = interrupted(table1, signal.SIGINT)

    manifest = json.loads((stopped / "manifest.json").read_text(encoding="utf-8"))
    assert stopped != folder
    assert code == 130
    assert manifest["status"] == "interrupted"
    assert "round" in output
    assert "to see it again: ./weft reproduce counters-table1 --from" in messages


def test_other_verbs_refuse_the_folder_or_find_nothing_in_it(folder: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied"
    shutil.copytree(folder, copied)
    codes = {verb: call_here(verb, str(copied)).returncode for verb in ("report", "resume")}

    assert codes == {"report": 0, "resume": 5}


def test_bad_options_are_named() -> None:
    for options, words in (
        (RunOptions(backend=("onetbb",)), "unknown runtime 'onetbb'"),
        (RunOptions(only=("quicksort",)), "unknown problem 'quicksort'"),
        (RunOptions(size=(4,)), "unknown size '4'"),
        (RunOptions(threads=(1, 2)), "--threads takes one value here"),
    ):
        with pytest.raises(UsageError, match=words):
            wanted_by(options)


def test_folder_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").touch()
    (tmp_path / "manifest.json").write_text('{"schema": 1}', encoding="utf-8")

    with pytest.raises(ResultFolderError, match="holds no benchmarks under tools"):
        read(tmp_path)


def test_program_that_is_not_there_is_named(table1: Table1, tmp_path: Path) -> None:
    run = Table1(table1.results, tmp_path, os.environ["PATH"])

    done = run.call("--only", "fib")

    assert done.returncode == 3
    assert "there is no weft_inncabs_std_async to measure with" in done.stderr


def test_rounds_are_interleaved_and_begin_with_the_baselines() -> None:
    jobs = [
        Job(problem, "std_async", condition)
        for problem in ("fib", "sort")
        for condition in (BASELINE, "a", "b", "c")
    ]

    first = rounds_of(jobs, 42, 1)
    later = [rounds_of(jobs, 42, round_) for round_ in range(2, 12)]

    assert [job.condition for job in first].index(BASELINE) == 0
    assert first[4].condition == BASELINE
    assert {job.problem for job in first[:4]} != {"fib", "sort"}
    assert all(sorted(order) == sorted(jobs) for order in [first, *later])
    assert len({tuple(order) for order in later}) > 5

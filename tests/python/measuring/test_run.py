# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole runs on fake bench programs: what is kept, what is contained, what a stop leaves behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from importlib import resources
from io import StringIO
from pathlib import Path
from typing import Any, Protocol

import jsonschema
import pytest
from rich.console import Console
from weft_lab.measuring import session
from weft_lab.measuring.catalog import Toolbox
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Skip
from weft_lab.measuring.programs import find_in
from weft_lab.pages.load import load as load_view
from weft_lab.storage.store import ResultFolder


class Weft(Protocol):
    """The fixture `weft` of conftest.py."""

    results: Path
    programs: Path

    def call(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]: ...
    def run(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]: ...
    def popen(self, *arguments: str, **extra: str) -> subprocess.Popen[str]: ...
    def run_arguments(self, *arguments: str) -> list[str]: ...


def records_in(weft: Weft) -> list[dict[str, Any]]:
    records = ResultFolder.open(weft.results / "latest").read_samples().records
    return [record for record in records if record["record"] == "result"]


def manifest_in(weft: Weft) -> dict[str, Any]:
    return ResultFolder.open(weft.results / "latest").read_manifest()


def test_run_stores_every_cell_once_per_round_in_fresh_processes(weft: Weft) -> None:
    done = weft.run("--only", "steady", "--size", "64,2^12", "--rounds", "2", "--budget", "30s")

    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == (weft.results / "latest").resolve()
    records = records_in(weft)
    keys = Counter((r["variant"], r["cell"]["id"], r["round"]) for r in records)
    assert set(keys.values()) == {1}
    assert {r["variant"] for r in records} == {
        "seq@gcc",
        "seq@gcc#control",
        "alpha@gcc",
        "beta@gcc",
    }
    launches = {(r["launch"], r["round"], r["variant"], r["cell"]["threads"]) for r in records}
    assert len({launch for launch, *_ in launches}) == len(launches)
    assert manifest_in(weft)["status"] == "complete"


def test_every_stored_record_obeys_the_schema(weft: Weft) -> None:
    weft.run(
        "--only", "steady,wrong,crash,absent", "--size", "64", "--rounds", "1", "--budget", "30s"
    )
    path = resources.files("weft_lab") / "data" / "record.schema.json"
    validator = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))

    records = ResultFolder.open(weft.results / "latest").read_samples().records

    assert {r.get("status") for r in records} == {None, "ok", "wrong", "crashed", "skipped"}
    for record in records:
        validator.validate(record)
    counters = [{"name": "cycles", "unit": "events", "value": None}]
    unexplained = next(r for r in records if r.get("status") == "ok") | {"counters": counters}
    with pytest.raises(jsonschema.ValidationError, match="reason"):
        validator.validate(unexplained)


def test_wrong_answers_are_kept_and_end_with_4(weft: Weft) -> None:
    done = weft.run("--only", "wrong,steady", "--size", "64", "--rounds", "2", "--budget", "30s")

    assert done.returncode == 4
    assert "wrong answer" in done.stderr
    wrong = [r for r in records_in(weft) if r["status"] == "wrong"]
    assert all(r["samples_s"] == [] and "element 17" in r["message"] for r in wrong)
    assert Counter(r["variant"] for r in wrong)["seq@gcc"] == 1, "a wrong cell is not tried again"
    assert any(r["status"] == "ok" and r["round"] == 2 for r in records_in(weft))


def test_the_terminal_counts_wrong_answers_as_the_page_does(weft: Weft) -> None:
    done = weft.run(
        "--only", "wrong", "--size", "64,128", "--threads", "2", "--rounds", "2", "--budget", "30s"
    )

    assert Counter(r["variant"] for r in records_in(weft))["seq@gcc#control"] == 2
    view = load_view(weft.results / "latest")
    on_page = sum(summary.status == "wrong" for summary in view.summaries)
    assert on_page > 0
    assert f"{on_page} cells computed a wrong answer" in done.stderr
    assert f" wrong {on_page};" in done.stderr


@pytest.mark.parametrize("backend", ["alpha@icpx", "seq@icpx"])
def test_why_a_named_backend_is_not_measured_is_said_at_once(
    weft: Weft, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    programs = find_in(weft.programs, ["weft_fake_seq"]).programs
    reason = Skip("not_built", "icpx [the compiler] is not installed", "get it", variant=backend)
    options = RunOptions(
        tier="quick",
        budget_s=30.0,
        backend=(backend,),
        only=("steady",),
        size=(64,),
        rounds_max=1,
        results=weft.results,
    )
    monkeypatch.setattr(session, "check_options", lambda _options: None)
    monkeypatch.setattr(session, "gather", lambda *_: Toolbox(programs, skips=[reason]))
    terminal = StringIO()

    session.measure(options, Console(file=terminal))

    said = terminal.getvalue()
    # Behind a line on other measurements, if another test measures at the moment.
    assert f"not measured: {reason.message}\n  -> {reason.remedy}\nmeasuring 2 cells" in said
    assert {r["variant"] for r in records_in(weft)} == {"seq@gcc", "seq@gcc#control"}


def test_a_crash_is_recorded_tried_once_more_and_stops_nobody(weft: Weft) -> None:
    done = weft.run(
        "--only",
        "crash,steady",
        "--size",
        "64",
        "--backend",
        "alpha",
        "--threads",
        "1",
        "--rounds",
        "4",
        "--budget",
        "30s",
    )

    assert done.returncode == 0, done.stderr
    crashed = [r for r in records_in(weft) if r["status"] == "crashed"]
    assert set(Counter(r["variant"] for r in crashed).values()) == {2}
    assert "SIGABRT" in crashed[0]["message"]
    assert "about to divide by nothing" in crashed[0]["message"]
    ok = Counter(r["variant"] for r in records_in(weft) if r["status"] == "ok")
    assert set(ok.values()) == {4}
    skipped = json.loads((weft.results / "latest" / "skipped.json").read_text(encoding="utf-8"))
    crash = next(row for row in skipped["skipped"] if row["variant"] == "alpha@gcc")
    assert crash["code"] == "crashed"
    by_hand = "build/bench/bin/weft_fake_alpha --problem crash --type double --size 64 --threads 1"
    assert by_hand in crash["remedy"]


def test_a_program_that_ends_with_an_exception_leaves_its_last_words(weft: Weft) -> None:
    weft.run("--only", "throws", "--size", "64", "--rounds", "1", "--budget", "30s")

    (message,) = {r["message"] for r in records_in(weft)}
    assert message == "ended with exit code 1 before it answered; std::bad_alloc"


def test_a_hang_is_killed_recorded_and_the_rest_goes_on(weft: Weft) -> None:
    options = RunOptions(
        tier="quick",
        budget_s=30.0,
        suite=("fake",),
        only=("hang", "steady"),
        size=(64,),
        threads=(1,),
        backend=("alpha",),
        rounds_max=2,
        results=weft.results,
        programs=weft.programs,
        timeout_min_s=0.3,
    )

    session.measure(options, Console(stderr=True, quiet=True))

    statuses = Counter((r["cell"]["problem"], r["status"]) for r in records_in(weft))
    assert statuses == {("hang", "hung"): 3, ("steady", "ok"): 6}
    skipped = json.loads((weft.results / "latest" / "skipped.json").read_text(encoding="utf-8"))
    (hung,) = (row for row in skipped["skipped"] if row["variant"] == "alpha@gcc")
    assert hung["code"] == "hung"
    assert "--problem hang" in hung["remedy"]


def test_a_leak_is_contained_by_new_processes(weft: Weft) -> None:
    weft.run(
        "--only",
        "leak",
        "--size",
        "2^3..2^10",
        "--threads",
        "1",
        "--rounds",
        "1",
        "--budget",
        "30s",
    )

    # 100 MiB a cell and a bound of 256 MiB: three cells a process, eight cells.
    cells = Counter(r["launch"] for r in records_in(weft) if r["variant"] == "alpha@gcc")
    assert sorted(cells.values()) == [2, 3, 3]


def test_more_threads_than_cpus_are_measured_and_labelled(weft: Weft) -> None:
    done = weft.run(
        "--only", "steady", "--size", "64", "--threads", "64", "--rounds", "1", "--budget", "30s"
    )

    assert done.returncode == 0
    parallel = [r for r in records_in(weft) if r["variant"] == "alpha@gcc"]
    assert parallel
    assert all(r["oversubscribed"] for r in parallel)
    assert "64 threads are more than the" in done.stderr
    assert "labelled oversubscribed" in done.stderr


def test_children_do_not_see_omp_num_threads(weft: Weft) -> None:
    weft.run("--only", "steady", "--size", "64", "--rounds", "1", OMP_NUM_THREADS="7")

    records = ResultFolder.open(weft.results / "latest").read_samples().records
    seen = {r["environment"]["OMP_NUM_THREADS"] for r in records if r["record"] == "program"}
    assert seen == {None}
    assert manifest_in(weft)["software"]["environment"]["OMP_NUM_THREADS"] == "7"


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--only", "stedy"], "unknown problem 'stedy'"),
        (["--backend", "alhpa"], "unknown backend 'alhpa'"),
        (["--type", "long"], "unknown type 'long'"),
        (["--size", "huge"], "size 'huge'"),
        (["--threads", "none"], "threads 'none'"),
        (["--suite", "stk"], "unknown suite 'stk'"),
        (["--budget", "soon"], "budget 'soon'"),
        (["--allocator", "malloc"], "unknown allocator 'malloc'"),
        (["--placement", "core"], "unknown placement 'core'"),
        (["--smt", "of"], "unknown smt mode 'of'"),
        (["--protocol", "papr"], "unknown protocol 'papr'"),
        (["--size", "33..63"], "size range"),
        (["--full"], "--quick and --full"),
    ],
)
def test_bad_options_end_with_2_and_say_what_to_type(
    weft: Weft, arguments: list[str], what: str
) -> None:
    done = weft.run(*arguments)

    assert done.returncode == 2
    assert what in done.stderr
    assert "->" in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_unknown_names_of_the_checkout_are_refused_before_anything_is_built(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="did you mean 'sort'"):
        session.measure(RunOptions(only=("srot",), results=tmp_path / "r"), Console(quiet=True))

    assert not (tmp_path / "r").exists()


def test_a_program_folder_that_is_not_there_leaves_no_folder(weft: Weft, tmp_path: Path) -> None:
    places = ["--programs", str(tmp_path / "none"), "--results", str(weft.results)]
    done = weft.call("run", *places)

    assert done.returncode == 3
    assert "no folder" in done.stderr
    assert not weft.results.exists()


@pytest.mark.parametrize("samples_s", [[], [-1e-3] * 5, [float("inf")] * 5], ids=str)
def test_a_run_without_usable_samples_ends_with_5(weft: Weft, samples_s: list[float]) -> None:
    weft.run("--only", "steady", "--size", "64", "--rounds", "1", "--budget", "30s")
    path = (weft.results / "latest" / "samples.jsonl").resolve()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [{**line, "samples_s": samples_s} for line in lines if line["record"] == "result"]
    text = "".join(json.dumps(line) + "\n" for line in kept if samples_s)
    path.write_text(text, encoding="utf-8")

    done = weft.call("report", str(path.parent))

    assert done.returncode == 5
    assert "holds no measurements" in done.stderr
    assert "./weft resume" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_program_folder_ends_with_3_and_leaves_nothing(weft: Weft, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = weft.call("run", "--programs", str(tmp_path / "empty"), "--results", str(weft.results))

    assert done.returncode == 3
    assert "nothing to measure with" in done.stderr
    assert "build them" in done.stderr
    assert list(weft.results.iterdir()) == []


def test_a_run_that_measures_nothing_leaves_latest_alone(weft: Weft, tmp_path: Path) -> None:
    weft.run("--only", "steady", "--size", "64", "--rounds", "1", "--budget", "30s")
    before = (weft.results / "latest").resolve()
    (tmp_path / "empty").mkdir()

    weft.call("run", "--programs", str(tmp_path / "empty"), "--results", str(weft.results))

    assert {path.name for path in weft.results.iterdir()} == {before.name, "latest"}
    assert (weft.results / "latest").resolve() == before


def test_unwritable_results_end_with_5(weft: Weft) -> None:
    weft.results.write_text("", encoding="utf-8")

    done = weft.run("--only", "steady")

    assert done.returncode == 5
    assert "cannot write results" in done.stderr


@pytest.mark.timed
def test_the_budget_is_kept_within_10_percent(weft: Weft) -> None:
    start_s = time.monotonic()
    done = weft.run("--only", "steady", "--budget", "5s", FAKE_CELL_S="0.01")
    wall_s = time.monotonic() - start_s
    manifest = manifest_in(weft)

    assert done.returncode == 0
    assert 4.5 <= manifest["measured_s"] <= 5.5
    assert wall_s <= 5.5 + 2.0  # starting Python and describing the machine are not measuring


def test_a_machine_slower_than_guessed_still_gets_three_rounds_of_fewer_sizes(weft: Weft) -> None:
    weft.run("--only", "steady,noisy", "--threads", "1", "--budget", "8s", FAKE_CELL_S="0.1")

    rounds = Counter(r["round"] for r in records_in(weft))
    assert {1, 2, 3} <= set(rounds)
    assert rounds[2] < 48, "all sizes would be 48 cells"
    covered = {(r["cell"]["problem"], r["variant"]) for r in records_in(weft)}
    assert len(covered) == 2 * 4, "every problem and variant is covered"


def test_a_machine_slower_than_guessed_measures_every_size_that_was_named(weft: Weft) -> None:
    arguments = ["--only", "steady", "--size", "2^3..2^10", "--threads", "1"]
    done = weft.run(*arguments, "--budget", "6s", FAKE_CELL_S="0.1")

    sizes: dict[str, set[int]] = {}
    for record in records_in(weft):
        sizes.setdefault(record["variant"], set()).add(record["cell"]["size"])
    assert sizes["seq@gcc"] == {1 << exponent for exponent in range(3, 11)}
    assert all(measured == sizes["seq@gcc"] for measured in sizes.values())
    assert "an estimate: " in done.stderr


def wait_for_records(weft: Weft, count: int) -> None:
    deadline_s = time.monotonic() + 30.0
    path = weft.results / "latest" / "samples.jsonl"
    while not path.exists() or path.read_bytes().count(b'"result"') < count:
        assert time.monotonic() < deadline_s, "no records appeared"
        time.sleep(0.02)


def start_slow_run(weft: Weft) -> subprocess.Popen[str]:
    arguments = ["--only", "steady", "--size", "64,128,256", "--rounds", "3", "--budget", "60s"]
    process = weft.popen(*weft.run_arguments(*arguments), FAKE_CELL_S="0.03")
    wait_for_records(weft, 10)
    return process


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_polite_stop_leaves_a_finished_folder_and_130(weft: Weft, number: int) -> None:
    process = start_slow_run(weft)

    process.send_signal(number)
    _, stderr = process.communicate(timeout=120)

    assert process.returncode == 130
    assert "./weft resume" in stderr
    assert manifest_in(weft)["status"] == "interrupted"
    skipped = json.loads((weft.results / "latest" / "skipped.json").read_text(encoding="utf-8"))
    reasons = {row["code"]: row["remedy"] for row in skipped["skipped"]}
    assert "./weft resume" in reasons["stopped"]
    assert (weft.results / "latest" / "advice.json").is_file()


def test_sigkill_leaves_a_valid_folder_and_resume_completes_the_same_plan(weft: Weft) -> None:
    process = start_slow_run(weft)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    before = records_in(weft)
    assert manifest_in(weft)["status"] == "running"
    with (weft.results / "latest" / "samples.jsonl").open("a", encoding="utf-8") as stream:
        stream.write('{"schema":1,"record":"resu')

    done = weft.call("resume", str(weft.results / "latest"), "--programs", str(weft.programs))

    assert done.returncode == 0, done.stderr
    after = records_in(weft)
    assert after[: len(before)] == before, "nothing measured is lost"
    keys = Counter((r["variant"], r["cell"]["id"], r["round"]) for r in after)
    assert set(keys.values()) == {1}, "nothing is measured twice"
    # seq and its control on 1 thread, two backends on 1 and 2 threads, first touch at the largest.
    cpus = manifest_in(weft)["machine"]["cpus_usable"]
    threads = 2 if cpus > 1 else 1
    cells = 2 * 3 + 2 * 3 * threads + (2 if cpus > 1 else 0)
    assert len(keys) == 3 * cells
    assert manifest_in(weft)["status"] == "complete"


def test_after_ctrl_c_resume_completes_what_was_begun(weft: Weft) -> None:
    process = start_slow_run(weft)
    process.send_signal(signal.SIGINT)
    told = process.communicate(timeout=120)[1]
    before = records_in(weft)

    done = weft.call("resume", str(weft.results / "latest"), "--programs", str(weft.programs))

    assert f" --programs {weft.programs}" in told
    assert done.returncode == 0, done.stderr
    assert records_in(weft)[: len(before)] == before, "nothing measured is lost"
    keys = Counter((r["variant"], r["cell"]["id"], r["round"]) for r in records_in(weft))
    assert set(keys.values()) == {1}, "nothing is measured twice"
    assert {key[2] for key in keys} == {1, 2, 3}
    assert manifest_in(weft)["status"] == "complete"


def test_a_second_run_into_the_same_folder_is_refused_and_the_first_goes_on(weft: Weft) -> None:
    process = start_slow_run(weft)

    second = weft.call("resume", str(weft.results / "latest"), "--programs", str(weft.programs))
    process.communicate(timeout=120)

    assert second.returncode == 5
    assert "another weft is measuring" in second.stderr
    assert "->" in second.stderr
    assert process.returncode == 0
    assert manifest_in(weft)["status"] == "complete"


def test_two_runs_at_once_get_a_folder_each(weft: Weft) -> None:
    arguments = ["--only", "steady", "--size", "64", "--rounds", "2", "--budget", "30s"]
    both = [weft.popen(*weft.run_arguments(*arguments), FAKE_CELL_S="0.02") for _ in range(2)]

    folders = {process.communicate(timeout=120)[0].strip() for process in both}

    assert [process.returncode for process in both] == [0, 0]
    assert len(folders) == 2
    for path in folders:
        folder = ResultFolder.open(Path(path))
        run_ids = {r.get("run_id") for r in folder.read_samples().records}
        assert run_ids == {folder.path.name}
        assert folder.read_samples().damage() == []


def test_resume_tells_of_a_corrupt_line_and_measures_it_again(weft: Weft) -> None:
    arguments = ["--only", "steady", "--size", "64", "--rounds", "1", "--budget", "30s"]
    weft.run(*arguments)
    whole = {(r["variant"], r["cell"]["id"]) for r in records_in(weft)}
    path = weft.results / "latest" / "samples.jsonl"
    *lines, last = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, last[:40], ""]), encoding="utf-8")

    done = weft.call(
        "resume", str(weft.results / "latest"), "--programs", str(weft.programs), "--budget", "31s"
    )

    assert done.returncode == 0, done.stderr
    assert f"line {len(lines) + 1} is skipped" in done.stderr
    assert {(r["variant"], r["cell"]["id"]) for r in records_in(weft)} == whole


def test_resume_of_a_folder_that_does_not_say_what_to_measure(weft: Weft) -> None:
    folder = ResultFolder.create(weft.results)
    folder.write_manifest({"run_id": "x", "status": "running"})

    done = weft.call("resume", str(folder.path), "--programs", str(weft.programs))

    assert done.returncode == 5
    assert "does not say what was to be measured" in done.stderr
    assert "./weft run" in done.stderr
    assert "Traceback" not in done.stderr


def test_resume_refuses_other_programs(weft: Weft) -> None:
    weft.run("--only", "steady", "--size", "64", "--rounds", "1", "--budget", "30s")
    folder = ResultFolder.open(weft.results / "latest")
    manifest = folder.read_manifest()
    manifest["status"] = "interrupted"
    manifest["programs"]["alpha@gcc"]["flags"] = "-O0"
    folder.write_manifest(manifest)

    done = weft.call("resume", str(folder.path), "--programs", str(weft.programs))

    assert done.returncode == 5
    assert "flags differ" in done.stderr


def test_resume_of_a_complete_run_wants_more_budget(weft: Weft) -> None:
    weft.run("--only", "steady", "--size", "64", "--rounds", "1", "--budget", "30s")

    done = weft.call("resume", str(weft.results / "latest"), "--programs", str(weft.programs))

    assert done.returncode == 2
    assert "--budget" in done.stderr


def test_what_does_not_fit_the_memory_is_told_and_listed(weft: Weft) -> None:
    done = weft.run("--only", "steady", "--size", "64,2^40", "--rounds", "1", "--budget", "30s")

    assert done.returncode == 0
    assert "not measured: memory" in done.stderr
    skipped = json.loads((weft.results / "latest" / "skipped.json").read_text(encoding="utf-8"))
    assert ("memory", 1 << 40) in {(row["code"], row["size"]) for row in skipped["skipped"]}


def test_quiet_standard_output_and_no_colour(weft: Weft) -> None:
    done = weft.run("--only", "steady", "--size", "64", "--rounds", "1", "--budget", "30s")

    assert done.stdout.count("\n") == 1
    assert "\x1b" not in done.stderr


def test_what_no_memory_can_hold_is_said_at_once(weft: Weft) -> None:
    done = weft.run("--only", "steady", "--size", "2^40", "--budget", "5s")

    assert done.returncode == 2
    assert "nothing to measure" in done.stderr
    assert "choose a smaller --size" in done.stderr

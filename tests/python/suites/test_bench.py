# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench`: what was asked, a whole run with its page, resuming, and baselines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from weft_lab.advice import comparing
from weft_lab.errors import (
    Interrupted,
    RegressionFound,
    ResultFolderError,
    UsageError,
    WrongAnswerFound,
)
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.bench import answer, asked, asking, baseline
from weft_lab.suites.bench.asking import Line, asked_of, bench
from weft_lab.suites.bench.results import read
from weft_lab.suites.bench.suite import SUITE, again


def line(tmp_path: Path, *words: str, **options: object) -> Line:
    chosen: dict[str, Any] = {
        "rounds": 3,
        "budget": "30s",
        "results": tmp_path / "results",
        **options,
    }
    return Line(words, **chosen)


def newest(tmp_path: Path) -> Path:
    return (tmp_path / "results" / "latest").resolve()


def test_several_commands_are_parted_by_their_names() -> None:
    found = asked.contestants_of(["./a", "-n", "1", "--name", "tbb", "--", "./b", "--"], "omp")

    assert [(each.name, each.argv) for each in found] == [
        ("omp", ("./a", "-n", "1")),
        ("tbb", ("./b", "--")),
    ]
    assert asked.contestants_of(["/usr/bin/xz", "-k"], None)[0].name == "xz"


@pytest.mark.parametrize(
    ("words", "name", "what"),
    [
        ((), None, "no command to measure"),
        (("./a", "--name", "a", "--", "./b"), None, "two commands are called 'a'"),
        (("./a",), "a b", "--name 'a b' is no name"),
        (("./a", "--name", "b", "--"), None, "no command to measure as 'b'"),
    ],
)
def test_commands_that_cannot_be_told_apart_are_refused(
    words: tuple[str, ...], name: str | None, what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        asked.contestants_of(words, name)


def test_parameters_are_ranges_numbers_or_words() -> None:
    found = dict(asked.params_of(["n=2^3..2^5", "k=1,0", "how=quick,merge"]))

    assert found == {"n": ("8", "16", "32"), "k": ("1", "0"), "how": ("quick", "merge")}
    for wrong in ("n", "threads=1", "n=", "1=2", "n=01,1", "n=-1,2,-01"):
        with pytest.raises(UsageError):
            asked.params_of([wrong])


@pytest.mark.parametrize("values", ["2^99", "2^4..2^2", "5..7"])
def test_a_wrong_range_of_a_parameter_is_told_with_that_option(values: str) -> None:
    with pytest.raises(UsageError) as told:
        asked.params_of([f"n={values}"])

    assert told.value.remedy == "type for example --param n=2^10..2^20"


def test_cells_hold_every_combination_and_one_parameter_is_the_size() -> None:
    wanted = asked_of(
        Line(
            ("./a", "{n}", "{k}", "{how}"), param=("k=-1,2", "n=8,16,32", "how=a,b"), threads=("1",)
        )
    )

    cells = list(wanted.cells())

    assert wanted.size_name == "n"
    assert len(cells) == 12
    cell, texts = cells[0]
    assert (cell.size, cell.params, asked.case_text(cell)) == (8, (("k", -1),), "how=a k=-1")
    assert texts == {"k": "-1", "n": "8", "how": "a", "threads": "1"}
    assert asked.Asked.from_dict(json.loads(json.dumps(wanted.to_dict()))) == wanted


def test_only_the_names_of_parameters_are_replaced() -> None:
    assert asked.filled("awk {print} {n}{n} {m}", {"n": "4"}) == "awk {print} 44 {m}"


def test_a_parameter_that_no_command_holds_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"the command 'true' does not contain \{n\}"):
        bench(line(tmp_path, "true", param=("n=1,2",)))


def test_metrics_have_a_name_a_unit_and_a_direction() -> None:
    plain = asked.metric_of("GFlop/s: ([0-9.]+)")
    named = asked.metric_of(r"wait [ms, lower]=waited (\d+) ms")

    assert (plain.name, plain.unit, plain.better) == ("GFlop/s", "", "higher")
    assert (named.title, named.better, named.pattern) == ("wait, ms", "lower", r"waited (\d+) ms")
    for wrong in ("no group", "open (", "a [b]=c"):
        with pytest.raises(UsageError):
            asked.metric_of(wrong)


def test_what_is_expected_is_a_code_a_file_or_an_expression(tmp_path: Path) -> None:
    file = tmp_path / "out.txt"
    file.write_text("42\n", encoding="utf-8")

    wanted = asked_of(Line(("./a",), expect=("3", str(file), "sum: 42", "regex:7")))

    assert (wanted.expect_code, wanted.expect_file) == (3, str(file))
    assert wanted.expect == ("sum: 42", "7")
    with pytest.raises(UsageError):
        asked_of(Line(("./a",), expect=("code:256",)))
    with pytest.raises(UsageError):
        asked_of(Line(("./a",), expect=("(",)))


@pytest.mark.parametrize(
    ("expect", "what"),
    [
        (("",), "--expect has no text"),
        (("regex:",), "--expect has no text"),
        (("1", "code:2"), "'code:2' is the second exit code"),
        ((f"file:{__file__}", __file__), "is the second file"),
    ],
)
def test_what_would_be_checked_only_in_part_is_refused(expect: tuple[str, ...], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        asked_of(Line(("./a",), expect=expect))


@pytest.mark.parametrize("option", ["stdin", "expect"])
def test_a_pipe_that_only_one_launch_could_read_is_refused(tmp_path: Path, option: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    chosen: dict[str, Any] = {"stdin": pipe} if option == "stdin" else {"expect": (f"file:{pipe}",)}

    with pytest.raises(UsageError, match="is a pipe: it can be read once"):
        asked_of(Line(("cat",), **chosen))


@pytest.mark.parametrize("timeout_s", [float("inf"), float("nan"), 1e9, 0.0])
def test_a_timeout_that_the_kernel_cannot_wait_for_is_refused(
    tmp_path: Path, timeout_s: float
) -> None:
    with pytest.raises(UsageError, match=r"--timeout .* is wrong: 24 days"):
        bench(line(tmp_path, "true", timeout=timeout_s))


def test_the_longest_timeout_can_be_waited_for(tmp_path: Path) -> None:
    bench(line(tmp_path, "true", rounds=1, timeout=float(asking.TIMEOUT_MAX_S)))

    (row,) = read(newest(tmp_path)).timed
    assert row.name == "true"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("no-such-program", "no such program in PATH"),
        ("./no-such-file", "no such file"),
        ("sleep 1", "there is no program of that name"),
    ],
)
def test_an_unknown_program_is_told_before_a_folder_is_made(
    tmp_path: Path, program: str, why: str
) -> None:
    with pytest.raises(UsageError, match=why) as told:
        bench(line(tmp_path, program))

    assert told.value.exit_code == 2
    assert not (tmp_path / "results").exists()


def test_two_commands_are_measured_compared_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    count = tmp_path / "count"
    fast = "echo rate: 30; sleep 0.01"
    slow = f"echo rate: 10; echo x >> {count}; sleep 0.3"
    wanted = line(
        tmp_path, "sh", "-c", fast, "--name", "slow", "--", "sh", "-c", slow,
        name="fast", rounds=5, metric=("rate: ([0-9]+)",), warmup=1,
    )  # fmt: skip

    bench(wanted)

    printed = capsys.readouterr().out
    folder = newest(tmp_path)
    run = read(folder)
    rows = {row.name: row for row in run.timed}
    # Which choice is sure depends on what else runs here; tests of the answer simulate launches.
    assert "What to use" in printed
    assert "slow takes" in printed
    assert (rows["fast"].summary.launches, rows["slow"].summary.launches) == (5, 5)
    assert len(count.read_text(encoding="utf-8").split()) == 6  # one launch of the warm-up
    assert rows["slow"].time_s > 0.3
    assert rows["slow"].time_s > rows["fast"].time_s > 0.01
    assert rows["fast"].metrics["rate"].value == 30.0
    assert run.floor is not None
    assert 0.0 < run.floor.value < rows["fast"].time_s
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "Which of these commands is fastest?" in page
    assert "A program that does nothing (true) took" in page
    assert "| slow |" in (folder / "report.md").read_text(encoding="utf-8")
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert [row["launches"] for row in summary["bench_times"]] == [5, 5]
    assert (folder / "tables" / "bench_times.csv").is_file()
    assert (folder / "figures" / "bench_times.svg").is_file()


def test_threads_reach_placeholders_variables_and_affinity(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "seen = [os.environ['OMP_NUM_THREADS'], os.environ['WEFT_WORKERS'], os.environ['OWN']]\n"
        "cpus = len(os.sched_getaffinity(0))\n"
        "assert seen == [sys.argv[1]] * 3, seen\n"
        "assert cpus == min(int(sys.argv[1]), int(sys.argv[2])), cpus\n"
    )
    usable = str(len(os.sched_getaffinity(0)))
    wanted = line(
        tmp_path, sys.executable, "-c", code, "{threads}", usable,
        threads=("1,2",), env=("OWN={threads}",), rounds=1,
    )  # fmt: skip

    bench(wanted)

    assert [row.cell.threads for row in read(newest(tmp_path)).timed] == [1, 2]


@pytest.mark.timed
def test_a_command_with_a_known_serial_part_gets_it_inside_its_interval(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tests beside this one take CPUs, and of what is disturbed no law is told.
    monkeypatch.setattr(answer, "is_disturbed", lambda _: False)
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("a curve over threads needs two CPUs")
    serial = 0.3
    # Each launch takes up to 6 % more or less, in turn: the interval is that of a noisy program.
    program = (
        'turn=$(cat "$1" 2>/dev/null || echo 0); echo $((turn + 1)) > "$1"\n'
        "exec sleep $(awk -v turn=$turn -v threads=$2 "
        "'BEGIN { print 0.3 * (0.3 + 0.7 / threads) * (0.94 + 0.03 * (turn * 7 % 5)) }')\n"
    )
    script = tmp_path / "planted"
    script.write_text(f"#!/bin/sh\n{program}", encoding="utf-8")
    script.chmod(0o755)

    bench(line(tmp_path, str(script), str(tmp_path / "{threads}"), "{threads}",
               threads=("1,2",), rounds=15, budget="60s"))  # fmt: skip

    (row,) = json.loads((newest(tmp_path) / "summary.json").read_text())["bench_scaling"]
    assert row["serial_low"] <= serial <= row["serial_high"]
    assert row["serial_high"] - row["serial_low"] < 0.2
    page = (newest(tmp_path) / "report.html").read_text(encoding="utf-8")
    assert "by Amdahl&#39;s law" in page


def test_a_program_gets_the_users_variables_and_not_those_of_the_lab(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/of/the/lab")
    monkeypatch.setenv("_WEFT_USERS_PYTHONPATH", "/of/the/user")
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    check = 'test "$PYTHONPATH $OMP_NUM_THREADS" = "/of/the/user 3"'

    bench(line(tmp_path, "sh", "-c", check, setup=check, rounds=1))

    assert read(newest(tmp_path)).timed


def test_setup_prepare_input_and_folder_reach_each_launch(tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("seven\n", encoding="utf-8")
    script = "read word; test $word = seven && test -e ready && test -e made && rm ready"
    wanted = line(
        tmp_path, "sh", "-c", script,
        setup="touch made", prepare="touch ready", cleanup="rm made",
        stdin=tmp_path / "in.txt", directory=tmp_path,
    )  # fmt: skip

    bench(wanted)

    assert read(newest(tmp_path)).timed[0].summary.launches == 3
    assert not (tmp_path / "made").exists()


def test_a_setup_that_fails_is_told_and_nothing_is_launched(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--setup 'exit 3' ended with exit code 3"):
        bench(line(tmp_path, "true", setup="exit 3"))

    assert not (tmp_path / "results").exists()


def test_a_wrong_output_has_no_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = line(
        tmp_path, "echo", "42", "--name", "bad", "--", "echo", "41", name="good", expect=("^42$",)
    )

    with pytest.raises(WrongAnswerFound, match="1 of 2 combinations have no time: bad its output"):
        bench(wanted)

    printed = capsys.readouterr().out
    assert [row.name for row in read(newest(tmp_path)).timed] == ["good"]
    assert "its output has no match of --expect '^42$'" in printed


def test_a_resumed_run_needs_the_same_commands(tmp_path: Path) -> None:
    bench(line(tmp_path, "true", rounds=2))
    folder = newest(tmp_path)

    with pytest.raises(UsageError, match="is another measurement: contestants differ"):
        bench(line(tmp_path, "sleep", "0", resume=folder))
    bench(line(tmp_path, "true", rounds=5, resume=folder))

    assert read(folder).timed[0].summary.launches == 5


def test_a_folder_never_chooses_what_runs(tmp_path: Path) -> None:
    bench(line(tmp_path, "true", rounds=1))
    folder = ResultFolder.open(newest(tmp_path))
    manifest = folder.read_manifest()
    evil = ["touch", str(tmp_path / "evil")]
    manifest["bench"]["contestants"][0]["argv"] = evil
    manifest["bench"] |= {"setup": " ".join(evil), "prepare": " ".join(evil)}
    manifest |= {"status": "interrupted", "command": ["weft", "bench", "--", *evil]}
    folder.write_manifest(manifest)

    with pytest.raises(UsageError, match="a result folder never chooses what runs"):
        SUITE.resume(folder, None, None, None)
    with pytest.raises(UsageError, match="is another measurement"):
        bench(line(tmp_path, "true", resume=folder.path))
    SUITE.report(SUITE.read(folder.path), Console(quiet=True))

    assert not (tmp_path / "evil").exists()
    assert again(folder).endswith(f"-- touch {tmp_path / 'evil'}")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("contestants", 5),
        ("params", [["n", 3]]),
        ("params", [["a", list("12345678")] * 5]),
        ("metrics", [{"x": 1}]),
        ("threads", ["many"]),
    ],
)
def test_a_folder_with_nonsense_is_refused(tmp_path: Path, key: str, value: object) -> None:
    bench(line(tmp_path, "true", rounds=1))
    folder = ResultFolder.open(newest(tmp_path))
    manifest = folder.read_manifest()
    manifest["bench"][key] = value
    folder.write_manifest(manifest)

    with pytest.raises(ResultFolderError, match="holds a value that weft cannot use"):
        SUITE.read(folder.path)


def test_a_killed_run_goes_on_with_what_it_had(tmp_path: Path) -> None:
    command = [
        *(sys.executable, "-P", "-m", "weft_lab", "bench", "--results", str(tmp_path / "results")),
        *("--budget", "60s", "--", "sleep", "0.05"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(asking.__file__).parents[3])}
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        samples = _wait_for_samples(tmp_path / "results", 3)
        process.kill()

    before = samples.read_bytes().count(b'"record":"result"')
    bench(line(tmp_path, "sleep", "0.05", rounds=before + 3, budget="60s", resume=samples.parent))

    launches = read(samples.parent).timed[0].summary.launches
    assert before + 2 <= launches <= before + 3  # one less if its line was torn


def test_a_setup_that_is_ended_by_sigterm_says_so(tmp_path: Path) -> None:
    began = tmp_path / "began"
    command = [
        *(sys.executable, "-P", "-m", "weft_lab", "bench", "--results", str(tmp_path / "results")),
        *("--setup", f"echo $$ > {began}.new; mv {began}.new {began}; exec sleep 60", "--", "true"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(Path(asking.__file__).parents[3])}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        _wait_for(began)
        process.terminate()
        told = process.communicate(timeout=30)[1]

    assert (process.returncode, told) == (
        130,
        "weft: ended by SIGTERM; type the same command again\n",
    )
    assert not Path(f"/proc/{began.read_text().strip()}").exists()


def _wait_for(path: Path) -> None:
    import time

    end_s = time.monotonic() + 60.0
    while not path.exists() and time.monotonic() < end_s:
        time.sleep(0.02)


def _wait_for_samples(results: Path, count: int) -> Path:
    """Polls the file that the run writes."""
    import time

    end_s = time.monotonic() + 60.0
    while time.monotonic() < end_s:
        for path in results.glob("2*/samples.jsonl"):
            if path.read_bytes().count(b'"record":"result"') >= count:
                return path
        time.sleep(0.05)
    message = "the run wrote no samples"
    raise AssertionError(message)


def test_a_baseline_finds_a_planted_slow_down_and_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Tests beside this one take CPUs, and what is disturbed has no verdict.
    monkeypatch.setattr(comparing, "is_disturbed", lambda _: False)
    script = tmp_path / "program"
    script.write_text("#!/bin/sh\nsleep 0.02\n", encoding="utf-8")
    script.chmod(0o755)
    wanted = line(
        tmp_path,
        *(str(script), "{n}"),
        **{"rounds": 6, "budget": "60s", "baseline": "main", "fail_if_slower": "20%"},
        **{"param": ("n=2",), "threads": ("2",)},
    )
    bench(wanted)
    first = newest(tmp_path)
    script.write_text("#!/bin/sh\nsleep 0.2\n", encoding="utf-8")

    with pytest.raises(RegressionFound, match=r"the worst is program, n 2, 2 threads: .* times"):
        bench(wanted)

    assert (tmp_path / "results" / "baseline-main").resolve() == first
    assert "kept as baseline 'main'" in capsys.readouterr().out


def test_a_baseline_of_another_command_is_replaced_where_that_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench(line(tmp_path, "true", rounds=1, baseline="main"))
    with pytest.raises(UsageError, match="no timed cell in common") as told:
        bench(line(tmp_path, "sleep", "0", rounds=1, baseline="main"))
    assert "with --name" in told.value.remedy

    bench(line(tmp_path, "sleep", "0", rounds=1, baseline="main", keep=True))

    assert (tmp_path / "results" / "baseline-main").resolve() == newest(tmp_path)
    assert "not compared with baseline 'main'" in capsys.readouterr().err


def test_options_of_baselines_are_checked(tmp_path: Path) -> None:
    assert baseline.limit_of("5%") == baseline.limit_of("5") == 0.05
    with pytest.raises(UsageError, match="--fail-if-slower 'much' is wrong"):
        baseline.limit_of("much")
    with pytest.raises(UsageError, match="--fail-if-slower without --baseline"):
        bench(line(tmp_path, "true", fail_if_slower="5%"))
    with pytest.raises(UsageError, match="is no name"):
        baseline.place_of("../x", tmp_path)


def test_an_interrupted_run_says_how_to_go_on(tmp_path: Path) -> None:
    bench(line(tmp_path, "true", rounds=1))
    folder = ResultFolder.open(newest(tmp_path))
    manifest = folder.read_manifest()
    manifest |= {"status": "interrupted", "command": ["weft", "bench", "--", "true"]}
    folder.write_manifest(manifest)

    with pytest.raises(Interrupted) as told:
        SUITE.raise_for_outcome(folder)

    assert told.value.remedy == f"go on with: ./weft bench --resume {folder.path} -- true"


def test_a_run_keeps_the_commit_of_the_folder_where_its_programs_ran(tmp_path: Path) -> None:
    place = tmp_path / "mine"
    place.mkdir()
    git = ["git", "-C", str(place), "-c", "user.name=a", "-c", "user.email=a@b"]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "first"]):
        subprocess.run([*git, *arguments], check=True)
    read_back = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True)

    bench(line(tmp_path, "true", directory=place, rounds=1))

    source = ResultFolder.open(newest(tmp_path)).read_manifest()["source"]
    assert source["commit"] == read_back.stdout.decode().strip()
    assert source["commit_unix_s"] > 1_700_000_000
    assert source["is_dirty"] is False


def test_markdown_is_printed_in_place_of_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = {"baseline": "main", "markdown": True, "rounds": 4}
    bench(line(tmp_path, "sleep", "0.01", **chosen))
    capsys.readouterr()
    bench(line(tmp_path, "sleep", "0.01", **chosen))

    text = capsys.readouterr().out
    assert text.startswith("# How long does sleep take?")
    assert "## Against the baseline main" in text
    assert "| sleep |" in text.partition("## Against")[2]
    assert "![" not in text

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft reproduce counters-...` from the command line with fake programs: every item at once, a
run that is killed and gone on with, wrong answers, bad input.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Protocol

import pytest
from synthetic_run import UNUSUAL, write_run
from weft_lab.measuring.options import RunOptions
from weft_lab.pages.load import load
from weft_lab.pages.papers import find_item
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.cells import render
from weft_lab.suites.inncabs.external_tools.beside import share_out
from weft_lab.suites.inncabs.reproduce import NO_TOOLS

HERE = Path(__file__).parents[1]
# As the lab starts it a stream of cells, as a tool starts it one cell from the command line.
LAUNCHER = """#!{python} -S
import sys
name = "bench.py" if "--stream" in sys.argv else "one_cell.py"
exec(open("{folder}/" + name, encoding="utf-8").read(), {{"__name__": "__main__"}})
"""


class Weft(Protocol):
    """The fixture `weft` of conftest.py, with the programs of this file."""

    results: Path
    programs: Path

    def call(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]: ...
    def popen(self, *arguments: str, **extra: str) -> subprocess.Popen[str]: ...


@pytest.fixture(scope="module")
def fake_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the suite inncabs: fft and fib, and sort, whose answer is wrong."""
    folder = tmp_path_factory.mktemp("programs")
    sources = tmp_path_factory.mktemp("sources")
    bench = (HERE / "fake_bench.py").read_text(encoding="utf-8")
    bench = re.sub(r"PROBLEMS = \[[^]]*\]", 'PROBLEMS = ["fft", "fib", "sort"]', bench)
    bench = bench.replace("weft_fake_", "weft_inncabs_").replace('"fake"', '"inncabs"')
    bench = bench.replace('problem == "wrong"', 'problem == "sort"')
    (sources / "bench.py").write_text(bench, encoding="utf-8")
    shutil.copy(HERE / "fake_inncabs.py", sources / "one_cell.py")
    for backend in ("seq", "std_async", "weft_future"):
        path = folder / f"weft_inncabs_{backend}"
        path.write_text(LAUNCHER.format(python=sys.executable, folder=sources), encoding="utf-8")
        path.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def bare_path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A PATH without any tool that observes programs."""
    folder = tmp_path_factory.mktemp("bin")
    for name in ("sh", "sleep", "setpriv", "git", "true"):
        found = shutil.which(name)
        if found is not None:
            (folder / name).symlink_to(found)
    return str(folder)


def arguments(weft: Weft, item: str, *more: str) -> list[str]:
    places = ["--programs", str(weft.programs), "--results", str(weft.results)]
    axes = ["--size", "small", "--allocator", "default", "--smt", "on", "--budget", "5m"]
    return ["reproduce", item, "--quick", *places, *axes, *more]


def latest(weft: Weft) -> Path:
    return (weft.results / "latest").resolve()


def test_every_item_is_measured_by_one_command_table_1_with_it(
    weft: Weft, bare_path: str, tmp_path: Path
) -> None:
    asked = arguments(weft, "counters-all", "--only", "fib", "--rounds", "1")

    done = weft.call(*asked, PATH=bare_path)

    assert done.returncode == 0, done.stderr
    run = latest(weft)
    page = (run / "reproduced" / "all.html").read_text(encoding="utf-8")
    for title in (
        "Overhead and failures of external tools",
        "Benchmark classification and granularity",
        "Execution time of FFT",
        "OFFCORE bandwidth of FFT",
    ):
        assert title in page
    assert "Here, std_async alone: 1 of 1 ran" in page
    assert NO_TOOLS not in page
    assert "table1. Here, std_async alone: 1 of 1 ran." in done.stdout
    assert (run / "reproduced" / "table1.csv").is_file()
    samples = (run / "tools" / "latest" / "samples.jsonl").read_text(encoding="utf-8")
    assert {json.loads(line)["record"] for line in samples.splitlines()} == {"tool_launch"}

    again = render(find_item("counters-all"), load(run), tmp_path / "again")

    assert again.files[0].read_text(encoding="utf-8") == page


def test_runtimes_that_tools_are_not_measured_with_leave_table_1_out(
    weft: Weft, bare_path: str
) -> None:
    asked = arguments(weft, "counters-all", "--only", "fib", "--rounds", "1", "--backend", "seq")

    done = weft.call(*asked, PATH=bare_path)

    assert done.returncode == 0, done.stderr
    page = (latest(weft) / "reproduced" / "all.html").read_text(encoding="utf-8")
    assert NO_TOOLS in page
    assert not (latest(weft) / "tools").exists()


def test_the_budget_is_shared_and_tools_take_one_value_of_each_axis() -> None:
    options = RunOptions(
        budget_s=100.0, size=(2, 3), threads=(1, 2), backend=("onetbb@gcc", "weft_future@clang")
    )

    shares = share_out(options)

    assert shares.run.budget_s == 75.0
    assert shares.tools is not None
    assert shares.tools.budget_s == 25.0
    assert (shares.tools.size, shares.tools.threads) == ((3,), (2,))
    assert shares.tools.backend == ("weft_future",)
    assert share_out(RunOptions(backend=("hpx",))).tools is None
    of_tier = share_out(RunOptions(tier="quick"))
    assert of_tier.run.budget_s == 120.0
    assert of_tier.tools is not None
    assert of_tier.tools.budget_s == 40.0


def test_killed_in_mid_suite_it_goes_on_and_is_shown(weft: Weft) -> None:
    asked = arguments(weft, "counters-fig5", "--threads", "1", "--rounds", "4")
    process = weft.popen(*asked, FAKE_CELL_S="0.2")
    samples = weft.results / "latest" / "samples.jsonl"
    deadline_s = time.monotonic() + 120.0
    while not samples.exists() or samples.read_bytes().count(b'"result"') < 3:
        assert time.monotonic() < deadline_s, "no records appeared"
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=120)
    run = latest(weft)
    before = ResultFolder.open(run).read_samples().records
    assert ResultFolder.open(run).read_manifest()["status"] == "running"

    resumed = weft.call("resume", str(run), "--programs", str(weft.programs))
    shown = weft.call("reproduce", "counters-fig5", "--from", str(run))

    assert resumed.returncode == 0, resumed.stderr
    after = ResultFolder.open(run).read_samples().records
    assert after[: len(before)] == before, "nothing measured is lost"
    results = [r for r in after if r["record"] == "result"]
    keys = {(r["variant"], r["cell"]["id"], r["round"]) for r in results}
    assert len(keys) == len(results), "nothing is measured twice"
    assert max(r["round"] for r in results) == 4
    assert shown.returncode == 0, shown.stderr
    assert "Found here:" in shown.stdout


def test_wrong_answers_end_with_4_after_all_is_shown(weft: Weft) -> None:
    done = weft.call(*arguments(weft, "counters-fig4", "--rounds", "1"))

    assert done.returncode == 4
    assert "computed a wrong answer" in done.stderr
    assert "fig4.html" in done.stdout


@pytest.mark.parametrize(
    ("arguments_", "what"),
    [
        (["--size", "papr"], "unknown class of inputs 'papr'"),
        (["--size", "4"], "unknown class of inputs '4'"),
        (["--size", "1..3"], "unknown class of inputs '1..3'"),
        (["--only", "fibb"], "unknown problem 'fibb'"),
        (["--backend", "weft_futur"], "unknown backend 'weft_futur'"),
        (["--threads", "0"], "threads '0'"),
        (["--allocator", "first_touch"], "unknown allocator of the suite inncabs 'first_touch'"),
    ],
)
def test_bad_input_is_named_before_anything_is_built(
    weft: Weft, arguments_: list[str], what: str
) -> None:
    for verb in (["run", "--suite", "inncabs"], ["reproduce", "counters-fig5"]):
        done = weft.call(*verb, "--results", str(weft.results), *arguments_)

        assert done.returncode == 2
        assert what in done.stderr
        assert "->" in done.stderr
        assert not weft.results.exists()


def test_element_types_are_refused_as_it_has_none(weft: Weft) -> None:
    done = weft.call("run", "--suite", "inncabs", "--type", "int", "--results", str(weft.results))

    assert done.returncode == 2
    assert "unknown type of the suite inncabs 'int'" in done.stderr
    assert not weft.results.exists()


def test_other_suites_have_no_classes_of_inputs(weft: Weft) -> None:
    done = weft.call("run", "--size", "paper", "--results", str(weft.results))

    assert done.returncode == 2
    assert "size 'paper' is not a number of elements" in done.stderr


def test_a_run_of_another_suite_is_refused(weft: Weft, tmp_path: Path) -> None:
    run = write_run(tmp_path / "stl", UNUSUAL["one_size"])

    done = weft.call("reproduce", "counters-fig8", "--from", str(run))

    assert done.returncode == 5
    assert "holds no measurements of the suite inncabs" in done.stderr
    assert "./weft reproduce counters-fig8" in done.stderr

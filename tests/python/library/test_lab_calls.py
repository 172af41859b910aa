# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft.bench, weft.report and weft.read_run: the lab's runs as calls and polars frames."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest
import weft
from weft_lab.errors import ResultFolderError, UsageError, WrongAnswerFound

CELL = ["suite", "problem", "type", "size", "threads", "allocator", "placement", "smt"]


@pytest.fixture(scope="module")
def bench_run(tmp_path_factory: pytest.TempPathFactory) -> weft.lab.run:
    commands = {"quick": "true {n}", "slow": ["sh", "-c", "sleep 0.0{n}"]}
    results = tmp_path_factory.mktemp("results")
    return weft.bench(commands, rounds=3, param={"n": [1, 2]}, threads=1, results=results)


def test_a_bench_has_a_row_for_each_command_and_value(bench_run: weft.lab.run) -> None:
    times = bench_run.times()

    assert times.columns[:8] == CELL
    assert sorted(times.select("variant", "size").rows()) == [
        *(("quick@command", 1), ("quick@command", 2)),
        *(("slow@command", 1), ("slow@command", 2)),
    ]
    assert times["status"].unique().to_list() == ["ok"]
    assert times["launches"].to_list() == [3] * 4
    slow = times.filter(pl.col("variant") == "slow@command", pl.col("size") == 2)
    assert slow["time_s"].item() >= 0.02
    assert slow["time_low_s"].item() <= slow["time_s"].item() <= slow["time_high_s"].item()


def test_every_launch_is_a_sample(bench_run: weft.lab.run) -> None:
    samples = bench_run.samples()
    medians = samples.group_by("variant", "size").agg(pl.col("time_s").median())
    joined = bench_run.times().join(medians, on=["variant", "size"], suffix="_again")

    assert samples.height == 12
    assert joined["time_s"].to_list() == pytest.approx(joined["time_s_again"].to_list())


def test_the_page_and_its_tables_are_written(bench_run: weft.lab.run) -> None:
    assert (bench_run.path / "report.html").is_file()
    assert "bench_times" in bench_run.tables()
    assert bench_run.manifest["status"] == "complete"
    assert bench_run.skipped().columns == ["code", "message", "remedy"]


def test_a_run_is_read_again(bench_run: weft.lab.run) -> None:
    again = weft.read_run(bench_run.path.parent / "latest")

    assert again.path == bench_run.path
    assert again.times().equals(bench_run.times())
    assert str(bench_run.path) in repr(again)


def test_a_launch_that_fails_is_an_error_and_keeps_the_run(tmp_path: Path) -> None:
    with pytest.raises(WrongAnswerFound, match="exit code 1"):
        weft.bench("false", rounds=1, results=tmp_path)

    times = weft.read_run(tmp_path / "latest").times()

    assert times["time_s"].to_list() == [None]
    assert times["status"].to_list() != ["ok"]
    assert "exit code 1" in times["message"].item()


def test_mistakes_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such program"):
        weft.bench("no_such_program", results=tmp_path)
    with pytest.raises(ResultFolderError, match="no result folder"):
        weft.read_run(tmp_path / "none")
    with pytest.raises(UsageError, match="contradict"):
        weft.report(quick=True, full=True, results=tmp_path)


def test_options_that_the_calls_do_not_have_are_named(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"bench\(\) has no option 'round'; did you mean 'rounds'"):
        weft.bench("true", round=3, results=tmp_path)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"bench\(\) has no option 'baseline'"):
        weft.bench("true", baseline="main", results=tmp_path)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"report\(\) has no option 'siute'; did you mean 'suite'"):
        weft.report(siute="tasks", results=tmp_path)  # type: ignore[call-arg]


def test_values_that_the_command_line_refuses_are_refused(tmp_path: Path) -> None:
    for rounds in (0, -1):
        with pytest.raises(UsageError, match=f"rounds {rounds} is wrong"):
            weft.bench("true", rounds=rounds, results=tmp_path)
        with pytest.raises(UsageError, match=f"rounds {rounds} is wrong"):
            weft.report(rounds=rounds, results=tmp_path)
    with pytest.raises(UsageError, match="cannot be split into words"):
        weft.bench("echo 'a", results=tmp_path)
    with pytest.raises(UsageError, match="env 'A=B' is not a name"):
        weft.bench("true", env={"A=B": "1"}, rounds=1, results=tmp_path)


def test_a_budget_may_be_a_number_of_seconds(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"budget '0\.5' is not a time"):
        weft.bench("true", budget=0.5, results=tmp_path)
    with pytest.raises(UsageError, match="budget '0' is not a time"):
        weft.report(budget=0, results=tmp_path)

    run = weft.bench("true", budget=5, rounds=1, results=tmp_path)

    assert run.manifest["plan"]["budget_s"] == 5


def test_parameters_that_are_not_a_mapping_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"param is a list; give a mapping, as in param=\{"):
        weft.bench("true", param=["n=1,2"], results=tmp_path)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="env is a str; give a mapping"):
        weft.bench("true", env="A=1", results=tmp_path)  # type: ignore[arg-type]


def test_an_empty_table_is_a_frame_without_columns(bench_run: weft.lab.run, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(bench_run.path, copy)
    (copy / "tables" / "none.csv").write_text("")

    assert weft.read_run(copy).tables()["none"].shape == (0, 0)


def test_a_report_measures_a_suite(fake_programs: Path, tmp_path: Path) -> None:
    places = {"programs": fake_programs, "results": tmp_path}
    run = weft.report(
        suite="fake", only=["steady"], size=1024, threads=[1], budget="20s", rounds=1, **places
    )

    times = run.times()

    assert {"seq", "alpha", "beta"} <= {name.split("@")[0] for name in times["variant"]}
    assert times["size"].unique().to_list() == [1024]
    assert times["status"].unique().to_list() == ["ok"]
    assert run.samples()["time_s"].min() > 0  # type: ignore[operator]
    assert (run.path / "report.html").is_file()


def test_options_of_the_program_are_its_own(tmp_path: Path) -> None:
    words = ["sh", "-c", 'test "$*" = "--name b --"', "sh", "--name", "b", "--"]

    assert weft.bench(words, rounds=1, results=tmp_path).times()["status"].to_list() == ["ok"]


def test_nothing_is_printed(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    weft.bench("true", rounds=1, results=tmp_path)

    assert capfd.readouterr() == ("", "")

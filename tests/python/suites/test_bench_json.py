# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`benchmark.json`: what readers of Google Benchmark's format find in a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from weft_lab.errors import WrongAnswerFound
from weft_lab.statistics.estimates import median
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.bench.asking import Line, bench
from weft_lab.suites.bench.google_json import NAME, UNIT_S, content
from weft_lab.suites.bench.results import read

# What that library writes of every entry, and its tools read without asking whether it is there.
REQUIRED = {
    *("name", "run_name", "run_type", "repetitions", "threads", "iterations"),
    *("real_time", "cpu_time", "time_unit"),
}


def run(tmp_path: Path, *words: str, **options: Any) -> tuple[Path, dict[str, Any]]:  # noqa: ANN401
    chosen = {"rounds": 4, "budget": "30s", "results": tmp_path / "results", **options}
    bench(Line(words, **chosen))
    folder = (tmp_path / "results" / "latest").resolve()
    return folder, json.loads((folder / NAME).read_text(encoding="utf-8"))


def test_every_launch_is_a_repetition_and_aggregates_follow(tmp_path: Path) -> None:
    words = ("sh", "-c", "echo rate=7.5 {n}")
    folder, written = run(
        *(tmp_path, *words), param=("n=1,2",), threads=("1",), metric=("rate=([0-9.]+)",)
    )

    entries = written["benchmarks"]
    assert all(set(entry) >= REQUIRED for entry in entries)
    assert {entry["run_name"] for entry in entries} == {"sh/n:1/threads:1", "sh/n:2/threads:1"}
    first = [entry for entry in entries if entry["run_name"] == "sh/n:1/threads:1"]
    launches = [entry for entry in first if entry["run_type"] == "iteration"]
    assert [entry["repetition_index"] for entry in launches] == [0, 1, 2, 3]
    assert {entry["rate"] for entry in launches} == {7.5}
    assert all(entry["cpu_time"] > 0.0 for entry in launches)
    row = next(row for row in read(folder).rows if row.cell.size == 1)
    times_s = [UNIT_S * entry["real_time"] for entry in launches]
    assert times_s == pytest.approx(row.summary.launch_medians_s)
    aggregates = {entry["aggregate_name"]: entry for entry in first if entry not in launches}
    assert list(aggregates) == ["mean", "median", "stddev", "cv"]
    assert UNIT_S * aggregates["median"]["real_time"] == pytest.approx(median(times_s))
    assert aggregates["median"]["name"] == "sh/n:1/threads:1_median"
    share = aggregates["stddev"]["real_time"] / aggregates["mean"]["real_time"]
    assert aggregates["cv"]["real_time"] == pytest.approx(share)
    assert written["context"]["json_schema_version"] == 1
    assert written["context"]["host_name"]


def test_what_has_no_time_is_named_and_has_no_zero(tmp_path: Path) -> None:
    with pytest.raises(WrongAnswerFound):
        run(tmp_path, "true", "--name", "bad", "--", "false", rounds=1)

    path = tmp_path / "results" / "latest" / NAME
    written = json.loads(path.read_text(encoding="utf-8"))

    assert {entry["run_name"] for entry in written["benchmarks"]} == {"true"}
    assert written["context"]["not_measured"] == "bad: ended with exit code 1"
    assert not any(entry.get("peak_rss_bytes") == 0.0 for entry in written["benchmarks"])
    assert "stddev" not in {entry.get("aggregate_name") for entry in written["benchmarks"]}


def test_a_launch_of_many_calls_has_their_median_and_its_cpu_time_only_where_it_is_known(
    tmp_path: Path,
) -> None:
    folder, _ = run(tmp_path, "true", rounds=1)
    found = read(folder)
    (record,) = [
        each
        for each in ResultFolder.open(folder).read_samples().records
        if each["record"] == "result"
    ]
    many = {
        **record,
        "samples_s": [0.3, 0.1, 0.2],
        "calls_per_sample": 4,
        "counters": [],
        "parallelism": {"cpu_over_wall": 1.5},
    }
    unknown = {**many, "parallelism": {"cpu_over_wall": None}}

    entry = content(found, [many])["benchmarks"][0]
    without = content(found, [unknown])

    assert UNIT_S * entry["real_time"] == pytest.approx(0.2)
    assert UNIT_S * entry["cpu_time"] == pytest.approx(0.3)
    assert entry["iterations"] == 12
    assert without["benchmarks"] == []
    assert without["context"]["not_measured"] == "true: no time, or no CPU time"

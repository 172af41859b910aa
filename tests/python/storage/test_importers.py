# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other benchmarks' outputs: read to the digit, and refused by name when torn."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from weft_lab.errors import ResultFolderError, UsageError
from weft_lab.suites.mpi.importers.curve import NotThatFormatError, TruncatedError
from weft_lab.suites.mpi.importers.extrap import Measurement, to_lines, write_extrap
from weft_lab.suites.mpi.importers.formats import read_curves, recognise
from weft_lab.suites.mpi.importers.gbench import read_gbench
from weft_lab.suites.mpi.importers.imb import read_imb
from weft_lab.suites.mpi.importers.osu import read_osu

OSU = """# OSU MPI Latency Test v7.3
# Size          Latency (us)
1                       0.27
1024                    0.55
# OSU MPI Bandwidth Test v7.3
# Size      Bandwidth (MB/s)
1048576             10000.00
"""


def imb_text() -> str:
    return resources.files("weft_lab").joinpath("data", "mpi", "imb_tcp.txt").read_text("utf-8")


def test_imb_tables_are_read_to_the_digit() -> None:
    (curve,) = read_imb(imb_text(), "x")

    assert (curve.benchmark, curve.num_ranks) == ("PingPong", 2)
    assert len(curve.points) == 30
    assert curve.points[1].time_s == pytest.approx(3.36e-6)
    assert curve.points[-1].size_bytes == 1 << 28
    assert curve.points[-1].repetitions == 1
    assert "from 8388608 bytes" in curve.notes[0]
    assert len(curve.positive()[0]) == 29


def test_a_torn_imb_file_is_named_with_its_last_size() -> None:
    whole = imb_text()
    cut = whole[: whole.index("      8388608")]
    with pytest.raises(TruncatedError, match="last size is 4194304 bytes"):
        read_imb(cut, "torn.txt")
    with pytest.raises(TruncatedError, match="4 columns"):
        read_imb(whole[: whole.index("1730.77")], "torn.txt")


def test_other_files_are_no_imb_output() -> None:
    with pytest.raises(NotThatFormatError, match="imb, osu and gbench"):
        read_imb("hello\n", "x")
    with pytest.raises(NotThatFormatError):
        read_osu("hello\n", "x")
    with pytest.raises(NotThatFormatError):
        read_gbench("{}", "x")


def test_osu_latency_and_bandwidth_are_read() -> None:
    latency, bandwidth = read_osu(OSU, "x")

    assert latency.points[1].time_s == pytest.approx(0.55e-6)
    assert bandwidth.points[0].time_s == pytest.approx(1048576 / 1e10)
    assert bandwidth.notes
    with pytest.raises(TruncatedError, match="1048576"):
        read_osu(OSU[: OSU.index("  10000.00")] + "\n", "x")
    with pytest.raises(TruncatedError, match="no end"):
        read_osu(OSU[:-4], "x")


def test_google_benchmarks_repetitions_become_medians() -> None:
    rows = [
        {"name": "copy/1024/real_time", "run_type": "iteration", "real_time": t, "time_unit": "us"}
        for t in (1.0, 5.0, 2.0)
    ]
    rows.append({"name": "copy/1024_mean", "run_type": "aggregate", "real_time": 9.0})
    (curve,) = read_gbench(json.dumps({"benchmarks": rows}), "x")

    assert curve.benchmark == "copy"
    assert curve.points[0].time_s == pytest.approx(2e-6)
    with pytest.raises(TruncatedError):
        read_gbench(json.dumps({"benchmarks": rows})[:-3], "x")


def test_formats_are_recognised_and_unknown_ones_named(tmp_path: Path) -> None:
    path = tmp_path / "osu.txt"
    path.write_text(OSU, encoding="utf-8")

    assert len(read_curves(path)) == 2
    assert recognise(imb_text()) == "imb"
    assert recognise("{}") == "gbench"
    with pytest.raises(UsageError, match="unknown format 'imbb'"):
        read_curves(path, "imbb")
    with pytest.raises(ResultFolderError, match="cannot read"):
        read_curves(tmp_path / "none.txt")


def test_extrap_gets_one_line_per_value(tmp_path: Path) -> None:
    found = [Measurement("jacobi", {"p": 2.0}, 1.5), Measurement("jacobi", {"p": 4.0}, 0.8)]

    lines = to_lines(found).splitlines()

    assert json.loads(lines[1]) == {
        "params": {"p": 4.0},
        "callpath": "jacobi",
        "metric": "time",
        "value": 0.8,
    }
    assert write_extrap(tmp_path / "x.jsonl", found).read_text("utf-8").count("\n") == 2
    with pytest.raises(ResultFolderError, match="nothing"):
        write_extrap(tmp_path / "y.jsonl", [])

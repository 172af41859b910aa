# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`merge --nodes`: ranks, planted slow nodes with their cause, and drift."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from history_runs import write_run
from weft_here import call_here
from weft_lab.advice import history
from weft_lab.advice.nodes import Nodes, nodes
from weft_lab.errors import UsageError
from weft_lab.pages.nodes import sentences

NODES = 8
PROGRAMS = {"copy": 0.5, "sort": 1.0, "solve": 2.0}


def quiet(_: str) -> None:
    pass


def times(seed: int, factor: float = 1.0, noise: float = 0.01) -> dict[str, list[float]]:
    generator = np.random.default_rng(seed)
    return {
        name: [float(factor * t * np.exp(noise * x)) for x in generator.standard_normal(20)]
        for name, t in PROGRAMS.items()
    }


def cpu(mhz: float | None, governor: str = "performance") -> dict[str, Any]:
    return {"details": {"cpu": {"frequency_max_mhz": mhz, "governor": {"value": governor}}}}


def write_node(
    results: Path,
    number: int,
    times_s: dict[str, list[float]],
    day: int = 0,
    **more: Any,  # noqa: ANN401 - fields of a run
) -> Path:
    machine = {"host": f"node{number}", **more.pop("machine", {})}
    return write_run(results, day * NODES + number, times_s, machine=machine, **more)


def ranked(results: Path) -> Nodes:
    return nodes(history.load(sorted(results.iterdir()), quiet))


def test_equal_nodes_are_ranked_without_an_outlier(tmp_path: Path) -> None:
    for number in range(NODES):
        write_node(tmp_path, number, times(number))

    found = ranked(tmp_path)

    assert len(found.members) == NODES
    assert found.benchmarks == 3
    assert found.apart == ()
    assert sentences(found) == ("No node of 8 differs significantly by more than 3 %.",)
    shifts = [node.ratio.value for node in found.members]
    assert shifts == sorted(shifts)
    assert all(node.ratio.low < node.ratio.value < node.ratio.high for node in found.members)
    assert sum(node.ratio.low <= 1.0 <= node.ratio.high for node in found.members) >= NODES - 2


@pytest.mark.parametrize(
    ("planted", "others", "cause"),
    [
        ({"waited": 0.2}, {"waited": 0.01}, "a neighbour: threads waited for a CPU 20 %"),
        ({"machine": cpu(2400.0)}, {"machine": cpu(3000.0)}, "clock: at most 2400 MHz"),
        ({"machine": cpu(None, "powersave")}, {"machine": cpu(None)}, "clock: governor powersave"),
        (
            {"bandwidth": [{"problem": "triad", "bytes_per_s": 6e10}]},
            {"bandwidth": [{"problem": "triad", "bytes_per_s": 8e10}]},
            "memory bandwidth: 25 % less than elsewhere",
        ),
        ({}, {}, "unknown: "),
    ],
)
def test_a_planted_slow_node_is_named_with_its_cause(
    tmp_path: Path, planted: dict[str, Any], others: dict[str, Any], cause: str
) -> None:
    for number in range(NODES):
        is_slow = number == 3
        more = planted if is_slow else others
        write_node(tmp_path, number, times(number, 1.15 if is_slow else 1.0), **dict(more))

    found = ranked(tmp_path)

    (slow,) = found.apart
    assert slow.host == "node3"
    assert found.members[-1] is slow
    assert slow.cause.startswith(cause)
    assert sentences(found)[0].startswith("node3 is slower by 15 % [")


def test_noise_is_a_cause_and_two_slow_nodes_are_both_named(tmp_path: Path) -> None:
    for number in range(NODES):
        is_slow = number in (1, 6)
        noise = 0.06 if number == 6 else 0.01
        write_node(tmp_path, number, times(number, 1.2 if is_slow else 1.0, noise))

    found = ranked(tmp_path)

    causes = {node.host: node.cause for node in found.apart}
    assert set(causes) == {"node1", "node6"}
    assert causes["node6"].startswith("noise: launches vary by")
    assert causes["node1"].startswith("unknown")


def test_drift_is_a_nodes_newest_run_over_the_one_before(tmp_path: Path) -> None:
    for day in (0, 1):
        for number in range(4):
            factor = 1.2 if (day, number) == (1, 2) else 1.0
            write_node(tmp_path, number, times(10 * day + number, factor), day)

    found = ranked(tmp_path)

    drifted = [node for node in found.members if node.has_drifted]
    assert [node.host for node in drifted] == ["node2"]
    assert drifted[0].drift.low < 1.2 < drifted[0].drift.high
    assert all(node.num_runs == 2 for node in found.members)
    assert "1 of 4 nodes drifted since their run before; node2 by +" in sentences(found)[-1]


def test_one_node_and_nodes_without_a_common_benchmark_are_refused(tmp_path: Path) -> None:
    one = [write_node(tmp_path / "one", 0, times(day), day) for day in (0, 1)]
    with pytest.raises(UsageError, match="these runs are of one node, node0"):
        nodes(history.load(one, quiet))

    two = [write_node(tmp_path / "two", n, {f"p{n}": [1.0, 1.1]}) for n in (0, 1)]
    with pytest.raises(UsageError, match="no benchmark in common"):
        nodes(history.load(two, quiet))


def test_the_verb_writes_page_table_and_figure(tmp_path: Path) -> None:
    for number in range(NODES):
        write_node(tmp_path / "r", number, times(number, 1.15 if number == 3 else 1.0))
    (tmp_path / "r" / "2026-01-04T000000-host" / "manifest.json").rename(tmp_path / "kept.json")
    text = (tmp_path / "kept.json").read_text(encoding="utf-8")
    (tmp_path / "r" / "2026-01-04T000000-host" / "manifest.json").write_text(text, encoding="utf-8")

    paths = [str(path) for path in sorted((tmp_path / "r").iterdir())]
    done = call_here("merge", "--nodes", "--output", "out", *paths, cwd=tmp_path, COLUMNS="200")

    assert done.returncode == 0, done.stderr
    assert "node3 is slower by 15 %" in done.stdout
    with (tmp_path / "out" / "tables" / "nodes.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["outlier"] for row in rows] == [*[""] * (NODES - 1), "slower"]
    assert "node3 is slower" in (tmp_path / "out" / "nodes.html").read_text(encoding="utf-8")
    assert (tmp_path / "out" / "figures" / "nodes.png").stat().st_size > 0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halos between two hosts on one machine: by messages alone, and right; skipped without root."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from weft_lab.halo import building
from weft_lab.mpi import hosts
from weft_lab.mpi.installations import Installation, find_installations
from weft_lab.mpi.launching import Launch, Outcome, run
from weft_lab.mpi.transports import transports_of
from weft_lab.suites import CHECKOUT

pytestmark = pytest.mark.skipif(bool(hosts.why_not()), reason=hosts.why_not())


def program_of(one: Installation) -> Path | None:
    """Its program where a build has left one: compiling is not this test's business."""
    places = [building.program_of(one)]
    places += [
        CHECKOUT / "build" / preset / "bin" / building.PROGRAM for preset in ("dev", "bench")
    ]
    return next((path for path in places if path.is_file()), None)


def launch(
    where: hosts.Hosts, num_ranks: int, *arguments: str, mode: str = "exchange", samples: int = 2
) -> Outcome:
    one = next((each for each in find_installations() if each.family == "openmpi"), None)
    if one is None:
        pytest.skip("there is no Open MPI here")
    program = program_of(one)
    if program is None:
        pytest.skip("weft_mpi_halo is not built: ./weft run --suite halo --quick")
    tcp = transports_of(one, ["tcp"])[0]
    agent, network = str(where.agent), where.network
    times = ("--samples", str(samples), "--sample-ms", "1", "--report")
    words = (mode, *arguments, *times)
    what = Launch(one, program, words, num_ranks, tcp, where.addresses, agent, network, True)
    return run(replace(what, prefix=where.prefix), 100.0)


@pytest.mark.parametrize(
    ("num_ranks", "dims", "boundary"),
    [(2, "2,1,1", "--periodic"), (2, "1,1,2", "--open"), (4, "2,1,2", "--periodic")],
)
def test_every_cell_arrives_from_the_other_host(
    tmp_path: Path, num_ranks: int, dims: str, boundary: str
) -> None:
    with hosts.two_hosts(tmp_path) as where:
        outcome = launch(where, num_ranks, "--size", "9,7,8", "--dims", dims, boundary)

    assert outcome.failure == "", outcome.stderr
    assert len(outcome.results) >= 10
    assert {row["status"] for row in outcome.results} == {"ok"}
    reports = {row["contestant"]: row["report"] for row in outcome.results if "report" in row}
    for name in ("weft_own_memory", "weft_make_field", "weft_own_memory_bound"):
        assert "messages" in reports[name]
        assert "itself: copies" in reports[name] or dims == "1,1,2"
        if num_ranks == 2:
            assert "shared memory" not in reports[name]
            assert "shared fields" not in reports[name]
    left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert not any(name in left.stdout for name in where.names)


def test_ranks_of_one_host_still_share_memory(tmp_path: Path) -> None:
    """Four ranks, two on each host: both paths in one exchange, of rows too wide to be packed."""
    with hosts.two_hosts(tmp_path) as where:
        outcome = launch(where, 4, "--size", "48", "--dims", "2,2,1", "--only", "weft_make_field")

    assert outcome.failure == "", outcome.stderr
    report = outcome.results[0]["report"]
    assert "one copy from shared fields" in report
    assert "messages" in report


@pytest.mark.timed
def test_what_a_cable_carries_hides_behind_a_computation_that_asks(tmp_path: Path) -> None:
    """The cable takes most of the time and no CPU, so that a busy machine changes little."""
    case = ("--size", "64", "--halo", "3", "--fields", "3", "--dims", "2,1,1")
    only = ("--only", "by_hand_rounds,weft_own_memory,weft_make_field")
    with hosts.two_hosts(tmp_path, "200mbit") as where:
        outcome = launch(where, 2, *case, *only, mode="overlap", samples=5)

    assert outcome.failure == "", outcome.stderr
    rows = {row["contestant"]: row for row in outcome.results}
    assert set(rows) == {"by_hand_rounds", "weft_own_memory", "weft_make_field"}
    for name, row in rows.items():
        kinds = ("alone_s", "compute_s", "in_turn_s", "together_s", "progressed_s")
        alone, compute, in_turn, together, asked = (min(row[kind]) for kind in kinds)
        print(
            f"{name}: alone {1e3 * alone:.1f} ms, computation {1e3 * compute:.1f}, one after the "
            f"other {1e3 * in_turn:.1f}, at once {1e3 * together:.1f}, asking {1e3 * asked:.1f}"
        )
        assert alone > 15e-3
        assert asked < 0.85 * (alone + compute)

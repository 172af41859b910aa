# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suite's tables say of planted records: whose they are, and which are none."""

from __future__ import annotations

import io
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mpi_records import (
    COLD_BYTES_PER_S,
    FAST_BYTES_PER_S,
    SIZES_BYTES,
    SLOW_BYTES_PER_S,
    kernels,
    ping_pong,
    results_of,
    row,
)
from rich.console import Console
from weft_lab.errors import MissingError
from weft_lab.measuring.mpi import hosts
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.launching import Outcome
from weft_lab.measuring.mpi.nodes import Nodes
from weft_lab.measuring.mpi.recording import Recorder
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.progress import RunProgress
from weft_lab.measuring.stopping import StopSignal
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.mpi import building, jacobi_tables, page, plan, ring_tables, tables
from weft_lab.suites.mpi import measure as session
from weft_lab.suites.mpi.reproduce import published_jacobi
from weft_lab.suites.mpi.results import read

LOOPBACK = "127.0.0.77"


def ring(ranks: int) -> dict[str, Any]:
    return row("ring", f"ring {ranks}", ranks * 1e-6, num_ranks=ranks)


def test_faces_are_packed_at_the_rate_of_copied_bytes_not_of_traffic() -> None:
    found = jacobi_tables.jacobi_node(
        results_of([*kernels(1.0), *ping_pong(FAST_BYTES_PER_S, "hot")]), "a", "shm", 2
    )

    assert found is not None
    assert found.core_memory_bytes_per_s == pytest.approx(2.4e10)
    assert found.copy_bytes_per_s == pytest.approx(8e9)


def test_a_prediction_takes_the_slower_messages_of_its_own_mpi_and_transport() -> None:
    rows = [
        *kernels(1.0),
        *kernels(0.1, mpi="b"),
        *ping_pong(FAST_BYTES_PER_S, "hot"),
        *ping_pong(COLD_BYTES_PER_S, "cold"),
        *ping_pong(SLOW_BYTES_PER_S, "hot", transport="tcp"),
        *ping_pong(SLOW_BYTES_PER_S, "cold", mpi="b"),
    ]

    found = jacobi_tables.jacobi_node(results_of(rows), "a", "shm", 2)

    assert found is not None
    assert found.links["node"].pair_bytes_per_s == pytest.approx(COLD_BYTES_PER_S, rel=1e-3)
    assert found.core_memory_bytes_per_s == pytest.approx(2.4e10)
    tcp = jacobi_tables.jacobi_node(results_of(rows), "a", "tcp", 2)
    assert tcp is not None, "kernels exchange no messages: any transport's will do"
    assert tcp.links["node"].pair_bytes_per_s == pytest.approx(SLOW_BYTES_PER_S, rel=1e-3)
    assert tcp.core_memory_bytes_per_s == pytest.approx(2.4e10)
    fast_cold = [
        *kernels(1.0),
        *ping_pong(COLD_BYTES_PER_S, "hot"),
        *ping_pong(FAST_BYTES_PER_S, "cold"),
    ]
    other = jacobi_tables.jacobi_node(results_of(fast_cold), "a", "shm", 2)
    assert other is not None
    assert other.links["node"].pair_bytes_per_s == pytest.approx(COLD_BYTES_PER_S, rel=1e-3)


def test_a_ring_shows_classes_of_links_only_with_two_sizes_of_three_ranks_and_more() -> None:
    assert ring_tables.ring_classes(results_of(ring(ranks) for ranks in (1, 2, 4))) == []

    ((mpi, link),) = ring_tables.ring_classes(results_of(ring(ranks) for ranks in (1, 2, 3, 4)))

    assert mpi == "a"
    assert (link.first, link.last) == (3, 4)
    assert link.step.value == pytest.approx(1e-6)


def test_what_a_failed_launch_timed_is_no_result() -> None:
    failed = {"launch": 2, "launch_failure": "ended with exit code 137: a rank died"}
    rows = [
        *ping_pong(FAST_BYTES_PER_S, "hot"),
        *ping_pong(SLOW_BYTES_PER_S, "hot", **failed),
        ring(3),
        {**ring(4), **failed},
    ]

    found = results_of(rows)

    (series,) = found.series()
    assert len(series.launches) == 1
    assert series.times_s()[-1] == pytest.approx(1e-6 + SIZES_BYTES[-1] / FAST_BYTES_PER_S)
    assert [case.label for case in found.cases("ring")] == ["ring 3"]


def test_records_of_a_failed_launch_are_kept_and_marked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = {"schema": 1, "record": "mpi_result", **ring(3)}
    outcomes = iter([Outcome((record,), "", ""), Outcome((record,), "a rank died", "")])
    monkeypatch.setattr(session, "run", lambda what, limit_s: next(outcomes))
    job = plan.Job("ring 3", Installation("openmpi", "5", Path("r"), Path("c")), None, 3, ("ring",))
    folder = ResultFolder.create(tmp_path)
    folder.write_manifest({"run_id": "x", "mpi": {}})
    with folder.append() as writer, StopSignal() as stop:
        console = Console(file=io.StringIO())
        with RunProgress(console) as progress:
            recorder = Recorder("mpi", folder, writer, progress, stop, [])
            place = session._Place(Nodes(), Capacity(2, 2))
            ours = session._Session(RunOptions("quick"), place, session._State(), recorder)
            ours._programs[job.installation] = tmp_path / building.PROGRAM
            for round_ in (1, 2):
                ours._launch(job, round_)

    found = read(folder.path)

    assert [row.get("launch_failure") for row in found.records] == [None, "a rank died"]
    assert [len(case.records) for case in found.cases("ring")] == [1]


@pytest.mark.parametrize("text", [None, "{", '{"skipped": 3}', '{"skipped": [{"code": "x"}]}'])
def test_skips_that_cannot_be_read_are_said_not_to_be_known(
    tmp_path: Path, text: str | None
) -> None:
    folder = ResultFolder.create(tmp_path)
    folder.write_manifest({"run_id": "x", "mpi": {}})
    with folder.append():
        pass
    if text is not None:
        folder.skipped_path.write_text(text, encoding="utf-8")

    ((kind, message, remedy),) = tables.skipped_table(read(folder.path)).rows

    assert kind == "unknown"
    assert "is not known: skipped.json cannot be read" in str(message)
    assert "./weft report" in str(remedy)


def test_the_summarys_speed_is_the_middle_launchs() -> None:
    speeds = (9e6, 2e6, 3e6)
    rows = [
        row("jacobi", "jacobi 1x1x1", 1.0, launch=launch, updates_per_s=speed)
        for launch, speed in enumerate(speeds)
    ]

    assert page.summary(results_of(rows))["jacobi_mlups"] == {"jacobi 1x1x1": 3.0}


def test_the_published_tables_note_says_what_equation_14_does() -> None:
    note = published_jacobi("X").note

    assert "Equation 14 gives each rank 1200³ points of its own (weak)" in note
    assert "does not say" not in note


def test_a_receiver_whose_sender_ends_early_ends_too() -> None:
    command = [sys.executable, "-c", hosts.RECEIVER, LOOPBACK, "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as receiver:
        assert receiver.stdout is not None
        assert receiver.stdout.readline() == "ready\n"
        with socket.create_connection((LOOPBACK, hosts.PORT)) as peer:
            peer.sendall(bytes(10))
        told, _ = receiver.communicate(timeout=120)

    assert told == "the sender ended after 10 of 1000 bytes\n"
    assert receiver.returncode == 1


def plant_ip(folder: Path, patch: pytest.MonkeyPatch, body: str) -> hosts.Hosts:
    """An `ip` that runs commands of host b here, and does `body` for those of host a."""
    script = folder / "ip"
    script.write_text(
        f'#!/bin/sh\nhost=$3\nshift 3\n[ "$host" = a ] && {{ {body}; }}\nexec "$@"\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    patch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return hosts.Hosts((LOOPBACK, LOOPBACK), ("a", "b"), folder / "agent")


def test_a_sender_that_fails_leaves_no_receiver_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where = plant_ip(tmp_path, monkeypatch, 'echo "no route" >&2; exit 2')

    with pytest.raises(MissingError, match="ip netns exec a") as told:
        hosts.socket_rate(where, 1000)
    assert told.value.why == "no route"
    with pytest.raises(ConnectionRefusedError), socket.create_connection((LOOPBACK, hosts.PORT)):
        pass


def test_a_transfer_of_any_size_has_a_rate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    where = plant_ip(tmp_path, monkeypatch, ":")

    assert hosts.socket_rate(where, (1 << 20) + 7) > 0.0

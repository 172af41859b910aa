# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two hosts on one machine: ranks find each other across a cable; skipped without root."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from mpi_programs import program_of
from weft_lab.measuring.mpi import hosts
from weft_lab.measuring.mpi.installations import find_installations
from weft_lab.measuring.mpi.launching import Launch, Outcome, run
from weft_lab.measuring.mpi.transports import transports_of

pytestmark = pytest.mark.skipif(bool(hosts.why_not()), reason=hosts.why_not())


def launch(where: hosts.Hosts, *arguments: str) -> Outcome:
    one = next((each for each in find_installations() if each.family == "openmpi"), None)
    if one is None:
        pytest.skip("there is no Open MPI here")
    program = program_of(one)
    if program is None:
        pytest.skip("weft_mpi is not built: ./weft run --suite mpi --quick")
    tcp = transports_of(one, ["tcp"])[0]
    agent, network = str(where.agent), where.network
    what = Launch(one, program, arguments, 2, tcp, where.addresses, agent, network)
    return run(replace(what, prefix=where.prefix), 60.0)


def test_ranks_of_two_hosts_find_each_other_and_nothing_is_left(tmp_path: Path) -> None:
    with hosts.two_hosts(tmp_path) as where:
        outcome = launch(where, "ring", "--max-samples", "3", "--min-samples", "1")

        assert outcome.failure == "", outcome.stderr
        assert outcome.program is not None
        assert {rank["host"] for rank in outcome.program["ranks"]} == set(where.names)
    left = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    assert not any(name in left.stdout for name in where.names)


def test_a_host_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    with hosts.two_hosts(tmp_path) as where:
        gone = hosts.Hosts((where.addresses[0], "10.77.0.9"), where.names, where.agent)
        outcome = launch(gone, "ring")

    assert outcome.failure
    assert "10.77.0.9" in outcome.failure + outcome.stderr

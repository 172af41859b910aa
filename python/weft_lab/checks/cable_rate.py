# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether a fit of messages over a cable limited to 1 Gbit/s gives the rate of a plain socket.

Two hosts in network namespaces, with one CPU each. The rank shares its CPU with the kernel's part
of the network: waiting ranks yield it, or they would delay their own packets. As a program, it
exits with 1 unless both rates agree within 5 %, and with 77 and the reason if it cannot run.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from weft_lab.checks import NOT_CHECKED
from weft_lab.measuring.mpi import hosts
from weft_lab.measuring.mpi.installations import find_installations
from weft_lab.measuring.mpi.launching import Launch, run
from weft_lab.measuring.mpi.transports import transports_of
from weft_lab.models.latency_bandwidth import relative
from weft_lab.statistics.estimates import median
from weft_lab.suites.mpi import building

RATE = "1gbit"
SIZES = tuple(1 << power for power in (22, 23, 24, 25))
YIELD = ("--mca", "mpi_yield_when_idle", "1")
WITHIN = 0.05
TIMEOUT_S = 60.0


def rates(folder: Path) -> tuple[float, float]:
    """Bytes per second: of the fit, and of one socket stream over the same cable."""
    one = next(each for each in find_installations() if each.family == "openmpi")
    arguments = ("pingpong", "--sizes", ",".join(map(str, SIZES)), "--min-samples", "5")
    found = transports_of(one, ["tcp"])[0]
    tcp = replace(found, arguments=(*found.arguments, *YIELD))
    with hosts.two_hosts(folder, RATE) as where:
        plain = hosts.socket_rate(where)
        agent, network = str(where.agent), where.network
        program = building.build(one)
        what = Launch(one, program, arguments, 2, tcp, where.addresses, agent, network)
        outcome = run(replace(what, prefix=where.prefix), TIMEOUT_S)
    if outcome.failure:
        raise SystemExit(outcome.failure)
    times = [median(row["samples_s"]) for row in outcome.results]
    fitted = relative([float(size) for size in SIZES], times).bandwidth_bytes_per_s
    return fitted or 0.0, plain


def main() -> int:
    """Measures both rates and prints them."""
    reason = hosts.why_not()
    if not reason and not any(each.family == "openmpi" for each in find_installations()):
        reason = "there is no Open MPI"
    if reason:
        print(f"{reason}")
        return NOT_CHECKED
    with tempfile.TemporaryDirectory() as folder:
        fitted, plain = rates(Path(folder))
    print(f"fitted {fitted / 1e6:.1f} MB/s, a socket {plain / 1e6:.1f} MB/s")
    return 0 if abs(fitted / plain - 1.0) <= WITHIN else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of a run of the suite: the cells of two ranks by each transport, and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.transports import Transport, transports_of

# One rank per processor, one worker per rank.
ON_EVERY_TRANSPORT = (
    *("round_trip", "busy_round_trip", "post_rate", "bandwidth", "collective"),
    *("gups", "heat", "uts"),
)
PROBLEMS = (*ON_EVERY_TRANSPORT, "idle", "memory")
TRANSPORTS = ("shm", "tcp")
# Of the MPIs that choose the transport of ranks of one node by themselves.
OWN_CHOICE = "default"
RANKS = 2
# Ranks share CPUs: only bytes are counted.
MEMORY_RANKS = (2, 5)
ROUNDS_MAX = 1000
SIZES = (8, 512, 8192, 65536, 262144, 1 << 20, 4 << 20, 16 << 20)
# Samples of these take seconds each.
FEW = {"idle": 2, "memory": 1, "uts": 3}


@dataclass(frozen=True)
class Job:
    """One kind of launch, in each of the first `rounds`. Units: milliseconds per sample."""

    problem: str
    label: str
    installation: Installation
    transport: Transport | None
    num_ranks: int = RANKS
    samples: int = 7
    sample_ms: int = 20
    is_functional: bool = False
    rounds: int = ROUNDS_MAX

    @property
    def transport_name(self) -> str:
        return OWN_CHOICE if self.transport is None else self.transport.name

    def arguments(self) -> tuple[str, ...]:
        """The arguments of the program."""
        samples = str(FEW.get(self.problem, self.samples))
        times = ("--samples", samples, "--sample-ms", str(self.sample_ms))
        sizes = ("--sizes", ",".join(map(str, SIZES)))
        return (self.problem, *times, *(sizes if self.problem == "bandwidth" else ()))


@dataclass(frozen=True)
class Tier:
    """The sizes of a run. Units: `_s` seconds for all of a run's measuring."""

    rounds: int
    budget_s: float
    samples: int
    sample_ms: int


TIERS: Mapping[str, Tier] = {
    "quick": Tier(3, 110.0, 5, 10),
    "default": Tier(7, 600.0, 7, 20),
    "full": Tier(15, 2400.0, 11, 40),
}


def jobs(
    tier: Tier, installations: Sequence[Installation], cpus: int, only: Sequence[str]
) -> list[Job]:
    """Every job of the problems asked for."""
    wanted = tuple(only) or PROBLEMS
    found = [job for one in installations for job in _of(tier, one, cpus)]
    return [job for job in found if job.problem in wanted]


def _of(tier: Tier, one: Installation, cpus: int) -> list[Job]:
    chosen: list[Transport | None] = list(transports_of(one, TRANSPORTS))
    found = []
    for transport in chosen or [None]:
        name = OWN_CHOICE if transport is None else transport.name
        if cpus >= RANKS:
            found += [
                Job(
                    *(problem, f"{problem}, {name}", one, transport),
                    samples=tier.samples,
                    sample_ms=tier.sample_ms,
                )
                for problem in ON_EVERY_TRANSPORT
            ]
    first = chosen[0] if chosen else None
    if cpus >= RANKS:
        found.append(Job("idle", "idle", one, first, rounds=2))
    found += [
        Job(*("memory", f"memory {ranks}", one, first, ranks), is_functional=True, rounds=2)
        for ranks in MEMORY_RANKS
    ]
    return found

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a run of the suite launches: ping-pongs of every transport, ring, sum, Jacobi, kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from weft_lab.machine import memory_available_bytes
from weft_lab.models.decomposition import Dims, factorings
from weft_lab.mpi.installations import Installation
from weft_lab.mpi.transports import Transport

# All pairs of ranks: their latency, and their bandwidth beyond what one cache holds.
PAIRS_CPUS_MIN, PAIRS_SIZES = 2, "1,4194304"
# Of two CPUs there is one pair, and it is measured anyway.
PLACEMENTS_CPUS_MIN = 3
# Two copies of a number in double precision.
WEAK_CELL_BYTES = 16
PROBLEMS = ("ring", "sum3d", "pingpong", "jacobi", "bandwidth", "pack")


@dataclass(frozen=True)
class Tier:
    """Sizes as exponents of two; `steps`: sizes per octave. Units: seconds per size."""

    exponents: tuple[int, int]
    steps: int
    size_s: float
    rounds: int
    matrix: tuple[int, int, int]
    side: int


TIERS: Mapping[str, Tier] = {
    "quick": Tier((0, 26), 1, 0.02, 5, (240, 100, 100), 128),
    "default": Tier((0, 28), 3, 0.05, 10, (1200, 100, 100), 256),
    "full": Tier((0, 28), 3, 0.2, 30, (2400, 100, 100), 320),
}


@dataclass(frozen=True)
class Job:
    """One kind of launch, repeated in every round. `transport`: empty is the MPI's own choice.
    `num_hosts`: over how many hosts its ranks are spread.
    """

    label: str
    installation: Installation
    transport: Transport | None
    num_ranks: int
    arguments: tuple[str, ...]
    is_functional: bool = False
    num_hosts: int = 1

    @property
    def problem(self) -> str:
        return self.arguments[0]


def sizes_of(tier: Tier) -> list[int]:
    """Message sizes in bytes: powers of two, with steps between and one byte around thresholds."""
    first, last = tier.exponents
    sizes = {
        round(2 ** (exponent + step / tier.steps))
        for exponent in range(first, last + 1)
        for step in range(tier.steps)
    }
    if tier.steps > 1:
        sizes |= {2**exponent + 1 for exponent in range(10, 21, 2)}
    return sorted(size for size in sizes if size <= 2**last)


def jobs(
    tier: Tier, usable: Mapping[Installation, Sequence[Transport]], cpus: int, only: Sequence[str]
) -> list[Job]:
    """Every job on these CPUs; ping-pong with every usable transport, the rest with the first."""
    found: list[Job] = []
    for one, transports in usable.items():
        for each in transports:
            found += _pingpong(tier, one, each, cpus)
        best = transports[0] if transports else None
        if best is not None and cpus >= PAIRS_CPUS_MIN:
            pairs = ("pingpong", "--mode", "pairs", "--sizes", PAIRS_SIZES, *_times(tier.size_s, 5))
            found.append(Job("pingpong pairs", one, best, cpus, pairs))
        found += _ring(one, best, cpus)
        found += _sum3d(tier, one, best, cpus)
    for one, transports in list(usable.items())[:1]:
        found += _jacobi(tier, one, transports[0] if transports else None, cpus)
    return [job for job in found if not only or job.problem in only]


def weft_halos(found: Sequence[Job], halos: Mapping[Installation, Sequence[str]]) -> list[Job]:
    """Each sweep of several ranks once more with weft's halos, where the program has them."""
    return [
        replace(job, label=f"{job.label} weft", arguments=(*job.arguments, "--halo", "weft"))
        for job in found
        if job.problem == "jacobi"
        and job.num_ranks > 1
        and "weft" in halos.get(job.installation, ())
    ]


def jobs_across(
    tier: Tier,
    usable: Mapping[Installation, Sequence[Transport]],
    cpus: int,
    num_hosts: int,
    only: Sequence[str],
) -> list[Job]:
    """Every job that spreads ranks over all hosts, each with these CPUs: ping-pongs with every
    transport that reaches another host, of one pair and of all CPUs at once; rings and sweeps with
    the first.
    """
    found: list[Job] = []
    sizes = ",".join(str(size) for size in sizes_of(tier))
    for one, transports in usable.items():
        for each in transports:
            arguments = ("pingpong", "--sizes", sizes, *_times(tier.size_s, 5))
            found.append(Job("pingpong hosts", one, each, 2, arguments, num_hosts=2))
            if cpus > 1:
                many = ("pingpong", "--mode", "multipair", *arguments[1:])
                label = f"pingpong hosts {cpus} pairs"
                found.append(Job(label, one, each, 2 * cpus, many, num_hosts=2))
        for ranks in sorted({num_hosts, num_hosts * cpus} if transports else ()):
            label, arguments = f"ring hosts {ranks}", ("ring", *_times(0.05, 10))
            found.append(Job(label, one, transports[0], ranks, arguments, num_hosts=num_hosts))
    for one, transports in [row for row in usable.items() if row[1]][:1]:
        for grid in factorings(num_hosts * cpus):
            label, ranks = f"jacobi hosts {_name(grid)}", num_hosts * cpus
            sweep = _sweep(tier.side, grid)
            found.append(Job(label, one, transports[0], ranks, sweep, num_hosts=num_hosts))
    return [job for job in found if not only or job.problem in only]


def _pingpong(tier: Tier, one: Installation, transport: Transport, cpus: int) -> list[Job]:
    if cpus < 2:
        return []
    sizes = ",".join(str(size) for size in sizes_of(tier))
    times = _times(tier.size_s, 5)
    found = [
        Job("pingpong hot", one, transport, 2, ("pingpong", "--sizes", sizes, *times)),
    ]
    few = ",".join(str(size) for size in sizes_of(tier)[:: 3 if tier.steps == 1 else 1])
    if transport.between == "node":
        cold = ("pingpong", "--cache", "cold", "--sizes", few, *times)
        small = ("pingpong", "--mode", "loggp", "--sizes", "1,64,1024,4096", *times)
        found += [
            Job("pingpong cold", one, transport, 2, cold),
            Job("pingpong loggp", one, transport, 2, small),
        ]
    if cpus >= PLACEMENTS_CPUS_MIN:
        classes = ("pingpong", "--mode", "placements", "--sizes", few, *times)
        found.append(Job("pingpong placements", one, transport, cpus, classes))
    if cpus >= 4:
        pairs = ("pingpong", "--mode", "multipair", "--sizes", sizes, *times)
        found.append(Job("pingpong multipair", one, transport, cpus // 2 * 2, pairs))
    return found


def _ring(one: Installation, transport: Transport | None, cpus: int) -> list[Job]:
    arguments = ("ring", *_times(0.05, 10))
    return [
        Job(f"ring {ranks}", one, transport, ranks, arguments, ranks > cpus)
        for ranks in sorted({*range(1, cpus + 1), 3, 4})
    ]


def _sum3d(tier: Tier, one: Installation, transport: Transport | None, cpus: int) -> list[Job]:
    if cpus < 2:
        return []
    size = ",".join(map(str, tier.matrix))
    found = []
    for grid in factorings(cpus):
        base = ("sum3d", "--size", size, "--topology", ",".join(map(str, grid)), *_times(0.2, 10))
        if all(side >= dim for side, dim in zip(tier.matrix, grid, strict=True)):
            name = "x".join(map(str, grid))
            found += [
                Job(f"sum3d {name} a=0", one, transport, cpus, base),
                Job(f"sum3d {name} a=1", one, transport, cpus, (*base, "--a", "1")),
            ]
    late = ("sum3d", "--size", size, "--fresh", "yes", *_times(0.2, 10))
    found += [
        Job("sum3d late root", one, transport, cpus, (*late, "--barrier", "no")),
        Job("sum3d late root, barrier", one, transport, cpus, (*late, "--barrier", "yes")),
    ]
    return found


def _jacobi(tier: Tier, one: Installation, transport: Transport | None, cpus: int) -> list[Job]:
    found = []
    for ranks in sorted({1, *(2**power for power in range(1, cpus.bit_length())), cpus}):
        if ranks > cpus:
            continue
        kernels = ("bandwidth", *_times(0.1, 10))
        found.append(Job(f"bandwidth {ranks}", one, transport, ranks, kernels))
        for grid in factorings(ranks):
            sweep = _sweep(tier.side, grid)
            found.append(Job(f"jacobi {_name(grid)}", one, transport, ranks, sweep))
    if cpus > 1:
        grid = factorings(cpus)[-1]
        hidden = (*_sweep(tier.side, grid), "--exchange", "overlapped")
        found.append(Job(f"jacobi {_name(grid)} overlapped", one, transport, cpus, hidden))
        side = weak_side(tier.side, cpus, memory_available_bytes())
        grown = (*_sweep(side, grid), "--scaling", "weak")
        found.append(Job(f"jacobi {_name(grid)} weak", one, transport, cpus, grown))
    packing = ("pack", "--size", ",".join([str(tier.side)] * 3), *_times(0.05, 10))
    found.append(Job("pack 1", one, transport, 1, packing))
    return found


def weak_side(side: int, num_ranks: int, memory_bytes: int) -> int:
    """The side of each rank's own box: halved until all boxes take a quarter of the memory."""
    while side > 1 and 4 * WEAK_CELL_BYTES * num_ranks * side**3 > memory_bytes:
        side //= 2
    return side


def _sweep(side: int, grid: Dims) -> tuple[str, ...]:
    topology = ",".join(map(str, grid))
    return ("jacobi", "--size", str(side), "--topology", topology, *_times(0.3, 10))


def _name(grid: Dims) -> str:
    return "x".join(map(str, grid))


def _times(seconds: float, samples: int) -> tuple[str, ...]:
    return (
        "--min-samples",
        str(samples),
        "--min-time",
        str(0.5 * seconds),
        "--max-time",
        str(seconds),
    )

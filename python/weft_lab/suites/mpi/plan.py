# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of a run of the suite: ping-pongs of every transport, ring, sum, Jacobi, kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from weft_lab.machine.facts import memory_available_bytes
from weft_lab.measuring.mpi.capacity import Capacity
from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.mpi.transports import Transport
from weft_lab.models.decomposition import Dims, factorings

# All pairs of ranks: their latency, and their bandwidth for messages larger than a cache.
PAIRS_CORES_MIN, PAIRS_SIZES = 2, "1,4194304"
# Of two cores there is one pair, and it is measured anyway.
PLACEMENTS_CORES_MIN = 3
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
    "quick": Tier((0, 26), 1, 0.02, 5, (240, 100, 100), 192),
    "default": Tier((0, 28), 3, 0.05, 10, (1200, 100, 100), 256),
    "full": Tier((0, 28), 3, 0.2, 30, (2400, 100, 100), 320),
}


@dataclass(frozen=True)
class Job:
    """One kind of launch, repeated in every round. `transport`: empty is the MPI's own choice.
    `num_hosts`: over how many hosts its ranks are spread. `on_siblings`: the two ranks are on
    hardware threads of one core.
    """

    label: str
    installation: Installation
    transport: Transport | None
    num_ranks: int
    arguments: tuple[str, ...]
    is_functional: bool = False
    num_hosts: int = 1
    on_siblings: bool = False

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


def ping_pong(tier: Tier, sizes: Sequence[int]) -> tuple[str, ...]:
    """The bench program's arguments for the suite's own samples of these sizes."""
    return ("pingpong", "--sizes", ",".join(map(str, sizes)), *_times(tier.size_s, 5))


def jobs(
    tier: Tier,
    usable: Mapping[Installation, Sequence[Transport]],
    room: Capacity,
    only: Sequence[str],
) -> list[Job]:
    """Every job on a host with this capacity.

    Ping-pongs run with every usable transport, the others with the first. Each rank has its own
    core, unless a job asks for more ranks than cores.
    """
    found: list[Job] = []
    for one, transports in usable.items():
        for each in transports:
            found += _pingpong(tier, one, each, room)
        best = transports[0] if transports else None
        if best is not None and room.cores >= PAIRS_CORES_MIN:
            pairs = ("pingpong", "--mode", "pairs", "--sizes", PAIRS_SIZES, *_times(tier.size_s, 5))
            found.append(Job("pingpong pairs", one, best, room.cores, pairs))
        found += _ring(one, best, room.threads)
        shapes = sum_shapes(tier)
        for shape in shapes if tuple(only) == ("sum3d",) else shapes[:1]:
            found += _sum3d(shape, one, best, room.cores)
        found += _late_root(shapes[0], one, best, room.cores)
    for one, transports in list(usable.items())[:1]:
        found += _jacobi(tier, one, transports[0] if transports else None, room)
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
    cores: int,
    num_hosts: int,
    only: Sequence[str],
) -> list[Job]:
    """Every job that spreads ranks over all hosts, each with that many cores.

    Ping-pongs run with every transport that reaches another host, of one pair and of all cores at
    once; rings and sweeps with the first.
    """
    found: list[Job] = []
    arguments = ping_pong(tier, sizes_of(tier))
    for one, transports in usable.items():
        for each in transports:
            found.append(Job("pingpong hosts", one, each, 2, arguments, num_hosts=2))
            if cores > 1:
                many = ("pingpong", "--mode", "multipair", *arguments[1:])
                label = f"pingpong hosts {cores} pairs"
                found.append(Job(label, one, each, 2 * cores, many, num_hosts=2))
        for ranks in sorted({num_hosts, num_hosts * cores} if transports else ()):
            label, cycles = f"ring hosts {ranks}", ("ring", *_times(0.05, 10))
            found.append(Job(label, one, transports[0], ranks, cycles, num_hosts=num_hosts))
    for one, transports in [row for row in usable.items() if row[1]][:1]:
        for grid in factorings(num_hosts * cores):
            label, ranks = f"jacobi hosts {_name(grid)}", num_hosts * cores
            sweep = _sweep(tier.side, grid)
            found.append(Job(label, one, transports[0], ranks, sweep, num_hosts=num_hosts))
    return [job for job in found if not only or job.problem in only]


def _pingpong(tier: Tier, one: Installation, transport: Transport, room: Capacity) -> list[Job]:
    if room.threads < 2:
        return []
    sizes = ",".join(str(size) for size in sizes_of(tier))
    times = _times(tier.size_s, 5)
    found = [Job("pingpong hot", one, transport, 2, ping_pong(tier, sizes_of(tier)))]
    few = ",".join(str(size) for size in sizes_of(tier)[:: 3 if tier.steps == 1 else 1])
    if transport.between == "node":
        cold = ("pingpong", "--cache", "cold", "--sizes", few, *times)
        small = ("pingpong", "--mode", "loggp", "--sizes", "1,64,1024,4096", *times)
        found += [
            Job("pingpong cold", one, transport, 2, cold),
            Job("pingpong loggp", one, transport, 2, small),
        ]
    placed = ("pingpong", "--mode", "placements", "--sizes", few, *times)
    if room.cores >= PLACEMENTS_CORES_MIN or (room.has_siblings and room.cores > 1):
        found.append(Job("pingpong placements", one, transport, room.cores, placed))
    if room.has_siblings:
        found.append(Job("pingpong siblings", one, transport, 2, placed, on_siblings=True))
    if room.cores >= 4:
        pairs = ("pingpong", "--mode", "multipair", "--sizes", sizes, *times)
        found.append(Job("pingpong multipair", one, transport, room.cores // 2 * 2, pairs))
    return found


def _ring(one: Installation, transport: Transport | None, threads: int) -> list[Job]:
    arguments = ("ring", *_times(0.05, 10))
    return [
        Job(f"ring {ranks}", one, transport, ranks, arguments, ranks > threads)
        for ranks in sorted({*range(1, threads + 1), 3, 4})
    ]


def sum_shapes(tier: Tier) -> list[Dims]:
    """The shapes of the report's Tables I, II and III, as large as the tier's; all have as many
    elements.
    """
    rows, columns, planes = tier.matrix
    return [(rows // factor, columns * factor, planes) for factor in (1, 2, 3)]


def _sum3d(shape: Dims, one: Installation, transport: Transport | None, cores: int) -> list[Job]:
    """Matrices of one shape in every topology, with both splittings."""
    if cores < 2:
        return []
    size = ",".join(map(str, shape))
    found = []
    for grid in factorings(cores):
        base = ("sum3d", "--size", size, "--topology", ",".join(map(str, grid)), *_times(0.2, 10))
        if all(side >= dim for side, dim in zip(shape, grid, strict=True)):
            name = f"sum3d {_name(shape)} on {_name(grid)}"
            found += [
                Job(f"{name} a=0", one, transport, cores, base),
                Job(f"{name} a=1", one, transport, cores, (*base, "--a", "1")),
            ]
    return found


def _late_root(
    shape: Dims, one: Installation, transport: Transport | None, cores: int
) -> list[Job]:
    """A root that generates new numbers in every cycle, with and without a barrier after that."""
    size = ",".join(map(str, shape))
    late = ("sum3d", "--size", size, "--fresh", "yes", *_times(0.2, 10))
    found = [
        Job("sum3d late root", one, transport, cores, (*late, "--barrier", "no")),
        Job("sum3d late root, barrier", one, transport, cores, (*late, "--barrier", "yes")),
    ]
    return found if cores > 1 else []


def _jacobi(
    tier: Tier, one: Installation, transport: Transport | None, room: Capacity
) -> list[Job]:
    found = []
    cores = room.cores
    kernels = ("bandwidth", *_times(0.1, 10))
    alone = {1, *(2**power for power in range(1, cores.bit_length())), cores}
    for ranks in sorted({*alone, *sibling_ranks(room)}):
        found.append(Job(f"bandwidth {ranks}", one, transport, ranks, kernels))
        grids = factorings(ranks)
        for grid in grids if ranks <= cores else sorted({grids[0], grids[-1]}):
            sweep = _sweep(tier.side, grid)
            found.append(Job(f"jacobi {_name(grid)}", one, transport, ranks, sweep))
    if cores > 1:
        grid = factorings(cores)[-1]
        hidden = (*_sweep(tier.side, grid), "--exchange", "overlapped")
        found.append(Job(f"jacobi {_name(grid)} overlapped", one, transport, cores, hidden))
        side = weak_side(tier.side, cores, memory_available_bytes())
        grown = (*_sweep(side, grid), "--scaling", "weak")
        found.append(Job(f"jacobi {_name(grid)} weak", one, transport, cores, grown))
    packing = ("pack", "--size", ",".join([str(tier.side)] * 3), *_times(0.05, 10))
    found.append(Job("pack 1", one, transport, 1, packing))
    return found


def sibling_ranks(room: Capacity) -> list[int]:
    """Numbers of ranks that share cores: one more than the cores, and up to all hardware threads in
    three equal steps. Three numbers or more are enough to see another regime."""
    more = room.threads - room.cores
    steps = {1, *(round(more * third / 3) for third in (1, 2, 3))}
    return sorted(room.cores + step for step in steps if 0 < step <= more)


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
        "--min-time-s",
        str(0.5 * seconds),
        "--max-time-s",
        str(seconds),
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The launches of a run of the suite: the paper's case, shapes, steps, overlap, and scaling."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from weft_lab.measuring.mpi.installations import Installation
from weft_lab.measuring.plan import Skip

PROBLEMS = ("paper", "sweep", "steps", "overlap", "weak", "fig6", "fig7")
# The contestants of a run that names none; the figures' own launches have many ranks.
DEFAULT_PROBLEMS = ("paper", "sweep", "steps", "overlap", "weak")
BASELINE = "by_hand_rows"
JUDGED = ("weft_own_memory", "weft_make_field")
# The baseline on fields of `make_field`, and the others with such fields: the effect of the memory
# on the speed.
SAME_MEMORY = "by_hand_rows_make_field"
ON_SAME_MEMORY = "weft_make_field"
# The other hand-written exchange: a message per side, one dimension after the other.
ROUNDS = "by_hand_rounds"
SWEPT = (BASELINE, ROUNDS, *JUDGED)
OVERLAPPED = (BASELINE, "by_hand_datatypes", "weft_messages", *JUDGED)
# Bars of the paper's figures: packings, and how early an exchange knows its fields.
STEPPED = (
    "by_hand_cells",
    BASELINE,
    SAME_MEMORY,
    "by_hand_datatypes",
    "gcl_dynamic_ut",
    "weft_mpi_pack",
    "weft_mpi_datatype",
    "weft_messages_bulk",
    "weft_messages",
    "weft_exchange_any",
    *JUDGED,
)
# Of the paper's own size, which takes seconds to check.
QUICK = (
    *(BASELINE, "by_hand_cells", "by_hand_datatypes", "neighbor_alltoallw", "petsc_dmda"),
    *("gcl_dynamic_ut", "ghex", "weft_make_field", "weft_make_field_bound", "weft_own_memory"),
    *("weft_exchange_any", "weft_messages", SAME_MEMORY),
)
PAPER_SIDE = 250
ROUNDS_MAX = 1000
# Fields of the contestant, and beside them those of `make_field`, of `make_field` bound, and of
# rows by hand on such.
FIELD_COPIES = 4
MEMORY_SHARE = 0.7
SIDES = (4, 8, 16, 32, 64, 128)
FLAT = ((256, 16, 16), (16, 256, 16), (16, 16, 256), (128, 128, 8), (8, 128, 128), (1, 64, 64))


@dataclass(frozen=True)
class Case:
    """One shape. `dims`: processes; 0: MPI's choice. Units: cells per rank."""

    size: tuple[int, int, int]
    halo: int
    fields: int
    dims: tuple[int, int, int]
    periodic: bool = True

    def arguments(self) -> tuple[str, ...]:
        return (
            *("--size", _joined(self.size), "--halo", str(self.halo)),
            *("--fields", str(self.fields), "--dims", _joined(self.dims)),
            "--periodic" if self.periodic else "--open",
        )

    def field_bytes(self) -> int:
        """Of all fields of one rank, halos included."""
        cells = 1
        for side in self.size:
            cells *= side + 2 * self.halo
        return 8 * cells * self.fields


@dataclass(frozen=True)
class Job:
    """One kind of launch, in each of the first `rounds`. `wanted_side`: of the cubes that it would
    have with enough memory; 0: they are no larger. Units: milliseconds per sample.
    """

    problem: str
    label: str
    installation: Installation
    num_ranks: int
    mode: str
    cases: tuple[Case, ...]
    only: tuple[str, ...] = ()
    samples: int = 7
    sample_ms: int = 10
    is_functional: bool = False
    rounds: int = ROUNDS_MAX
    wanted_side: int = 0

    def arguments(self, known: Sequence[str]) -> tuple[str, ...]:
        """The arguments of the program; contestants that its build lacks are left out."""
        wanted = [name for name in self.only if name in known]
        chosen = ("--only", ",".join(wanted)) if self.only else ()
        times = ("--samples", str(self.samples), "--sample-ms", str(self.sample_ms))
        cases: tuple[str, ...] = ()
        for number, case in enumerate(self.cases):
            cases += (*(("--next",) if number else ()), *case.arguments())
        return (self.mode, *chosen, *times, *cases)


@dataclass(frozen=True)
class Tier:
    """The sizes of a run.

    `large`: how the paper's size is cut; it is measured in at most `large_rounds` rounds, with the
    contestants of `large_only` or all. `crowd_side`: the side of the figures' many ranks. Units:
    `_s` seconds for all of a run's measuring.
    """

    rounds: int
    budget_s: float
    samples: int
    large: tuple[tuple[int, int, int], ...]
    overlap_side: int
    crowd_side: int
    large_rounds: int = ROUNDS_MAX
    large_only: tuple[str, ...] = ()


TIERS: Mapping[str, Tier] = {
    "quick": Tier(6, 110.0, 5, ((2, 1, 1),), 128, 64, 2, QUICK),
    "default": Tier(7, 900.0, 7, ((2, 1, 1), (1, 2, 1), (1, 1, 2)), PAPER_SIDE, PAPER_SIDE),
    "full": Tier(15, 3600.0, 11, ((2, 1, 1), (1, 2, 1), (1, 1, 2)), PAPER_SIDE, PAPER_SIDE),
}
FIGURE_GRIDS = {"fig6": (4, 2, 2), "fig7": (2, 2, 2)}


@dataclass(frozen=True)
class Host:
    """The limits that jobs have to fit into."""

    cpus: int
    memory_bytes: int


def shapes() -> tuple[Case, ...]:
    """The sweep for two ranks: cubes of every size, wide and narrow halos, cuts along each
    dimension, with and without boundaries, and long and flat boxes."""
    cuts = ((2, 1, 1), (1, 2, 1), (1, 1, 2))
    found = [
        Case((side, side, side), halo, fields, dims)
        for side, (halo, fields), dims in itertools.product(SIDES, ((1, 1), (3, 3)), cuts)
    ]
    found += [
        Case((side, side, side), 1, 1, dims, periodic=False)
        for side, dims in itertools.product((16, 64), cuts)
    ]
    found += [Case(size, 1, 1, (2, 1, 1)) for size in FLAT]
    return tuple(found)


def jobs(
    tier: Tier, installations: Sequence[Installation], host: Host, only: Sequence[str]
) -> list[Job]:
    """Every job of the problems asked for."""
    wanted = tuple(only) or DEFAULT_PROBLEMS
    found: list[Job] = []
    for one in installations:
        found += _paper(tier, one, host) + _sweep(one, host) + _weak(tier, one, host)
        found += _figures(tier, one, host)
        if host.cpus >= 2:
            paper = _cube(fitting_side(PAPER_SIDE, 2, host), 3, 3, (2, 1, 1))
            found.append(
                Job(
                    *("steps", "steps 2x1x1", one, 2, "steps", (paper,), STEPPED, tier.samples),
                    rounds=tier.large_rounds,
                    wanted_side=PAPER_SIDE,
                )
            )
            side = fitting_side(tier.overlap_side, 2, host)
            sides = sorted({min(64, side), side})
            cases = tuple(_cube(side, 3, 3, (2, 1, 1)) for side in sides)
            found.append(
                Job(
                    *("overlap", "overlap", one, 2, "overlap", cases, OVERLAPPED),
                    wanted_side=tier.overlap_side,
                )
            )
    return [job for job in found if job.problem in wanted]


def _paper(tier: Tier, one: Installation, host: Host) -> list[Job]:
    """The paper's own size in one launch per cut, the smaller ones together."""
    if host.cpus < 2:
        return []
    side = fitting_side(PAPER_SIDE, 2, host)
    found = [
        Job(
            "paper",
            f"{side}³ {_crossed(dims)}",
            one,
            2,
            "exchange",
            (_cube(side, 3, 3, dims),),
            tier.large_only,
            samples=tier.samples,
            rounds=tier.large_rounds,
            wanted_side=PAPER_SIDE,
        )
        for dims in tier.large
    ]
    small = (_cube(64, 3, 3, (2, 1, 1)), _cube(64, 3, 3, (1, 1, 2)), _cube(16, 1, 1, (2, 1, 1)))
    found.append(Job("paper", "64³, 16³", one, 2, "exchange", small, samples=tier.samples))
    return found


def _sweep(one: Installation, host: Host) -> list[Job]:
    found = []
    if host.cpus >= 2:
        found.append(Job("sweep", "sweep 2", one, 2, "exchange", shapes(), SWEPT, 5, 2))
    alone = tuple(_cube(side, 1, 1, (1, 1, 1)) for side in SIDES)
    found.append(Job("sweep", "sweep 1", one, 1, "exchange", alone, SWEPT, 5, 2))
    if host.cpus >= 4:
        many = tuple(_cube(side, 1, 1, (0, 0, 0)) for side in SIDES[1:-1])
        found.append(
            Job("sweep", f"sweep {host.cpus}", one, host.cpus, "exchange", many, SWEPT, 5, 2)
        )
    return found


def _weak(tier: Tier, one: Installation, host: Host) -> list[Job]:
    most = max(16, host.cpus)
    ranks = sorted({2**power for power in range(most.bit_length()) if 2**power <= most})
    return [
        Job(
            "weak",
            f"weak {count}",
            one,
            count,
            "exchange",
            (_cube(64, 3, 3, (0, 0, 0)),),
            SWEPT,
            tier.samples,
            is_functional=count > host.cpus,
            rounds=1 if count > host.cpus else ROUNDS_MAX,
        )
        for count in ranks
    ]


def _figures(tier: Tier, one: Installation, host: Host) -> list[Job]:
    found = []
    for name, dims in FIGURE_GRIDS.items():
        ranks = dims[0] * dims[1] * dims[2]
        side = fitting_side(tier.crowd_side, ranks, host)
        found.append(
            Job(
                name,
                f"{name} {_crossed(dims)}",
                one,
                ranks,
                "steps",
                (_cube(side, 3, 3, dims),),
                STEPPED,
                tier.samples,
                is_functional=ranks > host.cpus,
                rounds=tier.large_rounds,
                wanted_side=tier.crowd_side,
            )
        )
    return found


def shrunk(jobs: Sequence[Job], host: Host) -> list[Skip]:
    """The sizes that jobs would have had with more memory, with how much that is."""
    counts: Counter[tuple[str, int, int, int]] = Counter()
    for job in jobs:
        side = max(case.size[0] for case in job.cases)
        if side < job.wanted_side:
            counts[job.problem, job.wanted_side, side, job.num_ranks] += 1
    gib = 1 << 30
    return [
        Skip(
            "memory",
            f"{problem}: {wanted}³ cells on each of {ranks} ranks do not fit the "
            f"{host.memory_bytes / gib:.1f} GiB that are free; measured with {side}³",
            f"free {_needed_bytes(wanted, ranks) / gib:.1f} GiB, or measure on a larger machine",
            "halo",
            problem,
            count=count,
        )
        for (problem, wanted, side, ranks), count in sorted(counts.items())
    ]


def fitting_side(wanted: int, ranks: int, host: Host) -> int:
    """`wanted`, or the largest side below it that leaves the machine some memory."""
    for side in (wanted, 200, 160, 125, 100, 64, 32):
        if side <= wanted and _needed_bytes(side, ranks) < host.memory_bytes:
            return side
    return 16


def _needed_bytes(side: int, ranks: int) -> float:
    """Free memory that lets so many ranks have cubes of that side."""
    return FIELD_COPIES * ranks * _cube(side, 3, 3, (1, 1, 1)).field_bytes() / MEMORY_SHARE


def _cube(side: int, halo: int, fields: int, dims: tuple[int, int, int]) -> Case:
    return Case((side, side, side), halo, fields, dims)


def _joined(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _crossed(numbers: Sequence[int]) -> str:
    return "x".join(map(str, numbers))

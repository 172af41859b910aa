# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite, read again: launches grouped, curves per transport, times per topology."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from weft_lab.models.arrays import Floats, center
from weft_lab.statistics.estimates import bootstrap_centre, median
from weft_lab.storage.store import Record
from weft_lab.suites.launched import read_launched

PLACEMENTS = "placements"
# The hardware between two ranks, by the program's name of it.
PLACES = {
    "core": "within a core",
    "l2": "within an L2 cache",
    "l3": "within an L3 cache",
    "numa": "within a NUMA domain",
    "package": "within a socket",
    "machine": "between sockets",
    "unbound": "not bound",
}


@dataclass(frozen=True)
class Series:
    """A ping-pong of one transport: a row of times per launch. Units: bytes, seconds."""

    mpi: str
    transport: str
    mode: str
    cache: str
    pair: str
    command: str
    hosts: tuple[str, ...]
    sizes: Floats
    launches: Floats
    num_pairs: int = 1

    @property
    def name(self) -> str:
        cold = f" {self.cache}" if self.cache != "hot" else ""
        where = PLACES.get(self.pair, self.pair) if self.mode == PLACEMENTS else ""
        far = "between hosts" if self.is_between_hosts else where
        return f"{self.mpi} {self.transport}{cold}" + (f", {far}" if far else "")

    @property
    def is_between_hosts(self) -> bool:
        return self.pair == "hosts"

    def times_s(self) -> Floats:
        """The middle of the launches."""
        return center(self.launches)

    def means_s(self) -> Floats:
        """The mean of the launches, which the report fits."""
        times: Floats = np.mean(self.launches, axis=0)
        return times


@dataclass(frozen=True)
class Case:
    """All launches of one job that have a result. `launches`: the samples of each, in seconds."""

    label: str
    mpi: str
    transport: str
    records: tuple[Record, ...]

    @property
    def launches(self) -> list[list[float]]:
        return [record["samples_s"] for record in self.records]

    @property
    def is_functional_only(self) -> bool:
        return bool(self.records[0]["is_functional_only"])

    def middle_s(self) -> float:
        """The median of the launches' medians."""
        return median([median(samples) for samples in self.launches])

    def interval_s(self) -> tuple[float, float] | None:
        """Its interval by bootstrap over launches; None for fewer than two."""
        return bootstrap_centre(self.launches)


@dataclass(frozen=True)
class Results:
    """A measurement of this suite."""

    folder: Path
    manifest: Record
    records: tuple[Record, ...]
    programs: tuple[Record, ...]
    skipped: tuple[Record, ...]

    @property
    def transports(self) -> list[Record]:
        return list(self.manifest.get("mpi", {}).get("transports", []))

    def cases(self, problem: str) -> list[Case]:
        """The results by job, in the order of their names; other records are skipped."""
        groups: dict[tuple[str, str, str], list[Record]] = defaultdict(list)
        for record in self.records:
            if record.get("problem") == problem and is_result(record):
                kernel = record.get("params", {}).get(
                    "kernel", record.get("params", {}).get("axis")
                )
                label = record["label"] if kernel is None else f"{record['label']} {kernel}"
                groups[record["mpi"], record["transport"], label].append(record)
        return [
            Case(label, mpi, transport, tuple(rows))
            for (mpi, transport, label), rows in sorted(groups.items())
        ]

    def pairs(self) -> dict[tuple[str, str], dict[tuple[int, int], dict[int, float]]]:
        """For each MPI and transport whose pairs were measured one by one: by ranks the time of
        each size, the median of the launches.

        Units: bytes, seconds.
        """
        groups: dict[tuple[str, str], dict[tuple[int, int], dict[int, list[float]]]] = {}
        for record in self.records:
            params = record.get("params", {})
            if params.get("mode") != "pairs" or not is_result(record):
                continue
            ranks = int(record["pair_ranks"][0]), int(record["pair_ranks"][1])
            own = groups.setdefault((record["mpi"], record["transport"]), {}).setdefault(ranks, {})
            own.setdefault(int(params["size_bytes"]), []).append(median(record["samples_s"]))
        return {
            key: {
                ranks: {size: median(times) for size, times in sizes.items()}
                for ranks, sizes in pairs.items()
            }
            for key, pairs in groups.items()
        }

    @property
    def thresholds(self) -> dict[str, int]:
        """The sizes at which the libraries of measured ping-pongs change their protocol, as they
        reported it.

        Units: bytes.
        """
        measured = {(each.mpi, each.transport) for each in self.series()}
        found: dict[str, int] = {}
        for row in self.transports:
            if (row["mpi"], row["transport"]) in measured:
                found |= row.get("thresholds_bytes", {})
        return found

    @property
    def caches(self) -> dict[str, int]:
        """Data caches of the CPUs that ranks ran on, as the ranks reported them.

        `L2`, or `L2 of host` if hosts differ; empty if unknown. Units: bytes.
        """
        told = {
            (level, str(rank["host"]), int(rank["core"]), int(size))
            for program in self.programs
            for rank in program.get("ranks", ())
            for level, size in rank.get("data_caches_bytes", {}).items()
        }
        for name in ("{0}", "{0} of {1}", "{0} of {1}, core {2}"):
            labelled = sorted({(name.format(*each), each[3]) for each in told})
            if len(dict(labelled)) == len(labelled):
                return dict(labelled)
        return {}

    def curves(self) -> list[Series]:
        """Every ping-pong, and where ranks were placed in several ways, that of each way."""
        placed = self.series(PLACEMENTS)
        return [*self.series(), *(placed if len({each.pair for each in placed}) > 1 else ())]

    def series(self, mode: str = "pingpong") -> list[Series]:
        """Every ping-pong with all its sizes; launches that lack some are left out."""
        groups: dict[tuple[str, str, str, str], dict[int, list[Record]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for record in self.records:
            params = record.get("params", {})
            is_timed = is_result(record) and not record.get("is_functional_only")
            if record.get("problem") == "pingpong" and params.get("mode") == mode and is_timed:
                key = record["mpi"], record["transport"], params["cache"], record["pair"]
                groups[key][record["launch"]].append(record)
        return [
            found
            for key, launches in sorted(groups.items())
            if (found := self._series(key, mode, launches)) is not None
        ]

    def _series(
        self, key: tuple[str, str, str, str], mode: str, launches: Mapping[int, Sequence[Record]]
    ) -> Series | None:
        most = max(len(rows) for rows in launches.values())
        whole = {number: rows for number, rows in launches.items() if len(rows) == most}
        first = next(iter(whole.values()))
        sizes = [row["params"]["size_bytes"] for row in first]
        rows = [
            [median(row["samples_s"]) for row in rows]
            for rows in whole.values()
            if [row["params"]["size_bytes"] for row in rows] == sizes
        ]
        if len(sizes) < 2:
            return None
        mpi, transport, cache, pair = key
        return Series(
            mpi,
            transport,
            mode,
            cache,
            pair,
            str(first[0]["command"]),
            tuple(sorted(set(self.hosts_of_ranks(next(iter(whole)))))),
            np.asarray(sizes, dtype=np.float64),
            np.asarray(rows, dtype=np.float64),
            int(first[0]["params"].get("num_pairs", 1)),
        )

    def hosts_of_ranks(self, launch: int) -> tuple[str, ...]:
        """The place of each rank of a launch; empty if its program did not report it."""
        for program in self.programs:
            if program["launch"] == launch:
                return tuple(str(rank["host"]) for rank in program["ranks"])
        return ()

    def cores_of_ranks(self, launch: int) -> tuple[tuple[str, int], ...]:
        """The core of each rank of a launch, by host and number.

        Empty if a rank was not bound to one core, or if its program did not report it.
        """
        for program in self.programs:
            if program["launch"] == launch:
                return bound_cores(program)
        return ()

    def ranks_per_core(self, launch: int) -> int | None:
        """The most ranks of a launch that shared a core; None if unknown."""
        counts = Counter(self.cores_of_ranks(launch))
        return max(counts.values(), default=None)


def bound_cores(program: Record) -> tuple[tuple[str, int], ...]:
    """The core of each rank, by host and number, from a program's record; empty if one was not
    bound to a core."""
    ranks = program.get("ranks") or ()
    are_bound = all(
        rank.get("core", -1) >= 0 and rank.get("is_bound", len(rank.get("cpus", ())) == 1)
        for rank in ranks
    )
    return tuple((str(rank["host"]), int(rank["core"])) for rank in ranks) if are_bound else ()


def is_result(record: Record) -> bool:
    """Whether it was verified, in a launch that ended well. The times of a failing rank are stored,
    but do not describe the machine."""
    return record.get("status") == "ok" and not record.get("launch_failure")


def read(path: Path) -> Results:
    """Errors: `ResultFolderError` when the folder holds no such measurement."""
    run = read_launched(path, "mpi")
    return Results(
        run.folder, run.manifest, run.of_kind("mpi_result"), run.of_kind("mpi_program"), run.skipped
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite, read again: launches grouped by MPI, transport, cell and contestant."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from weft_lab.statistics.estimates import RatioEstimate, bootstrap_centre, bootstrap_ratio, median
from weft_lab.storage.store import Record
from weft_lab.suites.distributed.measure import KEY
from weft_lab.suites.launched import read_launched

MPI = "mpi"
FRESH = "mpi_fresh_memory"


@dataclass(frozen=True, order=True)
class Case:
    """What is done, over which transport. `params`: the cell's parameters as JSON."""

    mpi: str
    transport: str
    cell: str
    params: str
    num_ranks: int

    @property
    def value(self) -> Record:
        found: Record = json.loads(self.params)
        return found


@dataclass(frozen=True)
class Samples:
    """All launches of one contestant in one case."""

    case: Case
    contestant: str
    records: tuple[Record, ...]

    def launches(self, series: str) -> list[list[float]]:
        """A row of samples per launch. `series` has its unit: `call_s`."""
        return [record[series] for record in self.records]

    def middle(self, series: str = "call_s") -> float:
        """The median of the launches' medians."""
        return median([median(samples) for samples in self.launches(series)])

    def interval(self, series: str = "call_s") -> tuple[float, float] | None:
        """By bootstrap over launches; None for fewer than two."""
        return bootstrap_centre(self.launches(series))


@dataclass(frozen=True, eq=False)
class Results:
    """A measurement of this suite."""

    folder: Path
    manifest: Record
    records: tuple[Record, ...]
    skipped: tuple[Record, ...]

    def cases(self, *cells: str) -> dict[Case, dict[str, Samples]]:
        """The contestants of each case of these cells; wrong answers and failures are left out."""
        groups: dict[Case, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
        for record in self.records:
            is_good = record.get("status") == "ok" and not record.get("launch_failure")
            if is_good and record["cell"] in cells:
                groups[case_of(record)][record["contestant"]].append(record)
        return {
            case: {name: Samples(case, name, tuple(rows)) for name, rows in found.items()}
            for case, found in sorted(groups.items(), key=lambda group: _place(group[0], cells))
        }

    def wrong(self) -> list[str]:
        """What gave wrong answers, and was not timed."""
        return sorted(
            {
                f"{record['contestant']} ({record['cell']}, {record['mpi']})"
                for record in self.records
                if record.get("status") == "wrong"
            }
        )


def _place(case: Case, cells: tuple[str, ...]) -> tuple[str, str, int, int, str]:
    size = int(case.value.get("size_bytes") or case.value.get("cells") or 0)
    return case.mpi, case.transport, cells.index(case.cell), size, case.params


def case_of(record: Record) -> Case:
    """The case that a record is of."""
    return Case(
        str(record["mpi"]),
        str(record["transport"]),
        str(record["cell"]),
        json.dumps(record["params"], sort_keys=True),
        int(record["num_ranks"]),
    )


def key_of(case: Case) -> tuple[str, str]:
    """The MPI and the transport of a case, by which launches are grouped."""
    return case.mpi, case.transport


def times_raw(raw: Samples, weft: Samples, series: str = "call_s") -> RatioEstimate:
    """How many times as long weft takes."""
    return bootstrap_ratio(raw.launches(series), weft.launches(series))


def read(path: Path) -> Results:
    """Errors: `ResultFolderError` when the folder holds no such measurement."""
    run = read_launched(path, KEY)
    return Results(run.folder, run.manifest, run.of_kind("mpi_result"), run.skipped)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run of the suite, read again: launches grouped by MPI, ranks, shape and contestant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft_lab.statistics.estimates import RatioEstimate, bootstrap_centre, bootstrap_ratio, median
from weft_lab.storage.store import Record
from weft_lab.suites.halo.measure import KEY
from weft_lab.suites.launched import read_launched


@dataclass(frozen=True, order=True)
class Shape:
    """The exchanged cells. Units: cells per rank."""

    num_ranks: int
    dims: tuple[int, ...]
    size: tuple[int, ...]
    halo: int
    fields: int
    periodic: bool

    @property
    def text(self) -> str:
        """`64³ h3 f3 2x1x1`."""
        side = self.size[0]
        cube = f"{side}³" if set(self.size) == {side} else "x".join(map(str, self.size))
        open_ = "" if self.periodic else " open"
        dims = "x".join(map(str, self.dims))
        return f"{cube} h{self.halo} f{self.fields} {dims}{open_}"


@dataclass(frozen=True)
class Times:
    """All launches of one contestant on one shape. `kind`: the kind of its times."""

    mpi: str
    job: str
    shape: Shape
    contestant: str
    records: tuple[Record, ...]

    def launches(self, kind: str) -> list[list[float]]:
        """Seconds per exchange: a row of samples per launch."""
        return [record[f"{kind}_s"] for record in self.records]

    def has(self, kind: str) -> bool:
        """Whether all launches timed that; older programs did not time all that is known now."""
        return all(f"{kind}_s" in record for record in self.records)

    def middle_s(self, kind: str = "exchange") -> float:
        """The median of the launches' medians."""
        return median([median(samples) for samples in self.launches(kind)])

    def interval_s(self, kind: str = "exchange") -> tuple[float, float] | None:
        """By bootstrap over launches; None for fewer than two."""
        return bootstrap_centre(self.launches(kind))

    @property
    def params(self) -> Record:
        found: Record = self.records[0]["params"]
        return found

    @property
    def is_functional_only(self) -> bool:
        return bool(self.records[0]["is_functional_only"])


@dataclass(frozen=True, eq=False)
class Results:
    """A measurement of this suite. Two are never equal, so that derived results can be cached."""

    folder: Path
    manifest: Record
    records: tuple[Record, ...]
    skipped: tuple[Record, ...]

    @property
    def mpis(self) -> list[str]:
        return sorted({str(record["mpi"]) for record in self.records})

    def times(self, *jobs: str) -> list[Times]:
        """The results of these jobs, in the order of MPIs, shapes and the program's own; other
        records are skipped."""
        groups: dict[tuple[str, str, Shape, str], list[Record]] = defaultdict(list)
        for record in self.records:
            is_good = record.get("status") == "ok" and not record.get("launch_failure")
            if record["job"] in jobs and is_good:
                key = record["mpi"], record["job"], shape_of(record), record["contestant"]
                groups[key].append(record)
        order = sorted(groups, key=lambda key: key[:3])
        return [Times(*key, tuple(groups[key])) for key in order]

    def wrong(self) -> list[str]:
        """Contestants that got cells wrong, and were not timed."""
        return sorted(
            {
                f"{record['contestant']} ({shape_of(record).text}, {record['mpi']})"
                for record in self.records
                if record.get("status") == "wrong"
            }
        )


def shape_of(record: Record) -> Shape:
    """The shape that a record is of."""
    params = record["params"]
    return Shape(
        int(record["num_ranks"]),
        tuple(params["dims"]),
        tuple(params["size"]),
        int(params["halo"]),
        int(params["fields"]),
        bool(params["periodic"]),
    )


def speed_up(baseline: Times, other: Times, kind: str = "exchange") -> RatioEstimate:
    """How many times as fast as the baseline the other is."""
    return bootstrap_ratio(other.launches(kind), baseline.launches(kind))


def by_shape(times: Sequence[Times]) -> dict[tuple[str, Shape], dict[str, Times]]:
    """Contestants of each MPI and shape."""
    found: dict[tuple[str, Shape], dict[str, Times]] = defaultdict(dict)
    for each in times:
        found[each.mpi, each.shape][each.contestant] = each
    return dict(found)


def read(path: Path) -> Results:
    """Errors: `ResultFolderError` when the folder holds no such measurement."""
    run = read_launched(path, KEY)
    return Results(run.folder, run.manifest, run.of_kind("mpi_result"), run.skipped)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Latency from rings: the report's lines, a step per class of links, and the ping-pong's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weft_lab.models import pmnf, ring
from weft_lab.models.arrays import Floats
from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns
from weft_lab.suites.mpi.results import Case, Results, bound_cores

SIBLINGS = "SMT siblings"
LEVELS = {"host": "host", "package": "socket", "numa": "NUMA domain", "l3": "L3", "l2": "L2"}
ONE_PARTNER = "of rings in which a rank has one neighbour at most: another program"
NO_CLASSES = (
    "not known: needs rings of two sizes with 3 ranks or more, each rank on a core of its own"
)


@dataclass(frozen=True)
class Rings:
    """The rings of one MPI whose ranks had their own CPUs, in ascending order of ranks.

    CPUs are cores, and in larger rings hardware threads. `launches`: the medians, one row per round
    in which all rings were launched. Units: seconds.
    """

    mpi: str
    transport: str
    ranks: tuple[float, ...]
    launches: Floats
    cases: tuple[Case, ...]

    @property
    def means_s(self) -> Floats:
        """The mean of the launches, which the report fits."""
        times: Floats = np.mean(self.launches, axis=0)
        return times


def rings(results: Results) -> list[Rings]:
    """Of every MPI and transport within a host."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in results.cases("ring"):
        if not case.is_functional_only and not case.label.startswith("ring hosts"):
            groups.setdefault((case.mpi, case.transport), []).append(case)
    found = []
    for (mpi, transport), cases in groups.items():
        cases.sort(key=_num_ranks)
        ranks = tuple(float(_num_ranks(case)) for case in cases)
        found.append(Rings(mpi, transport, ranks, _rows(cases), tuple(cases)))
    return found


def _rows(cases: Sequence[Case]) -> Floats:
    """The medians of each round that all cases have a result of: one that failed has no pair."""
    of_case: list[dict[int, float]] = [
        {
            int(record["round"]): float(np.median(samples))
            for record, samples in zip(case.records, case.launches, strict=True)
        }
        for case in cases
    ]
    common = sorted(set.intersection(*map(set, of_case)))
    return np.array([[times[number] for times in of_case] for number in common])


def ring_classes(results: Results) -> list[tuple[str, ring.LinkClass]]:
    """Latency per class of links for every MPI with rings of at least 3 ranks on their own CPUs,
    which may be hardware threads of one core."""
    return [(each.mpi, found) for each in rings(results) for found in _classes(each)]


def latency_table(results: Results) -> Table:
    """The report's fit beside ours, and both beside the ping-pong's smallest message."""
    rows: list[tuple[Value, ...]] = []
    for each in rings(results):
        trip_s = _ping_pong_s(results, each)
        name = f"{each.mpi} {each.transport}".strip()
        for piece in _pieces(each):
            ratio = piece.latency_s / trip_s if trip_s and piece.latency_s > 0.0 else None
            last = _last(each, piece)
            words = ONE_PARTNER if last < ring.RANKS_MIN else _cores_words(results, each, last)
            words = words if piece.latency_s > 0.0 else "negative: no latency"
            bounds = piece.first, _last(each, piece), piece.latency_s
            rows.append((name, "half of the report's slope", *bounds, None, None, ratio, words))
        classes = _classes(each)
        for found in classes:
            step = found.step
            ratio = step.value / trip_s if trip_s else None
            bounds = found.first, found.last, step.value
            words = _cores_words(results, each, found.last)
            rows.append((name, "a step of the ring", *bounds, step.low, step.high, ratio, words))
        if not classes:
            rows.append((name, "a step of the ring", *[None] * 6, NO_CLASSES))
    return Table(
        "mpi_ring_latency",
        "Ring: the latency that it shows",
        columns(
            ("transport", "transport"),
            ("how", "how"),
            ("from N", "first", formats.number),
            ("to N", "last", formats.number),
            ("latency", "latency_s", formats.seconds),
            ("low", "low_s", formats.seconds),
            ("high", "high_s", formats.seconds),
            ("of the ping-pong's", "over_ping_pong", formats.ratio),
            ("", "words"),
        ),
        tuple(rows),
        "The report fits T = a + bN on pieces chosen by hand and takes b/2. A step of ours is T/N "
        "with no intercept, one per class of links that is found; it exchanges both ways at once, "
        "so one to two latencies of the ping-pong are expected.",
    )


def _cores_words(results: Results, each: Rings, last: int) -> str:
    """Whether ranks of a ring of `last` ranks, or of one with fewer, shared cores."""
    launches = [
        int(case.records[0].get("launch", 0)) for case in each.cases if _num_ranks(case) <= last
    ]
    are_shared = any((results.ranks_per_core(launch) or 1) > 1 for launch in launches)
    return f"rings with ranks on {SIBLINGS} included" if are_shared else ""


def growth_words(results: Results) -> tuple[str, ...]:
    """How the time of a cycle grows with ranks, where five sizes and more were measured."""
    return tuple(
        f"{each.mpi}: a cycle of p ranks takes {found.text} µs, off by "
        f"{formats.percent(found.cross_error)} on sizes left out{f'; {shared}' if shared else ''}."
        for each in rings(results)
        if len(each.ranks) >= pmnf.POINTS_MIN
        for shared in [_cores_words(results, each, int(each.ranks[-1]))]
        for found in [pmnf.growth(each.ranks, 1e6 * np.median(each.launches, axis=0))]
    )


def chart_rows(results: Results) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The data of `charts.ring`: measured and fitted cycles, and the ranks at which a ring leaves a
    domain."""
    lines: list[dict[str, Any]] = []
    marks: list[dict[str, Any]] = []
    for each in rings(results):
        for ranks, time_s in zip(each.ranks, np.median(each.launches, axis=0), strict=True):
            lines.append(_point(each.mpi, "measured", ranks, float(time_s)))
        for piece in _pieces(each):
            kind = f"report's line, N = {piece.first} to {_last(each, piece)}"
            for ranks in (piece.first, _last(each, piece)):
                time_s = piece.offset_s + piece.slope_s * ranks
                lines.append(_point(each.mpi, kind, ranks, time_s))
        for found in _classes(each):
            kind = f"equal steps, N = {found.first} to {found.last}"
            ends = (found.first, found.last)
            lines += [_point(each.mpi, kind, ranks, found.step.value * ranks) for ranks in ends]
        marks += [
            {"mpi": each.mpi, "ranks": ranks, "boundary": name}
            for ranks, name in boundaries(_places(results, each.cases[-1])).items()
        ]
    return lines, marks


def boundaries(places: Sequence[Mapping[str, Any]]) -> dict[float, str]:
    """The ranks at which a ring leaves the domain that all earlier ranks shared, from the ranks'
    own places.

    A level that no ranks share, or that all share, is not a boundary. Cores are one where ranks
    begin to share them.
    """
    found: dict[float, str] = {}
    for level, name in LEVELS.items():
        of_ranks = [
            None if place.get(level, -1) == -1 else (place.get("host"), place[level])
            for place in places
        ]
        known = set(of_ranks)
        if None in known or not 1 < len(known) < len(of_ranks):
            continue
        seen: set[Any] = set(of_ranks[:1])
        for rank, own in enumerate(of_ranks):
            if own not in seen:
                seen.add(own)
                found.setdefault(rank + 0.5, f"{name} {len(seen)}")
    cores = bound_cores({"ranks": places})
    shared = next((rank for rank, core in enumerate(cores) if core in cores[:rank]), None)
    return found if shared is None else {**found, shared + 0.5: SIBLINGS}


def _classes(each: Rings) -> list[ring.LinkClass]:
    num_used = sum(ranks >= ring.RANKS_MIN for ranks in each.ranks)
    is_enough = num_used >= ring.POINTS_MIN and len(each.launches) > 0
    return ring.link_classes(each.ranks, each.launches) if is_enough else []


def _last(each: Rings, piece: ring.Piece) -> int:
    """The largest ring that the piece was fitted to."""
    return min(piece.last, int(each.ranks[-1]))


def _pieces(each: Rings) -> list[ring.Piece]:
    if len(each.ranks) < ring.POINTS_MIN or len(each.launches) == 0:
        return []
    return ring.report_pieces(each.ranks, each.means_s)


def _ping_pong_s(results: Results, each: Rings) -> float | None:
    """Half a round trip of the smallest message; None if it was not measured."""
    return next(
        (
            float(series.times_s()[0])
            for series in results.series()
            if (series.mpi, series.transport, series.cache) == (each.mpi, each.transport, "hot")
            and not series.is_between_hosts
        ),
        None,
    )


def _places(results: Results, case: Case) -> Sequence[Mapping[str, Any]]:
    launch = case.records[0].get("launch")
    found = (p["ranks"] for p in results.programs if p.get("launch") == launch)
    return next(found, ())


def _point(mpi: str, kind: str, ranks: float, time_s: float) -> dict[str, Any]:
    return {"mpi": mpi, "kind": kind, "ranks": ranks, "time_us": 1e6 * time_s}


def _num_ranks(case: Case) -> int:
    return int(case.records[0]["num_ranks"])

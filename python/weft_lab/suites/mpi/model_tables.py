# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of a run beyond one line per ping-pong: LogGP, a sweep's parts, scaling."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

from weft_lab.models import scaling_laws
from weft_lab.models.arrays import ModelError
from weft_lab.models.jacobi import Node, sweep, updates_per_s, with_interval
from weft_lab.models.launches import Estimate
from weft_lab.models.loggp import DelayedPingPong, LogGP, loggp
from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns
from weft_lab.statistics.estimates import bootstrap_centre, median
from weft_lab.storage.store import Record
from weft_lab.suites.mpi.forecasting import link_spreads, spreads
from weft_lab.suites.mpi.jacobi_tables import Sweep, halo_of, jacobi_node, rates_together, sweeps
from weft_lab.suites.mpi.results import Results, bound_cores, is_result
from weft_lab.suites.mpi.tables import bandwidth_text

PARTS = {
    "compute_s": "compute",
    "memory_s": "memory",
    "saturation_s": "memory shared",
    "pack_s": "packing",
    "wire_s": "messages",
    "wait_s": "wait",
}
BEYOND = {
    "cells_beyond_s": "cells",
    "pack_beyond_s": "packing",
    "messages_beyond_s": "messages and waiting",
}
ERRORS_TOLD_MAX = 6
# An interval is some hundred predictions: of many ranks, only of decompositions near a cube.
INTERVAL_RANKS_MAX = 16
LAW_POINTS_MIN = 4
LOGGP_KEYS = ("send_s", "receive_s", "gap_s")


def loggp_table(results: Results) -> Table:
    """LogGP's parameters of every transport, the middle of the launches."""
    rows: list[tuple[Value, ...]] = []
    for (mpi, transport), found in _loggp_launches(results).items():
        is_known = all(each.wire_s > 0.0 for each in found)
        bounds = bootstrap_centre([[each.wire_s] for each in found]) if is_known else None
        low, high = bounds or (None, None)
        per_byte = median([each.s_per_byte for each in found])
        num_clipped = sum(each.clipped for each in found)
        rows.append(
            (
                f"{mpi} {transport}",
                median([each.wire_s for each in found]),
                low,
                high,
                median([each.send_overhead_s for each in found]),
                median([each.receive_overhead_s for each in found]),
                median([each.gap_s for each in found]),
                1.0 / per_byte if per_byte > 0.0 else None,
                f"overheads exceed the message in {num_clipped} of {len(found)} launches: L is 0"
                if num_clipped
                else "",
            )
        )
    return Table(
        "mpi_loggp",
        "LogGP: what a small message costs the processor and the wire",
        columns(
            ("transport", "transport"),
            ("L", "wire_s", formats.seconds),
            ("low", "wire_low_s", formats.seconds),
            ("high", "wire_high_s", formats.seconds),
            ("send o", "send_overhead_s", formats.seconds),
            ("receive o", "receive_overhead_s", formats.seconds),
            ("gap g", "gap_s", formats.seconds),
            ("1/G", "bytes_per_s", bandwidth_text),
            ("", "words"),
        ),
        tuple(rows),
        "From a delayed ping-pong: time inside the send, inside a receive of what has come "
        "already, and per message of a burst; L is what remains of half a round trip.",
    )


def _loggp_launches(results: Results) -> dict[tuple[str, str], list[LogGP]]:
    launches: dict[tuple[str, str], dict[int, list[Record]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for record in results.records:
        is_delayed = record.get("params", {}).get("mode") == "loggp"
        if is_delayed and is_result(record) and not record.get("is_functional_only"):
            launches[record["mpi"], record["transport"]][record["launch"]].append(record)
    found: dict[tuple[str, str], list[LogGP]] = {}
    for key, of_launch in launches.items():
        fitted = [one for rows in of_launch.values() if (one := _loggp(rows)) is not None]
        if fitted:
            found[key] = fitted
    return found


def _loggp(rows: Sequence[Record]) -> LogGP | None:
    """None where the clock was too coarse for a part, or sizes are missing."""
    try:
        return loggp(
            DelayedPingPong(
                [row["params"]["size_bytes"] for row in rows],
                [median(row["samples_s"]) for row in rows],
                *([row[key] for row in rows] for key in LOGGP_KEYS),
            )
        )
    except (KeyError, ModelError):
        return None


def max_rate_table(results: Results) -> Table:
    """Many pairs at once compared with one: the rate of a pair, and the shared rate of all."""
    hot = [each for each in results.series() if each.cache == "hot"]
    single = {(each.mpi, each.transport, each.is_between_hosts): each for each in hot}
    rows: list[tuple[Value, ...]] = []
    for many in results.series("multipair"):
        one = single.get((many.mpi, many.transport, many.is_between_hosts))
        if one is None or many.num_pairs < 2:
            continue
        found = rates_together(one, many)
        shared = found.link_bytes_per_s
        words = f"{many.num_pairs} pairs do not saturate it" if shared is None else ""
        common = (one.name, many.num_pairs, found.latency_s, found.pair_bytes_per_s)
        rows.append((*common, shared, words))
    return Table(
        "mpi_max_rate",
        "Pairs at once: what they share",
        columns(
            ("transport", "transport"),
            ("pairs", "num_pairs", formats.number),
            ("latency", "latency_s", formats.seconds),
            ("of a pair", "pair_bytes_per_s", bandwidth_text),
            ("of all", "link_bytes_per_s", bandwidth_text),
            ("", "words"),
        ),
        tuple(rows),
        "T = a + kN / min(R, kr) for k pairs of rate r that share a rate R (Gropp et al. 2016).",
    )


def waterfall_table(results: Results) -> Table:
    """The parts of every prediction, whose sum is the prediction, beside the measurements."""
    rows: list[tuple[Value, ...]] = []
    for each in sweeps(results):
        if each.parts is None:
            continue
        bounds = predicted_interval(results, each)
        rows.append(
            (
                each.name,
                *(getattr(each.parts, key) for key in PARTS),
                each.parts.hidden_s,
                each.parts.total_s,
                bounds.low,
                bounds.high,
                each.case.middle_s(),
                each.parts.unexplained_s(each.case.middle_s()),
            )
        )
    return Table(
        "mpi_waterfall",
        "Jacobi: what the prediction of a sweep is made of",
        columns(
            ("topology", "topology"),
            *((title, key, formats.seconds) for key, title in PARTS.items()),
            ("hidden", "hidden_s", formats.seconds),
            ("predicted", "predicted_s", formats.seconds),
            ("low", "predicted_low_s", formats.seconds),
            ("high", "predicted_high_s", formats.seconds),
            ("measured", "measured_s", formats.seconds),
            ("beyond", "unexplained_s", _signed_seconds),
        ),
        tuple(rows),
        "Parts add up to the prediction; what overlapping hides is taken off. The interval is that "
        f"of the micro-kernels and messages over launches (beyond {INTERVAL_RANKS_MAX} ranks of "
        "topologies near a cube alone). No part explains what was measured beyond the prediction.",
    )


def beyond(each: Sweep) -> tuple[float, float, float] | None:
    """The time of a sweep beyond its prediction in cells, in packing, and in messages and waiting.

    None without a prediction, or if ranks did not report it. Units: seconds.
    """
    told = [record.get("rank_parts_s") for record in each.case.records]
    if each.parts is None or not all(told):
        return None
    spent = {
        part: median([math.fsum(of[part]) / len(of[part]) for of in told if of])
        for part in ("compute", "pack")
    }
    said = each.parts
    cells_s = spent["compute"] - math.fsum((said.compute_s, said.memory_s, said.saturation_s))
    pack_s = spent["pack"] - said.pack_s
    return cells_s, pack_s, said.unexplained_s(each.case.middle_s()) - cells_s - pack_s


def beyond_table(results: Results) -> Table:
    """Where each sweep is off its prediction."""
    rows: list[tuple[Value, ...]] = []
    for each in sweeps(results):
        if each.parts is not None and (found := beyond(each)) is not None:
            measured = each.case.middle_s()
            whole = each.parts.unexplained_s(measured)
            rows.append((each.name, each.parts.total_s, measured, whole, *found))
    return Table(
        "mpi_beyond",
        "Jacobi: where the prediction is off",
        columns(
            ("topology", "topology"),
            ("predicted", "predicted_s", formats.seconds),
            ("measured", "measured_s", formats.seconds),
            ("beyond", "unexplained_s", _signed_seconds),
            *((f"in {part}", key, _signed_seconds) for key, part in BEYOND.items()),
        ),
        tuple(rows),
        "Of a mean rank: its time in cells and in packing beyond the prediction for both; the "
        "rest of a sweep is messages and waiting.",
    )


def error_words(results: Results) -> tuple[str, ...]:
    """The largest error of the model for each number of ranks, and its part."""
    worst: dict[tuple[int, str], Sweep] = {}
    for each in sweeps(results):
        key = each.cut.num_ranks, each.case.mpi
        former = worst.get(key)
        if each.residual is not None and (
            former is None or abs(each.residual) > abs(former.residual or 0.0)
        ):
            worst[key] = each
    told = [_error_words(results, worst[key]) for key in sorted(worst)]
    if not told:
        return ()
    rest = len(told) - ERRORS_TOLD_MAX
    more = (f"{rest} more are in the table of parts.",) if rest > 0 else ()
    return (
        *told[:ERRORS_TOLD_MAX],
        *more,
        "The model knows caches and memory by two kernels alone, sweeps of a block that fits a "
        "cache and copies of one that does not, and ranks that always run: what cells, messages "
        "and waiting take beyond that it does not explain.",
    )


def _error_words(results: Results, each: Sweep) -> str:
    assert each.parts is not None
    assert each.residual is not None
    bounds = predicted_interval(results, each)
    known = bounds.low is not None and bounds.high is not None
    interval = f" ({formats.seconds(bounds.low)} … {formats.seconds(bounds.high)})" if known else ""
    where = beyond(each)
    parts = (
        ""
        if where is None
        else ": "
        + ", ".join(
            f"{_signed_seconds(spent)} in {part}"
            for part, spent in zip(BEYOND.values(), where, strict=True)
        )
    )
    direction = "fast" if each.residual > 0.0 else "slow"
    return (
        f"{each.name}, {each.case.mpi} {each.case.transport}: the model is "
        f"{formats.percent(abs(each.residual))} too {direction}. It says "
        f"{formats.seconds(bounds.value)}{interval} for a sweep that took "
        f"{formats.seconds(each.case.middle_s())}{parts}."
    )


def _signed_seconds(value: float | None) -> str:
    if value is None:
        return formats.UNKNOWN
    return f"{'-' if value < 0.0 else '+'}{formats.seconds(abs(value))}"


def predicted_interval(results: Results, each: Sweep) -> Estimate:
    """The predicted time of a sweep with its interval. Units: seconds."""
    assert each.parts is not None
    unknown = Estimate(each.parts.total_s, None, None)
    if each.place is None or not _has_interval(each):
        return unknown
    mpi, transport = each.case.mpi, each.case.transport
    most = max(each.place.domain.count(domain) for domain in each.place.domain)
    node = jacobi_node(results, mpi, transport, most)
    if node is None:
        return unknown
    links = link_spreads(results, each)
    place = each.place
    crossed = {
        place.link(face.rank, face.neighbour)
        for rank in range(each.cut.num_ranks)
        for face in each.cut.faces(rank)
    }
    known = {name: link for name, link in links.items() if name in crossed & set(node.links)}
    predict = partial(_sweep_s, each)
    return with_interval(predict, node, spreads(results, mpi, node, most), known)


def _has_interval(each: Sweep) -> bool:
    side = max(each.cut.dims)
    return each.cut.num_ranks <= INTERVAL_RANKS_MAX or side**2 <= each.cut.num_ranks


def _sweep_s(each: Sweep, node: Node) -> float:
    assert each.place is not None
    parts = sweep(each.cut, each.place, node, each.is_overlapped)
    return math.prod(each.cut.cells) / updates_per_s(each.cut, parts)


def bars(results: Results) -> list[dict[str, Any]]:
    """The data of `charts.waterfall`: a row per part, and one per measured time."""
    found: list[dict[str, Any]] = []
    for each in sweeps(results):
        if each.parts is None:
            continue
        common = {"topology": each.name}
        scale = each.parts.total_s / (each.parts.total_s + each.parts.hidden_s)
        for order, (key, title) in enumerate(PARTS.items()):
            milliseconds = 1e3 * scale * getattr(each.parts, key)
            found.append({**common, "part": title, "order": order, "ms": milliseconds})
        found.append({**common, "measured_ms": 1e3 * each.case.middle_s()})
    return found


def scaling_table(results: Results) -> Table:
    """Speed-up of the fastest decomposition of each number of ranks, and its serial fraction; and
    that of a grid that grows with them.
    """
    fastest = _fastest(results)
    points = {ranks: each.updates_per_s for ranks, each in fastest.items()}
    alone = points.get(1)
    rows: list[tuple[Value, ...]] = []
    for ranks, rate in sorted(points.items()):
        speedup = None if alone is None else rate / alone
        serial = None
        if ranks > 1 and speedup is not None:
            serial = float(scaling_laws.karp_flatt([ranks], [speedup])[0])
        efficiency = None if speedup is None else speedup / ranks
        shared = fastest[ranks].ranks_per_core
        rows.append((ranks, "the same", rate / 1e6, speedup, efficiency, serial, shared))
    for each, base in _grown(results):
        ranks, rate = each.cut.num_ranks, each.updates_per_s
        speedup = None if base is None else rate / base
        efficiency = None if speedup is None else speedup / ranks
        rows.append((ranks, "grown", rate / 1e6, speedup, efficiency, None, each.ranks_per_core))
    return Table(
        "mpi_scaling",
        "Jacobi: speed-up by more ranks",
        columns(
            ("ranks", "num_ranks", formats.number),
            ("grid", "grid"),
            ("MLUP/s", "mlups", formats.number),
            ("speed-up", "speedup", formats.ratio),
            ("efficiency", "efficiency", formats.percent),
            ("serial (Karp-Flatt)", "serial", formats.percent),
            ("ranks per core", "ranks_per_core", formats.number),
        ),
        tuple(rows),
        " ".join(
            (
                "The fastest decomposition of each number of ranks on one host, blocking exchange; "
                "a grown grid is one of the same size for each rank.",
                *law_words(points, _num_cores(results)),
            )
        ),
    )


def law_words(points: dict[int, float], num_cores: int | None) -> tuple[str, ...]:
    """The law of scaling with the least AICc, and a change of regime at the physical cores."""
    if len(points) < LAW_POINTS_MIN:
        return (f"A law of scaling needs {LAW_POINTS_MIN} numbers of ranks, {len(points)} are.",)
    ranks, rates = zip(*sorted(points.items()), strict=True)
    law = scaling_laws.best_law(ranks, rates)
    given = ", ".join(f"{name} {value:.3g}" for name, value in law.parameters.items())
    peak = law.peak_processors
    words = [
        f"Closest law: {law.law}" + (f" ({given})" if given else "") + ", off by at most "
        f"{formats.percent(law.max_relative_error)}"
        + (f"; it peaks at {peak:.0f} ranks." if peak else ".")
    ]
    if num_cores:
        words.append(_regime_words(points, num_cores))
    return tuple(words)


def _regime_words(points: dict[int, float], num_cores: int) -> str:
    """Whether speed changes otherwise where ranks begin to share cores, if that can be seen."""
    num_beyond = sum(ranks > num_cores for ranks in points)
    if num_beyond < scaling_laws.POINTS_BEYOND_MIN:
        return (
            "Whether another regime begins where ranks share cores was not looked for: that needs "
            f"{scaling_laws.POINTS_BEYOND_MIN} numbers of ranks beyond the {num_cores} cores, "
            f"{num_beyond} were measured."
        )
    ranks, rates = zip(*sorted(points.items()), strict=True)
    change = scaling_laws.regime_change(ranks, rates, num_cores)
    if change is None:
        return f"Beyond the {num_cores} cores, where ranks share them, no other regime is seen."
    return (
        f"Another regime begins beyond {change.last_below:.0f} ranks, where ranks share cores: "
        f"each rank more adds {change.slope / 1e6:.3g} MLUP/s."
    )


def _fastest(results: Results) -> dict[int, Sweep]:
    """By ranks on one host, the fastest of the sweeps of the suite's own grid."""
    found: dict[int, Sweep] = {}
    for each in sweeps(results):
        if each.is_plain and each.num_hosts == 1:
            ranks = each.cut.num_ranks
            if ranks not in found or found[ranks].updates_per_s < each.updates_per_s:
                found[ranks] = each
    return found


def _grown(results: Results) -> list[tuple[Sweep, float | None]]:
    """Each weakly scaled sweep of several ranks, and the updates per second of one box alone."""
    every = sweeps(results)
    alone = {each.cut.cells: each.updates_per_s for each in every if each.cut.num_ranks == 1}
    return [
        (each, alone.get(each.cut.block(0)))
        for each in every
        if each.is_weak and halo_of(each.case) == "mpi" and each.cut.num_ranks > 1
    ]


def _num_cores(results: Results) -> int | None:
    """The most cores of a host that ranks of a launch were bound to; None if no rank reports it."""
    counts: list[int] = []
    for program in results.programs:
        counts += Counter(host for host, _ in set(bound_cores(program))).values()
    return max(counts, default=None)

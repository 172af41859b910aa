# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One table or figure of the MPI report: published, recomputed, and measured on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from weft_lab.models import jacobi_fitted, published
from weft_lab.models.decomposition import Dims, factorings
from weft_lab.models.jacobi_fitted import Machine, Problem, Run, Scaling
from weft_lab.models.published import JacobiRow
from weft_lab.models.ranking import order
from weft_lab.pages import formats
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.static_files import draw
from weft_lab.pages.table import Table, Value, columns
from weft_lab.suites.launched import write_item
from weft_lab.suites.mpi import charts, jacobi_tables, ring_tables, tables
from weft_lab.suites.mpi.results import Results

ROMAN = ("", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI")
SCALINGS: tuple[Scaling, ...] = ("strong", "weak")
# Cores of the report's nodes: two sockets of twelve; its two THIN nodes stand in Table X.
MACHINES = {"X": Machine(2, 24, 2), "XI": Machine(2, 24, 1)}
# Includes the inputs of a sweep's prediction, and the latency that a ring's is compared with.
PROBLEMS = {
    "mpi_sum3d": ("sum3d",),
    "mpi_jacobi": ("jacobi", "bandwidth", "pack", "pingpong"),
    "mpi_ring": ("ring", "pingpong"),
    "mpi_pingpong": ("pingpong",),
}
PAIRS = {"fig3": "inter-node", "fig4": "inter-socket", "fig5": "intra-socket"}


def problems_of(item: Item) -> tuple[str, ...]:
    """The measurements for it."""
    return PROBLEMS[item.form]


def render_item(item: Item, results: Results) -> Reproduction:
    """Writes the item as a page and CSV files below `reproduced/` of the run.

    Errors: `ResultFolderError` when it cannot be written.
    """
    shown, lines = content(item, results)
    folder = results.folder / "reproduced"
    svgs = _drawings(item, results, folder)
    return write_item(item, folder, lines, svgs, shown)


def content(item: Item, results: Results) -> tuple[tuple[Table, ...], tuple[str, ...]]:
    """The tables of an item and the remarks on them."""
    number = item.table_key.removeprefix("table").removeprefix("fig")
    if item.form == "mpi_sum3d":
        table = ROMAN[int(number)]
        measured, said = _measured_sums(results, published.sum_rows(table)[0].size[1])
        return (published_sums(table), measured), (*_doubts(table), *said)
    if item.form == "mpi_ring":
        own = (tables.ring_table(results), ring_tables.latency_table(results))
        return (published_ring(), *own), ring_tables.growth_words(results)
    if item.form == "mpi_pingpong":
        said = (*_words(item), tables.cache_words(results))
        return (published_ping_pong(item), tables.fit_table(results)), said
    names = ROMAN[10:] if item.table_key == "fig6" else (ROMAN[int(number)],)
    shown = (*(published_jacobi(name) for name in names), *_forecasts(names))
    said = tuple(line for name in names for line in (*_doubts(name), *_ordered(name)))
    return (*shown, jacobi_tables.jacobi_table(results)), said


def _measured_sums(results: Results, width: int) -> tuple[Table, tuple[str, ...]]:
    """The sums with the table's shape of matrices; if there are none, all sums, with a remark."""
    own = tables.of_width(results, width)
    if own:
        return tables.sum_table(results, own), ()
    said = f"This run has no matrices of {width} columns: its own sums are of another shape."
    return tables.sum_table(results), (said,)


def published_sums(table: str) -> Table:
    """Tables I to III with each row's load checked."""
    doubts = {each.row: each.why for each in published.doubts((), published.sum_rows(table))}
    rows: list[tuple[Value, ...]] = [
        (
            "x".join(map(str, row.size)),
            "x".join(map(str, row.topology)),
            row.a,
            max(row.load.values()) / min(row.load.values()) - 1.0,
            row.low_s,
            row.high_s,
            doubts.get(f"{row.topology} a={row.a}", ""),
        )
        for row in published.sum_rows(table)
    ]
    return Table(
        f"published_table{ROMAN.index(table)}",
        f"Table {table} as published",
        columns(
            ("size", "size"),
            ("topology", "topology"),
            ("a", "a", formats.number),
            ("imbalance", "imbalance", formats.percent),
            ("low", "low_s", formats.seconds),
            ("high", "high_s", formats.seconds),
            ("doubt", "doubt"),
        ),
        tuple(rows),
        "Average time of a cycle on 24 cores, mean ± 1.96 S/√10 of ten runs.",
    )


def published_jacobi(table: str) -> Table:
    """Tables IV to XI: printed, recomputed by Equation 14, and predicted without own rows."""
    ours = dict(left_out(table))
    rows: list[tuple[Value, ...]] = []
    for row in published.jacobi_rows(table):
        recomputed = published.recomputed_mlups(row)
        better = ours.get(row.dims)
        rows.append(
            (
                row.ranks,
                "x".join(map(str, row.dims)),
                row.k,
                row.c_mb,
                row.model_mlups,
                recomputed,
                row.measured_mlups,
                row.model_mlups / row.measured_mlups - 1.0,
                better,
                None if better is None else better / row.measured_mlups - 1.0,
            )
        )
    return Table(
        f"published_table{ROMAN.index(table)}",
        f"Table {table} as published: {published.captions()[table].caption}",
        columns(
            ("N", "num_ranks", formats.number),
            ("topology", "topology"),
            ("k", "k", formats.number),
            ("c, MB", "c_mb", formats.number),
            ("P model", "model_mlups", formats.number),
            ("recomputed", "recomputed_mlups", formats.number),
            ("P measured", "measured_mlups", formats.number),
            ("model's error", "model_error", formats.signed_percent),
            ("better model", "better_mlups", formats.number),
            ("its error", "better_error", formats.signed_percent),
        ),
        tuple(rows),
        "MLUP/s. The better model's row is fitted to the rows with other N alone; it has "
        "compute, contention, copies per "
        "byte of face, and shared cores, and it cuts one grid of 1200³ among the ranks (strong "
        "scaling), where the report's Equation 14 gives each rank 1200³ points of its own (weak).",
    )


def left_out(table: str, scaling: Scaling = "strong") -> list[tuple[Dims, float]]:
    """Each decomposition predicted from the rows of other N, in MLUP/s; only for X and XI, which
    have enough of them.
    """
    if table not in MACHINES:
        return []
    found = jacobi_fitted.leave_one_out(_problem(table, scaling), _runs(table))
    return [(run.dims, estimate.value / 1e6) for run, estimate in found]


def _problem(table: str, scaling: Scaling = "strong") -> Problem:
    side, serial_s = published.points_per_side(), published.captions()[table].serial_s
    return Problem((side, side, side), serial_s, MACHINES[table], scaling)


def _runs(table: str) -> list[Run]:
    return [Run(row.dims, 1e6 * row.measured_mlups) for row in published.jacobi_rows(table)]


def forecast() -> Table:
    """The prediction of the model fitted to Table X for more THIN nodes, with its interval.

    Up to four times the measured nodes: no data supports the form beyond.
    """
    measured = jacobi_fitted.fit(_problem("X"), _runs("X"))
    rows: list[tuple[Value, ...]] = []
    for nodes in (1, 2, 4, 8):
        problem = replace(measured.problem, machine=Machine(2, 24, nodes))
        grown = replace(measured, problem=problem)
        dims = factorings(24 * nodes)[-1]
        found = grown.updates_per_s(dims)
        low, high = (None if v is None else v / 1e6 for v in (found.low, found.high))
        state = "measured" if nodes == MACHINES["X"].num_nodes else "expected"
        rows.append((nodes, "x".join(map(str, dims)), state, found.value / 1e6, low, high))
    return Table(
        "forecast",
        "What would happen on N nodes",
        columns(
            ("nodes", "num_nodes", formats.number),
            ("topology", "topology"),
            ("", "state"),
            ("MLUP/s", "mlups", formats.number),
            ("low", "low_mlups", formats.number),
            ("high", "high_mlups", formats.number),
        ),
        tuple(rows),
        "The model of Table X with 24 ranks per node; the interval is that of a new run, if the "
        "network's share grows as it did from 12 to 48 ranks.",
    )


def _forecasts(names: Sequence[str]) -> tuple[Table, ...]:
    return (forecast(),) if "X" in names else ()


def published_ring() -> Table:
    """The latencies of Equation 1."""
    rows = tuple(
        (node, name, first, last, 1e-6 * latency)
        for node, pieces in published.report()["ring_latency_us"].items()
        for name, first, last, latency in pieces
    )
    return Table(
        "published_fig1",
        "Latencies that the report reads from its ring: half the slope of each piece",
        columns(
            ("node", "node"),
            ("links", "links"),
            ("from N", "first", formats.number),
            ("to N", "last", formats.number),
            ("latency", "latency_s", formats.seconds),
        ),
        rows,
    )


def published_ping_pong(item: Item) -> Table:
    """The latencies that the report's text quotes; those of the item's placement if it has one."""
    wanted = PAIRS.get(item.table_key)
    rows = tuple(
        (pair, row["transport"], 1e-6 * row["extrapolated"], 1e-6 * row["ordinary"])
        for pair, row in published.report()["pingpong_latency_us"].items()
        if wanted in (None, pair)
    )
    return Table(
        f"published_{item.table_key}",
        "Latencies that the report quotes",
        columns(
            ("placement", "placement"),
            ("transport", "transport"),
            ("extrapolated", "extrapolated_s", formats.seconds),
            ("least squares", "ordinary_s", formats.seconds),
        ),
        rows,
        "A negative latency is not valid: see docs/mpi.md.",
    )


def _words(item: Item) -> tuple[str, ...]:
    start = PAIRS.get(item.table_key, "")
    said: Sequence[str] = published.report()["pingpong_words"]
    return tuple(f"The report: {text}." for text in said if text.startswith(start))


def _doubts(table: str) -> tuple[str, ...]:
    return tuple(
        f"Table {each.table} {each.row}: {each.why}.".replace(" :", ":")
        for each in published.doubts()
        if each.table == table
    )


def _ordered(table: str) -> tuple[str, ...]:
    ours = dict(left_out(table))
    if not ours:
        return ()
    rows = published.jacobi_rows(table)
    theirs = _num_wrong(rows, {row.dims: row.model_mlups for row in rows})
    errors = {
        scaling: max(
            abs(value / row.measured_mlups - 1.0)
            for row in rows
            if (value := dict(left_out(table, scaling)).get(row.dims)) is not None
        )
        for scaling in SCALINGS
    }
    weak_wrong = _num_wrong(rows, dict(left_out(table, "weak")))
    return (
        f"Table {table}: of pairs of decompositions with N >= 24 that differ by more than 2 %, the "
        f"report's model orders {theirs} wrong, the better one {_num_wrong(rows, ours)}.",
        f"Read as weak scaling, as Equation 14 has it, the same terms order {weak_wrong} wrong and "
        f"are off by up to {formats.percent(errors['weak'])} on rows left out; read as one grid of "
        f"1200³ cut among the ranks, by {formats.percent(errors['strong'])}.",
    )


def _num_wrong(rows: Sequence[JacobiRow], predicted: Mapping[Dims, float]) -> int:
    wrong = 0
    for ranks in {row.ranks for row in rows if row.ranks >= 24}:
        same = [row for row in rows if row.ranks == ranks]
        measured = [row.measured_mlups for row in same]
        wrong += order(measured, [predicted[row.dims] for row in same]).wrong
    return wrong


def _drawings(item: Item, results: Results, folder: Path) -> tuple[str, ...]:
    if item.form == "mpi_pingpong":
        models = tables.models_of(results)
        if not models:
            return ()
        kinds = ("time_us", "bandwidth_mb_per_s")
        return tuple(
            draw(
                charts.ping_pong(models, kind, results.caches, results.thresholds),
                folder,
                f"{item.table_key}_{kind}",
            )
            for kind in kinds
        )
    if item.form == "mpi_ring":
        lines, marks = ring_tables.chart_rows(results)
        return (draw(charts.ring(lines, marks), folder, item.table_key),) if lines else ()
    if item.table_key == "fig6":
        rows = [
            {"ranks": row.ranks, "grid": f"Table {row.table}", "kind": kind, "mlups": value}
            for row in published.jacobi_rows("X", "XI")
            if row.dims[1] > 1
            for kind, value in (("measured", row.measured_mlups), ("model", row.model_mlups))
        ]
        return (draw(charts.jacobi(rows), folder, "fig6"),)
    return ()

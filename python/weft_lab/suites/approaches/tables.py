# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the suite of approaches: the series in every style, the differences of the APIs,
the paper's constant offset, the cost of a unit of each API, and the cost to compile it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from weft_lab.pages import formats
from weft_lab.pages.machine_text import machine_rows
from weft_lab.pages.papers import published_hpx_modern
from weft_lab.pages.table import Table, Value, columns, sort_rows
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.storage.checkout import backend_infos
from weft_lab.suites.approaches import claims as approach_claims
from weft_lab.suites.approaches import compile_cost
from weft_lab.suites.approaches import findings as approaches

TITLE = "One series in every style"
LISTING = "taylor_listing"
LISTING_X = 0.1
DEFAULT_X = 0.5
PARTS_OF_ONE = 1e9
SPREADS: Mapping[str, str] = {
    "within": f"within {100 * approaches.REACH:.0f} %",
    "beyond": f"beyond {100 * approaches.REACH:.0f} %",
    "cannot tell": "cannot tell",
}
AVAILABILITY = columns(
    ("runtime", "runtime"),
    ("futures", "futures"),
    ("coroutines", "coroutines"),
    ("parallel algorithms", "algorithms"),
    ("senders", "senders"),
)


def all_tables(view: RunView) -> list[Table]:
    """The report's content for a run of the suite; nothing for other suites."""
    if not approaches.timed(view.summaries):
        return []
    tables = [
        spread_table(view),
        unit_table(view),
        offset_table(view),
        series_table(view),
        compile_table(view),
    ]
    return [table for table in tables if table.rows]


def answer(view: RunView) -> tuple[str, ...]:
    """The fastest approach on equal work and the distance of the others, then the cost of an async
    call."""
    plain = approaches.series(view.plain())
    fused = [s for s in plain if s.cell.problem == approaches.FUSED and s.backend != "seq"]
    most = max(((s.cell.threads, s.cell.size) for s in fused), default=(0, 0))
    ranked = sorted(
        (s for s in fused if (s.cell.threads, s.cell.size) == most), key=lambda s: s.time_s or 0.0
    )
    if len(ranked) < 2:
        return ()
    first, last = ranked[0], ranked[-1]
    limit = (1 + approaches.REACH) * (first.time_s or 0.0)
    near = sum((s.time_s or 0.0) <= limit for s in ranked[1:])
    calls = [u for u in approaches.units(view.plain()) if u.unit == approaches.UNITS["async_get"]]
    cheap = sorted((u for u in calls if u.threads == view.threads_all), key=lambda u: u.time_s)
    texts = [f"{formats.seconds(u.time_s)} with {display(u.approach)}" for u in cheap[:3]]
    slowest = formats.ratio((last.time_s or 0.0) / (first.time_s or 1.0))
    return (
        f"Equal work on {most[0]} threads: {display(first.backend)} is fastest; {near} of "
        f"{len(ranked) - 1} other styles are within {100 * approaches.REACH:.0f} %, and the "
        f"slowest ({display(last.backend)}) takes {slowest} its time.",
        *((f"A call and its result through a future: {', '.join(texts)}.",) if texts else ()),
    )


def display(backend: str) -> str:
    """The approach as tables and figures name it."""
    info = backend_infos(approaches.SUITE).get(backend)
    return info.display if info else backend


def ordered(backends: Iterable[str]) -> list[str]:
    """The baseline, the peers, then weft's: as the lab lists them."""
    known = list(backend_infos(approaches.SUITE))
    return sorted(dict.fromkeys(backends), key=lambda b: known.index(b) if b in known else 0)


def x_of(summary: CellSummary) -> float:
    """Where the series is summed up."""
    if summary.cell.problem == LISTING:
        return LISTING_X
    given = dict(summary.cell.params).get("x_ppb")
    return DEFAULT_X if given is None else given / PARTS_OF_ONE


def series_table(view: RunView) -> Table:
    """One row per layout, n, thread count and approach, the fastest of each group first."""
    rows = [row for s in approaches.series(view.plain()) if (row := _series_row(view, s))]
    return Table(
        name="approach_series",
        title="The Taylor series of ln(1+x)",
        columns=columns(
            ("problem", "case"),
            ("x", "x", formats.number),
            ("n", "size", formats.number),
            ("threads", "threads", formats.number),
            ("approach", "approach"),
            ("median", "median_s", formats.seconds),
            ("least", "least_s", formats.seconds),
            ("most", "most_s", formats.seconds),
            ("samples", "samples", formats.number),
            ("terms/s", "terms_per_s", formats.number),
            ("paper's GFLOP/s", "paper_gflops", formats.number),
        ),
        rows=sort_rows(rows, 0, 2, 3, 5),
        note="Every sum was checked against its exact value before it was timed. taylor_fused is "
        "equal work: no vector, every approach calls the same function for its part. taylor_vector "
        "is the paper's layout: a vector of 1 ... n, made outside the timed part, then two "
        "passes. The paper's GFLOP/s are 100.000028581 operations per term, which it counted "
        "within the pow of its C library; terms/s are measured.",
    )


def _series_row(view: RunView, s: CellSummary) -> tuple[Value, ...] | None:
    found = approaches.sums(s)
    if found is None:
        return None
    size = s.cell.size
    return (
        view.case(s),
        x_of(s),
        size,
        s.cell.threads,
        display(s.backend),
        found.median_s,
        found.least_s,
        found.most_s,
        found.count,
        found.terms_per_s(size),
        approaches.paper_gflops(size, found.median_s),
    )


def spread_table(view: RunView) -> Table:
    """Equal work, every approach against OpenMP; last, weft's slowest against its fastest."""
    plain = list(view.plain())
    found = [*approaches.against_peer(plain), *approaches.among_themselves(plain)]
    rows = [
        (
            a.label,
            a.terms,
            a.threads,
            display(a.approach),
            display(a.rival),
            a.ratio.value,
            a.ratio.low,
            a.ratio.high,
            SPREADS[a.spread],
        )
        for a in found
    ]
    return Table(
        name="approach_spread",
        title="Equal work: how far apart the approaches are",
        columns=columns(
            ("problem", "case"),
            ("n", "size", formats.number),
            ("threads", "threads", formats.number),
            ("approach", "approach"),
            ("against", "rival"),
            ("time ratio", "ratio", four_digits),
            ("from", "ratio_low", four_digits),
            ("to", "ratio_high", four_digits),
            ("reading", "reading"),
        ),
        rows=sort_rows(rows, 0, 1, 2, 4, 5),
        note="The time of the approach over that of its rival, with the 95 % interval. Rows "
        "against an approach of weft's: the slowest of its six APIs against the fastest.",
    )


def four_digits(value: float | None) -> str:
    """`1.0021`: ratios that differ from one by less than a percent."""
    return formats.UNKNOWN if value is None else f"{value:.4f}"


def offset_table(view: RunView) -> Table:
    """The control: the part that the paper's coroutine program timed besides the series."""
    rows = [
        (
            display(o.approach),
            o.terms,
            o.threads,
            o.outside_s,
            o.inside_s,
            o.added_s,
            o.low_s,
            o.high_s,
        )
        for o in approaches.offsets(view.plain())
    ]
    return Table(
        name="approach_offset",
        title="Control: the constant that the paper's coroutines paid",
        columns=columns(
            ("approach", "approach"),
            ("n", "size", formats.number),
            ("threads", "threads", formats.number),
            ("vector made before", "outside_s", formats.seconds),
            ("vector made within", "inside_s", formats.seconds),
            ("added", "added_s", formats.seconds),
            ("from", "added_low_s", formats.seconds),
            ("to", "added_high_s", formats.seconds),
        ),
        rows=sort_rows(rows, 1, 0, 2),
        note="A control, deliberately wrong. The paper's coroutine program allocated, zeroed and "
        "filled its vector within the timed call, on one thread; its other programs did so before. "
        "The cost of an await would grow with their number and shrink with threads; the cost of a "
        "vector does neither, and is the same for every API.",
    )


def unit_table(view: RunView) -> Table:
    """One row per unit, thread count and approach, the cheapest first."""
    order = list(approaches.UNITS.values())
    rows = [
        (
            u.unit,
            u.threads,
            display(u.approach),
            1e9 * u.time_s,
            None if u.low_s is None else 1e9 * u.low_s,
            None if u.high_s is None else 1e9 * u.high_s,
            u.allocations,
            u.allocated_bytes,
        )
        for u in approaches.units(view.plain())
    ]
    rows.sort(key=lambda row: (order.index(row[0]), row[1], row[3]))
    return Table(
        name="approach_units",
        title="What a unit of each API costs",
        columns=columns(
            ("unit", "unit"),
            ("threads", "threads", formats.number),
            ("approach", "approach"),
            ("ns", "time_ns", formats.number),
            ("from", "time_low_ns", formats.number),
            ("to", "time_high_ns", formats.number),
            ("allocations", "allocations", formats.number),
            ("bytes", "allocated_bytes", formats.number),
        ),
        rows=tuple(rows),
        note="Lower is better. A unit does almost no work, within a task of the pool, unless its "
        "name says from outside. With stdexec and Taskflow all units run from outside, because "
        "their waits block a worker. Allocations are calls of malloc and similar functions by all "
        "threads in a call after the first, divided by its units; memory that a runtime keeps is "
        "not counted again.",
    )


def claim_table(view: RunView) -> Table:
    """The claims about weft's APIs, beside this run's results."""
    found = approach_claims.claims(list(view.plain(view.summaries)), compile_cost.read(view.folder))
    return Table(
        name="approach_claims",
        title="Weft's targets, and the values measured here",
        columns=columns(
            ("what", "what"),
            ("measured at", "where"),
            ("unit", "unit"),
            ("asked", "asked", formats.number),
            ("measured", "measured", formats.number),
            ("from", "measured_low", formats.number),
            ("to", "measured_high", formats.number),
            ("reading", "reading"),
        ),
        rows=tuple(
            (c.text, c.where, c.unit, c.asked, c.measured, c.low, c.high, c.reading) for c in found
        ),
        note="Asked: at most; for levels, at least. The interval, or a count, decides whether a "
        "target is kept; without an interval it is unknown. From outside, each body runs on a "
        "worker, whose thread is checked; the round trip is that of a word which two threads write "
        "alternately, measured in the same run.",
    )


def compile_table(view: RunView) -> Table:
    """One row per small program of lab/approaches/compile, the quickest first."""
    rows = [
        (cost.api, cost.time_s, cost.num_runs, cost.peak_bytes, cost.reason or None)
        for cost in compile_cost.read(view.folder)
    ]
    return Table(
        name="approach_compile",
        title="The cost of compiling",
        columns=columns(
            ("program", "program"),
            ("median time", "time_s", formats.seconds),
            ("compilations", "num_runs", formats.number),
            ("compiler's peak memory", "peak_bytes", formats.mebibytes),
            ("why not", "reason"),
        ),
        rows=sort_rows(rows, 1, 0),
        note=f"{compile_cost.COMPILER} {' '.join(compile_cost.FLAGS)} -c of a program of ten or "
        f"twenty lines, up to {compile_cost.REPEATS} times as the budget allows; the programs are "
        "lab/approaches/compile.",
    )


def availability_table(view: RunView) -> Table:
    """Table 1: the paper's rows, libraries of one machine, and the measurements here."""
    published = published_hpx_modern()
    rows: list[tuple[Value, ...]] = [
        *((f"{row[0]} (the paper)", *row[1:]) for row in published["table1"]),
        *(tuple(row) for row in published["table1_more"]),
    ]
    rows += [_measured_row(view, family) for family in ("hpx", "weft")]
    return Table(
        name="availability",
        title="Availability of the approaches, and what a unit of them costs here",
        columns=AVAILABILITY,
        rows=tuple(row for row in rows if any(row[1:])),
        note="yes, partly, no. Times are those of this run with all threads: async + get, co_await "
        "of a task, for_each of 1,000 calls that do next to nothing, and schedule | then | "
        "sync_wait.",
    )


def _measured_row(view: RunView, family: str) -> tuple[Value, ...]:
    wanted = ("async_get", "await_task", "for_each_empty", "schedule_then_wait")
    found = [
        u
        for u in approaches.units(view.plain())
        if u.approach.startswith(family) and u.threads == view.threads_all
    ]
    times = [
        min((u.time_s for u in found if u.unit == approaches.UNITS[name]), default=None)
        for name in wanted
    ]
    texts = [None if time_s is None else formats.seconds(time_s) for time_s in times]
    return (f"{family}, measured here", *texts)


def version_table(view: RunView) -> Table:
    """Table 2: the paper's machines, then this one as its programs and kernel describe it."""
    published = published_hpx_modern()["table2"]
    names = ("gcc", "HPX", "Boost", "hwloc", "jemalloc")
    rows: list[tuple[Value, ...]] = [
        (f"{row[0]} (the paper)", name, version)
        for row in published
        for name, version in zip(names, row[1:], strict=True)
    ]
    rows += [("here", name, value) for name, value in machine_rows(view)]
    found: dict[str, str] = {}
    for program in (view.programs or {}).values():
        found["compiler"] = str(program.get("compiler"))
        found |= {str(k): str(v) for k, v in (program.get("libraries") or {}).items()}
    rows += [("here", name, version) for name, version in sorted(found.items())]
    return Table(
        name="versions",
        title="Processors, compilers and dependencies",
        columns=columns(("machine", "machine"), ("what", "what"), ("version", "version")),
        rows=tuple(rows),
    )


def standards_table() -> Table:
    """Figure 1: the additions of each standard, and weft's counterpart."""
    return Table(
        name="standards",
        title="Parallel features of the C++ standards",
        columns=columns(("standard", "standard"), ("brought", "brought"), ("weft", "weft")),
        rows=tuple(tuple(row) for row in published_hpx_modern()["fig1"]),
        note=published_hpx_modern()["notes"]["fig1"],
    )


def concepts_table() -> Table:
    """Figure 2: the approach for each structure."""
    return Table(
        name="concepts",
        title="Concurrency and parallelism",
        columns=columns(
            ("approach", "approach"),
            ("concurrency", "concurrency"),
            ("parallelism", "parallelism"),
            ("weft", "weft"),
        ),
        rows=tuple(tuple(row) for row in published_hpx_modern()["fig2"]),
    )

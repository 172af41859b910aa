# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's tables: the paper's case, the sweep, steps, overlap, scaling, bytes per message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weft_lab.pages import formats
from weft_lab.pages.charts.common import INTERVAL_NOTE
from weft_lab.pages.table import Table, Value, columns
from weft_lab.statistics.estimates import RatioEstimate, bootstrap_ratio
from weft_lab.suites.halo.plan import BASELINE, FIGURE_GRIDS, ON_SAME_MEMORY, SAME_MEMORY
from weft_lab.suites.halo.results import Results, Shape, Times, by_shape, speed_up
from weft_lab.suites.halo.verdicts import Comparison, compare, swept

STEPS = ("pack", "transfer", "unpack")
# The factor by which an exchange may exceed the time of copying, if only this node's cores copy.
OVERLAP_FACTOR = 1.05
KEPT = "as it should be"
UNTOLD = "cannot tell"
SPEED_COLUMNS = (
    ("speed-up", "speed_up", formats.ratio),
    ("low", "speed_up_low", formats.ratio),
    ("high", "speed_up_high", formats.ratio),
)


def interval_text(comparison: Comparison) -> str:
    """`1.79 … 1.88`."""
    return formats.ratio_interval(comparison.speed.low, comparison.speed.high)


def paper_table(results: Results) -> Table:
    """Every contestant on the paper's case and the smaller ones, beside hand-written row copies."""
    compared = {
        (each.mpi, each.shape, each.contestant): each for each in compare(results, ("paper",))
    }
    rows: list[tuple[Value, ...]] = []
    for (mpi, shape), times in by_shape(results.times("paper")).items():
        for name, each in times.items():
            found = compared.get((mpi, shape, name))
            rows.append(
                (
                    mpi,
                    shape.text,
                    name,
                    each.middle_s(),
                    None if found is None else found.speed.value,
                    None if found is None else found.speed.low,
                    None if found is None else found.speed.high,
                    "the baseline" if found is None else found.words,
                    len(each.records),
                )
            )
    return Table(
        "halo_paper",
        "The paper's case, and smaller ones: time of an exchange",
        columns(
            ("MPI", "mpi"),
            ("shape", "shape"),
            ("contestant", "contestant"),
            ("time", "time_s", formats.seconds),
            *SPEED_COLUMNS,
            ("verdict", "verdict"),
            ("launches", "num_launches", formats.number),
        ),
        tuple(rows),
        f"Speed-up: time of {BASELINE} over that of the contestant, with its 95 % interval. "
        "Shapes: cells per rank, halo width (h), fields (f), processes; all periodic but where "
        "open.",
    )


@dataclass(frozen=True)
class MemoryShare:
    """The effect of the fields' memory on an exchange's speed.

    `memory`: hand-written rows on memory of `make_field` against hand-written rows on the program's
    own; `exchange`: weft against the former; `both`: weft against the latter.
    """

    mpi: str
    shape: Shape
    by_hand_s: float
    same_memory_s: float
    time_s: float
    memory: RatioEstimate
    exchange: RatioEstimate
    both: RatioEstimate


def memory_shares(results: Results) -> list[MemoryShare]:
    """Of the paper's shapes, the largest first; none where ranks share CPUs."""
    found = []
    for (mpi, shape), times in by_shape(results.times("paper")).items():
        three = [times.get(name) for name in (BASELINE, SAME_MEMORY, ON_SAME_MEMORY)]
        by_hand, same, weft = three
        if by_hand is None or same is None or weft is None or weft.is_functional_only:
            continue
        found.append(
            MemoryShare(
                mpi,
                shape,
                by_hand.middle_s(),
                same.middle_s(),
                weft.middle_s(),
                memory=speed_up(by_hand, same),
                exchange=speed_up(same, weft),
                both=speed_up(by_hand, weft),
            )
        )
    return sorted(found, key=lambda each: (each.mpi, -each.shape.size[0], each.shape))


def memory_table(results: Results) -> Table:
    """Hand-written rows on both kinds of memory, and weft."""
    rows: list[tuple[Value, ...]] = []
    for each in memory_shares(results):
        ratios = (
            number
            for found in (each.memory, each.exchange, each.both)
            for number in (found.value, found.low, found.high)
        )
        spent = (each.by_hand_s, each.same_memory_s, each.time_s)
        rows.append((each.mpi, each.shape.text, *spent, *ratios))
    return Table(
        "halo_memory",
        "How much the memory and the exchange contribute",
        columns(
            ("MPI", "mpi"),
            ("shape", "shape"),
            ("by hand, own memory", "by_hand_s", formats.seconds),
            ("by hand, make_field", "same_memory_s", formats.seconds),
            ("weft, make_field", "time_s", formats.seconds),
            ("by the memory", "memory", formats.ratio),
            ("low", "memory_low", formats.ratio),
            ("high", "memory_high", formats.ratio),
            ("by the exchange", "exchange", formats.ratio),
            ("low", "exchange_low", formats.ratio),
            ("high", "exchange_high", formats.ratio),
            ("both", "both", formats.ratio),
            ("low", "both_low", formats.ratio),
            ("high", "both_high", formats.ratio),
        ),
        tuple(rows),
        f"By hand: {BASELINE} and {SAME_MEMORY}, the same program on fields of the program's own "
        "memory and of make_field, whose rows are padded and whose pages are large. By the memory: "
        "the first over the second; by the exchange: the second over weft; both: the first over "
        "weft.",
    )


def sweep_table(results: Results) -> Table:
    """Each shape of the sweep with its verdicts, the slowest first."""
    ordered = sorted(swept(results), key=lambda each: each.speed.value)
    rows: list[tuple[Value, ...]] = [
        (
            each.mpi,
            each.shape.text,
            each.contestant,
            each.baseline,
            each.baseline_s,
            each.time_s,
            each.speed.value,
            each.speed.low,
            each.speed.high,
            each.words,
        )
        for each in ordered
    ]
    return Table(
        "halo_sweep",
        "Every shape of the sweep beside hand-written exchanges, smallest gain first",
        columns(
            ("MPI", "mpi"),
            ("shape", "shape"),
            ("contestant", "contestant"),
            ("beside", "baseline"),
            ("by hand", "baseline_s", formats.seconds),
            ("time", "time_s", formats.seconds),
            *SPEED_COLUMNS,
            ("verdict", "verdict"),
        ),
        tuple(rows),
        "Verdicts hold for all rows together: at most one in twenty of them is false "
        "(Benjamini and Hochberg). Slower or faster: by more than 3 %. "
        f"{INTERVAL_NOTE}",
    )


def step_times(results: Results, jobs: Sequence[str]) -> list[Times]:
    """Of exchanges in steps."""
    return results.times(*jobs)


def steps_table(results: Results, jobs: Sequence[str] = ("steps",)) -> Table:
    """Packing, exchange and unpacking, as the bars of the paper's figures."""
    rows: list[tuple[Value, ...]] = []
    for each in step_times(results, jobs):
        spent = [each.middle_s(step) for step in STEPS]
        note = "ranks share CPUs" if each.is_functional_only else ""
        launches = len(each.records)
        rows.append(
            (each.mpi, each.shape.text, each.contestant, *spent, sum(spent), launches, note)
        )
    return Table(
        f"halo_{'_'.join(jobs)}",
        "An exchange in three steps",
        columns(
            ("MPI", "mpi"),
            ("shape", "shape"),
            ("contestant", "contestant"),
            ("pack", "pack_s", formats.seconds),
            ("exchange", "transfer_s", formats.seconds),
            ("unpack", "unpack_s", formats.seconds),
            ("all", "all_s", formats.seconds),
            ("launches", "num_launches", formats.number),
            ("", "note"),
        ),
        tuple(rows),
        "Means over ranks. Datatypes are packed by MPI within the exchange; with memory that ranks "
        "share, what is called unpacking is the copy itself.",
    )


def overlap_table(results: Results) -> Table:
    """An exchange, a computation as long, one after the other, and both at once."""
    rows: list[tuple[Value, ...]] = []
    for each in results.times("overlap"):
        alone, compute, both = (each.middle_s(kind) for kind in ("alone", "compute", "together"))
        in_turn, asked = (
            each.middle_s(kind) if each.has(kind) else None for kind in ("in_turn", "progressed")
        )
        bound = compute + OVERLAP_FACTOR * alone
        words = bound_words(over_bound(each))
        spent = (alone, compute, in_turn, both, asked, bound)
        rows.append((each.mpi, each.shape.text, each.contestant, *spent, words))
    return Table(
        "halo_overlap",
        "Computing while halos travel",
        columns(
            ("MPI", "mpi"),
            ("shape", "shape"),
            ("contestant", "contestant"),
            ("exchange", "alone_s", formats.seconds),
            ("computation", "compute_s", formats.seconds),
            ("one after the other", "in_turn_s", formats.seconds),
            ("both at once", "together_s", formats.seconds),
            ("asking meanwhile", "progressed_s", formats.seconds),
            ("bound", "bound_s", formats.seconds),
            ("", "words"),
        ),
        tuple(rows),
        f"Bound: the computation and {OVERLAP_FACTOR} times the exchange. On one node the cores "
        "that compute are those that copy, so both at once cannot take less than their sum. One "
        "after the other takes longer than the sum, because each displaces the other's data from "
        "the caches, and every step waits for the slower rank. Asking meanwhile: the computation "
        "calls a function that makes messages progress (progress(), MPI_Testall) 64 times. The "
        "verdict is from ratios of neighbouring samples, with their 95 % interval.",
    )


def over_bound(each: Times) -> RatioEstimate:
    """Both at once over the bound, sample by sample: a disturbance affects all of three
    neighbouring samples."""
    ratios = [
        [
            together / (compute + OVERLAP_FACTOR * alone)
            for alone, compute, together in zip(
                record["alone_s"], record["compute_s"], record["together_s"], strict=True
            )
        ]
        for record in each.records
    ]
    return bootstrap_ratio([[1.0] for _ in ratios], ratios)


def bound_words(found: RatioEstimate) -> str:
    """Whether the bound is kept, by the whole of the interval."""
    if found.high is not None and found.high <= 1.0:
        return KEPT
    if found.low is not None and found.low > 1.0:
        return f"{formats.percent(found.value - 1.0)} above it"
    return UNTOLD


def weak_table(results: Results) -> Table:
    """As many cells per rank on ever more ranks."""
    rows: list[tuple[Value, ...]] = []
    for (mpi, shape), times in by_shape(results.times("weak")).items():
        base = times.get(BASELINE)
        for name, each in times.items():
            ratio = None if base is None else base.middle_s() / each.middle_s()
            note = "ranks share CPUs" if each.is_functional_only else ""
            peers = each.params["num_peers"]
            time_s, launches = each.middle_s(), len(each.records)
            rows.append(
                (mpi, shape.num_ranks, shape.text, name, peers, time_s, ratio, launches, note)
            )
    return Table(
        "halo_weak",
        "Weak scaling: 64³ cells of three fields per rank",
        columns(
            ("MPI", "mpi"),
            ("ranks", "num_ranks", formats.number),
            ("shape", "shape"),
            ("contestant", "contestant"),
            ("other ranks met", "num_peers", formats.number),
            ("time", "time_s", formats.seconds),
            ("against rows by hand", "speed_up", formats.ratio),
            ("launches", "num_launches", formats.number),
            ("", "note"),
        ),
        tuple(rows),
        "Where ranks share CPUs, times say that it works and little else.",
    )


def bytes_table(results: Results) -> Table:
    """The size of one message of each kind; the paper prints those of 250³."""
    jobs = ("paper", "steps", *FIGURE_GRIDS)
    rows: dict[str, tuple[Value, ...]] = {}
    for each in results.times(*jobs):
        params = each.params
        kinds = [int(params[f"{kind}_bytes"]) for kind in ("face", "edge", "corner", "sent")]
        counts = (int(params["num_directions"]), int(params["num_peers"]))
        rows.setdefault(each.shape.text, (each.shape.text, *kinds, *counts))
    return Table(
        "halo_bytes",
        "Bytes per message",
        columns(
            ("shape", "shape"),
            ("face", "face_bytes", formats.number),
            ("edge", "edge_bytes", formats.number),
            ("corner", "corner_bytes", formats.number),
            ("all that a rank sends", "sent_bytes", formats.number),
            ("messages by hand", "num_directions", formats.number),
            ("other ranks", "num_peers", formats.number),
        ),
        tuple(rows.values()),
        "All fields together. The paper: 6 messages of 4.5 MB, 12 of 55 KB, 8 of 648 B.",
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's tables: calls beside MPI, bandwidth, calls under load, resources, and promises."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns
from weft_lab.suites.distributed.asked import bytes_per_peer, promises
from weft_lab.suites.distributed.results import FRESH, MPI, Case, Results, times_raw
from weft_lab.suites.distributed.scaling import ALONE, PROGRAMS, efficiency, title_of

CALLS = ("round_trip", "post_rate", "collective")
NAMES = {
    "round_trip": "round trip, 8 bytes",
    "post_rate": "post, 8 bytes",
    "barrier": "barrier",
    "all_reduce": "all_reduce, a double",
}
RATIO_COLUMNS = (
    ("of MPI's", "ratio", formats.ratio),
    ("low", "ratio_low", formats.ratio),
    ("high", "ratio_high", formats.ratio),
)


def display(contestant: str) -> str:
    """`a task`, `a coroutine`, `a thread`: the caller. Also of MPI's other form of a call."""
    if contestant == "mpi_nonblocking":
        return "MPI, non-blocking"
    return f"a {contestant.removeprefix('weft_')}"


def name_of(case: Case) -> str:
    """The operation of a case."""
    return NAMES[str(case.value.get("operation", case.cell))]


def calls_table(results: Results) -> Table:
    """Each operation by each caller, beside MPI's."""
    rows: list[tuple[Value, ...]] = []
    for case, found in results.cases(*CALLS).items():
        raw = found.get(MPI)
        for name, each in found.items():
            if raw is None or name == MPI:
                continue
            ratio = times_raw(raw, each)
            rows.append(
                (
                    case.mpi,
                    case.transport,
                    name_of(case),
                    display(name),
                    raw.middle(),
                    each.middle(),
                    *(ratio.value, ratio.low, ratio.high),
                    len(each.records),
                )
            )
    return Table(
        "distributed_calls",
        "Calls and collectives beside MPI",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("operation", "operation"),
            ("called by", "caller"),
            ("by MPI", "mpi_s", formats.seconds),
            ("by the caller", "caller_s", formats.seconds),
            *RATIO_COLUMNS,
            ("launches", "num_launches", formats.number),
        ),
        tuple(rows),
        "MPI: a ping-pong by MPI_Send and MPI_Recv; windows of 64 MPI_Isend; MPI_Barrier and "
        "MPI_Allreduce. Ratios are the time over MPI's, with 95 % intervals. Each rank has one "
        "processor and one worker. Samples of weft and of MPI are interleaved in one launch.",
    )


def bandwidth_table(results: Results) -> Table:
    """Arguments of each size."""
    rows: list[tuple[Value, ...]] = []
    for case, found in results.cases("bandwidth").items():
        raw, fresh, weft = (found.get(name) for name in (MPI, FRESH, "weft_task"))
        if raw is None or fresh is None or weft is None:
            continue
        size = int(case.value["size_bytes"])
        rates = [size / each.middle() / 2**30 for each in (raw, fresh, weft)]
        of_fresh, of_raw = times_raw(weft, fresh), times_raw(weft, raw)
        rows.append(
            (
                case.mpi,
                case.transport,
                size,
                *rates,
                *(of_fresh.value, of_fresh.low, of_fresh.high),
                of_raw.value,
            )
        )
    return Table(
        "distributed_bandwidth",
        "Bandwidth of a vector<double> argument",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("bytes", "size_bytes", formats.number),
            ("MPI, same memory", "mpi_gib_per_s", formats.rate),
            ("MPI, fresh memory", "mpi_fresh_gib_per_s", formats.rate),
            ("weft", "weft_gib_per_s", formats.rate),
            ("of MPI's, fresh", "ratio", formats.ratio),
            ("low", "ratio_low", formats.ratio),
            ("high", "ratio_high", formats.ratio),
            ("of MPI's, same", "ratio_same", formats.ratio),
        ),
        tuple(rows),
        "Fresh memory: each message has memory of its own on both ranks, which the sender fills, "
        "as an argument has that a call takes over. Same memory: all messages of a window use the "
        "buffers of the last window. Windows hold 2 to 16 messages. The receiver answers a window "
        "by MPI, and each call by weft.",
    )


def busy_table(results: Results) -> Table:
    """Round trips while both ranks compute."""
    rows: list[tuple[Value, ...]] = []
    for case, found in results.cases("busy_round_trip").items():
        for name, each in found.items():
            who = "MPI_Test between tasks" if name == MPI else "weft"
            rows.append(
                (
                    case.mpi,
                    case.transport,
                    who,
                    each.middle("call_s"),
                    each.middle("p99_s"),
                    len(each.records),
                )
            )
    return Table(
        "distributed_busy",
        "Round trips while all workers run tasks of 10 µs",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("by", "contestant"),
            ("median", "call_s", formats.seconds),
            ("99th percentile", "p99_s", formats.seconds),
            ("launches", "num_launches", formats.number),
        ),
        tuple(rows),
        "By hand: both ranks compute for 10 µs between two calls of MPI_Test.",
    )


def programs_table(results: Results) -> Table:
    """The programs of two ranks, beside MPI and beside the same work without messages."""
    rows: list[tuple[Value, ...]] = []
    for case, found in results.cases(*PROGRAMS).items():
        raw, alone = found.get(MPI), found.get(ALONE)
        for name, each in found.items():
            if alone is None or name in (MPI, ALONE):
                continue
            beside_mpi: tuple[Value, ...] = (None,) * 3
            if raw is not None:
                ratio = times_raw(raw, each)
                beside_mpi = (ratio.value, ratio.low, ratio.high)
            share = efficiency(case, alone.middle(), each.middle())
            rows.append(
                (
                    *(case.mpi, case.transport, title_of(case)),
                    "in batches" if name == "weft_batches" else "",
                    *(alone.middle(), None if raw is None else raw.middle(), each.middle()),
                    *beside_mpi,
                    share,
                    len(each.records),
                )
            )
    return Table(
        "distributed_programs",
        "Programs on two ranks",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("program", "program"),
            ("posts", "posts"),
            ("without messages", "alone_s", formats.seconds),
            ("by MPI", "mpi_s", formats.seconds),
            ("by weft", "weft_s", formats.seconds),
            *RATIO_COLUMNS,
            ("efficiency", "efficiency", formats.percent),
            ("launches", "num_launches", formats.number),
        ),
        tuple(rows),
        "Times are of an update of one rank, of a step, or of a node of the tree. MPI: rounds of "
        "1024 updates by MPI_Alltoallv; MPI_Isend and MPI_Irecv of the outer cells. The efficiency "
        "is the time of the same work without messages, on all ranks at once, over weft's. The "
        "ranks of a tree search share one tree, so its efficiency is also divided by their number.",
    )


def resources_table(results: Results) -> Table:
    """What a job costs that does nothing."""
    rows: list[tuple[Value, ...]] = []
    for case, found in results.cases("idle", "memory").items():
        state = str(case.value.get("state", f"{case.num_ranks} ranks, a call to each"))
        raw, weft = found.get(MPI), found.get("weft_thread")
        if raw is None or weft is None:
            continue
        if case.cell == "idle":
            shares = (raw.middle("cpu_share"), weft.middle("cpu_share"))
            rows.append((case.mpi, state, *shares, None, None))
        else:
            sizes = (raw.middle("heap_bytes"), weft.middle("heap_bytes"))
            rows.append((case.mpi, state, None, None, *sizes))
    return Table(
        "distributed_resources",
        "Processor time and memory of a rank that does nothing",
        columns(
            ("MPI", "mpi"),
            ("state", "state"),
            ("processor, MPI alone", "mpi_cpu_share", formats.percent),
            ("processor, weft", "weft_cpu_share", formats.percent),
            ("heap bytes, a communicator", "mpi_heap_bytes", formats.number),
            ("heap bytes, a runtime", "weft_heap_bytes", formats.number),
        ),
        tuple(rows),
        "Of the largest rank. A rank at MPI_Barrier polls all the time. "
        + " ".join(
            f"{case.mpi}: {size / 1024:.1f} KiB of a runtime's heap for each peer."
            for case, size in bytes_per_peer(results).items()
        ),
    )


def asked_table(results: Results) -> Table:
    """weft's own promises."""
    rows = tuple(
        (
            each.mpi,
            each.transport,
            each.what,
            each.bound.show(each.value),
            "" if each.low is None else each.bound.show(each.low),
            "" if each.high is None else each.bound.show(each.high),
            each.bound.text,
            each.words,
        )
        for each in promises(results)
    )
    return Table(
        "distributed_asked",
        "What weft promises of calls, and what was found",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("what", "what"),
            ("found", "found"),
            ("low", "low"),
            ("high", "high"),
            ("asked", "asked"),
            ("verdict", "verdict"),
        ),
        rows,
        "Kept or not kept: the whole 95 % interval is on one side of the number asked for.",
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of a run of the user's programs; columns that nobody asked about are left out."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from weft_lab.pages import formats
from weft_lab.pages.table import Column, Table, Value, columns
from weft_lab.statistics.analysis_types import Decision
from weft_lab.suites.bench.results import BenchRun, Row
from weft_lab.suites.bench.scaling import BreakEven, Curve, Duel, Interval, rivals, thriftier

KERNEL_NOTE = (
    "Medians over launches; from and to: 95 % interval. CPU time, faults and switches are of all "
    "threads, a call's share; peak memory and run delay are of the process that measured."
)
USED_NOTE = (
    "Medians over launches; from and to: 95 % interval. CPU time, faults and switches are of the "
    "program and of the children that it waited for; peak memory is that of the largest of them, "
    "run delay that of its first thread."
)
HARDWARE_COLUMNS = columns(
    ("instructions", "instructions", formats.number),
    ("instructions per cycle", "instructions_per_cycle", formats.number),
    ("cache misses", "cache_misses", formats.number),
    ("branch misses", "branch_misses", formats.number),
)
HARDWARE_NOTE = "Instructions, cycles and misses are of user mode, of the program and its children."


# Counters of the runtime; the first is known if the runtime was used.
WORKERS_TIMES = ("task_time", "scheduling_time", "searching_time", "parked_time")
# Of the contestants that may be faster than a choice.
RIVALS_NAMED = 4


@dataclass(frozen=True)
class _Axis:
    """A column that says which cell a row is of."""

    column: Column
    of: Callable[[Row], Value]


def _axes(run: BenchRun) -> list[_Axis]:
    found = [_Axis(Column("program", "program"), lambda row: row.name)]
    if run.has_cases:
        found.append(_Axis(Column("parameters", "parameters"), lambda row: row.case))
    if run.asked.size_name:
        title = run.asked.size_name
        found.append(_Axis(Column(title, "size", formats.number), lambda row: row.cell.size))
    if run.has_threads:
        title = "threads"
        found.append(_Axis(Column(title, title, formats.number), lambda row: row.cell.threads))
    return found


def _sum(row: Row, *names: str) -> float | None:
    known = [row.used[name] for name in names if name in row.used]
    return sum(known) if len(known) == len(names) else None


FAULTS = ("minor_faults", "major_faults")
SWITCHES = ("voluntary_switches", "involuntary_switches")


def short_tables(run: BenchRun) -> tuple[Table, Table]:
    """The terminal's output, in two tables that fit it: times, and the resources of a launch."""
    axes = _axes(run)
    heads = tuple(axis.column for axis in axes)
    at = [tuple(axis.of(row) for axis in axes) for row in run.timed]
    times = [
        (
            *place,
            row.summary.time_s,
            formats.seconds_interval(row.summary.time_low_s, row.summary.time_high_s),
            *(_metric(row, metric.name, "value") for metric in run.asked.metrics),
            row.summary.launches,
        )
        for place, row in zip(at, run.timed, strict=True)
    ]
    used = [
        (
            *place,
            row.used.get("cpu_time"),
            row.summary.peak_rss_bytes,
            _sum(row, *FAULTS),
            _sum(row, *SWITCHES),
            row.used.get("run_delay"),
        )
        for place, row in zip(at, run.timed, strict=True)
    ]
    metrics = tuple(Column(each.title, each.name, formats.number) for each in run.asked.metrics)
    time_heads = columns(("time", "time_s", formats.seconds), ("95 % interval", "interval"))
    launches = Column("launches", "launches", formats.number)
    used_heads = columns(
        ("CPU time", "cpu_s", formats.seconds),
        ("peak memory", "peak_rss_bytes", formats.mebibytes),
        ("faults", "faults", formats.number),
        ("switches", "switches", formats.number),
        ("run delay", "run_delay_s", formats.seconds),
    )
    return (
        Table(
            "bench_short",
            f"Time of a {run.unit}, median",
            (*heads, *time_heads, *metrics, launches),
            tuple(times),
        ),
        Table(
            "bench_used",
            f"What a {run.unit} used, median",
            (*heads, *used_heads),
            tuple(used),
            note=memory_note(run),
        ),
    )


def memory_note(run: BenchRun) -> str:
    """Why a small program's peak is not known."""
    if run.at_most_bytes is None:
        return ""
    limit = formats.mebibytes(run.at_most_bytes)
    return f"Memory {formats.UNKNOWN}: at most {limit}, which is where every launch begins."


def _used_note(run: BenchRun) -> str:
    return KERNEL_NOTE if run.asked.kernel else USED_NOTE


def times_table(run: BenchRun) -> Table:
    """Every cell, with all that its launches used."""
    has_failed = any(row.num_failed for row in run.rows)
    axes = _axes(run)
    rows = [
        (
            *(axis.of(row) for axis in axes),
            row.summary.time_s,
            row.summary.time_low_s,
            row.summary.time_high_s,
            row.summary.launches,
            *(
                _metric(row, metric.name, part)
                for metric in run.asked.metrics
                for part in ("value", "low", "high")
            ),
            row.used.get("cpu_time"),
            row.used["cpu_time"] / row.time_s if "cpu_time" in row.used and row.is_timed else None,
            row.summary.peak_rss_bytes,
            *(row.used.get(name) for name in (*FAULTS, *SWITCHES, "run_delay")),
            *_hardware(row),
            *((row.num_failed, row.message) if has_failed else ()),
        )
        for row in run.rows
    ]
    return Table(
        "bench_times",
        "Times, and what the launches used",
        (
            *(axis.column for axis in axes),
            *columns(
                ("time", "time_s", formats.seconds),
                ("from", "time_low_s", formats.seconds),
                ("to", "time_high_s", formats.seconds),
                ("launches", "launches", formats.number),
            ),
            *_metric_columns(run),
            *columns(
                ("CPU time", "cpu_s", formats.seconds),
                ("CPUs used", "cpus_used", formats.number),
                ("peak memory", "peak_rss_bytes", formats.mebibytes),
                ("minor faults", "minor_faults", formats.number),
                ("major faults", "major_faults", formats.number),
                ("switches, waiting", "voluntary_switches", formats.number),
                ("switches, forced", "involuntary_switches", formats.number),
                ("run delay", "run_delay_s", formats.seconds),
            ),
            *HARDWARE_COLUMNS,
            *(
                columns(("failed", "failed", formats.number), ("what failed", "message"))
                if has_failed
                else ()
            ),
        ),
        tuple(rows),
        note=" ".join(filter(None, (_used_note(run), _hardware_note(run), memory_note(run)))),
    )


def _hardware_note(run: BenchRun) -> str:
    return HARDWARE_NOTE if any("instructions" in row.used for row in run.rows) else ""


def _hardware(row: Row) -> tuple[float | None, ...]:
    """Counts of user mode, where the kernel counts them here."""
    used = row.used
    instructions, cycles = used.get("instructions"), used.get("cycles")
    rate = instructions / cycles if instructions is not None and cycles else None
    return instructions, rate, used.get("cache_misses"), used.get("branch_misses")


def _metric_columns(run: BenchRun) -> tuple[Column, ...]:
    return tuple(
        column
        for metric in run.asked.metrics
        for column in columns(
            (metric.title, metric.name, formats.number),
            ("from", f"{metric.name}_low", formats.number),
            ("to", f"{metric.name}_high", formats.number),
        )
    )


def _metric(row: Row, name: str, part: str) -> float | None:
    found = row.metrics.get(name)
    return None if found is None else getattr(found, part)


def choices_table(run: BenchRun) -> Table:
    """The recommendations, by value of the parameters."""
    view = run.view
    sized = run.asked.size_name
    heads = [("parameters", "parameters")] if run.has_cases else []
    decisions = sorted(view.decisions, key=lambda d: (d.label, d.size_low))
    tells = any(d.detectable is not None for d in decisions)
    rows: list[tuple[Value, ...]] = [
        (
            *([d.label.partition(" ")[2]] if run.has_cases else []),
            *([d.size_low, d.size_high] if sized else []),
            d.backend,
            *([d.threads] if run.has_threads else []),
            d.confidence,
            *([d.detectable] if tells else []),
            _reason(run, d),
        )
        for d in decisions
    ]
    found = [
        *columns(*heads),
        *(
            columns(
                (f"from {sized}", "size_low", formats.number),
                (f"to {sized}", "size_high", formats.number),
            )
            if sized
            else ()
        ),
        *columns(("use", "program")),
        *(columns(("threads", "threads", formats.number)) if run.has_threads else ()),
        *columns(("confidence", "confidence")),
        *(columns(("detects", "detectable", formats.percent)) if tells else ()),
        *columns(("why", "reason")),
    ]
    limit = formats.percent(view.threshold, 0)
    return Table(
        "bench_choices",
        "What to use",
        tuple(found),
        tuple(rows),
        note="From 95 % intervals alone: the fewest threads that cannot be slower than the fastest "
        f"by more than {limit}. Sure: nothing else can be faster by more than that, and fewer "
        "threads are significantly slower by more than that. Likely: something else might be "
        "faster, or fewer threads might do. Cannot tell: the fastest might be better. Detects: the "
        "smallest difference that these launches detect.",
    )


def _reason(run: BenchRun, d: Decision) -> str:
    """The contestants that may be faster, and those that are equally good."""
    limit, most = formats.percent(run.view.threshold, 0), 1.0 + run.view.threshold
    found = {_rival_text(run, key): high for key, high in rivals(run, d).items()}
    faster = [
        f"{name} by up to {formats.ratio(high)}" if high <= formats.WIDEST_INTERVAL else name
        for name, high in found.items()
        if high is not None and high > most
    ]
    unknown = [name for name, high in found.items() if high is None]
    parts = [f"may be faster: {_first_of(faster)}"] if faster else []
    parts += [f"one launch only: {_first_of(unknown)}"] if unknown else []
    fewer = [] if faster or unknown else [_rival_text(run, key) for key in thriftier(run, d)]
    parts += [f"not significantly slower by more than {limit}: {_first_of(fewer)}"] if fewer else []
    return "; ".join(parts) or f"nothing else can be faster by more than {limit}"


def _first_of(names: Sequence[str]) -> str:
    more = len(names) - RIVALS_NAMED
    shown = [*names[:RIVALS_NAMED], *([f"{more} more"] if more > 0 else [])]
    return ", ".join(shown)


def _rival_text(run: BenchRun, rival: tuple[str, int]) -> str:
    name, threads = rival
    count = formats.threads(threads)
    if not run.has_threads:
        return name
    return f"{name} with {count}" if run.is_race else count


def scaling_table(run: BenchRun, found: Sequence[Curve]) -> Table:
    """Speed-up by threads, and the fits of the laws."""
    sized = run.asked.size_name
    rows: list[tuple[Value, ...]] = []
    for curve in found:
        for row in curve.rows[1:]:
            ratio = curve.speedup(row)
            least = curve.rows[0].cell.threads
            value = ratio.value if ratio else None
            is_last = row is curve.rows[-1]
            serial = curve.serial if is_last else None
            usl = curve.usl if is_last else None
            rows.append(
                (
                    curve.name,
                    curve.case,
                    *([curve.size] if sized else []),
                    row.cell.threads,
                    value,
                    ratio.low if ratio else None,
                    ratio.high if ratio else None,
                    None if value is None else value * least / row.cell.threads,
                    *_interval_cells(serial),
                    *_interval_cells(usl.contention if usl else None),
                    *_interval_cells(usl.coherence if usl else None),
                )
            )
    return Table(
        "bench_scaling",
        "Speed-up over threads",
        columns(
            ("program", "program"),
            ("parameters", "parameters"),
            *([(sized, "size", formats.number)] if sized else []),
            ("threads", "threads", formats.number),
            ("speed-up", "speedup", formats.ratio),
            ("from", "speedup_low", formats.ratio),
            ("to", "speedup_high", formats.ratio),
            ("efficiency", "efficiency", formats.percent),
            ("serial part (Amdahl)", "serial", formats.percent),
            ("from", "serial_low", formats.percent),
            ("to", "serial_high", formats.percent),
            ("contention (USL)", "usl_contention", formats.percent),
            ("from", "usl_contention_low", formats.percent),
            ("to", "usl_contention_high", formats.percent),
            ("coherence (USL)", "usl_coherence", formats.percent),
            ("from", "usl_coherence_low", formats.percent),
            ("to", "usl_coherence_high", formats.percent),
        ),
        tuple(rows),
        note="Against the fewest threads that were measured. Counts of threads beyond the usable "
        "CPUs are left out. Amdahl's law: time = serial part + rest / threads. USL is fitted to "
        "four counts of threads or more.",
    )


def _interval_cells(found: Interval | None) -> tuple[Value, ...]:
    return (None, None, None) if found is None else (found.value, found.low, found.high)


def workers_table(run: BenchRun) -> Table:
    """Where the time of weft's workers went; empty without a kernel that used them."""
    axes = _axes(run)
    rows = []
    for row in run.timed:
        if WORKERS_TIMES[0] not in row.used or not row.used.get("tasks"):
            continue
        all_s = row.cell.threads * row.time_s
        known = [row.used.get(name) for name in WORKERS_TIMES]
        shares = [None if each is None else each / all_s for each in known]
        counts = (row.used.get("tasks"), row.used.get("steals"))
        rows.append((*(axis.of(row) for axis in axes), *shares, *counts))
    return Table(
        "bench_workers",
        "Where the time of weft's workers went",
        (
            *(axis.column for axis in axes),
            *columns(
                ("in tasks", "task_share", formats.percent),
                ("not in tasks", "scheduling_share", formats.percent),
                ("searching", "searching_share", formats.percent),
                ("parked", "parked_share", formats.percent),
                ("tasks of a call", "tasks", formats.number),
                ("steals", "steals", formats.number),
            ),
        ),
        tuple(rows),
        note="Shares of the time of a call times threads. Searching for a task and being parked "
        "for want of one are parts of the time not in tasks. The counters are read around each "
        "sample and see some 10 µs more of every worker. Calls that started no task are left out.",
    )


def duels_table(run: BenchRun, found: Sequence[Duel]) -> Table:
    """Every contestant against the first one."""
    axes = _axes(run)
    first = run.asked.contestants[0].name
    rows = [
        (
            *(axis.of(duel.row) for axis in axes),
            duel.row.summary.time_s,
            duel.first.summary.time_s,
            duel.ratio.value,
            duel.ratio.low,
            duel.ratio.high,
            duel.verdict,
        )
        for duel in found
    ]
    return Table(
        "bench_against_first",
        f"Against {first}",
        (
            *(axis.column for axis in axes),
            *columns(
                ("time", "time_s", formats.seconds),
                (f"time of {first}", "first_s", formats.seconds),
                (f"its time / {first}'s", "ratio", formats.ratio),
                ("from", "ratio_low", formats.ratio),
                ("to", "ratio_high", formats.ratio),
                ("verdict", "verdict"),
            ),
        ),
        tuple(rows),
        note=f"Faster and slower: by more than {formats.percent(run.view.threshold, 0)}, by the "
        "whole interval; at most one in twenty of these verdicts is false.",
    )


def break_even_table(run: BenchRun, found: Sequence[BreakEven]) -> Table:
    """From which size on which contestant pays."""
    sized = run.asked.size_name or "size"
    rows = [
        (each.name, each.first, each.case, each.faster_from, each.slower_until) for each in found
    ]
    return Table(
        "bench_break_even",
        "Break-even",
        columns(
            ("program", "program"),
            ("against", "against"),
            ("parameters", "parameters"),
            (f"faster from {sized} =", "faster_from", formats.number),
            (f"last slower at {sized} =", "slower_until", formats.number),
        ),
        tuple(rows),
        note="Each with its best number of threads. "
        f"{formats.UNKNOWN}: at no value that was measured.",
    )


def failures_table(run: BenchRun) -> Table:
    """Launches without a time, each kind once."""
    axes = _axes(run)
    rows = [
        (*(axis.of(row) for axis in axes), row.num_failed, row.message)
        for row in run.rows
        if row.num_failed
    ]
    return Table(
        "bench_failures",
        "What failed",
        (
            *(axis.column for axis in axes),
            *columns(("launches", "failed", formats.number), ("what the last one did", "message")),
        ),
        tuple(rows),
        note="Such launches are never counted as a time.",
    )


def left_out_table(run: BenchRun) -> Table:
    """Backends that cannot run a kernel, or not at some sizes."""
    sizes: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row in run.rows:
        if row.skipped:
            sizes[row.name, row.skipped].append(str(row.cell.size))
    at = [
        (name, f"{reason} (at {run.asked.size_name} = {', '.join(dict.fromkeys(found))})")
        for (name, reason), found in sizes.items()
    ]
    return Table(
        "bench_left_out",
        "Left out",
        columns(("backend", "program"), ("why", "reason")),
        (*run.asked.left_out, *at),
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the pSTL-Bench paper, filled with this run: 2, 3 and 4, 5, 6 and 7."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from weft_lab.pages import formats
from weft_lab.pages.machine_text import machine_rows
from weft_lab.pages.table import Column, Table, Value
from weft_lab.pages.view import GIB, RunView
from weft_lab.statistics.analysis_types import CellSummary, CounterValue

CALLS = 100
EFFICIENCY_PERCENT = 70
COUNTER_ROWS = (
    ("Instructions", "instructions"),
    ("FP scalar", "fp_scalar"),
    ("FP 128-bit packed", "fp_128"),
    ("FP 256-bit packed", "fp_256"),
    ("FP 512-bit packed", "fp_512"),
)
FP_WIDTHS: Mapping[str, Mapping[str, int]] = {
    "double": {"fp_scalar": 1, "fp_128": 2, "fp_256": 4, "fp_512": 8},
    "float": {"fp_scalar": 1, "fp_128": 4, "fp_256": 8, "fp_512": 16},
}


def all_tables(view: RunView) -> list[Table]:
    """Every table in the paper's form that this run can fill, in the paper's order."""
    tables = [
        machine_table(view),
        *counter_tables(view),
        speedup_table(view),
        efficiency_table(view),
        size_table(view),
    ]
    return [table for table in tables if table.rows]


def machine_table(view: RunView) -> Table:
    """Table 2: hardware, software and STREAM bandwidth."""
    return Table(
        name="table2_machine",
        title="Hardware and software (the paper's Table 2)",
        columns=(Column("", "property"), Column("this machine", "value")),
        rows=tuple((name, value) for name, value in machine_rows(view)),
    )


def speedup_table(view: RunView) -> Table:
    """Table 5: speed-up against sequential GCC with all threads at the largest size."""
    found: dict[tuple[str, str], Value] = {}
    for s in view.at_all_threads():
        if s.backend != "seq" and s.cell.size == view.largest_size(view.case(s)):
            found[view.name(s.variant), view.case(s)] = view.speedup(s)
    return _by_case(
        view,
        found,
        lambda v: "N/A" if v is None else formats.significant(float(v)),
        Table(
            "table5_speedup",
            "Speed-up against sequential GCC (the paper's Table 5)",
            (),
            (),
            note=f"{view.threads_all} threads, largest size of each algorithm, default "
            "allocator. Higher is better. "
            "N/A: not offered, not measured or wrong.",
        ),
    )


def efficiency_table(view: RunView) -> Table:
    """Table 6: the most threads with an efficiency of at least 70 %."""
    found: dict[tuple[str, str], Value] = {}
    for e in view.efficiencies:
        case = view.case_name(e.label, e.type)
        if e.size == view.largest_size(case):
            found[view.name(e.variant), case] = 0 if e.threads is None else e.threads
    return _by_case(
        view,
        found,
        _efficiency_text,
        Table(
            "table6_efficiency",
            f"Most threads with efficiency ≥ {EFFICIENCY_PERCENT} % (the paper's Table 6)",
            (),
            (),
            note="Efficiency: speed-up against seq over threads, at the largest size. Higher is "
            "better. "
            "none: below that at every measured thread count, one thread included. N/A: not "
            "offered, not measured or wrong.",
        ),
    )


def _efficiency_text(value: Value) -> str:
    if value is None:
        return "N/A"
    return "none" if value == 0 else str(value)


def _by_case(
    view: RunView,
    found: Mapping[tuple[str, str], Value],
    show: Callable[[Value], str],
    empty: Table,
) -> Table:
    names = [name for name in map(view.name, view.variants) if any(key[0] == name for key in found)]
    columns = (
        Column("backend", "backend"),
        *(Column(case, case.replace(" ", "_"), show) for case in view.cases),
    )
    rows = tuple((name, *(found.get((name, case)) for case in view.cases)) for name in names)
    return Table(empty.name, empty.title, columns, rows, empty.note)


def size_table(view: RunView) -> Table:
    """Table 7: sizes of the executables."""
    programs = view.programs or {}
    rows = tuple(
        (view.name(v), str(programs[v].get("compiler", "")), programs[v].get("executable_bytes"))
        for v in view.variants
        if v in programs
    )
    return Table(
        name="table7_binary_sizes",
        title="Size of the executables (the paper's Table 7)",
        columns=(
            Column("backend", "backend"),
            Column("compiler", "compiler"),
            Column("size", "executable_bytes", formats.mebibytes),
        ),
        rows=rows,
        note="One program per backend with every algorithm and type, as linked here (shared "
        "libraries not included). "
        "Lower is better.",
    )


def counter_tables(view: RunView) -> list[Table]:
    """Tables 3 and 4, for every case with a hardware counter at its largest size."""
    tables = (counter_table(view, case) for case in view.cases)
    return [table for table in tables if table is not None]


def counter_table(view: RunView, case: str) -> Table | None:
    """The table of one case; None if no hardware counter worked."""
    cells = [
        s
        for s in view.at_all_threads()
        if view.case(s) == case and s.cell.size == view.largest_size(case) and _has_hardware(s)
    ]
    return _counter_table(view, case, cells) if cells else None


def counter_reasons(view: RunView) -> list[tuple[str, str]]:
    """Counters that were unavailable somewhere, grouped by reason."""
    names_by_reason: dict[str, set[str]] = {}
    for s in view.measured:
        for name, counter in s.counters.items():
            if counter.value is None:
                reason = counter.reason or "no reason was recorded"
                names_by_reason.setdefault(reason, set()).add(name)
    return sorted((", ".join(sorted(names)), reason) for reason, names in names_by_reason.items())


def _has_hardware(s: CellSummary) -> bool:
    counter = s.counters.get("instructions")
    return counter is not None and counter.value is not None


def _counter_table(view: RunView, case: str, cells: list[CellSummary]) -> Table:
    wanted = [
        (title, name)
        for title, name in COUNTER_ROWS
        if any(counted(s, name) is not None for s in cells)
    ]
    rows: list[tuple[Value, ...]] = [
        (title, *(_text(_times(counted(s, name), CALLS)) for s in cells)) for title, name in wanted
    ]
    rows.append(("GFLOP/s", *(_number(flops_per_s(s)) for s in cells)))
    rows.append(("Mem. bandwidth (GiB/s)", *(_number(_memory(s, per_s=True)) for s in cells)))
    rows.append(
        (
            "Mem. data volume (GiB)",
            *(_number(_times(_memory(s, per_s=False), CALLS)) for s in cells),
        )
    )
    return Table(
        name=f"table3_counters_{case.replace(' ', '_').replace('=', '-')}",
        title=f"{case}: counters of {CALLS} calls (the paper's Tables 3 and 4)",
        columns=(
            Column("Metric", "metric"),
            *(Column(view.name(s.variant), view.name(s.variant)) for s in cells),
        ),
        rows=tuple(rows),
        note=f"Measured per call, times {CALLS}. N/A: this machine does not count it.",
    )


def flops_per_s(s: CellSummary) -> float | None:
    """10⁹ floating-point operations per second; None without FP counters or for integers."""
    widths = FP_WIDTHS.get(s.cell.type)
    if widths is None or s.time_s is None:
        return None
    counts = [
        value * width for name, width in widths.items() if (value := counted(s, name)) is not None
    ]
    return sum(counts) / s.time_s / 1e9 if counts else None


def counted(s: CellSummary, name: str) -> float | None:
    """A counter of one call; None if it was not counted."""
    return s.counters.get(name, CounterValue(None, "")).value


def _memory(s: CellSummary, *, per_s: bool) -> float | None:
    """GiB per call, or GiB/s, from the memory controllers; the cache-miss estimate is not used."""
    read, written = counted(s, "memory_read"), counted(s, "memory_written")
    if read is None or written is None or s.time_s is None:
        return None
    return (read + written) / GIB / (s.time_s if per_s else 1.0)


def _times(value: float | None, factor: int) -> float | None:
    return None if value is None else value * factor


def _text(value: float | None) -> str:
    return formats.paper_number(value)


def _number(value: float | None) -> str:
    return "N/A" if value is None else formats.significant(value)

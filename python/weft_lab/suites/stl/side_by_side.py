# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paper's tables with our machines beside the published: `Hydra | Nebula | VSC-5 | here`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from weft_lab.pages import formats, paper_tables
from weft_lab.pages.machine_text import host, machine_rows
from weft_lab.pages.papers import published_pstl_bench
from weft_lab.pages.table import Column, Table, Value, columns
from weft_lab.pages.view import RunView
from weft_lab.storage.checkout import display_name

MISSING = "N/A"
PAPER_TYPE = "double"
Numbers = Mapping[tuple[str, str], Value]  # by backend as the paper writes it, and case


@dataclass(frozen=True)
class SideBySide:
    """A table in the paper's form, as rows for a CSV file, and narrow enough for a terminal."""

    shown: Table
    long: Table
    narrow: Table


def host_names(views: Sequence[RunView]) -> list[str]:
    """One name per run, numbered where two runs are from the same machine."""
    names = [host(view) for view in views]
    return [
        f"{name} ({names[: i + 1].count(name)})" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def by_name(form: str, views: Sequence[RunView]) -> SideBySide:
    """The table of one form. Units as in the paper."""
    return FORMS[form](views)


def _speedup(views: Sequence[RunView]) -> SideBySide:
    published = published_pstl_bench()["table5"]
    return _by_backend_and_case(
        "table5_speedup",
        "Speed-up against sequential GCC, all threads",
        published,
        [_from_table(view, paper_tables.speedup_table(view)) for view in views],
        views,
    )


def _efficiency(views: Sequence[RunView]) -> SideBySide:
    published = published_pstl_bench()["table6"]
    return _by_backend_and_case(
        "table6_efficiency",
        "Most threads with efficiency ≥ 70 %",
        published,
        [_from_table(view, paper_tables.efficiency_table(view)) for view in views],
        views,
    )


def _from_table(view: RunView, table: Table) -> Numbers:
    """The numbers of a backend by case table, with the paper's names of backends."""
    names = {view.name(variant): display_name(variant) for variant in view.variants}
    return {
        (names[str(row[0])], _case_of_all(view, column.title)): value
        for row in table.rows
        for column, value in zip(table.columns[1:], row[1:], strict=True)
    }


def _case_of_all(view: RunView, case: str) -> str:
    """The name that every run uses, for any types: the paper's cases are doubles."""
    if view.has_several_types:
        return case.removesuffix(f" ({PAPER_TYPE})")
    types = {s.cell.type for s in view.summaries} - {PAPER_TYPE}
    return f"{case} ({min(types)})" if types else case


def _by_backend_and_case(
    name: str,
    title: str,
    published: Mapping[str, Mapping[str, Sequence[Value]]],
    ours: Sequence[Numbers],
    views: Sequence[RunView],
) -> SideBySide:
    theirs = published_pstl_bench()["machine_names"]
    machines = [*theirs, *host_names(views)]
    every: dict[tuple[str, str], list[Value]] = {}
    for backend, row in published.items():
        for case, values in row.items():
            every[backend, case] = [*values, *(None for _ in ours)]
    for number, table in enumerate(ours):
        for key, value in table.items():
            blank: list[Value] = [formats.UNKNOWN] * len(theirs) + [None] * len(ours)
            every.setdefault(key, blank)[len(theirs) + number] = value
    cases = list(dict.fromkeys(case for _, case in every))
    rows = tuple(
        (backend, *(_joined(every.get((backend, case)), len(machines)) for case in cases))
        for backend in dict.fromkeys(backend for backend, _ in every)
    )
    shown = Table(
        name,
        title,
        (Column("backend", "backend"), *(Column(case, case) for case in cases)),
        rows,
        note=f"{' | '.join(machines)}. Higher is better. The first {len(theirs)} are published "
        "(2³⁰ elements); ours are at the largest size measured, all usable threads. "
        f"{MISSING}: not offered or not measured; {formats.UNKNOWN}: not in the paper.",
    )
    long_rows = tuple(
        (backend, case, where, "published" if i < len(theirs) else "measured", values[i])
        for (backend, case), values in every.items()
        for i, where in enumerate(machines)
        if values[i] != formats.UNKNOWN
    )
    return SideBySide(shown, _long(name, long_rows), _narrow(shown, machines, every))


def _narrow(
    shown: Table, machines: Sequence[str], every: Mapping[tuple[str, str], Sequence[Value]]
) -> Table:
    """A row per algorithm and backend that was measured here, a column per machine."""
    num_theirs = len(published_pstl_bench()["machine_names"])
    rows = [
        (case, backend, *values)
        for (backend, case), values in every.items()
        if any(value is not None for value in values[num_theirs:])
    ]
    head = (Column("algorithm", "case"), Column("backend", "backend"))
    return Table(
        shown.name,
        shown.title,
        (*head, *(Column(machine, machine, _cell) for machine in machines)),
        tuple(sorted(rows, key=lambda row: str(row[0]))),
        note=shown.note.partition(". ")[2],
    )


def _joined(values: Sequence[Value] | None, count: int) -> str:
    texts = [_cell(value) for value in values or [formats.UNKNOWN] * count]
    return texts[0] if len(set(texts)) == 1 else " | ".join(texts)


def _cell(value: Value) -> str:
    if value is None:
        return MISSING
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _long(name: str, rows: tuple[tuple[Value, ...], ...]) -> Table:
    head = columns(("", "row"), ("", "column"), ("", "machine"), ("", "source"), ("", "value"))
    return Table(name, "", head, rows)


def _machine(views: Sequence[RunView]) -> SideBySide:
    published: Mapping[str, Mapping[str, str]] = published_pstl_bench()["machines"]
    ours = {
        name: dict(machine_rows(view)) for name, view in zip(host_names(views), views, strict=True)
    }
    every = {**published, **ours}
    properties = list(dict.fromkeys(key for row in every.values() for key in row))
    rows = tuple((key, *(every[name].get(key, MISSING) for name in every)) for key in properties)
    shown = Table(
        "table2_machine",
        "Hardware and software",
        (Column("", "property"), *(Column(name, name) for name in every)),
        rows,
    )
    long_rows = tuple(
        (key, "", name, "published" if name in published else "measured", every[name].get(key))
        for key in properties
        for name in every
    )
    return SideBySide(shown, _long("table2_machine", long_rows), shown)


def _binary_sizes(views: Sequence[RunView]) -> SideBySide:
    published: Mapping[str, float] = published_pstl_bench()["table7_mib"]
    names = host_names(views)
    ours = [
        {display_name(v): _mebibytes(view, v) for v in view.variants if _mebibytes(view, v)}
        for view in views
    ]
    backends = list(dict.fromkeys([*published, *(b for table in ours for b in table)]))
    rows = tuple(
        (backend, published.get(backend), *(table.get(backend) for table in ours))
        for backend in backends
    )
    show = _mib_text
    shown = Table(
        "table7_binary_sizes",
        "Size of the executables, MiB",
        (
            Column("backend", "backend"),
            Column("published (Hydra, Tesla)", "published_mib", show),
            *(Column(name, name, show) for name in names),
        ),
        rows,
        note="Lower is better. The paper links every algorithm of its suite; so do we, of ours.",
    )
    where = ["Hydra", *names]
    long_rows = tuple(
        (row[0], "MiB", where[i], "published" if i == 0 else "measured", value)
        for row in rows
        for i, value in enumerate(row[1:])
    )
    return SideBySide(shown, _long("table7_binary_sizes", long_rows), shown)


def _mebibytes(view: RunView, variant: str) -> float | None:
    num_bytes = (view.programs or {}).get(variant, {}).get("executable_bytes")
    return None if num_bytes is None else num_bytes / (1 << 20)


def _mib_text(value: float | None) -> str:
    return MISSING if value is None else f"{value:.2f}"


def counters(case: str, key: str, views: Sequence[RunView]) -> SideBySide:
    """Table 3 or 4: the published columns of Hydra, then ours, or why there are none."""
    published: Mapping[str, Mapping[str, float]] = published_pstl_bench()[key]
    backends = list(next(iter(published.values())))
    head = [Column("Metric", "metric"), *(Column(f"{b} (Hydra)", f"{b}_Hydra") for b in backends)]
    rows = {
        m: [_published_text(m, value) for value in row.values()] for m, row in published.items()
    }
    notes = []
    for name, view in zip(host_names(views), views, strict=True):
        table = paper_tables.counter_table(view, case)
        if table is None:
            notes.append(f"{name}: {why_no_counters(view)}")
            continue
        head += [Column(f"{column.title} ({name})", column.key) for column in table.columns[1:]]
        ours = {str(row[0]): row[1:] for row in table.rows}
        width = len(table.columns) - 1
        for metric, cells in rows.items():
            cells += [str(value) for value in ours.get(metric, (MISSING,) * width)]
    note = published_pstl_bench()["notes"].get(key, "")
    shown = Table(
        f"{key}_counters",
        f"{case}: counters of {paper_tables.CALLS} calls",
        tuple(head),
        tuple((metric, *cells) for metric, cells in rows.items()),
        note=" ".join([*notes, note]).strip(),
    )
    return SideBySide(shown, shown, shown)


def _published_text(metric: str, value: float) -> str:
    is_count = metric.startswith(("Instructions", "FP"))
    return formats.paper_number(value) if is_count else formats.number(value)


def why_no_counters(view: RunView) -> str:
    """A sentence: the reasons that the counters gave."""
    reasons = sorted({reason for _, reason in paper_tables.counter_reasons(view)})
    return f"not counted ({'; '.join(reasons) or 'no counter was recorded'})."


FORMS: Mapping[str, Callable[[Sequence[RunView]], SideBySide]] = {
    "machine": _machine,
    "speedup": _speedup,
    "efficiency": _efficiency,
    "binary_sizes": _binary_sizes,
}

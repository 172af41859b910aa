# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One table or figure of a paper: what it needs measured, and how it is shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from weft_lab.options import RunOptions
from weft_lab.report import papers, side_by_side
from weft_lab.report.charts import allocator, problem_scaling, strong_scaling
from weft_lab.report.charts.figure import Figure
from weft_lab.report.papers import Item
from weft_lab.report.plain_page import PlainPage, Section, write_plain_page
from weft_lab.report.static_files import write_figures
from weft_lab.report.table import Column, Table
from weft_lab.report.view import RunView

LARGEST_EXPONENT = {"quick": 20, "default": 24, "full": 30}
BYTES_PER_ELEMENT = 8
ARRAYS_AT_ONCE = 4
TOO_LITTLE = (
    "too little was measured for this figure, which needs seq and a parallel backend at one size; "
    "skipped.json says why, a larger --budget may help"
)
CHARTS: Mapping[str, Callable[[RunView], Figure | None]] = {
    "allocator": allocator.build,
    "problem_scaling": problem_scaling.build,
    "strong_scaling": strong_scaling.build,
}


@dataclass(frozen=True)
class Reproduced:
    """The table that is printed, and every file that was written."""

    table: Table
    lines: tuple[str, ...]
    files: tuple[Path, ...]


def options_for(item: Item, options: RunOptions, cpus: int, memory_bytes: int) -> RunOptions:
    """`options` narrowed to the cells of `item`; what the user chose stays chosen."""
    threads = powers_up_to(cpus) if item.threads == "powers" else tuple(sorted({1, cpus}))
    size = (largest_size(options.tier, memory_bytes),) if item.sizes == "largest" else ()
    return replace(
        options,
        suite=(item.suite,),
        only=options.only or item.only,
        size=options.size or size,
        threads=options.threads or threads,
        type=options.type or ("double",),
        allocator=options.allocator or item.allocators or ("default",),
    )


def powers_up_to(cpus: int) -> tuple[int, ...]:
    """1, 2, 4, ... and `cpus` itself, as in the paper."""
    powers = {1 << exponent for exponent in range(cpus.bit_length())}
    return tuple(sorted({*(power for power in powers if power <= cpus), cpus}))


def largest_size(tier: str, memory_bytes: int) -> int:
    """The tier's largest size in elements, halved until its arrays fit in memory."""
    size = 1 << LARGEST_EXPONENT[tier]
    while size > 1 and size * BYTES_PER_ELEMENT * ARRAYS_AT_ONCE > memory_bytes:
        size >>= 1
    return size


def render(item: Item, view: RunView | None, folder: Path) -> Reproduced:
    """Writes the item as a page, CSV and, for a figure, SVG and PNG below `folder`."""
    if item.form in CHARTS and view is not None:
        return _render_figure(item, view, folder)
    if item.form == "coverage" or view is None:
        table = coverage_table()
        return _write(item, view, folder, _Content(table, table, table))
    if item.form == "counters":
        found = side_by_side.counters(item.case, item.table_key, [view])
    else:
        found = side_by_side.by_name(item.form, [view])
    return _write(item, view, folder, _Content(found.shown, found.long, found.narrow))


@dataclass(frozen=True)
class _Content:
    shown: Table
    long: Table
    narrow: Table
    svgs: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()


def _render_figure(item: Item, view: RunView, folder: Path) -> Reproduced:
    only = tuple(s for s in view.summaries if not item.only or s.cell.problem in item.only)
    figure = CHARTS[item.form](replace(view, summaries=only))
    if figure is None:
        empty = Table(item.table_key, item.title, (Column("remark", "remark"),), ((TOO_LITTLE,),))
        return _write(item, view, folder, _Content(empty, empty, empty))
    renamed = replace(figure, name=item.table_key)
    svgs, paths = write_figures([renamed], folder / "figures")
    content = _Content(figure.table, figure.table, figure.table, tuple(svgs.values()), tuple(paths))
    return _write(item, view, folder, content)


def _write(item: Item, view: RunView | None, folder: Path, content: _Content) -> Reproduced:
    published = tuple(f"The paper says: {line}." for line in item.published)
    where = "this version of weft" if view is None else side_by_side.host(view)
    page = PlainPage(
        title=f"{item.name}: {item.title}",
        subtitle=f"Measured on {where}, beside what was published",
        citation=papers.citation(item.paper),
        command=f"./weft reproduce {item.name}",
    )
    section = Section(item.title, published, content.svgs, content.shown)
    html = write_plain_page(folder / f"{item.table_key}.html", page, [section])
    csv = replace(content.long, name=item.table_key).write_csv(folder)
    return Reproduced(content.narrow, published, (html, csv, *content.files))


def coverage_table() -> Table:
    """Table 1: algorithms that take an execution policy, and whether they are measured here."""
    from weft_lab.suites import problems_in_checkout

    here = set(problems_in_checkout("stl"))
    every = papers.published_pstl_bench()["table1"]
    rows = tuple((name, "measured" if name in here else "not yet") for name in every)
    return Table(
        name="table1",
        title="Algorithms that take execution policies",
        columns=(Column("algorithm", "algorithm"), Column("in weft", "in_weft")),
        rows=rows,
        note=f"{sum(name in here for name in every)} of {len(every)} are measured here.",
    )

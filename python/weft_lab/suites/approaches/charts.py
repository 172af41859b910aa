# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The series in every style: performance per approach and thread count, per chunk size, and the
efficiency of small tasks, as Figures 3 and 4 of the paper on modern C++ and HPX.
"""

from __future__ import annotations

from collections.abc import Callable

from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, columns
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.metg import EFFICIENCY_MIN, metg
from weft_lab.suites.approaches import findings as approaches
from weft_lab.suites.approaches.tables import display, ordered

COMMAND = "./weft report --suite approaches"
LAYOUTS = {
    approaches.FUSED: "equal work",
    approaches.VECTOR: "the paper's layout",
    approaches.SETUP_TIMED: "the paper's layout, timed whole",
}
ROW_HEIGHT_PX = 24
SMALL_ROW_HEIGHT_PX = 13
# Shapes repeat the information of colours.
THREAD_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross")


def performance(view: RunView) -> Figure | None:
    """Figure 3: a row per approach, a point per thread count, in each layout and size."""
    data = performance_rows(view)
    if not data:
        return None
    return _dots(
        data,
        _table("approach_performance", "Performance of every approach", "approach", data),
        (
            "Approaches",
            "Medians, and bars from the slowest to the fastest sample. GFLOP/s as the paper counts "
            "them, 100 per term. Right is better.",
        ),
        "approach",
        [display(backend) for backend in ordered(s.backend for s in view.measured)],
    )


def performance_rows(view: RunView) -> Rows:
    """One row per layout, n, approach and thread count."""
    chosen = [
        s
        for s in approaches.series(view.plain())
        if s.cell.problem in (approaches.FUSED, approaches.VECTOR, approaches.SETUP_TIMED)
    ]
    return [
        row
        for s in chosen
        if (row := _row(s, f"{_layout(s)}, n = {s.cell.size:,}", "approach", display(s.backend)))
    ]


def _layout(s: CellSummary) -> str:
    """`equal work x_ppb=100000000`: the problem in words, with its parameters."""
    name, _, params = s.cell.label.partition(" ")
    return f"{LAYOUTS[name]} {params}".strip()


def chunks(view: RunView) -> Figure | None:
    """Figure 4: a row per chunk size, for each approach that has some."""
    data = chunk_rows(view)
    if not data:
        return None
    names = list(dict.fromkeys(str(row["chunks"]) for row in data))
    return _dots(
        data,
        _table("approach_chunks", "Performance by chunk size", "chunks", data),
        (
            "Chunk sizes",
            "The paper's layout as one parallel loop and one parallel sum, the loop cut as each "
            "row says; `default` is the approach's own choice. Chunks of one and of ten elements "
            "are the paper's `rolling hills`. Further right is better.",
        ),
        "chunks",
        names,
    )


def chunk_rows(view: RunView) -> Rows:
    """One row per approach, n, way to cut and thread count."""
    plain = approaches.series(view.plain())
    sizes = {s.cell.size for s in plain if s.cell.problem in approaches.SCHEDULES}
    with_chunks = {s.backend for s in plain if s.cell.problem in approaches.SCHEDULES}
    chosen = [
        s
        for s in plain
        if s.backend in with_chunks
        and (
            s.cell.problem in approaches.SCHEDULES
            or (s.cell.problem == approaches.VECTOR and not s.cell.params and s.cell.size in sizes)
        )
    ]
    chosen.sort(key=lambda s: (s.backend, s.cell.size, chunk_words(s), s.cell.threads))
    return [
        row
        for s in chosen
        if (row := _row(s, f"{display(s.backend)}, n = {s.cell.size:,}", "chunks", chunk_words(s)))
    ]


def chunk_words(summary: CellSummary) -> str:
    """`dynamic 1,000,000`, `auto`, `default`."""
    if summary.cell.problem == approaches.VECTOR:
        return "default"
    kind = summary.cell.problem.removeprefix(approaches.SERIES)
    size = dict(summary.cell.params).get("chunk_size")
    return kind if size is None else f"{kind} {size:,}"


def _row(s: CellSummary, case: str, key: str, name: str) -> dict[str, object] | None:
    found = approaches.sums(s)
    if found is None:
        return None
    terms = s.cell.size
    return {
        "case": case,
        key: name,
        "threads": s.cell.threads,
        "gflops": common.rounded(approaches.paper_gflops(terms, found.median_s)),
        "low": common.rounded(approaches.paper_gflops(terms, found.most_s)),
        "high": common.rounded(approaches.paper_gflops(terms, found.least_s)),
        "median_s": common.rounded(found.median_s),
        "samples": found.count,
    }


def _dots(data: Rows, table: Table, about: tuple[str, str], key: str, names: list[str]) -> Figure:
    """`about`: the short title and the caption; `names`: the rows from top to bottom."""
    cases = tuple(dict.fromkeys(str(row["case"]) for row in data))
    shown_names = [name for name in names if any(row[key] == name for row in data)]

    def draw(shown: str) -> Layers:
        return _dot_layers(table.name, data, shown, key, shown_names)

    height = ROW_HEIGHT_PX * max(3, len(shown_names))
    chart = draw(common.SELECTED).properties(width="container", height=height)
    small = [
        draw(common.only(case)).properties(
            title=case,
            width=common.SMALL_WIDTH_PX,
            height=SMALL_ROW_HEIGHT_PX * max(4, len(shown_names)),
        )
        for case in cases
    ]
    return Figure(
        name=table.name,
        title=table.title,
        short_title=about[0],
        caption=about[1],
        spec=common.to_spec(chart.add_params(common.case_param(cases))),
        datasets={table.name: data},
        table=table,
        command=COMMAND,
        cases=cases,
        overview=common.to_spec(alt.concat(*small, columns=2)) if len(cases) > 1 else None,
    )


def _dot_layers(dataset: str, data: Rows, shown: str, key: str, names: list[str]) -> Layers:
    counts = sorted({int(row["threads"]) for row in data})
    color = alt.Color(
        "threads:N", title="threads", scale=alt.Scale(domain=counts, range=list(theme.CATEGORY))
    )
    shape = alt.Shape(
        "threads:N", title="threads", scale=alt.Scale(domain=counts, range=list(THREAD_SHAPES))
    )
    y = alt.Y(f"{key}:N", title=None, sort=names, axis=alt.Axis(grid=True))
    base = alt.Chart(alt.NamedData(name=dataset)).encode(y=y, color=color).transform_filter(shown)
    x = alt.X(
        "gflops:Q",
        title="GFLOP/s, as the paper counts",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(tickCount=6, labelExpr=common.NUMBER_LABEL, labelOverlap="greedy"),
    )
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q"), x2="high:Q")
    points = base.mark_point(filled=True, size=60).encode(
        x=x,
        shape=shape,
        tooltip=[
            f"{key}:N",
            "threads:O",
            alt.Tooltip("gflops:Q", title="GFLOP/s", format=".4~r"),
            alt.Tooltip("median_s:Q", title="seconds", format=".4~r"),
            "samples:Q",
        ],
    )
    return alt.layer(bars, points)


def _table(name: str, title: str, key: str, data: Rows) -> Table:
    keys = ("case", key, "threads", "gflops", "low", "high", "median_s", "samples")
    return Table(
        name=name,
        title=title,
        columns=columns(
            ("problem" if key == "approach" else "approach", "case"),
            (key, key),
            ("threads", "threads", formats.number),
            ("paper's GFLOP/s", "paper_gflops", formats.number),
            ("least", "paper_gflops_least", formats.number),
            ("most", "paper_gflops_most", formats.number),
            ("median", "median_s", formats.seconds),
            ("samples", "samples", formats.number),
        ),
        rows=tuple(tuple(row[k] for k in keys) for row in data),
    )


def efficiency(view: RunView) -> Figure | None:
    """Efficiency over the length of a task, a curve per API."""
    data = efficiency_rows(view)
    if not data:
        return None
    chart = _efficiency_layers(data).properties(width="container", height=common.CHART_HEIGHT_PX)
    return Figure(
        name="approach_efficiency",
        title="Efficiency over the length of a task",
        short_title="Task size",
        caption=f"With {view.threads_all} threads: the sequential time of the tasks over the core "
        "time they took. weft's APIs run on the same pool. The dotted line is 50 %. Higher is "
        "better.",
        spec=common.to_spec(chart),
        datasets={"approach_efficiency": data},
        table=Table(
            name="approach_efficiency",
            title="Efficiency over the length of a task",
            columns=columns(
                ("approach", "approach"),
                ("task", "task_s", formats.seconds),
                ("efficiency", "efficiency", formats.percent),
            ),
            rows=tuple((row["approach"], row["task_s"], row["efficiency"]) for row in data),
        ),
        command=f"{COMMAND} --only grain",
    )


def efficiency_rows(view: RunView) -> Rows:
    """One row per approach and task length, with all threads."""
    if not approaches.timed(view.summaries):
        return []
    found = [m for m in metg(view.summaries) if m.threads == view.threads_all]
    return [
        {
            "approach": display(theme.backend_of(m.variant)),
            "backend": theme.backend_of(m.variant),
            "task_s": common.rounded(grain.task_s),
            "efficiency": common.rounded(grain.efficiency),
        }
        for m in found
        for grain in m.grains
    ]


def _efficiency_layers(data: Rows) -> Layers:
    backends = ordered(str(row["backend"]) for row in data)
    names = [display(backend) for backend in backends]
    color = alt.Color(
        "approach:N",
        title="approach",
        scale=alt.Scale(domain=names, range=[theme.color(b) for b in backends]),
    )
    shape = alt.Shape(
        "approach:N",
        title="approach",
        scale=alt.Scale(domain=names, range=[theme.shape(b) for b in backends]),
    )
    x = alt.X(
        "task_s:Q",
        **common.log_axis(
            [row["task_s"] for row in data], "length of a task", common.SECONDS_LABEL
        ),
    )
    y = alt.Y(
        "efficiency:Q",
        title="efficiency",
        scale=alt.Scale(domainMin=0),
        axis=alt.Axis(format="%"),
    )
    base = alt.Chart(alt.NamedData(name="approach_efficiency")).encode(x=x, y=y, color=color)
    points = base.mark_point(filled=True).encode(
        shape=shape,
        tooltip=[
            "approach:N",
            alt.Tooltip("task_s:Q", title="task, s", format=".3~s"),
            alt.Tooltip("efficiency:Q", format=".0%"),
        ],
    )
    half = (
        alt.Chart(alt.InlineData(values=[{"efficiency": EFFICIENCY_MIN}]))
        .mark_rule(strokeDash=[2, 3])
        .encode(y="efficiency:Q")
    )
    return alt.layer(half, base.mark_line(), points)


OPENERS: tuple[Callable[[RunView], Figure | None], ...] = (performance, chunks)

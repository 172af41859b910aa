# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predicted efficiency of the suite's programs on 2 to 4096 ranks, with its uncertainty."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weft_lab.models.ranks import Heat, Messages, Program, Search, Updates
from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.table import Table, Value, columns
from weft_lab.statistics.estimates import median, quantile
from weft_lab.suites.distributed.plan import RANKS
from weft_lab.suites.distributed.results import MPI, Case, Results, Samples, key_of

COSTS = ("round_trip", "post_rate", "bandwidth")
PROGRAMS = ("gups", "heat", "uts")
ALONE = "alone"
# The contestant that is predicted.
BY = {"gups": "weft_batches", "heat": "weft_task", "uts": "weft_task"}
PREDICTED_RANKS = tuple(2**k for k in range(1, 13))
TABLE_RANKS = (16, 256, 4096)
NODES_PER_TURN = 64  # as in lab/distributed/uts.cpp
DRAWS = 300
SEED = 1
ASSUMPTIONS = (
    "The model takes the costs of messages from the cells round_trip, post_rate and bandwidth, and "
    "the work from samples without messages. It adds what more ranks cost to the efficiency that "
    "was measured with two ranks.",
    "Assumptions: any two ranks exchange messages as these two do, and the network has no "
    "contention. All ranks are equally fast. Each rank has as much work as here. Computation hides "
    "the time of MPI's messages, but not the time that weft adds.",
    "The band has the 2.5 % and 97.5 % quantiles of predictions from resampled launches. It does "
    "not cover errors of the assumptions. Simulations by events check the formulas: updates up to "
    "32 ranks, heat up to 4096, the search up to 64, whose constant is fitted to them "
    "(weft_lab.models.ranks).",
)
LOOKS = ("weft", "onetbb", "gnu", "openmp", "std")


class _Draw:
    """The median time of a contestant; with a generator, of its resampled launches.

    One object resamples all contestants alike, since those of a launch are disturbed together.
    """

    def __init__(self, random: np.random.Generator | None = None) -> None:
        self._random = random
        self._picked: dict[int, Ints] = {}

    def __call__(self, of: Samples) -> float:
        middles = [median(samples) for samples in of.launches("call_s")]
        if self._random is not None:
            size = len(middles)
            picked = self._picked.setdefault(size, self._random.integers(size, size=size))
            middles = [middles[n] for n in picked]
        return median(middles)


Found = Mapping[str, Samples]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Point:
    """An efficiency with its band."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Prediction:
    """One program by one transport. `modelled`: by the formula alone, for two ranks."""

    case: Case
    name: str
    measured: float
    modelled: float
    by_ranks: Mapping[int, Point]


def missing(results: Results) -> str:
    """The sentence that names cells to measure; empty if nothing is missing or to be predicted."""
    measured = {case.cell for case in results.cases(*COSTS, *PROGRAMS)}
    absent = [cell for cell in COSTS if cell not in measured]
    if not measured.intersection(PROGRAMS) or not absent:
        return ""
    only = ",".join(sorted({*absent, *measured}))
    return (
        f"Predictions for more ranks need the cells {', '.join(absent)}: type "
        f"./weft report --suite distributed --only {only}"
    )


def predictions(results: Results) -> tuple[Prediction, ...]:
    """Of every program whose transport has all costs."""
    return tuple(_predictions(results))


def _predictions(results: Results) -> Iterator[Prediction]:
    costs = _costs(results)
    for case, found in results.cases(*PROGRAMS).items():
        of = costs.get(key_of(case))
        if of is None or ALONE not in found or BY[case.cell] not in found:
            continue

        def curve(draw: _Draw, case: Case = case, found: Found = found, of: _Costs = of) -> _Curve:
            measured = efficiency(case, draw(found[ALONE]), draw(found[BY[case.cell]]))
            program, messages = program_of(case, draw(found[ALONE])), of(draw)
            modelled = [program.efficiency(messages, ranks) for ranks in PREDICTED_RANKS]
            return _Curve(measured, modelled)

        middle = curve(_Draw())
        random = np.random.default_rng(SEED)
        drawn = [curve(_Draw(random)).anchored for _ in range(DRAWS)]
        points = {
            ranks: Point(
                middle.anchored[n],
                quantile([each[n] for each in drawn], 0.025),
                quantile([each[n] for each in drawn], 0.975),
            )
            for n, ranks in enumerate(PREDICTED_RANKS)
        }
        name = "updates in batches" if case.cell == "gups" else title_of(case)
        yield Prediction(case, name, middle.measured, middle.modelled[0], points)


@dataclass(frozen=True)
class _Curve:
    measured: float
    modelled: list[float]

    @property
    def anchored(self) -> list[float]:
        return [self.measured * each / self.modelled[0] for each in self.modelled]


_Costs = Callable[[_Draw], Messages]


def _costs(results: Results) -> dict[tuple[str, str], _Costs]:
    """How to draw the costs of messages, by MPI and transport."""
    cells: dict[tuple[str, str], dict[str, tuple[Case, Found]]] = {}
    for case, found in results.cases(*COSTS).items():  # the largest vectors come last
        if "weft_task" in found and MPI in found:
            cells.setdefault(key_of(case), {})[case.cell] = (case, found)

    def costs_of(of: Mapping[str, tuple[Case, Found]]) -> _Costs:
        def costs(draw: _Draw) -> Messages:
            trips, vectors = of["round_trip"][1], of["bandwidth"]
            posts = of["post_rate"][1]
            overhead_s = draw(posts[MPI]) + draw(posts["weft_task"])
            wire_s = max(draw(trips[MPI]) / 2 - draw(posts[MPI]), 0.0)
            software_s = max(draw(trips["weft_task"]) / 2 - overhead_s - wire_s, 0.0)
            size = int(vectors[0].value["size_bytes"])
            return Messages(overhead_s, wire_s, software_s, draw(vectors[1]["weft_task"]) / size)

        return costs

    return {key: costs_of(of) for key, of in cells.items() if len(of) == len(COSTS)}


def program_of(case: Case, alone_s: float) -> Program:
    """The model's description of a cell."""
    if case.cell == "gups":
        return Updates(alone_s, int(case.value["look_ahead"]))
    if case.cell == "heat":
        return Heat(alone_s)
    return Search(alone_s, float(case.value["nodes"]) / RANKS, NODES_PER_TURN)


def efficiency(case: Case, alone_s: float, weft_s: float) -> float:
    """Of the measured ranks. All ranks together search one tree; the other work is each rank's."""
    return alone_s / weft_s / (case.num_ranks if case.cell == "uts" else 1)


def title_of(case: Case) -> str:
    """The row of a program."""
    if case.cell == "heat":
        return f"heat, {case.value['cells']} cells"
    return {"gups": "random updates", "uts": "tree search"}[case.cell]


def scaling_table(found: tuple[Prediction, ...]) -> Table:
    """Measured and modelled for two ranks, and the predictions for some numbers of ranks."""
    rows: list[tuple[Value, ...]] = []
    for each in found:
        for ranks in TABLE_RANKS:
            point = each.by_ranks[ranks]
            rows.append(
                (
                    *(each.case.mpi, each.case.transport, each.name),
                    *(each.measured, each.modelled, ranks),
                    *(point.value, point.low, point.high),
                )
            )
    return Table(
        "distributed_scaling",
        "Predicted efficiency on more ranks",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("program", "program"),
            ("2 ranks, measured", "measured", formats.percent),
            ("2 ranks, by the model", "modelled", formats.percent),
            ("ranks", "num_ranks", formats.number),
            ("predicted", "predicted", formats.percent),
            ("low", "low", formats.percent),
            ("high", "high", formats.percent),
        ),
        tuple(rows),
        " ".join(ASSUMPTIONS),
    )


def scaling_figure(found: tuple[Prediction, ...]) -> Figure | None:
    """Efficiency against ranks, a line with its band for each program."""
    if not found:
        return None
    data: Rows = [
        {
            "case": f"{each.case.mpi}, {each.case.transport}",
            "name": each.name,
            "ranks": ranks,
            "value": common.rounded(point.value),
            "low": common.rounded(point.low),
            "high": common.rounded(point.high),
        }
        for each in found
        for ranks, point in each.by_ranks.items()
    ]
    cases = tuple(dict.fromkeys(str(row["case"]) for row in data))
    table = scaling_table(found)
    chart = _layers(table.name, data).transform_filter(common.SELECTED)
    chart = chart.add_params(common.case_param(cases))
    return Figure(
        name=table.name,
        title=table.title,
        short_title="More ranks",
        caption="From the efficiency of two ranks and the model; the band is 95 % of resampled "
        "launches. Higher is better.",
        spec=common.to_spec(chart.properties(width="container", height=common.CHART_HEIGHT_PX)),
        datasets={table.name: data},
        table=replace(table, note=""),
        command="./weft report --suite distributed",
        cases=cases,
    )


def _layers(dataset: str, data: Rows) -> Layers:
    names = list(dict.fromkeys(str(row["name"]) for row in data))
    color = alt.Color(
        "name:N",
        title="program",
        scale=alt.Scale(domain=names, range=[theme.color(key) for key in LOOKS[: len(names)]]),
        legend=alt.Legend(columns=2, symbolOpacity=1),  # a phone has no room for more columns
    )
    x = alt.X(
        "ranks:Q",
        title="ranks (log scale)",
        scale=alt.Scale(type="log", base=2, nice=False),
        axis=alt.Axis(values=list(PREDICTED_RANKS)),
    )
    y = alt.Y("value:Q", title="efficiency", axis=alt.Axis(format="%"), scale=alt.Scale(zero=True))
    base = alt.Chart(alt.NamedData(name=dataset)).encode(x=x, color=color)
    band = base.mark_area(opacity=0.2).encode(y=alt.Y("low:Q"), y2="high:Q")
    tooltip = ["name:N", "ranks:Q", alt.Tooltip("value:Q", format=".1%")]
    return alt.layer(band, base.mark_line(point=True).encode(y=y, tooltip=tooltip))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's first screen: what a call on another rank costs."""

from __future__ import annotations

from dataclasses import replace

from weft_lab.pages import formats
from weft_lab.pages.charts import common, dots
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.opening import Opening
from weft_lab.suites.distributed.results import FRESH, MPI, Case, Results, Samples, times_raw
from weft_lab.suites.distributed.scaling import Prediction, scaling_figure
from weft_lab.suites.distributed.tables import CALLS, calls_table, name_of

QUESTION = "What does a call on another rank cost?"
NOTHING = "No call was timed. The sections below say why."
CALLER = "weft_task"
# By transport, the backend whose colour and shape it uses.
FAMILIES = {"shm": "weft", "tcp": "onetbb", "default": "gnu"}


def opening(results: Results, predicted: tuple[Prediction, ...]) -> Opening:
    """The round trip of each MPI and transport, and figures of all ratios and of more ranks."""
    found = results.cases(*CALLS, "bandwidth")
    answer = tuple(
        _sentence(case, each[MPI], each[CALLER])
        for case, each in found.items()
        if case.cell == "round_trip" and MPI in each and CALLER in each
    )
    figures = (_figure(results), scaling_figure(predicted))
    shown = tuple(figure for figure in figures if figure is not None)
    return Opening(QUESTION, answer or (NOTHING,), shown, case="MPI")


def _sentence(case: Case, raw: Samples, weft: Samples) -> str:
    ratio = times_raw(raw, weft)
    span = "" if ratio.low is None else f" ({formats.ratio_interval(ratio.low, ratio.high)})"
    return (
        f"{case.mpi}, {case.transport}: calling a function with 8 bytes and waiting for its result "
        f"takes {formats.seconds(weft.middle())}, {formats.ratio(ratio.value)}{span} as long as a "
        f"ping-pong by hand ({formats.seconds(raw.middle())})."
    )


def _figure(results: Results) -> Figure | None:
    data = []
    for case, found in results.cases(*CALLS, "bandwidth").items():
        raw = found.get(FRESH if case.cell == "bandwidth" else MPI)
        weft = found.get(CALLER)
        if raw is not None and weft is not None:
            data.append(_row(case, raw, weft))
    if not data:
        return None
    names = {name: key for name, key in FAMILIES.items() if any(r["name"] == name for r in data)}
    return dots.build(
        replace(calls_table(results), title="Time by weft over time by MPI"),
        dots.About(
            "Calls",
            "Called by a task, with 95 % intervals; left is faster, and 1 is MPI's own time. "
            "Vectors are compared with messages in fresh memory.",
            "time over MPI's",
            "./weft report --suite distributed",
        ),
        data,
        dots.Look(
            tuple(dict.fromkeys(str(row["row"]) for row in data)),
            names,
            reference=1.0,
            label=common.RATIO_LABEL,
            legend="transport",
        ),
    )


def _row(case: Case, raw: Samples, weft: Samples) -> dict[str, object]:
    ratio = times_raw(raw, weft)
    size = formats.number(case.value.get("size_bytes"))
    name = f"vector, {size} bytes" if case.cell == "bandwidth" else name_of(case)
    return {
        "case": case.mpi,
        "row": name,
        "name": case.transport,
        "value": common.rounded(ratio.value),
        "low": common.rounded(ratio.low),
        "high": common.rounded(ratio.high),
        "chosen": case.cell == "round_trip",
        "tip": f"{name}: {formats.seconds(weft.middle())}, MPI {formats.seconds(raw.middle())}",
    }

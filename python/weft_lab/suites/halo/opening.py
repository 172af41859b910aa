# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's first screen: which exchange is fastest on which shape."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.charts import common, dots
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.opening import Opening
from weft_lab.suites.halo.plan import BASELINE
from weft_lab.suites.halo.results import Results, Shape, Times, by_shape, speed_up
from weft_lab.suites.halo.tables import paper_table

QUESTION = "How do I exchange halos fastest?"
NOTHING = "No exchange was timed. The sections below say why."
# By family, a backend whose colour and shape it has.
FAMILIES = {"weft": "weft", "by hand": "onetbb", "other library": "gnu"}
SHAPES_NAMED = 2


def opening(results: Results) -> Opening:
    """With the paper's shapes, the largest first."""
    found = ranked(results, "paper")
    answer = (*_fastest(found), *_not_weft(ranked(results, "sweep")))
    figure = _figure(results, found)
    return Opening(QUESTION, answer or (NOTHING,), (figure,) if figure else ())


def ranked(results: Results, job: str) -> dict[tuple[str, Shape], list[Times]]:
    """Contestants of each MPI and shape, the fastest first; none where ranks share CPUs."""
    groups = by_shape(results.times(job))
    return {
        key: sorted(times.values(), key=Times.middle_s)
        for key, times in sorted(groups.items(), key=lambda row: (row[0][0], _less_cells(row[0][1])))
        if not any(each.is_functional_only for each in times.values())
    }


def _less_cells(shape: Shape) -> tuple[int, Shape]:
    return -shape.size[0] * shape.size[-1], shape


def display(contestant: str) -> str:
    """`weft: make field`, `by hand: rows`, `ghex`."""
    own = {"weft": "weft_", "by hand": "by_hand_"}
    for family, start in own.items():
        if contestant.startswith(start):
            return f"{family}: {contestant.removeprefix(start).replace('_', ' ')}"
    return contestant.replace("_", " ")


def family(contestant: str) -> str:
    """Who wrote it."""
    named = display(contestant).partition(":")[0]
    return named if named in FAMILIES else "other library"


def _fastest(found: dict[tuple[str, Shape], list[Times]]) -> tuple[str, ...]:
    """One sentence per MPI, of its largest shape."""
    firsts: dict[str, tuple[Shape, list[Times]]] = {}
    for (mpi, shape), times in found.items():
        firsts.setdefault(mpi, (shape, times))
    return tuple(_sentence(mpi, shape, times) for mpi, (shape, times) in firsts.items())


def _sentence(mpi: str, shape: Shape, times: list[Times]) -> str:
    best = times[0]
    base = next((each for each in times if each.contestant == BASELINE), None)
    text = f"{mpi}, {shape.text}: {display(best.contestant)} is fastest with "
    text += formats.seconds(best.middle_s())
    if base is None or base is best:
        return f"{text}."
    speed = speed_up(base, best)
    interval = "" if speed.low is None else f", {formats.ratio_interval(speed.low, speed.high)}"
    return f"{text}, {formats.ratio(speed.value)} as fast as rows copied by hand{interval}."


def _not_weft(found: dict[tuple[str, Shape], list[Times]]) -> tuple[str, ...]:
    """Where something else was fastest in the sweep."""
    others = [(shape, times[0]) for (_, shape), times in found.items()]
    others = [(shape, best) for shape, best in others if family(best.contestant) != "weft"]
    if not found:
        return ()
    text = f"In the sweep weft is fastest on {len(found) - len(others)} of {len(found)} shapes"
    named = [f"{display(best.contestant)} on {shape.text}" for shape, best in others]
    rest = f"; {', '.join(named[:SHAPES_NAMED])}" if named else ""
    return (f"{text}{rest}.",)


def _figure(results: Results, found: dict[tuple[str, Shape], list[Times]]) -> Figure | None:
    if not found:
        return None
    data = [
        {
            "case": f"{shape.text}, {mpi}",
            "row": display(each.contestant),
            "name": family(each.contestant),
            "value": common.rounded(each.middle_s()),
            "low": common.rounded((each.interval_s() or (None, None))[0]),
            "high": common.rounded((each.interval_s() or (None, None))[1]),
            "chosen": each is times[0],
            "tip": f"{display(each.contestant)}: {formats.seconds(each.middle_s())}",
        }
        for (mpi, shape), times in found.items()
        for each in times
    ]
    names = {name: key for name, key in FAMILIES.items() if any(r["name"] == name for r in data)}
    return dots.build(
        paper_table(results),
        dots.About(
            "Exchange",
            "Time of one exchange, the fastest on top, with 95 % intervals. h: width of the halo; "
            "f: fields; then processes. Left is faster.",
            "time of an exchange",
            "./weft report --suite halo",
        ),
        data,
        dots.Look(
            tuple(dict.fromkeys(str(row["row"]) for row in data)),
            names,
            label=common.SECONDS_LABEL,
            legend="written by",
        ),
    )

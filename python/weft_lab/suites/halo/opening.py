# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's first screen: which exchange is fastest on which shape."""

from __future__ import annotations

from dataclasses import replace

from weft_lab.pages import formats
from weft_lab.pages.charts import common, dots
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.opening import Opening
from weft_lab.suites.halo.plan import BASELINE
from weft_lab.suites.halo.results import Results, Shape, Times, by_shape, speed_up
from weft_lab.suites.halo.tables import paper_table

QUESTION = "How do I exchange halos fastest?"
NOTHING = "No exchange was timed. The sections below say why."
# By family, the backend whose colour and shape it uses.
FAMILIES = {"weft": "weft", "by hand": "onetbb", "other library": "gnu"}
SHAPES_NAMED = 2
NEAR = 1.03


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
        for key, times in sorted(groups.items(), key=_largest_first)
        if not any(each.is_functional_only for each in times.values())
    }


def _largest_first(group: tuple[tuple[str, Shape], object]) -> tuple[str, int, Shape]:
    (mpi, shape), _ = group
    return mpi, -shape.size[0] * shape.size[-1], shape


def display(contestant: str) -> str:
    """`weft: make field`, `by hand: rows`, `ghex`."""
    own = {"weft": "weft_", "by hand": "by_hand_"}
    for family, start in own.items():
        if contestant.startswith(start):
            return f"{family}: {contestant.removeprefix(start).replace('_', ' ')}"
    return contestant.replace("_", " ")


def family(contestant: str) -> str:
    """The author of the contestant."""
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
    near = sum(each.middle_s() <= NEAR * best.middle_s() for each in times[1:])
    text += f" ({near} others within {100 * (NEAR - 1):.0f} %)" if near else ""
    if base is None or base is best:
        return f"{text}."
    speed = speed_up(base, best)
    interval = "" if speed.low is None else f" ({formats.ratio_interval(speed.low, speed.high)})"
    return f"{text}, {formats.ratio(speed.value)}{interval} as fast as rows copied by hand."


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
        _row(f"{shape.text}, {mpi}", each, times[0])
        for (mpi, shape), times in found.items()
        for each in times
    ]
    names = {name: key for name, key in FAMILIES.items() if any(r["name"] == name for r in data)}
    return dots.build(
        replace(paper_table(results), title="Time of an exchange beside the fastest"),
        dots.About(
            "Exchange",
            "With 95 % intervals; left is faster. Shapes: cells per rank, width of the halo (h), "
            "fields (f), processes.",
            "time over the fastest",
            "./weft report --suite halo",
        ),
        data,
        dots.Look(
            tuple(dict.fromkeys(str(row["row"]) for row in data)),
            names,
            label=common.RATIO_LABEL,
            legend="written by",
        ),
    )


def _row(case: str, each: Times, best: Times) -> dict[str, object]:
    found = speed_up(each, best)
    low, high = (None, None) if each is best else (found.low, found.high)
    return {
        "case": case,
        "row": display(each.contestant),
        "name": family(each.contestant),
        "value": common.rounded(1.0 if each is best else found.value),
        "low": common.rounded(low),
        "high": common.rounded(high),
        "chosen": each is best,
        "tip": f"{display(each.contestant)}: {formats.seconds(each.middle_s())}",
    }

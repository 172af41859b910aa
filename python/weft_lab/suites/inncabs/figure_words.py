# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""This run's results for a figure of the paper on HPX's counters, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from weft_lab.pages import formats
from weft_lab.pages.view import RunView
from weft_lab.suites.inncabs.charts import offcore_bandwidth
from weft_lab.suites.inncabs.curves import COUNTED, CoreTime, Curve, core_time, curves
from weft_lab.suites.inncabs.tables import parallel_backends
from weft_lab.suites.inncabs.words import (
    cores_text,
    display,
    duration_text,
    scaled_inputs,
    sentence,
    why_unknown,
)

NOTHING = "nothing was timed of this benchmark; skipped.json says why."


def found_here(form: str, view: RunView) -> tuple[str, ...]:
    """The sentences for a figure of one benchmark: `view` holds no other."""
    found = curves(view.summaries)
    if not any(curve.points for curve in found):
        return (NOTHING,)
    return WORDS[form](view, found)


def _execution(view: RunView, found: Sequence[Curve]) -> tuple[str, ...]:
    by_backend = {curve.backend: curve for curve in found}
    lines = [f"{duration_text(found)}.", *scaled_inputs(found)]
    lines += [
        f"{sentence(by_backend[backend], view.threshold)} Best setting: "
        f"{by_backend[backend].setting}."
        if by_backend[backend].points
        else sentence(by_backend[backend], view.threshold)
        for backend in parallel_backends(found)
    ]
    return tuple(lines)


def _overheads(_view: RunView, found: Sequence[Curve]) -> tuple[str, ...]:
    by_backend = {curve.backend: curve for curve in found}
    counted = [by_backend[name] for name in COUNTED if name in by_backend]
    if not counted:
        return ("overheads are not known: no runtime with counters was measured.",)
    return tuple(_overhead(curve) for curve in counted)


def _overhead(curve: Curve) -> str:
    spent = [found for s in curve.points if (found := core_time(s)) is not None]
    name = display(curve.backend)
    if not spent:
        return f"the overheads of {name} are not known: {why_unknown(curve.points)}."
    one, most = spent[0], spent[-1]
    share = f"scheduling is {_over_tasks(one)} of task time at"
    if most is one:
        return f"{name}: {share} {cores_text(one.threads)}."
    # Per core on both sides, so that the ideal is 1.
    excess = most.task_s / one.task_s
    gain = one.call_s / most.call_s
    base = "" if one.threads == 1 else f" from {one.threads} to {most.threads} cores"
    return (
        f"{name}: {share} {one.threads} and {_over_tasks(most)} at {cores_text(most.threads)}; "
        f"task time per core is {formats.ratio(excess)} its ideal; speed-up "
        f"{formats.significant(gain)}{base}."
    )


def _over_tasks(spent: CoreTime) -> str:
    return formats.percent(spent.scheduling_s / spent.task_s) if spent.task_s else formats.UNKNOWN


def _bandwidth(_view: RunView, found: Sequence[Curve]) -> tuple[str, ...]:
    curves_ = list(found)
    if not offcore_bandwidth.rows(curves_, offcore_bandwidth.BANDWIDTH):
        return (offcore_bandwidth.caption(curves_),)
    return tuple(
        f"{display(curve.backend)}: {_rates(curve)}." for curve in curves_ if _rates(curve)
    )


def _rates(curve: Curve) -> str:
    known = [
        (s.cell.threads, rate)
        for s in curve.points
        if (rate := offcore_bandwidth.rate(s, offcore_bandwidth.BANDWIDTH)) is not None
    ]
    scale = offcore_bandwidth.BANDWIDTH.scale
    return ", ".join(f"{formats.rate(rate / scale)} with {threads}" for threads, rate in known)


WORDS: Mapping[str, Callable[[RunView, Sequence[Curve]], tuple[str, ...]]] = {
    "execution_time": _execution,
    "overheads": _overheads,
    "offcore_bandwidth": _bandwidth,
}

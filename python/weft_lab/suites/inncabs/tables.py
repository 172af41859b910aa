# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables III, IV and V of the paper on HPX's counters for this run, the published values beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from weft_lab.pages import formats
from weft_lab.pages.machine_text import machine_rows
from weft_lab.pages.papers import published_hpx_counters
from weft_lab.pages.table import Column, Table, Value, columns
from weft_lab.pages.view import RunView
from weft_lab.storage import data_files
from weft_lab.suites.inncabs import published
from weft_lab.suites.inncabs.curves import (
    ALLOCATOR_NAMES,
    BASELINE_BACKEND,
    COUNTED,
    CoreTime,
    Curve,
    core_time,
    curves,
    every_curve,
    reach,
)
from weft_lab.suites.inncabs.memory_table import memory_table
from weft_lab.suites.inncabs.words import display

PROBLEMS_FILE = "inncabs_problems.toml"
# Upper ends of the classes in seconds, as the paper's Table V divides its durations.
GRANULARITIES = ((5e-6, "very fine"), (110e-6, "fine"), (250e-6, "moderate"))
COARSE = "coarse"
REMARK_LENGTH = 70


@dataclass(frozen=True)
class ProblemInfo:
    """Table V's data about a benchmark that needs no measurement."""

    id: str
    structure: str
    synchronisation: str


@cache
def problem_infos() -> dict[str, ProblemInfo]:
    """By benchmark, in the order of Table V."""
    table = data_files.load(PROBLEMS_FILE)
    known = ("id", "structure", "synchronisation")
    data_files.check_keys(PROBLEMS_FILE, "the file", table, ("problem",), ("problem",))
    data_files.check_rows(PROBLEMS_FILE, "problem", table["problem"], known, known)
    return {row["id"]: ProblemInfo(**row) for row in table["problem"]}


def granularity(task_s: float) -> str:
    """The class of a task duration."""
    return next((name for end_s, name in GRANULARITIES if task_s <= end_s), COARSE)


def all_tables(view: RunView) -> list[Table]:
    """The report's content for a run of the suite; nothing for other suites."""
    if not curves(view.summaries):
        return []
    return [classification_table(view), memory_table(view), settings_table(view)]


def classification_table(view: RunView) -> Table:
    """Table V: one row per benchmark of the run, a column per runtime for how far it scales."""
    found = curves(view.summaries)
    backends = parallel_backends(found)
    order = list(problem_infos())
    benchmarks = sorted(
        {c.benchmark for c in found if c.problem in order},
        key=lambda name: (order.index(name.partition(" ")[0]), name),
    )
    rows = tuple(
        _classification(view, name, [c for c in found if c.benchmark == name], backends)
        for name in benchmarks
    )
    return Table(
        name="classification",
        title="Benchmark classification and granularity (the paper's Table V)",
        columns=(
            *columns(
                ("benchmark", "benchmark"),
                ("structure", "structure"),
                ("synchronisation", "synchronisation"),
                ("task, body", "task_body_s", formats.seconds),
                ("task, as HPX", "task_as_hpx_s", formats.seconds),
                ("paper: task", "paper_task_s", formats.seconds),
                ("granularity", "granularity"),
                ("paper: class", "paper_granularity"),
            ),
            *(Column(display(backend), f"{backend}_scales_to") for backend in backends),
            *columns(
                ("paper: Standard", "paper_std_scales_to"), ("paper: HPX", "paper_hpx_scales_to")
            ),
        ),
        rows=rows,
        note="Task durations are measured at one core, by the counters of the first of "
        f"{' and '.join(map(display, COUNTED))} that has them; the class follows from the body's "
        "duration (to 5, 110 and 250 µs). Scales to x of y: up to x cores the time of a call "
        f"falls by more than {formats.percent(view.threshold)}; y is the most cores measured.",
    )


def counted_at_one_core(found: Sequence[Curve]) -> CoreTime | None:
    """The core time of the first runtime that has counters; None when none has."""
    by_backend = {curve.backend: curve for curve in found}
    ones = (by_backend[backend].at(1) for backend in COUNTED if backend in by_backend)
    known = (core_time(one) for one in ones if one is not None)
    return next((spent for spent in known if spent is not None), None)


def parallel_backends(found: Sequence[Curve]) -> list[str]:
    """The runtimes of the curves without the baseline, weft's first."""
    names = {curve.backend for curve in found} - {BASELINE_BACKEND}
    return sorted(names, key=lambda name: (name not in COUNTED, name))


def _classification(
    view: RunView, name: str, found: Sequence[Curve], backends: Sequence[str]
) -> tuple[Value, ...]:
    problem = name.partition(" ")[0]
    theirs, ours = published.classifications()[problem], problem_infos()[problem]
    spent = counted_at_one_core(found)
    by_backend = {curve.backend: curve for curve in found}
    scaling = [
        _shortened(str(reach(by_backend[backend], view.threshold)))
        if backend in by_backend
        else None
        for backend in backends
    ]
    return (
        name,
        ours.structure,
        ours.synchronisation,
        None if spent is None else spent.task_mean_s,
        None if spent is None else spent.task_hpx_mean_s,
        1e-6 * theirs.task_us,
        None if spent is None else granularity(spent.task_mean_s),
        theirs.granularity,
        *scaling,
        str(theirs.std),
        str(theirs.hpx),
    )


def _shortened(text: str) -> str:
    return text if len(text) <= REMARK_LENGTH else text[: REMARK_LENGTH - 1].rstrip() + "…"


def settings_table(view: RunView) -> Table:
    """Every tried compiler, allocator, placement and SMT mode; the displayed one is marked."""
    best = {(c.benchmark, c.backend): c.setting for c in curves(view.summaries)}
    rows = sorted(
        (
            c.benchmark,
            display(c.backend),
            c.setting.toolchain,
            ALLOCATOR_NAMES.get(c.setting.allocator, c.setting.allocator),
            c.setting.placement,
            c.setting.smt,
            c.best_s,
            "yes" if best[c.benchmark, c.backend] == c.setting else "",
        )
        for c in every_curve(view.summaries)
        if c.best_s is not None
    )
    return Table(
        name="runtime_settings",
        title="Settings tried, and the best of each runtime",
        columns=columns(
            ("benchmark", "benchmark"),
            ("runtime", "runtime"),
            ("compiler", "toolchain"),
            ("allocator", "allocator"),
            ("placement", "placement"),
            ("SMT", "smt"),
            ("best time of a call", "best_s", formats.seconds),
            ("shown", "is_shown"),
        ),
        rows=tuple(rows),
        note="Curves and tables of a runtime are of its best setting: the one timed with the most "
        "thread counts, and of those the fastest.",
    )


def platform_table(view: RunView) -> Table:
    """Table III: the paper's machine, then this one from the lab's data."""
    theirs: dict[str, str] = published_hpx_counters()["table3"]
    rows = [("the paper", *row) for row in theirs.items()]
    rows += [("here", name, value) for name, value in machine_rows(view)]
    return Table(
        name="platform",
        title="Platform specifications",
        columns=columns(("machine", "machine"), ("property", "property"), ("value", "value")),
        rows=tuple(rows),
    )


def software_table(view: RunView) -> Table:
    """Table IV: compiler, allocator and launch policy of each runtime, the paper's two first."""
    theirs: dict[str, dict[str, str]] = published_hpx_counters()["table4"]
    rows: list[tuple[Value, ...]] = [
        (f"{name} (the paper)", *(theirs[key][column] for key in theirs))
        for name, column in (("C++11 Standard", "std"), ("HPX", "hpx"))
    ]
    found = curves(view.summaries)
    programs = view.programs or {}
    for backend in parallel_backends(found):
        settings = [curve.setting for curve in found if curve.backend == backend]
        variants = dict.fromkeys(f"{backend}@{setting.toolchain}" for setting in settings)
        compilers = (programs.get(v, {}).get("compiler") or v.partition("@")[2] for v in variants)
        allocators = dict.fromkeys(ALLOCATOR_NAMES.get(s.allocator, s.allocator) for s in settings)
        policy = "async" if backend in ("std_async", "hpx", "weft_future") else None
        rows.append((display(backend), ", ".join(compilers), ", ".join(allocators), policy))
    return Table(
        name="software",
        title="Software build and run specifications",
        columns=columns(
            ("runtime", "runtime"),
            ("compiler", "compiler"),
            ("memory allocation", "allocator"),
            ("launch policy", "launch_policy"),
        ),
        rows=tuple(rows),
        note="Here: those of the best setting of each runtime, on whichever benchmark. "
        f"{formats.UNKNOWN}: the runtime has no launch policies.",
    )

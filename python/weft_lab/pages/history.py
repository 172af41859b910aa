# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a history: sentences, tables and a figure of medians over commits or dates."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from weft_lab.advice.history import Histories, History, Time, Visit
from weft_lab.errors import ResultFolderError
from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.common import Layers
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.opening import Opening
from weft_lab.pages.plain_page import PlainPage, Section, Shown, write_plain_page
from weft_lab.pages.static_files import write_figures
from weft_lab.pages.table import Table, columns
from weft_lab.statistics.change_points import Step, levels
from weft_lab.storage.folder_files import make

NAME = "history"
QUESTION = "Since when is it slower?"
SENTENCES_MAX = 4
CASES_MAX = 24
SMALL_MAX = 12
LABEL_ANGLE = -40
METHOD = (
    "A run counts as one value, the median over its launches. Student's t test compares the runs "
    "before every split with the runs after it, over all runs and over windows of 4, 8, 16, ... "
    "runs on each side.",
    "The variance is that between runs, and never less than that of the launches. The best p "
    "value of a benchmark is multiplied by the number of its tests (Bonferroni); over benchmarks "
    "at most one in twenty of the findings is false (Benjamini and Hochberg). Both parts are then "
    "tested again.",
    "A change point needs two runs on either side. A change that only the newest run shows is "
    "reported as not confirmed; one more run separates it from a disturbance.",
)


def sentences(found: Histories) -> tuple[str, ...]:
    """The changes in words, the largest first."""
    changed = [each for each in found.members if each.steps]
    doubtful = [each for each in found.members if each.newest is not None]
    limit = formats.percent(found.threshold, 0)
    num, runs = len(found.members), len(found.visits)
    lines = [
        f"{each.name}: {step_text(step)} since {_visit_text(each.times[step.at].visit)}."
        for each in changed
        for step in reversed(each.steps)
    ]
    hidden = len(lines) - SENTENCES_MAX
    lines = lines[:SENTENCES_MAX]
    if hidden > 0:
        lines.append(f"{hidden} more changes are in the table.")
    if not found.members:
        lines.append("No benchmark was timed by two of these runs on the same machine.")
    elif not changed:
        lines.append(
            f"No change of more than {limit} is significant in any of {num} benchmarks over "
            f"{runs} runs."
        )
    for each in doubtful[:1]:
        assert each.newest is not None
        more = f"; so do {len(doubtful) - 1} others" if len(doubtful) > 1 else ""
        lines.append(
            f"Not confirmed: in the newest run {each.name} is {step_text(each.newest)}{more}. "
            "Measure once more."
        )
    if found.num_disturbed:
        lines.append(
            f"{found.num_disturbed} times were left out: other programs took the CPUs meanwhile. "
            "Measure while nothing else runs."
        )
    return (*lines, *found.doubts)


def step_text(step: Step) -> str:
    """`slower by 12 % [9, 15]`, in percent of the time before."""
    word = "slower" if step.ratio > 1.0 else "faster"
    ends = sorted(100.0 * abs(end - 1.0) for end in (step.low, step.high))
    low, high = (f"{end:.{0 if end >= 10 else 1}f}" for end in ends)
    value = 100.0 * abs(step.ratio - 1.0)
    return f"{word} by {value:.{0 if value >= 10 else 1}f} % [{low}, {high}]"


def _visit_text(visit: Visit) -> str:
    return f"{visit.name} ({visit.date[:10]})" if visit.commit else visit.date


def changes_table(found: Histories) -> Table:
    """Every change point, and changes that only the newest run shows."""
    rows = [
        (
            each.name,
            visit.name,
            visit.date,
            before_s,
            after_s,
            step.ratio - 1.0,
            step.low - 1.0,
            step.high - 1.0,
            told,
        )
        for each in found.members
        for step, visit, before_s, after_s, told in _changes(each)
    ]
    limit = formats.percent(found.threshold, 0)
    return Table(
        "history_changes",
        "Change points",
        columns(
            ("benchmark", "benchmark"),
            ("since", "since"),
            ("measured", "date"),
            ("before", "before_s", formats.seconds),
            ("after", "after_s", formats.seconds),
            ("change", "change", formats.signed_percent),
            ("from", "change_low", formats.signed_percent),
            ("to", "change_high", formats.signed_percent),
            ("verdict", "verdict"),
        ),
        tuple(rows),
        note=f"Changes of the time by more than {limit}, with 95 % intervals.",
    )


def _changes(each: History) -> Iterator[tuple[Step, Visit, float, float, str]]:
    found = levels([time.point for time in each.times], each.steps)
    for number, step in enumerate(each.steps):
        told = "slower" if step.ratio > 1.0 else "faster"
        yield step, each.times[step.at].visit, found[number][2], found[number + 1][2], told
    if each.newest is not None:
        last = each.times[-1]
        yield each.newest, last.visit, last.time_s / each.newest.ratio, last.time_s, "not confirmed"


def benchmarks_table(found: Histories) -> Table:
    """One row for each benchmark: its first time, its present time, and the number of changes
    between."""
    rows = []
    for each in found.members:
        first, last = each.times[0], each.times[-1]
        rows.append(
            (
                each.name,
                len(each.times),
                first.time_s,
                last.time_s,
                formats.seconds_interval(last.low_s, last.high_s),
                last.time_s / first.time_s - 1.0,
                len(each.steps),
            )
        )
    return Table(
        "history_benchmarks",
        "Benchmarks",
        columns(
            ("benchmark", "benchmark"),
            ("runs", "runs", formats.number),
            ("first", "first_s", formats.seconds),
            ("newest", "newest_s", formats.seconds),
            ("95 % interval", "newest_interval"),
            ("newest / first", "change", formats.signed_percent),
            ("change points", "steps", formats.number),
        ),
        tuple(rows),
        note="The difference of two single runs is no verdict: change points are.",
    )


def times_table(found: Histories) -> Table:
    """Every median, with its interval and the level of its part."""
    rows = [
        (
            each.name,
            time.visit.name,
            time.visit.date,
            time.visit.run_id,
            time.time_s,
            time.low_s,
            time.high_s,
            time.launches,
            level_s,
        )
        for each in found.members
        for time, level_s in _with_levels(each)
    ]
    return Table(
        NAME,
        "Medians over runs",
        columns(
            ("benchmark", "benchmark"),
            ("commit or date", "commit"),
            ("measured", "date"),
            ("run", "run"),
            ("time", "time_s", formats.seconds),
            ("from", "time_low_s", formats.seconds),
            ("to", "time_high_s", formats.seconds),
            ("launches", "launches", formats.number),
            ("level", "level_s", formats.seconds),
        ),
        tuple(rows),
        note="Level: the geometric mean between two change points.",
    )


def _with_levels(each: History) -> Iterator[tuple[Time, float]]:
    for first, last, level_s in levels([time.point for time in each.times], each.steps):
        for time in each.times[first:last]:
            yield time, level_s


def figure(found: Histories, command: str) -> Figure | None:
    """Medians with intervals over runs, and the level between change points."""
    shown = found.members[:CASES_MAX]
    if not shown:
        return None
    places = {visit.run_id: number for number, visit in enumerate(found.visits)}
    data: Rows = [_row(each, time, level_s, places) for each in shown
                  for time, level_s in _with_levels(each)]  # fmt: skip
    cases = tuple(each.name for each in shown)
    labels = [f"{number:03d} {visit.name}" for number, visit in enumerate(found.visits)]

    def draw(shown: str) -> Layers:
        return _layers(labels, by_commit=found.is_by_commit).transform_filter(shown)

    whole = draw(common.SELECTED).add_params(common.case_param(cases))
    over = "commits" if found.is_by_commit else "runs, by date"
    small = cases[:SMALL_MAX]
    rest = len(found.members) - len(shown)
    more = f" {rest} more benchmarks are in tables/{NAME}.csv." if rest else ""
    return Figure(
        name=NAME,
        title="Time over runs",
        short_title="History",
        caption=f"Median over launches with its 95 % interval, over {over}. Lines are the levels "
        f"between change points; red: slower than the level before. The axis of time need not "
        f"start at zero.{more} "
        f"{common.INTERVAL_NOTE}",
        spec=common.to_spec(whole.properties(width="container", height=common.CHART_HEIGHT_PX)),
        datasets={NAME: data},
        table=times_table(found),
        command=command,
        cases=cases,
        overview=common.overview(draw, small) if len(cases) > 1 else None,
    )


def _row(each: History, time: Time, level_s: float, places: dict[str, int]) -> dict[str, object]:
    low, high = common.drawn_interval(time.time_s, time.low_s, time.high_s)
    number = next(n for n, other in enumerate(each.times) if other is time)
    before = [step for step in each.steps if step.at <= number]
    place = places[time.visit.run_id]
    interval = formats.seconds_interval(time.low_s, time.high_s)
    return {
        "case": each.name,
        "run": f"{place:03d} {time.visit.name}",
        "value": common.rounded(time.time_s),
        "low": low,
        "high": high,
        "level": common.rounded(level_s),
        "part": len(before),
        "state": "slower" if before and before[-1].ratio > 1.0 else "as before or faster",
        "tip": f"{time.visit.name}, {time.visit.date}: {formats.seconds(time.time_s)} ({interval})",
    }


def _layers(labels: Sequence[str], *, by_commit: bool) -> Layers:
    x = alt.X(
        "run:N",
        title="commit" if by_commit else "run",
        scale=alt.Scale(domain=list(labels)),
        axis=alt.Axis(
            labelExpr="slice(datum.label, 4)", labelAngle=LABEL_ANGLE, labelOverlap="greedy"
        ),
    )
    y = alt.Y(
        "value:Q",
        title="time",
        scale=alt.Scale(zero=False, padding=8),
        axis=alt.Axis(labelExpr=common.SECONDS_LABEL, labelOverlap=True),
    )
    color = alt.Color(
        "state:N",
        title="level",
        scale=alt.Scale(
            domain=["as before or faster", "slower"], range=[theme.CATEGORY[0], theme.CATEGORY[4]]
        ),
    )
    base = alt.Chart(alt.NamedData(name=NAME)).encode(x=x, color=color)
    return alt.layer(
        base.mark_rule().encode(y=alt.Y("low:Q"), y2="high:Q"),
        base.mark_line(strokeWidth=2.5).encode(y=alt.Y("level:Q"), detail="part:N"),
        base.mark_point(filled=True, size=45).encode(y=y, tooltip=["tip:N"]),
    )


def write_history(found: Histories, paths: Sequence[Path], output: Path) -> Shown:
    """Writes `history.html`, tables and figures into `output`.

    Errors: `ResultFolderError` if it cannot be written.
    """
    command = shlex.join(["./weft", NAME, *map(str, paths)])
    changes, benchmarks, times = changes_table(found), benchmarks_table(found), times_table(found)
    answer, drawing = sentences(found), figure(found, command)
    figures = (drawing,) if drawing is not None else ()
    over = "commits" if found.is_by_commit else "dates"
    try:
        place = make(output)
        svgs, drawn = write_figures(figures, output / "figures")
        csvs = [table.write_csv(make(place / "tables")) for table in (changes, benchmarks, times)]
    except OSError as error:
        what, why = f"cannot write '{output}'", error.strerror or str(error)
        raise ResultFolderError(what, why, "name a writable place with --output") from error
    first, last = found.visits[0], found.visits[-1]
    page = write_plain_page(
        output / "history.html",
        PlainPage(
            title=QUESTION,
            subtitle=f"{len(found.visits)} runs over {over}, from {_visit_text(first)} "
            f"to {_visit_text(last)}",
            command=command,
            opening=Opening(QUESTION, answer, figures, "benchmark"),
            svgs=svgs,
        ),
        (
            *([Section(changes.title, table=changes)] if changes.rows else []),
            Section(benchmarks.title, table=benchmarks),
            Section("How change points are found", METHOD),
        ),
    )
    printed = tuple(each for each in (changes, benchmarks) if each.rows)
    return Shown(printed, answer, page, (page, *drawn, *csvs))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Table I of the paper on HPX's counters in today's form: the costs of observation, and the
failures."""

from __future__ import annotations

from dataclasses import astuple, fields, replace

from weft_lab.pages import formats
from weft_lab.pages.table import Column, Table, Value, columns
from weft_lab.statistics.estimates import median
from weft_lab.suites.inncabs.external_tools.conditions import BASELINE, OWN, Job
from weft_lab.suites.inncabs.external_tools.results import Measured, Results, Tool
from weft_lab.suites.inncabs.published import Outcome, tool_rows
from weft_lab.suites.inncabs.words import input_class

SIZE_OF_THE_PAPER = 3
ZEROS_OF_A_ROUNDED_NUMBER = 3
PAPER_RUNTIME = "std_async"
OWN_IDS = {each.id for each in OWN}
NEVER_TRIED = ("not_installed", "not_usable", "not_run")


def _as_is(value: Value) -> str:
    """Text in a column of numbers: aligned as they are."""
    return formats.UNKNOWN if value is None else str(value)


def page_tables(results: Results) -> list[Table]:
    """One per runtime, with the published numbers beside it, then the tools."""
    wide = [_beside_the_paper(results, each) for each in results.runtimes]
    return [*wide, tool_table(results)]


def narrow_tables(results: Results) -> list[Table]:
    """The same for a terminal: the paper's columns, and the tools' remedies, below."""
    own = [runtime_table(results, each) for each in results.runtimes]
    return [*own, paper_table(results), _without_commands(tool_table(results))]


def runtime_table(results: Results, runtime: str) -> Table:
    """A row per benchmark: tasks, time alone, and the effect of each tool."""
    conditions = [each for each in results.conditions(runtime) if _is_usable(results, each[0])]
    rows: list[tuple[Value, ...]] = []
    for problem in results.problems:
        cells = [results.measured[Job(problem, runtime, each)] for each, _ in conditions]
        rows.append((problem, _tasks(results, problem), *map(_text, cells)))
    return Table(
        name=f"tools_{runtime}",
        title=f"{runtime}: time alone, and overhead under tools",
        columns=(
            Column("benchmark", "benchmark"),
            Column("tasks", "tasks", formats.number),
            *(Column(title, key, _as_is) for key, title in conditions),
        ),
        rows=tuple(rows),
    )


def paper_table(results: Results) -> Table:
    """The paper's Table I, of the benchmarks that were measured."""
    rows = tuple(
        (row.benchmark, row.tasks, *map(_published, (row.baseline, row.tau, row.hpctoolkit)))
        for row in tool_rows()
        if row.benchmark in results.problems
    )
    return Table(
        name="tools_paper",
        title="The paper: std::async alone and under tools, 20 cores",
        columns=(
            Column("benchmark", "benchmark"),
            Column("the paper's tasks", "paper_tasks", formats.number),
            Column("the paper: baseline", "paper_baseline", _as_is),
            Column("TAU", "paper_tau", _as_is),
            Column("HPCToolkit", "paper_hpctoolkit", _as_is),
        ),
        rows=rows,
    )


def tool_table(results: Results) -> Table:
    """The tools, how each was run, and how to get the missing ones."""
    rows = tuple(
        (tool.title, tool.state.replace("_", " "), tool.version, tool.command, _advice(tool))
        for tool in results.tools
    )
    return Table(
        name="tools",
        title="Tools",
        columns=columns(
            ("tool", "tool"),
            ("here", "state"),
            ("version", "version"),
            ("command", "command"),
            ("what to do", "remedy"),
        ),
        rows=rows,
    )


def long_table(results: Results) -> Table:
    """Every number with its spread: a row per benchmark, runtime and condition."""
    published = {row.benchmark: row for row in tool_rows()}
    own = [member.name for member in fields(Measured) if member.name != "job"]
    rows: list[tuple[Value, ...]] = []
    for job, measured in results.measured.items():
        paper = published[job.problem]
        is_the_papers = job.runtime == PAPER_RUNTIME and job.condition == BASELINE
        paper_s = _paper_s(paper.baseline) if is_the_papers else None
        numbers = [getattr(measured, name) for name in own]
        rows.append((*astuple(job), *numbers, paper.tasks, paper_s))
    names = ["benchmark", "runtime", "condition", *own, "paper_tasks", "paper_time_s"]
    return Table(
        name="table1",
        title="Every benchmark under every tool",
        columns=tuple(Column(name, name) for name in names),
        rows=tuple(rows),
    )


def findings(results: Results) -> list[str]:
    """Sentences: the paper's results about tools, and the results here."""
    lines = [*results.disturbances, how_to_read(results), tasks_sentence(results), paper_sentence()]
    for runtime in results.runtimes:
        for condition, title in results.conditions(runtime):
            if condition == BASELINE:
                line = _alone_sentence(results, runtime)
            else:
                line = _sentence(results, runtime, condition, title)
            lines += [f"Here, {runtime}{line}."] if line else []
    return lines


def how_to_read(results: Results) -> str:
    """The meaning of the numbers, and their inputs."""
    counted = (
        "the baseline of weft_future is a build without counters"
        if results.has_plain
        else "there is no build without counters, so the baseline of weft_future counts"
    )
    name = input_class(results.size)
    scaled = "".join(f"; {each}: {what}" for each, what in sorted(results.scaled.items()))
    return (
        f"{results.threads} threads, inputs of class {name}{scaled}. Overhead: of one call's "
        "median time, as the program itself takes it, over the baseline's; "
        f"{counted}. A question mark: the overhead may be zero, or there was one launch only (95 % "
        "intervals are in table1.csv). Tasks, a dash: the number depends on their order, or is "
        "unknown."
    )


def tasks_sentence(results: Results) -> str:
    """Which benchmarks make as many tasks as the paper counted, where the inputs are the same."""
    if results.size != SIZE_OF_THE_PAPER:
        return "Numbers of tasks can be held against the paper's with its inputs: --size paper."
    equal, other = [], []
    for row in tool_rows():
        ours = _tasks(results, row.benchmark) if row.benchmark in results.problems else None
        if ours is not None and row.tasks is not None:
            text = f"{row.benchmark} {formats.number(ours)}"
            if _is_as_printed(ours, row.tasks):
                equal.append(text)
            else:
                other.append(f"{text} (the paper: {formats.number(row.tasks)})")
    told = [("As many tasks as in the paper", equal), ("other numbers", other)]
    found = "; ".join(f"{name}: {', '.join(texts)}" for name, texts in told if texts)
    return (found or "No number of tasks is known") + "."


def _is_as_printed(tasks: int, printed: int) -> bool:
    """Whether it is the paper's number, which is rounded if it ends in several zeros."""
    zeros = len(str(printed)) - len(str(printed).rstrip("0"))
    half_unit = 10**zeros // 2 if zeros >= ZEROS_OF_A_ROUNDED_NUMBER else 0
    return abs(tasks - printed) <= half_unit


def paper_sentence() -> str:
    """The paper's Table I in words, counted from its rows."""
    rows = tool_rows()
    alone = sum(row.baseline.time_ms is not None for row in rows)
    tau = sum(bool(row.tau.status) for row in rows)
    kit = [row.hpctoolkit.overhead_percent for row in rows]
    overheads = [each for each in kit if each is not None]
    failed = sum(bool(row.hpctoolkit.status) for row in rows)
    return (
        f"The paper: {alone} of {len(rows)} benchmarks ran with std::async; all {tau} that were "
        f"tried failed under TAU; under HPCToolkit {len(overheads)} ran, "
        f"{_overhead(min(overheads) / 100)} to {_overhead(max(overheads) / 100)}, and {failed} "
        "failed."
    )


def _alone_sentence(results: Results, runtime: str) -> str:
    cells = [results.measured[Job(each, runtime, BASELINE)] for each in results.problems]
    failed = [_failure(each) for each in cells if _has_failed(each)]
    tried = [each for each in cells if each.status not in NEVER_TRIED]
    ok = sum(each.status == "ok" for each in tried)
    rest = f"; failed: {', '.join(failed)}" if failed else ""
    left = len(cells) - len(tried)
    if left:
        rest += f"; {left} more {'was' if left == 1 else 'were'} not run, as the time was over"
    return f" alone: {ok} of {len(tried)} ran{rest}"


def _sentence(results: Results, runtime: str, condition: str, title: str) -> str:
    cells = [results.measured[Job(each, runtime, condition)] for each in results.problems]
    tried = [each for each in cells if each.status not in NEVER_TRIED]
    if not tried:
        return ""
    ok = [each for each in tried if each.status == "ok"]
    text = f" with {title}: {len(ok)} of {len(tried)} ran"
    known = [(each.overhead, each.job.problem) for each in ok if each.overhead is not None]
    if known:
        largest, problem = max(known)
        typical = median([overhead for overhead, _ in known])
        text += (
            f", overhead {_overhead(typical)} (median), {_overhead(largest)} ({problem}) at most, "
            f"{sum(map(_is_sure, ok))} of {len(known)} clear of noise"
        )
    written = max((each.output_bytes or 0 for each in ok), default=0)
    if written and condition not in OWN_IDS:
        text += f", up to {formats.mebibytes(written)} written"
    failed = [_failure(each) for each in tried if _has_failed(each)]
    return text + (f"; failed: {', '.join(failed)}" if failed else "")


def _failure(measured: Measured) -> str:
    """`nqueens (threw after 12 345 tasks)`."""
    started = measured.tasks_started
    reached = "" if started is None else f" after {formats.number(started)} tasks"
    return f"{measured.job.problem} ({measured.word}{reached})"


def _is_usable(results: Results, condition: str) -> bool:
    """Tools that are not installed get no column: the table of tools says what to install."""
    state = next((tool.state for tool in results.tools if tool.id == condition), "usable")
    return state == "usable"


def _has_failed(measured: Measured) -> bool:
    return measured.status not in ("ok", *NEVER_TRIED)


def _beside_the_paper(results: Results, runtime: str) -> Table:
    """The paper measured the Standard version only; its numbers of tasks are those of both."""
    own, paper = runtime_table(results, runtime), paper_table(results)
    num_columns = len(paper.columns) if runtime == PAPER_RUNTIME else 2
    published = {row[0]: row[1:num_columns] for row in paper.rows}
    return replace(
        own,
        columns=(*own.columns, *paper.columns[1:num_columns]),
        rows=tuple((*row, *published[row[0]]) for row in own.rows),
    )


def _without_commands(table: Table) -> Table:
    kept = [n for n, column in enumerate(table.columns) if column.key != "command"]
    return replace(
        table,
        columns=tuple(table.columns[n] for n in kept),
        rows=tuple(tuple(row[n] for n in kept) for row in table.rows),
    )


def _tasks(results: Results, problem: str) -> int | None:
    """The input determines the number, so any runtime that counts will do."""
    known = (each.tasks for job, each in results.measured.items() if job.problem == problem)
    return next((tasks for tasks in known if tasks is not None), None)


def _text(measured: Measured) -> str:
    if measured.status != "ok":
        return measured.word
    if measured.overhead is None:
        return formats.seconds(measured.time_s)
    return _overhead(measured.overhead) + ("" if _is_sure(measured) else " ?")


def _is_sure(measured: Measured) -> bool:
    """Whether the interval of the overhead leaves zero out."""
    low, high = measured.overhead_low, measured.overhead_high
    return low is not None and high is not None and not low <= 0.0 <= high


def _published(outcome: Outcome) -> str | None:
    if outcome.overhead_percent is not None:
        return _overhead(outcome.overhead_percent / 100)
    if outcome.status:
        return outcome.status
    return formats.seconds(_paper_s(outcome))


def _paper_s(outcome: Outcome) -> float | None:
    return None if outcome.time_ms is None else outcome.time_ms / 1000


def _overhead(fraction: float) -> str:
    """`+12.3 %`; without decimals from 100 % on."""
    return f"{100 * fraction:+.1f} %" if abs(fraction) < 1 else f"{100 * fraction:+.0f} %"


def _advice(tool: Tool) -> str:
    return f"{tool.why}: {tool.remedy}" if tool.why else ""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The answer in sentences, and as settings to copy."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from weft_lab.pages import formats
from weft_lab.statistics.analysis_types import Decision
from weft_lab.statistics.ratios import is_disturbed
from weft_lab.suites.bench.asked import THREADS, Contestant, filled
from weft_lab.suites.bench.placement import words_of
from weft_lab.suites.bench.results import BenchRun, Row
from weft_lab.suites.bench.scaling import Curve, Duel, chosen_at, chosen_rows

# A program that takes less than so many times the floor is mostly its own start.
FLOOR_SHARE = 10.0
# CPU time over time of a program that uses one CPU at a time.
ONE_CPU = (0.9, 1.05)
SENTENCES_MAX = 3
METRICS_TOLD = 2


def answer(
    run: BenchRun, curves: Sequence[Curve], duels: Sequence[Duel], roofline: str = ""
) -> tuple[str, ...]:
    """The first sentences of the page, the most useful one first. `roofline`: that of a kernel."""
    if not run.timed:
        return ("No launch has a time.", *_failed(run))
    lines: list[str] = []
    if run.is_time_the_same:
        within = formats.percent(run.view.threshold, 0)
        lines += [
            f"All take the same time within {within}, as what runs for a fixed time does: time "
            "does not say what is best, the metrics do."
        ]
    elif run.is_race or len(run.asked.threads) > 1:
        lines += _choices(run) or [_time_text(row, run) for row in run.timed[:SENTENCES_MAX]]
    else:
        lines += [_time_text(run.timed[-1], run)]
    lines += [text for text in (_threads_text(run, curves), _duel_text(run, duels)) if text]
    more = [roofline] if roofline else []
    return (*lines[: SENTENCES_MAX + 1], *_metrics(run), *more, *_failed(run), *_doubts(run))


def _time_text(row: Row, run: BenchRun) -> str:
    text = f"{_place(row, run)} takes {formats.seconds(row.summary.time_s)}"
    low, high = row.summary.time_low_s, row.summary.time_high_s
    num = row.summary.launches
    launches = f"{num} launch{'' if num == 1 else 'es'}"
    interval = formats.seconds_interval(low, high)
    return f"{text} ({launches}, 95 % interval {interval})." if low else f"{text}, once."


def _place(row: Row, run: BenchRun) -> str:
    at = _at(row, run)
    return f"{row.name} ({at})" if at else row.name


def _at(row: Row, run: BenchRun) -> str:
    at = [row.case] if row.case else []
    at += [f"{run.asked.size_name} = {row.cell.size}"] if run.asked.size_name else []
    at += [formats.threads(row.cell.threads)] if run.has_threads else []
    return ", ".join(at)


def _choices(run: BenchRun) -> list[str]:
    """The decisions in order; of many, how often each was chosen."""
    decisions = sorted(run.view.decisions, key=lambda d: (d.label, d.size_low))
    if len(decisions) <= SENTENCES_MAX:
        return [_choice(run, d) for d in decisions]
    last = decisions[-1]
    sure = sum(d.confidence != "cannot tell" for d in decisions)
    return [
        _choice(run, last),
        f"{sure} of {len(decisions)} choices are sure or likely; the table below has them all.",
    ]


def _choice(run: BenchRun, d: Decision) -> str:
    at = [d.label.partition(" ")[2]] if run.has_cases else []
    if sized := run.asked.size_name:
        values = f"{d.size_low}" if d.size_low == d.size_high else f"{d.size_low} to {d.size_high}"
        at.append(f"{sized} = {values}")
    place = f"At {', '.join(at)}: " if at else ""
    what = d.backend if run.is_race else ""
    if run.has_threads:
        what = f"{what} with {formats.threads(d.threads)}" if what else formats.threads(d.threads)
    if d.confidence == "cannot tell":
        text = f"cannot tell which is best; the surest is {what}{_at_most(run, d)}."
        return f"{place}{text}" if place else f"C{text[1:]}"
    row = max(chosen_rows(run, d), key=lambda row: row.cell.size)
    time = formats.seconds(row.summary.time_s)
    use = f"{place}use" if place else "Use"
    largest = f" at {sized} = {d.size_high}" if d.size_low != d.size_high else ""
    return f"{use} {what} ({d.confidence}): {time} a {run.unit}{largest}."


def _at_most(run: BenchRun, d: Decision) -> str:
    row = max(chosen_rows(run, d), key=lambda row: row.cell.size)
    high = row.summary.time_high_s
    return "" if high is None else f", {formats.seconds(high)} a {run.unit} at most"


def _threads_text(run: BenchRun, curves: Sequence[Curve]) -> str:
    """How far the choice at the largest size scales."""
    if not curves:
        return ""
    largest = max(curve.size for curve in curves)
    shown = [curve for curve in curves if curve.size == largest]
    chosen = chosen_at(run, largest)
    own = [curve for curve in shown if (curve.case, curve.name) in chosen] or shown
    curve = min(own, key=lambda curve: curve.fastest.time_s)
    last = curve.rows[-1]
    ratio = curve.speedup(last)
    if ratio is None:
        return ""
    least = curve.rows[0].cell.threads
    threads = formats.threads(last.cell.threads)
    has_sizes = len({each.size for each in curves}) > 1
    place = f" at {run.asked.size_name} = {largest}" if has_sizes else ""
    text = f"With {threads} {curve.name}{place} is {formats.ratio(ratio.value)} as "
    text += f"fast as with {least}"
    if ratio.low is not None:
        text += f" ({formats.ratio_interval(ratio.low, ratio.high)})"
    serial = None if any(is_disturbed(row.summary) for row in curve.rows) else curve.serial
    if serial is not None:
        text += (
            f"; by Amdahl's law {formats.percent(serial.value, 0)} of it is serial "
            f"({100 * serial.low:.0f} … {formats.percent(serial.high, 0)})"
        )
    return f"{text}."


def _duel_text(run: BenchRun, duels: Sequence[Duel]) -> str:
    """Compares each command with the first one, if these are few enough for a sentence."""
    if not duels or len(duels) > SENTENCES_MAX:
        return ""
    texts = []
    for duel in duels:
        interval = formats.ratio_interval(duel.ratio.low, duel.ratio.high)
        told = f"takes {formats.ratio(duel.ratio.value)} the time of {duel.first.name} ({interval})"
        place = _at(duel.row, run)
        limit = formats.percent(run.view.threshold, 0)
        unclear = f"no difference of more than {limit} is shown"
        verdict = unclear if duel.verdict == "cannot tell" else duel.verdict
        texts.append(f"{duel.row.name}{f' ({place})' if place else ''} {told}: {verdict}")
    return f"{'; '.join(texts)}."


def _metrics(run: BenchRun) -> list[str]:
    """The best contestant by each metric; choices are by time, which does not matter for programs
    that run for a fixed time."""
    found = []
    for metric in run.asked.metrics[:METRICS_TOLD]:
        known = [row for row in run.timed if metric.name in row.metrics]
        if not known:
            continue
        sign = 1.0 if metric.better == "higher" else -1.0
        best = max(known, key=lambda row: sign * row.metrics[metric.name].value)
        value = best.metrics[metric.name]
        unit = f" {metric.unit}" if metric.unit else ""
        low, high = formats.number(value.low), formats.number(value.high)
        interval = "" if value.low is None else f" ({low} … {high})"
        found.append(
            f"Best {metric.name}: {formats.number(value.value)}{unit}{interval}, "
            f"{_place(best, run)}."
        )
    return found


def _failed(run: BenchRun) -> list[str]:
    failed = [row for row in run.rows if row.num_failed]
    if not failed:
        return _not_reached(run)
    worst = failed[0]
    num = sum(row.num_failed for row in failed)
    count = "1 launch failed and does" if num == 1 else f"{num} launches failed and do"
    text = f"{count} not count: "
    message = worst.message.rstrip(".")
    return [f"{text}{_place(worst, run)} {message}.", *_not_reached(run)]


def _not_reached(run: BenchRun) -> list[str]:
    cells = run.asked.num_cells
    missing = cells - len(run.rows)
    if not missing:
        return []
    budget = run.view.manifest.get("options", {}).get("budget_s")
    within = f" within the budget of {budget:g} s" if budget else ""
    return [
        f"{missing} of {cells} combinations have no launch that ended{within}: give more time, "
        "such as --budget 10m, or end what hangs: --timeout 60."
    ]


def _doubts(run: BenchRun) -> list[str]:
    found = []
    short = [row for row in run.timed if run.floor and row.time_s < FLOOR_SHARE * run.floor.value]
    if short and run.floor:
        found.append(
            f"{_place(short[0], run)} takes {formats.ratio(short[0].time_s / run.floor.value)} the "
            f"time of a program that does nothing ({formats.seconds(run.floor.value)}): its start "
            "is a large part of what was measured."
        )
    disturbed = [row for row in run.timed if is_disturbed(row.summary)]
    if disturbed:
        found.append(
            f"{_place(disturbed[0], run)} waited for a CPU in over 10 % of its time: other "
            "programs were running."
        )
    return [*found, *_unused_threads(run)]


def _unused_threads(run: BenchRun) -> list[str]:
    """Only for commands: a kernel's programs report their own use."""
    most = max((row.cell.threads for row in run.timed), default=1)
    alone = [
        row
        for row in run.timed
        if not run.asked.kernel
        and row.cell.threads == most > 1
        and not is_disturbed(row.summary)
        and ONE_CPU[0] < row.used.get("cpu_time", 0.0) / row.time_s < ONE_CPU[1]
    ]
    if not alone:
        return []
    return [
        f"{_place(alone[0], run)} runs on one CPU at a time: if it has threads, another variable "
        "or option sets how many, which may hold {threads}."
    ]


def settings_text(run: BenchRun) -> str:
    """The commands of the choices, ready to be pasted."""
    blocks = []
    for d in sorted(run.view.decisions, key=lambda d: (d.label, d.size_low)):
        contestant = next(c for c in run.asked.contestants if c.name == d.backend)
        values = {
            **_values_of(run, d),
            **({THREADS: str(d.threads)} if run.has_threads else {}),
        }
        place = _choice(run, d).partition(": ")[0] if run.asked.size_name or run.has_cases else ""
        told = "cannot tell which is best" if d.confidence == "cannot tell" else d.confidence
        note = f"# {place}: {told}" if place else f"# {told}"
        blocks.append(f"{note}\n{command_text(run, contestant, values)}")
    return "\n\n".join(blocks)


def _values_of(run: BenchRun, d: Decision) -> dict[str, str]:
    """Returns the parameters at the largest size of the decision's band."""
    for cell, values in run.asked.cells():
        if (cell.label, cell.size, cell.threads) == (d.label, d.size_high, d.threads):
            return values
    return {}


def command_text(run: BenchRun, contestant: Contestant, values: dict[str, str]) -> str:
    """Returns the launched command as a line of shell; for a kernel, how it was compiled."""
    threads = values.get(THREADS)
    if run.asked.kernel:
        program = run.view.manifest["programs"][contestant.variant]
        count = formats.threads(int(threads or 1))
        return f"{contestant.name} with {count}: {program['compiler']} {program['flags']}"
    words = [f"OMP_NUM_THREADS={threads}", f"WEFT_WORKERS={threads}"] if threads else []
    words += [f"{name}={shlex.quote(filled(text, values))}" for name, text in run.asked.env]
    if run.asked.cpus:
        cpus = run.asked.cpus[: int(threads)] if threads else run.asked.cpus
        words += ["taskset", "-c", ",".join(map(str, cpus))]
    words += [shlex.quote(filled(word, values)) for word in contestant.argv]
    words += ["<", shlex.quote(run.asked.stdin)] if run.asked.stdin else []
    folder = run.asked.directory
    return " ".join([*(["cd", shlex.quote(folder), "&&"] if folder else []), *words])


def method_lines(run: BenchRun) -> tuple[str, ...]:
    """How it was measured."""
    if run.asked.kernel:
        return (
            "Before and between timed calls, each backend's answer was compared with that of seq "
            "on the same input: a wrong one is never timed.",
            "A launch is a process of its own, which times batches of calls; a time is the median "
            "of its samples. Programs and sizes take turns in random order.",
            _rounds(run),
        )
    floor = (
        f"A program that does nothing (true) took {formats.seconds(run.floor.value)} in this run, "
        "launched in the same way: a part of every time here, and nothing was subtracted."
        if run.floor
        else "What a program costs that does nothing is not known: there is no program true."
    )
    threads = (
        (
            "With T threads a launch gets OMP_NUM_THREADS=T, WEFT_WORKERS=T and the affinity of T "
            f"CPUs, {words_of(run.asked.placement)}.",
        )
        if run.has_threads
        else ()
    )
    return (
        "A time is from before posix_spawn until the kernel reports the program's end, by "
        "CLOCK_MONOTONIC, taken by a process of one thread that sleeps meanwhile.",
        floor,
        "Programs and values take turns in random order; every launch is a process of its own, "
        "whose exit code and output were checked before its time counted.",
        *threads,
        _rounds(run),
    )


def _rounds(run: BenchRun) -> str:
    return (
        f"{run.view.manifest.get('rounds', 'An unknown number of')} rounds, seed "
        f"{(run.view.manifest.get('options') or {}).get('seed', 'unknown')}. Intervals are 95 %: "
        "order statistics of the launches, or a bootstrap while there are few."
    )

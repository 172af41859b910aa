# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which runtime of the suite Inncabs is fastest: in words, on the first screen, and in full."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from weft_lab.pages import formats, theme
from weft_lab.pages.contest import HeadToHead, MatrixCell, MatrixRow, Winner, WinnersRow
from weft_lab.pages.decision_rows import MARKS
from weft_lab.pages.lead import resume_command
from weft_lab.pages.table import Table, Value, columns
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.suites.inncabs.curves import BASELINE_BACKEND
from weft_lab.suites.inncabs.head_to_head import Contest, Runner, contests
from weft_lab.suites.inncabs.words import WORDS, cores_text, display

NAME = "head_to_head"
TITLE = "Which runtime is fastest"
STOPPED = re.compile(r"it was ended (when|after) ")
FAILURE_WORDS = {"crashed": "crashed", "hung": "stopped: too slow", "wrong": "wrong answer"}


def contests_of(view: RunView) -> list[Contest]:
    """At one core and at all that were used."""
    return contests(view.summaries, view.threads_all, view.threshold)


def head_to_head(view: RunView) -> HeadToHead | None:
    """None unless a runtime of the suite was timed."""
    found = contests_of(view)
    if not any(contest.timed for contest in found):
        return None
    counts = sorted({contest.threads for contest in found})
    backends = theme.order([runner.backend for contest in found for runner in contest.runners])
    return HeadToHead(
        name=NAME,
        title=TITLE,
        is_decision=view.words is WORDS,
        lead=lead_lines(view, found),
        legend=_legend(view, found),
        caption=_caption(view, found),
        cores=tuple(map(cores_text, counts)),
        winners=tuple(_winners_rows(found, counts)),
        runtimes=tuple(map(display, backends)),
        matrix=tuple(_matrix(found, backends)),
    )


def lead_lines(view: RunView, found: Sequence[Contest]) -> tuple[str, ...]:
    """Which runtime is fastest on how many benchmarks, weft against the others, and benchmarks
    without times."""
    plain = [contest for contest in found if not contest.is_variant]
    races = [contest for contest in plain if len(contest.timed) > 1]
    counts = sorted({contest.threads for contest in races})
    by_count = [[c for c in races if c.threads == threads] for threads in counts]
    sentences = [
        _who_text(group, threads, view.threshold)
        for threads, group in zip(counts, by_count, strict=True)
    ]
    against = [
        text
        for threads, group in zip(counts, by_count, strict=True)
        if (text := _own_text(group, threads))
    ]
    if against:
        sentences.append(f"The better of weft's forms against all others: {'; '.join(against)}.")
    return (*sentences, *_failure_sentences(found))


def _who_text(group: Sequence[Contest], threads: int, threshold: float) -> str:
    wins = Counter(contest.fastest.backend for contest in group if contest.fastest)
    ranked = sorted(wins.items(), key=lambda row: (-row[1], row[0]))
    (most, count), *others = ranked
    text = f"With {cores_text(threads)}, {display(most)} is fastest on {count} of {len(group)} "
    text += "benchmarks" + "".join(f", {display(name)} on {number}" for name, number in others)
    num_certain = sum(contest.is_certain for contest in group)
    if not num_certain:
        return f"{text}; certainly on none."
    return (
        f"{text}; certainly on {num_certain}, where all others are slower by more than "
        f"{formats.percent(threshold)}."
    )


def _own_text(group: Sequence[Contest], threads: int) -> str:
    verdicts = Counter(contest.own_against_others for contest in group)
    told = [f"{verdict} on {verdicts[verdict]}" for verdict in ("faster", "slower")]
    if not sum(number for verdict, number in verdicts.items() if verdict):
        return ""
    return f"with {cores_text(threads)} {', '.join(told)}, cannot tell on {verdicts['cannot tell']}"


def _failure_sentences(found: Sequence[Contest]) -> list[str]:
    failed: dict[str, dict[str, None]] = {}
    for contest in found:
        for runner in contest.runners:
            if runner.gap is not None:
                failed.setdefault(runner.backend, {})[contest.benchmark] = None
    if not failed:
        return ["No runtime failed or was stopped."]
    return [
        f"{display(backend)} failed or was stopped on {len(names)}: {', '.join(names)}."
        for backend, names in sorted(failed.items())
    ]


def _legend(view: RunView, found: Sequence[Contest]) -> str:
    text = (
        f"{MARKS['sure']} faster: every other runtime is slower by more than "
        f"{formats.percent(view.threshold)}, by its whole 95 % interval over launches, and so that "
        f"at most 5 % of such findings are false. {MARKS['cannot tell']} cannot tell: another may "
        "be as fast, or was not timed."
    )
    unsure = [contest for contest in found if contest.timed and not contest.is_certain]
    if not unsure:
        return text
    once = sum(not contest.is_replicated for contest in unsure)
    launches = f" (one launch of some cell in {once})" if once else ""
    return (
        f"{text} That is so for {len(unsure)} of {len(found)}{launches}. For more launches: "
        f"{resume_command(view)}"
    )


def _caption(view: RunView, found: Sequence[Contest]) -> str:
    text = (
        "Median time of a call of each runtime at the setting that is its fastest there, and how "
        "many times that of the fastest it is. Verdicts are against the fastest; of the fastest, "
        f"against all others. Differences up to {formats.percent(view.threshold)} are ties."
    )
    searches = [contest for contest in found if is_search(found, contest) and contest.timed]
    if not searches:
        return text
    names = ", ".join(dict.fromkeys(contest.benchmark for contest in searches))
    fastest = "; ".join(filter(None, map(_per_node_text, searches)))
    return (
        f"{text} How much is searched in {names} depends on the order of the tasks, so time per "
        f"visited node stands below; least there: {fastest}."
    )


def _per_node_text(contest: Contest) -> str:
    known = [
        (runner.timed.s_per_node, runner.backend)
        for runner in contest.timed
        if runner.timed is not None and runner.timed.s_per_node is not None
    ]
    if not known:
        return ""
    least_s, backend = min(known)
    place = f"{contest.benchmark} with {cores_text(contest.threads)}"
    return f"{place}, {display(backend)} ({formats.seconds(least_s)})"


def is_search(found: Iterable[Contest], contest: Contest) -> bool:
    """Whether runtimes visited different numbers of nodes of this benchmark."""
    same = [other for other in found if other.benchmark == contest.benchmark]
    visited = {
        runner.timed.nodes
        for other in same
        for runner in other.timed
        if runner.timed is not None and runner.timed.nodes is not None
    }
    return len(visited) > 1


def _winners_rows(found: Sequence[Contest], counts: Sequence[int]) -> Iterable[WinnersRow]:
    by_place = {(contest.benchmark, contest.threads): contest for contest in found}
    for benchmark in dict.fromkeys(contest.benchmark for contest in found):
        here = [by_place.get((benchmark, threads)) for threads in counts]
        yield WinnersRow(benchmark, tuple(None if c is None else _winner(c) for c in here))


def _winner(contest: Contest) -> Winner | None:
    first = contest.fastest
    if first is None or first.timed is None:
        return None
    second = next(iter(contest.timed[1:]), None)
    level = "sure" if contest.is_certain else "cannot tell"
    return Winner(
        display(first.backend),
        theme.color(first.backend),
        display(second.backend) if second else "the only one timed",
        formats.ratio(second.ratio.value if second and second.ratio else None),
        MARKS["sure" if contest.is_certain else "cannot tell"],
        level.replace(" ", "-"),
        first.verdict,
        tuple(display(name) for name in (*(r.backend for r in contest.rivals), *contest.missing)),
    )


def _matrix(found: Sequence[Contest], backends: Sequence[str]) -> Iterable[MatrixRow]:
    before = ""
    for contest in found:
        by_backend = {runner.backend: runner for runner in contest.runners}
        has_nodes = is_search(found, contest)
        yield MatrixRow(
            contest.benchmark,
            contest.benchmark != before,
            contest.threads,
            formats.seconds(contest.serial.time_s) if contest.serial else formats.UNKNOWN,
            tuple(_cell(by_backend.get(name), contest, has_nodes) for name in backends),
        )
        before = contest.benchmark


def _cell(runner: Runner | None, contest: Contest, has_nodes: bool) -> MatrixCell:
    if runner is None:
        return MatrixCell(formats.UNKNOWN, ("not timed",), "missing")
    if runner.timed is None:
        assert runner.gap is not None
        return MatrixCell(failure_word(runner.gap), (), "failed", runner.gap.message)
    per_node = f"{formats.seconds(runner.timed.s_per_node)} per node"
    nodes = (per_node,) if has_nodes and runner.timed.s_per_node else ()
    if runner.verdict == "faster":
        told, level = "faster than all", "fastest"
    else:
        ratio = formats.ratio(runner.ratio.value if runner.ratio else None)
        told, level = f"{ratio} · {verdict_text(runner)}", ""
    level = level or ("lowest" if runner is contest.fastest else "")
    return MatrixCell(formats.seconds(runner.timed.time_s), (told, *nodes), level, runner.setting)


def verdict_text(runner: Runner) -> str:
    """The verdict, and that one launch allows none."""
    is_single = runner.timed is not None and runner.timed.launches == 1
    return f"{runner.verdict} (one launch)" if is_single else runner.verdict


def failure_word(gap: CellSummary) -> str:
    """How a runtime has no time, in a word or two."""
    if gap.status in FAILURE_WORDS:
        return FAILURE_WORDS[gap.status]
    if gap.code == "memory":
        return "too much memory"
    return "stopped" if STOPPED.search(gap.message) else "failed"


def head_to_head_table(view: RunView, found: Sequence[Contest]) -> Table:
    """One row per benchmark, count of cores and runtime, the fastest first."""
    rows = [
        (
            contest.benchmark,
            view.words.show_size(contest.size),
            contest.threads,
            display(runner.backend),
            *_numbers(runner),
            runner.setting,
            "" if runner.gap is None else runner.gap.message or runner.gap.status,
        )
        for contest in found
        for runner in contest.runners
    ]
    return Table(
        name=NAME,
        title="Execution time over that of the fastest",
        columns=columns(
            ("benchmark", "benchmark"),
            ("input", "input"),
            ("cores", "threads", formats.number),
            ("runtime", "runtime"),
            ("time of a call", "time_s", formats.seconds),
            ("from", "time_low_s", formats.seconds),
            ("to", "time_high_s", formats.seconds),
            ("over the fastest", "ratio", formats.ratio),
            ("from", "ratio_low", formats.ratio),
            ("to", "ratio_high", formats.ratio),
            ("verdict", "verdict"),
            ("launches", "launches", formats.number),
            ("nodes", "nodes", formats.number),
            ("time per node", "s_per_node", formats.seconds),
            ("setting", "setting"),
            ("why not", "remark"),
        ),
        rows=tuple(rows),
        note=f"{display(BASELINE_BACKEND)}, which has no tasks, takes no part. Nodes: what the "
        "last call of a launch visited, the median over launches.",
    )


def _numbers(runner: Runner) -> tuple[Value, ...]:
    s, ratio = runner.timed, runner.ratio
    if s is None:
        return (None,) * 6 + ("no time", *(None,) * 3)
    return (
        s.time_s,
        s.time_low_s,
        s.time_high_s,
        *((ratio.value, ratio.low, ratio.high) if ratio else (None,) * 3),
        runner.verdict,
        s.launches,
        s.nodes,
        s.s_per_node,
    )

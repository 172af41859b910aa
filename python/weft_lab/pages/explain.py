# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Explains the report in plain words, with the numbers and their sources."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from importlib import resources

from weft_lab.errors import UsageError
from weft_lab.pages import formats, theme
from weft_lab.pages.tables import decisions_in_order
from weft_lab.pages.view import RunView, gib_per_s
from weft_lab.statistics.analysis_types import BreakEven, CellSummary, Decision

NEAR_ROOF_FRACTION = 0.7
Lines = list[str]


def explain(view: RunView, topic: str) -> Lines:
    """The results of this run about an algorithm, backend, verdict, skip code or term.

    Errors: `UsageError` that names the nearest topic.
    """
    wanted = " ".join(topic.lower().replace("_", " ").split())
    for name, lines in _topics(view):
        if wanted == name.lower().replace("_", " "):
            return lines()
    names = [name for name, _ in _topics(view)]
    near = difflib.get_close_matches(topic, names, n=1, cutoff=0.4)
    what = f"nothing is known about '{topic}'"
    hint = f"did you mean '{near[0]}'? " if near else ""
    why = "explain takes an algorithm, a backend, a verdict, a skip code or a term"
    raise UsageError(what, why, f"{hint}known here: {', '.join(dict.fromkeys(names))}")


def _topics(view: RunView) -> Iterator[tuple[str, Callable[[], Lines]]]:
    """Every topic of this run, the most specific first."""
    for case in sorted({view.case(s) for s in view.summaries}):
        yield case, partial(_about_case, view, case)
    for problem in sorted({s.cell.problem for s in view.summaries}):
        yield problem, partial(_about_problem, view, problem)
    for variant in view.variants:
        yield variant, partial(_about_backend, view, variant)
        yield theme.backend_of(variant), partial(_about_backend, view, variant)
    for verdict in glossary()["verdicts"]:
        yield verdict, partial(_about_verdict, view, verdict)
    for code in glossary()["codes"]:
        yield code, partial(_about_code, view, code)
    for term in glossary()["terms"]:
        yield term, partial(_about_term, view, term)


@cache
def glossary() -> Mapping[str, Mapping[str, str]]:
    """Codes, verdicts and terms in plain sentences."""
    text = resources.files("weft_lab.pages").joinpath("glossary.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _about_problem(view: RunView, problem: str) -> Lines:
    cases = sorted({view.case(s) for s in view.summaries if s.cell.problem == problem})
    return [line for case in cases for line in (*_about_case(view, case), "")][:-1]


def _about_case(view: RunView, case: str) -> Lines:
    decisions = [d for d in decisions_in_order(view) if view.case_name(d.label, d.type) == case]
    lines = [f"{case}: what to use"]
    lines += [f"  {_decision(view, d)}" for d in decisions] or ["  nothing was measured"]
    break_evens = [b for b in view.break_evens if view.case_name(b.label, b.type) == case]
    if break_evens:
        lines += ["Where parallel begins to pay"]
        lines += [f"  {_break_even(view, b)}" for b in break_evens]
    lines += _limits(view, case)
    lines += _failures(view, [s for s in view.summaries if view.case(s) == case])
    return [*lines, *_sources(view, [s for s in view.measured if view.case(s) == case])]


def _decision(view: RunView, d: Decision) -> str:
    band = view.words.band_text(d.size_low, d.size_high)
    threads = formats.threads(d.threads)
    gain = ""
    if d.speedup is not None and d.backend != "seq":
        low_high = formats.ratio_interval(d.speedup.low, d.speedup.high)
        gain = f", {formats.ratio(d.speedup.value)} as fast as seq ({low_high})"
    why = f": {d.reason}" if d.reason else ""
    return f"{band}: {view.name(d.variant)}, {threads}{gain}; {d.confidence}{why}"


def _break_even(view: RunView, b: BreakEven) -> str:
    size_text = view.words.size_text
    starts = (
        "never seen parallel"
        if b.parallel_from is None
        else f"parallel from {size_text(b.parallel_from)}"
    )
    pays = (
        "no significant gain"
        if b.beats_seq_from is None
        else f"pays from {size_text(b.beats_seq_from)}"
    )
    text = f"{view.name(b.variant)}, {formats.threads(b.threads)}: {starts}, {pays}"
    if b.parallel_from and b.beats_seq_from and b.parallel_from < b.beats_seq_from:
        text += f"; it goes parallel too early: {_setting(b.setting)}"
    return text + (f" ({b.reason})" if b.reason else "")


def _setting(setting: str) -> str:
    if setting.startswith("none: "):
        return f"no setting changes that, {setting.removeprefix('none: ')}"
    return f"to change that, {setting}" if setting else "how to change that is not known"


def _limits(view: RunView, case: str) -> Lines:
    """The limit of its scaling: memory bandwidth, or efficiency lost with threads."""
    size = view.largest_size(case)
    at_top = [
        s
        for s in view.at_all_threads()
        if view.case(s) == case and s.cell.size == size and s.backend != "seq"
    ]
    if not at_top or size is None:
        return []
    best = min(at_top, key=lambda s: s.time_s or float("inf"))
    lines = ["What limits it at the largest size", f"  {_roof(view, best)}"]
    good = [e for e in view.efficiencies if view.case_name(e.label, e.type) == case]
    for e in good:
        if e.threads is not None:
            used = formats.percent(e.efficiency, 0)
            lines.append(f"  {view.name(e.variant)}: up to {e.threads} threads at ≥ 70 % ({used})")
    return lines


def _roof(view: RunView, best: CellSummary) -> str:
    rate = gib_per_s(best.bytes_min, best.time_s)
    roof = max((point.gib_per_s for point in view.bandwidth), default=None)
    who = f"{view.name(best.variant)} at {view.words.size_text(best.cell.size)}"
    if rate is None or roof is None:
        return f"{who}: not known, no bandwidth probe or no traffic was recorded"
    share = rate / roof
    of_best = f"{formats.percent(share, 0)} of the probe's best"
    text = f"{who} moves at least {formats.rate(rate)}, {of_best}"
    if share >= NEAR_ROOF_FRACTION:
        return f"{text}: memory bandwidth is the limit, more threads cannot help"
    return f"{text}: memory bandwidth is not the limit"


def _failures(view: RunView, summaries: list[CellSummary]) -> Lines:
    bad = [s for s in summaries if s.status not in ("ok", "skipped")]
    if not bad:
        return []
    lines = ["What went wrong"]
    for s in bad:
        size = view.words.size_text(s.cell.size)
        where = f"{view.case(s)}, {view.name(s.variant)}, {size}, {formats.threads(s.cell.threads)}"
        lines.append(f"  {where}: {s.status}, {s.message or 'no message'}")
    return lines


def _sources(view: RunView, cells: list[CellSummary]) -> Lines:
    launches = sum(s.launches for s in cells)
    samples = sum(len(launch) for s in cells for launch in s.samples_s)
    problems = sorted({s.cell.problem for s in cells})
    noise = "not known" if view.noise_floor is None else formats.percent(view.noise_floor)
    lines = [
        "Where this comes from",
        f"  {len(cells)} cells, {launches} launches, {samples} samples; "
        f"noise floor {noise}, ties below {formats.percent(view.threshold)}",
    ]
    path = view.folder / "samples.jsonl"
    return lines + [f'  grep \'"problem":"{problem}"\' {path}' for problem in problems]


def _about_backend(view: RunView, variant: str) -> Lines:
    program = (view.programs or {}).get(variant, {})
    how = f"{program.get('compiler', 'compiler unknown')} {program.get('flags', '')}"
    lines = [f"{variant}: {how}".rstrip()]
    chosen = [d for d in decisions_in_order(view) if d.variant == variant]
    lines += ["Chosen for"]
    lines += [f"  {view.case_name(d.label, d.type)}, {_decision(view, d)}" for d in chosen] or [
        "  nothing"
    ]
    break_evens = [b for b in view.break_evens if b.variant == variant]
    if break_evens:
        lines += ["Where it begins to pay"]
        lines += [
            f"  {view.case_name(b.label, b.type)}: {_break_even(view, b)}" for b in break_evens
        ]
    mine = [s for s in view.summaries if s.variant == variant]
    missing = sorted({f"{s.cell.label}: {s.message}" for s in mine if s.status == "skipped"})
    if missing:
        lines += ["Not measured", *(f"  {line}" for line in missing)]
    lines += _failures(view, mine)
    return [*lines, *_sources(view, [s for s in mine if s.status == "ok"])]


def _about_verdict(view: RunView, verdict: str) -> Lines:
    given = [d for d in decisions_in_order(view) if d.confidence == verdict]
    lines = [
        f"{verdict}: {glossary()['verdicts'][verdict]}",
        f"Said {len(given)} times in this run",
    ]
    return lines + [f"  {view.case_name(d.label, d.type)}, {_decision(view, d)}" for d in given]


def _about_code(view: RunView, code: str) -> Lines:
    rows = [row for row in view.skipped if row.get("code") == code]
    lines = [f"{code}: {glossary()['codes'][code]}"]
    if not rows:
        return [*lines, "It did not happen in this run."]
    lines.append(f"In this run {sum(int(row.get('count') or 1) for row in rows)} cells:")
    for row in rows:
        who = ", ".join(str(row[key]) for key in ("variant", "label", "size") if row.get(key))
        lines.append(f"  {who or 'all'}: {row.get('message')}")
        lines.append(f"    what to do: {row.get('remedy')}")
    return lines


def _about_term(view: RunView, term: str) -> Lines:
    lines = [f"{term}: {glossary()['terms'][term]}"]
    if term in ("noise floor", "threshold"):
        noise = "not known" if view.noise_floor is None else formats.percent(view.noise_floor)
        lines.append(f"Here: noise floor {noise}, ties below {formats.percent(view.threshold)}.")
    if term in ("bandwidth", "roofline"):
        known = [f"{formats.rate(p.gib_per_s)} with {p.threads} thread(s)" for p in view.bandwidth]
        lines.append(f"Here: {', '.join(known) or 'the probe did not run'}.")
    return lines

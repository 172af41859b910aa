# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders many runs of the same benchmarks, and finds the runs at which a time changed."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Any

from weft_lab.advice import runs
from weft_lab.errors import ResultFolderError, UsageError
from weft_lab.statistics.analysis_types import CellSummary
from weft_lab.statistics.change_points import Point, Step, find_outliers, find_steps
from weft_lab.statistics.estimates import LEVEL, THRESHOLD_MIN
from weft_lab.statistics.ratios import is_disturbed
from weft_lab.statistics.summaries import summarise
from weft_lab.storage import axes
from weft_lab.storage.before import machine_of
from weft_lab.storage.cells import Cell
from weft_lab.storage.folder_files import understood
from weft_lab.storage.variants import is_control

Warn = Callable[[str], None]
RUNS_MIN = 2
COMMIT_CHARACTERS = 9
# The half width of an interval of a median, in standard errors.
ERRORS_PER_HALF = NormalDist().inv_cdf(0.5 + 0.5 * LEVEL)


@dataclass(frozen=True)
class Visit:
    """One run.

    `commit`: of the measured program; empty if unknown. Units: `_unix_s` seconds since 1970;
    `commit_unix_s` is 0 if unknown.
    """

    run_id: str
    host: str
    started_unix_s: float
    date: str
    commit: str = ""
    commit_unix_s: float = 0.0
    is_dirty: bool = False

    @property
    def name(self) -> str:
        """The commit, with a + if tracked files were changed; otherwise the date."""
        if not self.commit:
            return self.date
        return self.commit[:COMMIT_CHARACTERS] + ("+" if self.is_dirty else "")


@dataclass(frozen=True)
class Time:
    """A benchmark in one run: the median over launches with its interval. Units: seconds."""

    visit: Visit
    time_s: float
    low_s: float | None
    high_s: float | None
    launches: int

    @property
    def point(self) -> Point:
        error = None
        if self.low_s is not None and self.high_s is not None and self.low_s > 0.0:
            error = 0.5 * math.log(self.high_s / self.low_s) / ERRORS_PER_HALF
        return Point(math.log(self.time_s), error)


@dataclass(frozen=True)
class History:
    """One benchmark on one machine, in the order of the runs.

    `newest`: the distance of the newest run from the runs before it, if that is large and no other
    run confirms it yet.
    """

    name: str
    times: tuple[Time, ...]
    steps: tuple[Step, ...]
    newest: Step | None

    @property
    def has_changed(self) -> bool:
        return bool(self.steps) or self.newest is not None


@dataclass(frozen=True)
class Histories:
    """All benchmarks over all runs.

    `visits`: in order, by commit if all commits are known. `num_disturbed`: times that were left
    out because other programs used the CPUs. `threshold`: the smallest change that counts.
    """

    visits: tuple[Visit, ...]
    members: tuple[History, ...]
    threshold: float
    num_disturbed: int = 0
    doubts: tuple[str, ...] = ()

    @property
    def is_by_commit(self) -> bool:
        return all(visit.commit_unix_s for visit in self.visits)


@dataclass(frozen=True)
class Loaded:
    """A run, and the benchmarks that it timed. `commands`: of the user's own programs, by name."""

    visit: Visit
    summaries: tuple[CellSummary, ...]
    commands: Mapping[str, str]
    manifest: Mapping[str, Any] = field(default_factory=dict)


def load(
    paths: Sequence[Path], warn: Warn, example: str = "./weft history results/*"
) -> list[Loaded]:
    """Each run that the paths name, once. Paths without a run are skipped, and reported to `warn`.

    Errors: `UsageError` with fewer than two runs; the message says to type the `example`.
    """
    found: dict[str, Loaded] = {}
    for path in paths:
        try:
            with understood(path):
                loaded = _load(path, warn)
        except ResultFolderError as error:
            warn(f"left out: {error.what}: {error.why}")
            continue
        found.setdefault(loaded.visit.run_id, loaded)
    if len(found) < RUNS_MIN:
        raise UsageError(
            what=f"at least {RUNS_MIN} runs are needed",
            why=f"{len(paths)} paths name {len(found)}",
            remedy=f"type for example {example}",
        )
    return list(found.values())


def _load(path: Path, warn: Warn) -> Loaded:
    folder, manifest, samples = runs.read(path, warn)
    summaries = [s for s in summarise(samples.records) if s.time_s and not is_control(s.variant)]
    if not summaries:
        what, why = f"'{folder.path}' has no times of cells", "a history shows nothing else"
        raise ResultFolderError(what, why, "name runs of suites with cells, or of ./weft bench")
    programs = manifest.get("programs") or {}
    commands = {
        variant: str(record.get("flags", ""))
        for variant, record in programs.items()
        if record.get("toolchain") == "command"
    }
    return Loaded(_visit(manifest, folder.path), tuple(summaries), commands, manifest)


def _visit(manifest: Mapping[str, Any], path: Path) -> Visit:
    source = _source(manifest)
    started_s = float(manifest["started_unix_s"])
    return Visit(
        str(manifest.get("run_id") or path.name),
        machine_of(manifest, path),
        started_s,
        time.strftime("%Y-%m-%d %H:%M", time.gmtime(started_s)),
        str(source.get("commit") or ""),
        float(source.get("commit_unix_s") or 0.0),
        bool(source.get("is_dirty")),
    )


def _source(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    """The commit of the measured code: of the user's folder, otherwise of the programs, which may
    be older than the checkout that measured them."""
    if any(each.has_own_verb and each.name in manifest for each in axes.every()):
        return manifest.get("source") or {}
    found: Mapping[str, Any] = (manifest.get("software") or {}).get("git") or {}
    programs = (manifest.get("programs") or {}).values()
    built = {str(each["git_commit"]) for each in programs if each.get("git_commit")}
    if len(built) == 1 and not str(found.get("commit")).startswith(min(built)):
        return {"commit": min(built)}
    return found


def histories(loaded: Sequence[Loaded], threshold: float = THRESHOLD_MIN) -> Histories:
    """The history of every benchmark that two runs timed on one machine; those with changes come
    first."""
    is_by_commit = all(each.visit.commit_unix_s for each in loaded)
    ordered = sorted(
        loaded,
        key=lambda each: (
            each.visit.commit_unix_s if is_by_commit else 0.0,
            each.visit.started_unix_s,
        ),
    )
    times: dict[tuple[str, str, Cell], list[Time]] = defaultdict(list)
    num_disturbed = 0
    for each in ordered:
        for s in each.summaries:
            if is_disturbed(s):
                num_disturbed += 1
            elif s.time_s:
                found = Time(each.visit, s.time_s, s.time_low_s, s.time_high_s, s.launches)
                times[each.visit.host, s.variant, s.cell].append(found)
    kept = {key: own for key, own in times.items() if len(own) >= RUNS_MIN}
    series = [[each.point for each in own] for own in kept.values()]
    steps = find_steps(series, threshold)
    newest = find_outliers(series, steps, threshold)
    names = _names(list(kept))
    members = [
        History(name, tuple(own), tuple(found), last)
        for name, own, found, last in zip(names, kept.values(), steps, newest, strict=True)
    ]
    members.sort(key=_prominence)
    visits = tuple(each.visit for each in ordered)
    return Histories(visits, tuple(members), threshold, num_disturbed, _doubts(ordered))


def _prominence(history: History) -> tuple[bool, bool, float]:
    largest = max((abs(math.log(step.ratio)) for step in history.steps), default=0.0)
    return not history.steps, history.newest is None, -largest


def _names(keys: Sequence[tuple[str, str, Cell]]) -> list[str]:
    """Names of the benchmarks, from their differences: program, problem and each varying axis."""
    axes_of = [
        {
            "host": host,
            "toolchain": variant.partition("@")[2],
            "type": cell.type,
            "size": cell.size,
            "threads": cell.threads,
        }
        for host, variant, cell in keys
    ]
    names = axes_of[0] if axes_of else {}
    has = {name: len({each[name] for each in axes_of}) > 1 for name in names}
    found = []
    for host, variant, cell in keys:
        label = cell.label.removeprefix("run").strip() if cell.suite == "bench" else cell.label
        words = [variant if has["toolchain"] else variant.partition("@")[0], label]
        words += [cell.type] if has["type"] else []
        words += [f"size {cell.size}"] if has["size"] else []
        words += [f"threads {cell.threads}"] if has["threads"] else []
        words += [cell.allocator] if cell.allocator != "default" else []
        words += [f"placement {cell.placement}"] if cell.placement != "none" else []
        words += ["smt off"] if cell.smt == "off" else []
        words += [f"on {host}"] if has["host"] else []
        found.append(" ".join(filter(None, words)))
    return found


def _doubts(loaded: Sequence[Loaded]) -> tuple[str, ...]:
    """Names whose command differs between runs."""
    commands: dict[str, set[str]] = defaultdict(set)
    for each in loaded:
        for variant, command in each.commands.items():
            commands[variant.partition("@")[0]].add(command)
    return tuple(
        f"'{name}' stands for {len(own)} different commands in these runs."
        for name, own in sorted(commands.items())
        if len(own) > 1
    )

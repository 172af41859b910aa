# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From kept launches to one line per benchmark, runtime and condition: time, overhead, status."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft_lab.errors import ResultFolderError
from weft_lab.machine.neighbours import disturbances
from weft_lab.statistics.estimates import bootstrap_ratio, median
from weft_lab.storage.store import Record, ResultFolder
from weft_lab.suites.inncabs.external_tools.conditions import ALONE, BASELINE, COUNTED, OWN, Job
from weft_lab.suites.inncabs.external_tools.session import RECORD

NOT_RUN = "not_run"


@dataclass(frozen=True)
class Tool:
    """A tool as it was found where the launches were made."""

    id: str
    title: str
    command: str
    state: str
    version: str
    why: str
    remedy: str


@dataclass(frozen=True)
class Measured:
    """All launches of a job.

    Units: `_s` seconds, of one call as the program timed it; except `command_s`, of the whole
           command with the tool's work before and after; `overhead`: relative to the baseline's
           time, 0.1 is 10 percent. Unknown is None.
    """

    job: Job
    status: str
    word: str = ""
    how: str = ""
    num_launches: int = 0
    tasks: int | None = None
    tasks_started: int | None = None
    time_s: float | None = None
    low_s: float | None = None
    high_s: float | None = None
    overhead: float | None = None
    overhead_low: float | None = None
    overhead_high: float | None = None
    command_s: float | None = None
    peak_rss_bytes: int | None = None
    output_bytes: int | None = None


@dataclass(frozen=True)
class Results:
    """A measurement, read again."""

    folder: Path
    host: str
    size: int
    threads: int
    problems: tuple[str, ...]
    runtimes: tuple[str, ...]
    has_plain: bool
    tools: tuple[Tool, ...]
    scaled: Mapping[str, str]
    measured: Mapping[Job, Measured]
    disturbances: tuple[str, ...] = ()

    def conditions(self, runtime: str) -> list[tuple[str, str]]:
        """Id and title of all that a runtime was, or would have been, measured under."""
        own = OWN if runtime == COUNTED else ()
        named = [(each.id, each.title) for each in (ALONE, *own)]
        return named + [(tool.id, tool.title) for tool in self.tools]


def read(path: Path) -> Results:
    """Errors: `ResultFolderError` when the folder holds no such measurement."""
    folder = ResultFolder.open(path)
    manifest = folder.read_manifest()
    settings = manifest.get("external_tools")
    if settings is None:
        raise ResultFolderError(
            what=f"'{path}' holds no benchmarks under tools",
            why="it is a run of another kind",
            remedy="measure some: ./weft reproduce counters-table1",
        )
    records = [each for each in folder.read_samples().records if each.get("record") == RECORD]
    results = Results(
        folder=folder.path,
        host=str(manifest.get("machine", {}).get("host", "this machine")),
        size=int(settings["size"]),
        threads=int(settings["threads"]),
        problems=tuple(settings["problems"]),
        runtimes=tuple(settings["runtimes"]),
        has_plain=bool(settings.get("has_plain", False)),
        tools=tuple(Tool(**row) for row in settings["tools"]),
        scaled={str(each["problem"]): str(each["scaled"]) for each in records if each["scaled"]},
        measured={},
        disturbances=disturbances(manifest),
    )
    return _filled(results, records)


def _filled(results: Results, records: Sequence[Record]) -> Results:
    launches: dict[Job, list[Record]] = defaultdict(list)
    for each in records:
        launches[Job(each["problem"], each["runtime"], each["condition"])].append(each)
    measured = {
        job: _measured(results, job, launches)
        for runtime in results.runtimes
        for problem in results.problems
        for condition, _ in results.conditions(runtime)
        for job in (Job(problem, runtime, condition),)
    }
    return Results(**{**vars(results), "measured": measured})


def _measured(results: Results, job: Job, launches: Mapping[Job, list[Record]]) -> Measured:
    own = launches.get(job, [])
    if not own:
        return _not_run(results, job, launches)
    failed = next((each for each in own if each["status"] != "ok"), None)
    if failed is not None:
        how = str(failed["how"])
        if len(own) > 1:
            how = f"{len(own) - 1} launches were ok, then: {how}"
        return Measured(
            job, failed["status"], failed["word"], how, len(own), failed["tasks"],
            failed["tasks_started"],
            command_s=failed["command_s"], output_bytes=failed["output_bytes"],
            peak_rss_bytes=failed["peak_rss_bytes"],
        )  # fmt: skip
    times_s = [float(each["statistic_s"]) for each in own]
    return Measured(
        job, "ok", num_launches=len(own), tasks=own[0]["tasks"],
        time_s=median(times_s), low_s=min(times_s), high_s=max(times_s),
        command_s=median([each["command_s"] for each in own]),
        peak_rss_bytes=max((each["peak_rss_bytes"] or 0 for each in own), default=0) or None,
        output_bytes=int(median([each["output_bytes"] for each in own])),
        **_overhead(_alone(results, job, launches), own),
    )  # fmt: skip


def _alone(results: Results, job: Job, launches: Mapping[Job, list[Record]]) -> list[Record]:
    """The comparison of a job; none if counters would be compared with counters."""
    is_own = job.condition in {each.id for each in OWN}
    if job.condition == BASELINE or (is_own and not results.has_plain):
        return []
    return launches.get(Job(job.problem, job.runtime, BASELINE), [])


def _overhead(alone: Sequence[Record], own: Sequence[Record]) -> dict[str, Any]:
    usable = [each["samples_s"] for each in alone if each["status"] == "ok"]
    if not usable:
        return {}
    ratio = bootstrap_ratio(usable, [each["samples_s"] for each in own])
    return {
        "overhead": ratio.value - 1.0,
        "overhead_low": None if ratio.low is None else ratio.low - 1.0,
        "overhead_high": None if ratio.high is None else ratio.high - 1.0,
    }


def _not_run(results: Results, job: Job, launches: Mapping[Job, list[Record]]) -> Measured:
    tool = next((each for each in results.tools if each.id == job.condition), None)
    if tool is not None and tool.state != "usable":
        return Measured(job, tool.state, tool.state.replace("_", " "), f"{tool.why}; {tool.remedy}")
    alone = launches.get(Job(job.problem, job.runtime, BASELINE), [])
    if any(each["status"] != "ok" for each in alone):
        return Measured(job, NOT_RUN, "n/a", "it fails without a tool, too")
    return Measured(job, NOT_RUN, "not run", "the time was over; a larger --budget helps")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A whole run: names checked, folder made, programs built, machine described, bandwidth and cells
measured, folder closed.
"""

from __future__ import annotations

import math
import os
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from weft_lab import __version__
from weft_lab.errors import (
    Interrupted,
    MissingError,
    ResultFolderError,
    UsageError,
    WeftError,
    WrongAnswerFound,
)
from weft_lab.machine import facts as machine
from weft_lab.machine.neighbours import KEY, Neighbours
from weft_lab.machine.toolchains import TOOLCHAINS
from weft_lab.measuring import bandwidth
from weft_lab.measuring.catalog import (
    Toolbox,
    built_machine_program,
    check_options,
    gather,
)
from weft_lab.measuring.costs import CostModel
from weft_lab.measuring.ledger import Ledger
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Plan, Skip, make_plan, round_s
from weft_lab.measuring.programs import Program, build_folder
from weft_lab.measuring.progress import RunProgress
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.run_context import RunContext
from weft_lab.measuring.runner import Runner
from weft_lab.measuring.skips import merge_skips, skips_line
from weft_lab.measuring.stopping import StopSignal
from weft_lab.storage.cells import check_names
from weft_lab.storage.checkout import SUITES
from weft_lab.storage.folder_files import understood
from weft_lab.storage.store import SCHEMA, Record, ResultFolder, SampleWriter
from weft_lab.storage.variants import program_of

PROBE_BUDGET_FRACTION = 0.1
MEMORY_FRACTION = 0.9


@dataclass(frozen=True)
class Finished:
    """Cells that were measured without a stop. `say`: tells the user the next step."""

    folder: ResultFolder
    options: RunOptions
    budget_s: float
    say: Callable[[str], None]


After = Callable[[Finished], None]


@dataclass(frozen=True)
class UserPrograms:
    """Programs that the command line named, in place of this checkout's.

    `command`: the command that answers a block. `grace_s`: the time it needs to end its own
    processes. `content`: for the manifest, the same when the run is resumed. `source`: the commit
    of the user's own folder. `bandwidth`: the probe of the machine, if the measurement is shown
    below its roofs.
    """

    programs: tuple[Program, ...]
    plan: Plan
    command: Callable[[Block], list[str]]
    grace_s: float
    content: Record
    source: Record = field(default_factory=dict)
    bandwidth: Program | None = None


@dataclass(frozen=True)
class Additional:
    """The arguments of a run that is continued.

    `programs`: the user's choice. `after`, `user_programs`: as in `measure`.
    """

    budget_s: float | None = None
    programs: Path | None = None
    after: After | None = None
    user_programs: UserPrograms | None = None


def measure(
    options: RunOptions,
    console: Console,
    after: After | None = None,
    user_programs: UserPrograms | None = None,
) -> ResultFolder:
    """Runs what the options ask for and returns the finished folder, also after Ctrl-C.

    `after`: makes the suite's extra measurements once, after all cells. `raise_for_outcome`
    converts the outcome to the command's exit code.

    Errors: `UsageError`, `MissingError`, `ResultFolderError` before anything is measured.
    """
    if user_programs is None:
        check_options(options)
    folder = ResultFolder.create(options.results)
    manifest: Record = {
        "run_id": folder.path.name,
        "status": "running",
        "weft_version": __version__,
        "started_unix_s": time.time(),
        "command": sys.argv,
        "options": options.to_dict(),
        **({**user_programs.content, "source": user_programs.source} if user_programs else {}),
    }
    with folder.locked():
        folder.write_manifest(manifest)
        return _Session(folder, manifest, console, after, user_programs).run(options)


def resume(folder: ResultFolder, console: Console, more: Additional) -> ResultFolder:
    """Continues a stopped run: same plan, same seed, only the unused part of its budget.

    Programs that the folder names are printed but never run, because a result folder is data.
    """
    programs = more.programs
    with folder.locked():
        manifest = folder.read_manifest()
        options = _options_in(folder, manifest)
        if programs is None:
            programs = _programs_in(folder, manifest, options, console)
        options = replace(options, programs=programs)
        check_options(options)
        return _resume_locked(folder, manifest, options, console, more)


def resume_user_programs(
    folder: ResultFolder, options: RunOptions, console: Console, user_programs: UserPrograms
) -> ResultFolder:
    """Continues a stopped run of programs that the command line names again: the folder selects no
    command.

    Errors: `UsageError` if they are not the programs of the folder's run.
    """
    with folder.locked():
        manifest = folder.read_manifest()
        for key, asked in user_programs.content.items():
            _refuse_other_content(folder, manifest.get(key), asked)
        return _resume_locked(
            folder, manifest, options, console, Additional(user_programs=user_programs)
        )


def _refuse_other_content(folder: ResultFolder, before: object, asked: Record) -> None:
    known = before if isinstance(before, dict) else {}
    changed = [name for name in asked if known.get(name) != asked[name]]
    if changed:
        raise UsageError(
            what=f"'{folder.path}' is another measurement: {', '.join(changed)} differ",
            why="launches of two commands are not replicates of each other",
            remedy=f"./weft resume {shlex.quote(str(folder.path))} says what to type; without "
            "--resume a new run begins",
        )


def _programs_in(
    folder: ResultFolder, manifest: Record, options: RunOptions, console: Console
) -> Path | None:
    """This checkout's own folder of programs if the manifest names it, else None: build them.

    Errors: `UsageError` if this checkout cannot build them.
    """
    named = manifest["options"].get("programs")
    if named is None:
        return None
    place = os.path.realpath(str(named))
    if place in {os.path.realpath(build_folder(toolchain) / "bin") for toolchain in TOOLCHAINS}:
        return Path(place)
    what = f"'{folder.path}' names programs in {str(named)!r}"
    why = "a result folder never chooses what runs"
    remedy = (
        f"if you trust these programs: ./weft resume {shlex.quote(str(folder.path))} "
        f"--programs {shlex.quote(str(named))}"
    )
    if not set(options.suite) <= set(SUITES):
        raise UsageError(what, f"{why}, and this checkout has no suite {options.suite[0]}", remedy)
    text = f"weft: {what}: {why}, so this checkout's programs continue\n  -> {remedy}"
    console.print(text, markup=False, highlight=False, soft_wrap=True)
    return None


def _resume_locked(
    folder: ResultFolder,
    manifest: Record,
    options: RunOptions,
    console: Console,
    more: Additional,
) -> ResultFolder:
    for text in folder.read_samples().damage():
        console.print(f"weft: {text}", markup=False, highlight=False, soft_wrap=True)
    if more.budget_s is not None:
        options = replace(options, budget_s=more.budget_s)
    elif more.user_programs is None and manifest.get("status") == "complete":
        raise UsageError(
            what=f"'{folder.path}' is complete",
            why=f"its budget of {options.measuring_budget_s:.0f} s is spent",
            remedy="give it more in all: ./weft resume latest --budget 20m",
        )
    with understood(folder.path):
        manifest["options"]["programs"] = options.to_dict()["programs"]
        manifest |= {
            "run_id": str(manifest["run_id"]),
            "status": "running",
            "measured_s": float(manifest.get("measured_s", 0.0)),
            "resumed_unix_s": [*manifest.get("resumed_unix_s", []), time.time()],
            KEY: [*manifest.get(KEY, [])],
        }
    return _Session(folder, manifest, console, more.after, more.user_programs).run(options)


def _options_in(folder: ResultFolder, manifest: Record) -> RunOptions:
    try:
        return RunOptions.from_dict(manifest["options"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ResultFolderError(
            what=f"cannot continue '{folder.path}'",
            why=f"its manifest.json does not say what was to be measured ({error!r})",
            remedy=f"start a new run: ./weft run; ./weft report {folder.path} shows what is there",
        ) from error


def _estimate(plan: Plan) -> str:
    """Tells the user what is likely to fit; what did not fit is listed at the end."""
    launch_s = round_s(plan.tasks, CostModel(plan.sampling))
    launches = int(plan.budget_s / launch_s) if launch_s > 0.0 else 0
    text = f"an estimate: {launch_s:.0f} s for a launch of every cell, so "
    text += f"{launches} of each fit" if launches else "not all fit"
    if plan.deferred:
        text += f"; {len(plan.deferred)} cells are left out"
    if plan.deferred or not launches:
        minutes = math.ceil(plan.needed_s / 60.0)
        text += f"\n  -> for three launches of all: ./weft resume latest --budget {minutes}m"
    return text


def raise_for_outcome(folder: ResultFolder) -> None:
    """Raises `Interrupted` or `WrongAnswerFound` if the run ended that way."""
    error = _outcome(folder)
    if error is not None:
        raise error


def _outcome(folder: ResultFolder) -> WeftError | None:
    manifest = folder.read_manifest()
    if manifest["status"] == "interrupted":
        named = manifest["options"].get("programs")
        programs = f" --programs {shlex.quote(named)}" if named else ""
        return Interrupted(
            what="stopped on request",
            why="what was measured is kept",
            remedy=f"continue with: ./weft resume {shlex.quote(str(folder.path))}{programs}",
        )
    num_wrong = manifest.get("num_wrong", 0)
    if num_wrong:
        return WrongAnswerFound(
            what=f"{num_wrong} cells computed a wrong answer",
            why="they were not timed; everything else was",
            remedy=f"see which in {folder.skipped_path}",
        )
    return None


class _Session:
    """The stages of one run over one folder."""

    def __init__(
        self,
        folder: ResultFolder,
        manifest: Record,
        console: Console,
        after: After | None,
        user_programs: UserPrograms | None,
    ) -> None:
        self._after = after
        self._user_programs = user_programs
        self._folder = folder
        self._manifest = manifest
        self._console = console
        self._skips: list[Skip] = []
        self._is_resumed = "resumed_unix_s" in manifest
        self._has_planned = False

    def run(self, options: RunOptions) -> ResultFolder:
        with (
            StopSignal() as stop,
            RunProgress(self._console) as progress,
            Neighbours(progress.say) as neighbours,
        ):
            self._neighbours = neighbours
            try:
                with understood(self._folder.path) if self._is_resumed else nullcontext():
                    self._run_stages(options, stop, progress)
            except Interrupted:
                self._close("interrupted")
            except WeftError:
                if self._has_planned:
                    self._close("failed")
                elif not self._is_resumed:
                    self._folder.discard()
                raise
        return self._folder

    def _run_stages(self, options: RunOptions, stop: StopSignal, progress: RunProgress) -> None:
        toolbox = self._gather(options, stop, progress)
        self._skips += toolbox.skips
        self._tell_not_built(options, toolbox, progress)
        self._describe(toolbox)
        plan = self._plan(options, toolbox)
        self._has_planned = True
        self._folder.write_manifest(self._manifest)
        self._folder.point_latest()
        self._tell_plan(plan, len(toolbox.programs), progress)
        self._tell_oversubscription(plan, progress)
        start_s = time.monotonic()
        with self._folder.append() as writer:
            context = RunContext(
                self._paths(toolbox),
                writer,
                stop,
                progress,
                self._manifest["run_id"],
                int(MEMORY_FRACTION * machine.memory_available_bytes()),
                command_of=self._user_programs.command if self._user_programs else None,
                grace_s=self._user_programs.grace_s if self._user_programs else 0.0,
            )
            self._write_programs(writer, toolbox)
            was_stopped = self._measure(plan, toolbox, context, options)
        self._manifest["measured_s"] = (
            self._manifest.get("measured_s", 0.0) + time.monotonic() - start_s
        )
        if self._after is not None and not was_stopped:
            self._after(Finished(self._folder, options, plan.budget_s, progress.say))
        self._finish("interrupted" if was_stopped else "complete", progress)

    def _gather(self, options: RunOptions, stop: StopSignal, progress: RunProgress) -> Toolbox:
        """Programs, built if necessary. Errors: also `Interrupted`; nothing is measured then."""
        if (user_programs := self._user_programs) is not None:
            return Toolbox(
                list(user_programs.programs), user_programs.bandwidth, built_machine_program()
            )

        def on_build(done: int, total: int, what: str) -> None:
            if stop.requested:
                raise Interrupted(what="stopped on request while building")
            progress.on_build(done, total, what)

        try:
            toolbox = gather(options, on_build)
        except MissingError:
            # Ctrl-C reaches the compiler too; a target that then failed is not missing.
            if not stop.requested:
                raise
        if stop.requested:
            raise Interrupted(what="stopped on request while building")
        return toolbox

    def _describe(self, toolbox: Toolbox) -> None:
        self._manifest["machine"] = machine.describe(toolbox.machine)
        self._manifest["software"] = machine.software()
        programs = {program.variant: program.record for program in toolbox.programs}
        with understood(self._folder.path):
            self._refuse_other_programs(programs)
        self._manifest["programs"] = programs

    def _refuse_other_programs(self, programs: dict[str, Record]) -> None:
        for variant, before in self._manifest.get("programs", {}).items():
            now = programs.get(variant)
            changed = [
                f
                for f in ("compiler", "flags", "executable_bytes")
                if now is None or now[f] != before[f]
            ]
            if changed:
                raise ResultFolderError(
                    what=f"cannot continue '{self._folder.path}'",
                    why=f"{variant} is not the program it began with ({', '.join(changed)} differ)",
                    remedy="start a new run: ./weft run; or name its programs: --programs FOLDER",
                )

    def _plan(self, options: RunOptions, toolbox: Toolbox) -> Plan:
        if self._user_programs is not None:
            plan = self._user_programs.plan
        elif "plan" in self._manifest:
            with understood(self._folder.path):
                plan = Plan.from_dict(self._manifest["plan"])
            variants = [program_of(task.variant) for task in plan.tasks]
            check_names("variant", variants, (each.variant for each in toolbox.programs))
            plan = plan.refitted(options.measuring_budget_s)
        else:
            plan = make_plan(options, toolbox.offers(), machine.for_plan())
        self._manifest["plan"] = plan.to_dict()
        self._manifest["needed_s"] = plan.needed_s
        self._skips += plan.skips
        if not plan.tasks:
            raise UsageError(
                what="there is nothing to measure",
                why=plan.skips[0].message if plan.skips else "no program offers what was chosen",
                remedy=plan.skips[0].remedy if plan.skips else "./weft list shows what there is",
            )
        return plan

    def _tell_plan(self, plan: Plan, num_programs: int, progress: RunProgress) -> None:
        place = f"into {self._folder.path} (Ctrl-C keeps what is measured)"
        if self._user_programs is not None:
            num, limit = len(plan.tasks), plan.rounds_max
            what = f"{num} cell{'' if num == 1 else 's'}"
            what += f" with {num_programs} program{'' if num_programs == 1 else 's'}"
            often = f", {limit} launch{'' if limit == 1 else 'es'} of each" if limit else ""
            progress.say(f"measuring {what}, at most {plan.budget_s:.0f} s{often}, {place}")
            return
        progress.say(
            f"measuring {len(plan.tasks)} cells with {num_programs} programs for "
            f"{plan.budget_s:.0f} s {place}"
        )
        progress.say(_estimate(plan))

    def _tell_not_built(self, options: RunOptions, toolbox: Toolbox, progress: RunProgress) -> None:
        """At once and with the reason if backends are named: otherwise other backends take their
        place."""
        if options.backend:
            for skip in toolbox.skips:
                progress.say(f"not measured: {skip.message}\n  -> {skip.remedy}")

    def _tell_oversubscription(self, plan: Plan, progress: RunProgress) -> None:
        cpus = machine.cpus_usable()
        counts = sorted({task.cell.threads for task in plan.tasks if task.cell.threads > cpus})
        if counts:
            progress.say(
                f"{', '.join(map(str, counts))} threads are more than the {cpus} CPUs usable here: "
                "measured, labelled oversubscribed, never recommended"
            )

    def _paths(self, toolbox: Toolbox) -> dict[str, Any]:
        probe = {toolbox.bandwidth.variant: toolbox.bandwidth.path} if toolbox.bandwidth else {}
        return {**probe, **toolbox.paths()}

    def _write_programs(self, writer: SampleWriter, toolbox: Toolbox) -> None:
        for program in toolbox.programs:
            writer.write(
                {**program.record, "variant": program.variant, "run_id": self._manifest["run_id"]}
            )

    def _measure(
        self, plan: Plan, toolbox: Toolbox, context: RunContext, options: RunOptions
    ) -> bool:
        """Whether the user stopped the run."""
        start_s = context.clock()
        records = self._folder.read_samples().records
        spent_s = sum(float(record.get("took_s", 0.0)) for record in records)
        launch, was_stopped = self._probe(plan, toolbox, context, records)
        if was_stopped:
            return True
        ledger = Ledger(plan, CostModel(plan.sampling))
        ledger.replay(records)
        ledger.launch = max(ledger.launch, launch)
        runner = Runner(ledger, context, plan.budget_s - spent_s - (context.clock() - start_s))
        runner.run()
        self._skips += runner.skips
        self._manifest["rounds"] = ledger.round
        self._manifest["num_wrong"] = ledger.num_wrong
        return runner.was_stopped

    def _probe(
        self, plan: Plan, toolbox: Toolbox, context: RunContext, records: Sequence[Record]
    ) -> tuple[int, bool]:
        """Measures the bandwidth unless an earlier part of the run did; returns the number of the
        last launch."""
        if toolbox.bandwidth is None and self._user_programs is not None:
            return 0, False
        if toolbox.bandwidth is None:
            self._skips.append(
                Skip(
                    "not_built",
                    "memory bandwidth was not measured: weft_bandwidth is not there",
                    "build it: cmake --build build/bench --target weft_bandwidth",
                    suite=bandwidth.SUITE,
                )
            )
            return 0, False
        probe = bandwidth.probe_plan(
            toolbox.bandwidth,
            machine.for_plan(),
            machine.last_level_cache_bytes(),
            PROBE_BUDGET_FRACTION * plan.budget_s,
            bandwidth.ROOFS if self._user_programs is not None else None,
        )
        ledger = Ledger(probe, CostModel(probe.sampling))
        ledger.replay(records)
        runner = Runner(ledger, context, probe.budget_s)
        runner.run()
        return ledger.launch, runner.was_stopped

    def _finish(self, status: str, progress: RunProgress) -> None:
        from weft_lab.advice.findings import write_advice

        records = self._folder.read_samples().records
        self._manifest["bandwidth"] = bandwidth.bandwidths(records)
        self._manifest["operation_rates"] = bandwidth.operation_rates(records)
        self._manifest["cache_bytes_per_s"] = bandwidth.cache_bytes_per_s(records)
        self._close(status, records)
        write_advice(self._folder, records, self._manifest)
        skips = merge_skips(self._skips, records)
        if skips or self._user_programs is None:
            progress.say(skips_line(skips, self._folder.skipped_path))

    def _close(self, status: str, records: Sequence[Record] = ()) -> None:
        skips = [skip.to_dict() for skip in merge_skips(self._skips, records)]
        self._folder.write_json(
            self._folder.skipped_path.name, {"schema": SCHEMA, "skipped": skips}
        )
        self._manifest |= {
            "status": status,
            "finished_unix_s": time.time(),
            KEY: [*self._manifest.get(KEY, []), *self._neighbours.met()],
        }
        self._folder.write_manifest(self._manifest)

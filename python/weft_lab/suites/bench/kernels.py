# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench kernel.cpp`: the programs of a kernel as contestants, and their plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from weft_lab.errors import UsageError
from weft_lab.machine.facts import cpus_usable
from weft_lab.measuring.costs import Sampling, Task
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Plan
from weft_lab.measuring.process import ENDED_SILENTLY, BenchProcess, Reply
from weft_lab.measuring.programs import Program
from weft_lab.measuring.progress import RunProgress
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.session import UserPrograms
from weft_lab.storage.store import Record
from weft_lab.suites.bench.asked import SUITE, TOOLCHAIN, Asked, Contestant, Metric
from weft_lab.suites.bench.kernel_building import Built, Kernel, Wish, build, built_in
from weft_lab.suites.bench.results import BYTES_RATE, OPERATIONS_RATE

SUFFIXES = (".cpp", ".cc", ".cxx")
SIZE = "n"
SIZES = tuple(str(1 << exponent) for exponent in (10, 15, 20))
EVERY_AXIS = ("size", "type", "backend")
SAMPLING = Sampling("robust", 10, 1000, 0.02, 0.5)
# One call at the smallest size shows what a backend lacks.
TRIAL = Sampling("robust", 1, 1, 0.0, 0.0)
TIMEOUT_S = 60.0
# Fields of a record that the kernel's file may provide.
METRICS = {
    "bytes_min": Metric(BYTES_RATE, "GB/s", ""),
    "operations": Metric(OPERATIONS_RATE, "Gop/s", ""),
}


def is_kernel(words: Sequence[str]) -> bool:
    """Whether the command line names a C++ source in place of a program."""
    return len(words) == 1 and words[0].endswith(SUFFIXES)


def asked_of_kernel(given: Asked, backends: Sequence[str], console: Console) -> tuple[Asked, Built]:
    """Builds the file `given.kernel`, and tries each of its programs.

    Errors: `UsageError` for a file that is not there or does not compile, and for a wrong option.
    """
    source = Path(given.kernel)
    if not source.is_file():
        what = f"cannot compile '{given.kernel}'"
        raise UsageError(what, "no such file", "check its spelling")
    given = _with_axes(given)
    with RunProgress(console) as progress:
        built = build(Wish(source.absolute(), tuple(backends)), progress.on_build)
    return _asked_of(built, given)


def asked_of_folder(given: Asked, backends: Sequence[str], folder: Path) -> tuple[Asked, Built]:
    """As `asked_of_kernel`, of the bench `given.kernel` in the build folder of another project."""
    wish = Wish(folder, tuple(backends))
    wish.check()
    name, built = built_in(folder, given.kernel, wish)
    return _asked_of(built, _with_axes(replace(given, kernel=name)))


def _with_axes(given: Asked) -> Asked:
    """With default values. Errors: `UsageError` for parameters that a kernel has not."""
    given = replace(
        given,
        threads=given.threads or tuple(sorted({1, cpus_usable()})),
        params=given.params or ((SIZE, SIZES),),
    )
    if given.size_name != SIZE or len(given.params) > 1:
        what = "a kernel has one parameter, n, whole numbers from 1 on"
        raise UsageError(what, "its inputs are made for n", "type for example --param n=2^10..2^20")
    return given


def _asked_of(built: Built, given: Asked) -> tuple[Asked, Built]:
    built.kernels, metrics = _tried(built, given)
    if not built.kernels:
        what = f"no backend can run '{given.kernel}'"
        why = "; ".join(f"{name} {reason}" for name, reason in built.left_out.items())
        remedy = "name others: --backend seq,weft"
        if any(ENDED_SILENTLY in reason for reason in built.left_out.values()):
            remedy = "let main return weft::bench::run(argc, argv, make, kernel), see docs/bench.md"
        raise UsageError(what, why or "none was built", remedy)
    asked = replace(
        given,
        contestants=tuple(Contestant(each.name, (given.kernel,)) for each in built.kernels),
        metrics=metrics,
        serial=tuple(each.name for each in built.kernels if each.is_serial),
        left_out=tuple(built.left_out.items()),
    )
    return asked, built


def kernel_programs(
    asked: Asked, built: Built, options: RunOptions, timeout_s: float | None
) -> UserPrograms:
    """The programs and their plan, for the lab's session. The machine's roofs are measured, too,
    where the kernel's file says how many bytes a call moves.
    """
    tasks = [
        Task(contestant.variant, cell)
        for contestant in asked.contestants
        for cell, _ in asked.cells(contestant)
    ]
    plan = Plan(
        tuple(tasks),
        SAMPLING,
        options.seed,
        options.measuring_budget_s,
        options.rounds_max,
        timeout_s or TIMEOUT_S,
        named=EVERY_AXIS,
    )
    commands = {f"{each.name}@{TOOLCHAIN}": each.command for each in built.kernels}
    has_roofs = METRICS["bytes_min"] in asked.metrics
    bandwidth = built.bandwidth if has_roofs else None
    if bandwidth is not None:
        commands[bandwidth.variant] = [str(bandwidth.path), "--stream"]

    def command(block: Block) -> list[str]:
        return [*commands[block.variant], "--threads", str(block.threads)]

    programs = tuple(Program(each.program.path, _record(each)) for each in built.kernels)
    return UserPrograms(programs, plan, command, 0.0, {SUITE: asked.to_dict()}, bandwidth=bandwidth)


def _record(kernel: Kernel) -> Record:
    return {**kernel.program.record, "backend": kernel.name, "toolchain": TOOLCHAIN}


def _tried(built: Built, asked: Asked) -> tuple[list[Kernel], tuple[Metric, ...]]:
    """The backends that have everything the kernel calls, seq first, and the rates that its bytes
    and operations define. A wrong answer stays: the run reports it."""
    kept, records = list[Kernel](), list[Record]()
    for kernel in built.kernels:
        record = _trial(kernel, asked)
        if record.get("status") == "skipped":
            told = str(record["message"])
            built.left_out[kernel.name] = told.removeprefix(f"{kernel.program.record['backend']} ")
        else:
            kept.append(kernel)
            records.append(record)
    kept.sort(key=lambda each: not each.is_serial)
    known = (key for key in METRICS if any(record.get(key) for record in records))
    return kept, tuple(METRICS[key] for key in known)


def _trial(kernel: Kernel, asked: Asked) -> Record:
    """The record of one call at the smallest size; empty for a program that does not answer."""
    cell, _ = min(asked.cells(), key=lambda each: each[0].size)
    request = {**cell.to_dict(), "threads": 1, **TRIAL.to_dict(), "probe": "no"}
    with BenchProcess([*kernel.command, "--threads", "1"]) as process:
        process.read_record(TIMEOUT_S)
        answer = process.ask(request, TIMEOUT_S)
    return answer.record if isinstance(answer, Reply) else {}

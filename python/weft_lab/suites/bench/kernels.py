# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench kernel.cpp`: the file compiled for every backend and compiler, and its programs as
contestants.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from weft_lab.errors import MissingError, UsageError
from weft_lab.machine.facts import cpus_usable
from weft_lab.machine.toolchains import CLANG, GCC, Toolchain
from weft_lab.measuring.costs import Sampling, Task
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Plan
from weft_lab.measuring.process import BenchProcess, Reply
from weft_lab.measuring.programs import Builder, Program, find_in
from weft_lab.measuring.progress import RunProgress
from weft_lab.measuring.rounds import Block
from weft_lab.measuring.session import Brought
from weft_lab.storage.cells import split_list
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.suites.bench.asked import (
    PROBLEM,
    SUITE,
    TOOLCHAIN,
    Asked,
    Contestant,
    Metric,
)

SUFFIXES = (".cpp", ".cc", ".cxx")
COMPILERS = (GCC, CLANG)
SIZE = "n"
SIZES = tuple(str(1 << exponent) for exponent in (10, 15, 20))
SERIAL = "seq"
VARIANTS = "variants"
EVERY_AXIS = ("size", "type", "backend")
SAMPLING = Sampling("robust", 10, 1000, 0.02, 0.5)
# One call at the smallest size says what a backend lacks.
TRIAL = Sampling("robust", 1, 1, 0.0, 0.0)
TIMEOUT_S = 60.0
TRIAL_TIMEOUT_S = 60.0
METRICS = {
    "bytes_min": Metric("memory rate", "GB/s", ""),
    "operations": Metric("operation rate", "Gop/s", ""),
}


@dataclass(frozen=True)
class Kernel:
    """A built program of the kernel. `name`: as contestant; `variant`: of the user's own hand."""

    name: str
    program: Program
    variant: str = ""

    @property
    def command(self) -> list[str]:
        chosen = ["--variant", self.variant] if self.variant else []
        return [str(self.program.path), *chosen, "--stream"]

    @property
    def is_serial(self) -> bool:
        return bool(self.program.record["backend"] == SERIAL)


@dataclass
class Built:
    """What could be built of a kernel; `left_out`: names and reasons of what could not."""

    kernels: list[Kernel] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)


def is_kernel(words: Sequence[str]) -> bool:
    """Whether the command line names a C++ source in place of a program."""
    return len(words) == 1 and words[0].endswith(SUFFIXES)


def asked_of_kernel(
    path: str,
    params: tuple[tuple[str, tuple[str, ...]], ...],
    threads: tuple[int, ...],
    chosen: Sequence[str],
    console: Console,
) -> tuple[Asked, list[Kernel]]:
    """Builds the kernel and tries each program. `chosen`: backends, as `weft` or `weft@clang`.

    Errors: `UsageError` for a file that is not there or does not compile, and for a wrong option.
    """
    source = Path(path)
    if not source.is_file():
        raise UsageError(f"cannot compile '{path}'", "no such file", "check its spelling")
    given = Asked(
        (), threads or tuple(sorted({1, cpus_usable()})), params or ((SIZE, SIZES),), kernel=path
    )
    if given.size_name != SIZE or len(given.params) > 1:
        what = "a kernel has one parameter, n, a whole number from 1 on"
        raise UsageError(what, "its inputs are made for n", "type for example --param n=2^10..2^20")
    built = _build(source.absolute(), split_list(chosen), console)
    kernels, metrics = _tried(built, given)
    if not kernels:
        reasons = "; ".join(f"{name}: {why}" for name, why in built.left_out.items())
        raise UsageError(f"no backend can run '{path}'", reasons, "./weft bench needs one at least")
    return (
        replace(
            given,
            contestants=tuple(Contestant(each.name, (path,)) for each in kernels),
            metrics=metrics,
            serial=tuple(each.name for each in kernels if each.is_serial),
            left_out=tuple(built.left_out.items()),
        ),
        kernels,
    )


def brought_kernel(
    asked: Asked, kernels: Sequence[Kernel], options: RunOptions, timeout_s: float | None
) -> Brought:
    """The programs and their plan, for the lab's session."""
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
    commands = {f"{each.name}@{TOOLCHAIN}": each.command for each in kernels}

    def command(block: Block) -> list[str]:
        return [*commands[block.variant], "--threads", str(block.threads)]

    return Brought(
        tuple(Program(each.program.path, _record(each)) for each in kernels),
        plan,
        command,
        0.0,
        {SUITE: asked.to_dict()},
    )


def _record(kernel: Kernel) -> Mapping[str, Any]:
    return {**kernel.program.record, "backend": kernel.name, "toolchain": TOOLCHAIN}


def _build(source: Path, chosen: Sequence[str], console: Console) -> Built:
    """Builds by each compiler that is there, g++ first."""
    key = hashlib.sha256(str(source).encode()).hexdigest()[:8]
    name = f"weft_kernel_{re.sub('[^a-z0-9]', '_', source.stem.lower())}_{key}"
    compilers = [each for each in COMPILERS if each.is_found and _builds(chosen, each)]
    if not compilers:
        raise MissingError("no compiler for the kernel", "g++ is not there", GCC.remedy)
    built = Built()
    with RunProgress(console) as progress:
        for compiler in compilers:
            suffix = f"-{compiler.name}" if len(compilers) > 1 else ""
            _build_by(compiler, source, name, suffix, chosen, built, progress)
    return built


def _builds(chosen: Sequence[str], compiler: Toolchain) -> bool:
    return not chosen or any(each.partition("@")[2] in ("", compiler.name) for each in chosen)


def _build_by(
    compiler: Toolchain,
    source: Path,
    name: str,
    suffix: str,
    chosen: Sequence[str],
    built: Built,
    progress: RunProgress,
) -> None:
    builder = Builder(compiler, defines=[f"-DWEFT_KERNEL={source}", f"-DWEFT_KERNEL_NAME={name}"])
    if tool := builder.missing_tool():
        raise MissingError(f"'{source.name}' cannot be compiled", f"{tool} is not installed")
    remedies = builder.configure()
    known = sorted(
        target.removeprefix(f"{name}_")
        for target in builder.targets()
        if target.startswith(f"{name}_")
    )
    wanted = [each for each in known if _is_chosen(each, chosen, compiler)]
    _check_chosen(chosen)
    # What the sequential program does not compile, none does: one error is enough.
    errors = builder.build([f"{name}_{SERIAL}"], progress.on_build)
    if errors:
        raise _does_not_compile(source, builder.log)
    errors = builder.build([f"{name}_{each}" for each in wanted], progress.on_build)
    for backend in wanted:
        target = f"{name}_{backend}"
        if target in errors:
            built.left_out[f"{backend}{suffix}"] = f"did not compile: {errors[target]}"
        elif backend == VARIANTS:
            built.kernels += _variants(builder.folder / "bin" / target, suffix)
        else:
            found = find_in(builder.folder / "bin", [target])
            built.kernels += [Kernel(f"{backend}{suffix}", each) for each in found.programs]
            for skip in found.skips:
                built.left_out[f"{backend}{suffix}"] = skip.message
    for backend in sorted(_backends() - set(known)):
        if _is_chosen(backend, chosen, compiler):
            remedy = remedies.get(backend, "./weft doctor says what is missing")
            built.left_out[f"{backend}{suffix}"] = f"is not here: {remedy}"


def _is_chosen(backend: str, chosen: Sequence[str], compiler: Toolchain) -> bool:
    return not chosen or backend in chosen or f"{backend}@{compiler.name}" in chosen


def _backends() -> set[str]:
    return {path.stem for path in (CHECKOUT / "lab" / "bench" / "backends").glob("*.hpp")}


def _check_chosen(chosen: Sequence[str]) -> None:
    for each in chosen:
        if each.partition("@")[0] not in _backends():
            names = ", ".join(sorted(_backends()))
            what = f"'{each}' is no backend of a kernel"
            raise UsageError(what, f"known are {names}", "type for example --backend seq,weft")


def _does_not_compile(source: Path, log: Sequence[str]) -> UsageError:
    """The compiler's first error; where that is in a header, also the line of the user's file that
    led there.
    """
    line = re.compile(rf"{re.escape(str(source))}:(\d+)")
    place = ""
    for text in log:
        if found := line.search(text):
            place = f"{source.name}:{found[1]}"
        if re.search(r"\berror: |undefined reference", text):
            first = text.strip().replace(str(source), source.name)
            told = first if source.name in first or not place else f"{place}: {first}"
            break
    else:
        told = log[-1].strip() if log else "the compiler says nothing"
    return UsageError(f"'{source.name}' does not compile", told, "mend it there")


def _variants(path: Path, suffix: str) -> list[Kernel]:
    """What the file holds of the user's own hand."""
    listed = subprocess.run([path, "--variants"], capture_output=True, text=True, check=False)
    found = []
    for text in listed.stdout.splitlines():
        name = re.sub(r"[^A-Za-z0-9_.+-]", "_", text)
        kernel = Kernel(f"{name}{suffix}", Program(path, {}), text)
        with BenchProcess(kernel.command) as process:
            answer = process.read_record(TRIAL_TIMEOUT_S)
        if isinstance(answer, Reply):
            found.append(replace(kernel, program=Program(path, answer.record)))
    return found


def _tried(built: Built, asked: Asked) -> tuple[list[Kernel], tuple[Metric, ...]]:
    """Those that have all that the kernel calls, and the rates that its bytes and operations make
    known. A wrong answer stays: the run names it.
    """
    cell, _ = min(asked.cells(), key=lambda each: (each[0].size, each[0].threads))
    assert cell.problem == PROBLEM
    request = {**cell.to_dict(), "threads": 1, **TRIAL.to_dict(), "probe": "no"}
    kept, records = [], []
    for kernel in built.kernels:
        with BenchProcess([*kernel.command, "--threads", "1"]) as process:
            process.read_record(TRIAL_TIMEOUT_S)
            answer = process.ask(request, TRIAL_TIMEOUT_S)
        record = answer.record if isinstance(answer, Reply) else {}
        if record.get("status") == "skipped":
            built.left_out[kernel.name] = str(record["message"])
            continue
        kept.append(kernel)
        records.append(record)
    kept.sort(key=lambda each: not each.is_serial)
    known = (key for key in METRICS if any(record.get(key) for record in records))
    return kept, tuple(METRICS[key] for key in known)

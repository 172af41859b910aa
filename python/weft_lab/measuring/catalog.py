# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names that the user may give, checked before anything is built; and the programs with these
names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft_lab.errors import MissingError, UsageError
from weft_lab.machine.toolchains import GCC, TOOLCHAIN_NAMES, TOOLCHAINS, Toolchain
from weft_lab.measuring.bandwidth import SUITE as PROBE_SUITE
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.plan import Offer, Skip
from weft_lab.measuring.programs import Builder, Found, Program, build_programs, find_in, not_built
from weft_lab.storage import axes
from weft_lab.storage.cells import check_names
from weft_lab.storage.checkout import (
    ALL,
    DEFAULT_SUITE,
    EVERY_SUITE,
    SUITES,
    backend_infos,
    backends_in_checkout,
    problems_in_checkout,
)

MACHINE_TARGETS = ("weft_bandwidth", "weft_machine")
BASELINE_BACKEND = "seq"
BUILD_FIRST = (
    "build them: cmake --preset bench && cmake --build build/bench, then type "
    "--programs build/bench/bin; without --programs ./weft run builds what it needs"
)


@dataclass
class Toolbox:
    """The programs of a run. `bandwidth` and `machine` are None if they could not be built."""

    programs: list[Program]
    bandwidth: Program | None = None
    machine: Path | None = None
    skips: list[Skip] = field(default_factory=list)

    def offers(self) -> list[Offer]:
        return [
            Offer(
                p.suite,
                p.variant,
                tuple(p.record["problems"]),
                p.record["backend"] == BASELINE_BACKEND,
            )
            for p in self.programs
        ]

    def paths(self) -> dict[str, Path]:
        """Path by variant. A run holds one suite per variant name."""
        return {program.variant: program.path for program in self.programs}


def check_options(options: RunOptions) -> None:
    """Rejects unknown suites, problems and backends before a build is started for them."""
    for name in options.backend:
        _check_form(name)
    for own in [axes.of(suite) for suite in options.suite if len(options.suite) == 1]:
        if own.types:
            check_names(f"type of the suite {own.name}", options.type, own.types)
        if own.allocators:
            check_names(f"allocator of the suite {own.name}", options.allocator, own.allocators)
    if options.programs is None:
        _check_names_in_checkout(options)
    elif not options.programs.is_dir():
        raise MissingError(
            what=f"no folder '{options.programs}'",
            why="--programs names a folder of bench programs",
            remedy=BUILD_FIRST,
        )


def _check_form(name: str) -> None:
    backend, at, toolchain = name.partition("@")
    if not backend or (at and not toolchain):
        raise UsageError(
            what=f"'{name}' names no {'toolchain' if backend else 'backend'}",
            why="what one toolchain built is called backend@toolchain",
            remedy=f"type for example --backend {backend or 'gnu'}@{toolchain or 'clang'}; "
            "./weft list shows every name",
        )


def _check_suite(wanted: Sequence[str], known: Sequence[str]) -> None:
    check_names("suite", wanted, known)
    if len(wanted) > 1:
        raise UsageError(
            what=f"a run holds one suite, not {' and '.join(wanted)}",
            why="backends of the same name in two suites are two programs",
            remedy=f"type --suite {wanted[0]}, then start another run for the next",
        )


def _check_names_in_checkout(options: RunOptions) -> None:
    _check_suite(options.suite, EVERY_SUITE)
    problems = [name for suite in options.suite for name in problems_in_checkout(suite)]
    check_names("problem", options.only, [*problems, ALL])
    known = [name for suite in options.suite for name in backends_in_checkout(suite)]
    check_names("backend", [_backend_of(name) for name in options.backend], known)
    named = [name.split("@", 1) for name in options.backend if "@" in name]
    check_names("toolchain", [toolchain for _, toolchain in named], TOOLCHAIN_NAMES)
    for backend, toolchain in named:
        _check_can_build(backend, toolchain)


def _check_can_build(backend: str, toolchain: str) -> None:
    only = only_toolchain(backend)
    if only not in (None, toolchain):
        raise UsageError(
            what=f"backend '{backend}' cannot be built by {toolchain}",
            why=f"it exists for {only} only",
            remedy=f"type --backend {backend}",
        )


def gather(options: RunOptions, progress: Callable[[int, int, str], None]) -> Toolbox:
    """The programs that the options need, built unless a folder of programs is given.

    Errors: `MissingError` if there is no program to measure with.
    """
    toolbox = (
        _from_folder(options, options.programs)
        if options.programs
        else _from_checkout(options, progress)
    )
    if not toolbox.programs:
        why = "; ".join(skip.message for skip in toolbox.skips)
        raise MissingError(
            what="there is nothing to measure with",
            why=why or f"{_place(options.programs)} no bench program of what was chosen",
            remedy=toolbox.skips[0].remedy if toolbox.skips else BUILD_FIRST,
        )
    return toolbox


def _place(programs: Path | None) -> str:
    return "this checkout builds" if programs is None else f"'{programs}' holds"


def _from_folder(options: RunOptions, folder: Path) -> Toolbox:
    found = find_in(folder, _bench_names(folder))
    offered = _of_suite(options, [p for p in found.programs if p.suite != PROBE_SUITE])
    _check_against(options, offered)
    chosen = [p for p in offered if _is_chosen(options.backend, p)]
    bandwidth = next((p for p in found.programs if p.path.name == "weft_bandwidth"), None)
    machine = folder / "weft_machine"
    return Toolbox(chosen, bandwidth, machine if machine.is_file() else None, found.skips)


def _of_suite(options: RunOptions, programs: Sequence[Program]) -> list[Program]:
    """The programs of the requested suite; without a request, of the folder's only suite."""
    suites = sorted({program.suite for program in programs})
    is_only_one_meant = options.suite == (DEFAULT_SUITE,) and len(suites) == 1
    wanted = suites if is_only_one_meant or not suites else options.suite
    _check_suite(wanted, suites)
    return [program for program in programs if program.suite in wanted]


def _bench_names(folder: Path) -> list[str]:
    return sorted(
        path.name
        for path in folder.glob("weft_*")
        if path.is_file() and path.name != "weft_machine"
    )


def _check_against(options: RunOptions, programs: Sequence[Program]) -> None:
    if not programs:
        return
    problems = [name for p in programs for name in p.record["problems"]]
    check_names("problem", options.only, [*problems, ALL])
    check_names(
        "backend",
        [_backend_of(name) for name in options.backend],
        (p.record["backend"] for p in programs),
    )
    check_names("variant", map(_variant_of, options.backend), (p.variant for p in programs))


def _from_checkout(options: RunOptions, progress: Callable[[int, int, str], None]) -> Toolbox:
    found = Found([], [])
    for toolchain in TOOLCHAINS:
        wanted = [
            (suite, name)
            for suite in options.suite
            for name in backends_in_checkout(suite)
            if _is_wanted(options, name, toolchain)
        ]
        if wanted:
            part = _build(toolchain, wanted, progress)
            found.programs += part.programs
            found.skips += part.skips
    found.skips += _left_out_of_quick(options)
    bandwidth = next((p for p in found.programs if p.path.name == "weft_bandwidth"), None)
    return Toolbox(
        [p for p in found.programs if p is not bandwidth],
        bandwidth,
        built_machine_program(),
        found.skips,
    )


def built_machine_program() -> Path | None:
    """Returns the program `weft_machine`, which describes the machine, if it is built here."""
    machine = Builder(GCC).folder / "bin" / "weft_machine"
    return machine if machine.is_file() else None


def _build(
    toolchain: Toolchain,
    wanted: Sequence[tuple[str, str]],
    progress: Callable[[int, int, str], None],
) -> Found:
    """Without a working compiler, only its own programs are missing; except g++, which builds the
    baseline."""
    try:
        extra = MACHINE_TARGETS if toolchain is GCC else ()
        return build_programs(toolchain, wanted, progress, extra)
    except MissingError as error:
        if toolchain is GCC:
            raise
        why = f"{error.what}: {error.why}"
        return Found([], [not_built(toolchain, wanted, why, error.remedy)])


def only_toolchain(backend: str) -> str | None:
    """The only toolchain that can build it; None if every one can."""
    infos = (backend_infos(suite).get(backend) for suite in SUITES)
    return next((info.toolchain for info in infos if info and info.toolchain), None)


def _backend_of(name: str) -> str:
    return name.partition("@")[0]


def _variant_of(name: str) -> str:
    """The variant that `--backend name` selects: without a toolchain, the default one that builds
    it."""
    return name if "@" in name else f"{name}@{only_toolchain(name) or GCC.name}"


def _is_wanted(options: RunOptions, backend: str, toolchain: Toolchain) -> bool:
    if options.backend:
        return _is_named(options.backend, backend, toolchain.name)
    only = only_toolchain(backend)
    if only is not None:
        return toolchain.name == only and options.tier != "quick"
    return toolchain is GCC or options.tier == "full"


def _is_named(chosen: Sequence[str], backend: str, toolchain: str) -> bool:
    # The baseline and its A/A control are part of every run, for speed-ups and the noise floor.
    if backend == BASELINE_BACKEND and toolchain == GCC.name:
        return True
    return f"{backend}@{toolchain}" in map(_variant_of, chosen)


def _is_chosen(chosen: Sequence[str], program: Program) -> bool:
    backend, toolchain = str(program.record["backend"]), str(program.record["toolchain"])
    return not chosen or _is_named(chosen, backend, toolchain)


def _left_out_of_quick(options: RunOptions) -> list[Skip]:
    if options.tier != "quick" or options.backend:
        return []
    return [
        Skip(
            "not_built",
            f"--quick builds with g++ only, {name} exists for {only} only",
            f"./weft run --backend {name}",
            suite=suite,
            variant=f"{name}@{only}",
        )
        for suite in options.suite
        for name in backends_in_checkout(suite)
        if (only := only_toolchain(name)) is not None
    ]

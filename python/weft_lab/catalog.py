# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names the user may ask for, checked before anything is built; and the programs that answer to
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from weft_lab.cells import check_names
from weft_lab.errors import MissingError
from weft_lab.options import RunOptions
from weft_lab.plan import Offer, Skip
from weft_lab.programs import Builder, Found, Program, build_programs, find_in
from weft_lab.suites import SUITES, backends_in_checkout, problems_in_checkout

MACHINE_TARGETS = ("weft_bandwidth", "weft_machine")
BASELINE_BACKEND = "seq"
ALL_TOOLCHAINS = ("gcc", "clang")


@dataclass
class Toolbox:
    """The programs of a run. `bandwidth` and `machine` are None when they could not be had."""

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
    """Refuses unknown suites, problems and backends before a build is started for them."""
    if options.programs is not None:
        return
    check_names("suite", options.suite, SUITES)
    check_names(
        "problem", options.only, (p for suite in options.suite for p in problems_in_checkout(suite))
    )
    known = [name for suite in options.suite for name in backends_in_checkout(suite)]
    check_names("backend", [_backend_of(name) for name in options.backend], known)
    check_names("toolchain", _toolchains_named(options.backend), ALL_TOOLCHAINS)


def gather(options: RunOptions, progress: Callable[[int, int, str], None]) -> Toolbox:
    """The programs the options need, built unless a folder of programs is given.

    Errors: `MissingError` when there is nothing at all to measure with.
    """
    toolbox = (
        _from_folder(options, options.programs)
        if options.programs
        else _from_checkout(options, progress)
    )
    if not toolbox.programs:
        reasons = "; ".join(skip.message for skip in toolbox.skips) or "no bench program was found"
        remedy = toolbox.skips[0].remedy if toolbox.skips else "./weft doctor says what is missing"
        raise MissingError(what="there is nothing to measure with", why=reasons, remedy=remedy)
    return toolbox


def _from_folder(options: RunOptions, folder: Path) -> Toolbox:
    if not folder.is_dir():
        raise MissingError(
            what=f"no folder '{folder}'",
            why="--programs names a folder of bench programs",
            remedy="build them first",
        )
    found = find_in(folder, _bench_names(folder))
    _check_against(options, found.programs)
    suites = (
        options.suite
        if options.suite != ("stl",)
        else tuple({p.suite for p in found.programs} - {"machine"})
    )
    chosen = [p for p in found.programs if p.suite in suites and _is_chosen(options.backend, p)]
    bandwidth = next((p for p in found.programs if p.path.name == "weft_bandwidth"), None)
    machine = folder / "weft_machine"
    return Toolbox(chosen, bandwidth, machine if machine.is_file() else None, found.skips)


def _bench_names(folder: Path) -> list[str]:
    return sorted(
        path.name
        for path in folder.glob("weft_*")
        if path.is_file() and path.name != "weft_machine"
    )


def _check_against(options: RunOptions, programs: Sequence[Program]) -> None:
    suites = {program.suite for program in programs}
    if options.suite != ("stl",):
        check_names("suite", options.suite, sorted(suites))
    check_names("problem", options.only, (name for p in programs for name in p.record["problems"]))
    check_names(
        "backend",
        [_backend_of(name) for name in options.backend],
        (p.record["backend"] for p in programs),
    )


def _from_checkout(options: RunOptions, progress: Callable[[int, int, str], None]) -> Toolbox:
    found = Found()
    bin_folder: Path | None = None
    for toolchain in _toolchains(options):
        wanted = [
            (suite, name)
            for suite in options.suite
            for name in backends_in_checkout(suite)
            if _is_wanted(options.backend, name, toolchain)
        ]
        extra = MACHINE_TARGETS if toolchain == "gcc" else ()
        part = build_programs(toolchain, wanted, progress, extra)
        found.programs += part.programs
        found.skips += part.skips
        bin_folder = bin_folder or Builder(toolchain).folder / "bin"
    bandwidth = next((p for p in found.programs if p.path.name == "weft_bandwidth"), None)
    machine = bin_folder / "weft_machine" if bin_folder else None
    return Toolbox(
        [p for p in found.programs if p is not bandwidth],
        bandwidth,
        machine if machine and machine.is_file() else None,
        found.skips,
    )


def _toolchains(options: RunOptions) -> list[str]:
    named = set(_toolchains_named(options.backend))
    uses_all = options.tier == "full" and not options.backend
    return [name for name in ALL_TOOLCHAINS if name == "gcc" or name in named or uses_all]


def _toolchains_named(backends: Iterable[str]) -> list[str]:
    return [name.partition("@")[2] for name in backends if "@" in name]


def _backend_of(name: str) -> str:
    return name.partition("@")[0]


def _is_wanted(chosen: Sequence[str], backend: str, toolchain: str) -> bool:
    # The baseline and its A/A control are part of every run: speed-ups and the noise floor need
    # them.
    if not chosen or (backend == BASELINE_BACKEND and toolchain == "gcc"):
        return True
    return f"{backend}@{toolchain}" in chosen or (backend in chosen and toolchain == "gcc")


def _is_chosen(chosen: Sequence[str], program: Program) -> bool:
    return _is_wanted(chosen, str(program.record["backend"]), str(program.record["toolchain"]))

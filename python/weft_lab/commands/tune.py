# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft tune`: measures this machine once, so that programs need not."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from weft_lab.measuring.progress import RunProgress
    from weft_lab.measuring.tuning import Finding, Launch

LAUNCHES_MAX = 9
LAUNCHES_MIN = 6  # fewer cannot agree significantly
PAIRS = 10
WATCHED_S = 0.5
BUSY_MAX = 0.2  # processors that other programs may use without a warning


def command(
    budget: Annotated[
        str, typer.Option(help="Time after which no further launch starts, but for six.")
    ] = "2m",
    output: Annotated[
        Path | None,
        typer.Option(help="Profile to write; default: the one that programs read."),
    ] = None,
) -> None:
    """Measure this machine once, and write a profile that every program with weft reads.

    The profile holds how large ranges are written, what starting and waking workers takes, and how
    many workers read memory as fast as all. WEFT_PROFILE=off ignores it.
    ./weft explain profile shows it.
    Examples: ./weft tune; ./weft tune --output profile.toml
    """
    from rich.console import Console

    from weft_lab.machine.neighbours import Neighbours
    from weft_lab.measuring import tuning
    from weft_lab.measuring.options import parse_budget
    from weft_lab.measuring.progress import RunProgress
    from weft_lab.notices import warn
    from weft_lab.pages.profile_table import print_benefits, print_findings

    budget_s = parse_budget(budget)
    console = Console(highlight=False)
    with RunProgress(Console(stderr=True)) as progress, Neighbours(warn):
        program = _built(progress)
        state = tuning.launch(program, "in-force", "")
        file = (output or _default(state)).expanduser().resolve()
        busy = tuning.busy_cpus(WATCHED_S)
        if busy is not None and busy > BUSY_MAX:
            warn(
                f"other programs use {busy:.1f} processors, so times are too long; "
                "repeat ./weft tune when they have ended"
            )
        found = _measured(program, budget_s, progress)
        date = time.strftime("%Y-%m-%d")
        text = tuning.profile_text(found, state["origin"], date)
        tuning.check(program, text)
        kept = tuning.write(text, file)
        rows = tuning.benefits(*_first_calls(program, file, progress))
    print_findings(console, found)
    console.print()
    print_benefits(console, rows)
    if any(row.verdict == "slower" for row in rows):
        warn(f"some first calls are slower with the profile; delete {file}, or measure again")
    console.print(f"\nProfile  {file}", markup=False, soft_wrap=True)
    if kept is not None:
        console.print(f"Before   {kept}", markup=False, soft_wrap=True)
    if file != Path(state["file"]).resolve():
        console.print(
            f"Programs use it if WEFT_PROFILE={file} is set.", markup=False, soft_wrap=True
        )


def _first_calls(
    program: Path, file: Path, progress: RunProgress
) -> tuple[list[Launch], list[Launch]]:
    """Launches without and with the profile, in pairs whose order alternates."""
    from weft_lab.measuring import tuning

    sides: dict[str, list[Launch]] = {"off": [], str(file): []}
    for pair in range(PAIRS):
        progress.on_launch(2, 2 * pair, 2 * PAIRS, "first calls without and with the profile")
        for profile in sorted(sides, reverse=pair % 2 == 1):
            sides[profile].append(tuning.launch(program, "first-calls", profile))
    return sides["off"], sides[str(file)]


def _default(state: Launch) -> Path:
    """Where programs look for a profile."""
    from weft_lab.errors import UsageError

    if not state["file"]:
        raise UsageError(
            what="no program would read the profile",
            why=state["problem"] or "WEFT_PROFILE is off, or there is no home folder",
            remedy="unset WEFT_PROFILE, or name a file: ./weft tune --output profile.toml",
        )
    return Path(state["file"])


def _built(progress: RunProgress) -> Path:
    """Builds the program that measures."""
    from weft_lab.errors import MissingError
    from weft_lab.machine.toolchains import GCC
    from weft_lab.measuring.programs import Builder
    from weft_lab.measuring.tuning import PROGRAM, built

    builder = Builder(GCC)
    tool = builder.missing_tool()
    if tool is not None:
        raise MissingError(
            what=f"{tool} is not installed", remedy="./weft doctor says how to get it"
        )
    builder.configure()
    errors = builder.build([PROGRAM], progress.on_build)
    if errors:
        raise MissingError(what=f"{PROGRAM} did not compile", why=errors[PROGRAM])
    return built(builder.folder / "bin")


def _measured(program: Path, budget_s: float, progress: RunProgress) -> list[Finding]:
    """Launches the program as often as the budget allows, at least five times."""
    from weft_lab.measuring import tuning

    launches = list(_launches(program, budget_s, progress))
    with tempfile.TemporaryDirectory() as folder:
        known = Path(folder) / "timing.toml"
        text = tuning.profile_text(tuning.timing(launches), launches[0]["origin"], "its way")
        known.write_text(text, encoding="utf-8")
        starts = [tuning.launch(program, "start", str(known)) for _ in range(2 * PAIRS)]
    return tuning.findings(launches, [each["start_us"] for each in starts])


def _launches(program: Path, budget_s: float, progress: RunProgress) -> Iterator[Launch]:
    from weft_lab.measuring import tuning

    end = time.monotonic() + 0.8 * budget_s
    for number in range(LAUNCHES_MAX):
        if number >= LAUNCHES_MIN and time.monotonic() > end:
            return
        progress.on_launch(1, number, LAUNCHES_MAX, "memory, stores and workers")
        yield tuning.launch(program, "values", "off")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Proves the tree: lint, builds with both compilers, all tests, sanitizers, browser, docs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from weft_lab.checks.catalog import STAGES, find_stages
from weft_lab.checks.execute import relevant_lines, run_stages
from weft_lab.checks.stage import Stage, StageResult
from weft_lab.suites import CHECKOUT


def command(
    only: Annotated[str, typer.Option(help="Stages to run, comma-separated; see --list.")] = "",
    show: Annotated[bool, typer.Option("--list", help="List the stages and run none.")] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going/--stop", help="Go on after a stage that failed.")
    ] = True,
) -> None:
    """Proves the tree: lint, builds with both compilers, all tests, sanitizers, browser, docs.

    Each stage's output is kept in .weft/log/test-STAGE.log. Exit codes: 0 all passed; 1 a stage
    failed; 2 unknown stage.

    Example: ./weft test --only lint,python
    """
    stages = find_stages([name.strip() for name in only.split(",") if name.strip()])
    console = Console(highlight=False)
    if show:
        console.print(_stage_table(STAGES))
        return
    started_s = time.monotonic()
    results = _run(stages, console, keep_going=keep_going)
    for result in results:
        _print_failure(result, console)
    console.print(_result_table(results, time.monotonic() - started_s))
    num_passed = sum(result.is_passed for result in results)
    console.print(f"{num_passed} passed, {len(results) - num_passed} failed")
    raise typer.Exit(0 if num_passed == len(stages) else 1)


def _run(stages: list[Stage], console: Console, *, keep_going: bool) -> list[StageResult]:
    started_s = time.monotonic()
    with console.status("starting") as status:

        def tell(stage: str, step: str) -> None:
            line = f"{stage}: {step}"
            status.update(line)
            if not console.is_terminal:
                print(f"[{_clock(time.monotonic() - started_s)}] {line}", flush=True)

        return run_stages(stages, CHECKOUT, keep_going=keep_going, tell=tell)


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60:d}:{int(seconds) % 60:02d}"


def _print_failure(result: StageResult, console: Console) -> None:
    if result.is_passed:
        return
    console.rule(f"{result.name}: {', '.join(result.failed_steps)} failed", align="left")
    for line in relevant_lines(result.log.read_text(encoding="utf-8", errors="replace")):
        console.out(f"  {line}", highlight=False)
    console.print(f"  whole log: {result.log}", soft_wrap=True)
    console.print(f"  again:     ./weft test --only {result.name}")


def _result_table(results: list[StageResult], total_s: float) -> Table:
    table = Table("stage", "result", box=None, pad_edge=False)
    table.add_column("min:s", justify="right")
    for result in results:
        verdict = "passed" if result.is_passed else f"FAILED: {', '.join(result.failed_steps)}"
        verdict += "".join(f"\n  not checked: {each}" for each in result.unchecked_steps)
        table.add_row(result.name, verdict, _clock(result.duration_s))
    table.add_row("all", "", _clock(total_s))
    return table


def _stage_table(stages: Sequence[Stage]) -> Table:
    table = Table("stage", "what it proves", box=None, pad_edge=False)
    for stage in stages:
        table.add_row(
            stage.name, stage.purpose + (" (only on request)" if stage.on_request else "")
        )
    return table

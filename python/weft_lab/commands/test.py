# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests this checkout: lint, builds, C++ and Python tests, docs; --all: also sanitizers."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from weft_lab.checks import NAMED, log_of
from weft_lab.checks.unchanged import REASON
from weft_lab.errors import UsageError
from weft_lab.storage.checkout import CHECKOUT

Stage = dict[str, Any]

FAILED = ("failed", "aborted")  # in nox's report: by a command's exit code, by session.error()
TAGS = ("default", "all", "request")


def command(
    only: Annotated[str, typer.Option(help="Stages to run, comma-separated; see --list.")] = "",
    everything: Annotated[bool, typer.Option("--all", help="Run all stages, as CI does.")] = False,
    show: Annotated[bool, typer.Option("--list", help="List the stages and run none.")] = False,
    keep_going: Annotated[
        bool, typer.Option("--keep-going/--stop", help="Continue after a failed stage.")
    ] = True,
) -> None:
    """Tests this checkout: lint, builds, C++ and Python tests, docs; --all: also sanitizers.

    A command that fails shows its errors at once. Each stage's output is kept in
    .weft/log/test-STAGE.log. Exit codes: 0 all passed; 1 a stage failed; 2 unknown stage.

    Example: ./weft test --only lint,python
    """
    console = Console(highlight=False)
    stages = list_stages()
    if show:
        console.print(_stage_table(stages))
        return
    names = find_stages(stages, only, everything=everything)
    results = run_stages(names, keep_going=keep_going, is_named=bool(only.strip()))
    for result in results:
        _print_failure(result, console)
    console.print(_result_table(results))
    num_failed = sum(result["result"] in FAILED for result in results)
    num_failed += len(names) - len(results)
    num_skipped = sum(
        result["result"] == "skipped" and result.get("reason") != REASON for result in results
    )
    num_passed = len(names) - num_failed - num_skipped
    console.print(f"{num_passed} passed, {num_failed} failed, {num_skipped} skipped")
    raise typer.Exit(1 if num_failed else 0)


def list_stages() -> list[Stage]:
    """Returns nox's description of every stage: name, tags, purpose."""
    command = [*_nox(), "--list", "--json", "--tags", *TAGS]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=CHECKOUT)
    stages: list[Stage] = json.loads(done.stdout)
    return stages


def find_stages(stages: list[Stage], only: str, *, everything: bool) -> list[str]:
    """Returns the names of the stages to run, in the order in which noxfile.py has them.

    Errors: `UsageError` for a name that no stage has.
    """
    wanted = [name.strip() for name in only.split(",") if name.strip()]
    names = [stage["name"] for stage in stages]
    for name in wanted:
        if name not in names:
            what = f"no test stage '{name}'"
            raise UsageError(what, f"the stages are {', '.join(names)}", "type ./weft test --list")
    tag = "all" if everything else "default"
    chosen = [stage["name"] for stage in stages if tag in stage["tags"]]
    return [name for name in names if name in (wanted or chosen)]


def run_stages(names: list[str], *, keep_going: bool, is_named: bool = False) -> list[Stage]:
    """Runs the stages and returns nox's report of each: name, result, reason, duration.

    `is_named`: they run even if nothing that they read has changed since they passed.
    """
    report = CHECKOUT / ".weft" / "log" / "test.json"
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    options = ["--report", str(report), *([] if keep_going else ["--stop-on-first-error"])]
    named = ["--", NAMED] if is_named else []
    subprocess.run([*_nox(), *options, "--session", *names, *named], check=False, cwd=CHECKOUT)
    if not report.exists():  # interrupted
        return []
    sessions: list[Stage] = json.loads(report.read_text(encoding="utf-8"))["sessions"]
    return sessions


def _nox() -> list[str]:
    return [sys.executable, "-P", "-m", "nox", "--noxfile", str(CHECKOUT / "noxfile.py")]


def _print_failure(result: Stage, console: Console) -> None:
    log = log_of(result["name"], CHECKOUT)
    if result["result"] not in FAILED or not log.exists():
        return
    console.rule(f"{result['name']} failed", align="left")
    console.print(f"  whole log: {log}", soft_wrap=True)
    console.print(f"  again:     ./weft test --only {result['name']}")


def _result_table(results: list[Stage]) -> Table:
    table = Table("stage", "result", box=None, pad_edge=False)
    table.add_column("min:s", justify="right")
    for result in results:
        verdict = {"success": "passed", "skipped": "not checked"}.get(result["result"], "FAILED")
        if result.get("reason") == REASON:
            verdict = "passed before"
        text = f"{verdict}: {result['reason']}" if result.get("reason") else verdict
        table.add_row(result["name"], text, _clock(result["duration"]))
    table.add_row("all", "", _clock(sum(result["duration"] for result in results)))
    return table


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60:d}:{int(seconds) % 60:02d}"


def _stage_table(stages: list[Stage]) -> Table:
    table = Table("stage", "what it proves", "runs with", box=None, pad_edge=False)
    for stage in stages:
        default = "./weft test" if "default" in stage["tags"] else ""
        named = default or ("--all" if "all" in stage["tags"] else f"--only {stage['name']}")
        table.add_row(stage["name"], stage["description"], named)
    return table

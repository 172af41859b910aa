# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Feeds damaged input to every reader of untrusted data, and keeps each input that breaks one."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from weft_lab.errors import MissingError, UsageError
from weft_lab.storage.checkout import CHECKOUT

SOURCES = CHECKOUT / "tests" / "fuzz"
BUILD = CHECKOUT / "build" / "asan"
STATE = CHECKOUT / ".weft" / "fuzz"  # the useful inputs of each fuzzer, and those that broke it
RESULT_FOLDER = "result_folder"
SUFFIX = "_fuzz"
RUNS = re.compile(r"stat::number_of_executed_units: (\d+)")
KEPT = re.compile(r"Test unit written to (\S+)|^again: .* (\S+)$", re.MULTILINE)
CAUSE = re.compile(r"^(?:SUMMARY: .*|crash: .*|==\d+== ERROR: .*)$", re.MULTILINE)
PATIENCE_S = 120  # added to the time limit, for a fuzzer on a busy machine


@dataclass(frozen=True)
class Fuzzed:
    """The result of one format. `kept`: the inputs that broke its reader."""

    format: str
    num_runs: int
    kept: tuple[Path, ...]
    text: str
    exit_code: int

    @property
    def is_clean(self) -> bool:
        return self.exit_code == 0


def command(
    name: Annotated[str, typer.Argument(metavar="[FORMAT]", help="One format; see --list.")] = "",
    seconds: Annotated[
        float, typer.Option(min=1.0, max=1e6, help="How long to fuzz; shared by all formats.")
    ] = 60.0,
    show: Annotated[bool, typer.Option("--list", help="List the formats and fuzz none.")] = False,
) -> None:
    """Feeds damaged input to every reader of untrusted data, and keeps each input that breaks one.

    Needs clang 19. Inputs that reached new code are kept in .weft/fuzz/corpus, so that the next run
    begins with them. Exit codes: 0 nothing broke; 1 something did; 2 unknown format.

    Example: ./weft fuzz segment --seconds 600
    """
    formats = list_formats()
    if show:
        print(*formats, sep="\n")
        return
    if name and name not in formats:
        what = f"no format '{name}' to fuzz"
        raise UsageError(what, f"the formats are {', '.join(formats)}", "type ./weft fuzz --list")
    chosen = [name] if name else formats
    build(chosen)
    results = fuzz_all(chosen, seconds)
    num_runs = sum(result.num_runs for result in results)
    num_crashes = sum(max(1, len(result.kept)) for result in results if not result.is_clean)
    what = f"format {name}" if name else f"{len(results)} formats"
    print(f"fuzzed {what}: {num_runs:,} runs, {num_crashes} crashes")
    raise typer.Exit(1 if num_crashes else 0)


def list_formats() -> list[str]:
    """The formats that tests/fuzz has a fuzzer for."""
    in_cpp = [path.stem.removesuffix(SUFFIX) for path in SOURCES.glob(f"*{SUFFIX}.cpp")]
    return sorted([*in_cpp, RESULT_FOLDER])


def build(formats: Sequence[str]) -> None:
    """Builds the fuzzers and writes their first inputs.

    Errors: `MissingError` if they cannot be built.
    """
    targets = [f"weft_fuzz_{each}" for each in formats if each != RESULT_FOLDER]
    if not targets:
        return
    if not (BUILD / "build.ninja").is_file():
        _call(["cmake", "--preset", "asan"])
    _call(["cmake", "--build", "--preset", "fuzz", "--target", "weft_fuzz_seeds", *targets])
    _call([str(BUILD / "bin" / "weft_fuzz_seeds"), str(STATE / "seeds")])


def fuzz_all(formats: Sequence[str], seconds: float) -> list[Fuzzed]:
    """Fuzzes two formats at a time if there are two CPUs, and prints the result of each."""
    at_once = min(2, len(os.sched_getaffinity(0)), len(formats))
    share_s = max(1.0, seconds * at_once / len(formats))
    results = []
    with (
        tempfile.TemporaryDirectory(prefix="weft_fuzz_") as scratch,
        ThreadPoolExecutor(at_once) as pool,
    ):
        started = [pool.submit(_fuzz, each, share_s, Path(scratch)) for each in formats]
        for done in as_completed(started):
            _print(done.result())
            results.append(done.result())
    return results


def _fuzz(name: str, seconds: float, scratch: Path) -> Fuzzed:
    crashes = STATE / "crashes"
    crashes.mkdir(parents=True, exist_ok=True)
    line = _python_line(seconds, crashes) if name == RESULT_FOLDER else _line(name, seconds)
    try:
        done = subprocess.run(
            line,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds + PATIENCE_S,
            check=False,
            cwd=CHECKOUT,
            env={**os.environ, "TMPDIR": str(scratch)},
        )
        text, code = done.stdout, done.returncode
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b""
        text, code = said.decode(errors="replace") if isinstance(said, bytes) else said, 1
    kept = tuple(Path(one or other) for one, other in KEPT.findall(text))
    runs = RUNS.search(text)
    return Fuzzed(name, int(runs[1]) if runs else 0, kept, text, code)


def _python_line(seconds: float, crashes: Path) -> list[str]:
    program = [sys.executable, "-P", str(SOURCES / f"{RESULT_FOLDER}.py")]
    return [*program, "--seconds", str(seconds), "--kept", str(crashes)]


def _program(name: str) -> list[str]:
    limits = ["-timeout=10", "-rss_limit_mb=2560", "-malloc_limit_mb=1024"]
    return [str(BUILD / "bin" / f"weft_fuzz_{name}"), *limits]


def _line(name: str, seconds: float) -> list[str]:
    """Runs the fuzzer with the inputs of earlier runs and of the tree."""
    corpus = STATE / "corpus" / name
    corpus.mkdir(parents=True, exist_ok=True)
    given = [folder / name for folder in (STATE / "seeds", SOURCES / "seeds")]
    return [
        *_program(name),
        f"-max_total_time={max(1, round(seconds))}",
        f"-artifact_prefix={STATE / 'crashes'}/{name}-",
        "-print_final_stats=1",
        "-max_len=65536",
        str(corpus),
        *(str(folder) for folder in given if folder.is_dir()),
    ]


def _print(result: Fuzzed) -> None:
    verdict = "no crash" if result.is_clean else "CRASHED"
    print(f"  {result.format:14} {result.num_runs:>10,} runs  {verdict}", flush=True)
    if result.is_clean:
        return
    for line in CAUSE.findall(result.text) or result.text.splitlines()[-10:]:
        print(f"    {line}")
    for path in result.kept:
        again = (
            [sys.executable, "-P", str(SOURCES / f"{RESULT_FOLDER}.py"), str(path)]
            if result.format == RESULT_FOLDER
            else [*_program(result.format), str(path)]
        )
        print(f"    input: {path}", f"    again: {shlex.join(again)}", sep="\n")


def _call(line: Sequence[str]) -> None:
    """Runs a step of the build; its output is shown only if it fails."""
    started = time.monotonic()
    try:
        done = subprocess.run(
            line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            cwd=CHECKOUT,
        )  # fmt: skip
        problem = done.stdout if done.returncode else ""
    except FileNotFoundError as error:
        problem = str(error)
    if problem:
        raise MissingError(
            what="the fuzzers cannot be built",
            why="\n".join(problem.splitlines()[-20:]),
            remedy=f"see all of it with: {shlex.join(line)}; ./weft doctor names what is missing",
        )
    spent_s = time.monotonic() - started
    if spent_s > 1:
        print(f"  built in {spent_s:.0f} s", flush=True)

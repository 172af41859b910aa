# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From the command line of `weft bench` to a measured, shown and compared run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from weft_lab.errors import ResultFolderError, UsageError
from weft_lab.machine.facts import cpus_usable
from weft_lab.measuring.options import RunOptions, check_number, parse_budget
from weft_lab.notices import warn
from weft_lab.pages.compare_table import raise_if_regressed
from weft_lab.pages.markdown import without_images
from weft_lab.storage.cells import parse_threads, split_list
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.bench import baseline, kernels
from weft_lab.suites.bench.asked import (
    SUITE,
    Asked,
    Contestant,
    contestants_of,
    env_of,
    metric_of,
    params_of,
)
from weft_lab.suites.bench.kernel_building import Built
from weft_lab.suites.bench.placement import cpus_of
from weft_lab.suites.bench.suite import SUITE as OWN
from weft_lab.suites.bench.suite import measure_asked

# Enough for intervals of a few percent; --budget alone asks for as many launches as fit.
BUDGET_S = 60.0
ROUNDS = 20
TIMEOUT_MAX_S = 24 * 86400
KINDS = ("code", "file", "regex")
Texts = tuple[str, ...] | None


@dataclass(frozen=True)
class Line:
    """The options as they were typed. `words`: the commands; `contestants`: those of a file, in
    their place.
    """

    words: tuple[str, ...]
    contestants: tuple[Contestant, ...] = ()
    name: str | None = None
    threads: Texts = None
    param: Texts = None
    env: Texts = None
    placement: str = ""
    metric: Texts = None
    expect: Texts = None
    warmup: int = 0
    setup: str = ""
    prepare: str = ""
    cleanup: str = ""
    stdin: Path | None = None
    directory: Path | None = None
    timeout: float | None = None
    budget: str | None = None
    rounds: int | None = None
    seed: int = 42
    results: Path = Path("results")
    baseline: str | None = None
    keep: bool = False
    markdown: bool = False
    fail_if_slower: str | None = None
    resume: Path | None = None
    backend: Texts = None
    build_dir: Path | None = None


# Options of commands; a kernel refuses them.
OF_COMMANDS = (
    *("name", "env", "metric", "expect", "warmup", "setup", "prepare", "cleanup"),
    *("stdin", "directory", "placement", "contestants"),
)


def bench(line: Line) -> None:
    """Measures, prints, writes the page, and compares.

    Errors: every `WeftError`; `RegressionFound` only if something is significantly slower.
    """
    place, limit = _baseline(line)
    folder = measured(line, Console(stderr=True))
    console = Console()
    found = OWN.read(folder.path, warn)
    if line.markdown:
        OWN.show(found)
        console.out(without_images(folder.path), highlight=False)
    else:
        OWN.report(found, console)
    OWN.raise_for_outcome(folder)
    if place is not None:
        _compare(line, place, folder, limit, found.asked.size_name)


def measured(line: Line, console: Console) -> ResultFolder:
    """Measures what a line asks for. Errors: `UsageError` before anything is launched."""
    wanted = options_of(line)
    if line.build_dir is None and not kernels.is_kernel(line.words):
        return measure_asked(asked_of(line), wanted, console, line.resume)
    asked, built = _kernel_of(line, console)
    user_programs = kernels.kernel_programs(asked, built, wanted, line.timeout)
    return measure_asked(asked, wanted, console, line.resume, user_programs)


def _baseline(line: Line) -> tuple[Path | None, float | None]:
    if line.baseline is None:
        for option, given in (("--fail-if-slower", line.fail_if_slower), ("--keep", line.keep)):
            if given:
                why = "there is nothing that the run is compared with"
                what = f"{option} without --baseline"
                raise UsageError(what, why, "type --baseline main, too")
        return None, None
    limit = None if line.fail_if_slower is None else baseline.limit_of(line.fail_if_slower)
    return baseline.place_of(line.baseline, line.results), limit


def _compare(
    line: Line, place: Path, folder: ResultFolder, limit: float | None, size_name: str
) -> None:
    console = Console()
    has_one = place.is_dir()
    compared = None
    if has_one:
        try:
            compared = baseline.compare_with(place, folder, limit)
        except (UsageError, ResultFolderError) as error:
            if not line.keep or limit is not None:
                raise
            warn(f"not compared with baseline '{line.baseline}': {error.what}")
    if compared is not None:
        baseline.show(compared, str(line.baseline), console, as_markdown=line.markdown)
    if line.keep or not has_one:
        folder.point(place.name)
        text = f"kept as baseline '{line.baseline}': the next run is compared with it"
        console.print(text, markup=False, highlight=False)
    if compared is not None and limit is not None:
        raise_if_regressed(compared, size_name)


def options_of(line: Line) -> RunOptions:
    """Without a budget a minute and `ROUNDS` launches of each, whichever is over first."""
    _check_timeout(line.timeout)
    check_number("--warmup", line.warmup)
    budget_s = BUDGET_S if line.budget is None else parse_budget(line.budget)
    rounds = line.rounds or (ROUNDS if line.budget is None else None)
    return RunOptions(
        budget_s=budget_s,
        suite=(SUITE,),
        rounds_max=rounds,
        seed=line.seed,
        results=line.results,
    )


def _check_timeout(timeout_s: float | None) -> None:
    """Errors: `UsageError` for what the kernel cannot wait for: its timer counts 31 bits of ms."""
    if timeout_s is not None and not 0.0 < timeout_s <= TIMEOUT_MAX_S:
        days = TIMEOUT_MAX_S // 86400
        what, why = f"--timeout {timeout_s:g} is wrong", f"{days} days, in seconds, are the most"
        raise UsageError(what, why, "type for example --timeout 60; without it there is none")


def _kernel_of(line: Line, console: Console) -> tuple[Asked, Built]:
    for name in OF_COMMANDS:
        if getattr(line, name):
            why = "a kernel's file says what its inputs are and what is right"
            option = "file" if name == "contestants" else name
            what = f"--{option} is of commands, not of a kernel"
            raise UsageError(what, why, "leave it out")
    if len(line.words) > 1:
        what = f"'{line.words[1]}' is one kernel too many"
        raise UsageError(what, "a run is of one", "type ./weft bench for each")
    threads = tuple(parse_threads(line.threads, cpus_usable()))
    given = Asked((), threads, params_of(line.param or ()), kernel="".join(line.words))
    backends = split_list(line.backend)
    if line.build_dir is not None:
        folder = Path(_existing(line.build_dir, "--build-dir", is_folder=True))
        return kernels.asked_of_folder(given, backends, folder)
    return kernels.asked_of_kernel(given, backends, console)


def asked_of(line: Line) -> Asked:
    """Errors: `UsageError` for any option that is wrong."""
    if line.backend:
        what, why = "--backend is of a kernel, not of commands", "a command is what it is"
        raise UsageError(what, why, "./weft bench kernel.cpp --backend weft")
    code, file, patterns = _expected(line.expect or ())
    threads = tuple(parse_threads(line.threads, cpus_usable()))
    return Asked(
        line.contestants or contestants_of(line.words, line.name),
        threads,
        params_of(line.param or ()),
        env_of(line.env or ()),
        tuple(map(metric_of, line.metric or ())),
        code,
        file,
        patterns,
        line.warmup,
        line.setup,
        line.prepare,
        line.cleanup,
        _existing(line.stdin, "--stdin", is_folder=False),
        _existing(line.directory, "--directory", is_folder=True),
        line.timeout,
        cpus_of(line.placement, threads),
        line.placement,
    )


def _existing(path: Path | None, option: str, *, is_folder: bool) -> str:
    if path is None:
        return ""
    if not (path.is_dir() if is_folder else path.exists() and not path.is_dir()):
        what = f"{option} {path}: there is no such {'folder' if is_folder else 'file'}"
        raise UsageError(what, "every launch would fail", "check its spelling")
    if path.is_fifo():
        what, why = f"{option} {path} is a pipe", "it can be read once, and every launch reads it"
        raise UsageError(what, why, "write it to a file first")
    return str(path.absolute())


def _expected(texts: tuple[str, ...]) -> tuple[int, str, tuple[str, ...]]:
    """Exit code, file and expressions: `3`, a file that is there, anything else; or `code:3`,
    `file:NAME`, `regex:TEXT`.
    """
    code, file, patterns = 0, "", list[str]()
    kinds: list[str] = []
    for text in texts:
        kind, value = _kind_of(text)
        if kind != "regex" and kind in kinds:
            what = f"--expect '{text}' is the second {'file' if kind == 'file' else 'exit code'}"
            raise UsageError(what, "a launch has one", "leave out one of them")
        kinds.append(kind)
        if kind == "code":
            code = _code(value)
        elif kind == "file":
            file = _existing(Path(value), "--expect", is_folder=False)
        else:
            patterns.append(_pattern(value))
    return code, file, tuple(patterns)


def _kind_of(text: str) -> tuple[str, str]:
    kind, colon, value = text.partition(":")
    if colon and kind in KINDS:
        return kind, value
    if text.isdecimal():
        return "code", text
    return ("file" if Path(text).is_file() else "regex"), text


def _code(text: str) -> int:
    if not text.isdecimal() or int(text) > 255:
        what = f"--expect {text} is no exit code"
        raise UsageError(what, "these are 0 to 255", "--expect 1")
    return int(text)


def _pattern(text: str) -> str:
    if not text:
        what, why = "--expect has no text", "an empty expression matches every output"
        raise UsageError(what, why, "type for example --expect 'checksum: 42', or leave it out")
    try:
        re.compile(text.encode())
    except re.error as error:
        what = f"--expect '{text}' is no file and no regular expression"
        raise UsageError(what, str(error), "type for example --expect 'checksum: 42'") from error
    return text

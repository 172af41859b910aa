# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measurements by the lab: `./weft bench` and `./weft report` as calls, and runs as polars frames.

Errors: those of `weft_lab.errors`, each of which says what to do.
"""

from __future__ import annotations

import difflib
import operator
import shlex
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

if TYPE_CHECKING:
    import polars as pl
    from rich.console import Console
    from weft_lab.advice.runs import Run
    from weft_lab.statistics.analysis_types import CellSummary
    from weft_lab.suites.bench.asking import Line

Text = str | int
Texts = Text | Iterable[Text]
Words = str | Sequence[str]
Command = Words | Mapping[str, Words]


class bench_options(TypedDict, total=False):
    """The options of `./weft bench`, by their names there (docs/bench.md).

    Units: a number as `budget` means seconds.
    """

    threads: Texts
    param: Mapping[str, Texts]
    env: Mapping[str, Text]
    placement: str
    metric: Texts
    expect: Texts
    warmup: int
    setup: str
    prepare: str
    cleanup: str
    stdin: Path | str
    directory: Path | str
    timeout: float
    budget: str | float
    rounds: int
    seed: int
    results: Path | str
    backend: Texts


class report_options(TypedDict, total=False):
    """The options of `./weft report`, by their names there."""

    quick: bool
    full: bool
    budget: str | float
    suite: Texts
    only: Texts
    backend: Texts
    size: Texts
    threads: Texts
    type: Texts
    allocator: Texts
    placement: Texts
    smt: Texts
    launch: Texts
    protocol: str
    rounds: int
    seed: int
    hosts: Texts
    results: Path | str
    programs: Path | str


class run:
    """A run of the lab, read from its result folder, which stays as it is."""

    def __init__(self, folder: Path | str) -> None:
        """Errors: `ResultFolderError` for a folder that no run made."""
        from weft_lab.storage.store import ResultFolder

        self._folder = ResultFolder.open(Path(folder))

    def __repr__(self) -> str:
        return f"weft.lab.run({str(self.path)!r})"

    @property
    def path(self) -> Path:
        """The result folder. `report.html` in it is the page."""
        return self._folder.path

    @property
    def manifest(self) -> dict[str, Any]:
        """The record of the measurement: machine, software, options (docs/reference/results.md)."""
        return self._folder.read_manifest()

    def times(self) -> pl.DataFrame:
        """Returns a row for each cell and variant: the median time with its 95 % interval.

        Units: seconds per call, bytes. A cell that has no time has a `status` and a `message`.
        """
        import polars as pl

        rows = [_times_row(each) for each in self._analysed.findings.summaries]
        return pl.DataFrame(rows, schema=_schema(_CELL, _TIMES), orient="row")

    def samples(self) -> pl.DataFrame:
        """Returns a row for each sample, in the order of measurement. Units: seconds per call."""
        import polars as pl
        from weft_lab.storage.cells import Cell

        rows: list[tuple[Any, ...]] = []
        for record in self._analysed.samples.records:
            if record.get("record") == "result":
                cell = Cell.from_dict(record["cell"], record["suite"])
                place = (record["variant"], record["launch"], record["round"])
                rows += [
                    (*_cell_row(cell), *place, number, time_s)
                    for number, time_s in enumerate(record.get("samples_s") or ())
                ]
        return pl.DataFrame(rows, schema=_schema(_CELL, _SAMPLES), orient="row")

    def skipped(self) -> pl.DataFrame:
        """Returns what was not measured, why, and what to do about it."""
        import polars as pl
        from weft_lab.storage.store import SKIP_KEYS

        rows = self._folder.read_skipped("measure again")
        return pl.DataFrame(list(rows), schema=dict.fromkeys(SKIP_KEYS, pl.String))

    def tables(self) -> dict[str, pl.DataFrame]:
        """Returns the tables of the run's report by name; none before there is a report."""
        import polars as pl

        files = sorted((self.path / "tables").glob("*.csv"))
        return {
            file.stem: pl.read_csv(file, infer_schema_length=None, raise_if_empty=False)
            for file in files
        }

    @cached_property
    def _analysed(self) -> Run:
        from weft_lab.advice import runs

        return runs.load(self.path, _warn)


def bench(
    command: Words | Mapping[str, Words],
    *,
    progress: bool = False,
    **options: Unpack[bench_options],
) -> run:
    """Measures commands, as `./weft bench` does, and returns the run, whose page is written.

    `command`: a text, which is split as a shell does it, or a list of words; by names: several
    commands that are compared. A single word that ends in `.cpp` is a kernel, which is compiled
    for every library.
    `progress`: show it on standard error.
    Errors: `WrongAnswerFound` if a launch failed, `Interrupted` after Ctrl-C; the folder is kept.
    """
    from weft_lab.suites.bench import asking
    from weft_lab.suites.bench.suite import SUITE

    _check_options("bench", options, bench_options)
    line = _line(command, options)
    folder = asking.measured(line, _console(shows=progress))
    SUITE.show(SUITE.read(folder.path, _warn))
    SUITE.raise_for_outcome(folder)
    return run(folder.path)


def report(*, progress: bool = False, **options: Unpack[report_options]) -> run:
    """Measures a suite, as `./weft report` does, and returns the run, whose page is written.

    Without options it takes 10 minutes; `quick=True`: 2 minutes. It needs a compiler unless
    `programs` names a folder of bench programs.
    Errors: `WrongAnswerFound`, `Interrupted` after Ctrl-C; the folder is kept.
    """
    from weft_lab import cli_options
    from weft_lab.suites import protocol

    _check_options("report", options, report_options)
    given: dict[str, Any] = {key: _given(key, value) for key, value in options.items()}
    wanted = cli_options.make_options(cli_options.Given(**given))
    suite = protocol.asked(wanted)
    folder = suite.measure(wanted, _console(shows=progress))
    suite.report(suite.read(folder.path, _warn), _console(shows=False))
    suite.raise_for_outcome(folder)
    return run(folder.path)


def read_run(folder: Path | str = "latest") -> run:
    """Reads a result folder; a name, such as `latest`, is one of `results`.

    Errors: `ResultFolderError` for a folder that no run made.
    """
    return run(folder)


_CELL = ("suite", "problem", "type", "size", "threads", "allocator", "placement", "smt")
_TIMES = (
    *("variant", "status", "launches", "time_s", "time_low_s", "time_high_s"),
    *("peak_rss_bytes", "cpu_over_wall", "message"),
)
_SAMPLES = ("variant", "launch", "round", "sample", "time_s")
_WHOLE = {"size", "threads", "launches", "launch", "round", "sample", "peak_rss_bytes"}
_REAL = {"time_s", "time_low_s", "time_high_s", "cpu_over_wall"}
_PATHS = ("results", "programs", "stdin", "directory")
_LISTS = {
    *("suite", "only", "backend", "size", "threads", "type", "allocator", "placement"),
    *("smt", "launch", "hosts"),
}


def _schema(*names: Sequence[str]) -> dict[str, Any]:
    import polars as pl

    def kind(name: str) -> type[pl.DataType]:
        return pl.Int64 if name in _WHOLE else pl.Float64 if name in _REAL else pl.String

    return {name: kind(name) for part in names for name in part}


def _cell_row(cell: Any) -> tuple[Any, ...]:  # noqa: ANN401 - weft_lab is loaded where it is used
    return (cell.suite, cell.label, *(getattr(cell, name) for name in _CELL[2:]))


def _times_row(of: CellSummary) -> tuple[Any, ...]:
    return (*_cell_row(of.cell), *(getattr(of, name) for name in _TIMES))


def _texts(value: Texts) -> list[str]:
    return [str(value)] if isinstance(value, str | int) else [str(each) for each in value]


def _given(key: str, value: Any) -> Any:  # noqa: ANN401 - of any option
    if key in _LISTS:
        return _texts(value)
    if key == "budget" and isinstance(value, int | float):
        return str(value)
    return Path(value) if key in _PATHS else value


def _check_options(call: str, given: Mapping[str, Any], known: type) -> None:
    """Errors: `TypeError` for an option that the call does not have; `UsageError` for less than one
    round, which the command line refuses before the lab sees it.
    """
    from weft_lab.errors import UsageError

    for name in given:
        if name not in known.__annotations__:
            near = difflib.get_close_matches(name, known.__annotations__, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            message = f"{call}() has no option '{name}'{hint}"
            raise TypeError(message)
    rounds = given.get("rounds")
    if rounds is not None and operator.index(rounds) < 1:
        what, why = f"rounds {rounds} is wrong", "every cell is launched once or more"
        raise UsageError(what, why, "type for example rounds=10")


def _split(words: Words) -> list[str]:
    if not isinstance(words, str):
        return [str(word) for word in words]
    try:
        return shlex.split(words)
    except ValueError as error:
        from weft_lab.errors import UsageError

        what = f"'{words}' cannot be split into words"
        raise UsageError(what, str(error), 'pass a list: ["./program", "it\'s"]') from error


def _pairs(key: str, table: Mapping[str, Texts]) -> tuple[str, ...]:
    """`name=value` of each, as the command line has them.

    Errors: `TypeError` if it is not a mapping.
    """
    from weft_lab.errors import UsageError

    if not isinstance(table, Mapping):
        message = f'{key} is a {type(table).__name__}; give a mapping, as in {key}={{"N": 1}}'
        raise TypeError(message)
    for name in table:
        if not name or "=" in name:
            what, why = f"{key} '{name}' is not a name", "a name is not empty and has no ="
            raise UsageError(what, why, f'type for example {key}={{"N": 1}}')
    return tuple(f"{name}={','.join(_texts(each))}" for name, each in table.items())


def _line(command: Command, options: bench_options) -> Line:
    from weft_lab.suites.bench.asked import named
    from weft_lab.suites.bench.asking import Line
    from weft_lab.suites.bench.kernels import is_kernel

    given: dict[str, Any] = dict(options)
    for key, value in given.items():
        if key in ("threads", "metric", "expect", "backend"):
            given[key] = tuple(_texts(value))
        elif key in ("param", "env"):
            given[key] = _pairs(key, value)
        else:
            given[key] = _given(key, value)
    if isinstance(command, Mapping):
        commands = [(name, _split(words)) for name, words in command.items()]
        return Line((), contestants=named(commands), **given)
    words = tuple(_split(command))
    if is_kernel(words):
        return Line(words, **given)
    return Line((), contestants=named([("", words)]), **given)


def _console(*, shows: bool) -> Console:
    from rich.console import Console

    return Console(stderr=True, quiet=not shows)


def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=2)

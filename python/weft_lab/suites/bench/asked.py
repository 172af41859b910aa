# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The user's request: contestants, their axes, and the checks and metrics of each."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from weft_lab.errors import UsageError
from weft_lab.storage.cells import MAX_EXPONENT, Cell, parse_sizes, split_list

SUITE = "bench"
# The problem of every cell; values of parameters that are words follow it in the cell's label.
PROBLEM = "run"
TOOLCHAIN = "command"
CELLS_MAX = 10_000
NAME = re.compile(r"[A-Za-z0-9_.+-]+")
PARAMETER = re.compile(r"[A-Za-z_]\w*")
METRIC = re.compile(
    r"(?P<name>[^\[\]=()]+?)\s*\[(?P<unit>[^\],]*)(?:,\s*(?P<better>higher|lower))?\]=(?P<pattern>.+)"
)
SIZES = re.compile(r"[\d^]+(\.\.[\d^]+)?")
WHOLE = re.compile(r"-?\d+")
THREADS = "threads"


@dataclass(frozen=True)
class Contestant:
    """A command that is measured, and its name."""

    name: str
    argv: tuple[str, ...]

    @property
    def variant(self) -> str:
        return f"{self.name}@{TOOLCHAIN}"


@dataclass(frozen=True)
class Metric:
    """A number that the program prints: the first group of `pattern` in its last match."""

    name: str
    unit: str
    pattern: str
    better: Literal["higher", "lower"] = "higher"

    @property
    def title(self) -> str:
        return f"{self.name}, {self.unit}" if self.unit else self.name


@dataclass(frozen=True)
class Asked:
    """All settings that decide what is launched and what counts.

    `threads`: empty if the user named no counts. `params`: names with their values as they are
    typed. `expect_code`, `expect_file` and `expect`: the required exit code and output of a launch.
    `placement`: the name of the order of `cpus`; empty unless the user chose one. Units: `_s`
    seconds.
    """

    contestants: tuple[Contestant, ...]
    threads: tuple[int, ...] = ()
    params: tuple[tuple[str, tuple[str, ...]], ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    metrics: tuple[Metric, ...] = ()
    expect_code: int = 0
    expect_file: str = ""
    expect: tuple[str, ...] = ()
    warmup: int = 0
    setup: str = ""
    prepare: str = ""
    cleanup: str = ""
    stdin: str = ""
    directory: str = ""
    timeout_s: float | None = None
    cpus: tuple[int, ...] = ()  # in the order in which launches with threads get them
    placement: str = ""
    # Of a kernel: its file; contestants of one thread; backends that cannot run it, and why.
    kernel: str = ""
    serial: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def size_name(self) -> str:
        """The parameter that stands on the axis of sizes: of whole numbers from 1 on, the one with
        the most; empty without any.
        """
        sized = [(len(values), name) for name, values in self.params if _is_sizes(values)]
        most = max((count for count, _ in sized), default=0)
        return next((name for count, name in sized if count == most), "")

    @property
    def num_cells(self) -> int:
        """Combinations of contestants, values and threads."""
        values = math.prod(len(values) for _, values in self.params)
        counts = (len(self._threads_of(each)) for each in self.contestants)
        return values * sum(counts)

    def _threads_of(self, contestant: Contestant | None) -> tuple[int, ...]:
        is_serial = contestant is not None and contestant.name in self.serial
        return (1,) if is_serial or not self.threads else self.threads

    def cells(self, contestant: Contestant | None = None) -> Iterator[tuple[Cell, dict[str, str]]]:
        """Every cell of a contestant, or of one that uses threads, with the text of each
        placeholder.
        """
        names = [name for name, _ in self.params]
        for values in itertools.product(*(values for _, values in self.params)):
            texts = dict(zip(names, values, strict=True))
            for threads in self._threads_of(contestant):
                count = {THREADS: str(threads)} if self.threads else {}
                yield self._cell(texts, threads), {**texts, **count}

    def _cell(self, texts: Mapping[str, str], threads: int) -> Cell:
        sized = self.size_name
        rest = {name: text for name, text in texts.items() if name != sized}
        numbers = {name: int(text) for name, text in rest.items() if self._is_whole(name)}
        words = [f"{name}={text}" for name, text in rest.items() if name not in numbers]
        return Cell(
            SUITE,
            " ".join((PROBLEM, *words)),
            size=int(texts[sized]) if sized else 1,
            threads=threads,
            params=tuple(sorted(numbers.items())),
        )

    def _is_whole(self, name: str) -> bool:
        return all(WHOLE.fullmatch(text) for text in dict(self.params)[name])

    def to_dict(self) -> dict[str, Any]:
        """As the manifest keeps it: lists in place of tuples, as JSON gives them back."""
        found: dict[str, Any] = _listed(asdict(self))
        return found

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Asked:
        """The request stored in a manifest; no part of it is ever run.

        Errors: `ValueError` and related errors for values of the wrong kind, and for too many
                cells.
        """
        known = {name: fields[name] for name in cls.__dataclass_fields__ if name in fields}
        known["contestants"] = tuple(
            Contestant(str(row["name"]), tuple(map(str, row["argv"])))
            for row in fields["contestants"]
        )
        known["metrics"] = tuple(Metric(**row) for row in fields.get("metrics", ()))
        known["params"] = tuple(
            (str(name), tuple(map(str, values))) for name, values in fields.get("params", ())
        )
        known["env"] = tuple((str(name), str(text)) for name, text in fields.get("env", ()))
        known["threads"] = tuple(map(int, fields.get("threads", ())))
        known["cpus"] = tuple(map(int, fields.get("cpus", ())))
        known["expect"] = tuple(map(str, fields.get("expect", ())))
        known["placement"] = str(fields.get("placement", ""))
        known["serial"] = tuple(map(str, fields.get("serial", ())))
        known["left_out"] = tuple((str(name), str(why)) for name, why in fields.get("left_out", ()))
        found = cls(**known)
        if found.num_cells > CELLS_MAX:
            message = f"it asks for {found.num_cells} combinations"
            raise ValueError(message)
        return found


def case_text(cell: Cell) -> str:
    """The settings of a cell other than size and threads: `alg=merge k=2`; often empty."""
    return cell.label.removeprefix(PROBLEM).strip()


def filled(text: str, values: Mapping[str, str]) -> str:
    """`{n}` replaced by its value; other braces are the program's own."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def check_placeholders(asked: Asked) -> None:
    """Errors: `UsageError` for a parameter that no command holds: all values would be the same."""
    env = [text for _, text in asked.env]
    for name, values in asked.params:
        for contestant in asked.contestants:
            texts = (*contestant.argv, *env, asked.prepare, asked.setup)
            if len(values) > 1 and not any(f"{{{name}}}" in text for text in texts):
                raise UsageError(
                    what=f"the command '{contestant.name}' does not contain {{{name}}}",
                    why=f"the command would be the same for all {len(values)} values of {name}",
                    remedy=f"put {{{name}}} where the value belongs, or in --env NAME={{{name}}}",
                )


def contestants_of(words: Sequence[str], first_name: str | None) -> tuple[Contestant, ...]:
    """`./a --name b -- ./b` as two commands; a command without a name has that of its program.

    Errors: `UsageError` without a command, or for a name that is wrong or given twice.
    """
    commands: list[tuple[str, list[str]]] = [(first_name or "", [])]
    rest = list(words)
    while rest:
        if rest[0] == "--name" and rest[2:3] == ["--"]:
            commands.append((rest[1], []))
            del rest[:3]
            continue
        commands[-1][1].append(rest.pop(0))
    return named(commands)


def named(commands: Sequence[tuple[str, Sequence[str]]]) -> tuple[Contestant, ...]:
    """Names, empty ones included, with their commands. Errors: `UsageError` for an empty command,
    and for a name that is wrong or given twice.
    """
    found: list[Contestant] = []
    for name, argv in commands:
        if not argv:
            raise UsageError(
                what="no command to measure" + (f" as '{name}'" if name else ""),
                why="the program and its arguments stand behind --",
                remedy="type for example ./weft bench -- sleep 0.1",
            )
        chosen = name or re.sub(r"[^A-Za-z0-9_.+-]", "_", argv[0].rpartition("/")[2]) or "program"
        _check_name(chosen, [each.name for each in found])
        found.append(Contestant(chosen, tuple(argv)))
    return tuple(found)


def _check_name(name: str, others: Sequence[str]) -> None:
    if not NAME.fullmatch(name):
        raise UsageError(
            what=f"--name '{name}' is no name",
            why="a name is made of letters, digits and _ . + -",
            remedy="type for example --name omp -- ./program",
        )
    if name in others:
        raise UsageError(
            what=f"two commands are called '{name}'",
            why="results are kept by name",
            remedy="name them apart: --name before -- ./a --name after -- ./b",
        )


def params_of(texts: Sequence[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """`n=2^10..2^14` or `n=1,2,3` or `method=quick,merge`. Errors: `UsageError`."""
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not PARAMETER.fullmatch(name) or name in (THREADS, *found):
            why = (
                "--threads says how many threads"
                if name == THREADS
                else "it is given twice"
                if name in found
                else "a parameter is NAME=VALUES, its name a word"
            )
            what = f"--param '{text}' is wrong"
            raise UsageError(what, why, "type for example --param n=1,2,4")
        found[name] = _values(values)
    return tuple(found.items())


def _values(text: str) -> tuple[str, ...]:
    parts = split_list(text)
    if all(map(WHOLE.fullmatch, parts)) and len(set(map(int, parts))) < len(parts):
        why = "results are kept by the number, and two of these are the same one"
        what = f"--param ends with '={text}'"
        raise UsageError(what, why, "type each number once")
    if not parts:
        why = "a parameter needs at least one value"
        what = f"--param ends with '={text}'"
        raise UsageError(what, why, "type for example --param n=1,2,4")
    if all(map(SIZES.fullmatch, parts)) and not all(map(str.isdecimal, parts)):
        try:
            return tuple(map(str, parse_sizes(text)))
        except UsageError as error:
            remedy = "type for example --param n=2^10..2^20"
            raise UsageError(error.what, error.why, remedy) from error
    return tuple(parts)


def _is_sizes(values: Sequence[str]) -> bool:
    return all(text.isdecimal() and 1 <= int(text) <= 1 << MAX_EXPONENT for text in values)


def env_of(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """`NAME=VALUE`. Errors: `UsageError`."""
    found = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            why = "a variable is NAME=VALUE"
            what = f"--env '{text}' is wrong"
            raise UsageError(what, why, "type for example --env MODE=fast")
        found.append((name, value))
    return tuple(found)


def metric_of(text: str) -> Metric:
    """`GFlop/s: ([0-9.]+)`, or with a name and unit: `rate [MB/s]=([0-9.]+) MB`, where `[s, lower]`
    says that less is better.

    Errors: `UsageError`.
    """
    named = METRIC.fullmatch(text)
    pattern = named["pattern"] if named else text
    try:
        groups = re.compile(pattern.encode()).groups
    except re.error as error:
        raise _bad_metric(text, f"it is no regular expression: {error}") from error
    if not groups:
        raise _bad_metric(text, "parentheses have to stand around the number")
    if named:
        better: Literal["higher", "lower"] = "lower" if named["better"] == "lower" else "higher"
        return Metric(named["name"].strip(), named["unit"].strip(), pattern, better)
    name = re.sub(r"\\.|[\^$.*+?\[\]{}|]", "", pattern.partition("(")[0]).strip(" :=\t")
    return Metric(name or "metric", "", pattern)


def _bad_metric(text: str, why: str) -> UsageError:
    return UsageError(
        f"--metric '{text}' is wrong", why, "type for example --metric 'GFlop/s: ([0-9.]+)'"
    )


def _listed(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, dict):
        return {name: _listed(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(each) for each in value]
    return value

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The options of the verbs that measure, each declared once: spelling, completion, and conversion
to `RunOptions`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer
from typer.models import OptionInfo

from weft_lab.errors import UsageError
from weft_lab.measuring.options import PROTOCOLS, RunOptions, Tier, parse_budget
from weft_lab.storage import axes
from weft_lab.storage.cells import (
    ALLOCATORS,
    LAUNCH_POLICIES,
    PLACEMENTS,
    SMT_MODES,
    TYPES,
    parse_sizes,
    parse_threads,
    split_all,
    split_list,
)

Names = list[str] | None


def _complete(names: Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    def complete(incomplete: str) -> list[str]:
        # In a comma-separated list, the last name is completed.
        head, comma, last = incomplete.rpartition(",")
        return [head + comma + name for name in names() if name.startswith(last)]

    return complete


def _suites() -> tuple[str, ...]:
    from weft_lab.storage.checkout import EVERY_SUITE

    return EVERY_SUITE


def _suites_text() -> str:
    """`stl (default), tasks or halo.`"""
    first, *others, last = (each.name for each in axes.every() if not each.has_own_verb)
    return f"{', '.join((f'{first} (default)', *others))} or {last}."


def _problems() -> list[str]:
    from weft_lab.storage.checkout import ALL, SUITES, problems_in_checkout

    return [ALL, *(name for suite in SUITES for name in problems_in_checkout(suite))]


def _backends() -> list[str]:
    from weft_lab.storage.checkout import SUITES, backends_in_checkout

    return [name for suite in SUITES for name in backends_in_checkout(suite)]


def _classes() -> list[str]:
    return [name for own in axes.every() for name in own.size_names.values()]


def _option(text: str, names: Callable[[], Iterable[str]] | None = None) -> OptionInfo:
    option: OptionInfo = typer.Option(
        help=text, autocompletion=_complete(names) if names else None, show_default=False
    )
    return option


Quick = Annotated[bool, typer.Option("--quick", help="2 minutes: a few sizes, 1 and all threads.")]
Full = Annotated[
    bool, typer.Option("--full", help="2 hours: every size, type, placement, and compiler found.")
]
Budget = Annotated[str | None, _option("Time for measuring: 90s, 10m, 1.5h.")]
Suite = Annotated[Names, _option(_suites_text(), _suites)]
Only = Annotated[Names, _option("Problems: sort,reduce; all: every problem.", _problems)]
Backend = Annotated[
    Names, _option("gnu,onetbb; gnu@clang: built by clang (or icpx, nvcxx).", _backends)
]
Size = Annotated[
    Names,
    _option("Elements, or n of a problem of tasks: 2^20, 1M; inncabs: tiny,small,paper.", _classes),
]
Threads = Annotated[Names, _option("Thread counts: 1,2,all.", lambda: ("all",))]
Type = Annotated[Names, _option("Element types.", lambda: TYPES)]
Allocator = Annotated[
    Names, _option("default,first_touch; tcmalloc: in place of malloc.", lambda: ALLOCATORS)
]
Placement = Annotated[Names, _option("none, or cores: a core for each thread.", lambda: PLACEMENTS)]
Smt = Annotated[Names, _option("Hardware threads: on,off.", lambda: SMT_MODES)]
Launch = Annotated[
    Names, _option("Suite inncabs: async,deferred,optional,fork.", lambda: LAUNCH_POLICIES)
]
Protocol = Annotated[
    str | None,
    _option(
        "robust; paper: 5 s per cell; counters: 20 samples; ten: 10 samples.",
        lambda: PROTOCOLS,
    ),
]
Rounds = Annotated[
    int | None, typer.Option(min=1, help="Stop after this many launches of each cell.")
]
Seed = Annotated[int, typer.Option(help="Seed of the random order.")]
Hosts = Annotated[Names, _option("Suite mpi across these machines, by ssh: a,b.")]
Results = Annotated[Path, typer.Option(help="Where result folders go.")]
ProgramsFolder = Annotated[
    Path | None, typer.Option("--programs", help="Folder of built bench programs; builds nothing.")
]


@dataclass(frozen=True)
class Given:
    """The texts of the command line, as typer passes them: one field for each option."""

    quick: Quick = False
    full: Full = False
    budget: Budget = None
    suite: Suite = None
    only: Only = None
    backend: Backend = None
    size: Size = None
    threads: Threads = None
    type: Type = None
    allocator: Allocator = None
    placement: Placement = None
    smt: Smt = None
    launch: Launch = None
    protocol: Protocol = None
    rounds: Rounds = None
    seed: Seed = 42
    hosts: Hosts = None
    results: Results = Path("results")
    programs: ProgramsFolder = None


def collected(*names: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Turns a verb's first parameter, a `Given`, into its options for typer: `names`, or all."""

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        options = _given_parameters(names)
        verb_hints = get_type_hints(verb, include_extras=True)
        own = list(inspect.signature(verb).parameters.values())[1:]
        own = [parameter.replace(annotation=verb_hints[parameter.name]) for parameter in own]

        def command(**values: Any) -> None:  # noqa: ANN401 - whatever typer parsed
            given = Given(**{option.name: values.pop(option.name) for option in options})
            verb(given, **values)

        parameters = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own + options
        ]
        command.__doc__ = verb.__doc__
        command.__annotations__ = {each.name: each.annotation for each in parameters}
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return command

    return decorate


def _given_parameters(names: tuple[str, ...]) -> list[inspect.Parameter]:
    hints = get_type_hints(Given, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in fields(Given)
        if not names or field.name in names
    ]


def make_options(given: Given, suite: str = "stl") -> RunOptions:
    """`RunOptions` from the texts of the command line, which may name another suite.

    Errors: `UsageError`.
    """
    from weft_lab.machine.facts import cpus_usable
    from weft_lab.storage.checkout import size_names

    if given.quick and given.full:
        raise UsageError(
            what="--quick and --full contradict each other",
            why="each chooses how much to measure",
            remedy="give one of them",
        )
    tier: Tier = "quick" if given.quick else "full" if given.full else "default"
    suites = tuple(split_list(given.suite)) or (suite,)
    return RunOptions(
        tier=tier,
        budget_s=None if given.budget is None else parse_budget(given.budget),
        suite=suites,
        only=tuple(split_list(given.only)),
        backend=tuple(split_list(given.backend)),
        size=tuple(parse_sizes(given.size, size_names(suites))),
        threads=tuple(parse_threads(given.threads, cpus_usable())),
        type=tuple(split_list(given.type)),
        allocator=tuple(split_list(given.allocator)),
        placement=tuple(split_list(given.placement)),
        smt=tuple(split_list(given.smt)),
        launch=tuple(split_list(given.launch)),
        protocol=given.protocol or "robust",
        rounds_max=given.rounds,
        seed=given.seed,
        hosts=tuple(split_all(given.hosts)),
        results=given.results,
        programs=given.programs,
    )

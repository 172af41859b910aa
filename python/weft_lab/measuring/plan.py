# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which cells to measure: the product of the chosen axes, thinned until enough rounds fit the
budget."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from weft_lab.machine import preload
from weft_lab.machine.facts import Machine
from weft_lab.measuring.costs import CostModel, Sampling, Task, octaves
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.remedies import place_of, run_command
from weft_lab.storage.cells import LAUNCH, LAUNCH_POLICIES, Cell, check_cell, format_size
from weft_lab.storage.checkout import ALL, Case, cases, core_problems
from weft_lab.storage.variants import BASELINE, CONTROL_SUFFIX, program_of

ROUNDS_WANTED = 4
# Without a second there is no interval; with a third, most verdicts are clear.
LAUNCHES_MIN = 2
LAUNCHES_TOLD = 3
OWN_BACKEND = "weft"
# A hanging program must not take the time of programs that answer.
PATIENCE_MIN_S = 1.0
PATIENCE_FRACTION = 0.0125
NAMED_AXES = ("size", "type", "backend")
# The rest is for unpredictable costs: starts of programs, a machine that becomes slower.
BUDGET_FRACTION = 0.9
# Guesses may be too high by this factor; cells that turn out too expensive are dropped during the
# run.
GUESS_TOLERANCE = 2.0
LARGEST_SIZE_WORTH_OCTAVES = 4.0


# Protocol `counters`: 20 samples may take ten times as long before fewer must suffice.
COUNTERS_MAX_TIME_S: Mapping[str, float] = {"quick": 0.1, "default": 1.0, "full": 60.0}
# Protocol `ten`: the same for the ten samples, shown as median, least and most.
TEN_MAX_TIME_S: Mapping[str, float] = {"quick": 0.1, "default": 2.0, "full": 60.0}


@dataclass(frozen=True)
class Skip:
    """An omitted measurement, and the reason. None means all of an axis."""

    code: str
    message: str
    remedy: str
    suite: str | None = None
    label: str | None = None
    type: str | None = None
    size: int | None = None
    variant: str | None = None
    count: int = 1

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Tier:
    """The axes of `--quick`, the default and `--full`. Sizes as exponents of two."""

    exponents: tuple[int, ...]
    other_type_exponents: tuple[int, ...]
    first_touch_sizes: int
    thread_steps: bool
    sampling: Sampling


TIERS: Mapping[str, Tier] = {
    "quick": Tier((6, 10, 14, 18, 22, 24), (), 1, False, Sampling("robust", 5, 200, 0.004, 0.1)),
    "default": Tier(
        tuple(range(4, 27, 2)), (10, 18, 24), 3, True, Sampling("robust", 10, 1000, 0.01, 0.25)
    ),
    "full": Tier(tuple(range(3, 31)), tuple(range(3, 31)), 28, True, Sampling()),
}


@dataclass(frozen=True)
class Offer:
    """The abilities of one built program, from its program record."""

    suite: str
    variant: str
    problems: tuple[str, ...]
    is_serial: bool


@dataclass(frozen=True)
class Plan:
    """The measurements of a run, and all data needed to resume it."""

    tasks: tuple[Task, ...]
    sampling: Sampling
    seed: int
    budget_s: float
    rounds_max: int | None = None
    timeout_min_s: float = 20.0
    skips: tuple[Skip, ...] = field(default=())
    named: tuple[str, ...] = ()
    deferred: tuple[Task, ...] = ()

    @property
    def needed_s(self) -> float:
        """The estimated time of three launches of everything requested."""
        costs = CostModel(self.sampling)
        return LAUNCHES_TOLD * round_s((*self.tasks, *self.deferred), costs)

    @property
    def is_sequential(self) -> bool:
        """Whether cells with a clear verdict leave their time to others. Not if a protocol or the
        user sets how often each cell is measured."""
        limits = self.sampling
        is_free = limits.protocol == "robust" and limits.min_samples < limits.max_samples
        return is_free and self.rounds_max is None

    def refitted(self, budget_s: float) -> Plan:
        """The plan for another budget: tasks that did not fit may fit now."""
        everything = (*self.tasks, *self.deferred)
        limit_s = GUESS_TOLERANCE * budget_s
        kept, dropped = thin(everything, CostModel(self.sampling), limit_s, self.named)
        begun = set(self.tasks)
        tasks = (*self.tasks, *(task for task in kept if task not in begun))
        deferred = tuple(task for task in dropped if task not in begun)
        others = tuple(skip for skip in self.skips if skip.code != "budget")
        return replace(
            self,
            tasks=tasks,
            deferred=deferred,
            budget_s=budget_s,
            skips=(*others, *budget_skips(deferred)),
        )

    def to_dict(self) -> dict[str, Any]:
        """Compact form for the manifest: each cell once, with the numbers of its variants."""
        variants = sorted({task.variant for task in (*self.tasks, *self.deferred)})
        return {
            "variants": variants,
            "cells": _rows(self.tasks, variants),
            "deferred": _rows(self.deferred, variants),
            "named": list(self.named),
            "sampling": dict(vars(self.sampling)),
            "seed": self.seed,
            "budget_s": self.budget_s,
            "rounds_max": self.rounds_max,
            "timeout_min_s": self.timeout_min_s,
            "skips": [skip.to_dict() for skip in self.skips],
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Plan:
        """The plan of a manifest. Errors: `UsageError` for options that a manifest must not set."""
        variants = fields["variants"]
        tasks, deferred = (
            tuple(
                Task(variants[number], Cell.from_dict(cell, suite))
                for suite, cell, used in fields.get(name, ())
                for number in used
            )
            for name in ("cells", "deferred")
        )
        for task in (*tasks, *deferred):
            check_cell(task.cell)
        skips = tuple(Skip(**skip) for skip in fields["skips"])
        return cls(
            tasks,
            Sampling(**fields["sampling"]),
            fields["seed"],
            fields["budget_s"],
            fields["rounds_max"],
            fields["timeout_min_s"],
            skips,
            tuple(fields.get("named", ())),
            deferred,
        )


def _rows(tasks: Iterable[Task], variants: Sequence[str]) -> list[list[Any]]:
    numbers = {name: number for number, name in enumerate(variants)}
    users: dict[Cell, list[int]] = defaultdict(list)
    for task in tasks:
        users[task.cell].append(numbers[task.variant])
    return [[cell.suite, cell.to_dict() | {"id": ""}, used] for cell, used in users.items()]


def make_plan(options: RunOptions, offers: Sequence[Offer], machine: Machine) -> Plan:
    """The tasks of `options` on the available programs; omissions are in `skips`."""
    sampling = _sampling(options)
    wanted = [
        Task(offer.variant, cell)
        for offer in offers
        for case in _offered_cases(offer, options.only)
        if case.is_in_tier(options.tier)
        for cell in _cells(options, case, offer, machine)
    ]
    loadable, absent = _drop_absent_allocators(wanted, machine)
    fitting, skips = _drop_too_large(loadable, machine)
    tasks = _with_control(fitting)
    budget_s = options.measuring_budget_s
    named = tuple(name for name in NAMED_AXES if getattr(options, name))
    kept, dropped = thin(tasks, CostModel(sampling), GUESS_TOLERANCE * budget_s, named)
    return Plan(
        tuple(kept),
        sampling,
        options.seed,
        budget_s,
        options.rounds_max,
        min(options.timeout_min_s, max(PATIENCE_MIN_S, PATIENCE_FRACTION * budget_s)),
        (*absent, *skips, *budget_skips(dropped)),
        named,
        tuple(dropped),
    )


def _sampling(options: RunOptions) -> Sampling:
    if options.protocol == "paper":
        return Sampling("paper")
    if options.protocol == "counters":
        return Sampling("robust", 20, 20, 0.01, COUNTERS_MAX_TIME_S[options.tier])
    if options.protocol == "ten":
        return Sampling("robust", 10, 10, 0.01, TEN_MAX_TIME_S[options.tier])
    return TIERS[options.tier].sampling


def thin(
    tasks: Sequence[Task], costs: CostModel, budget_s: float, named: Sequence[str] = ()
) -> tuple[list[Task], list[Task]]:
    """Drops tasks until the wanted rounds fit `budget_s`; returns the kept and the dropped ones.

    `named`: axes that the user chose.
    """
    if "size" in named:
        return _thin_contestants(tasks, costs, budget_s, named)
    return _thin_sizes(tasks, costs, budget_s)


def _thin_contestants(
    tasks: Sequence[Task], costs: CostModel, budget_s: float, named: Sequence[str]
) -> tuple[list[Task], list[Task]]:
    """Reduces to two launches first, then drops types, then backends, the last ones first.

    So all remaining contestants are measured at every size that the user named.
    """
    kept, dropped = list(tasks), list[Task]()
    types = [] if "type" in named else list(dict.fromkeys(t.cell.type for t in tasks))
    if "double" in types:
        types.sort(key=lambda name: name != "double")
    backends = [] if "backend" in named else list(dict.fromkeys(t.variant for t in tasks))
    rivals = [name for name in backends if program_of(name) != BASELINE]
    rivals.sort(key=lambda name: not name.startswith(OWN_BACKEND))
    steps: list[Callable[[Task], bool]] = [
        *(lambda task, name=name: task.cell.type == name for name in reversed(types[1:])),
        *(lambda task, name=name: task.variant == name for name in reversed(rivals[1:])),
    ]
    for is_left_out in steps:
        if LAUNCHES_MIN * round_s(kept, costs) <= BUDGET_FRACTION * budget_s:
            break
        dropped += [task for task in kept if is_left_out(task)]
        kept = [task for task in kept if not is_left_out(task)]
    return kept, dropped


def round_s(tasks: Iterable[Task], costs: CostModel) -> float:
    """The time of one launch of each task, with its share of the probe of threads."""
    probe_share_s = costs.probe_mean_s / ROUNDS_WANTED
    return sum(costs.predict_s(task) + probe_share_s for task in tasks)


def _thin_sizes(
    tasks: Sequence[Task], costs: CostModel, budget_s: float
) -> tuple[list[Task], list[Task]]:
    """Drops sizes.

    Every (problem, type) keeps at least one size. The size with the highest cost per octave of lost
    coverage is dropped first, so one expensive problem is thinned before many cheap ones. The probe
    of a task's threads runs once, so each round bears its share.
    """
    limit_s = BUDGET_FRACTION * budget_s / ROUNDS_WANTED
    probe_share_s = costs.probe_mean_s / ROUNDS_WANTED
    series: dict[tuple[str, str, str], dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for task in tasks:
        cost_s = costs.predict_s(task) + probe_share_s
        series[_series_key(task)][task.cell.size] += cost_s
    total_s = sum(sum(sizes.values()) for sizes in series.values())
    gone: set[tuple[tuple[str, str, str], int]] = set()
    while total_s > limit_s:
        candidates = [
            (cost_s / _coverage_octaves(sorted(sizes), size), key, size)
            for key, sizes in series.items()
            if len(sizes) > 1
            for size, cost_s in sizes.items()
        ]
        if not candidates:
            break
        _, key, size = max(candidates)
        total_s -= series[key].pop(size)
        gone.add((key, size))
    is_gone = [(_series_key(task), task.cell.size) in gone for task in tasks]
    kept = [task for task, out in zip(tasks, is_gone, strict=True) if not out]
    return kept, [task for task, out in zip(tasks, is_gone, strict=True) if out]


def budget_skips(dropped: Iterable[Task]) -> list[Skip]:
    """One entry per problem, type and size that did not fit the budget."""
    groups: dict[tuple[str, str, str, int], int] = defaultdict(int)
    for task in dropped:
        groups[(*_series_key(task), task.cell.size)] += 1
    return [
        Skip(
            "budget",
            f"{count} cells of {place_of(suite, label, type_, size)} did not fit the time budget",
            run_command(suite, label, type_, size),
            suite,
            label,
            type_,
            size,
            None,
            count,
        )
        for (suite, label, type_, size), count in sorted(groups.items())
    ]


def _series_key(task: Task) -> tuple[str, str, str]:
    return task.cell.suite, task.cell.label, task.cell.type


def _coverage_octaves(sizes: list[int], size: int) -> float:
    index = sizes.index(size)
    if index + 1 == len(sizes):
        return LARGEST_SIZE_WORTH_OCTAVES
    below = sizes[index - 1] if index else size >> 2
    return max(octaves(sizes[index + 1]) - octaves(max(below, 1)), 0.1)


def _offered_cases(offer: Offer, only: Sequence[str]) -> list[Case]:
    wanted = only or core_problems(offer.suite)
    is_every = not wanted or ALL in wanted
    return cases(offer.suite, [name for name in offer.problems if is_every or name in wanted])


def _cells(options: RunOptions, case: Case, offer: Offer, machine: Machine) -> list[Cell]:
    return [
        Cell(offer.suite, case.problem, type_, size, threads, allocator, placement, smt, params)
        for type_ in options.type or _types(options, case)
        for size in options.size or case.sizes.get(options.tier) or _sizes(options, type_)
        for threads in _threads(options, offer, machine)
        for allocator in _allocators(options, type_, size, offer, threads)
        if allocator in ("default", *preload.LIBRARIES) or not case.sizes
        for placement in options.placement or _placements(options)
        for smt in options.smt or ("on",)
        for params in _params(options, case)
    ]


def _params(options: RunOptions, case: Case) -> list[tuple[tuple[str, int], ...]]:
    """The parameters of the case, once with each launch policy; without a policy, the first."""
    numbers = [LAUNCH_POLICIES.index(name) for name in options.launch] or [0]
    return [
        tuple(sorted((*case.params, *([(LAUNCH, number)] if number else [])))) for number in numbers
    ]


def _types(options: RunOptions, case: Case) -> tuple[str, ...]:
    """A problem with its own sizes does not depend on element types."""
    if case.sizes:
        return ("double",)
    return ("double",) if options.tier == "quick" else ("int", "float", "double")


def _sizes(options: RunOptions, type_: str) -> list[int]:
    tier = TIERS[options.tier]
    uses_all = type_ == "double" or bool(options.type)
    return [
        1 << exponent for exponent in (tier.exponents if uses_all else tier.other_type_exponents)
    ]


def _threads(options: RunOptions, offer: Offer, machine: Machine) -> list[int]:
    if offer.is_serial:
        return [1]
    if options.threads:
        return list(options.threads)
    cpus = machine.cpus_usable
    steps = (
        [1 << step for step in range(cpus.bit_length())]
        if TIERS[options.tier].thread_steps
        else [1]
    )
    return sorted({*(step for step in steps if step < cpus), 1, cpus})


def _allocators(
    options: RunOptions, type_: str, size: int, offer: Offer, threads: int
) -> tuple[str, ...]:
    if options.allocator:
        return options.allocator
    if offer.is_serial or threads == 1 or type_ != "double":
        return ("default",)
    sizes = sorted(options.size or _sizes(options, type_))
    touches = size in sizes[-TIERS[options.tier].first_touch_sizes :]
    return ("default", "first_touch") if touches else ("default",)


def _placements(options: RunOptions) -> tuple[str, ...]:
    return ("none", "cores") if options.tier == "full" else ("none",)


def _drop_absent_allocators(
    tasks: Iterable[Task], machine: Machine
) -> tuple[list[Task], list[Skip]]:
    kept: list[Task] = []
    num_absent: dict[str, int] = defaultdict(int)
    for task in tasks:
        allocator = task.cell.allocator
        if allocator in preload.LIBRARIES and allocator not in machine.preloads:
            num_absent[allocator] += 1
        else:
            kept.append(task)
    skips = [
        Skip(
            "missing_library",
            f"{allocator} is not installed: the dynamic linker finds none of "
            f"{', '.join(f'lib{name}.so' for name in preload.LIBRARIES[allocator])}",
            preload.REMEDIES[allocator],
            count=count,
        )
        for allocator, count in sorted(num_absent.items())
    ]
    return kept, skips


def _drop_too_large(tasks: Iterable[Task], machine: Machine) -> tuple[list[Task], list[Skip]]:
    fitting: list[Task] = []
    groups: dict[tuple[str, str, str, int], int] = defaultdict(int)
    for task in tasks:
        if 2 * task.cell.array_bytes <= machine.memory_bytes:
            fitting.append(task)
        else:
            groups[(*_series_key(task), task.cell.size)] += 1
    gib = machine.memory_bytes / (1 << 30)
    skips = [
        Skip(
            "memory",
            f"{label} {type_} at {format_size(size)} needs more than the {gib:.1f} GiB there are",
            "choose a smaller --size, or measure on a machine with more memory",
            suite,
            label,
            type_,
            size,
            None,
            count,
        )
        for (suite, label, type_, size), count in sorted(groups.items())
    ]
    return fitting, skips


def _with_control(tasks: Sequence[Task]) -> list[Task]:
    control = [
        Task(BASELINE + CONTROL_SUFFIX, task.cell) for task in tasks if task.variant == BASELINE
    ]
    return [*tasks, *control]

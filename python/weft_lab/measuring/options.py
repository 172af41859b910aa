# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The user's request, checked as far as possible before anything is built."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from weft_lab.errors import UsageError
from weft_lab.storage import axes
from weft_lab.storage.cells import (
    ALLOCATORS,
    LAUNCH_POLICIES,
    PLACEMENTS,
    SMT_MODES,
    TYPES,
    check_names,
)

Tier = Literal["quick", "default", "full"]
BUDGETS_S: Mapping[str, float] = {"quick": 120.0, "default": 600.0, "full": 7200.0}
BUDGET_MAX_S = 30 * 86400.0
TIMEOUT_MIN_S = 20.0
NUMBER_MAX = 1 << 53  # JSON numbers are exact up to here
PROTOCOLS = ("robust", "paper", "counters", "ten")


def check_number(option: str, value: int) -> None:
    """Errors: `UsageError` for a number that the result folder could not give back."""
    if abs(value) > NUMBER_MAX:
        what, why = f"{option} {value} is too large", f"{NUMBER_MAX} is the most"
        raise UsageError(what, why, f"type for example {option} 42")


@dataclass(frozen=True)
class RunOptions:
    """Options of `run` and `report`; empty tuples and None select the tier's choice.

    `programs`: a folder of built bench programs; then nothing is built. Units: `_s` seconds; sizes
    in elements.
    """

    tier: Tier = "default"
    budget_s: float | None = None
    suite: tuple[str, ...] = ("stl",)
    only: tuple[str, ...] = ()
    backend: tuple[str, ...] = ()
    size: tuple[int, ...] = ()
    threads: tuple[int, ...] = ()
    type: tuple[str, ...] = ()
    allocator: tuple[str, ...] = ()
    placement: tuple[str, ...] = ()
    smt: tuple[str, ...] = ()
    launch: tuple[str, ...] = ()
    protocol: str = "robust"
    rounds_max: int | None = None
    seed: int = 42
    results: Path = Path("results")
    programs: Path | None = None
    hosts: tuple[str, ...] = ()
    timeout_min_s: float = TIMEOUT_MIN_S

    def __post_init__(self) -> None:
        check_names("type", self.type, TYPES)
        check_names("allocator", self.allocator, ALLOCATORS)
        check_names("placement", self.placement, PLACEMENTS)
        check_names("smt mode", self.smt, SMT_MODES)
        check_names("launch policy", self.launch, LAUNCH_POLICIES)
        check_names("protocol", [self.protocol], PROTOCOLS)
        check_number("--rounds", self.rounds_max or 0)
        check_number("--seed", self.seed)
        having = [each.name for each in axes.every() if each.has_launch_policies]
        if self.launch and not (len(self.suite) == 1 and self.suite[0] in having):
            known = ", ".join(having)
            raise UsageError(
                what=f"--launch {','.join(self.launch)} says when tasks of the suite {known} start",
                why=f"the suite {', '.join(self.suite)} has no launch policies",
                remedy=f"leave it out, or type --suite {known}",
            )

    @property
    def measuring_budget_s(self) -> float:
        return BUDGETS_S[self.tier] if self.budget_s is None else self.budget_s

    def to_dict(self) -> dict[str, Any]:
        """The options as the manifest stores them."""
        fields = asdict(self)
        fields["results"] = str(self.results)
        fields["programs"] = None if self.programs is None else str(self.programs)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> RunOptions:
        """The options of a manifest; unknown ones are ignored.

        A manifest is data: it selects no program, no host and no place to write. Errors:
        `ValueError` for a value of the wrong kind, `UsageError` for an unknown name.
        """
        known = {"tier": fields["tier"]}
        known |= {name: fields[name] for name in cls.__dataclass_fields__ if name in fields}
        for name in ("results", "programs", "hosts"):
            known.pop(name, None)
        for name, value in known.items():
            if not _is_of_kind(name, value):
                message = f"its option {name} is {str(value)[:40]!r}"
                raise ValueError(message)
            if isinstance(value, list):
                known[name] = tuple(value)
        return cls(**known)


def _is_of_kind(name: str, value: object) -> bool:
    if name == "tier":
        return value in BUDGETS_S
    if name in ("budget_s", "rounds_max") and value is None:
        return True
    if name in ("budget_s", "rounds_max", "timeout_min_s"):
        return isinstance(value, int | float) and 0 < value <= BUDGET_MAX_S
    if name in ("seed", "protocol"):
        return isinstance(value, int if name == "seed" else str)
    kind = int if name in ("size", "threads") else str
    return isinstance(value, list) and all(isinstance(each, kind) for each in value)


# Options that suites with their own session do not read.
PLANNED_ALONE = ("size", "threads", "type", "allocator", "placement", "smt", "protocol")


def refuse_ignored(options: RunOptions, suite: str, ignored: Sequence[str]) -> None:
    """Errors: `UsageError` for a value of an option that the suite would ignore."""
    standard = RunOptions()
    for name in ignored:
        given = getattr(options, name)
        if given != getattr(standard, name):
            text = ",".join(map(str, given)) if isinstance(given, tuple) else str(given)
            raise UsageError(
                what=f"the suite {suite} has no --{name}, but {text} was given",
                why="it plans that by itself and would ignore the option",
                remedy=f"leave --{name} out; --quick, --full and --only choose what is measured",
            )


def parse_budget(text: str) -> float:
    """Seconds in `90`, `90s`, `10m` or `1.5h`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(s|m|h)?", text.strip().lower())
    seconds = (
        float(match[1]) * {"s": 1.0, "m": 60.0, "h": 3600.0}[match[2] or "s"] if match else 0.0
    )
    if not 1.0 <= seconds <= BUDGET_MAX_S:
        what = f"budget '{text}' is not a time from 1 second to 30 days"
        raise UsageError(
            what, "the budget is how long measuring may take", "type for example --budget 10m"
        )
    return seconds


def is_asked_alone(suite: str, suites: tuple[str, ...]) -> bool:
    """Whether a suite with its own session is requested.

    Errors: `UsageError` if it is combined with another suite.
    """
    if suite not in suites:
        return False
    if len(suites) > 1:
        raise UsageError(
            what=f"the suite {suite} is measured alone",
            why="its launches take every CPU, and its report has a page of its own",
            remedy=f"type ./weft report --suite {suite}",
        )
    return True

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counters of this process and of other processes, with the names of docs/reference/counters.md.

A session reads this process: the workers of weft.algorithms, and what the system counts for the
process. `process` looks at any process that uses weft, from outside, as `weft top` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from weft import _weft

if TYPE_CHECKING:
    import polars as pl

Kind = Literal["total", "gauge", "quotient", "array", "histogram"]


@dataclass(frozen=True)
class histogram:
    """How often values fell into which range. `buckets`: the end of each range and its weight."""

    buckets: tuple[tuple[float, float], ...]
    sum: float


@dataclass(frozen=True)
class sampling:
    """How a value was estimated: from every `one_in`-th event, `num_samples` in all.

    `half_width`: of the 95 % confidence interval, in the counter's unit.
    """

    one_in: float
    num_samples: int
    half_width: float


@dataclass(frozen=True)
class reading:
    """The value of one counter. A value that is not available is None, never 0, with the `reason`.

    `sampled`: None for an exact value. `includes_pauses`: it counted while the session was stopped.
    """

    name: str
    unit: str
    kind: Kind
    value: int | float | list[int] | histogram | None
    reason: str = ""
    sampled: sampling | None = None
    includes_pauses: bool = False


@dataclass(frozen=True)
class readings(Mapping[str, reading]):
    """All readings of one moment, by their full names. `since_start_s`: since the session began."""

    since_start_s: float
    values_by_name: Mapping[str, reading]

    def __getitem__(self, name: str) -> reading:
        return self.values_by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_name)

    def __len__(self) -> int:
        return len(self.values_by_name)

    def frame(self) -> pl.DataFrame:
        """Returns a polars frame: name, unit, kind, value, reason. Arrays and histograms are None.

        `value` is a float64, so whole numbers above 2**53 are rounded.
        """
        import polars as pl

        rows = [
            (each.name, each.unit, each.kind, _number(each.value), each.reason)
            for each in self.values()
        ]
        schema = dict.fromkeys(("name", "unit", "kind"), pl.String)
        whole = {**schema, "value": pl.Float64, "reason": pl.String}
        return pl.DataFrame(rows, schema=whole, orient="row")


class session:
    """Counters of this process that are read together; totals count from the session's start.

    `names`: full names, or patterns such as `/threads*/time/*`. Derived counters are names, too:
    `/arithmetics/divide@/threads/time/overall,/threads/count/cumulative`.
    Threads: one at a time. Reading holds up no worker.
    Errors:  `weft.error` for a name that means nothing, with the nearest one.
    """

    def __init__(self, *names: str) -> None:
        self._session = _weft.session(list(names))

    def read(self, *, reset: bool = False) -> readings:
        """Reads all of them at one moment. `reset`: totals then count from now on."""
        since_start_s, rows = self._session.evaluate(reset)
        found = [_reading(row) for row in rows]
        return readings(since_start_s, {each.name: each for each in found})

    def names(self) -> list[str]:
        """Returns the full names in order."""
        return self._session.names()

    def reset(self) -> None:
        """Lets totals count from now on."""
        self._session.reset()

    def stop(self) -> None:
        """Pauses counting until `start`; readings say which counters go on meanwhile."""
        self._session.stop()

    def start(self) -> None:
        """Goes on counting."""
        self._session.start()


def discover(pattern: str = "*") -> list[str]:
    """Returns the names of the counters of this process that a pattern means; `*`: all types.

    Errors: `weft.error` if it means none, with the nearest one.
    """
    return _weft.discover("/*" if pattern == "*" else pattern)


@dataclass(frozen=True)
class known_process:
    """A process that has counters. `is_alive` is false if it was killed and left them behind."""

    pid: int
    program: str
    is_alive: bool


def processes() -> list[known_process]:
    """Returns all processes whose counters this user may read, killed ones included.

    Errors: `weft.error` if there is no folder of counters.
    """
    return [known_process(*row) for row in _weft.processes()]


class process:
    """The counters of a process that uses weft, read from outside: running, hanging or killed.

    The process does not notice. A process writes counters once its workers have started.
    Errors: `weft.error` if the process has none, says why.
    """

    def __init__(self, pid: int) -> None:
        self._process = _weft.process(pid)

    def look(self) -> dict[str, Any]:
        """Returns what `weft top --json` prints; times in seconds, None for what is unknown.

        The first look is about the time since the start of the process, later ones about the last
        second or so: `interval_s`.
        """
        found: dict[str, Any] = json.loads(self._process.look())
        return found


def _reading(row: _weft.type_of_reading) -> reading:
    name, unit, kind, value, reason, sampled, includes_pauses = row
    shown = histogram(tuple(value[0]), value[1]) if isinstance(value, tuple) else value
    estimate = None if sampled is None else sampling(*sampled)
    return reading(name, unit, cast("Kind", kind), shown, reason, estimate, includes_pauses)


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None

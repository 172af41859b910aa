# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A race of contestants on several benchmarks, as the page and the terminal show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Winner:
    """The fastest of one contest on the first screen."""

    name: str
    color: str
    runner_up: str
    runner_up_ratio: str
    mark: str
    level: str
    verdict: str
    rivals: tuple[str, ...]


@dataclass(frozen=True)
class WinnersRow:
    """One benchmark of the first screen: a winner per count of cores, None if none was timed."""

    benchmark: str
    winners: tuple[Winner | None, ...]


@dataclass(frozen=True)
class MatrixCell:
    """One runtime in one contest; `level` is its look."""

    text: str
    details: tuple[str, ...] = ()
    level: str = ""
    title: str = ""


@dataclass(frozen=True)
class MatrixRow:
    """One contest; `is_first` starts a new benchmark."""

    benchmark: str
    is_first: bool
    cores: int
    serial: str
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True)
class HeadToHead:
    """The whole contest for the page. `name`: that of its figure. `is_decision`: it is the answer
    of the whole run."""

    name: str
    title: str
    is_decision: bool
    lead: tuple[str, ...]
    legend: str
    caption: str
    cores: tuple[str, ...]
    winners: tuple[WinnersRow, ...]
    runtimes: tuple[str, ...]
    matrix: tuple[MatrixRow, ...]

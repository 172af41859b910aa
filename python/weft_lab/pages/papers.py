# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The papers the lab reproduces: their tables and figures by name, and published values."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import filter as filter_names
from functools import cache
from importlib import resources
from typing import Any

from weft_lab.errors import UsageError
from weft_lab.storage.checkout import EVERY_SUITE, SUITES

# The prefix of the names of a paper's items, and the paper's own name in `items.toml`.
PAPERS = {
    "counters": "hpx-counters",
    "pstl": "pstl-bench",
    "mpi": "mpi-report",
    "hpx-cpp": "hpx-modern",
    "gcl": "gcl",
}
SINCE_CPP20 = ("shift_left", "shift_right")


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper.

    `form` names the function that draws it, and is empty while its suite does not exist.
    `published` quotes the paper if it prints no numbers. `sizes`: `all`, `largest` or `tier` (those
    of the problem). `threads`: `all` (that is, 1 and all) or `powers`. `drawn_in`: the page that
    shows its content, if nothing is measured for it.
    """

    name: str
    title: str
    suite: str
    form: str = ""
    only: tuple[str, ...] = ()
    sizes: str = "largest"
    threads: str = "all"
    allocators: tuple[str, ...] = ()
    placements: tuple[str, ...] = ()
    smt: tuple[str, ...] = ()
    protocol: str = "robust"
    case: str = ""
    published: tuple[str, ...] = ()
    drawn_in: str = ""

    @property
    def paper(self) -> str:
        return PAPERS[self.name.rpartition("-")[0]]

    @property
    def table_key(self) -> str:
        """`table5` for `pstl-table5`."""
        return self.name.rpartition("-")[2]

    @property
    def is_possible(self) -> bool:
        return self.has_suite and bool(self.form)

    @property
    def has_suite(self) -> bool:
        return self.suite in EVERY_SUITE

    @property
    def availability(self) -> str:
        if self.drawn_in:
            return f"nothing to measure: see {self.drawn_in}"
        if not self.has_suite:
            return f"needs the suite '{self.suite}', not in this version"
        return "yes" if self.form else "measured, but not drawn in this version"


@cache
def items() -> tuple[Item, ...]:
    """Every item, in the order of the papers."""
    rows = _items_file()["item"]
    return tuple(Item(**{name: _frozen(value) for name, value in row.items()}) for row in rows)


@cache
def papers() -> Mapping[str, Mapping[str, str]]:
    """Citation and, if there is one, DOI by paper."""
    return {row["id"]: row for row in _items_file()["paper"]}


def panels(item: Item) -> tuple[Item, ...]:
    """The parts of a figure that has several: `fig4a` and `fig4b` of `fig4`."""
    parts = (other for other in items() if other.name[:-1] == item.name)
    return tuple(parts)


def find_item(name: str) -> Item:
    """The item called `name`, if this version can do it. Errors: `UsageError`."""
    found = next((item for item in items() if item.name == name), None)
    if found is None:
        near = difflib.get_close_matches(name, [item.name for item in items()], n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'? " if near else ""
        what = f"unknown paper item '{name}'"
        why = "items are named PAPER-TABLE or PAPER-FIGURE, for example pstl-table5, counters-fig1"
        raise UsageError(what, why, f"{hint}./weft reproduce --list shows every item")
    if not found.is_possible:
        raise _not_possible(name, found)
    return found


def _not_possible(name: str, item: Item) -> UsageError:
    what = f"'{name}' ({item.title}): {item.availability}"
    if item.drawn_in:
        why = "it explains an interface and shows no measurement"
        return UsageError(what, why, f"read {item.drawn_in}, which has its counterpart")
    possible = next(each.name for each in items() if each.is_possible)
    remedy = f"choose another from ./weft reproduce --list, e.g. {possible}"
    if item.has_suite:
        why = "nothing draws items of its form yet"
        remedy = f"./weft run --suite {item.suite} measures what it shows; or {remedy}"
    else:
        why = f"this version has the suites {', '.join(SUITES)}"
    return UsageError(what, why, remedy)


def citation(paper: str) -> str:
    """`Authors: Title, venue, doi`."""
    row = papers()[paper]
    return row["citation"] + (f", doi {row['doi']}" if row.get("doi") else "")


@cache
def published_pstl_bench() -> Mapping[str, Any]:
    """The numbers the pSTL-Bench paper printed, by table."""
    return dict(json.loads(_text("pstl_bench.json")))


def standard_algorithms(problems: Iterable[str]) -> frozenset[str]:
    """The given names that are C++20 algorithms with an execution policy."""
    here = list(problems)
    patterns = (*published_pstl_bench()["table1"], *SINCE_CPP20)  # `remove*` stands for several
    return frozenset(name for pattern in patterns for name in filter_names(here, pattern))


@cache
def published_hpx_counters() -> Mapping[str, Any]:
    """The published numbers of the paper on HPX's counters, by table, and its text on figures."""
    return dict(json.loads(_text("hpx_counters.json")))


@cache
def published_hpx_modern() -> Mapping[str, Any]:
    """The published numbers of the paper on modern C++ and HPX: its tables, and its figures without
    measurements."""
    return dict(json.loads(_text("hpx_modern.json")))


def _items_file() -> dict[str, Any]:
    return tomllib.loads(_text("items.toml"))


def _text(name: str) -> str:
    return resources.files("weft_lab").joinpath("data", "papers", name).read_text(encoding="utf-8")


def _frozen(value: Any) -> Any:  # noqa: ANN401 - TOML
    return tuple(value) if isinstance(value, list) else value

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The axes of the command line that each suite has; found by its folder in `suites/`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache


@dataclass(frozen=True)
class Axes:
    """The axes of one suite.

    `order`: the suite's place in lists. `has_cells`: a run of it is cells of bench programs;
    otherwise it is launches that the suite plans by itself. `infos`: the file of `data/` that
    describes its backends. `registers`: its problems are rows of tables, several to a file.
    `size_names`: if sizes are classes of inputs. `types`, `allocators`: all that it supports;
    empty: no limit. `has_own_verb`: a verb of its name measures it, and `--suite` does not.
    """

    name: str
    order: int = 99
    has_cells: bool = True
    has_element_types: bool = False
    has_launch_policies: bool = False
    infos: str = "backends.toml"
    registers: bool = False
    size_axis: str = "n ="
    size_names: Mapping[int, str] = field(default_factory=dict, hash=False)
    types: tuple[str, ...] = ()
    allocators: tuple[str, ...] = ()
    has_own_verb: bool = False


@cache
def every() -> tuple[Axes, ...]:
    """Those of all suites, in their order: `AXES` of every `suites/<name>/axes.py`."""
    places = importlib.import_module("weft_lab.suites").__path__
    names = [module.name for module in pkgutil.iter_modules(places) if module.ispkg]
    found = (importlib.import_module(f"weft_lab.suites.{name}.axes").AXES for name in names)
    return tuple(sorted(found, key=lambda axes: (axes.order, axes.name)))


def of(suite: str) -> Axes:
    """The axes of a suite; of an unknown suite, the common ones."""
    return next((axes for axes in every() if axes.name == suite), Axes(suite))

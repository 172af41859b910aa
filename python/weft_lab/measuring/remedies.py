# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands that measure separately the cells that did not fit a run."""

from __future__ import annotations

import shlex

from weft_lab.storage import axes
from weft_lab.storage.cells import LAUNCH, Cell, format_size
from weft_lab.storage.checkout import cases, size_text


def place_of(suite: str, label: str, type_: str, size: int) -> str:
    """`sort double at 2^20`, `uts with the input paper`."""
    own = axes.of(suite)
    if own.has_own_verb:
        return f"size {size}"
    if own.has_element_types:
        return f"{label} {type_} at {format_size(size)}"
    return f"{label} with {own.size_axis} {size_text(suite, size)}"


def run_command(suite: str, label: str, type_: str, size: int) -> str:
    """The command that measures one size of one problem. Task runtimes have no element types, and
    their sizes are plain numbers."""
    if axes.of(suite).has_own_verb:
        return "give the same command more time, such as --budget 10m"
    only = f"--only {shlex.quote(label.split(maxsplit=1)[0])}"
    if axes.of(suite).has_element_types:
        return f"./weft run {only} --type {shlex.quote(type_)} --size {format_size(size)}"
    full = "" if _is_in_default_tier(suite, label) else " --full"
    policy = "".join(
        f" --{word.replace('=', ' ')}" for word in label.split() if word.startswith(f"{LAUNCH}=")
    )
    return f"./weft run --suite {suite} {only} --size {size_text(suite, size)}{policy}{full}"


def _is_in_default_tier(suite: str, label: str) -> bool:
    """A label may contain more than a case: a launch policy."""
    problem, words = label.partition(" ")[0], set(label.split())
    named = (
        case
        for case in cases(suite, [problem])
        if words >= set(Cell(suite, problem, params=case.params).label.split())
    )
    return all(case.is_in_tier("default") for case in named)

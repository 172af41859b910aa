# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Allocators that replace malloc in a whole process: their paths, and how they are loaded."""

from __future__ import annotations

import ctypes.util
from collections.abc import Mapping
from functools import cache
from typing import Any

# By the cell's allocator: names of the library for the linker, the preferred one first.
LIBRARIES: Mapping[str, tuple[str, ...]] = {"tcmalloc": ("tcmalloc_minimal", "tcmalloc")}
REMEDIES: Mapping[str, str] = {"tcmalloc": "apt-get install libtcmalloc-minimal4"}


@cache
def library_of(allocator: str) -> str | None:
    """The library to load first, by a name that the dynamic linker finds; None if there is none."""
    found = (ctypes.util.find_library(name) for name in LIBRARIES.get(allocator, ()))
    return next((name for name in found if name is not None), None)


def environment_for(allocator: str, environment: Mapping[str, str]) -> dict[str, str]:
    """`environment` with the allocator's library before the libraries that it preloads already."""
    library = library_of(allocator)
    if library is None:
        return dict(environment)
    before = environment.get("LD_PRELOAD")
    return {**environment, "LD_PRELOAD": f"{library} {before}" if before else library}


def as_the_program_knows_it(cell: Mapping[str, Any]) -> dict[str, Any]:
    """A program that runs on another malloc is asked for its default allocation."""
    is_preloaded = cell["allocator"] in LIBRARIES
    return {**cell, "allocator": "default"} if is_preloaded else dict(cell)

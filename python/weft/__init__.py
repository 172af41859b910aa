# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""weft for Python: parallel algorithms on NumPy arrays, counters, measurements, halo exchange.

`import weft` loads nothing else and starts no thread: each name is loaded when it is used first.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weft import algorithms, counters, halo, lab
    from weft._weft import error
    from weft.algorithms import (
        cumsum,
        histogram,
        max,
        min,
        num_workers,
        set_num_workers,
        sort,
        sum,
    )
    from weft.lab import bench, read_run, report

_MODULES = ("algorithms", "counters", "halo", "lab")
_HOMES = {
    "weft._weft": ("error",),
    "weft.algorithms": (
        "cumsum",
        "histogram",
        "max",
        "min",
        "num_workers",
        "set_num_workers",
        "sort",
        "sum",
    ),
    "weft.lab": ("bench", "read_run", "report"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
_COMPILED = "_weft"

__all__ = [
    "algorithms",
    "bench",
    "counters",
    "cumsum",
    "error",
    "halo",
    "histogram",
    "lab",
    "max",
    "min",
    "num_workers",
    "read_run",
    "report",
    "set_num_workers",
    "sort",
    "sum",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - of any of these names
    if name in _MODULES:
        return importlib.import_module(f"weft.{name}")
    if name == _COMPILED:
        return _compiled()
    if name in _HOME_OF:
        value = getattr(importlib.import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    message = f"module 'weft' has no attribute '{name}'"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _compiled() -> Any:  # noqa: ANN401 - a module
    """Errors: `ImportError` that says how to build it."""
    try:
        return importlib.import_module(f"weft.{_COMPILED}")
    except ModuleNotFoundError as error:
        message = (
            f"the compiled module weft.{_COMPILED} is not here. Install weft with "
            "`pip install .`, or build the target weft_python and add build/<preset>/python to "
            "PYTHONPATH (docs/python.md)"
        )
        raise ImportError(message, name=error.name) from error

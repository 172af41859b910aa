# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The verbs: one module each, exposing `command`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable


def verb_names() -> list[str]:
    """Returns the names of all verbs."""
    return [module.name for module in pkgutil.iter_modules(__path__)]


def verb(name: str) -> Callable[..., None]:
    """Returns the function of a verb."""
    command: Callable[..., None] = importlib.import_module(f"{__name__}.{name}").command
    return command

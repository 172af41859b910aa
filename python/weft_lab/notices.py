# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Words to the user that are no result: standard error, one line each, never wrapped."""

from __future__ import annotations

import sys


def warn(text: str) -> None:
    """Tells what did not go well although the verb goes on."""
    print(f"weft: {text}", file=sys.stderr)

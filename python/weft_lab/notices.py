# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Notices to the user that are not results: standard error, one line each, never wrapped."""

from __future__ import annotations

import sys


def warn(text: str) -> None:
    """Reports a problem although the verb continues."""
    print(f"weft: {text}", file=sys.stderr)

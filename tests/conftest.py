# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets every Python test import what `tests/support` and `tests/browser` hold."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in ("support", "browser"):
    sys.path.insert(0, str(Path(__file__).resolve().parent / folder))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lets every Python test import what `tests/support` holds."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

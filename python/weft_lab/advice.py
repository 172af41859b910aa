# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`advice.json`, what to use, and `summary.json`, every cell without its samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weft_lab.store import Record, ResultFolder


def write_advice(folder: ResultFolder, records: Sequence[Record], manifest: Mapping[str, Any]) -> None:
    pass

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes measurements for Extra-P: its JSON lines, one per value.

Format: {"params": {"p": 4}, "callpath": "jacobi", "metric": "time", "value": 1.5}.
Source:  Extra-P's documentation, "Data formats", JSON Lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from weft_lab.errors import ResultFolderError
from weft_lab.storage.folder_files import write


@dataclass(frozen=True)
class Measurement:
    """One value. Times are in seconds, in the metric `time`."""

    callpath: str
    parameters: Mapping[str, float]
    value: float
    metric: str = "time"


def to_lines(measurements: Iterable[Measurement]) -> str:
    """The text; repetitions of one point are one line each."""
    return "".join(
        json.dumps(
            {
                "params": dict(each.parameters),
                "callpath": each.callpath,
                "metric": each.metric,
                "value": each.value,
            },
            allow_nan=False,
        )
        + "\n"
        for each in measurements
    )


def write_extrap(path: Path, measurements: Iterable[Measurement]) -> Path:
    """Writes the file. Errors: `ResultFolderError` when there is nothing to write, or no place."""
    text = to_lines(measurements)
    if not text:
        raise ResultFolderError(
            what="nothing was measured",
            why="there is no time to export",
            remedy="measure, and export again",
        )
    try:
        return write(path.parent, path.name, text)
    except OSError as error:
        why = error.strerror or str(error)
        raise ResultFolderError(
            what=f"cannot write '{path}'", why=why, remedy="name a writable place"
        ) from error

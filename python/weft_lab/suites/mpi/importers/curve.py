# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result type of every importer, and their common errors."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from weft_lab.errors import ResultFolderError


class TruncatedError(ResultFolderError):
    """A file ends before the benchmark did; the message says after which size."""


class NotThatFormatError(ResultFolderError):
    """A file has no output of the benchmark that was named for it."""


@dataclass(frozen=True)
class Point:
    """One message size. Units: bytes, seconds of one message. `repetitions`: None if unknown."""

    size_bytes: int
    time_s: float
    repetitions: int | None = None


@dataclass(frozen=True)
class Curve:
    """One benchmark of a file; `notes` describe the effect of its policy on the numbers."""

    benchmark: str
    num_ranks: int | None
    points: tuple[Point, ...]
    notes: tuple[str, ...] = ()

    def positive(self) -> tuple[list[float], list[float]]:
        """Sizes and times of all messages that hold a byte, as the models take them."""
        used = [point for point in self.points if point.size_bytes > 0]
        return [float(point.size_bytes) for point in used], [point.time_s for point in used]


def read_text(path: Path) -> str:
    """The file. Errors: `ResultFolderError` when it cannot be read."""
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ResultFolderError(
            what=f"cannot read '{path}'",
            why=error.strerror or str(error),
            remedy="name a file that a benchmark wrote",
        ) from error


def truncated(source: str, benchmark: str, why: str) -> TruncatedError:
    """The error for a file that stops in the middle."""
    return TruncatedError(
        what=f"'{source}' ends within {benchmark}",
        why=why,
        remedy="run the benchmark to its end, or cut its unfinished table off by hand",
    )


def not_that_format(source: str, name: str, wanted: str) -> NotThatFormatError:
    """The error for a file of another kind."""
    return NotThatFormatError(
        what=f"'{source}' is no output of {name}",
        why=f"it has no {wanted}",
        remedy="the formats known are imb, osu and gbench",
    )

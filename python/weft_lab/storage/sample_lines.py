# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines of `samples.jsonl`: the content of usable ones, and a message about each other one."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft_lab.errors import ResultFolderError
from weft_lab.storage.cells import Cell
from weft_lab.storage.folder_files import parse
from weft_lab.storage.records import SCHEMA, kinds

DAMAGE_TOLD_MAX = 5
Record = dict[str, Any]
NUMBER = (int, float)
# The fields that readers require in a result that the lab stored; the full contract is
# data/record.schema.json.
RESULT_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "cell": dict,
    **kinds("suite", "variant", "status", "launch", "round"),
}
# If a result has these fields, they are of this kind.
OPTIONAL_FIELDS = kinds("backend", "toolchain", "parallelism", "resources", "counters", "probe_s")
TIME_MAX_S = 1e9


@dataclass(frozen=True)
class CorruptLine:
    """A line that could not be used; `number` counts from 1."""

    number: int
    reason: str


@dataclass
class Samples:
    """The content of `samples.jsonl`: good records in order, and the lines that were skipped."""

    path: Path
    records: list[Record] = field(default_factory=list)
    corrupt: list[CorruptLine] = field(default_factory=list)
    torn_bytes: int = 0

    def damage(self) -> list[str]:
        """A text for each of the first damaged lines, and one with the number of the others."""
        told = [
            f"{self.path}, line {line.number} is skipped: {line.reason}; the other lines are "
            f"used. To see it: sed -n {line.number}p {shlex.quote(str(self.path))}"
            for line in self.corrupt[:DAMAGE_TOLD_MAX]
        ]
        hidden = len(self.corrupt) - DAMAGE_TOLD_MAX
        told += [f"{self.path}: {hidden} more lines are skipped"] if hidden > 0 else []
        if self.torn_bytes:
            folder = shlex.quote(str(self.path.parent))
            told.append(
                f"{self.path} ends in the middle of a line, which is skipped: the run was "
                f"stopped there, or is still running. To continue: ./weft resume {folder}"
            )
        return told


def read_lines(path: Path, data: bytes) -> Samples:
    """The records in `data`, the content of `path`; damaged lines are separate.

    Errors: `ResultFolderError` for a record of a newer schema.
    """
    samples = Samples(path)
    *lines, torn = data.split(b"\n")
    samples.torn_bytes = len(torn)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            samples.records.append(_parse(line, f"{path}, line {number}"))
        except ValueError as error:
            samples.corrupt.append(CorruptLine(number, str(error)))
    return samples


def refuse_newer(record: Mapping[str, Any], where: str) -> None:
    """Errors: `ResultFolderError` when the record is not of a schema this version reads."""
    schema = record.get("schema")
    if not isinstance(schema, int) or schema > SCHEMA:
        raise ResultFolderError(
            what=f"{where} has schema {schema!r}",
            why=f"this weft reads schema {SCHEMA} and older",
            remedy="read it with the weft version that wrote it, or a newer one",
        )


def _parse(line: bytes, where: str) -> Record:
    """Errors: `ValueError` for a damaged line."""
    try:
        value = parse(line)
    except json.JSONDecodeError as error:
        message = f"not JSON ({error.msg} at character {error.pos + 1})"
        raise ValueError(message) from error
    except UnicodeDecodeError as error:
        message = "not text in UTF-8"
        raise ValueError(message) from error
    if not isinstance(value, dict) or not isinstance(value.get("schema"), int):
        message = "not a JSON object with a schema number"
        raise ValueError(message)
    refuse_newer(value, where)
    if value.get("record") == "result":
        _check_result(value)
    return value


def _check_result(record: Record) -> None:
    for name, kind in RESULT_FIELDS.items():
        if not isinstance(record.get(name), kind):
            message = f"a result whose '{name}' is missing or of the wrong kind"
            raise ValueError(message)
    for name, kind in OPTIONAL_FIELDS.items():
        if record.get(name) is not None and not isinstance(record[name], kind):
            message = f"a result whose '{name}' is of the wrong kind"
            raise ValueError(message)
    try:
        Cell.from_dict(record["cell"], record["suite"])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        message = "a result whose cell cannot be read"
        raise ValueError(message) from error
    samples_s = record.get("samples_s", None if record["status"] == "ok" else [])
    if not isinstance(samples_s, list):
        message = "a result without samples"
        raise ValueError(message)
    times = (*samples_s, record.get("took_s", 0.0))
    is_possible = all(isinstance(time_s, NUMBER) and 0 <= time_s <= TIME_MAX_S for time_s in times)
    if not is_possible or not all(samples_s):
        message = "a result with a time that is not a number, negative, zero, or above 1e9 s"
        raise ValueError(message)

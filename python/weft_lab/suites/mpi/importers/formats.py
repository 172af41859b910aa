# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The formats that can be imported, and their recognition."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from weft_lab.storage.cells import check_names
from weft_lab.suites.mpi.importers.curve import Curve, read_text
from weft_lab.suites.mpi.importers.gbench import read_gbench
from weft_lab.suites.mpi.importers.imb import read_imb
from weft_lab.suites.mpi.importers.osu import read_osu

FORMATS: Mapping[str, Callable[[str, str], list[Curve]]] = {
    "imb": read_imb,
    "osu": read_osu,
    "gbench": read_gbench,
}


def read_curves(path: Path, format_: str | None = None) -> list[Curve]:
    """The curves of a file, whose format is recognised if not named.

    Errors:  `UsageError` for an unknown format; those of the format's reader.
    """
    if format_ is not None:
        check_names("format", [format_], FORMATS)
    text = read_text(path)
    return FORMATS[format_ or recognise(text)](text, str(path))


def recognise(text: str) -> str:
    """The format that the text looks like; `imb` if there is no sign."""
    if text.lstrip().startswith("{"):
        return "gbench"
    return "osu" if "# OSU " in text else "imb"

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads the tables of `data/`; a key that nothing reads is an error, with the nearest known."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib import resources
from typing import Any

from weft_lab.errors import UsageError

FOLDER = "python/weft_lab/data"


def load(name: str) -> dict[str, Any]:
    """The file `data/<name>`. Errors: `UsageError` with the line if it is not TOML."""
    text = resources.files("weft_lab").joinpath("data", name).read_text(encoding="utf-8")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _error(name, "cannot be read", str(error), "correct") from error


def check_keys(
    name: str,
    place: str,
    keys: Iterable[str],
    known: Collection[str],
    needed: Collection[str] = (),
) -> None:
    """Rejects an unknown key of `place` in the file, and a missing `needed` one."""
    found = list(keys)
    for key in found:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean '{near[0]}'? correct" if near else "correct"
            why = f"known are {', '.join(known)}"
            raise _error(name, f"has an unknown key '{key}' in {place}", why, hint)
    for key in needed:
        if key not in found:
            why = f"there are {', '.join(found) or 'none'}"
            raise _error(name, f"lacks the key '{key}' in {place}", why, f"add '{key}' in")


def check_rows(
    name: str,
    table: str,
    rows: Iterable[Mapping[str, Any]],
    known: Collection[str],
    needed: Sequence[str],
) -> None:
    """`check_keys` for every row of the array [[table]]; rows are called by their `needed[0]`."""
    for row in rows:
        check_keys(name, f"[[{table}]] {row.get(needed[0], '')}".rstrip(), row, known, needed)


def _error(name: str, what: str, why: str, remedy: str) -> UsageError:
    return UsageError(what=f"{name} {what}", why=why, remedy=f"{remedy} {FOLDER}/{name}")

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A TOML file of commands and options for `weft bench --file`, which the user names and trusts.

Its commands are run, so that no such file is ever looked for: only `--file` names one.
"""

from __future__ import annotations

import difflib
import shlex
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from weft_lab.errors import UsageError
from weft_lab.suites.bench.asked import Contestant, named
from weft_lab.suites.bench.asking import Line

COMMAND, RUN, NAME = "command", "run", "name"
TEXTS = ("threads", "metric", "expect")
TABLES = ("param", "env")
TEXT = ("placement", "setup", "prepare", "cleanup", "budget", "baseline", "fail_if_slower")
PATHS = ("stdin", "directory")
WHOLE = ("warmup", "rounds", "seed")
NUMBERS = ("timeout",)
KEYS = (COMMAND, *TEXTS, *TABLES, *TEXT, *PATHS, *WHOLE, *NUMBERS)
FROM_ONE = ("rounds",)
EXAMPLE = '[[command]]\n     name = "mine"\n     run = "./program {n}"'


def with_file(line: Line, path: Path, typed: Collection[str]) -> Line:
    """The line with the file's commands, and those of its options that are not `typed`.

    Errors: `UsageError` that names the file and the key.
    """
    if line.words:
        what, why = "--file and a command", "the file names the commands"
        raise UsageError(what, why, "leave out one of them")
    content = _read(path)
    _check_keys(path, "the file", content, KEYS)
    chosen = {
        key: _value(path, key, value)
        for key, value in content.items()
        if key != COMMAND and key not in typed
    }
    known = {each.name for each in fields(Line)}
    assert set(chosen) <= known, chosen
    return replace(line, contestants=_contestants(path, content.get(COMMAND)), **chosen)


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        what, why = f"cannot read '{path}'", error.strerror or str(error)
        raise UsageError(what, why, "check the name behind --file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        what = f"'{path}' is no TOML file"
        raise UsageError(what, str(error), "correct that line") from error


def _check_keys(path: Path, place: str, found: Collection[str], known: Collection[str]) -> None:
    for key in found:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            raise UsageError(
                what=f"'{path}' has an unknown key '{key}' in {place}",
                why=f"known are {', '.join(known)}",
                remedy=f"did you mean '{near[0]}'?" if near else "correct or remove it",
            )


def _contestants(path: Path, rows: object) -> tuple[Contestant, ...]:
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        what, why = f"'{path}' names no command", f"each is a table [[{COMMAND}]]"
        raise UsageError(what, why, f"write\n     {EXAMPLE}")
    commands = []
    for number, row in enumerate(rows, start=1):
        place = f"[[{COMMAND}]] number {number}"
        _check_keys(path, place, row, (NAME, RUN))
        commands.append(
            (_text(path, f"{NAME} of {place}", row.get(NAME, "")), _argv(path, place, row))
        )
    return named(commands)


def _argv(path: Path, place: str, row: Mapping[str, Any]) -> list[str]:
    """Words; a text is split as a shell splits it, but no shell runs it."""
    given = row.get(RUN, "")
    if isinstance(given, list):
        return [_text(path, f"{RUN} of {place}", word) for word in given]
    try:
        return shlex.split(_text(path, f"{RUN} of {place}", given))
    except ValueError as error:
        what = f"'{path}': {RUN} of {place} cannot be split into words"
        raise UsageError(what, str(error), 'write a list: run = ["./program", "it\'s"]') from error


def _value(path: Path, key: str, value: object) -> Any:  # noqa: ANN401 - of the line's field
    if key in TEXTS:
        return tuple(_text(path, key, each) for each in _list(value))
    if key in TABLES:
        if not isinstance(value, dict):
            raise _wrong(path, key, value, f'a table: {key} = {{ n = "1,2" }}')
        return tuple(f"{name}={_joined(path, key, text)}" for name, text in value.items())
    if key in WHOLE:
        return _whole(path, key, value)
    if key in NUMBERS:
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise _wrong(path, key, value, "a number above 0")
        return float(value)
    text = _text(path, key, value)
    return Path(text) if key in PATHS else text


def _whole(path: Path, key: str, value: object) -> int:
    least = 1 if key in FROM_ONE else 0
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise _wrong(path, key, value, f"a whole number from {least} on")
    return value


def _joined(path: Path, key: str, value: object) -> str:
    """Values as the option has them: with commas between."""
    texts = [_text(path, key, each) for each in _list(value)]
    if isinstance(value, list) and (not texts or any("," in text for text in texts)):
        raise _wrong(path, key, value, "values without commas, and at least one")
    return ",".join(texts)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _text(path: Path, key: str, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _wrong(path, key, value, "a text")
    return str(value)


def _wrong(path: Path, key: str, value: object, wanted: str) -> UsageError:
    what, why = f"'{path}' has {key} = {value!r}", f"it has to be {wanted}"
    return UsageError(what, why, "correct it; docs/bench.md shows such a file")

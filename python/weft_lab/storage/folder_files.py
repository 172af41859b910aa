# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of result folders: data from anyone, so links are not followed and numbers are checked."""

from __future__ import annotations

import contextlib
import errno
import json
import math
import os
import re
import secrets
import stat
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, NoReturn

from weft_lab.errors import ResultFolderError

BYTES_MAX = 1 << 31
INTEGER_MAX = 1 << 64
# Terminals interpret C0 (except tab and line feed), DEL and C1; no file can contain half a
# surrogate pair.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def open_regular(path: Path, mode: str) -> IO[Any]:
    """Opens a file of a result folder without buffer.

    Errors: `OSError`, also for a link, a pipe or a device. This call never blocks.
    """
    more = os.O_NOFOLLOW | os.O_NONBLOCK
    stream = open(path, mode, 0, opener=lambda name, flags: os.open(name, flags | more))  # noqa: SIM115  # the caller closes it
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    return stream


def read(path: Path) -> bytes:
    """Returns the content of a file of a result folder. Errors: `OSError`, as `open_regular`."""
    with open_regular(path, "rb") as stream:
        if os.fstat(stream.fileno()).st_size > BYTES_MAX:
            raise OSError(errno.EFBIG, f"larger than {BYTES_MAX >> 30} GiB", str(path))
        return bytes(stream.read())


def write(folder: Path, name: str, content: str | bytes, *, is_durable: bool = False) -> Path:
    """Replaces a file in one step: a reader sees the old or the new file, never a part.

    A link of that name is replaced, not followed, and a slash in the name becomes a hyphen.
    `is_durable`: the file is on the disk when this returns. Errors: `OSError`.
    """
    target = folder / name.replace("/", "-").replace("\0", "-")
    partial = folder / f".{secrets.token_hex(8)}"
    try:
        with partial.open("xb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)
            stream.flush()
            if is_durable:
                os.fsync(stream.fileno())
        partial.replace(target)
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
    return target


def make(folder: Path) -> Path:
    """Makes a folder within a result folder. Errors: `OSError`, also for a link to elsewhere."""
    for place in (folder.parent, folder):
        if place.is_symlink():
            raise OSError(errno.ELOOP, "a link, which a result folder must not hold", str(place))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def parse(text: bytes) -> Any:  # noqa: ANN401 - JSON
    """Returns JSON of a result folder, control characters of its texts replaced.

    Errors: `ValueError`, also for numbers that are not finite and for deep nesting.
    """
    try:
        value = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, parse_int=_bounded
        )
        is_plain = text.isascii() and b"\\" not in text and b"\x7f" not in text
        return value if is_plain else _printable(value)
    except RecursionError as error:
        message = "nested too deeply"
        raise ValueError(message) from error


@contextlib.contextmanager
def understood(folder: Path) -> Iterator[None]:
    """Converts errors that unexpected values in a result folder cause to a `ResultFolderError`."""
    try:
        yield
    except (
        ArithmeticError,
        AttributeError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
    ) as e:
        at = traceback.extract_tb(e.__traceback__)[-1]
        raise ResultFolderError(
            what=f"'{folder}' holds a value that weft cannot use",
            why=f"{type(e).__name__}: {e} ({Path(at.filename).name}, line {at.lineno})",
            remedy="docs/reference/records.md says what each file holds",
        ) from e


def _printable(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        return UNPRINTABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_printable(each) for each in value]
    if isinstance(value, dict):
        return {_printable(key): _printable(each) for key, each in value.items()}
    return value


def _refuse_constant(name: str) -> NoReturn:
    message = f"{name} is not JSON"
    raise ValueError(message)


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        message = f"{text} is too large"
        raise ValueError(message)
    return value


def _bounded(text: str) -> int:
    value = int(text) if len(text) < 25 else INTEGER_MAX
    if abs(value) >= INTEGER_MAX:
        message = f"{text[:25]} is too large"
        raise ValueError(message)
    return value

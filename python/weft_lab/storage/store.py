# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The result folder: append-only samples, a manifest replaced atomically, and readers that survive
a partial write."""

from __future__ import annotations

import contextlib
import difflib
import errno
import fcntl
import json
import os
import re
import socket
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from weft_lab.errors import ResultFolderError
from weft_lab.storage.folder_files import open_regular, parse, read, write
from weft_lab.storage.records import SCHEMA
from weft_lab.storage.sample_lines import Record, Samples, read_lines, refuse_newer

SKIP_KEYS = ("code", "message", "remedy")
__all__ = ["SCHEMA", "Record", "ResultFolder", "SampleWriter", "Samples", "argument_for"]


class ResultFolder:
    """One run's folder. Layout: docs/reference/records.md and the README of every result."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @property
    def samples_path(self) -> Path:
        return self.path / "samples.jsonl"

    @property
    def manifest_path(self) -> Path:
        return self.path / "manifest.json"

    @property
    def skipped_path(self) -> Path:
        return self.path / "skipped.json"

    @classmethod
    def create(cls, results: Path, now_s: float | None = None) -> ResultFolder:
        """Makes `results/<UTC stamp>-<host>`.

        Errors: `ResultFolderError` when the place cannot be written.
        """
        stamp = time.strftime("%Y-%m-%dT%H%M%S", time.gmtime(now_s))
        host = re.sub(r"[^A-Za-z0-9._-]", "_", socket.gethostname()) or "host"
        try:
            results.mkdir(parents=True, exist_ok=True)
            path = _make_unique(results, f"{stamp}-{host}")
            folder = cls(path)
            folder.samples_path.touch()
        except OSError as error:
            raise _unwritable(results, error) from error
        return folder

    @classmethod
    def open(cls, path: Path) -> ResultFolder:
        """An existing folder, or a `ResultFolderError` that says what it lacks.

        A path that does not exist is also tried under `results/`, so a name or `latest` is enough.
        """
        for candidate in (path, Path("results") / path):
            if candidate.is_dir():
                return cls._checked(candidate.resolve())
        raise ResultFolderError(
            what=f"no result folder '{path}'",
            why="there is no such folder, here or under results/",
            remedy=_way_to_a_run(path.name),
        )

    @classmethod
    def _checked(cls, path: Path) -> ResultFolder:
        folder = cls(path)
        missing = [p.name for p in (folder.manifest_path, folder.samples_path) if not p.is_file()]
        if missing:
            raise ResultFolderError(
                what=f"'{path}' is not a complete result folder",
                why=f"it has no {' and no '.join(missing)}",
                remedy="name a folder that ./weft run made; results/latest is the newest",
            )
        return folder

    def point_latest(self) -> None:
        """Makes the link `latest` beside the folder point to it. Errors: `ResultFolderError`."""
        self.point("latest")

    def point(self, link: str) -> None:
        """Makes a link of that name beside the folder point to it. Errors: `ResultFolderError`."""
        try:
            _point(self.path.parent, link, self.path.name)
        except OSError as error:
            raise _unwritable(self.path.parent, error) from error

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Prevents other runs from writing into the folder; the kernel ends the lock with this
        process.

        Errors: `ResultFolderError` if another run holds the lock, or the folder cannot be written.
        """
        try:
            stream = open_regular(self.samples_path, "ab")
        except OSError as error:
            raise _unwritable(self.path, error) from error
        with stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise ResultFolderError(
                    what=f"another weft is measuring into '{self.path}'",
                    why="two at once would write over each other",
                    remedy=f"wait until it ends or stop it with Ctrl-C; ./weft report {self.path} "
                    "shows what there is already",
                ) from error
            except OSError:
                pass  # A network file system without locks: continue without one.
            yield

    def read_manifest(self) -> Record:
        """The manifest. Errors: `ResultFolderError` when it is not JSON or of a newer schema."""
        try:
            manifest = dict(parse(read(self.manifest_path)))
        except (OSError, TypeError, ValueError) as error:
            raise ResultFolderError(
                what=f"cannot read '{self.manifest_path}'",
                why=str(error),
                remedy="restore the manifest from a copy, or run again; the samples are untouched",
            ) from error
        refuse_newer(manifest, str(self.manifest_path))
        return manifest

    def write_json(self, name: str, content: Mapping[str, Any]) -> Path:
        """Replaces the file in one step: a reader sees the old or the new file, never a part."""
        text = json.dumps(content, indent=1, allow_nan=False) + "\n"
        try:
            return write(self.path, name, text, is_durable=True)
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def write_manifest(self, manifest: Mapping[str, Any]) -> None:
        self.write_json(self.manifest_path.name, {"schema": SCHEMA, **manifest})

    def discard(self) -> None:
        """Removes a folder without measurements; a folder with other content stays."""
        with contextlib.suppress(OSError):
            if self.samples_path.stat().st_size == 0:
                for path in (self.samples_path, self.manifest_path, self.skipped_path):
                    path.unlink(missing_ok=True)
                self.path.rmdir()

    def read_samples(self) -> Samples:
        """Every usable record; an incomplete last line is dropped, a corrupt one is reported by its
        number."""
        try:
            data = read(self.samples_path)
        except OSError as error:
            raise ResultFolderError(
                what=f"cannot read '{self.samples_path}'",
                why=str(error),
                remedy="check the folder's permissions",
            ) from error
        return read_lines(self.samples_path, data)

    def read_skipped(self, remedy: str) -> tuple[Record, ...]:
        """The cells that the run skipped; if they cannot be read, one entry that says so."""
        try:
            rows = parse(read(self.skipped_path))["skipped"]
            return tuple({key: row[key] for key in SKIP_KEYS} for row in rows)
        except OSError as error:
            why = error.strerror or str(error)
        except (KeyError, TypeError, ValueError) as error:
            why = repr(error)
        name = self.skipped_path.name
        message = f"what was not measured, and why, is not known: {name} cannot be read ({why})"
        return ({"code": "unknown", "message": message, "remedy": remedy},)

    def append(self) -> SampleWriter:
        """The only writer of `samples.jsonl`; removes an incomplete last line first, so that the
        file stays readable."""
        try:
            _cut_torn_line(self.samples_path)
            return SampleWriter(open_regular(self.samples_path, "ab"), self.path)
        except OSError as error:
            raise _unwritable(self.path, error) from error


def argument_for(path: Path) -> str:
    """The shortest text that identifies a result folder to a verb: its name if that is enough."""
    is_named = (Path("results") / path.name).resolve() == path.resolve()
    return path.name if is_named else str(path)


class SampleWriter:
    """Appends records; each is on the disk when `write` returns. The stream is unbuffered, so that
    `close` has nothing left that could fail on a full disk."""

    def __init__(self, stream: IO[bytes], folder: Path) -> None:
        self._stream = stream
        self._folder = folder

    def write(self, record: Record) -> None:
        line = json.dumps(record, separators=(",", ":"), allow_nan=False) + "\n"
        rest = line.encode()
        try:
            while rest:
                rest = rest[self._stream.write(rest) or 0 :]
            os.fsync(self._stream.fileno())
        except OSError as error:
            raise _unwritable(self._folder, error) from error

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> SampleWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _cut_torn_line(path: Path) -> None:
    with open_regular(path, "rb+") as stream:
        data = stream.read()
        stream.truncate(data.rfind(b"\n") + 1)


def _make_unique(results: Path, name: str) -> Path:
    for number in range(1, 1000):
        path = results / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path
    message = f"1000 folders named {name}"
    raise OSError(message)


def _point(results: Path, link: str, name: str) -> None:
    partial = results / f".{link}-{os.getpid()}"
    partial.unlink(missing_ok=True)
    partial.symlink_to(name)
    partial.replace(results / link)


def _way_to_a_run(name: str) -> str:
    results = Path("results")
    runs = [path.name for path in results.iterdir()] if results.is_dir() else []
    if not runs:
        return "measure first: ./weft report --quick"
    near = difflib.get_close_matches(name, runs, n=1)
    hint = f"did you mean '{near[0]}'? " if near else ""
    return f"{hint}type ls results to see the runs; results/latest is the newest that measured"


def _unwritable(path: Path, error: OSError) -> ResultFolderError:
    is_blocked = error.errno in (errno.EEXIST, errno.ENOTDIR)
    return ResultFolderError(
        what=f"cannot write results to '{path}'",
        why="it, or a folder above it, is a file" if is_blocked else error.strerror or str(error),
        remedy="choose a writable place with --results DIR, or free some space",
    )

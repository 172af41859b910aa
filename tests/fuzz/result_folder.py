# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Damages result folders and reads them as `./weft compare`, `merge`, `explain`, `report` do.

Only errors of `weft_lab.errors` may come out, within CPU_MAX_S: anything else is a crash, whose
folder is kept. `result_folder.py KEPT-FOLDER` reads such a folder again.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn
from unittest import mock

TREE = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TREE / "python"), str(TREE / "tests" / "support")]

from synthetic_run import FEW, ONE_PROBLEM, Shape, write_run  # noqa: E402  # needs the line above
from weft_lab.cli_options import Given  # noqa: E402  # as above
from weft_lab.commands import compare, explain, merge, report  # noqa: E402  # as above
from weft_lab.errors import UsageError, WeftError  # noqa: E402  # as above
from weft_lab.suites import cells  # noqa: E402  # as above

CPU_MAX_S = 10
WAIT_MAX_S = 60  # for a pipe, say; on a busy machine this is not computing time
SMALL = Shape(
    exponents=(3, 14), backends=FEW, problems=ONE_PROBLEM, launches=2, samples=3, has_counters=True
)
FILES = ("manifest.json", "samples.jsonl", "skipped.json")
TOPICS = ("reduce", "gnu", "likely", "timeout", "noise floor", "memory")

Verb = Callable[[Path, Path], None]


def _explain(folder: Path, _valid: Path) -> None:
    for topic in TOPICS:
        with contextlib.suppress(UsageError):
            explain.command(topic, folder)


def _report(folder: Path, _valid: Path) -> None:
    # Drawing takes seconds, and another project's library does it.
    with mock.patch.object(cells, "write_figures", return_value=({}, [])):
        report.command(folder=folder, **dataclasses.asdict(Given()))


VERBS: dict[str, Verb] = {
    "compare": lambda folder, valid: compare.command([valid, folder], None, 12, True, False),
    "explain": _explain,
    "merge": lambda folder, valid: merge.command([valid, folder], folder / "merged"),
    "report": _report,
}


class TooSlow(Exception):
    """A verb computed for more than CPU_MAX_S, or waited."""


def _too_slow(*_: object) -> NoReturn:
    raise TooSlow


# ---- damage ----


def _odd_value(chance: random.Random) -> object:
    """A value that no field expects, or only few."""
    deep: list[Any] = []
    for _ in range(chance.choice((3, 50_000))):
        deep = [deep]
    numbers = (None, True, -1, 0, 1e308, 10**400, float("nan"), float("-inf"))
    texts = ("", "x" * 70_000, "\x1b[31m\0\ud800", "<script>", "../../etc/passwd")
    return chance.choice((*numbers, *texts, [], {}, [None], {"a": {}}, deep))


def _places(value: object) -> Iterator[tuple[Any, Any]]:
    """Every container of a JSON value with each of its keys."""
    todo: list[Any] = [value]
    while todo:
        container = todo.pop()
        keys: Any = container if isinstance(container, dict) else range(len(container))
        for key in keys:
            yield container, key
            if isinstance(container[key], dict | list):
                todo.append(container[key])


def _text(value: object) -> str:
    """The value as JSON, also where it is nested too deeply for Python's own writer."""
    with contextlib.suppress(RecursionError):
        return json.dumps(value)
    deep = "[" * 50_000 + "]" * 50_000
    return json.dumps(value, default=str) if not isinstance(value, dict | list) else deep


def _damage_value(path: Path, chance: random.Random) -> None:
    """Replaces, deletes or doubles something in a JSON value of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    whole = path.suffix == ".json"
    number = 0 if whole else chance.randrange(len(lines))
    value = json.loads("\n".join(lines) if whole else lines[number])
    container, key = chance.choice(list(_places(value)))
    how = chance.randrange(6)
    if how == 0:
        del container[key]
    elif how == 1:
        other, its_key = chance.choice(list(_places(value)))
        container[key] = json.loads(json.dumps(other[its_key]))
    else:
        container[key] = _odd_value(chance)
    text = _text(value)
    if whole:
        lines = [text]
    else:
        lines[number] = text
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogatepass")


def _damage_bytes(path: Path, chance: random.Random) -> None:
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    how = chance.randrange(3)
    if how == 0:
        data[place] = chance.randrange(256)
    elif how == 1:
        del data[place:]
    else:
        data[place:place] = bytes(data[: chance.randrange(64)])
    path.write_bytes(data)


def _damage_file(path: Path, chance: random.Random) -> None:
    """Puts something else in the file's place."""
    path.unlink()
    how = chance.randrange(7)
    if how == 0:
        os.mkfifo(path)
    elif how == 1:
        path.mkdir()
    elif how == 2:
        path.symlink_to(chance.choice(("/dev/zero", "/dev/tty", path.name, "missing")))
    elif how == 3:
        path.write_bytes(b"")
    elif how == 4:
        path.write_bytes(b"[" * 200_000)
    elif how == 5:
        path.write_text("null\n", encoding="utf-8")


def damage(folder: Path, chance: random.Random) -> None:
    """Damages one or two of the folder's files."""
    for name in chance.sample(FILES, chance.choice((1, 1, 2))):
        how = chance.choices((_damage_value, _damage_bytes, _damage_file), (8, 2, 1))[0]
        how(folder / name, chance)


# ---- running ----


def read(folder: Path, verb: str, valid: Path) -> str:
    """Empty if the verb ends as it should, otherwise what came out and where it came from."""
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, _too_slow)
    signal.alarm(WAIT_MAX_S)
    signal.setitimer(signal.ITIMER_PROF, CPU_MAX_S)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            VERBS[verb](folder, valid)
    except WeftError:
        return ""
    except Exception as error:  # whatever comes out is a crash
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if "weft_lab" in frame.filename]
        last = (own or list(frames))[-1]
        text = str(error)[:100]
        return f"{type(error).__name__} at {Path(last.filename).name}:{last.lineno}: {text}"
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
    return ""


def fuzz(seconds: float, seed: int, kept: Path) -> int:
    """Damages folders until time is up; returns the number of different crashes."""
    chance = random.Random(seed)
    crashes: dict[str, Path] = {}
    num_runs = 0
    with tempfile.TemporaryDirectory() as scratch:
        valid = write_run(Path(scratch) / "valid", SMALL)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            folder = Path(scratch) / "damaged"
            shutil.copytree(valid, folder)
            damage(folder, chance)
            verb = chance.choice(list(VERBS))
            sample = Path(scratch) / "sample"
            shutil.copytree(folder, sample, symlinks=True, copy_function=_copy)
            problem = read(folder, verb, valid)
            num_runs += 1
            place = problem.partition(": ")[0]
            if problem and place not in crashes:
                crashes[place] = kept / f"result_folder-{seed}-{num_runs}-{verb}"
                shutil.copytree(sample, crashes[place], symlinks=True, copy_function=_copy)
                print(f"crash: {verb}: {problem}", f"again: {_again(crashes[place])}", sep="\n")
            shutil.rmtree(folder)
            shutil.rmtree(sample)
    print(f"stat::number_of_executed_units: {num_runs}")
    return len(crashes)


def _copy(source: str, target: str) -> None:
    """Copies a file; a pipe becomes a pipe."""
    if Path(source).is_fifo():
        os.mkfifo(target)
    else:
        shutil.copy(source, target, follow_symlinks=False)


def _again(folder: Path) -> str:
    return f"{sys.executable} -P {Path(__file__).relative_to(TREE)} {folder}"


def main() -> int:
    """Fuzzes, or reads one folder that was kept."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", nargs="?", type=Path)
    arguments.add_argument("--seconds", type=float, default=60)
    arguments.add_argument("--seed", type=int, default=int(time.time()))
    arguments.add_argument("--kept", type=Path, default=TREE / ".weft" / "fuzz" / "crashes")
    given = arguments.parse_args()
    if given.folder is None:
        print(f"seed {given.seed}")
        return 1 if fuzz(given.seconds, given.seed, given.kept) else 0
    with tempfile.TemporaryDirectory() as scratch:
        valid = write_run(Path(scratch) / "valid", SMALL)
        folder = Path(scratch) / "damaged"
        shutil.copytree(given.folder, folder, symlinks=True, copy_function=_copy)
        problem = read(folder, given.folder.name.rpartition("-")[2], valid)
    print(problem or "no crash")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main())

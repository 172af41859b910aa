# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Mistakes in the tables of `data/`: each is named with its file, its place and the nearest key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from weft_lab.errors import UsageError
from weft_lab.storage import checkout as suites
from weft_lab.storage import data_files

LOAD = data_files.load


@pytest.fixture(autouse=True)
def _fresh_tables() -> Iterator[None]:
    """Nothing is remembered from, or for, the other tests."""
    remembered = (suites._table, suites.backend_infos)
    for function in remembered:
        function.cache_clear()
    yield
    for function in remembered:
        function.cache_clear()


def use(monkeypatch: pytest.MonkeyPatch, changed: str, text: str) -> None:
    """`text` takes the place of the file `changed`."""

    def load(name: str) -> dict[str, Any]:
        return tomllib.loads(text) if name == changed else LOAD(name)

    monkeypatch.setattr(data_files, "load", load)


@pytest.mark.parametrize(
    ("text", "what", "remedy"),
    [
        (
            '[default]\n[[stl]]\nproblem = "sort"\ncall_nz = 7.0',
            "suites.toml has an unknown key 'call_nz' in [[stl]] sort",
            "did you mean 'call_ns'? correct python/weft_lab/data/suites.toml",
        ),
        (
            '[default]\n[[task]]\nproblem = "fib"',
            "suites.toml has an unknown key 'task' in the file",
            "did you mean 'tasks'?",
        ),
        (
            "[default]\nsetup = 8.0",
            "suites.toml has an unknown key 'setup' in [default]",
            "did you mean 'setup_ns'?",
        ),
        (
            '[default]\n[[tasks]]\nproblem = "fib"\nsizes = { quik = [27] }',
            "suites.toml has an unknown key 'quik' in sizes of [[tasks]] fib",
            "did you mean 'quick'?",
        ),
        (
            "[default]\n[[stl]]\ncall_ns = 7.0",
            "suites.toml lacks the key 'problem' in [[stl]]",
            "add 'problem' in python/weft_lab/data/suites.toml",
        ),
        ("", "suites.toml lacks the key 'default' in the file", "add 'default'"),
    ],
)
def test_a_mistake_in_the_cases_is_named(
    monkeypatch: pytest.MonkeyPatch, text: str, what: str, remedy: str
) -> None:
    use(monkeypatch, "suites.toml", text)

    with pytest.raises(UsageError) as caught:
        suites.cases("stl", ["sort"])

    assert caught.value.what == what
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("suite", "row", "what", "remedy"),
    [
        (
            "stl",
            'id = "gnu"\ndisplay = "GNU"\nlibary = "libstdc++"',
            "backends.toml has an unknown key 'libary' in [[backend]] gnu",
            "did you mean 'library'?",
        ),
        (
            "tasks",
            'id = "hpx"\ndisplay = "HPX"\nzzz = 1',
            "runtimes.toml has an unknown key 'zzz' in [[backend]] hpx",
            "correct python/weft_lab/data/runtimes.toml",
        ),
        (
            "stl",
            'id = "gnu"',
            "backends.toml lacks the key 'display' in [[backend]] gnu",
            "add 'display'",
        ),
    ],
)
def test_a_mistake_in_a_backend_is_named(
    monkeypatch: pytest.MonkeyPatch, suite: str, row: str, what: str, remedy: str
) -> None:
    use(monkeypatch, what.partition(" ")[0], f"[[backend]]\n{row}")

    with pytest.raises(UsageError) as caught:
        suites.backend_infos(suite)

    assert caught.value.what == what
    assert remedy in caught.value.remedy


def test_a_file_that_is_no_toml_is_named_with_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_text: str) -> None:
        message = "Expected '=' after a key (at line 3, column 5)"
        raise tomllib.TOMLDecodeError(message)

    monkeypatch.setattr(tomllib, "loads", fail)

    with pytest.raises(UsageError, match=r"suites\.toml cannot be read") as caught:
        data_files.load("suites.toml")

    assert "line 3" in caught.value.why


def test_every_row_of_a_suite_names_a_problem_that_exists() -> None:
    table = data_files.load("suites.toml")

    for suite in suites.SUITES:
        planned = {row["problem"] for row in table[suite]}
        assert planned <= set(suites.problems_in_checkout(suite))

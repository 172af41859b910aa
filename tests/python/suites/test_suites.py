# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every suite keeps the protocol, and a folder is all that a new one needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest
from weft_lab.measuring.options import RunOptions
from weft_lab.pages.papers import items
from weft_lab.storage import axes
from weft_lab.storage.checkout import SUITES
from weft_lab.suites import protocol
from weft_lab.suites.cells import CellSuite

NAMES = [each.name for each in axes.every()]
PLANTED = {
    "__init__.py": "",
    "axes.py": "from weft_lab.storage.axes import Axes\n\nAXES = Axes('fake', order=9)\n",
    "words.py": """
from weft_lab.pages.words import Words

WORDS = Words("puzzle", "pieces", "pieces", "{} pieces", "one hand")
""",
    "suite.py": """
from weft_lab.pages.sections import Section
from weft_lab.suites.cells import CellSuite
from weft_lab.suites.fake.axes import AXES


class Fake(CellSuite):
    def sections(self, view):
        return (Section("own", "Own", "What only this suite shows", (), caption="planted"),)


SUITE = Fake(AXES)
""",
}


class Weft(Protocol):
    """The fixture `weft` of conftest.py."""

    results: Path

    def run_arguments(self, *arguments: str) -> list[str]: ...
    def environment(self, **extra: str) -> dict[str, str]: ...


def test_suites_are_listed_in_their_order() -> None:
    assert NAMES == ["stl", "tasks", "inncabs", "approaches", "mpi", "halo", "bench", "distributed"]
    assert SUITES == ("stl", "tasks", "inncabs", "approaches")


@pytest.mark.parametrize("name", NAMES)
def test_every_suite_is_found_by_its_name(name: str) -> None:
    suite = protocol.suite(name)

    assert suite.axes.name == name
    assert isinstance(suite, CellSuite) == suite.axes.has_cells
    assert protocol.asked(RunOptions(suite=(name,))) is suite
    for method in ("measure", "resume", "raise_for_outcome", "read", "report", "reproduce"):
        assert callable(getattr(suite, method))


def test_items_of_papers_belong_to_suites_or_say_that_theirs_is_missing() -> None:
    for item in items():
        assert item.has_suite == (item.suite in NAMES)


def test_an_unknown_suite_has_what_all_suites_of_cells_have() -> None:
    suite = protocol.suite("nowhere")

    assert type(suite) is CellSuite
    assert axes.of("nowhere") == axes.Axes("nowhere")


def test_a_folder_is_all_that_a_new_suite_needs(weft: Weft, tmp_path: Path) -> None:
    folder = tmp_path / "suites" / "fake"
    folder.mkdir(parents=True)
    for name, text in PLANTED.items():
        (folder / name).write_text(text, encoding="utf-8")
    code = (
        f"import weft_lab.suites as s; s.__path__.append({str(folder.parent)!r}); "
        "from weft_lab.cli import main; main()"
    )
    measured = weft.run_arguments("--only", "steady", "--size", "64", "--rounds", "1")

    def call(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            env=weft.environment(COLUMNS="120", PATH=os.environ["PATH"]),
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    call(*measured, "--budget", "20s")
    printed = call("report", str(weft.results / "latest"))
    page = (weft.results / "latest" / "report.html").read_text(encoding="utf-8")

    assert "puzzle" in printed
    assert "suite fake" in call("list")
    assert "What only this suite shows" in page
    assert '<a href="#own">Own</a>' in page

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every suite keeps the protocol, and a folder is all that a new one needs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Protocol

import pytest
from weft_lab.measuring.options import RunOptions
from weft_lab.pages.papers import items
from weft_lab.storage import axes
from weft_lab.storage.checkout import CHECKOUT, SUITES
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
    support = CHECKOUT / "tests" / "support"
    code = (
        "import json, sys\n"
        "import weft_lab.suites as suites\n"
        f"suites.__path__.append({str(folder.parent)!r})\n"
        f"sys.path.append({str(support)!r})\n"
        "from weft_here import call_here\n"
        "done = [call_here(*words) for words in json.loads(sys.argv[1])]\n"
        "print(json.dumps([(each.returncode, each.stdout, each.stderr) for each in done]))\n"
    )
    measure = weft.run_arguments("--only", "steady", "--size", "64", "--rounds", "1")
    questions = ([*measure, "--budget", "20s"], ["report", str(weft.results / "latest")], ["list"])

    done = subprocess.run(  # a process of its own: suites are looked for once
        [sys.executable, "-c", code, json.dumps(questions)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env=weft.environment(COLUMNS="120", PATH=os.environ["PATH"]),
    )

    answers = json.loads(done.stdout)
    assert [returncode for returncode, _, _ in answers] == [0, 0, 0], answers
    _, printed, listed = (stdout for _, stdout, _ in answers)
    page = (weft.results / "latest" / "report.html").read_text(encoding="utf-8")
    assert "puzzle" in printed
    assert "suite fake" in listed
    assert "What only this suite shows" in page
    assert '<a href="#own">Own</a>' in page

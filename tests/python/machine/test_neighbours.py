# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two measurements at once on one machine learn of each other, and their pages say so."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from synthetic_run import UNUSUAL, write_run
from weft_lab.machine import neighbours
from weft_lab.machine.neighbours import KEY, Neighbours, disturbances
from weft_lab.measuring import session
from weft_lab.measuring.catalog import Toolbox
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.programs import find_in
from weft_lab.pages.load import load_and_advise
from weft_lab.pages.page import render_page
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.cells import page_of

OTHER = """
import sys
from weft_lab.machine import neighbours
neighbours.PREFIX = os.environ["PREFIX"]
with neighbours.Neighbours(lambda text: print(text, flush=True)) as here:
    print("ready", flush=True)
    sys.stdin.readline()
    here.met()
"""


class Other:
    """Another process that measures until it is told to end."""

    def __init__(self, *arguments: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", "import os; exec(os.environ['OTHER'])", "weft_lab", *arguments],
            env={**os.environ, "OTHER": OTHER, "PREFIX": neighbours.PREFIX},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self._process.pid
        assert self._process.stdout is not None
        while self._process.stdout.readline() != "ready\n":
            assert self._process.poll() is None

    def end(self) -> str:
        return self._process.communicate("\n", timeout=60)[0]


def test_the_second_learns_of_the_first_and_the_first_of_the_second() -> None:
    other = Other("--quick")
    said: list[str] = []

    with Neighbours(said.append) as here:
        met = here.met()
    told_there = other.end()

    assert [(each["pid"], each["uid"]) for each in met] == [(other.pid, os.getuid())]
    assert met[0]["what"].startswith("./weft --quick, since ")
    assert said == [
        f"process {other.pid} of user {os.getuid()} measures on this machine, too, "
        f"so times are disturbed: {met[0]['what']}"
    ]
    assert f"process {os.getpid()} of user" in told_there
    assert "measured on this machine meanwhile" in told_there


def test_nobody_is_met_alone_or_after_the_other_has_ended() -> None:
    with Neighbours(pytest.fail) as first:
        assert first.met() == []
    with Neighbours(pytest.fail) as second:
        assert second.met() == []


def test_the_text_of_another_process_is_no_command_to_the_terminal() -> None:
    other = Other("\x1b]0;owned\x07" + "x" * 1000)
    said: list[str] = []

    with Neighbours(said.append):
        other.end()

    assert "owned" in said[0]
    assert not set("\x1b\x07") & set(said[0])
    assert len(said[0]) < 400


def test_a_run_keeps_who_measured_before_and_who_came_later(
    fake_programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [Other("before")]

    def gather(*_: object) -> Toolbox:
        others.append(Other("later"))
        return Toolbox(find_in(fake_programs, ["weft_fake_seq"]).programs)

    monkeypatch.setattr(session, "gather", gather)
    monkeypatch.setattr(session, "check_options", lambda _options: None)
    options = RunOptions(
        tier="quick", only=("steady",), size=(64,), rounds_max=1, results=tmp_path / "results"
    )
    terminal = StringIO()

    folder = session.measure(options, Console(file=terminal))

    manifest = ResultFolder.open(folder.path).read_manifest()
    assert [each["pid"] for each in manifest[KEY]] == [other.pid for other in others]
    assert "measures on this machine, too" in terminal.getvalue()
    assert "measured on this machine meanwhile" in terminal.getvalue()
    for other in others:
        other.end()


def test_the_page_says_that_a_run_was_disturbed(tmp_path: Path) -> None:
    folder = write_run(tmp_path, UNUSUAL["one_size"])
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest[KEY] = [{"pid": 7, "uid": 0, "what": "<b>./weft run</b>, since 06:40"}]
    path.write_text(json.dumps(manifest), encoding="utf-8")

    page = render_page(page_of(load_and_advise(folder)), {})

    assert "disturbed the times: &lt;b&gt;./weft run&lt;/b&gt;, since 06:40." in page
    assert disturbances({}) == ()

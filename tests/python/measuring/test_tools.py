# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tools are built when they are asked for, and get the arguments as they were given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner
from weft_lab.cli import make_app
from weft_lab.errors import MissingError
from weft_lab.machine.toolchains import GCC
from weft_lab.measuring import tools
from weft_lab.measuring.programs import Builder, Progress


class FakeBuilder(Builder):
    """Builds in no time, or fails as it was told."""

    def __init__(self, folder: Path, missing: str | None = None, error: str = "") -> None:
        super().__init__(GCC, folder)
        self.missing = missing
        self.error = error
        self.is_configured = False

    def missing_tool(self) -> str | None:
        return self.missing

    def configure(self) -> dict[str, str]:
        self.is_configured = True
        return {}

    def build(self, targets: Sequence[str], progress: Progress) -> dict[str, str]:
        progress(1, 2, "")
        return {targets[0]: self.error} if self.error else {}


def test_a_tool_is_built_and_found(tmp_path: Path) -> None:
    builder = FakeBuilder(tmp_path)

    assert tools.built_tool("trace", builder) == tmp_path / "bin/weft-trace"
    assert builder.is_configured


def test_a_configured_folder_is_not_configured_again(tmp_path: Path) -> None:
    (tmp_path / "build.ninja").touch()
    builder = FakeBuilder(tmp_path)

    tools.built_tool("trace", builder)

    assert not builder.is_configured


@pytest.mark.parametrize(
    ("missing", "error", "word"),
    [("cmake", "", "./weft doctor"), (None, "no such header", "ninja -C")],
)
def test_what_cannot_be_built_is_explained(
    missing: str | None, error: str, word: str, tmp_path: Path
) -> None:
    with pytest.raises(MissingError) as raised:
        tools.built_tool("trace", FakeBuilder(tmp_path, missing, error))

    assert word in str(raised.value)
    assert missing is None or missing in str(raised.value)


@pytest.mark.parametrize(
    ("given", "handed_on"),
    [
        (["--", "ls", "-l", "--all"], ["--", "ls", "-l", "--all"]),
        (["-o", "t", "--last", "1s", "--", "ls"], ["--output=t", "--last=1s", "--", "ls"]),
        (["--recover", "a.rings"], ["--recover=a.rings"]),
        ([], []),
    ],
)
def test_arguments_reach_the_tool(
    given: list[str], handed_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(
        "weft_lab.commands.trace.become_tool", lambda name, rest: calls.append((name, rest))
    )

    done = CliRunner().invoke(make_app(), ["trace", *given])

    assert done.exit_code == 0, done.output
    assert calls == [("trace", handed_on)]


@pytest.mark.parametrize(
    ("given", "handed_on"),
    [
        (["--pid", "42", "--once"], ["--once", "--pid=42"]),
        (
            ["--json", "--interval", "1s", "--", "ls", "--pid"],
            ["--json", "--interval=1s", "--", "ls", "--pid"],
        ),
        (["--replay", "looks", "--csv"], ["--csv", "--replay=looks"]),
        (["--all"], ["--all"]),
        ([], []),
    ],
)
def test_arguments_reach_top(
    given: list[str], handed_on: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[tuple[str, list[str]]] = []
    monkeypatch.setattr(
        "weft_lab.commands.top.become_tool", lambda name, rest: calls.append((name, rest))
    )

    done = CliRunner().invoke(make_app(), ["top", *given])

    assert done.exit_code == 0, done.output
    assert calls == [("top", handed_on)]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of docs/ci.md: they parse, name pinned actions, and pass or fail as they should."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from weft_lab.storage.checkout import CHECKOUT

yaml = pytest.importorskip("yaml", reason="PyYAML of packaging/python/test.lock is not installed")
BLOCK = re.compile(r"^```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PINNED = re.compile(r"[\w-]+/[\w-]+@[0-9a-f]{40}")
FAST, SLOW = 0.03, 0.12
# The lab without drawing, which takes a second of each start; no step looks at a figure.
WEFT = (
    "import vl_convert; vl_convert.vegalite_to_svg = lambda *_, **__: '<svg></svg>'; "
    "vl_convert.svg_to_png = lambda *_, **__: b'PNG'; from weft_lab.cli import main; main()"
)
needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")


def files() -> list[dict[str, Any]]:
    text = (CHECKOUT / "docs" / "ci.md").read_text(encoding="utf-8")
    return [yaml.safe_load(block) for block in BLOCK.findall(text)]


def put_weft(place: Path) -> Path:
    """The folder, with weft in it as both files put it there."""
    (place / "weft").mkdir()
    weft = place / "weft" / "weft"
    path = os.pathsep.join(sys.path)
    start = f'PYTHONPATH="{path}" exec "{sys.executable}" -c "{WEFT}" "$@"'
    weft.write_text(f"#!/bin/sh\n{start}\n", encoding="utf-8")
    weft.chmod(0o755)
    return place


def write_sources(folder: Path, time_s: float) -> None:
    folder.mkdir(exist_ok=True)
    program = f"#!/bin/sh\\nsleep {time_s}\\n"
    rule = f"program: Makefile\n\tprintf '{program}' > program && chmod +x program\n"
    (folder / "Makefile").write_text(rule, encoding="utf-8")


def run(line: str, place: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-e", "-c", line],
        cwd=place,
        env={**os.environ, **more},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_both_files_parse_and_the_actions_are_those_of_our_own_file() -> None:
    github, gitlab = files()
    own = (CHECKOUT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")

    uses = [step["uses"] for step in github["jobs"]["speed"]["steps"] if "uses" in step]

    assert len(uses) == 4
    assert all(PINNED.fullmatch(action) and action in own for action in uses)
    assert github["permissions"] == {"contents": "read"}
    assert gitlab["speed"]["artifacts"]["when"] == "always"
    assert set(gitlab["speed"]) == {
        *("image", "timeout", "rules", "variables", "before_script", "script", "artifacts")
    }


GITHUB = [step["run"] for step in files()[0]["jobs"]["speed"]["steps"] if "run" in step]
GITLAB = files()[1]["speed"]["script"]
GIT = "git -c user.name=a -c user.email=a@b"


@pytest.fixture(scope="module")
def github_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the GitHub job after all steps but the last; the change changes nothing."""
    place = put_weft(tmp_path_factory.mktemp("github"))
    write_sources(place / "base", FAST)
    write_sources(place / "head", FAST)
    for step in GITHUB[:-1]:
        done = run(step, place)
        assert done.returncode == 0, done.stderr
    return place


@pytest.fixture(scope="module")
def gitlab_base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the GitLab job after all steps but the last; the change changes nothing."""
    place = put_weft(tmp_path_factory.mktemp("gitlab"))
    write_sources(place, FAST)
    run(f"git init -q && git add Makefile && {GIT} commit -qm base", place)
    base = run("git rev-parse HEAD", place).stdout.strip()
    for step in GITLAB[:-1]:
        done = run(step, place, CI_MERGE_REQUEST_DIFF_BASE_SHA=base)
        assert done.returncode == 0, done.stderr
    return place


@needs_make
@pytest.mark.parametrize(("time_s", "expected"), [(FAST, 0), (SLOW, 1)])
def test_the_github_job_fails_only_for_a_slower_program(
    github_base: Path, tmp_path: Path, time_s: float, expected: int
) -> None:
    place = Path(shutil.copytree(github_base, tmp_path / "job", symlinks=True))
    write_sources(place / "head", time_s)
    built = run(GITHUB[0], place)

    last = run(GITHUB[-1], place, GITHUB_STEP_SUMMARY=str(place / "summary.md"))

    assert built.returncode == 0, built.stderr
    assert last.returncode == expected, last.stderr
    summary = (place / "summary.md").read_text(encoding="utf-8")
    assert "## Against the baseline base" in summary
    assert "![" not in summary
    assert ("slower" in summary.partition("## Against")[2]) == bool(expected)


@needs_make
@pytest.mark.parametrize(("time_s", "expected"), [(FAST, 0), (SLOW, 1)])
def test_the_gitlab_job_fails_only_for_a_slower_program(
    gitlab_base: Path, tmp_path: Path, time_s: float, expected: int
) -> None:
    place = Path(shutil.copytree(gitlab_base, tmp_path / "job", symlinks=True))
    write_sources(place, time_s)
    run(f"{GIT} commit -qam change --allow-empty", place)
    built = run("make", place)

    last = run(GITLAB[-1], place)

    assert built.returncode == 0, built.stderr
    assert last.returncode == expected, last.stderr
    assert "## Against the baseline base" in (place / "speed.md").read_text(encoding="utf-8")

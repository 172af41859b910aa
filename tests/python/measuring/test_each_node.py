# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`submit --slurm --each-node` with a Slurm of scripts that run each job at once."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from weft_here import call_here
from weft_lab.errors import MissingError, UsageError
from weft_lab.measuring import each_node
from weft_lab.measuring.each_node import EachNode, nodes_of, script

SUBMIT = ("submit", "--slurm", "--each-node")
SINFO = """#!/bin/sh
echo "$@" >> {log}
printf 'n1 idle\\nn2 mixed\\nn3 drained*\\nn1 idle\\nn4 allocated\\n'
"""
# Runs the job at once, and keeps what it prints by the node that it was asked for.
SBATCH = """#!/bin/sh
echo "$@" >> {log}
case $1 in --nodelist=*) node=${{1#--nodelist=}} ;; *) exit 9 ;; esac
out="{folder}/$node.out"
bash "$2" > "$out" 2>&1 || {{ cat "$out" >&2; exit 1; }}
echo "Submitted batch job on $node"
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs in PATH; `log` holds how they were called."""
    place = tmp_path / "bin"
    place.mkdir()
    for name, text in (("sinfo", SINFO), ("sbatch", SBATCH)):
        program = place / name
        program.write_text(text.format(log=tmp_path / "log", folder=tmp_path), encoding="utf-8")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def test_a_job_runs_the_words_in_the_folder_where_it_was_asked_for(tmp_path: Path) -> None:
    words = ("bench", "--rounds", "3", "--", "./a b", "--results", "x")
    text = script(EachNode(words, 90, "long", "mine", tmp_path, program="weft"))

    assert "#SBATCH --time=01:30:00" in text
    assert "#SBATCH --partition=long" in text
    assert f"cd {tmp_path}\n" in text
    last = text.rstrip().splitlines()[-1]
    assert last == (
        "WEFT_NO_APT=1 weft bench --results results/nodes --rounds 3 -- './a b' --results x"
    )
    own = script(EachNode(("run", "--results=mine"), program="weft"))
    assert "weft run --results=mine\n" in own


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "there is nothing to run"),
        (("compare", "a", "b"), "'compare' cannot run on each node"),
        (("sh", "-c", "true"), "'sh' cannot run on each node"),
    ],
)
def test_only_verbs_that_measure_are_run(words: tuple[str, ...], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        script(EachNode(words))


def test_nodes_that_take_no_jobs_are_left_out_and_told(slurm: Path) -> None:
    told: list[str] = []

    assert nodes_of("long", told.append) == ["n1", "n2", "n4"]
    assert told == ["left out: node n3 is drained"]
    assert "--partition=long" in (slurm / "log").read_text(encoding="utf-8")


def test_without_slurm_it_says_where_to_type_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(MissingError, match="there is no sinfo here"):
        nodes_of("", print)


def test_without_send_the_commands_are_shown_and_nothing_is_submitted(slurm: Path) -> None:
    done = call_here(*SUBMIT, "--", "bench", "--", "true", cwd=slurm)

    assert done.returncode == 0, done.stderr
    assert "sbatch --nodelist=n1 weft_node.sbatch" in done.stdout
    assert "a job for each of 3 nodes" in done.stdout
    assert not list(slurm.glob("*.out"))
    assert call_here(*SUBMIT, "--nodes", "2", cwd=slurm).returncode == 2


def test_each_node_measures_once_into_one_folder(
    slurm: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    wanted = EachNode(
        ("bench", "--rounds", "2", "--", "true"),
        folder=slurm,
        program=f"{sys.executable} -m weft_lab",
    )

    said = each_node.submit(each_node.write(wanted, slurm / "job"), nodes_of("", print))

    assert said == [f"Submitted batch job on {node}" for node in ("n1", "n2", "n4")]
    folders = [path for path in (slurm / "results" / "nodes").iterdir() if not path.is_symlink()]
    assert len(folders) == 3

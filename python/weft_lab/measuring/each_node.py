# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same measurement on every node of a Slurm partition: one job for each node, by its name.

The tasks of an array cannot choose their nodes, so two of them might share one: jobs name their
nodes.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft_lab.errors import MissingError, ResultFolderError, UsageError
from weft_lab.storage.checkout import CHECKOUT

TIMEOUT_S = 60.0
VERBS = ("report", "run", "bench")
DEFAULT_WORDS = ("report", "--quick")
RESULTS = "results/nodes"
USABLE = ("idle", "mixed", "allocated", "completing")
# The names of nodes in Slurm; no other text becomes part of a command.
NODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
Say = Callable[[str], None]


@dataclass(frozen=True)
class EachNode:
    """The command of each job. `words`: a verb of weft and its options. Empty texts use Slurm's
    defaults.

    `program`: the command that runs the lab on a node.
    """

    words: tuple[str, ...] = DEFAULT_WORDS
    minutes: int = 30
    partition: str = ""
    account: str = ""
    folder: Path = Path()
    program: str = shlex.quote(str(CHECKOUT / "weft"))


def script(wanted: EachNode) -> str:
    """The job's text, the same for every node. Errors: `UsageError` for a command that cannot be
    run."""
    verb = wanted.words[0] if wanted.words else ""
    if verb not in VERBS:
        what = f"'{verb}' cannot run on each node" if verb else "there is nothing to run"
        why = f"the words behind -- begin with {', '.join(VERBS)}"
        raise UsageError(what, why, "./weft submit --slurm --each-node -- report --quick")
    if wanted.minutes < 1:
        what, why = f"a job of {wanted.minutes} minutes", "a job needs at least one minute"
        raise UsageError(what, why, "type for example --minutes 30")
    words = list(wanted.words)
    # the other words belong to the program
    own = words[: words.index("--")] if "--" in words else words
    if not any(word.partition("=")[0] == "--results" for word in own):
        words[1:1] = ["--results", RESULTS]
    options = {
        "job-name": "weft-node",
        "nodes": "1",
        "time": f"{wanted.minutes // 60:02d}:{wanted.minutes % 60:02d}:00",
        "partition": wanted.partition,
        "account": wanted.account,
        "output": "weft-node-%N-%j.log",
    }
    lines = [f"#SBATCH --{name}={value}" for name, value in options.items() if value]
    return "\n".join(
        [
            "#!/bin/bash",
            "# The same measurement on each node; then: ./weft merge --nodes results/nodes/*",
            *lines,
            "#SBATCH --exclusive",
            "set -euo pipefail",
            f"cd {shlex.quote(str(wanted.folder.absolute()))}",
            f"WEFT_NO_APT=1 {wanted.program} {shlex.join(words)}",
            "",
        ]
    )


def write(wanted: EachNode, path: Path) -> Path:
    """Writes the job. Errors: `ResultFolderError`."""
    text = script(wanted)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        what, why = f"cannot write '{path}'", error.strerror or str(error)
        raise ResultFolderError(what, why, "name a writable place with --output") from error
    return path


def nodes_of(partition: str, say: Say) -> list[str]:
    """The nodes that can take a job; nodes that cannot are reported to `say`.

    Errors: `MissingError` without Slurm, `UsageError` if Slurm has no such node.
    """
    chosen = [f"--partition={partition}"] if partition else []
    text = _slurm("sinfo", "--noheader", "--Node", "--format=%N %T", *chosen)
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, _, state = line.strip().partition(" ")
        if NODE.fullmatch(name):
            found.setdefault(name, state.strip().rstrip("*~#!%$@^-+"))
    for name, state in found.items():
        if state not in USABLE:
            say(f"left out: node {name} is {state}")
    usable = [name for name, state in found.items() if state in USABLE]
    if not usable:
        where = f"partition '{partition}'" if partition else "this cluster"
        what, why = f"{where} has no node that takes jobs", f"sinfo shows {len(found)} nodes"
        raise UsageError(what, why, "ask sinfo for the partitions and the states of their nodes")
    return usable


def commands(path: Path, nodes: Sequence[str]) -> list[list[str]]:
    """The commands that submit one job for each node."""
    return [["sbatch", f"--nodelist={node}", str(path)] for node in nodes]


def submit(path: Path, nodes: Sequence[str]) -> list[str]:
    """Submits a job for each node; returns sbatch's output. Errors: as `nodes_of`."""
    return [_slurm(*command).strip() for command in commands(path, nodes)]


def _slurm(program: str, *arguments: str) -> str:
    found = shutil.which(program)
    if found is None:
        raise MissingError(
            what=f"there is no {program} here",
            why="jobs are submitted on a machine that belongs to a Slurm cluster",
            remedy="type this command there",
        )
    try:
        done = subprocess.run(
            [found, *arguments], capture_output=True, text=True, check=False, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired as error:
        what, why = f"{program} is silent", f"it did not answer within {TIMEOUT_S:.0f} s"
        raise MissingError(what, why, "ask sinfo whether Slurm runs") from error
    if done.returncode != 0:
        what = f"{program} refuses: {shlex.join([program, *arguments])}"
        why = done.stderr.strip() or f"exit code {done.returncode}"
        raise UsageError(what, why, "correct the options, or ask the cluster's administrators")
    return done.stdout

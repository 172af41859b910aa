# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the run was made, in sentences, and the command that repeats it."""

from __future__ import annotations

import shlex
from pathlib import PurePath

from weft_lab.pages import formats
from weft_lab.pages.view import Record, RunView

PROTOCOLS = {
    "robust": "Per process launch and cell: samples until both minima of count and time are met; "
    "the statistic is the median.",
    "counters": "As in the paper on HPX's counters: 20 samples per launch and cell, their median; "
    "at least three if 20 take more than 10 s (--quick: 1 s, --full: 10 min).",
    "paper": "The paper's protocol: at least 5 s of samples per cell, the statistic is the mean.",
}


def lines(view: RunView) -> list[str]:
    """One sentence per fact."""
    options: Record = view.manifest.get("options") or {}
    software: Record = view.manifest.get("software") or {}
    git: Record = software.get("git") or {}
    packages: Record = software.get("packages") or {}
    return [
        "Every answer was compared with a serial oracle before it was timed, after one of its "
        "samples, and after the last; a wrong answer has no time.",
        PROTOCOLS.get(
            str(options.get("protocol", "robust")), f"Protocol {options.get('protocol')}."
        ),
        f"{view.manifest.get('rounds', 'An unknown number of')} rounds in random order, seed "
        f"{options.get('seed', 'unknown')}; each round starts fresh processes.",
        "A cell's time is the median over its launches of each launch's statistic. Intervals are "
        "95 %: order statistics "
        "of the launches, or a bootstrap over launches and samples while launches are few.",
        f"Differences of less than {formats.percent(view.threshold)} count as ties. If two "
        "copies of seq differ at a problem and size by more than their interval, every interval "
        "there is widened by that factor.",
        "Speed-ups are against seq@gcc at the same size. Throughput is the least traffic any "
        "implementation needs, over time.",
        f"weft {view.manifest.get('weft_version', 'unknown')}, commit "
        f"{git.get('commit') or 'unknown'}"
        f"{' with local changes' if git.get('is_dirty') else ''}; Python "
        f"{software.get('python', 'unknown')}"
        f"{''.join(f', {name} {version}' for name, version in packages.items() if version)}.",
    ]


def run_command(view: RunView) -> str:
    """The command that the user typed, by `./weft`."""
    command = [str(part) for part in view.manifest.get("command") or ()]
    arguments = [part for part in command[1:] if part]
    is_front_door = bool(command) and PurePath(command[0]).name in ("weft", "__main__.py")
    return shlex.join(["./weft", *(arguments if is_front_door and arguments else ["report"])])

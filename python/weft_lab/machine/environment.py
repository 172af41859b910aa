# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `WEFT_*` environment variables that are read; a mistyped one is never ignored."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from weft_lab.errors import UsageError

PREFIX = "WEFT_"
SETTINGS: Mapping[str, str] = {
    "WEFT_NO_APT": "1: ./weft never calls apt-get",
    "WEFT_PYTHON": "the Python (3.11 to 3.13) that ./weft makes its environment with",
    "WEFT_UNLOCKED": "1: ./weft installs locked versions without checking hashes",
    "WEFT_PROFILE": "off, or the profile of ./weft tune that measured programs use",
    "WEFT_HPX_DIR": "folder of an installed HPX, which then joins the backends",
    "WEFT_MPI_DIR": "folders of further MPIs, separated by colons",
    "WEFT_STDEXEC_ROOT": "checkout of stdexec, which then joins the suite of approaches",
    "WEFT_TASKFLOW_ROOT": "checkout of Taskflow, which then joins tasks and approaches",
    "WEFT_LIBFORK_ROOT": "folder that holds libfork, which then joins the runtimes of tasks",
    "WEFT_CITOR_ROOT": "folder that holds citor, which then joins the runtimes of tasks",
    "WEFT_TMC_ROOT": "folder that holds TooManyCooks, which then joins the runtimes of tasks",
    "WEFT_ONEDPL_ROOT": "folder that holds oneDPL's include/, instead of .weft/onedpl",
    "WEFT_CCCL_ROOT": "folder that holds CCCL's include/, instead of .weft/cccl",
    "WEFT_LACE_ROOT": "checkout of Lace, which then joins the runtimes of tasks",
    "WEFT_GRIDTOOLS_ROOT": "checkout of GridTools, whose GCL then joins the suite of halos",
    "WEFT_GHEX_ROOT": "folder of an installed GHEX, which then joins the suite of halos",
}


def check_environment(environment: Mapping[str, str]) -> None:
    """Rejects a `WEFT_*` variable that nothing reads, before anything is measured."""
    for name in sorted(environment):
        if not name.startswith(PREFIX) or name in SETTINGS:
            continue
        raise UsageError(
            what=f"unknown environment variable {name}",
            why="nothing reads it, so what it asks for would be silently ignored",
            remedy=f"{_nearest(name)}known: {', '.join(SETTINGS)}; to continue: unset {name}",
        )


def _nearest(name: str) -> str:
    endings = {known.removeprefix(PREFIX): known for known in SETTINGS}
    near = difflib.get_close_matches(name.removeprefix(PREFIX), endings, n=1)
    return "".join(f"did you mean {endings[end]} ({SETTINGS[endings[end]]})? " for end in near)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The `WEFT_*` environment variables that mean something; a mistyped one is an error, never ignored."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from weft_lab.errors import UsageError

SETTINGS: Mapping[str, str] = {
    "WEFT_NO_APT": "1: ./weft never calls apt-get",
    "WEFT_PYTHON": "the Python (3.11 to 3.13) that ./weft makes its environment with",
    "WEFT_UNLOCKED": "1: ./weft installs locked versions without checking hashes",
    "WEFT_HPX_DIR": "folder of an installed HPX, which then joins the backends",
}


def check_environment(environment: Mapping[str, str]) -> None:
    """Refuses a `WEFT_*` variable that nothing reads, before anything is measured with it."""
    for name in sorted(environment):
        if not name.startswith("WEFT_") or name in SETTINGS:
            continue
        near = difflib.get_close_matches(name, SETTINGS, n=1)
        meant = f"did you mean {near[0]} ({SETTINGS[near[0]]})?" if near else ""
        raise UsageError(
            f"unknown environment variable {name}",
            "nothing reads it, so what it asks for would be silently ignored",
            f"{meant} Known: {', '.join(SETTINGS)}; or type: unset {name}".strip(),
        )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft claims`: weft's own performance targets beside the results of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[
        Path, typer.Argument(help="A finished run: folder or latest.", show_default=False)
    ] = Path("latest"),
) -> None:
    """Compare weft's own performance targets with a run; writes claims.html into its folder.

    For maintainers. The suites approaches, halo and distributed have targets;
    reports do not show them.
    Example: ./weft claims latest
    """
    from rich.console import Console

    from weft_lab.errors import UsageError
    from weft_lab.notices import warn
    from weft_lab.pages.claims import show
    from weft_lab.storage.folder_files import understood
    from weft_lab.storage.store import ResultFolder
    from weft_lab.suites import protocol

    with understood(folder):
        found = ResultFolder.open(folder)
        suite = protocol.of_folder(found)
        claims = suite.claims(suite.read(found.path, warn))
    if not claims:
        raise UsageError(
            what=f"'{found.path}' measured nothing for which weft has a target",
            why="only the suites approaches, halo and distributed have targets",
            remedy="measure one: ./weft report --suite approaches --quick",
        )
    show(found.path, claims, Console())

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the documentation site: guides, tutorials, and a reference of every public name."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from weft_lab.commands import verb, verb_names
from weft_lab.storage.checkout import CHECKOUT


def command(
    output: Annotated[
        Path, typer.Option(help="Folder of the site; else build/docs.", show_default=False)
    ] = CHECKOUT / "build" / "docs",
    show: Annotated[bool, typer.Option("--open", help="Open the site in a browser.")] = False,
) -> None:
    """Builds the documentation site: guides, tutorials, and a reference of every public name.

    The site is a folder of pages that need no network and no server. Exit codes: 0 built;
    1 a page has a mistake, which is named; 3 Sphinx is missing.

    Example: ./weft docs --open
    """
    from weft_lab.site.build import build_site

    verbs = {name: verb(name) for name in verb_names()}
    first_page = build_site(CHECKOUT, verbs, output.resolve())
    print(first_page)
    if show:
        webbrowser.open(first_page.as_uri())

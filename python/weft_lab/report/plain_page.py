# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page of tables and static figures, for what is read once: merged runs and paper items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from weft_lab.errors import ResultFolderError
from weft_lab.report.page import asset, template
from weft_lab.report.table import Table


@dataclass(frozen=True)
class Section:
    """A heading, sentences, drawings, a table and lines of code, each optional but the heading."""

    title: str
    lines: tuple[str, ...] = ()
    svgs: tuple[str, ...] = ()
    table: Table | None = None
    code: str = ""


@dataclass(frozen=True)
class PlainPage:
    """What the page says around its sections."""

    title: str
    subtitle: str
    citation: str
    command: str = ""


def write_plain_page(path: Path, page: PlainPage, sections: Sequence[Section]) -> Path:
    """Writes the page, making its folder. Errors: `ResultFolderError` when it cannot."""
    text = template("plain.html.j2").render(
        title=page.title,
        subtitle=page.subtitle,
        citation=page.citation,
        command=page.command,
        sections=sections,
        style=asset("style.css"),
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        what = f"cannot write '{path}'"
        why = error.strerror or str(error)
        raise ResultFolderError(what, why, "name a writable place with --output") from error
    return path

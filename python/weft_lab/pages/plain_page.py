# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page of tables and figures for merged runs, paper items and message passing.

Figures are static; one may also be a specification, which a script in the page draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft_lab.errors import ResultFolderError
from weft_lab.pages.changed import Changed
from weft_lab.pages.charts.figure import file_stem
from weft_lab.pages.opening import Opening
from weft_lab.pages.page import (
    asset,
    page_data,
    policy,
    script_json,
    static_figures,
    template,
    vega_bundle,
)
from weft_lab.pages.table import Table
from weft_lab.storage.folder_files import make, write

STATIC_BYTES = 900_000
NO_SCRIPTS = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


@dataclass(frozen=True)
class Shown:
    """The printed text, and all written files."""

    tables: tuple[Table, ...]
    lines: tuple[str, ...]
    page: Path
    files: tuple[Path, ...]


@dataclass(frozen=True)
class Section:
    """A heading, sentences, drawings, a table and lines of code; all but the heading are optional.

    `spec`: a Vega-Lite chart that replaces the drawings if scripts run.
    """

    title: str
    lines: tuple[str, ...] = ()
    svgs: tuple[str, ...] = ()
    table: Table | None = None
    code: str = ""
    short_title: str = ""
    spec: Mapping[str, Any] | None = None

    @property
    def id(self) -> str:
        """The anchor of its heading."""
        return file_stem(self.title).lower()


@dataclass(frozen=True)
class PlainPage:
    """The parts of the page around its sections.

    `opening`: its first screen, with `svgs` for readers without scripts; `changed`: the changes
    since the previous run.
    """

    title: str
    subtitle: str
    citation: str = ""
    command: str = ""
    opening: Opening | None = None
    svgs: Mapping[str, str] = field(default_factory=dict)
    changed: Changed | None = None


def write_plain_page(path: Path, page: PlainPage, sections: Sequence[Section]) -> Path:
    """Writes the page and makes its folder. Errors: `ResultFolderError` if it cannot."""
    specs = [section.spec for section in sections if section.spec is not None]
    figures = page.opening.figures if page.opening else ()
    drawing = [*(["plain.js"] if specs else []), *(["page.js"] if page.opening else [])]
    scripts = [vega_bundle(), *map(asset, drawing)] if drawing else []
    text = template("plain.html.j2").render(
        scripts=scripts,
        policy=policy(*scripts) if scripts else NO_SCRIPTS,
        specs=script_json(specs),
        data=script_json(page_data(figures)),
        static=static_figures(figures, page.svgs, STATIC_BYTES),
        opening=page.opening,
        changed=page.changed,
        contents=[
            *([("changed", "Changed")] if page.changed else []),
            *((each.id, each.short_title or each.title) for each in sections),
        ],
        title=page.title,
        subtitle=page.subtitle,
        citation=page.citation,
        command=page.command,
        sections=sections,
        style=asset("style.css"),
    )
    try:
        return write(make(path.parent), path.name, text)
    except OSError as error:
        what = f"cannot write '{path}'"
        why = error.strerror or str(error)
        raise ResultFolderError(what, why, "name a writable place with --output") from error

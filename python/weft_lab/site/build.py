# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the documentation site: collects its pages in a folder and runs Sphinx on them."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from weft_lab.checks.public_names import names_of, with_meanings
from weft_lab.errors import MissingError, WeftError
from weft_lab.site import api_pages
from weft_lab.site.command_pages import command_page
from weft_lab.site.headers import read_headers
from weft_lab.site.pages import Site

NAMES_FILE = "names.json"
NAMES_PAGE = "reference/names"
NAME_ROW = re.compile(r"^\| `(\w+)` \|", re.MULTILINE)
Verbs = Mapping[str, Callable[..., None]]
Places = Mapping[str, tuple[str, str]]  # page and anchor of a public name


def all_pages(root: Path, verbs: Verbs) -> tuple[dict[str, str], Places]:
    """Returns the pages of the site, and page and anchor of every public name."""
    site = Site(root)
    site.add_docs()
    headers = read_headers(root)
    site.pages |= api_pages.api_pages(root, headers, site.show)
    site.pages["reference/command_line"] = command_page(verbs)
    places = api_pages.places(headers)
    site.pages[NAMES_PAGE] = with_links(site.pages[NAMES_PAGE], places)
    return site.pages, places


def with_links(page: str, places: Places) -> str:
    """Returns the page of public names with a link from each to its entry."""
    namespace = ""
    lines: list[str] = []
    for line in page.splitlines():
        namespace = line[3:] if line.startswith("## ") else namespace
        if (row := NAME_ROW.match(line)) and (place := places.get(f"{namespace}::{row[1]}")):
            lines.append(f"| [`{row[1]}`](/{place[0]}.md#{place[1]}) |{line[row.end() :]}")
        else:
            lines.append(line)
    return "\n".join([*lines, ""])


def write_pages(root: Path, verbs: Verbs, folder: Path) -> Places:
    """Writes Sphinx's input and returns the places of all public names.

    Unchanged files keep their time, so that Sphinx reads only changed ones.
    """
    pages, places = all_pages(root, verbs)
    texts = {f"{name}.md": text for name, text in pages.items()}
    texts[NAMES_FILE] = json.dumps(places, indent=0, sort_keys=True)
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in folder.rglob("*.md"):
        if str(path.relative_to(folder)) not in texts:
            path.unlink()
    shutil.copytree(root / "docs/images", folder / "images", dirs_exist_ok=True)
    return places


def names_without_entry(output: Path, names: Iterable[str], places: Places) -> list[str]:
    """Returns the names that no page of a built site has an entry for."""
    texts: dict[str, str] = {}
    lost: list[str] = []
    for name in names:
        page, anchor = places.get(name, ("", ""))
        path = output / f"{page}.html"
        if page not in texts:
            texts[page] = path.read_text(encoding="utf-8") if path.is_file() else ""
        if f'id="{anchor}"' not in texts[page]:
            lost.append(name)
    return lost


def build_site(root: Path, verbs: Verbs, output: Path) -> Path:
    """Builds the site in `output` and returns its first page.

    Errors: `MissingError` without Sphinx; `WeftError` if Sphinx warns of anything, or a public name
    has no entry.
    """
    if importlib.util.find_spec("sphinx") is None:
        raise MissingError(
            what="Sphinx is not installed",
            why="the documentation site is built with it",
            remedy="start it as ./weft docs, which installs packaging/python/docs.lock",
        )
    source = root / "build" / "docs_source"
    source.mkdir(parents=True, exist_ok=True)
    places = write_pages(root, verbs, source)
    jobs = str(len(os.sched_getaffinity(0)))
    options = [
        "-q",
        "-b",
        "html",
        "-j",
        jobs,
        "-W",
        "--keep-going",
        "-c",
        str(Path(__file__).parent),
    ]
    folders = ["-d", str(root / "build" / "docs_cache"), str(source), str(output)]
    command = [sys.executable, "-P", "-m", "sphinx", *options, *folders]
    environment = {**os.environ, "PYTHONPATH": str(root / "python")}
    if subprocess.run(command, env=environment, check=False).returncode != 0:
        raise WeftError(
            what="the documentation has mistakes",
            why="Sphinx names them above",
            remedy="mend the page that each line names, or the docstring it comes from",
        )
    names = [f"{each.namespace}::{each.name}" for each in with_meanings(names_of(root))]
    if lost := names_without_entry(output, names, places):
        raise WeftError(
            what=f"{len(lost)} public names have no entry in the API reference",
            why=", ".join(lost[:10]),
            remedy="see how python/weft_lab/site/headers.py reads their declarations",
        )
    return output / "index.html"

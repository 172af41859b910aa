# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For Sphinx: the search knows every public name, and names in the text are links."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

WORD = re.compile(r"(?:::)?((?:\w+::)*\w+)(?:<[^>]*>)?(?:\(\.{0,3}\))?")
API = "reference/api/"
# Namespaces of names that pages write without them.
SPACES = ("weft::", "weft::execution::", "weft::halo::", "weft::policies::")


@cache
def _places(folder: str) -> dict[str, tuple[str, str]]:
    text = (Path(folder) / "names.json").read_text(encoding="utf-8")
    return {name: (page, anchor) for name, (page, anchor) in json.loads(text).items()}


def find_name(text: str, page: str, places: dict[str, tuple[str, str]]) -> str | None:
    """Returns the public name that a piece of code in a text refers to, if any.

    Outside of the API reference, a name has `weft::` before it, or is unique.
    """
    match = WORD.fullmatch(text)
    if not match:
        return None
    word = match[1]
    if word in places:
        return word
    if not page.startswith(API) and "_" not in word and "::" not in word:
        return None
    tried = [f"{space}{word}" for space in SPACES]
    return next((name for name in tried if name in places), None)


def _link_names(app: Sphinx, doctree: nodes.document, page: str) -> None:
    places = _places(str(app.srcdir))
    if page.startswith("source/"):
        return
    for literal in list(doctree.findall(nodes.literal)):
        name = find_name(literal.astext(), page, places)
        if name is None or isinstance(literal.parent, nodes.reference | nodes.title):
            continue
        target, anchor = places[name]
        address = "" if target == page else app.builder.get_relative_uri(page, target)
        link = nodes.reference("", "", internal=True, refuri=f"{address}#{anchor}")
        literal.replace_self(link)
        link += literal


def _note_names(app: Sphinx, doctree: nodes.document) -> None:
    page = app.env.docname
    if page.startswith(API):
        standard = app.env.domains.standard_domain
        for name, (target, anchor) in _places(str(app.srcdir)).items():
            if target == page:
                standard.note_object("weft", name, anchor, location=doctree)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_object_type("weft", "weft", objname="C++")
    app.connect("doctree-read", _note_names)
    app.connect("doctree-resolved", _link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

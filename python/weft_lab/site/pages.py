# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes the pages of docs/ into the site: links, the contents, and pages that show source files."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

from weft_lab.checks.files import own_files

CONTENTS = Path("docs/README.md")
PROJECT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
LANGUAGES = {
    ".cpp": "cpp", ".hpp": "cpp", ".cu": "cuda", ".c": "c", ".h": "c", ".py": "python",
    ".f90": "fortran", ".sh": "sh", ".json": "json", ".toml": "toml", ".cff": "yaml",
}  # fmt: skip
PART = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?P<target>[^)\s#]+)(?P<anchor>#[^)\s]*)?\)")
ONLY_IN_SITE = re.compile(r"<!-- site: (?P<item>.*?) -->")
ITEM = re.compile(r"^- \[(?P<title>[^\]]+)\]\(/?(?P<page>[^)#]+)\.md\)", re.MULTILINE)


def page_of(path: Path) -> str | None:
    """Returns the page that a Markdown file becomes; none if it is not in the site."""
    if str(path) == "README.md" or path == CONTENTS:
        return "index"
    if path.suffix == ".md" and path.parts[0] == "docs":
        return str(PurePosixPath(*path.parts[1:]).with_suffix(""))
    return f"project/{path.stem.lower()}" if str(path) in PROJECT else None


class Site:
    """The pages of a site by name, in Markdown, made from a checkout."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.pages: dict[str, str] = {}
        self._files = own_files(root)

    def add_docs(self) -> None:
        """Adds the pages of docs/ and those about the project."""
        for path in self._files:
            name = page_of(path)
            if name is not None and str(path) != "README.md":
                text = (self.root / path).read_text(encoding="utf-8")
                self.pages[name] = self._with_site_links(text, path, name)
        self.pages["index"] += contents(self.pages["index"])

    def show(self, file: str) -> str:
        """Adds a page that shows a file or the list of a folder, and returns its name."""
        name = f"source/{file.rstrip('/')}"
        if name in self.pages:
            return name
        path = self.root / file
        self.pages[name] = ""  # files that link to each other
        if path.is_dir():
            inside = [each for each in self._files if each.is_relative_to(file)]
            rows = [f"- [{each}](/{self.show(str(each))}.md)" for each in inside]
            body = "\n".join(rows)
        else:
            text = path.read_text(encoding="utf-8")
            body = f"`````{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n`````"
        self.pages[name] = (
            f"---\norphan: true\n---\n# {file.replace('_', chr(92) + '_')}\n\n{body}\n"
        )
        return name

    def _with_site_links(self, text: str, path: Path, name: str) -> str:
        text = ONLY_IN_SITE.sub(r"\g<item>", text) if path == CONTENTS else text
        parts = PART.split(text)
        parts[::2] = [
            LINK.sub(lambda found: self._link(found, path, name), part) for part in parts[::2]
        ]
        return "".join(parts)

    def _link(self, found: re.Match[str], path: Path, name: str) -> str:
        target, anchor = found["target"], found["anchor"] or ""
        if re.match(r"[a-z]+:", target) or target.startswith("/"):
            return found[0]
        file = Path(os.path.normpath(path.parent / target))
        page = page_of(file)
        if page is None and not (self.root / file).exists():
            return found[0]  # a page that only the site has
        if page is None and file.suffix in {".png", ".svg"}:
            return f"](/{PurePosixPath(*file.parts[1:])})"
        if page is None:
            page = self.show(str(file))
        return f"](/{page}.md{anchor})"


def contents(index: str) -> str:
    """Returns the site's contents for the lists of links on its first page: a part per heading."""
    parts: list[str] = []
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        title = section.partition("\n")[0]
        items = [f"{each['title']} <{each['page']}>" for each in ITEM.finditer(section)]
        if items:
            listed = "\n".join(items)
            parts += [f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n{listed}\n```\n"]
    return "".join(parts)

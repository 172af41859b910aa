# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the API reference: a page for each public header, one for each module, and a first one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from weft_lab.checks.public_names import PublicName, sentence
from weft_lab.site.docstrings import Docstring, escaped, parse
from weft_lab.site.examples import cut
from weft_lab.site.headers import Entry, Header, Signature

FOLDER = "reference/api"
MODULES = {
    "base": "Errors, assertions, options, messages, and the machine's topology.",
    "counters": "Counters of the library and of programs, sessions that read them, traces.",
    "tasks": "The task runtime: fork-join, groups, futures, coroutines, locks, channels, timers.",
    "execution": "Senders and receivers of C++26, schedulers and executors.",
    "algorithms": "The parallel algorithms, for iterators, ranges and senders, and their policies.",
    "policies": "Adaptive policies: periodic calls, tuners, throttles, and knobs of a runtime.",
    "halo": "Halo exchange between MPI processes.",
    "distributed": "Objects as bytes: for messages between processes, and checkpoints.",
}
TARGETS = {"base": "weft::tasks"}
# Halo exchange for other languages: the file that declares and describes the calls.
OTHER_LANGUAGES = {
    "C": "include/weft/halo.h",
    "Fortran": "src/halo/languages/weft_halo.f90",
    "Python": "python/weft/halo.py",
}
INTRODUCTION = """# API reference

Every public name of the library, from the docstrings of its headers. A page is a header: what to
include, what the names in it do, and what they cost. The search finds a name wherever it is.

| field | says |
|---|---|
| Shape | sizes and layout that the caller supplies |
| Units | the unit of each quantity |
| Cost | work, memory and messages |
| Threads | which threads may call, and whether the call blocks or is collective |
| Errors | what the call throws or returns, and the state afterwards |
| Example | a test of the library that runs this |

"""
LinkTo = Callable[[str], str]  # from a file of the checkout to the name of its page, or ""


def slug(text: str) -> str:
    """Returns the text as an anchor."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def module_of(header: str) -> str:
    """Returns `tasks` for `weft/tasks/task_group.hpp`, and `base` for `weft/version.hpp`."""
    parts = header.split("/")
    return parts[1] if len(parts) > 2 else Path(parts[1]).stem


def _target_of(module: str) -> str:
    return TARGETS.get(module, f"weft::{module}")


def page_of(header: str) -> str:
    """Returns the name of a header's page."""
    return f"{FOLDER}/{header.removeprefix('weft/').removesuffix('.hpp')}"


def anchor_of(name: PublicName, header: str) -> str:
    """Returns the anchor of a name on the page of a header; a name may be in several headers."""
    own = f"{name.namespace}-{name.name}"
    return slug(own if name.header == header else f"{own}-{header.removesuffix('.hpp')}")


def places(headers: Iterable[Header]) -> dict[str, tuple[str, str]]:
    """Returns page and anchor of every public name, by its name with its namespace."""
    return {
        f"{entry.name.namespace}::{entry.name.name}": (
            page_of(header.path),
            anchor_of(entry.name, header.path),
        )
        for header in headers
        for entry in header.entries
        if entry.name.header == header.path
    }


def _code(lines: Iterable[str]) -> str:
    return "```cpp\n" + "\n".join(lines) + "\n```\n"


class _Writer:
    """Writes the page of one header."""

    def __init__(self, root: Path, link_to: LinkTo) -> None:
        self._root = root
        self._link_to = link_to

    def page(self, header: Header) -> str:
        module = module_of(header.path)
        parts = [
            f"# {escaped(header.path)}\n\n",
            f"[API reference](/{FOLDER}/index.md) › [{module}](/{FOLDER}/{module}.md)\n\n",
            f"{escaped(header.purpose)}\n\n",
            f"```cpp\n#include <{header.path}>  // link {_target_of(module)}\n```\n\n",
        ]
        if len(header.entries) > 1:
            parts += ["| name | meaning |\n|---|---|\n"]
            for entry in header.entries:
                anchor = anchor_of(entry.name, header.path)
                meaning = _in_table(escaped(entry.name.meaning))
                parts += [f"| [{escaped(entry.name.name)}](#{anchor}) | {meaning} |\n"]
            parts += ["\n"]
        parts += [self._entry(entry, header.path) for entry in header.entries]
        return "".join(parts)

    def _entry(self, entry: Entry, header: str) -> str:
        name = entry.name
        is_enumeration = entry.signatures[0].code.startswith("enum")
        kind = "enumeration" if is_enumeration else name.shown_kind
        parts = [
            f"({anchor_of(name, header)})=\n## {escaped(name.name)}\n\n",
            f"<p class='kind'>{kind} in namespace <code>{name.namespace}</code></p>\n\n",
        ]
        groups = _groups(entry.signatures)
        for number, (signatures, doc) in enumerate(groups):
            parts += [_code(each.code for each in signatures), "\n"]
            if number == 0 and not doc and name.meaning:
                parts += [f"{escaped(name.meaning)}.\n\n"]
            parts += [self._doc(doc)]
        return "".join([*parts, self._members(entry, anchor_of(name, header))])

    def _members(self, entry: Entry, anchor: str) -> str:
        rows: list[tuple[str, str, str]] = []
        parts: list[str] = []
        others: list[str] = []
        for signatures, doc in _groups(entry.members):
            if not doc:
                others += [each.code for each in signatures]
                continue
            title = escaped(f"{entry.name.name}::{signatures[0].name}")
            own = f"{anchor}-{len(rows)}"
            rows.append((f"[{title.partition('::')[2]}](#{own})", *_meaning_and_cost(doc)))
            parts += [f"({own})=\n### {title}\n\n"]
            parts += [_code(each.code for each in signatures), "\n", self._doc(doc)]
        if others:
            heading = "Other members" if parts else "Members"
            parts += [f"<p class='others'>{heading}</p>\n\n", _code(others), "\n"]
        return "".join([_member_table(rows), *parts])

    def _doc(self, lines: list[str]) -> str:
        if not lines:
            return ""
        doc = parse(lines)
        parts = [f"{doc.text}\n\n"]
        shown = [each for each in doc.fields if each.name != "Example"]
        for each in shown:
            parts += [f":{each.name}: {each.text.replace(chr(10), chr(10) + '    ')}\n"]
        return "".join([*parts, "\n" if shown else "", self._examples(doc)])

    def _examples(self, doc: Docstring) -> str:
        parts: list[str] = []
        for file, name in doc.examples:
            code = cut(self._root, file, name)
            page = self._link_to(file) if file.startswith("examples/") else ""
            if code:
                title = f"Example: {name}"
                parts += [f"<details class='example'><summary>{title}</summary>\n\n"]
                parts += [_code([code]), f"\nFrom `{file}`.\n\n</details>\n\n"]
            elif page:
                parts += [f":Example: [{escaped(file)}](/{page}.md)\n\n"]
            else:
                parts += [f":Example: `{file}`{f', `{name}`' if name else ''}\n\n"]
        return "".join(parts)


def _in_table(text: str) -> str:
    return text.replace("\\|", "|").replace("|", "\\|").replace("\n", " ")


def _meaning_and_cost(lines: list[str]) -> tuple[str, str]:
    """Returns the first sentence of a docstring, and the first part of its costs."""
    cost = next((each.text for each in parse(lines).fields if each.name == "Cost"), "")
    return _in_table(escaped(sentence(lines))), _in_table(re.split(r"[.;](?:\s|$)", cost)[0])


def _member_table(rows: list[tuple[str, str, str]]) -> str:
    if len(rows) < 2:
        return ""
    has_cost = any(cost for _, _, cost in rows)
    head = (
        "| member | meaning | cost |\n|---|---|---|\n"
        if has_cost
        else "| member | meaning |\n|---|---|\n"
    )
    shown = [row if has_cost else row[:2] for row in rows]
    return head + "".join(f"| {' | '.join(row)} |\n" for row in shown) + "\n"


def _groups(all_of_them: Sequence[Signature]) -> list[tuple[list[Signature], list[str]]]:
    """Groups overloads: those without a docstring belong to the documented one before them."""
    groups: list[tuple[list[Signature], list[str]]] = []
    for each in all_of_them:
        is_same = bool(groups) and groups[-1][0][-1].name == each.name
        if is_same and not each.doc and (groups[-1][1] or not each.name):
            groups[-1][0].append(each)
        else:
            groups.append(([each], each.doc))
    return groups


def module_page(module: str, headers: list[Header]) -> str:
    """Returns the page of a module: its headers with their names."""
    parts = [f"# {module}\n\n{MODULES.get(module, '')} In CMake: `{_target_of(module)}`.\n\n"]
    parts += ["| header | purpose | names |\n|---|---|---|\n"]
    for header in headers:
        page = f"/{page_of(header.path)}.md"
        names = ", ".join(
            f"[{escaped(each.name.name)}]({page}#{anchor_of(each.name, header.path)})"
            for each in header.entries
        )
        title = escaped(header.path.removeprefix("weft/"))
        purpose = _in_table(escaped(sentence([header.purpose])))
        parts += [f"| [{title}]({page}) | {purpose} | {names} |\n"]
    return "".join(parts)


def api_pages(root: Path, headers: list[Header], link_to: LinkTo) -> dict[str, str]:
    """Returns every page of the API reference by its name.

    `link_to` gives the page that shows a file of the checkout.
    """
    writer = _Writer(root, link_to)
    shown = [header for header in headers if header.entries]
    pages = {page_of(each.path): f"---\norphan: true\n---\n{writer.page(each)}" for each in shown}
    modules = [*MODULES, *sorted({module_of(each.path) for each in shown} - set(MODULES))]
    parts = [INTRODUCTION, "| module | |\n|---|---|\n"]
    for module in modules:
        own = [each for each in shown if module_of(each.path) == module]
        pages[f"{FOLDER}/{module}"] = module_page(module, own)
        parts += [f"| [{module}]({module}.md) | {MODULES.get(module, '')} |\n"]
    parts += [
        f"| halo for {language} | [{escaped(file)}](/{link_to(file)}.md) |\n"
        for language, file in OTHER_LANGUAGES.items()
        if (root / file).is_file()
    ]
    toctree = "\n".join(modules)
    parts += [f"\n```{{toctree}}\n:hidden:\n\n{toctree}\n```\n"]
    pages[f"{FOLDER}/index"] = "".join(parts)
    return pages

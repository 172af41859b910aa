# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the reading verbs write and print of a fixed run of each suite does not change unnoticed.

`tests/python/golden/<suite>.txt` holds the first lines of every file and a digest of the others.
Where a change is meant: `WEFT_WRITE_GOLDEN=1 pytest tests/python/pages/test_golden_pages.py`, then
look at the difference. A failure keeps the whole text, to be compared with that of before.
"""

from __future__ import annotations

import difflib
import hashlib
import html
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixed_runs import WRITERS
from typer.testing import CliRunner
from weft_lab import __version__
from weft_lab.cli import make_app

GOLDEN = Path(__file__).parents[1] / "golden"
LINES_SHOWN = 12
PAGE_LINES_SHOWN = 60  # of the suite's own page
COLUMNS_SHOWN = 240
DIGITS = 5
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d{4,}(?:e[-+]?\d+)?|(?:\.\d+)?e[-+]?\d+)(?!\w)")
DATA = re.compile(r'<script type="application/json" id="[\w-]+">(.*?)</script>', re.DOTALL)
UNSEEN = re.compile(r"<(script|style|svg)\b.*?</\1>", re.DOTALL)
# Besides `report`: what a suite's runs are asked.
ASKED: dict[str, tuple[tuple[str, ...], ...]] = {
    "stl": (
        *(("reproduce", f"pstl-table{number}") for number in range(2, 8)),
        *(("reproduce", f"pstl-fig{name}") for name in ("1", "2", "3", "4", "7")),
        *(("explain", topic) for topic in ("sort", "gnu", "likely", "noise floor")),
    ),
    "tasks": (("explain", "fib"), ("explain", "weft")),
    "inncabs": (
        *(("reproduce", f"counters-{name}") for name in ("table3", "table4", "table5", "fig3")),
        *(("reproduce", f"counters-{name}") for name in ("fig8", "fig13", "all")),
    ),
    "approaches": (
        *(("reproduce", f"hpx-cpp-{name}") for name in ("table1", "table2", "fig1", "fig2")),
        *(("reproduce", f"hpx-cpp-{name}") for name in ("fig3", "fig4")),
    ),
    "mpi": (
        *(("reproduce", f"mpi-{name}") for name in ("table1", "table4", "table10", "fig1")),
        *(("reproduce", f"mpi-{name}") for name in ("fig2", "fig3", "fig6")),
    ),
    "halo": (("reproduce", "gcl-fig6"), ("reproduce", "gcl-fig7")),
    "distributed": (),
}


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A terminal of known width, and drawings that are digests of what would be drawn."""
    import vl_convert

    def draw(spec: object, **_: object) -> str:
        content = json.loads(spec) if isinstance(spec, str) else spec
        return f"<svg>{_digest(json.dumps(_rounded(content), sort_keys=True))}</svg>"

    monkeypatch.setattr(vl_convert, "vegalite_to_svg", draw)
    monkeypatch.setattr(vl_convert, "svg_to_png", lambda svg, **_: svg.encode())
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})  # no other process draws
    monkeypatch.setenv("COLUMNS", "140")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("suite", WRITERS)
def test_pages_tables_and_words_are_as_before(suite: str, tmp_path: Path) -> None:
    folder = WRITERS[suite](tmp_path / "run")
    given = {path.name for path in folder.iterdir()}
    parts = [("report", _answer("report", str(folder)))]
    parts += [(" ".join(words), _answer(*words, "--from", str(folder))) for words in ASKED[suite]]
    parts += [
        (str(path.relative_to(folder)), _content(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in given and path.suffix != ".png"
    ]

    text = "".join(_shown(name, _settled(content, tmp_path)) for name, content in parts)

    golden = GOLDEN / f"{suite}.txt"
    if os.environ.get("WEFT_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    whole = tmp_path / "whole.txt"
    whole.write_text(
        "".join(f"== {name}\n{_settled(content, tmp_path)}\n" for name, content in parts),
        encoding="utf-8",
    )
    before = golden.read_text(encoding="utf-8").splitlines()
    changes = difflib.unified_diff(before, text.splitlines(), "before", "now", n=1, lineterm="")
    assert text.splitlines() == before, "\n".join([*changes, f"all of it: {whole}"])


def _answer(*words: str) -> str:
    """What the verb prints."""
    result = CliRunner().invoke(make_app(words[0]), list(words))
    assert result.exit_code == 0, (words, result.output, result.exception)
    return result.output


def _content(path: Path) -> str:
    if path.suffix == ".html":
        return "\n".join(_page_lines(path.read_text(encoding="utf-8")))
    if path.suffix == ".json":
        content = _rounded(json.loads(path.read_text(encoding="utf-8")))
        return json.dumps(content, indent=1, ensure_ascii=False)
    return path.read_text(encoding="utf-8")


def _page_lines(page: str) -> Iterator[str]:
    """What is read on the page, line by line, then a digest of what its scripts are given."""
    seen = UNSEEN.sub("", page)
    text = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"</(?:td|th)>", "</td>| ", seen)))
    yield from (" ".join(line.split()) for line in text.splitlines() if line.strip())
    tags = re.findall(r"<[a-z][^>]*>", seen)
    yield f"tags {_digest(' '.join(tags))}"
    for data in DATA.findall(page):
        content = _rounded(json.loads(data))
        for name, part in content.items() if isinstance(content, dict) else enumerate(content):
            yield f"data {name} {_digest(json.dumps(part, sort_keys=True))}"


def _settled(text: str, place: Path) -> str:
    """The text without this machine's folders, the version, and digits that may differ."""
    for path in (place.resolve(), place):
        text = text.replace(str(path), "PLACE")
    text = text.replace(__version__, "VERSION")
    return NUMBER.sub(lambda match: f"{float(match[0]):.{DIGITS}g}", text)


def _rounded(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items() if key != "$schema"}
    return value


def _shown(name: str, text: str) -> str:
    lines = [line.rstrip() for line in text.splitlines()]
    limit = PAGE_LINES_SHOWN if name == "report.html" else LINES_SHOWN
    kept = lines if len(lines) <= limit + 1 else lines[:limit]
    shown = [f"== {name}: {len(lines)} lines {_digest(chr(10).join(lines))}"]
    shown += [line[:COLUMNS_SHOWN] for line in kept]
    return "\n".join(shown) + "\n"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page: one HTML file that holds everything, and a policy that forbids the network."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import jinja2

from weft_lab import __version__
from weft_lab.pages import method, settings
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.decision_rows import CONFIDENCE_LEGEND, decision_rows
from weft_lab.pages.lead import confidence_text
from weft_lab.pages.machine_text import one_line, started, trust_rows
from weft_lab.pages.sections import RunPage
from weft_lab.storage.checkout import CHECKOUT
from weft_lab.storage.folder_files import make, write

SIZE_LIMIT_BYTES = 3_000_000
BUNDLE_SNIPPET = "window.vegaEmbed = vegaEmbed;"


@dataclass(frozen=True)
class Room:
    """The size limit of the page; data beyond it is in the files beside it."""

    rows_per_table: int
    static_bytes: int


# The first setting that keeps the page within its limit is used.
ROOMS = (Room(1500, 900_000), Room(600, 300_000), Room(200, 0), Room(40, 0))


def render_page(run: RunPage, svgs: Mapping[str, str]) -> str:
    """The page's text. `svgs` holds the static figures by file stem."""
    parts = _parts(run)
    text = ""
    for room in ROOMS:
        static = static_figures(run.all_figures, svgs, room.static_bytes)
        page = template("template.html.j2")
        text = page.render(**parts, static=static, row_limit=room.rows_per_table)
        if len(text.encode()) <= SIZE_LIMIT_BYTES:
            break
    return text


def _parts(run: RunPage) -> dict[str, Any]:
    view = run.view
    bundle, script = vega_bundle(), asset("page.js")
    is_first_decision = run.contest is not None and run.contest.is_decision
    return {
        "policy": policy(bundle, script),
        "style": asset("style.css"),
        "bundle": bundle,
        "script": script,
        "data": script_json(page_data(run.all_figures)),
        "version": __version__,
        "machine_line": one_line(view),
        "started": started(view),
        "contents": _contents(run),
        "words": view.words,
        "opening": run.opening,
        "changed": run.changed,
        "contest": run.contest,
        "decisions": decision_rows(view),
        "legend": f"{CONFIDENCE_LEGEND} {confidence_text(view)}".strip(),
        "trust": trust_rows(view),
        "settings": ""
        if is_first_decision and not view.decisions
        else settings.settings_text(view),
        "wrong": run.general.wrong,
        "skipped": run.general.skipped,
        "race": [f for f in run.figures if is_of_contest(run, f)],
        "figures": [f for f in run.figures if not is_of_contest(run, f)],
        "sections": run.sections,
        "later": run.later,
        "method": method.lines(view),
        "programs": run.general.programs,
        "run_command": method.run_command(view),
    }


def is_of_contest(run: RunPage, figure: Figure) -> bool:
    """Whether the figure belongs to the race."""
    return run.contest is not None and figure.name == run.contest.name


def _contents(run: RunPage) -> list[tuple[str, str]]:
    own = [(figure.name, figure.short_title, is_of_contest(run, figure)) for figure in run.figures]
    return [
        *([("changed", "Changed")] if run.changed else []),
        *([("decisions", "Every size")] if run.view.decisions else []),
        *((name, title) for name, title, is_race in own if is_race),
        *([("wrong", "Wrong answers")] if run.general.wrong.rows else []),
        *((section.id, section.short_title) for section in run.sections),
        *((name, title) for name, title, is_race in own if not is_race),
        *((section.id, section.short_title) for section in run.later),
        ("skipped", "Not measured"),
        ("how", "Method"),
    ]


def page_data(figures: Sequence[Figure]) -> dict[str, Any]:
    datasets: dict[str, Any] = {}
    for figure in figures:
        datasets.update({name: _by_column(rows) for name, rows in figure.datasets.items()})
    specs = {
        figure.name: {"spec": figure.spec, "datasets": list(figure.datasets), "cases": figure.cases}
        for figure in figures
    }
    return {"datasets": datasets, "figures": specs}


def _by_column(rows: Rows) -> dict[str, Any]:
    """The rows with each key once; `page.js` makes objects of them again."""
    keys = list(rows[0]) if rows else []
    return {"keys": keys, "rows": [[row[key] for key in keys] for row in rows]}


def static_figures(
    figures: Sequence[Figure], svgs: Mapping[str, str], static_bytes: int
) -> dict[str, str]:
    """The replacement of the charts without JavaScript, as long as there is room."""
    left = static_bytes
    chosen: dict[str, str] = {}
    for figure in figures:
        svg = svgs.get(figure.first_stem, "")
        if len(svg) <= left:
            left -= len(svg)
            chosen[figure.name] = svg
        else:
            chosen[figure.name] = f"<p>See figures/{figure.first_stem}.svg beside this page.</p>"
    return chosen


def script_json(content: Any) -> str:  # noqa: ANN401 - JSON
    """JSON that cannot end its script element early, whatever the strings hold."""
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def policy(*scripts: str) -> str:
    """Only these scripts run, nothing is loaded; Vega compiles expressions: unsafe-eval."""
    digests = (
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    )
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed} 'unsafe-eval'; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


@cache
def vega_bundle(keep: Path = CHECKOUT / ".weft" / "vega") -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, from the converter's own copy.

    The converter needs seconds to make it, so the script is kept in the folder `keep`.
    """
    import vl_convert

    version = metadata.version("vl-convert-python")
    name = f"{version}-{zlib.crc32(BUNDLE_SNIPPET.encode())}.js"
    with suppress(OSError):
        return (keep / name).read_text(encoding="utf-8")
    text = str(vl_convert.javascript_bundle(BUNDLE_SNIPPET)).replace("</script", "<\\/script")
    with suppress(OSError):  # of a folder that others own: made anew by each process
        write(make(keep), name, text)
    return text


@cache
def asset(name: str) -> str:
    return resources.files("weft_lab.pages").joinpath("assets", name).read_text(encoding="utf-8")


@cache
def template(name: str) -> jinja2.Template:
    """A template that escapes every string it is given."""
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.PackageLoader("weft_lab.pages", ""),
    )
    return environment.get_template(name)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Figures as SVG and PNG files, converted without a browser; many of them by a few processes."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from weft_lab.pages.charts.figure import Figure, Spec
from weft_lab.storage.folder_files import make, write

PNG_SCALE = 1.5
# A process takes as long to start as six figures take to convert.
FEW_FIGURES = 16
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?![\d.]*e)")
Job = tuple[str, str, str]  # file stem, Vega-Lite JSON, folder


def write_figures(figures: Sequence[Figure], folder: Path) -> tuple[dict[str, str], list[Path]]:
    """Writes `<stem>.svg` and `<stem>.png` for every static form of every figure.

    Returns the SVG text by stem, for the page without JavaScript, and the paths.
    """
    make(folder)
    jobs: list[Job] = [
        (stem, json.dumps(spec), str(folder))
        for figure in figures
        for stem, spec in figure.static_specs().items()
    ]
    svgs = dict(_convert_all(jobs))
    return svgs, [folder / f"{stem}.{kind}" for stem in svgs for kind in ("svg", "png")]


def draw(spec: Spec, folder: Path, stem: str) -> str:
    """Writes `<stem>.svg` and `<stem>.png`; returns the SVG."""
    import vl_convert

    make(folder)
    svg = str(vl_convert.vegalite_to_svg(json.dumps(spec)))
    write(folder, f"{stem}.svg", svg)
    write(folder, f"{stem}.png", vl_convert.svg_to_png(svg, scale=PNG_SCALE))
    return svg


def compact(svg: str) -> str:
    """The drawing with coordinates to a hundredth of a pixel."""
    return LONG_NUMBER.sub(lambda match: f"{float(match[0]):.2f}".rstrip("0").rstrip("."), svg)


def _convert_all(jobs: Sequence[Job]) -> list[tuple[str, str]]:
    workers = min(len(jobs), len(os.sched_getaffinity(0)), 4)
    if workers < 2 or len(jobs) <= FEW_FIGURES:
        return [_convert(job) for job in jobs]
    # Not forked: the converter starts its own threads, which a forked child would not have.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        return list(pool.map(_convert, jobs, chunksize=2))


def _convert(job: Job) -> tuple[str, str]:
    import vl_convert

    stem, spec, folder = job
    svg = compact(vl_convert.vegalite_to_svg(spec))
    write(Path(folder), f"{stem}.svg", svg)
    write(Path(folder), f"{stem}.png", vl_convert.svg_to_png(svg, scale=PNG_SCALE))
    return stem, svg

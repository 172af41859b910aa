# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One look for every figure: colour, shape and dash per variant, and Vega's configuration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"

# Okabe and Ito's palette, with additional hues for optional backends. All have a contrast of three
# with white and with the dark page. Shapes repeat the information of colours.
COLORS: dict[str, str] = {
    "seq": "#6b7280",
    "gnu": "#c58800",
    "libstdcxx_tbb": "#0073b3",
    "libstdcxx_tbb_par": "#5b7fc4",
    "onetbb": "#289cd9",
    "onedpl_tbb": "#009e73",
    "onedpl_omp": "#cc79a7",
    "openmp": "#d55e00",
    "thrust_omp": "#a08a00",
    "hpx": "#845bb5",
    "weft": "#cf2957",
    "std_async": "#2f7f6f",
    "weft_future": "#ee6495",
    "weft_task_group": "#e0413f",
    "std_thread": "#577281",
    "taskflow": "#4f7f2f",
    "stdexec": "#a08a00",
    "hpx_future": "#845bb5",
    "hpx_coroutine": "#a47fd0",
    "hpx_algorithm": "#8457c0",
    "hpx_sender": "#aa81dc",
    "weft_dataflow": "#c24a9b",
    "weft_coroutine": "#c87d9c",
    "weft_algorithm": "#cf2957",
    "weft_simd": "#9a5f53",
    "weft_sender": "#aa516f",
    "weft_sender_chunked": "#b58795",
}
SHAPES: dict[str, str] = {
    "seq": "stroke",
    "gnu": "square",
    "libstdcxx_tbb": "circle",
    "libstdcxx_tbb_par": "triangle-left",
    "onetbb": "diamond",
    "onedpl_tbb": "triangle-up",
    "onedpl_omp": "triangle-down",
    "openmp": "cross",
    "thrust_omp": "triangle-right",
    "hpx": "circle",
    "weft": "square",
    "std_async": "triangle-up",
    "weft_future": "diamond",
    "weft_task_group": "square",
    "std_thread": "cross",
    "taskflow": "triangle-left",
    "stdexec": "diamond",
    "hpx_future": "square",
    "hpx_coroutine": "triangle-up",
    "hpx_algorithm": "square",
    "hpx_sender": "triangle-down",
    "weft_dataflow": "triangle-left",
    "weft_coroutine": "triangle-up",
    "weft_algorithm": "circle",
    "weft_simd": "stroke",
    "weft_sender": "triangle-down",
    "weft_sender_chunked": "triangle-right",
}
SPARE_COLORS = ("#9a5f53", "#577281", "#9a5b8f", "#4f7f2f")
SPARE_SHAPES = ("circle", "square", "diamond", "cross")
DASHES: dict[str, list[int]] = {
    "gcc": [1, 0],
    "clang": [6, 3],
    "icpx": [2, 2],
    "nvcxx": [8, 2, 2, 2],
}
# For items that are not backends; then a grey that is visible on white and on the dark page.
CATEGORY = ("#1f82c4", "#c98500", "#8a63d2", "#0f8f6c", "#cf2957", "#577281", "#d55e00", "#9a5f53")
MIDDLE = "#7a8794"
SPARE_DASH = [1, 3]
LEGEND_COLUMNS = 5


def backend_of(variant: str) -> str:
    """`gnu` for `gnu@gcc`."""
    return variant.partition("@")[0]


def toolchain_of(variant: str) -> str:
    """`gcc` for `gnu@gcc`, empty if the variant names none."""
    return variant.partition("@")[2].partition("#")[0]


def color(backend: str) -> str:
    """The backend's colour; an unknown backend gets a spare one, always the same."""
    return COLORS.get(backend) or SPARE_COLORS[sum(map(ord, backend)) % len(SPARE_COLORS)]


def shape(backend: str) -> str:
    """The backend's point shape, for readers and printers without colour."""
    return SHAPES.get(backend) or SPARE_SHAPES[sum(map(ord, backend)) % len(SPARE_SHAPES)]


def order(variants: Sequence[str]) -> list[str]:
    """Variants in the order everything shows them: `seq` first, then as in the palette."""
    known = list(COLORS)

    def rank(variant: str) -> tuple[int, str]:
        backend = backend_of(variant)
        return (known.index(backend) if backend in known else len(known), variant)

    return sorted(dict.fromkeys(variants), key=rank)


def vega_config() -> dict[str, Any]:
    """The light configuration, as files use it; `page.js` replaces its colours in the dark."""
    ink, faint, line = "#1f2933", "#52606d", "#d9dee3"
    return {
        "background": "#ffffff",
        "font": FONT,
        "padding": 8,
        "view": {"stroke": None, "continuousWidth": 640, "continuousHeight": 340},
        "axis": {
            "labelColor": faint,
            "titleColor": ink,
            "gridColor": line,
            "gridOpacity": 0.7,
            "domainColor": faint,
            "tickColor": faint,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": 600,
            "titlePadding": 8,
        },
        "axisX": {"titleAnchor": "start"},
        "axisY": {"labelLimit": 270},
        "legend": {
            "orient": "bottom",
            "direction": "horizontal",
            "columns": LEGEND_COLUMNS,
            "labelColor": ink,
            "titleColor": ink,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "symbolSize": 90,
            "symbolBaseFillColor": MIDDLE,
            "symbolBaseStrokeColor": MIDDLE,
            "symbolStrokeWidth": 2,
            "labelLimit": 220,
        },
        "header": {
            "labelColor": ink,
            "labelFontSize": 12,
            "labelFontWeight": 600,
            "titleColor": ink,
        },
        "title": {"color": ink, "subtitleColor": faint, "fontSize": 14, "anchor": "start"},
        "line": {"strokeWidth": 1.8},
        "point": {"size": 46, "filled": True, "opacity": 1},
        "range": {"category": list(CATEGORY)},
        "text": {"color": ink},
        "rule": {"color": faint},
    }

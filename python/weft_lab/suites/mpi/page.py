# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's page, its CSV files, its summary, and the report's `*_fit.csv` and `*_extra.csv`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft_lab.machine.neighbours import disturbances
from weft_lab.models import latency_bandwidth, published
from weft_lab.pages import formats
from weft_lab.pages.plain_page import Section
from weft_lab.pages.static_files import draw
from weft_lab.pages.table import Table, columns
from weft_lab.statistics.estimates import median
from weft_lab.storage.folder_files import make, write
from weft_lab.suites.launched import Content
from weft_lab.suites.mpi import (
    charts,
    explorer,
    forecasting,
    jacobi_tables,
    model_tables,
    ring_tables,
    tables,
)
from weft_lab.suites.mpi.comparison import compare_sums
from weft_lab.suites.mpi.importers.extrap import Measurement, write_extrap
from weft_lab.suites.mpi.importers.imb import read_imb
from weft_lab.suites.mpi.opening import opening
from weft_lab.suites.mpi.results import Results, Series

PAPER = "mpi-report"
DRAWN: Mapping[str, tuple[str, ...]] = {
    "mpi_fits": ("mpi_time", "mpi_bandwidth", "mpi_residuals"),
    "mpi_ring": ("mpi_ring",),
    "mpi_sum3d": ("mpi_sum3d",),
    "mpi_waterfall": ("mpi_waterfall",),
    "mpi_jacobi": ("mpi_predicted", "mpi_jacobi"),
    "mpi_expected": ("mpi_expected",),
    "mpi_pairs": ("mpi_pairs",),
}
SHORT_TITLES = {
    "mpi_transports": "Transports",
    "mpi_fits": "Fits",
    "mpi_regimes": "Regimes",
    "mpi_loggp": "LogGP",
    "mpi_max_rate": "Pairs at once",
    "mpi_ring": "Ring",
    "mpi_ring_latency": "Ring latency",
    "mpi_sum3d": "Sum",
    "mpi_jacobi": "Jacobi",
    "mpi_waterfall": "Parts",
    "mpi_beyond": "Errors",
    "mpi_scaling": "Speed-up",
    "mpi_expected": "Nodes",
    "mpi_pairs": "Pairs",
    "mpi_reference_fits": "IMB",
    "mpi_published_doubts": "Published",
}
# In the terminal, too.
PRINTED = ("mpi_transports", "mpi_fits", "mpi_regimes", "mpi_ring", "mpi_sum3d", "mpi_jacobi")
# Shown only if it has content.
OPTIONAL = (
    "mpi_expected",
    "mpi_pairs",
    "mpi_loggp",
    "mpi_max_rate",
    "mpi_waterfall",
    "mpi_beyond",
    "mpi_scaling",
)
METHODS_OF_FILES = {"fit": "ordinary", "extra": "extrapolated"}


def content(results: Results) -> Content:
    """The report; its drawings, the report's own files and the points for Extra-P are written."""
    folder = results.folder
    models = tables.models_of(results)
    every = (
        tables.transport_table(results),
        tables.fit_table(results),
        tables.regime_table(results),
        model_tables.loggp_table(results),
        model_tables.max_rate_table(results),
        tables.ring_table(results),
        ring_tables.latency_table(results),
        tables.sum_table(results),
        jacobi_tables.jacobi_table(results),
        model_tables.waterfall_table(results),
        model_tables.beyond_table(results),
        model_tables.scaling_table(results),
        forecasting.expectation_table(results),
        tables.pair_table(results),
        tables.skipped_table(results),
        published_fit_table(),
        doubt_table(),
    )
    svgs = {stem: draw(spec, folder / "figures", stem) for stem, spec in _figures(results, models)}
    looked_into = None
    if models:
        looked_into = explorer.explorer(models, results.caches, results.thresholds)
    words = {
        "mpi_fits": (tables.cache_words(results), *tables.threshold_words(results)),
        "mpi_jacobi": model_tables.error_words(results),
        "mpi_ring": ring_tables.growth_words(results),
    }
    return Content(
        opening=opening(results, models),
        subtitle=_subtitle(results),
        paper=PAPER,
        lines=findings(results),
        sections=tuple(_sections(every, svgs, looked_into, words)),
        tables=every,
        printed=tuple(table for table in every if table.name in PRINTED),
        summary=summary(results),
        files=(*report_files(results, make(folder / "tables")), *_exports(results)),
    )


def _sections(
    every: Sequence[Table],
    svgs: Mapping[str, str],
    looked_into: dict[str, Any] | None,
    words: Mapping[str, tuple[str, ...]],
) -> list[Section]:
    found = []
    for table in every:
        if table.rows or table.name not in OPTIONAL:
            pictures = tuple(svgs[s] for s in DRAWN.get(table.name, ()) if s in svgs)
            spec = looked_into if table.name == "mpi_fits" else None
            lines = words.get(table.name, ()) if pictures else ()
            short = SHORT_TITLES.get(table.name, "")
            found.append(Section(table.title, lines, pictures, table, spec=spec, short_title=short))
    return found


def findings(results: Results) -> tuple[str, ...]:
    """The report's fit, the late root, and more nodes."""
    found = []
    negative = [
        series.name
        for series in results.series()
        if latency_bandwidth.ordinary(series.sizes, series.times_s()).latency_s < 0.0
    ]
    if negative:
        found.append(
            f"The report's least squares give a negative latency for {', '.join(negative)}; the "
            "fits of relative errors cannot."
        )
    unknown = [] if forecasting.expectations(results) else [forecasting.UNKNOWN]
    return (
        *disturbances(results.manifest),
        *found,
        *compare_sums(results),
        *_late_root(results),
        *unknown,
    )


def _late_root(results: Results) -> list[str]:
    """The report's 87 % in scatter, with and without a barrier."""
    shares: dict[str, float] = {}
    for case in results.cases("sum3d"):
        if case.label.startswith("sum3d late root"):
            shares.setdefault(case.label, tables.phase_shares(case, 1)[1])
    if len(shares) < 2:
        return []
    late, together = shares["sum3d late root"], shares["sum3d late root, barrier"]
    published_share = published.report()["sum3d_shares"]["scatter"]
    return [
        f"With a root that is late because it draws the numbers, another rank's scatter takes "
        f"{formats.percent(late)} of its cycle, with a barrier before it "
        f"{formats.percent(together)}; the report found "
        f"{formats.percent(published_share, 0)}."
    ]


def published_fit_table() -> Table:
    """The four fits of a published kind of file: why the report's latency can be negative."""
    from importlib import resources

    rows = []
    for name in ("imb_tcp", "imb_shm"):
        text = resources.files("weft_lab").joinpath("data", "mpi", f"{name}.txt").read_text("utf-8")
        sizes, times = read_imb(text, name)[0].positive()
        for method in latency_bandwidth.METHODS:
            line = latency_bandwidth.fit(method, sizes, times)
            words = tables.NOT_POSITIVE if line.latency_s < 0.0 else ""
            rows.append((name, method, line.latency_s, line.bandwidth_bytes_per_s, words))
    return Table(
        "mpi_reference_fits",
        "The same fits of a stored run of IMB-MPI1 PingPong",
        columns(
            ("file", "file"),
            ("fit", "fit"),
            ("latency", "latency_s", formats.seconds),
            ("bandwidth", "bandwidth_bytes_per_s", tables.bandwidth_text),
            ("", "words"),
        ),
        tuple(rows),
        "Two ranks of one node, sockets (tcp) and shared memory (shm), one launch each.",
    )


def doubt_table() -> Table:
    """The findings of the checks in the report's own tables."""
    rows = tuple((each.table, each.row, each.why) for each in published.doubts())
    return Table(
        "mpi_published_doubts",
        "What cannot be right in the published tables",
        columns(("table", "table"), ("row", "row"), ("why", "why")),
        rows,
    )


def report_files(results: Results, folder: Path) -> list[Path]:
    """`<transport>_fit.csv` and `<transport>_extra.csv` as the report has them."""
    found = []
    for series in results.series():
        for suffix, line in (
            (s, found_line)
            for s, method in METHODS_OF_FILES.items()
            for name, found_line in tables.fits(series)
            if name == method and found_line is not None
        ):
            name = f"{series.name.replace(' ', '_')}_{suffix}.csv"
            found.append(write(folder, name, _report_file(series, line)))
    return found


def _report_file(series: Series, line: latency_bandwidth.Line) -> str:
    text = io.StringIO(newline="")
    text.write(f"# {series.command}\n# nodes: {' '.join(series.hosts)}\n")
    bandwidth = line.bandwidth_bytes_per_s
    shown = "unknown" if bandwidth is None else f"{bandwidth / 1e6:.6g}"
    text.write(f"# latency_us={1e6 * line.latency_s:.6g} bandwidth_mb_per_s={shown}\n")
    writer = csv.writer(text)
    writer.writerow(("bytes", "time_us", "mb_per_s", "time_us_computed", "mb_per_s_computed"))
    for size, time in zip(series.sizes, series.times_s(), strict=True):
        computed = float(line.time_s([size])[0])
        rate = size / computed / 1e6 if computed > 0.0 else ""
        writer.writerow((int(size), 1e6 * time, size / time / 1e6, 1e6 * computed, rate))
    return text.getvalue()


def summary(results: Results) -> dict[str, Any]:
    """The data for other programs, such as ReFrame's check. Units in the names."""
    found: dict[str, Any] = {"schema": 1, "suite": "mpi", "transports": {}}
    for series in results.series():
        line = latency_bandwidth.relative(series.sizes, series.times_s())
        best = float((series.sizes / series.times_s()).max())
        found["transports"][series.name] = {
            "latency_us": 1e6 * line.latency_s,
            "bandwidth_mb_per_s": best / 1e6,
            "num_launches": len(series.launches),
            "pair": series.pair,
        }
    found["jacobi_mlups"] = {
        case.label: median([row["updates_per_s"] for row in case.records]) / 1e6
        for case in results.cases("jacobi")
    }
    return found


def _exports(results: Results) -> list[Path]:
    """Times by number of ranks for Extra-P."""
    cases = {
        "ring": results.cases("ring"),
        "jacobi": [each.case for each in jacobi_tables.sweeps(results) if each.is_plain],
    }
    found = [
        Measurement(problem, {"p": float(record["num_ranks"])}, sample)
        for problem, every in cases.items()
        for case in every
        if not case.is_functional_only
        for record in case.records
        for sample in record["samples_s"]
    ]
    return [write_extrap(results.folder / "extrap.jsonl", found)] if found else []


def _figures(results: Results, models: list[Any]) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    if models:
        caches, limits = results.caches, results.thresholds
        found += [
            ("mpi_time", charts.ping_pong(models, "time_us", caches, limits)),
            ("mpi_bandwidth", charts.ping_pong(models, "bandwidth_mb_per_s", caches, limits)),
            ("mpi_residuals", charts.residuals(models)),
        ]
    lines, marks = ring_tables.chart_rows(results)
    if lines:
        found.append(("mpi_ring", charts.ring(lines, marks)))
    sums = tables.sum_table(results)
    forest = [
        {"label": f"{mpi} {label}", "time_s": time, "low_s": low, "high_s": high}
        for mpi, label, time, low, high, *_ in sums.rows
        if low is not None
    ]
    if forest:
        found.append(("mpi_sum3d", charts.intervals(forest, "time of a cycle")))
    return [*found, *_jacobi_figures(results)]


def _jacobi_figures(results: Results) -> list[tuple[str, dict[str, Any]]]:
    found: list[tuple[str, dict[str, Any]]] = []
    lines: charts.Rows = []
    against: charts.Rows = []
    for each in jacobi_tables.sweeps(results):
        grid = "x".join(map(str, each.cut.dims))
        ranks, measured = each.cut.num_ranks, each.updates_per_s / 1e6
        if each.predicted_per_s is not None:
            said = each.predicted_per_s / 1e6
            point = {"topology": each.name, "measured": measured, "predicted": said}
            against.append({**point, "residual": each.residual})
        if each.is_weak or each.is_overlapped:
            continue
        kind = "measured" if jacobi_tables.halo_of(each.case) == "mpi" else "measured, weft's halos"
        lines.append({"ranks": ranks, "grid": grid, "kind": kind, "mlups": measured})
        if each.predicted_per_s is not None:
            said = each.predicted_per_s / 1e6
            lines.append({"ranks": ranks, "grid": grid, "kind": "predicted", "mlups": said})
    if lines:
        found.append(("mpi_jacobi", charts.jacobi(lines)))
    if against:
        found.append(("mpi_predicted", explorer.predicted(against)))
        found.append(("mpi_waterfall", charts.waterfall(model_tables.bars(results))))
    if pairs := tables.pair_rows(results):
        found.append(("mpi_pairs", explorer.heat_map(pairs)))
    grown = [
        {
            "nodes": each.num_nodes,
            "mlups": each.updates_per_s.value / 1e6,
            "low": (each.updates_per_s.low or each.updates_per_s.value) / 1e6,
            "high": (each.updates_per_s.high or each.updates_per_s.value) / 1e6,
            "state": "also measured" if each.is_measured else "expected",
        }
        for each in forecasting.expectations(results)
    ]
    if grown:
        found.append(("mpi_expected", explorer.expected(grown)))
    return found


def _subtitle(results: Results) -> str:
    mpis = sorted({str(row["mpi"]) for row in results.transports})
    launches = results.manifest.get("mpi", {}).get("num_launches", 0)
    return f"{', '.join(mpis) or 'no MPI'} · {launches} launches · {results.manifest.get('status')}"

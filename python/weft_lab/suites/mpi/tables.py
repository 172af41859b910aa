# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the suite's report, each with raw values for its CSV file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from weft_lab.models import latency_bandwidth
from weft_lab.models.arrays import ModelError
from weft_lab.models.latency_bandwidth import Line, Method
from weft_lab.models.segments import Segmented, segmented
from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns
from weft_lab.suites.mpi import charts
from weft_lab.suites.mpi.results import Case, Results, Series

MEGABYTE = 1e6
NOT_POSITIVE = "negative: no latency"


def bandwidth_text(bytes_per_s: float | None) -> str:
    """`12185 MB/s`, MB of 10^6 bytes as in the report."""
    if bytes_per_s is None:
        return formats.UNKNOWN
    return f"{formats.significant(bytes_per_s / MEGABYTE)} MB/s"


def bytes_text(value: float | None) -> str:
    """`8192 B` or `1.5 MiB`."""
    if value is None:
        return formats.UNKNOWN
    for scale, unit in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= scale:
            return f"{formats.significant(value / scale)} {unit}"
    return f"{formats.significant(value) if value % 1 else int(value)} B"


def transport_table(results: Results) -> Table:
    """Every combination of MPI and transport: proven, or why it was not measured."""
    rows = tuple(
        (
            row["mpi"],
            row["transport"],
            row["report"],
            "measured" if row["is_usable"] else "skipped",
            row["words"],
        )
        for row in results.transports
    )
    return Table(
        "mpi_transports",
        "MPIs and transports",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("in the report", "report"),
            ("state", "state"),
            ("how that is known", "words"),
        ),
        rows,
        "A transport is measured only where the library's own words prove that it was used, or "
        "where its MPI has no other; one byte faster than it can carry it disproves them.",
    )


def cache_words(results: Results) -> str:
    """Which caches a ping-pong's chart shows, or that they are not known."""
    caches = results.caches
    if not caches:
        return "Cache sizes of the measured machine are unknown: its results do not hold them."
    sizes = ", ".join(f"{name} {_binary(size)}" for name, size in caches.items())
    return f"Dotted rules are the data caches of the measured CPUs: {sizes}."


def threshold_words(results: Results) -> tuple[str, ...]:
    """The meaning of the letters above a ping-pong's chart; none if no library reports any."""
    told = "; ".join(
        f"{letter} {_binary(size)}: {names}"
        for letter, size, names in charts.lettered(results.thresholds)
    )
    return (f"Dashed rules are where libraries change their way of sending: {told}.",) * bool(told)


def _binary(size_bytes: int) -> str:
    mib = 1 << 20
    return f"{size_bytes / mib:g} MiB" if size_bytes >= mib else f"{size_bytes / 1024:g} KiB"


def fits(series: Series) -> Iterator[tuple[Method, Line | None]]:
    """Each of the four lines through the middle curve; None where the sizes do not allow it."""
    for method in latency_bandwidth.METHODS:
        try:
            is_reports = method in latency_bandwidth.REPORT_METHODS
            times = series.means_s() if is_reports else series.times_s()
            yield method, latency_bandwidth.fit(method, series.sizes, times)
        except ModelError:
            yield method, None


def fit_table(results: Results) -> Table:
    """Latency and bandwidth by every method, the report's two included."""
    rows: list[tuple[Value, ...]] = []
    for series in results.curves():
        for method, line in fits(series):
            if line is None:
                rows.append(
                    (series.name, method, None, None, None, None, "its sizes were not measured")
                )
                continue
            error = line.max_relative_error(series.sizes, series.times_s())
            words = NOT_POSITIVE if line.latency_s < 0.0 else _one_line_words(error)
            half = line.half_bandwidth_bytes
            rows.append(
                (
                    series.name,
                    method,
                    line.latency_s,
                    line.bandwidth_bytes_per_s,
                    half,
                    error,
                    words,
                )
            )
    return Table(
        "mpi_fits",
        "One line through each ping-pong, four ways",
        columns(
            ("transport", "transport"),
            ("fit", "fit"),
            ("latency", "latency_s", formats.seconds),
            ("bandwidth", "bandwidth_bytes_per_s", bandwidth_text),
            ("half of it at", "half_bandwidth_bytes", bytes_text),
            ("largest error", "max_relative_error", formats.percent),
            ("", "words"),
        ),
        tuple(rows),
        "MB = 10⁶ bytes; times are half of a round trip. `ordinary` and `extrapolated` are the "
        "report's, of the launches' means. Ordinary least squares take absolute errors, so that "
        "the largest messages decide alone; where one line is off by more than 25 %, the regimes "
        "say more.",
    )


def _one_line_words(error: float) -> str:
    limit = latency_bandwidth.ONE_LINE_MAX_ERROR
    return "" if error <= limit else "see the regimes"


def models_of(results: Results) -> list[tuple[Series, Segmented]]:
    """The segmented model of every ping-pong with enough sizes."""
    return [
        (series, segmented(series.sizes, series.launches))
        for series in results.curves()
        if series.sizes.size >= 6
    ]


def regime_table(results: Results) -> Table:
    """The regimes found, with intervals over launches."""
    rows: list[tuple[Value, ...]] = []
    for series, model in models_of(results):
        for index, regime in enumerate(model.regimes):
            selected = model.breaks[index - 1].selected if index else None
            low, high = regime.latency.low, regime.latency.high
            rows.append(
                (
                    series.name,
                    int(regime.first_bytes),
                    int(regime.last_bytes),
                    regime.latency.value,
                    low,
                    high,
                    regime.line.bandwidth_bytes_per_s,
                    selected,
                )
            )
    return Table(
        "mpi_regimes",
        "Regimes of each ping-pong",
        columns(
            ("transport", "transport"),
            ("from", "first_bytes", bytes_text),
            ("to", "last_bytes", bytes_text),
            ("latency", "latency_s", formats.seconds),
            ("low", "latency_low_s", formats.seconds),
            ("high", "latency_high_s", formats.seconds),
            ("bandwidth", "bandwidth_bytes_per_s", bandwidth_text),
            ("break found in", "selected", formats.percent),
        ),
        tuple(rows),
        "Breaks by BIC on the middle of the launches; how many resamples find each is in the "
        "last column, and one "
        "found in fewer than 80 % is not to be relied on.",
    )


def ring_table(results: Results) -> Table:
    """Time of a cycle by ranks, and the step it means."""
    rows: list[tuple[Value, ...]] = []
    for case in results.cases("ring"):
        num = int(case.records[0]["num_ranks"])
        bounds = case.interval_s()
        state = "functional only" if case.is_functional_only else _ring_state(results, case)
        low, high = bounds or (None, None)
        time = None if case.is_functional_only else case.middle_s()
        step = None if time is None else time / num
        rows.append(
            (
                case.mpi,
                case.transport,
                num,
                state,
                time,
                low if time else None,
                high if time else None,
                step,
            )
        )
    return Table(
        "mpi_ring",
        "Ring: time of a cycle",
        columns(
            ("MPI", "mpi"),
            ("transport", "transport"),
            ("ranks", "num_ranks", formats.number),
            ("", "state"),
            ("cycle", "cycle_s", formats.seconds),
            ("low", "low_s", formats.seconds),
            ("high", "high_s", formats.seconds),
            ("per step", "step_s", formats.seconds),
        ),
        tuple(rows),
        "Every cycle was verified: own tag back, values ∓N(N-1)/2, 2N messages. Ranks that share "
        "CPUs are checked, not timed.",
    )


def _ring_state(results: Results, case: Case) -> str:
    shared = results.ranks_per_core(case.records[0].get("launch", 0))
    if shared is None:
        return "measured, cores not known"
    return "measured, on siblings" if shared > 1 else "measured"


def of_width(results: Results, width: int) -> list[Case]:
    """The sums of matrices with so many columns, by which the report's three shapes differ."""
    return [
        case
        for case in results.cases("sum3d")
        if case.records[0]["params"].get("size", (0, 0, 0))[1] == width
    ]


def sum_table(results: Results, cases: Sequence[Case] | None = None) -> Table:
    """Every configuration of the sum with both intervals: the report's protocol and ours.

    `cases`: those to show, else all.
    """
    rows: list[tuple[Value, ...]] = []
    for case in results.cases("sum3d") if cases is None else cases:
        means = [math.fsum(samples) / len(samples) for samples in case.launches]
        low, high = case.interval_s() or (None, None)
        theirs = report_interval(means)
        rows.append(
            (case.mpi, case.label, case.middle_s(), low, high, *theirs, *phase_shares(case, 1))
        )
    return Table(
        "mpi_sum3d",
        "Sum of 3D matrices",
        columns(
            ("MPI", "mpi"),
            ("configuration", "label"),
            ("cycle", "cycle_s", formats.seconds),
            ("low", "low_s", formats.seconds),
            ("high", "high_s", formats.seconds),
            ("report's low", "report_low_s", formats.seconds),
            ("report's high", "report_high_s", formats.seconds),
            ("wait", "wait_share", formats.percent),
            ("scatter", "scatter_share", formats.percent),
            ("compute", "compute_share", formats.percent),
            ("gather", "gather_share", formats.percent),
        ),
        tuple(rows),
        "Shares are the last rank's. With a late root and no barrier, a rank's wait for the root "
        "hides in its scatter: "
        "compare the two rows `late root`. The report's interval is mean ± 1.96 S/√n over "
        "launches.",
    )


def report_interval(means: list[float]) -> tuple[float | None, float | None]:
    """Equation 9 of the report: mean ± 1.96 S / sqrt(n); None for one launch."""
    if len(means) < 2:
        return None, None
    center = math.fsum(means) / len(means)
    spread = math.sqrt(math.fsum((each - center) ** 2 for each in means) / (len(means) - 1))
    half = 1.96 * spread / math.sqrt(len(means))
    return center - half, center + half


def phase_shares(case: Case, rank_from_end: int) -> tuple[float, ...]:
    """Wait, scatter, compute and gather of one rank as shares of its cycle, medians of launches."""
    names = ("wait", "scatter", "compute", "gather")
    times = [
        float(np.median([row["rank_phases_s"][name][-rank_from_end] for row in case.records]))
        for name in names
    ]
    total = math.fsum(times)
    return tuple(time / total for time in times)


def pair_rows(results: Results) -> list[dict[str, Value]]:
    """One row per ordered pair of ranks: the time of its smallest message, and the bandwidth of its
    largest.
    """
    found: list[dict[str, Value]] = []
    for (mpi, transport), pairs in results.pairs().items():
        for (first, second), times in pairs.items():
            least, most = min(times), max(times)
            rate = most / times[most] / MEGABYTE if most > least else None
            found += [
                {
                    "pair": f"{mpi} {transport}",
                    "first": ends[0],
                    "second": ends[1],
                    "latency_us": 1e6 * times[least],
                    "mb_per_s": rate,
                }
                for ends in ((first, second), (second, first))
            ]
    return found


def pair_table(results: Results) -> Table:
    """Every pair of ranks, in turn, while the others wait."""
    names = ("pair", "first", "second", "latency_us", "mb_per_s")
    rows = tuple(
        tuple(row[name] for name in names)
        for row in pair_rows(results)
        if int(str(row["first"])) < int(str(row["second"]))
    )
    return Table(
        "mpi_pairs",
        "All pairs of ranks",
        columns(
            ("transport", "transport"),
            ("rank", "first_rank", formats.number),
            ("rank", "second_rank", formats.number),
            ("1 byte, µs", "latency_us", formats.number),
            ("MB/s", "mb_per_s", formats.number),
        ),
        rows,
        "One pair at a time, ranks bound to cores in their order.",
    )


def skipped_table(results: Results) -> Table:
    """The omitted measurements, with the reasons."""
    rows = tuple((row["code"], row["message"], row["remedy"]) for row in results.skipped)
    return Table(
        "mpi_skipped",
        "Not measured",
        columns(("kind", "kind"), ("what and why", "message"), ("remedy", "remedy")),
        rows,
    )

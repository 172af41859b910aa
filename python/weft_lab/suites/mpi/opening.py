# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page's first screen: the cost of a message by its size, and how well a model predicts it."""

from __future__ import annotations

from weft_lab.models.launches import bootstrap
from weft_lab.models.segments import Segmented
from weft_lab.pages import formats, theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.opening import Opening
from weft_lab.suites.mpi import jacobi_tables, tables
from weft_lab.suites.mpi.results import Results, Series

QUESTION = "What does a message cost, and does the model hold?"
NOTHING = "No message was timed. The sections below say why."
NAME = "message_cost"
SHOWN_MAX = 3
SHAPES = ("circle", "square", "triangle-up")
BYTES_LABEL = "format(datum.value, '~s') + ' B'"
Models = list[tuple[Series, Segmented]]


def opening(results: Results, models: Models) -> Opening:
    """With the three fastest transports that have a model."""
    hot = [each for each in results.series() if each.cache == "hot"]
    ranked = sorted(hot, key=lambda each: float(each.times_s()[0]))
    rank = {each.name: n for n, each in enumerate(ranked)}
    best = sorted((m for m in models if m[0].name in rank), key=lambda m: rank[m[0].name])
    answer = (*_cost(ranked), *_model(best), *_sweeps(results))
    figures = (_figure(results, best[:SHOWN_MAX]),) if best else ()
    return Opening(QUESTION, answer or (NOTHING,), figures)


def _cost(ranked: list[Series]) -> tuple[str, ...]:
    if not ranked:
        return ()
    series = ranked[0]
    first = bootstrap(series.launches[:, :1], lambda curve: float(curve[0]))
    interval = (
        ""
        if first.low is None or first.high is None
        else f" ({formats.seconds(first.low)} … {formats.seconds(first.high)})"
    )
    rate = float((series.sizes / series.times_s()).max())
    return (
        f"A message of {tables.bytes_text(float(series.sizes[0]))} takes "
        f"{formats.seconds(first.value)}{interval} over {series.name}, the fastest transport; "
        f"large ones reach {tables.bandwidth_text(rate)}.",
    )


def _model(best: Models) -> tuple[str, ...]:
    if not best:
        return ()
    series, model = best[0]
    misses = [
        (abs(model.time_s(float(size)) / float(time_s) - 1.0), float(size))
        for size, time_s in zip(series.sizes, series.times_s(), strict=True)
    ]
    worst, size = max(misses)
    return (
        f"The model, a latency and a bandwidth in {len(model.regimes)} ranges of sizes, is off by "
        f"{formats.percent(worst)} at most, at {tables.bytes_text(size)}.",
    )


def _sweeps(results: Results) -> tuple[str, ...]:
    """How far predictions of whole programs are off."""
    known = [each for each in jacobi_tables.sweeps(results) if each.residual is not None]
    misses = sorted(each.residual or 0.0 for each in known)
    if not misses:
        return ()
    ends = " to ".join(dict.fromkeys(formats.signed_percent(e) for e in (misses[0], misses[-1])))
    return (f"Predictions of {len(misses)} Jacobi sweeps from it are off by {ends}.",)


def _figure(results: Results, best: Models) -> Figure:
    data: Rows = [
        {
            "transport": series.name,
            "size_bytes": float(size),
            "time_s": common.rounded(float(time_s)),
            "model_s": common.rounded(model.time_s(float(size))),
        }
        for series, model in best
        for size, time_s in zip(series.sizes, series.times_s(), strict=True)
    ]
    names = [series.name for series, _ in best]
    color = alt.Color("transport:N", scale=alt.Scale(domain=names, range=list(theme.CATEGORY)))
    shape = alt.Shape("transport:N", scale=alt.Scale(domain=names, range=list(SHAPES)))
    sizes = [row["size_bytes"] for row in data]
    x = alt.X("size_bytes:Q", **common.log_axis(sizes, "message size", BYTES_LABEL))
    times = common.log_axis((row["time_s"] for row in data), "time, one way", common.SECONDS_LABEL)
    base = alt.Chart(alt.NamedData(name=NAME)).encode(x=x, color=color)
    tips = [
        "transport:N",
        alt.Tooltip("size_bytes:Q", title="bytes", format=","),
        alt.Tooltip("time_s:Q", title="measured, s", format=".3~s"),
        alt.Tooltip("model_s:Q", title="model, s", format=".3~s"),
    ]
    chart = alt.layer(
        base.mark_line().encode(y=alt.Y("model_s:Q", **times)),
        base.mark_point(filled=True).encode(y=alt.Y("time_s:Q"), shape=shape, tooltip=tips),
    )
    return Figure(
        name=NAME,
        title="Time of a message by its size",
        short_title="Cost",
        caption="Marks are measured, lines are the model. Half of a round trip. Lower is better.",
        spec=common.to_spec(chart.properties(width="container", height=common.CHART_HEIGHT_PX)),
        datasets={NAME: data},
        table=tables.regime_table(results),
        command="./weft report --suite mpi",
    )

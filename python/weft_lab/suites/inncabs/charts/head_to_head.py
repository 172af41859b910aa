# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every runtime's time over that of the fastest, all benchmarks of the suite Inncabs at once."""

from __future__ import annotations

from typing import Any

from weft_lab.pages import theme
from weft_lab.pages.charts import common
from weft_lab.pages.charts.altair_later import alt
from weft_lab.pages.charts.figure import Figure, Rows
from weft_lab.pages.view import RunView
from weft_lab.suites.inncabs.charts import runtime_looks
from weft_lab.suites.inncabs.head_to_head_rows import NAME, TITLE, contests_of, head_to_head_table
from weft_lab.suites.inncabs.words import cores_text, display

ROW_HEIGHT_PX = 36


def build(view: RunView) -> Figure | None:
    found = contests_of(view)
    data: Rows = []
    for contest in found:
        for runner in contest.timed:
            assert runner.ratio is not None
            ratio = runner.ratio
            low, high = common.drawn_interval(ratio.value, ratio.low, ratio.high)
            data.append(
                {
                    "case": contest.benchmark,
                    "runtime": display(runner.backend),
                    "threads": contest.threads,
                    "ratio": common.rounded(ratio.value),
                    "low": low,
                    "high": high,
                    "verdict": runner.verdict,
                    "setting": runner.setting,
                }
            )
    if not data:
        return None
    backends = theme.order([runner.backend for c in found for runner in c.timed])
    table = head_to_head_table(view, found)
    return Figure(
        name=NAME,
        title=table.title,
        short_title=TITLE,
        caption=_caption(sorted({contest.threads for contest in found})),
        spec=common.to_spec(_chart(data, backends)),
        datasets={NAME: data},
        table=table,
        command=runtime_looks.COMMAND,
    )


def _caption(counts: list[int]) -> str:
    text = "A mark per runtime at 1, where it is the fastest, or to the right of it; with 95 % "
    text += f"intervals over launches. {common.INTERVAL_NOTE}"
    if len(counts) < 2:
        return text
    few, many = map(cores_text, counts)
    return f"{text} Hollow, in the upper lane of a benchmark: {few}; filled, in the lower: {many}."


def _chart(data: Rows, backends: list[str]) -> Any:  # noqa: ANN401 - an Altair chart
    looks = runtime_looks.looks(backends)
    most = max(row["threads"] for row in data)
    ends = [row[key] for row in data for key in ("low", "ratio", "high") if row[key]]
    title = "execution time over that of the fastest"
    position = alt.X("ratio:Q", **common.log_axis(ends, title, common.RATIO_LABEL))
    base = alt.Chart(alt.NamedData(name=NAME)).encode(
        y=alt.Y("case:N", title=None, axis=alt.Axis(grid=False, domain=False)),
        yOffset=alt.YOffset("threads:O", sort="ascending"),
        color=looks["color"],
    )
    bars = base.mark_rule(opacity=0.6).encode(x=alt.X("low:Q"), x2="high:Q")
    tooltip = [
        "case:N",
        "runtime:N",
        alt.Tooltip("threads:Q", title="cores"),
        alt.Tooltip("ratio:Q", title="over the fastest", format=".3~g"),
        "verdict:N",
        "setting:N",
    ]
    shown = {"x": position, "shape": looks["shape"], "tooltip": tooltip}
    few = base.transform_filter(f"datum.threads < {most}")
    many = base.transform_filter(f"datum.threads === {most}")
    num_cases = len({row["case"] for row in data})
    return alt.layer(
        bars,
        few.mark_point(filled=False, size=70, strokeWidth=1.8).encode(**shown),
        many.mark_point(filled=True, size=70).encode(**shown),
    ).properties(width="container", height=num_cases * ROW_HEIGHT_PX)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of a cluster's nodes: ranks with intervals, outliers with their cause, and drift."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from pathlib import Path

from weft_lab.advice.nodes import Node, Nodes
from weft_lab.errors import ResultFolderError
from weft_lab.pages import formats
from weft_lab.pages.charts import common, dots
from weft_lab.pages.charts.figure import Figure
from weft_lab.pages.opening import Opening
from weft_lab.pages.plain_page import PlainPage, Section, Shown, write_plain_page
from weft_lab.pages.static_files import write_figures
from weft_lab.pages.table import Table, columns
from weft_lab.statistics.analysis_types import Ratio
from weft_lab.storage.folder_files import make

NAME = "nodes"
QUESTION = "Which nodes are slower than the others?"
SENTENCES_MAX = 4
DRAWN_MAX = 60
SLOW, FAST, ALIKE = "slower", "faster", "as the others"
METHOD = (
    "A node's time is the mean over benchmarks of its time divided by the median node's, from its "
    "newest run. Its interval covers the spread between launches and between benchmarks.",
    "The generalized extreme Studentized deviate test (Rosner) finds outliers, at a level of 5 % "
    "for all nodes together, among four nodes or more. The interval of the difference, corrected "
    "for their number, must also lie beyond the threshold. The cause is a guess from the "
    "measured differences.",
    "Drift is a node's newest run divided by its run before; at most one in twenty of the reported "
    "drifts is false (Benjamini and Hochberg).",
)


def sentences(found: Nodes) -> tuple[str, ...]:
    """The outliers in words, the slowest first, and the nodes that have drifted."""
    limit = formats.percent(found.threshold, 0)
    lines = [
        f"{node.host} is {_shift_text(node)} than the other nodes; {node.cause}."
        for node in found.apart[:SENTENCES_MAX]
    ]
    if len(found.apart) > SENTENCES_MAX:
        lines.append(f"{len(found.apart) - SENTENCES_MAX} more outliers are in the table.")
    if not lines:
        lines.append(f"No node of {len(found.members)} differs significantly by more than {limit}.")
    drifted = [node for node in found.members if node.has_drifted]
    if drifted:
        worst = max(drifted, key=lambda node: node.drift.value if node.drift else 0.0)
        assert worst.drift is not None
        change = formats.signed_percent(worst.drift.value - 1.0)
        lines.append(
            f"{len(drifted)} of {len(found.members)} nodes drifted since their run before; "
            f"{worst.host} by {change} of the time."
        )
    return tuple(lines)


def _shift_text(node: Node) -> str:
    assert node.apart is not None
    ends = (node.apart.shift, node.apart.low, node.apart.high)
    value, low, high = (100.0 * math.expm1(each) for each in ends)
    low, high = sorted((abs(low), abs(high)))
    word = SLOW if value > 0.0 else FAST
    return f"{word} by {abs(value):.0f} % [{low:.0f}, {high:.0f}]"


def nodes_table(found: Nodes) -> Table:
    """One row for each node, the fastest first."""
    rows = [
        (
            number,
            node.host,
            node.ratio.value - 1.0,
            *_ends(node.ratio),
            _verdict(node),
            node.cause,
            node.drift.value - 1.0 if node.drift else None,
            *_ends(node.drift),
            "" if node.drift is None else "yes" if node.has_drifted else "no",
            node.num_runs,
        )
        for number, node in enumerate(found.members, start=1)
    ]
    return Table(
        NAME,
        "Nodes, the fastest first",
        columns(
            ("rank", "rank", formats.number),
            ("node", "node"),
            ("time against the median node", "shift", formats.signed_percent),
            ("from", "shift_low", formats.signed_percent),
            ("to", "shift_high", formats.signed_percent),
            ("outlier", "outlier"),
            ("likely cause", "cause"),
            ("drift", "drift", formats.signed_percent),
            ("from", "drift_low", formats.signed_percent),
            ("to", "drift_high", formats.signed_percent),
            ("drifted", "drifted"),
            ("runs", "runs", formats.number),
        ),
        tuple(rows),
        note=f"Over the {found.benchmarks} benchmarks that all nodes timed, with 95 % intervals.",
    )


def _ends(ratio: Ratio | None) -> tuple[float | None, float | None]:
    if ratio is None or ratio.low is None or ratio.high is None:
        return None, None
    return ratio.low - 1.0, ratio.high - 1.0


def _verdict(node: Node) -> str:
    if node.apart is None:
        return ""
    return SLOW if node.apart.shift > 0.0 else FAST


def figure(found: Nodes, table: Table, command: str) -> Figure:
    """Every node as a dot with its interval; of many, the slowest."""
    shown = found.members[-DRAWN_MAX:]
    data = []
    for node in shown:
        ratio = node.ratio
        low, high = common.drawn_interval(ratio.value, ratio.low, ratio.high)
        data.append(
            {
                "row": node.host,
                "name": _verdict(node) or ALIKE,
                "value": common.rounded(ratio.value),
                "low": low,
                "high": high,
                "chosen": node.apart is not None,
                "tip": f"{node.host}: {formats.ratio(ratio.value)}"
                + (f"; {node.cause}" if node.cause else ""),
            }
        )
    about = dots.About(
        "Nodes",
        "Time over that of the median node, with its 95 % interval. Left is faster.",
        "time over the median node's",
        command,
    )
    palette = {ALIKE: "libstdcxx_tbb", SLOW: "weft", FAST: "onedpl_tbb"}
    present = {str(row["name"]) for row in data}
    names = {name: key for name, key in palette.items() if name in present}
    look = dots.Look(
        tuple(node.host for node in shown),
        names,
        {node.host: _verdict(node) for node in shown if node.apart is not None},
        reference=1.0,
        label=common.RATIO_LABEL,
        legend="node",
    )
    return dots.build(table, about, data, look)


def write_nodes(found: Nodes, paths: Sequence[Path], output: Path) -> Shown:
    """Writes `nodes.html`, its table and figure into `output`. Errors: `ResultFolderError`."""
    command = shlex.join(["./weft", "merge", "--nodes", *map(str, paths)])
    table = nodes_table(found)
    answer, drawing = sentences(found), figure(found, table, command)
    try:
        svgs, drawn = write_figures((drawing,), make(output) / "figures")
        csv = table.write_csv(make(output / "tables"))
    except OSError as error:
        what, why = f"cannot write '{output}'", error.strerror or str(error)
        raise ResultFolderError(what, why, "name a writable place with --output") from error
    page = write_plain_page(
        output / "nodes.html",
        PlainPage(
            title=QUESTION,
            subtitle=f"{len(found.members)} nodes, {found.benchmarks} benchmarks",
            command=command,
            opening=Opening(QUESTION, answer, (drawing,)),
            svgs=svgs,
        ),
        (Section(table.title, table=table), Section("How outliers are found", METHOD)),
    )
    return Shown((table.for_reading(),), answer, page, (page, *drawn, csv))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A comparison of two runs as Markdown, to paste into a pull request."""

from __future__ import annotations

from weft_lab.advice.comparing import Comparison, RunComparison
from weft_lab.pages import formats
from weft_lab.pages.compare_table import sentence
from weft_lab.pages.markdown import table_lines
from weft_lab.pages.table import Table, columns


def compared_markdown(compared: RunComparison, title: str) -> str:
    """A heading, the sentence, and every cell; those with a verdict first."""
    return "\n\n".join([f"## {title}", sentence(compared), *table_lines(compared_table(compared))])


def compared_table(compared: RunComparison) -> Table:
    """One row for each cell that both runs timed."""
    limit = formats.percent(compared.threshold)
    rows = [
        (
            _name(row),
            row.time_a_s,
            row.time_b_s,
            row.ratio.value - 1.0,
            None if row.ratio.low is None else row.ratio.low - 1.0,
            None if row.ratio.high is None else row.ratio.high - 1.0,
            "disturbed: no verdict" if row.is_disturbed else row.verdict,
        )
        for row in compared.cells
    ]
    return Table(
        "compared",
        "Compared",
        columns(
            ("benchmark", "benchmark"),
            ("before", "before_s", formats.seconds),
            ("now", "now_s", formats.seconds),
            ("change", "change", formats.signed_percent),
            ("from", "change_low", formats.signed_percent),
            ("to", "change_high", formats.signed_percent),
            ("verdict", "verdict"),
        ),
        tuple(rows),
        note=f"Changes of the time, with 95 % intervals; a verdict asks for more than {limit}.",
    )


def _name(row: Comparison) -> str:
    words = [row.variant.partition("@")[0], row.cell.label.removeprefix("run").strip()]
    words += [f"size {row.cell.size}"] if row.cell.size != 1 else []
    words += [f"threads {row.cell.threads}"] if row.cell.threads != 1 else []
    return " ".join(filter(None, words))

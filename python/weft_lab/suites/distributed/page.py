# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's page, its CSV files, its figure and its summary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weft_lab.machine.neighbours import disturbances
from weft_lab.pages.plain_page import Section
from weft_lab.suites.distributed import scaling, tables
from weft_lab.suites.distributed.asked import promises
from weft_lab.suites.distributed.opening import opening
from weft_lab.suites.distributed.results import Results
from weft_lab.suites.launched import Content, skipped_table

SHORT_TITLES = {
    "distributed_calls": "Calls",
    "distributed_bandwidth": "Bandwidth",
    "distributed_busy": "Busy ranks",
    "distributed_resources": "Idle ranks",
    "distributed_programs": "Programs",
    "distributed_scaling": "More ranks",
}
# In the terminal, too.
PRINTED = ("distributed_calls", "distributed_bandwidth", "distributed_programs")


def content(results: Results) -> Content:
    """The report."""
    lines = findings(results)
    predicted = scaling.predictions(results)
    every = (
        tables.calls_table(results),
        tables.bandwidth_table(results),
        tables.busy_table(results),
        tables.programs_table(results),
        scaling.scaling_table(predicted),
        tables.resources_table(results),
        skipped_table("distributed", results.skipped),
    )
    filled = [table for table in every if table.rows]
    return Content(
        opening=opening(results, predicted),
        subtitle=_subtitle(results),
        paper="",
        lines=lines,
        sections=tuple(
            Section(table.title, table=table, short_title=SHORT_TITLES.get(table.name, ""))
            for table in filled
        ),
        tables=every,
        printed=tuple(table for table in filled if table.name in PRINTED),
        summary=summary(results, lines),
    )


def findings(results: Results) -> tuple[str, ...]:
    """What the tables cannot say."""
    wrong = tuple(f"Wrong answers, so not timed: {name}." for name in results.wrong())
    absent = scaling.missing(results)
    return (*wrong, *disturbances(results.manifest), *((absent,) if absent else ()))


def _subtitle(results: Results) -> str:
    facts = results.manifest["distributed"]
    libraries = ", ".join(facts.get("libraries", {}).values())
    return (
        f"{facts['cpus_usable']} CPUs; {libraries or 'no MPI could be used'}; "
        f"{facts.get('num_launches', 0)} launches"
    )


def summary(results: Results, lines: Sequence[str]) -> dict[str, Any]:
    """The data for programs: every promise with its interval and verdict."""
    return {
        "schema": 1,
        "suite": "distributed",
        "found": list(lines),
        "promises": [
            {
                "mpi": each.mpi,
                "transport": each.transport,
                "what": each.what,
                "value": each.value,
                "low": each.low,
                "high": each.high,
                "asked": each.bound.value,
                "verdict": each.words,
            }
            for each in promises(results)
        ],
    }

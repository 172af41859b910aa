# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suite's page, its CSV files, its figures and its summary."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weft_lab.pages.plain_page import Section
from weft_lab.pages.static_files import draw
from weft_lab.suites.halo import charts, tables
from weft_lab.suites.halo.findings import claims, findings
from weft_lab.suites.halo.opening import opening
from weft_lab.suites.halo.results import Results
from weft_lab.suites.halo.verdicts import compare, swept
from weft_lab.suites.launched import Content, skipped_table

PAPER = "gcl"
SHORT_TITLES = {
    "halo_paper": "Times",
    "halo_memory": "Memory",
    "halo_steps": "Steps",
    "halo_sweep": "Shapes",
    "halo_overlap": "Overlap",
    "halo_weak": "Ranks",
    "halo_bytes": "Bytes",
}
# In the terminal, too.
PRINTED = ("halo_paper", "halo_overlap")


def content(results: Results) -> Content:
    """The report; its drawings are written."""
    lines = findings(results)
    every = (
        tables.paper_table(results),
        tables.memory_table(results),
        tables.steps_table(results),
        tables.sweep_table(results),
        tables.overlap_table(results),
        tables.weak_table(results),
        tables.bytes_table(results),
        skipped_table("halo", results.skipped),
    )
    filled = [table for table in every if table.rows]
    drawn = _drawn(results, results.folder / "figures")
    return Content(
        opening=opening(results),
        subtitle=_subtitle(results),
        paper=PAPER,
        lines=lines,
        sections=tuple(
            Section(
                table.title,
                svgs=drawn.get(table.name, ()),
                table=table,
                short_title=SHORT_TITLES.get(table.name, ""),
            )
            for table in filled
        ),
        tables=every,
        printed=tuple(table for table in filled if table.name in PRINTED),
        summary=summary(results, lines),
        claims=claims(results),
    )


def _drawn(results: Results, folder: Path) -> dict[str, tuple[str, ...]]:
    """SVGs by the table they stand above."""
    specs: list[tuple[str, str, dict[str, Any] | None]] = [
        ("halo_memory", "halo_memory", charts.memory(results)),
        ("halo_overlap", "halo_overlap", charts.overlap(results)),
        ("halo_weak", "halo_weak", charts.weak(results)),
    ]
    for mpi in results.mpis:
        stem = mpi.replace("-", "_").replace(".", "_")
        own = [each for each in swept(results) if each.mpi == mpi]
        specs += [
            ("halo_steps", f"halo_steps_{stem}", charts.steps(results, "steps", mpi)),
            ("halo_sweep", f"halo_sweep_{stem}", charts.sweep(own)),
        ]
    found: dict[str, tuple[str, ...]] = {}
    for table, stem, spec in specs:
        if spec is not None:
            found[table] = (*found.get(table, ()), draw(spec, folder, stem))
    return found


def _subtitle(results: Results) -> str:
    facts = results.manifest["halo"]
    libraries = ", ".join(facts.get("libraries", {}).values())
    return (
        f"{facts['cpus_usable']} CPUs; {libraries or 'no MPI could be used'}; "
        f"{facts.get('num_launches', 0)} launches"
    )


def summary(results: Results, lines: Sequence[str]) -> dict[str, Any]:
    """The data for programs: every comparison with its interval and verdict."""
    compared = [*compare(results, ("paper",)), *swept(results)]
    return {
        "schema": 1,
        "suite": "halo",
        "found": list(lines),
        "comparisons": [
            {
                "mpi": each.mpi,
                "shape": each.shape.text,
                "contestant": each.contestant,
                "baseline": each.baseline,
                "time_s": each.time_s,
                "baseline_s": each.baseline_s,
                "speed_up": each.speed.value,
                "speed_up_low": each.speed.low,
                "speed_up_high": each.speed.high,
                "verdict": each.words,
            }
            for each in compared
        ],
    }

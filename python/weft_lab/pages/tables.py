# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report's own tables: recommendations, wrong answers, omissions, and programs' builds."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.table import Table, Value, columns, sort_rows
from weft_lab.pages.view import Record, RunView
from weft_lab.statistics.analysis_types import CellSummary, Decision

STATUS_TEXT = {
    "wrong": "computed a wrong answer",
    "crashed": "crashed",
    "hung": "did not finish",
    "error": "was refused",
    "implausible": "time cannot be true",
}


def decisions_in_order(view: RunView) -> list[Decision]:
    """By case, then by size."""
    return sorted(view.decisions, key=lambda d: (view.case_name(d.label, d.type), d.size_low))


def decision_table(view: RunView) -> Table:
    """One row per algorithm and band of sizes."""
    rows = []
    for d in decisions_in_order(view):
        ratio = d.speedup
        rows.append(
            (
                view.case_name(d.label, d.type),
                d.size_low,
                d.size_high,
                view.name(d.variant),
                d.threads,
                ratio.value if ratio else None,
                ratio.low if ratio else None,
                ratio.high if ratio else None,
                d.confidence,
                d.detectable,
                " ".join(view.name(v) for v in d.tied_variants),
                d.reason,
            )
        )
    return Table(
        name="decisions",
        title="What to use",
        columns=columns(
            (view.words.case, "case"),
            ("from size", "size_low_elements", view.words.show_size),
            ("to size", "size_high_elements", view.words.show_size),
            ("use", "variant"),
            ("threads", "threads", formats.number),
            ("vs seq", "speedup", formats.ratio),
            ("from", "speedup_low", formats.ratio),
            ("to", "speedup_high", formats.ratio),
            ("confidence", "confidence"),
            ("detects", "detectable", formats.percent),
            ("as good", "tied_variants"),
            ("why", "reason"),
        ),
        rows=tuple(rows),
    )


def wrong_table(view: RunView) -> Table:
    """Wrong answers, and impossible times."""
    bad = [s for s in view.summaries if s.status in ("wrong", "implausible")]
    rows = [(*_cell_fields(view, s), STATUS_TEXT[s.status], s.message) for s in bad]
    return Table(
        name="wrong_answers",
        title="Wrong answers",
        columns=columns(
            (view.words.case, "case"),
            ("backend", "variant"),
            (view.words.size, "size_elements", view.words.show_size),
            ("threads", "threads", formats.number),
            ("allocator", "allocator"),
            ("what happened", "status"),
            ("where", "message"),
        ),
        rows=sort_rows(rows, 0, 1, 2, 3),
        note="Such a cell has no time and takes no part in any decision or figure.",
    )


def _cell_fields(view: RunView, s: CellSummary) -> tuple[Value, ...]:
    return (view.case(s), view.name(s.variant), s.cell.size, s.cell.threads, s.cell.allocator)


def skipped_table(view: RunView) -> Table:
    """All cells that were not measured: equal reasons in one row, the most cells first."""
    groups: dict[tuple[str, str, str, str, str], int] = {}
    for row in [*view.skipped, *_failed_rows(view)]:
        key = (
            _text(row, "variant", "all"),
            _text(row, "label", "all"),
            _text(row, "code"),
            _text(row, "message"),
            _text(row, "remedy"),
        )
        groups[key] = groups.get(key, 0) + int(row.get("count") or 1)
    ordered = sorted(groups.items(), key=lambda item: (-item[1], item[0]))
    rows = [(*key[:2], count, *key[2:]) for key, count in ordered]
    return Table(
        name="not_measured",
        title="Not measured, and why",
        columns=columns(
            ("backend", "variant"),
            (view.words.case, "label"),
            ("cells", "cells", formats.number),
            ("code", "code"),
            ("why", "message"),
            ("what to do", "remedy"),
        ),
        rows=tuple(rows),
    )


def _failed_rows(view: RunView) -> list[Record]:
    """Failures and skips known only from the samples: those `skipped.json` does not list."""
    listed = {(row.get("variant"), row.get("label"), row.get("code")) for row in view.skipped}
    found: list[Record] = []
    for s in view.summaries:
        code = s.code or s.status
        if s.status in ("ok", "wrong", "implausible") or (s.variant, s.cell.label, code) in listed:
            continue
        found.append(
            {
                "variant": s.variant,
                "label": s.cell.label,
                "code": code,
                "message": s.message,
                "remedy": s.remedy,
            }
        )
    return found


def _text(row: Record, name: str, missing: str = "") -> str:
    value = row.get(name)
    return missing if value in (None, "") else str(value)


def program_table(view: RunView) -> Table:
    """How each backend was built."""
    rows: list[tuple[Value, ...]] = []
    for variant in view.variants:
        program = (view.programs or {}).get(variant, {})
        libraries = ", ".join(
            f"{name} {version}" for name, version in (program.get("libraries") or {}).items()
        )
        environment = ", ".join(
            f"{name}={value}"
            for name, value in (program.get("environment") or {}).items()
            if value is not None
        )
        rows.append(
            (
                view.name(variant),
                program.get("compiler"),
                program.get("flags"),
                libraries or None,
                environment or None,
            )
        )
    return Table(
        name="programs",
        title="How each backend was built",
        columns=columns(
            ("backend", "variant"),
            ("compiler", "compiler"),
            ("flags", "flags"),
            ("libraries", "libraries"),
            ("environment", "environment"),
        ),
        rows=tuple(rows),
    )

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of `compare`: cells by size of effect, verdicts counted, noise floors beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from weft_lab.analysis_types import Ratio
from weft_lab.cells import format_size
from weft_lab.comparing import Comparison
from weft_lab.errors import RegressionFound, UsageError
from weft_lab.statistics import Verdict

STYLES: Mapping[Verdict, str] = {"faster": "green", "slower": "red", "cannot tell": "dim"}


def require_comparable(found: Sequence[Comparison], a: Path, b: Path) -> None:
    """Errors: `UsageError` when the runs share no timed cell."""
    if not found:
        what = f"'{a}' and '{b}' have no timed cell in common"
        remedy = "measure both with the same --only, --size, --type and --threads"
        raise UsageError(what, "only cells that were timed in both can be compared", remedy)


def raise_if_regressed(found: Sequence[Comparison], threshold: float) -> None:
    """Errors: `RegressionFound` when at least one verdict is slower."""
    slower = [row for row in found if row.verdict == "slower"]
    if slower:
        worst = slower[0]
        limit = f"{100 * threshold:.1f} %"
        what = f"{len(slower)} of {len(found)} cells became slower by more than {limit}"
        why = f"the worst is {worst.variant} {worst.cell.label} at {format_size(worst.cell.size)}"
        raise RegressionFound(what, why, "see the table above; --json gives every cell")


def render(
    console: Console,
    found: Sequence[Comparison],
    threshold: float,
    floors: tuple[float | None, float | None],
    rows: int,
) -> None:
    """Prints the `rows` largest effects (0: all) and one line for the whole."""
    from rich.table import Table

    table = Table(box=None, header_style="bold")
    for name in ("variant", "problem", "type"):
        table.add_column(name)
    for name in ("size", "threads", "A", "B", "B/A", "95 % interval"):
        table.add_column(name, justify="right")
    table.add_column("verdict")
    for row in found[: rows or None]:
        table.add_row(*_cells(row), f"[{STYLES[row.verdict]}]{row.verdict}[/]")
    console.print(table)
    counts = Counter(row.verdict for row in found)
    verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in STYLES)
    console.print(f"{len(found)} cells: {verdicts}", highlight=False)
    noise = ", ".join(f"{name} {_percent(floor)}" for name, floor in zip("AB", floors, strict=True))
    console.print(
        f"a change matters beyond {_percent(threshold)}; noise floor {noise}", highlight=False
    )


def format_seconds(seconds: float) -> str:
    """Three digits and a unit: `1.23 ms`."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _cells(row: Comparison) -> tuple[str, ...]:
    cell = row.cell
    return (
        row.variant,
        cell.label,
        cell.type,
        format_size(cell.size),
        str(cell.threads),
        format_seconds(row.time_a_s),
        format_seconds(row.time_b_s),
        f"{row.ratio.value:.3f}",
        _interval(row.ratio),
    )


def _interval(ratio: Ratio) -> str:
    if ratio.low is None or ratio.high is None:
        return "one launch"
    return f"{ratio.low:.3f} .. {ratio.high:.3f}"


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f} %"

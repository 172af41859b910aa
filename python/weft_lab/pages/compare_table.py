# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output of `compare`: one sentence, the cells with a verdict, the largest changes, and how to
learn more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from weft_lab.advice.comparing import Comparison, RunComparison
from weft_lab.errors import RegressionFound, UsageError
from weft_lab.pages import formats
from weft_lab.statistics.analysis_types import Ratio
from weft_lab.statistics.estimates import median
from weft_lab.storage.cells import Cell, format_size
from weft_lab.storage.store import argument_for

if TYPE_CHECKING:
    from rich.table import Table

LAUNCHES_ENOUGH = 5
NOISE_HIGH = 0.1
INTERVAL_FACTOR_MAX = 100.0
SAME_OPTIONS = "measure both with the same --only, --size, --type and --threads"
# Omitted, in this order, if the terminal is too narrow.
OPTIONAL_COLUMNS = ("B", "A", "95 %")
RIGHT_ALIGNED = frozenset({"size", "thr", "A", "B", "B/A", "95 %"})
STYLES = {"faster": "green", "slower": "red", "cannot tell": "dim"}


def require_comparable(compared: RunComparison, remedy: str = SAME_OPTIONS) -> None:
    """Errors: `UsageError`, which ends with `remedy`, when the runs share no timed cell."""
    if not compared.cells:
        what = f"'{compared.a.name}' and '{compared.b.name}' have no timed cell in common"
        raise UsageError(what, "only cells that were timed in both can be compared", remedy)


def raise_if_regressed(compared: RunComparison, size_name: str = "size") -> None:
    """`size_name`: the parameter that the sizes of cells are.

    Errors: `RegressionFound` if at least one verdict is slower.
    """
    slower = compared.with_verdict("slower")
    if slower:
        worst = slower[0]
        limit = formats.percent(compared.threshold)
        what = f"{len(slower)} of {len(compared.cells)} cells became slower by more than {limit}"
        has_threads = any(row.cell.threads != 1 for row in compared.cells)
        place = _place(worst, size_name, has_threads=has_threads)
        why = f"the worst is {place}: it takes {worst.ratio.value:.2f} times as long as before"
        raise RegressionFound(
            what, why, "./weft compare A B --all shows every cell, with --json every number"
        )


def _place(row: Comparison, size_name: str, *, has_threads: bool) -> str:
    """A case in words: `weft, sort, size 2^20, 2 threads`; of a command: `pigz, n 4096`."""
    cell = row.cell
    label = "" if cell.label == "run" else cell.label.removeprefix("run ")
    size = f"{size_name} {format_size(cell.size)}" if cell.size != 1 else ""
    threads = formats.threads(cell.threads) if has_threads else ""
    return ", ".join(filter(None, [row.variant.partition("@")[0], label, size, threads]))


def render(console: Console, compared: RunComparison, rows: int | None) -> None:
    """Prints the sentence, both runs, at most `rows` cells (None: all) and how to learn more."""

    def say(text: str, style: str | None = None) -> None:
        console.print(text, style=style, highlight=False, markup=False, soft_wrap=True)

    for name, run in (("A", compared.a), ("B", compared.b)):
        say(f"{name}  {run.name}  {_launches(run.launches)}, noise floor {_floor(run.noise_floor)}")
    say(sentence(compared), style="bold")
    shown = compared.cells[:rows]
    groups = (
        ("slower", "Slower in B"),
        ("faster", "Faster in B"),
        ("cannot tell", "Largest shifts that may be noise"),
    )
    for verdict, title in groups:
        members = [row for row in shown if row.verdict == verdict]
        if members:
            console.print()
            say(title, style=STYLES[verdict])
            console.print(_table(members, compared, console.width))
    hidden = len(compared.cells) - len(shown)
    if hidden:
        say(f"and {hidden} more cells: --all shows them", style="dim")
    for line in remarks(compared):
        say(line)


def sentence(compared: RunComparison) -> str:
    """The answer in words."""
    slower, faster = (len(compared.with_verdict(v)) for v in ("slower", "faster"))
    total, limit = len(compared.cells), formats.percent(compared.threshold)
    if not slower and not faster:
        return f"No significant change beyond {limit} in any of the {total} cells."
    parts = [f"{count} {word}" for count, word in ((slower, "slower"), (faster, "faster")) if count]
    rest = total - slower - faster
    return f"Of {total} cells {' and '.join(parts)} by more than {limit}" + (
        f", {rest} cannot be told." if rest else "."
    )


def remarks(compared: RunComparison) -> list[str]:
    """Notes on the table, and the commands that give a clearer answer."""
    lines = []
    if compared.a.path == compared.b.path:
        lines.append("A and B are the same run: there is nothing to find.")
    if compared.num_one_sided:
        lines.append(f"{compared.num_one_sided} cells were timed in one of the runs only.")
    for name, run in (("A", compared.a), ("B", compared.b)):
        count = run.num_disturbed
        if count:
            lines += [
                f"Something else ran during {name}: in {count} cells threads waited for CPUs.",
                "They have no verdict; measure again while nothing else runs here.",
            ]
    known = [row.detectable for row in compared.cells if row.detectable is not None]
    if known:
        least = formats.percent(median(known))
        lines.append(f"With the typical noise here, a cell detects changes of {least} or more.")
    few = [run for run in (compared.a, compared.b) if median(run.launches) < LAUNCHES_ENOUGH]
    if few:
        lines.append(f"Intervals are wide with fewer than {LAUNCHES_ENOUGH} launches; for more:")
        lines += dict.fromkeys(
            f"  ./weft resume {argument_for(run.path)} --budget 20m" for run in few
        )
    floors = [run.noise_floor for run in (compared.a, compared.b) if run.noise_floor is not None]
    if floors and max(floors) > NOISE_HIGH:
        lines.append("The noise floor is high: measure again while nothing else runs here.")
    return lines


def _launches(launches: Sequence[int]) -> str:
    middle = median(launches)
    return f"{middle:g} launch{'' if middle == 1 else 'es'} per cell"


def _floor(floor: float | None) -> str:
    return "unknown" if floor is None else formats.percent(floor)


def _table(members: Sequence[Comparison], compared: RunComparison, width: int) -> Table:
    from rich.table import Table

    columns = _columns(members, compared)
    for name in OPTIONAL_COLUMNS:
        if _width(columns) <= width:
            break
        del columns[name]
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        table.add_column(
            name,
            justify="right" if name in RIGHT_ALIGNED else "left",
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in zip(*columns.values(), strict=True):
        table.add_row(*map(escape, row))
    return table


def _columns(members: Sequence[Comparison], compared: RunComparison) -> dict[str, list[str]]:
    types = {row.cell.type for row in compared.cells}
    toolchains = {row.variant.partition("@")[2] for row in compared.cells}
    is_plain = len(toolchains) == 1
    return {
        "backend": [r.variant.partition("@")[0] if is_plain else r.variant for r in members],
        "algorithm": [_algorithm(row.cell, has_type=len(types) > 1) for row in members],
        "size": [format_size(row.cell.size) for row in members],
        "thr": [str(row.cell.threads) for row in members],
        "A": [formats.seconds(row.time_a_s) for row in members],
        "B": [formats.seconds(row.time_b_s) for row in members],
        "B/A": [factor(row.ratio.value) for row in members],
        "95 %": [interval(row.ratio) for row in members],
    }


def _width(columns: dict[str, list[str]]) -> int:
    return sum(1 + max(map(len, [name, *texts])) for name, texts in columns.items())


def _algorithm(cell: Cell, *, has_type: bool) -> str:
    """The problem, and the unusual settings of the cell."""
    parts = [cell.problem, *(str(value) for _, value in cell.params)]
    parts += [cell.type] if has_type else []
    parts += [cell.allocator] if cell.allocator != "default" else []
    parts += [cell.placement] if cell.placement != "none" else []
    parts += ["smt off"] if cell.smt == "off" else []
    return " ".join(parts)


def factor(value: float) -> str:
    """A ratio with its significant digits: `1.03`, `0.042`, `18`."""
    if value < 0.1:
        return f"{value:.3f}"
    return f"{value:.2f}" if value < 10.0 else f"{value:.0f}"


def interval(ratio: Ratio) -> str:
    """`0.98..1.12`, or why there is no interval; `unknown` if it is too wide to mean anything."""
    if ratio.low is None or ratio.high is None:
        return "one launch"
    if ratio.high > INTERVAL_FACTOR_MAX * ratio.low:
        return "unknown"
    return f"{factor(ratio.low)}..{factor(ratio.high)}"

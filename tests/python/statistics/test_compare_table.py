# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `compare` prints: fits 80 columns and a screen, verdicts first, never a false precision."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console
from weft_lab.advice.comparing import ComparedRun, Comparison, RunComparison, require_two
from weft_lab.errors import RegressionFound, UsageError
from weft_lab.pages import compare_table
from weft_lab.statistics.analysis_types import Ratio
from weft_lab.statistics.estimates import Verdict
from weft_lab.storage.cells import Cell


def row(
    ratio: float,
    verdict: Verdict = "cannot tell",
    *,
    variant: str = "libstdcxx_tbb_par@gcc",
    spread: float = 1.1,
    allocator: str = "default",
) -> Comparison:
    cell = Cell("stl", "for_each", "double", 1 << 22, 12, allocator, params=(("k_it", 1000),))
    interval = Ratio(ratio, ratio / spread, ratio * spread)
    return Comparison(variant, cell, 1.23e-3, 1.23e-3 * ratio, 3, 3, interval, verdict)


def compared(*cells: Comparison, floor: float | None = 0.02, disturbed: int = 0) -> RunComparison:
    launches = tuple(cell.launches_a for cell in cells)
    a = ComparedRun(Path("/r/before"), floor, launches)
    b = ComparedRun(Path("/r/after"), floor, launches, disturbed)
    return RunComparison(a, b, 0.03, cells, 0)


def printed(what: RunComparison, rows: int | None = 12, width: int = 80) -> list[str]:
    stream = io.StringIO()
    compare_table.render(Console(file=stream, width=width), what, rows)
    return stream.getvalue().splitlines()


def test_a_comparison_fits_80_columns_and_a_screen() -> None:
    cells = [row(1.5, "slower")] * 3 + [row(0.5, "faster")] * 3 + [row(1.2)] * 800

    lines = printed(compared(*cells))

    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    assert any("and 794 more cells: --all shows them" in line for line in lines)
    table = [line for line in lines if line.startswith("libstdcxx_tbb_par ")]
    assert len(table) == 12
    assert all("2^22" in line and ".." in line for line in table), "nothing wraps"


@pytest.mark.parametrize("width", [70, 80, 120])
def test_narrow_terminals_lose_columns_not_names(width: int) -> None:
    cells = [row(1.5, "slower", variant="libstdcxx_tbb_par@clang", allocator="first_touch"),
             row(1.5, "slower", variant="seq@gcc")]  # fmt: skip

    lines = printed(compared(*cells), width=width)

    assert any("libstdcxx_tbb_par@clang" in line and "1.50" in line for line in lines)
    assert any("1.36..1.65" in line for line in lines) == (width >= 80)


def test_the_answer_is_said_in_words() -> None:
    some = compared(row(1.5, "slower"), row(0.5, "faster"), row(1.0))

    assert compare_table.sentence(some) == (
        "Of 3 cells 1 slower and 1 faster by more than 3.0 %, 1 cannot be told."
    )
    assert "No significant change beyond 3.0 %" in compare_table.sentence(compared(row(1.3)))


def test_few_launches_and_a_high_floor_come_with_what_to_type() -> None:
    remarks = "\n".join(compare_table.remarks(compared(row(1.3), floor=0.3)))

    assert "./weft resume /r/before --budget" in remarks
    assert "noise floor is high" in remarks


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (Ratio(1.0, 0.978, 1.119), "0.98..1.12"),
        (Ratio(0.05, 0.042, 0.055), "0.042..0.055"),
        (Ratio(20.0, 12.4, 30.6), "12..31"),
        (Ratio(1.0, 0.0001, 1839.2), "unknown"),
        (Ratio(1.0, None, None), "one launch"),
    ],
)
def test_intervals_show_the_digits_they_have(ratio: Ratio, text: str) -> None:
    assert compare_table.interval(ratio) == text


def test_a_regression_names_the_worst_cell() -> None:
    with pytest.raises(RegressionFound, match=r"1 of 2 cells.*\n*.*1\.50 times"):
        compare_table.raise_if_regressed(compared(row(1.5, "slower"), row(0.5, "faster")))


@pytest.mark.parametrize("given", [["results/a"], ["results/a", "results/b", "latest"]])
def test_a_comparison_of_other_than_two_says_what_to_type(given: list[str]) -> None:
    with pytest.raises(UsageError, match=r"type ./weft compare results/a latest"):
        require_two([Path(name) for name in given])


def test_the_latest_run_alone_is_not_compared_with_itself() -> None:
    with pytest.raises(UsageError, match=r"type ./weft compare BEFORE latest; ls results"):
        require_two([Path("latest")])


def test_a_run_that_shared_its_cpus_is_named() -> None:
    cells = [row(1.5, "slower")] * 10

    assert "Something else ran during B: in 3 cells" in "".join(
        compare_table.remarks(compared(*cells, disturbed=3))
    )
    assert "Something else" not in "".join(compare_table.remarks(compared(*cells)))

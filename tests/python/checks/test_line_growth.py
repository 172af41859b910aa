# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Growth of counted cache lines: the runs of the program, the fit and the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from weft_lab.checks.line_growth import growth_of, measured, table

WORKERS = (2, 4, 8, 16, 32, 64)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Counts 3 lines for `flat`, a line for each worker for `linear`, and no steal."""
    path = tmp_path / "weft_lines"
    record = '{"operation": "%s", "workers": %s, "operations": %s, "lines": %s}\\n'
    path.write_text(
        "#!/bin/sh\n"
        f"printf '{record}' flat $1 10 3.0\n"
        f"printf '{record}' linear $1 10 $1\n"
        f"printf '{record}' steal $1 0 0\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def test_a_constant_and_a_linear_operation_are_told_apart(program: Path) -> None:
    lines = measured(program, WORKERS, runs=2)

    assert growth_of(lines["flat"]).value(256) == pytest.approx(3.0)
    assert growth_of(lines["linear"]).value(256) == pytest.approx(256.0)


def test_an_operation_that_did_not_occur_has_no_lines(program: Path) -> None:
    assert set(measured(program, WORKERS[:2], runs=1)) == {"flat", "linear"}


def test_few_numbers_of_workers_give_no_growth(program: Path) -> None:
    shown = table(measured(program, (2, 8), runs=1), (2, 8))

    assert "3.00" in shown
    assert "unknown: fewer than 5 numbers" in shown

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command below a figure measures what the run measured, with the user's own options."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
from weft_lab.pages.charts.common import measure_again
from weft_lab.pages.view import RunView


def view_of(**options: object) -> RunView:
    return RunView(Path("/r/run"), {"options": options}, ())


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, "./weft report --threads 1,4"),
        ({"tier": "quick", "suite": ["stl"]}, "./weft report --quick --threads 1,4"),
        (
            {"tier": "default", "suite": ["tasks"], "only": ["fib", "uts"], "backend": ["weft"],
             "size": [27, 1 << 20], "threads": [2]},
            "./weft report --suite tasks --only fib,uts --backend weft --size 27,2^20 "
            "--threads 1,4",
        ),
        ({"protocol": "paper", "type": ["int"]},
         "./weft report --type int --protocol paper --threads 1,4"),
    ],
)  # fmt: skip
def test_the_command_has_the_options_of_the_user(options: dict[str, Any], expected: str) -> None:
    found = measure_again(view_of(**options), threads="1,4")

    assert sorted(shlex.split(found)) == sorted(expected.split())
    assert found.startswith("./weft report")

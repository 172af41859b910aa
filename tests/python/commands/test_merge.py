# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs side by side: each type in its own column, doubles beside the published values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from weft_lab.errors import UsageError
from weft_lab.pages.view import RunView
from weft_lab.statistics.summaries import summarise
from weft_lab.suites.stl import side_by_side
from weft_lab.suites.stl.merge import merged_tables

Records = Callable[..., list[dict[str, Any]]]


def view_of(name: str, records: list[dict[str, Any]]) -> RunView:
    manifest = {"run_id": name, "machine": {"host": name}}
    return RunView(Path("/r") / name, manifest, tuple(summarise(records)))


def run_of(records_of: Records, *types: str) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for type_ in types:
        made += records_of("seq@gcc", 8e-3, type=type_)
        made += records_of("gnu@gcc", 2e-3, type=type_, threads=2)
    return made


def test_each_type_has_its_column_whatever_else_a_run_measured(records_of: Records) -> None:
    alone = view_of("a", run_of(records_of, "double"))
    several = view_of("b", run_of(records_of, "double", "int"))
    other = view_of("c", run_of(records_of, "int"))

    made = side_by_side.by_name("speedup", [alone, several, other])

    titles = [column.title for column in made.shown.columns]
    assert "sort" in titles
    assert "sort (int)" in titles
    assert "sort (double)" not in titles
    measured = {
        (row[1], row[2]) for row in made.long.rows if row[3] == "measured" and row[4] is not None
    }
    assert measured == {("sort", "a"), ("sort", "b"), ("sort (int)", "b"), ("sort (int)", "c")}


def test_doubles_stand_beside_the_published_values(records_of: Records) -> None:
    made = side_by_side.by_name("speedup", [view_of("a", run_of(records_of, "double", "int"))])

    (row,) = [row for row in made.shown.rows if row[0] == "GCC-GNU"]
    titles = [column.title for column in made.shown.columns]
    texts = str(row[titles.index("sort")]).split(" | ")
    assert len(texts) == 4
    assert all(float(text) > 0 for text in texts)


def test_a_run_that_is_named_twice_is_refused(records_of: Records) -> None:
    view = view_of("a", run_of(records_of, "double"))

    with pytest.raises(UsageError, match="named twice"):
        merged_tables([view, view])

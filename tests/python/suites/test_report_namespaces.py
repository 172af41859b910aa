# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Table II: the names that differ, the difference that is printed, and that it is no other."""

from __future__ import annotations

from pathlib import Path

from weft_lab.pages.papers import find_item
from weft_lab.suites.cells import render
from weft_lab.suites.inncabs import namespaces, published


def test_every_name_of_the_paper_is_translated() -> None:
    ours = dict(namespaces.names())

    assert set(published.translations()) <= set(ours)
    assert ours["std::mutex"] == "weft::mutex"


def test_every_name_is_used_by_the_program() -> None:
    text = (namespaces.FOLDER / namespaces.STANDARD).read_text(encoding="utf-8")

    assert [old for old, _ in namespaces.names() if old not in text] == []


def test_only_namespaces_and_headers_differ() -> None:
    for line in namespaces.difference()[2:]:
        assert line.startswith(("@@", "+#include", "-#include")) or "::" in line
        if line.startswith("+") and "#include" not in line:
            assert "-" + line[1:].replace("weft::", "std::") in namespaces.difference()


def test_a_name_outside_the_table_would_show(tmp_path: Path) -> None:
    (tmp_path / "names.txt").write_text("std::async weft::async\n", encoding="utf-8")
    (tmp_path / "standard.cpp").write_text("std::async(f);\nstd::latch l;\n", encoding="utf-8")

    lines = namespaces.difference(tmp_path)

    assert lines[-2:] == ("-std::async(f);", "+weft::async(f);")


def test_the_item_needs_no_run_and_prints_the_difference(tmp_path: Path) -> None:
    done = render(find_item("counters-table2"), None, tmp_path)

    assert "+  weft::mutex guard;" in done.lines
    assert ("std::thread", "hpx::thread", "weft::thread") in done.tables[0].rows
    assert "weft::future" in done.files[0].read_text(encoding="utf-8")

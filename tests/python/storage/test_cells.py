# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of cells, and how sizes, threads and lists are spelt."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import pytest
from weft_lab.errors import UsageError
from weft_lab.measuring.costs import Task
from weft_lab.storage import cells
from weft_lab.storage.cells import Cell


def test_label_names_the_parameters() -> None:
    assert Cell("stl", "sort").label == "sort"
    assert Cell("stl", "for_each", params=(("k_it", 1000),)).label == "for_each k_it=1000"


def test_a_cell_survives_the_way_through_a_record() -> None:
    cell = Cell("stl", "for_each", "int", 8, 2, "first_touch", "cores", "off", (("k_it", 7),))

    assert Cell.from_dict(cell.to_dict(), "stl") == cell


def test_another_process_finds_cells_and_tasks_whose_hash_was_known_here() -> None:
    task = Task("seq", Cell("stl", "sort", size=8))
    assert hash(task) != hash(task.cell)
    code = (
        "import pickle, sys\n"
        "from weft_lab.measuring.costs import Cell, Task\n"
        "made = Task('seq', Cell('stl', 'sort', size=8))\n"
        "sent = pickle.load(sys.stdin.buffer)\n"
        "assert sent in {made} and sent.cell in {made.cell}\n"
    )

    for seed in ("1", "2"):
        subprocess.run(
            [sys.executable, "-c", code],
            input=pickle.dumps(task),
            check=True,
            env={"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": seed},
        )


def test_different_cells_have_different_keys() -> None:
    a = Cell("stl", "sort", size=8, threads=16)
    b = Cell("stl", "sort", size=81, threads=6)

    assert a.key != b.key


@pytest.mark.parametrize(
    ("text", "size"),
    [("2^20", 1 << 20), ("1000", 1000), ("64k", 65536), ("1M", 1 << 20), ("10^9", 10**9)],
)
def test_spellings_of_a_size(text: str, size: int) -> None:
    assert cells.parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["0", "-8", "2^", "2^99", "2^-1", "3^2", "10^13", "lots", "", "1.5", "k"]
)
def test_a_size_that_is_none_names_itself_and_what_to_type(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        cells.parse_size(text)

    assert f"'{text}'" in str(caught.value)
    assert "--size 2^20" in caught.value.remedy


def test_sizes_from_lists_and_ranges_are_sorted_and_unique() -> None:
    assert cells.parse_sizes(["2^4..2^6,100", "32"]) == [16, 32, 64, 100]


def test_a_range_without_a_power_of_two_is_an_error() -> None:
    with pytest.raises(UsageError, match="holds no power of two"):
        cells.parse_sizes(["33..63"])


def test_threads_all_are_the_usable_ones_and_more_are_allowed() -> None:
    assert cells.parse_threads("1,all,64", cpus_usable=2) == [1, 2, 64]


@pytest.mark.parametrize("text", ["0", "-1", "two", "1.5"])
def test_bad_thread_counts(text: str) -> None:
    with pytest.raises(UsageError, match="threads"):
        cells.parse_threads(text, cpus_usable=2)


def test_an_unknown_name_gets_the_nearest_known_one() -> None:
    with pytest.raises(UsageError) as caught:
        cells.check_names("problem", ["srot"], ["sort", "reduce"])

    assert "did you mean 'sort'?" in str(caught.value)
    assert caught.value.exit_code == 2

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of the suite Inncabs, and the paper's tables and figures, from records by hand."""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from pathlib import Path

import pytest
from inncabs_run import FIB, NO_UNIT, Cell, Counted, write_inncabs_run
from weft_lab.measuring.options import RunOptions
from weft_lab.pages import papers
from weft_lab.pages.load import load
from weft_lab.pages.view import RunView
from weft_lab.storage.checkout import problems_in_checkout
from weft_lab.suites.cells import build_report, options_for, render
from weft_lab.suites.inncabs import published
from weft_lab.suites.inncabs.charts import execution_time, offcore_bandwidth, overheads
from weft_lab.suites.inncabs.figure_words import NOTHING, found_here
from weft_lab.suites.inncabs.reproduce import NO_TOOLS, SHOWN_BY_A_RUN
from weft_lab.suites.inncabs.tables import (
    classification_table,
    granularity,
    platform_table,
    problem_infos,
    settings_table,
    software_table,
)
from weft_lab.suites.inncabs.words import by_benchmark

CHECKOUT = Path(__file__).parents[3]
ITEMS = [i.name for i in papers.items() if i.paper == "hpx-counters" and i.only]
COARSE = Counted(tasks=4950, task_s=10.0, scheduling_s=0.01)
# As FIB, for every benchmark that a figure shows.
WHOLE = tuple(
    replace(cell, problem=name)
    for name in ("alignment", "fft", "fib", "intersim", "pyramids", "sort", "strassen", "uts")
    for cell in FIB
)


def view_of(folder: Path, *cells: Cell) -> RunView:
    return load(write_inncabs_run(folder, cells))


@pytest.fixture(scope="module")
def fib(tmp_path_factory: pytest.TempPathFactory) -> RunView:
    return load(write_inncabs_run(tmp_path_factory.mktemp("fib"), FIB))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> RunView:
    return load(write_inncabs_run(tmp_path_factory.mktemp("whole"), WHOLE))


def scaling_of(view: RunView, name: str) -> str:
    lines = [line for lines in by_benchmark(view.summaries, 0.03).values() for line in lines]
    return next(line for line in lines if line.startswith(name))


def test_every_benchmark_is_classified_as_its_program_says() -> None:
    assert set(problem_infos()) == set(problems_in_checkout("inncabs"))
    for info in problem_infos().values():
        header = CHECKOUT / "lab" / "inncabs" / info.id / f"{info.id}.hpp"
        stated = re.search(r"\.structure = task_structure::(\w+)", header.read_text("utf-8"))
        assert stated is not None
        assert stated[1] == re.sub(r"\W", "_", info.structure)


def test_granularities_are_those_of_the_paper_for_its_durations() -> None:
    for row in published.classifications().values():
        assert row.granularity.endswith(granularity(1e-6 * row.task_us))


def test_golden_classification(fib: RunView) -> None:
    table = classification_table(fib)

    assert table.texts() == [
        ["fib", "recursive balanced", "none", "1.00 µs", "1.10 µs", "1.37 µs", "very fine",
         "very fine", "to 2 of 2", "to 2 of 2", "no scaling",
         "fail: std_async failed after it had started 32000 tasks", "fail", "to 10"],
    ]  # fmt: skip
    assert [c.title for c in table.columns][8:12] == ["WEFT-FUTURE", "WEFT", "ONETBB", "STD-ASYNC"]


def test_old_records_leave_durations_unknown(tmp_path: Path) -> None:
    view = view_of(tmp_path, *(replace(cell, counted=None) for cell in FIB))

    (row,) = classification_table(view).texts()

    assert row[3:5] == ["–", "–"]
    assert row[6] == "–"
    assert "hold no counters of tasks" in scaling_of(view, "By WEFT-FUTURE")
    assert "why is not known" in scaling_of(view, "WEFT scales")


def test_what_was_not_timed_with_one_core_is_told_as_that(tmp_path: Path) -> None:
    view = view_of(tmp_path, Cell("fib", "weft_future", 2, 1.0, Counted(1e6, 1.0, 0.5)))

    assert by_benchmark(view.summaries, 0.03)["fib"] == [
        "By WEFT-FUTURE, the task duration is not known: it was not timed with 1 core.",
        "WEFT-FUTURE: how far it scales is not known: timed with 2 cores only.",
    ]


def test_words_name_the_largest_loss_first(fib: RunView) -> None:
    assert scaling_of(fib, "WEFT-FUTURE") == (
        "WEFT-FUTURE scales to 2 of 2 cores, 1.95 × as fast as with 1; nothing holds it back "
        "(97 % of ideal)."
    )
    assert scaling_of(fib, "WEFT scales").endswith(
        "with 2, 38 % of the core time is lost to too fine tasks: scheduling (850 ns per task of "
        "1.00 µs); 8 % of the core time is lost to too few tasks: searching and sleeping."
    )
    assert scaling_of(fib, "ONETBB").startswith(
        "ONETBB does not get faster with more than 1 core (0.800 × with 2); why is not known"
    )
    assert scaling_of(fib, "STD-ASYNC").startswith("STD-ASYNC: fail: std_async failed after")


def test_tasks_that_take_longer_point_at_memory(tmp_path: Path) -> None:
    view = view_of(
        tmp_path,
        Cell("sort", "weft_future", 1, 10.01, COARSE),
        Cell("sort", "weft_future", 2, 9.0, replace(COARSE, task_s=17.5)),
    )

    words = scaling_of(view, "WEFT-FUTURE")

    assert "42 % of the core time is lost to memory, caches or locks" in words
    assert "last 3.54 ms instead of 2.02 ms" in words


def test_waiting_for_tasks_is_told_from_scheduling(tmp_path: Path) -> None:
    waiting = Counted(4950, 10.0, 6.0, searching_s=4.0, parked_s=1.9)
    view = view_of(
        tmp_path,
        Cell("sort", "weft_future", 1, 10.01, COARSE),
        Cell("sort", "weft_future", 2, 8.0, waiting),
    )

    assert "37 % of the core time is lost to too few tasks" in scaling_of(view, "WEFT-FUTURE")


def test_waiting_for_a_cpu_is_not_blamed_on_memory(tmp_path: Path) -> None:
    # Twice as long on the wall, with the same time on the CPUs: something else ran.
    view = view_of(
        tmp_path,
        Cell("sort", "weft_future", 1, 10.0, replace(COARSE, scheduling_s=0.0, cpu_s=10.0)),
        Cell("sort", "weft_future", 2, 10.0, Counted(4950, 20.0, 0.0, cpu_s=10.0)),
    )

    words = scaling_of(view, "WEFT-FUTURE")

    assert words.endswith(
        "with 2, 50 % of the core time is lost to other programs: its workers waited for a CPU."
    )


def test_scheduling_too_short_to_tell_is_no_number(tmp_path: Path) -> None:
    view = view_of(tmp_path, Cell("fib", "weft_future", 1, 1.0, Counted(1e6, 1.0, 1e-9)))

    assert scaling_of(view, "By WEFT").endswith("its scheduling less than 0.1 ns.")


def test_inputs_smaller_than_the_studys_are_named(tmp_path: Path) -> None:
    scaled = Cell("sort", "onetbb", 1, 1.0, extra={"scaled": "10^7 instead of 10^8 numbers"})

    words = by_benchmark(view_of(tmp_path, scaled).summaries, 0.03)["sort"]

    assert "The input is smaller than the study's: 10^7 instead of 10^8 numbers." in words


def test_overheads_are_shared_out_over_the_cores(fib: RunView) -> None:
    figure = overheads.build(fib)

    assert figure is not None
    assert figure.cases == ("fib by WEFT-FUTURE", "fib by WEFT")
    rows = {
        (r["threads"], r["quantity"]): r["time_s"]
        for r in figure.datasets["overheads"]
        if r["case"] == "fib by WEFT-FUTURE"
    }
    assert rows[2, overheads.IDEAL] == pytest.approx(0.75)
    assert rows[2, overheads.TASKS] == pytest.approx(0.51)
    assert rows[2, overheads.IDEAL_TASKS] == pytest.approx(0.5)
    assert rows[2, overheads.SCHEDULING] == pytest.approx(0.26)


def test_growth_is_told_from_the_fewest_cores_that_were_measured(tmp_path: Path) -> None:
    one_core = view_of(tmp_path / "one", *FIB)
    two_cores = view_of(
        tmp_path / "two",
        Cell("fib", "weft_future", 2, 1.0, Counted(1e6, 1.0, 0.5)),
        Cell("fib", "weft_future", 4, 0.5, Counted(1e6, 1.1, 0.5)),
    )

    assert found_here("overheads", one_core)[0] == (
        "WEFT-FUTURE: scheduling is 50.0 % of task time at 1 and 51.0 % at 2 cores; task time per "
        "core is 1.02 × its ideal; speed-up 1.95."
    )
    assert found_here("overheads", two_cores)[0].endswith("speed-up 2.00 from 2 to 4 cores.")


def test_failed_runtimes_are_in_the_table_of_times_with_their_reason(fib: RunView) -> None:
    figure = execution_time.build(fib)

    assert figure is not None
    failed = [row for row in figure.table.rows if row[2] == "STD-ASYNC"]
    assert [row[4] for row in failed] == [None, None]
    assert "32001 tasks" in str(failed[1][-1])
    assert {row["runtime"] for row in figure.datasets["execution_time"]} == {
        "SEQ", "WEFT-FUTURE", "WEFT", "ONETBB",
    }  # fmt: skip


def test_bandwidth_that_cannot_be_measured_has_a_reason_and_a_labelled_substitute(
    fib: RunView,
) -> None:
    figure = offcore_bandwidth.build(fib)

    assert figure is not None
    assert NO_UNIT in figure.caption
    assert "context switches" in figure.caption
    assert "substitute, no bandwidth" in str(figure.spec)
    assert {row[3] for row in figure.table.rows} == {None}


def test_bandwidth_is_bytes_over_time(tmp_path: Path) -> None:
    counted = Counted(4950, 10.0, 0.1)
    view = view_of(
        tmp_path,
        Cell("fft", "weft_future", 1, 2.0, counted, offcore_bytes=float(1 << 32)),
        Cell("fft", "weft_future", 2, 1.0, counted, offcore_bytes=float(1 << 32)),
    )

    figure = offcore_bandwidth.build(view)

    assert figure is not None
    assert [row["per_s"] for row in figure.datasets["offcore_bandwidth"]] == [2.0, 4.0]
    assert found_here("offcore_bandwidth", view) == (
        "WEFT-FUTURE: 2.00 GiB/s with 1, 4.00 GiB/s with 2.",
    )


def test_settings_table_marks_the_one_that_is_shown(tmp_path: Path) -> None:
    view = view_of(
        tmp_path,
        Cell("fib", "onetbb", 1, 2.0),
        Cell("fib", "onetbb", 1, 1.0, allocator="tcmalloc"),
    )

    rows = {row[3]: row[-1] for row in settings_table(view).rows}

    assert rows == {"system": "", "tcmalloc": "yes"}
    software = software_table(view).texts()
    assert software[0] == ["C++11 Standard (the paper)", "gcc", "system (Alignment-tcmalloc)",
                           "async"]  # fmt: skip
    assert software[-1] == ["ONETBB", "gcc", "tcmalloc", "–"]


def test_platform_is_the_papers_and_this_one(fib: RunView) -> None:
    rows = platform_table(fib).rows

    assert ("the paper", "RAM", "128 GB") in rows
    assert any(row[0] == "here" for row in rows)


@pytest.mark.long
@pytest.mark.parametrize("name", ITEMS)
def test_every_item_is_shown_beside_what_the_paper_says(
    whole: RunView, tmp_path: Path, name: str
) -> None:
    item = papers.find_item(name)

    done = render(item, whole, tmp_path)

    page = done.files[0].read_text(encoding="utf-8")
    assert item.title in page
    assert "Using Intrinsic Performance Counters" in page
    assert all(path.stat().st_size > 0 for path in done.files)
    if item.form in ("execution_time", "overheads", "offcore_bandwidth"):
        assert any(line.startswith("The paper says") for line in done.lines)
        assert any(line.startswith("Found here") for line in done.lines)
        assert {path.suffix for path in done.files} == {".html", ".csv", ".svg", ".png"}


@pytest.mark.long
def test_all_is_one_page_of_every_item(whole: RunView, tmp_path: Path) -> None:
    done = render(papers.find_item("counters-all"), whole, tmp_path)

    page = done.files[0].read_text(encoding="utf-8")
    for item in papers.items():
        if item.paper == "hpx-counters" and item.form in SHOWN_BY_A_RUN:
            kind = "Table" if item.table_key.startswith("table") else "Figure"
            number = re.sub(r"\D", "", item.table_key)
            assert f"<h2>{kind} {number}: {item.title}</h2>" in page, item.name
    with (tmp_path / "table5.csv").open(encoding="utf-8") as stream:
        assert {row["benchmark"] for row in csv.DictReader(stream)} == {c.problem for c in WHOLE}
    assert page.count(NO_TOOLS) == 1
    assert f"table1. {NO_TOOLS}" in done.lines


def test_a_figure_of_what_was_not_measured_says_so(fib: RunView, tmp_path: Path) -> None:
    done = render(papers.find_item("counters-fig9"), fib, tmp_path)

    assert f"Found here: {NOTHING}" in done.lines
    assert "too little was measured" in str(done.tables[0].rows)


def test_items_ask_for_the_protocol_and_axes_of_the_paper() -> None:
    item = papers.find_item("counters-fig1")

    options = options_for(item, RunOptions(), cpus=6, memory_bytes=8 << 30)

    assert item.protocol == "counters"
    assert (options.suite, options.only) == (("inncabs",), ("alignment",))
    assert options.threads == (1, 2, 4, 6)
    assert (options.placement, options.smt) == (("cores",), ("on", "off"))
    assert options.allocator == ("default", "tcmalloc")
    assert options.size == ()
    assert {"weft_future@gcc", "weft_future@clang", "seq@gcc"} <= set(options.backend)


@pytest.mark.long
def test_report_page_says_where_and_why(whole: RunView, tmp_path: Path) -> None:
    built = build_report(write_inncabs_run(tmp_path, WHOLE))

    page = built.page.read_text(encoding="utf-8")
    assert "Where each runtime stops scaling, and why" in page
    assert "too fine tasks" in page
    assert 'id="chart-overheads"' in page
    assert "<label>Benchmark <select" in page
    assert (tmp_path / "tables" / "classification.csv").exists()

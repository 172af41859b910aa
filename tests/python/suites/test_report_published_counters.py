# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Published values of the paper on HPX's counters: spot checks, and that they fit each other."""

from __future__ import annotations

import pytest
from weft_lab.errors import UsageError
from weft_lab.pages import papers
from weft_lab.suites.inncabs import published
from weft_lab.suites.inncabs.published import FigureValue, Outcome, Scaling

FIGURES = [f"fig{number}" for number in range(1, 17)]
DETERMINISTIC_TASKS = {"alignment": 4950, "strassen": 137256, "pyramids": 112344, "round": 512}
VERY_FINE_US = 5.0
COARSE_US = 900.0


def test_both_tables_have_all_fourteen_benchmarks() -> None:
    in_table_1 = {row.benchmark for row in published.tool_rows()}
    assert len(in_table_1) == 14
    assert set(published.classifications()) == in_table_1


def test_rows_of_table_1_are_those_of_the_paper() -> None:
    rows = {row.benchmark: row for row in published.tool_rows()}
    assert {name: rows[name].tasks for name in DETERMINISTIC_TASKS} == DETERMINISTIC_TASKS
    assert rows["alignment"].hpctoolkit == Outcome(112795, overhead_percent=11516.37)
    assert rows["health"].baseline == Outcome(589415)
    assert rows["uts"].baseline == Outcome(status="Abort")
    assert rows["uts"].tau == Outcome()
    assert rows["fib"].tasks is None


def test_printed_overheads_follow_from_the_printed_times() -> None:
    checked = 0
    for row in published.tool_rows():
        baseline, tool = row.baseline.time_ms, row.hpctoolkit
        if baseline is None or tool.time_ms is None:
            assert tool.overhead_percent is None
            continue
        assert tool.overhead_percent == pytest.approx(100 * (tool.time_ms / baseline - 1), abs=0.01)
        checked += 1
    assert checked == 4


def test_no_outcome_has_both_a_time_and_a_failure() -> None:
    for row in published.tool_rows():
        for outcome in (row.baseline, row.tau, row.hpctoolkit):
            assert outcome.time_ms is None or not outcome.status


def test_rows_of_table_5_are_those_of_the_paper() -> None:
    rows = published.classifications()
    assert (rows["round"].task_us, rows["round"].granularity) == (9671, "coarse")
    assert rows["qap"].synchronisation == "atomic pruning"
    assert (str(rows["qap"].std), str(rows["qap"].hpx)) == ("to 6", "to 4")
    assert str(rows["fib"].std) == "fail"
    assert str(rows["intersim"].std) == "no scaling"
    assert str(rows["strassen"].std) == "to 8 (some fail)"


def test_a_benchmark_that_does_not_scale_has_a_word_for_it_and_no_cores() -> None:
    for row in published.classifications().values():
        for scaling in (row.std, row.hpx):
            assert scaling.cores is not None or scaling.remark
    assert published.classifications()["health"].std == Scaling(None, "fail")


def test_granularity_classes_fit_the_durations() -> None:
    for row in published.classifications().values():
        assert (row.task_us < VERY_FINE_US) == row.granularity.endswith("very fine")
        assert (row.task_us > COARSE_US) == (row.granularity == "coarse")


def test_table_2_translates_by_the_namespace() -> None:
    assert published.translations()["std::async"] == "hpx::async"
    assert published.translations()["std::mutex"] == "hpx::lcos::local::mutex"
    assert len(published.translations()) == 4


@pytest.mark.parametrize("figure", FIGURES)
def test_every_figure_names_a_benchmark_and_quotes_the_paper(figure: str) -> None:
    item = next(item for item in papers.items() if item.name == f"counters-{figure}")
    assert published.benchmark_of(figure) in published.classifications()
    assert published.benchmark_of(figure) in item.title.lower()
    assert item.published


def test_item_that_is_not_drawn_does_not_blame_its_suite() -> None:
    undrawn = papers.Item("counters-fig0", "A figure", "inncabs")
    drawn = papers.Item("counters-fig0", "A figure", "inncabs", form="strong_scaling")
    homeless = papers.Item("gcl-fig0", "A figure", "pgas", form="strong_scaling")
    assert undrawn.availability == "measured, but not drawn in this version"
    assert drawn.availability == "yes"
    assert "the suite 'pgas'" in homeless.availability


def test_refusal_of_an_item_that_is_not_drawn_says_how_to_measure_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    undrawn = papers.Item("paper:fig0", "A figure", "inncabs")
    drawn = papers.Item("paper:fig1", "A figure", "inncabs", form="strong_scaling")
    monkeypatch.setattr(papers, "items", lambda: (undrawn, drawn))
    with pytest.raises(UsageError) as caught:
        papers.find_item("paper:fig0")
    assert "./weft run --suite inncabs" in caught.value.remedy
    assert "paper:fig1" in caught.value.remedy


def test_figure_values_are_those_of_the_captions() -> None:
    assert published.figure_values("fig8") == (FigureValue("speed-up", 17, "x", "hpx", 20),)
    assert FigureValue("speed-up", 8, "x", "std", 20) in published.figure_values("fig2")
    assert published.figure_values("fig13") == ()


def test_every_value_has_a_unit_and_a_known_runtime() -> None:
    figures = [value for figure in FIGURES for value in published.figure_values(figure)]
    for value in (*figures, *published.text_values()):
        assert value.unit
        assert value.runtime in ("", "std", "hpx")


def test_durations_of_figures_agree_with_table_5() -> None:
    for figure in FIGURES:
        rounded = published.classifications()[published.benchmark_of(figure)].task_us
        for value in published.figure_values(figure):
            if value.unit == "us":
                assert value.value == pytest.approx(rounded, rel=0.3)

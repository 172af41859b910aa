# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers, tables, settings and explanations of the report against values worked out by hand."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console
from synthetic_run import ONE_PROBLEM, UNUSUAL, Shape, write_run
from weft_lab.errors import ResultFolderError, UsageError
from weft_lab.pages import formats, machine_text, paper_tables, tables, theme
from weft_lab.pages.charts import common, problem_scaling, strong_scaling
from weft_lab.pages.charts.samples import thin
from weft_lab.pages.decision_rows import decision_rows, is_shown_faster
from weft_lab.pages.explain import explain, glossary
from weft_lab.pages.lead import lead_text
from weft_lab.pages.load import load
from weft_lab.pages.machine_text import one_line, trust_rows
from weft_lab.pages.settings import settings_text
from weft_lab.pages.table import Table, columns
from weft_lab.pages.terminal import print_summary, print_table
from weft_lab.pages.view import RunView
from weft_lab.suites.stl import side_by_side

Loader = Callable[[str], RunView]
SHAPE = Shape(exponents=(3, 10, 14, 20), backends=("seq", "gnu", "openmp"), problems=ONE_PROBLEM)


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> RunView:
    return load(write_run(tmp_path_factory.mktemp("run"), SHAPE))


@pytest.fixture
def load_shape(tmp_path: Path) -> Loader:
    return lambda name: load(write_run(tmp_path / name, UNUSUAL[name]))


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.234e-5, "12.3 µs"), (2.0, "2.00 s"), (9.996e-4, "1000 µs"), (4e-10, "0.400 ns")],
)
def test_seconds_have_three_digits_and_a_unit(value: float, text: str) -> None:
    assert formats.seconds(value) == text


def test_unknown_is_a_dash_and_never_zero() -> None:
    shown = [formats.seconds(None), formats.ratio(None), formats.size(None), formats.rate(None)]
    assert set(shown) == {formats.UNKNOWN}
    assert formats.paper_number(None) == "N/A"
    assert formats.paper_number(0) == "0"


def test_sizes_are_powers_of_two_where_they_are() -> None:
    assert [formats.size(n) for n in (1, 8, 1 << 20, 1000)] == ["2⁰", "2³", "2²⁰", "1\u202f000"]
    assert formats.size_band(8, 8) == "2³"
    assert formats.size_band(8, 64) == "2³ … 2⁶"


def test_paper_numbers_are_written_as_in_the_paper() -> None:
    assert [formats.paper_number(n) for n in (1.72e12, 107e9, 472e3)] == ["1.72T", "107G", "472K"]


def test_speedup_table_is_time_over_time(view: RunView) -> None:
    table = paper_tables.speedup_table(view)

    by_variant = {(s.backend, s.cell.threads): s for s in view.plain() if s.cell.size == 1 << 20}
    seq_s, gnu_s = by_variant["seq", 1].time_s, by_variant["gnu", 4].time_s
    assert seq_s is not None
    assert gnu_s is not None
    assert dict(table.rows)["gnu"] == pytest.approx(seq_s / gnu_s)
    assert [column.title for column in table.columns] == ["backend", "reduce"]


def test_golden_table_of_executables(view: RunView) -> None:
    assert paper_tables.size_table(view).texts() == [
        ["seq", "g++ 12.2.0", "0.39 MiB"],
        ["gnu", "g++ 12.2.0", "0.61 MiB"],
        ["openmp", "g++ 12.2.0", "0.51 MiB"],
    ]


def test_golden_table_of_what_was_not_measured(view: RunView) -> None:
    assert tables.skipped_table(view).texts() == [
        ["hpx@gcc", "all", "90", "missing_library", "HPX was not found",
         "set WEFT_HPX_DIR, or: spack install hpx"],
        ["all", "sort", "8", "memory", "2^30 doubles need 16 GiB, 7 GiB are free",
         "choose --size 2^28"],
    ]  # fmt: skip


def test_counters_are_of_a_hundred_calls_and_flops_count_lanes(load_shape: Loader) -> None:
    view = load_shape("counted")
    table = paper_tables.counter_table(view, "reduce")

    assert table is not None
    rows = {row[0]: row[1] for row in table.texts()}
    size = 1 << 14
    assert rows["Instructions"] == formats.paper_number(100 * 6.0 * size)
    assert rows["FP 128-bit packed"] == "0"
    assert rows["FP 256-bit packed"] == formats.paper_number(100 * 0.25 * size)
    seq = next(s for s in view.at_all_threads() if s.backend == "seq" and s.cell.size == size)
    assert seq.time_s is not None
    # One scalar and a quarter of a four-lane operation per element: two per element.
    assert paper_tables.flops_per_s(seq) == pytest.approx(2.0 * size / seq.time_s / 1e9)


def test_counters_that_are_missing_have_a_reason_and_no_number(view: RunView) -> None:
    assert paper_tables.counter_table(view, "reduce") is None
    names, reason = paper_tables.counter_reasons(view)[0]
    assert "instructions" in names
    assert reason == "no hardware counters in this guest"


def test_published_values_stand_beside_ours_and_gaps_are_named(view: RunView) -> None:
    shown = side_by_side.by_name("speedup", [view, view]).shown

    assert "Hydra | Nebula | VSC-5 | synthetic (1) | synthetic (2)" in shown.note
    reduce = {
        row[0]: dict(zip([c.title for c in shown.columns], row, strict=True)) for row in shown.rows
    }
    assert str(reduce["GCC-GNU"]["reduce"]).startswith("11.0 | 4.7 | 6.0 | ")
    assert reduce["GCC-HPX"]["reduce"] == "7.3 | 0.9 | 1.2 | N/A | N/A"
    assert reduce["GCC-GNU"]["inclusive_scan"] == "N/A"


def test_trust_box_calls_wrong_answers_bad(load_shape: Loader) -> None:
    rows = {row.name: row for row in trust_rows(load_shape("all_wrong"))}

    assert rows["Wrong answers"].level == "bad"
    assert rows["Launches per cell"].level == "bad"


def test_golden_trust_box(view: RunView) -> None:
    assert [(row.name, row.value) for row in trust_rows(view)] == [
        ("Noise floor (A/A)", "not known: too few pairs"),
        ("Wrong answers", "none in 24 cells"),
        ("Load at the start", "0.12 on 4 CPUs, stolen 0.0 %"),
        ("Virtual machine", "yes"),
        ("Frequency governor", "the kernel shows no cpufreq"),
        ("CPU quota", "unlimited"),
        ("Hardware counters", "none: no hardware counters in this guest"),
        ("Measured", "5 process launches, 24 cells, 2\u202f400 samples"),
        ("Run", "complete, 540 s measured, tier default"),
    ]


def test_machine_is_one_line(view: RunView) -> None:
    assert one_line(view) == (
        "Synthetic CPU 4000 · 4 CPUs usable · 32 MiB last-level cache · 8 GiB memory free"
    )


def test_first_screen_says_a_gain_only_where_its_whole_interval_is_one(view: RunView) -> None:
    shown = [d for d in view.decisions if is_shown_faster(d)]

    assert shown
    assert all(d.speedup is not None and d.speedup.low is not None for d in shown)
    assert "Parallel code pays for 1 of 1 algorithms: up to" in lead_text(view)
    assert all(row.interval for row in decision_rows(view) if row.speedup not in ("baseline", "–"))


def test_nothing_is_recommended_when_only_seq_was_measured(load_shape: Loader) -> None:
    view = load_shape("only_seq")

    assert "No choice was significantly faster" in lead_text(view)
    assert "No parallel backend" in settings_text(view)
    assert strong_scaling.build(view) is None


def test_settings_name_flags_and_threads(view: RunView) -> None:
    text = settings_text(view)

    assert "g++ -O3 -march=native -fopenmp" in text
    assert "export OMP_NUM_THREADS=4" in text


def test_thinning_keeps_the_extremes_and_is_repeatable() -> None:
    samples = [float(i % 97) for i in range(1000)]
    samples[500], samples[501] = -1.0, 200.0

    kept = thin(samples, 20)

    assert len(kept) <= 20
    assert {-1.0, 200.0} <= set(kept)
    assert kept == thin(samples, 20)
    assert thin(samples[:5], 20) == samples[:5]


def test_wild_intervals_do_not_rule_an_axis() -> None:
    assert common.drawn_interval(1.0, 1e-30, 1e30) == (0.25, 4.0)
    assert common.drawn_interval(1.0, 0.9, 1.1) == (0.9, 1.1)
    assert common.drawn_interval(1.0, None, 1.1) == (None, None)


def test_a_backend_looks_the_same_in_every_figure(view: RunView) -> None:
    specs = [f.spec for f in (problem_scaling.build(view), strong_scaling.build(view)) if f]
    scales = [
        layer["encoding"]["color"]["scale"]
        for spec in specs
        for layer in spec["layer"]
        if "color" in layer.get("encoding", {})
    ]
    colors = [dict(zip(scale["domain"], scale["range"], strict=True)) for scale in scales]
    assert {c["gnu"] for c in colors} == {theme.COLORS["gnu"]}
    pairs = {(theme.COLORS[b], theme.SHAPES[b]) for b in theme.COLORS}
    assert len(pairs) == len(theme.COLORS)


def test_terminal_summary_fits_a_screen_and_has_no_escapes(view: RunView) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=80, no_color=True)

    print_summary(console, view, Path("results/x/report.html"))

    text = stream.getvalue()
    assert "\x1b" not in text
    assert len(text.splitlines()) <= 40
    assert max(map(len, text.splitlines())) <= 80
    assert "results/x/report.html" in text


def test_explain_an_algorithm_gives_numbers_and_the_records(view: RunView) -> None:
    text = "\n".join(explain(view, "reduce"))

    for part in (
        "what to use",
        "Where parallel begins to pay",
        "of the probe's best",
        "samples.jsonl",
    ):
        assert part in text


@pytest.mark.parametrize("topic", ["gnu", "gnu@gcc", "likely", "memory", "no_pmu", "noise floor"])
def test_explain_knows_backends_verdicts_codes_and_terms(view: RunView, topic: str) -> None:
    lines = explain(view, topic)

    assert topic.partition("@")[0] in lines[0]
    assert len(lines) >= 2


def test_explain_names_the_nearest_topic(view: RunView) -> None:
    with pytest.raises(UsageError, match="redcue") as caught:
        explain(view, "redcue")
    assert "did you mean 'reduce'" in caught.value.remedy


def test_glossary_covers_every_code_of_the_record_format() -> None:
    page = (Path(__file__).parents[3] / "docs/reference/records.md").read_text(encoding="utf-8")
    line = next(line for line in page.splitlines() if line.startswith("| `code` of `skipped`"))
    codes = {word for word in line.split("`")[5:] if word.replace("_", "").isalpha()}
    assert len(codes) > 5
    assert codes <= set(glossary()["codes"])


def test_an_empty_folder_is_an_error_not_a_page(tmp_path: Path) -> None:
    with pytest.raises(ResultFolderError):
        load(tmp_path)


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (1.791, 1.8834, "1.79 … 1.88"),
        (0.5, 9.9, "0.500 … 9.90"),
        (1e-21, 96.1, "over 20 × wide"),
        (None, 2.0, "–"),
    ],
)
def test_intervals_that_bound_nothing_are_not_printed_as_digits(
    low: float | None, high: float | None, shown: str
) -> None:
    assert formats.ratio_interval(low, high) == shown


def test_a_bare_version_number_is_shown_with_its_tool() -> None:
    versions = {"g++": "g++ (Debian 12.2.0-14) 12.2.0", "ninja": "1.11.1", "cmake": None}

    assert machine_text._named(versions) == ["g++ (Debian 12.2.0-14) 12.2.0", "ninja 1.11.1"]


def test_names_that_differ_in_their_last_letters_stay_apart_on_a_narrow_terminal() -> None:
    heads = columns(("program", "program"), ("time", "time"), ("interval", "interval"))
    names = ("libstdcxx_tbb-gcc", "libstdcxx_tbb-clang")
    table = Table("t", "T", heads, tuple((name, "a" * 9, "b" * 9) for name in names))
    console = Console(width=30, file=io.StringIO())

    print_table(console, table)

    file = console.file
    assert isinstance(file, io.StringIO)
    lines = file.getvalue().splitlines()
    width = lines[1].index("t", len("program"))
    folded = "".join(line[:width].strip() for line in lines)
    assert names[0] in folded
    assert names[1] in folded

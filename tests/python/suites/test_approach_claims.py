# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is asked of weft's APIs: kept, missed, unknown or not measured, from summaries by hand."""

from __future__ import annotations

import math
import re
import resource
import shutil
import statistics
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from weft_lab.measuring.options import RunOptions
from weft_lab.measuring.session import Finished
from weft_lab.statistics.analysis_types import CellSummary, CounterValue, Ratio
from weft_lab.storage.cells import Cell
from weft_lab.storage.checkout import CHECKOUT, backend_infos
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.approaches import claims as approach_claims
from weft_lab.suites.approaches import compile_cost
from weft_lab.suites.approaches import findings as approaches
from weft_lab.suites.approaches.claims import Claim, at_most, claims
from weft_lab.suites.approaches.compile_cost import CompileCost
from weft_lab.suites.approaches.findings import Against
from weft_lab.suites.approaches.suite import SUITE

OUTSIDE = "schedule | then | sync_wait from outside, less the round trip of a cache line"


def summary(
    problem: str,
    backend: str,
    ns: float,
    *,
    size: int = 1000,
    threads: int = 1,
    error: float | None = 0.01,
    allocations: float | None = None,
) -> CellSummary:
    """A cell whose units take `ns` each, within a share `error` of that; None: no interval."""
    time_s = 1e-9 * ns * size
    counters = {} if allocations is None else {"allocations": CounterValue(allocations, "events")}
    return CellSummary(
        Cell("approaches", problem, size=size, threads=threads),
        backend,
        "gcc",
        f"{backend}@gcc",
        "ok",
        launches=3,
        samples_s=((time_s,) * 3,) * 3,
        time_s=time_s,
        time_low_s=None if error is None else (1 - error) * time_s,
        time_high_s=None if error is None else (1 + error) * time_s,
        counters=counters,
    )


def claim_of(text: str, unit: str, *summaries: CellSummary) -> Claim:
    (found,) = [c for c in claims(summaries, ()) if (c.text, c.unit) == (text, unit)]
    return found


def test_every_bound_is_of_a_problem_and_an_approach_that_there_are() -> None:
    bounds = {**approach_claims.TIMES_NS, **approach_claims.ALLOCATIONS}

    assert set(bounds) <= set(approaches.UNITS)
    assert {bound[0] for bound in bounds.values()} <= set(backend_infos(approaches.SUITE))


def test_without_a_run_nothing_is_kept_nor_missed() -> None:
    found = claims((), ())

    assert {c.reading for c in found} == {"not measured"}
    assert {c.measured for c in found} == {None}


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.0, 2.0, "kept"),
        (2.1, 3.0, "missed"),
        (1.0, 3.0, "cannot tell"),
        (None, 1.0, "cannot tell"),
        (3.0, None, "cannot tell"),
    ],
)
def test_a_bound_is_read_from_the_interval(
    low: float | None, high: float | None, expected: str
) -> None:
    assert at_most(2.0, low, high) == expected


@pytest.mark.parametrize(
    ("outside_ns", "error", "expected"),
    [
        (340.0, 0.01, "kept"),
        (360.0, 0.01, "missed"),
        (350.0, 0.01, "cannot tell"),
        (340.0, None, "cannot tell"),
    ],
)
def test_the_way_from_outside_is_allowed_a_round_trip_and_200_ns(
    outside_ns: float, error: float | None, expected: str
) -> None:
    outside = summary("schedule_from_outside", "weft_sender", outside_ns, error=error)
    trip = summary("round_trip", "std_thread", 150.0)

    found = claim_of(OUTSIDE, "ns", outside, trip)

    assert found.asked == 200.0
    assert found.measured == pytest.approx(outside_ns - 150.0)
    assert found.reading == expected
    assert found.where == f"{outside_ns:.0f} ns less 150 ns, 1 worker"


def test_without_a_round_trip_in_the_same_run_or_with_more_workers_nobody_knows() -> None:
    outside = summary("schedule_from_outside", "weft_sender", 300.0)
    of_two = summary("round_trip", "std_thread", 150.0, threads=2)

    assert claim_of(OUTSIDE, "ns", outside, of_two).reading == "not measured"


def test_why_a_round_trip_was_refused_is_said() -> None:
    outside = summary("schedule_from_outside", "weft_sender", 300.0)
    refused = replace(
        summary("round_trip", "std_thread", 0.0),
        status="skipped",
        time_s=None,
        code="too_few_cores",
        message="a round trip takes two cores",
    )
    elsewhere = replace(refused, backend="openmp", code="not_offered", message="no API has it")

    found = claim_of(OUTSIDE, "ns", outside, elsewhere, refused)

    assert (found.reading, found.where) == ("not measured", "a round trip takes two cores")


@pytest.mark.parametrize(
    ("outside_ns", "trip_ns", "expected"),
    [
        (2_100.0, 1_990.0, "kept"),
        (2_100.0, 2_010.0, "cannot tell"),  # of two threads that took turns on one CPU
        (400.0, 100_000.0, "cannot tell"),
        (140.0, 150.0, "cannot tell"),
    ],
)
def test_a_round_trip_that_cannot_be_true_tells_nothing(
    outside_ns: float, trip_ns: float, expected: str
) -> None:
    outside = summary("schedule_from_outside", "weft_sender", outside_ns)
    trip = summary("round_trip", "std_thread", trip_ns, error=0.001)

    found = claim_of(OUTSIDE, "ns", outside, trip)

    assert found.reading == expected
    assert found.measured == pytest.approx(outside_ns - trip_ns)


def against(approach: str, value: float, low: float, high: float) -> Against:
    ratio = Ratio(value, low, high)
    return Against(approach, "openmp", "x = 0.5", 1000, 2, ratio, approaches.spread_of(ratio))


def test_a_group_keeps_a_bound_if_each_of_it_does() -> None:
    certain = against("weft_future", 1.020, 1.010, 1.028)
    unknown = against("weft_sender", 1.015, 0.95, 1.20)
    behind = against("weft_task_group", 1.018, 1.012, 1.024)
    over = against("weft_simd", 1.040, 1.035, 1.045)

    def read(*group: Against) -> tuple[str, float | None]:
        (found,) = approach_claims.of_groups("time", [group], bound=1.03)
        return found.reading, found.measured

    assert read(certain, behind) == ("kept", 1.020)
    assert read(certain, unknown, behind) == ("cannot tell", 1.015)
    assert read(unknown, over, certain) == ("missed", 1.040)
    assert read(against("weft_sender", 1.9, 0.95, 3.0), over) == ("missed", 1.040)


def test_a_unit_is_timed_with_one_worker() -> None:
    text = approaches.UNITS["await_ready"]

    assert claim_of(text, "ns", summary("await_ready", "weft_coroutine", 4.0)).reading == "kept"
    assert claim_of(text, "ns", summary("await_ready", "weft_coroutine", 5.2)).reading == "missed"
    assert claim_of(text, "ns", summary("await_ready", "hpx_coroutine", 4.0)).measured is None


def test_a_thousand_futures_are_joined_with_one_allocation() -> None:
    text = approaches.UNITS["when_all_join"]
    one = summary("when_all_join", "weft_future", 30.0, allocations=1.0)
    two = summary("when_all_join", "weft_future", 30.0, allocations=2.0)
    unknown = summary("when_all_join", "weft_future", 30.0)

    assert claim_of(text, "calls of malloc", one).reading == "kept"
    assert claim_of(text, "calls of malloc", two).reading == "missed"
    assert claim_of(text, "calls of malloc", unknown).reading == "not measured"


def test_sums_of_all_numbers_of_threads_are_one_or_the_claim_is_missed() -> None:
    def reading(*sums: tuple[int, str]) -> tuple[float | None, str]:
        rows = [
            replace(summary("taylor_deterministic", "weft_future", 30.0, threads=threads),
                    fingerprints=(digits,))
            for threads, digits in sums
        ]  # fmt: skip
        found = claim_of("different sums in deterministic mode", "sums", *rows)
        return found.measured, found.reading

    assert reading((1, "0.5"), (2, "0.5")) == (1, "kept")
    assert reading((1, "0.5"), (2, "0.50000000000000011")) == (2, "missed")
    assert reading((1, "0.5")) == (None, "not measured")


def test_of_sums_only_those_threads_are_named_that_were_compared() -> None:
    def row(threads: int, size: int) -> CellSummary:
        made = summary("taylor_deterministic", "weft_future", 30.0, size=size, threads=threads)
        return replace(made, fingerprints=("0.5",))

    text = "different sums in deterministic mode"

    assert claim_of(text, "sums", row(1, 10), row(2, 10), row(4, 20)).where == "with 1, 2 threads"
    assert claim_of(text, "sums", row(1, 10), row(2, 20)).where == ""


def test_a_wrong_sum_is_counted() -> None:
    right = summary("taylor_fused", "weft_future", 30.0)
    wrong = replace(right, backend="weft_sender", variant="weft_sender@gcc", status="wrong")
    text = "sums off by more than 4 ulp x log2(n)"

    assert claim_of(text, "sums", right).reading == "kept"
    assert claim_of(text, "sums", right, wrong).measured == 1
    assert claim_of(text, "sums", right, wrong).reading == "missed"


def test_waits_within_one_another_work_or_do_not() -> None:
    deep = summary("nested_wait", "weft_sender", 100.0)
    text = approaches.UNITS["nested_wait"]

    assert claim_of(text, "levels", deep).reading == "kept"
    assert claim_of(text, "levels", replace(deep, status="hung")).reading == "missed"
    assert claim_of(text, "levels", summary("nested_wait", "weft_sender", 1.0, size=10)).where == ""


def test_six_apis_are_compared_where_the_series_is_longest() -> None:
    rows = [
        summary("taylor_fused", name, (1 + 0.001 * number) * 20.0, size=size)
        for size in (1000, 2000)
        for number, name in enumerate(("openmp", *approaches.APIS))
    ]

    found = [c for c in claims(rows, ()) if c.unit == "times"]

    assert len(found) == 2
    assert all("n = 2,000, 1 threads" in c.where for c in found)
    assert [c.measured for c in found] == [pytest.approx(1.006 / 1.001), pytest.approx(1.006)]


def test_compiling_has_a_time_and_a_memory() -> None:
    costs = [CompileCost("weft_sender", 0.9, 260_000_000)]
    found = {c.unit: c.reading for c in claims((), costs) if c.text.startswith("compiling")}

    assert found == {"s": "kept", "MB": "missed"}


def children_s() -> float:
    """Processor time of all that was started and has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_headers_and_algorithms_are_compiled_beside_those_of_the_standard_library() -> None:
    costs = [
        CompileCost("weft_for_each_header", 0.55),
        CompileCost("std_and_tasks_headers", 0.5),
        CompileCost("weft_five_algorithms", 3.0),
        CompileCost("std_five_algorithms", 2.0),
    ]

    def found(these: list[CompileCost]) -> list[tuple[Any, str]]:
        return [(c.measured, c.reading) for c in claims((), these) if c.unit == "of the time"]

    assert found(costs) == [(pytest.approx(1.1), "kept"), (pytest.approx(1.5), "missed")]
    assert found(costs[:3]) == [(pytest.approx(1.1), "kept"), (None, "not measured")]


@pytest.mark.timed
def test_reading_the_header_of_for_each_takes_little_more_than_the_standard_librarys() -> None:
    compiler = shutil.which("g++-12") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here")
    (ours, theirs, bound), _ = approach_claims.COMPILE_RATIOS.values()

    def parsing_s(program: str) -> float:
        begin_s = children_s()
        source = compile_cost.PROGRAMS / f"{program}.cpp"
        command = [compiler, "-std=c++20", f"-I{CHECKOUT / 'include'}", "-fsyntax-only"]
        subprocess.run([*command, str(source)], check=True)
        return children_s() - begin_s

    # a processor's speed changes more between rounds than within one
    ratios = [parsing_s(ours) / parsing_s(theirs) for _ in range(9)]

    assert statistics.median(ratios) <= bound


def preprocessed_lines(compiler: str, *headers: str) -> int:
    """What a compiler reads for a file that includes these, without empty lines and markers."""
    text = "".join(f"#include <{header}>\n" for header in headers)
    command = [compiler, "-std=c++20", f"-I{CHECKOUT / 'include'}", "-E", "-P", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout.count("\n")


@pytest.mark.parametrize("header", ["weft/algorithms/for_each.hpp", "weft/algorithms.hpp"])
def test_headers_of_algorithms_are_short_for_a_compiler(header: str) -> None:
    compiler = shutil.which("g++-12") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here")

    standard = preprocessed_lines(compiler, "algorithm", "numeric")

    assert standard < preprocessed_lines(compiler, header) <= 80_000


def test_programs_with_algorithms_of_numbers_have_little_code_of_their_own() -> None:
    compiler = shutil.which("g++-12") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here")
    source = compile_cost.PROGRAMS / "weft_ten_algorithms.cpp"
    command = [compiler, "-std=c++20", "-O2", "-S", "-o", "-", f"-I{CHECKOUT / 'include'}"]

    done = subprocess.run([*command, str(source)], check=True, capture_output=True, text=True)

    assert len(re.findall(r"^\t[a-z]", done.stdout, re.MULTILINE)) <= 6_000


def compiled(folder: Path, compiler: str, api: str) -> tuple[float, CompileCost]:
    """Compiles one program once; returns the processor time and what it cost."""
    folder.mkdir(exist_ok=True)
    shutil.copy(compile_cost.PROGRAMS / f"{api}.cpp", folder)
    begin_s = children_s()
    (cost,) = compile_cost.measure(folder, compiler, folder, budget_s=0.0)
    assert cost.reason == ""
    return children_s() - begin_s, cost


@pytest.mark.timed
def test_a_chain_of_senders_compiles_as_fast_as_one_of_std_async(tmp_path: Path) -> None:
    compiler = shutil.which("g++-12") or shutil.which("g++")
    if compiler is None:
        pytest.skip("no g++ here")
    ratios = []
    for _ in range(5):  # in turn: a busy or slow machine slows both
        ours_s, ours = compiled(tmp_path / "ours", compiler, "weft_sender")
        theirs_s, _ = compiled(tmp_path / "theirs", compiler, "std_async")
        ratios.append(ours_s / theirs_s)

    assert ours.peak_bytes is not None
    assert ours.peak_bytes <= 1e6 * approach_claims.COMPILE_MB
    assert statistics.median(ratios) <= 1.15, ratios


@pytest.mark.parametrize(("budget_s", "num_runs"), [(0.0, 1), (math.inf, compile_cost.REPEATS)])
def test_a_small_budget_compiles_every_program_once(
    tmp_path: Path, budget_s: float, num_runs: int
) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "one.cpp").write_text("int main() {}\n", encoding="utf-8")
    (programs / "two.cpp").write_text("int main() { return 1; }\n", encoding="utf-8")
    compiler = tmp_path / "compiler"
    compiler.write_text(f"#!/bin/sh\necho run >> {tmp_path}/runs\n", encoding="utf-8")
    compiler.chmod(0o755)

    costs = compile_cost.measure(tmp_path, str(compiler), programs, budget_s)

    runs = (tmp_path / "runs").read_text(encoding="utf-8").splitlines()
    assert len(runs) == 2 * num_runs
    assert [(cost.api, cost.num_runs) for cost in costs] == [("one", num_runs), ("two", num_runs)]
    assert compile_cost.read(tmp_path) == costs


def test_chosen_apis_are_compiled_and_the_empty_program(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("nothing", "openmp", "stdexec"):
        (programs / f"{name}.cpp").write_text("int main() {}\n", encoding="utf-8")

    costs = compile_cost.measure(tmp_path, "true", programs, 0.0, ["openmp", "seq"])

    assert [cost.api for cost in costs] == ["nothing", "openmp"]


def test_a_run_of_chosen_backends_compiles_only_these(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(compile_cost, "measure", lambda *_, **how: asked.append(how["apis"]))
    folder = ResultFolder(tmp_path)

    for backend in (("openmp@gcc", "weft_future"), ()):
        SUITE.after_measuring(Finished(folder, RunOptions(backend=backend), 0.0, lambda _: None))
    SUITE.after_measuring(Finished(folder, RunOptions(only=("taylor_fused",)), 0.0, print))

    assert asked == [{"openmp", "weft_future"}, set()]


def test_the_peak_of_a_compiler_is_not_that_of_who_starts_it(tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no g++ here")
    programs = tmp_path / "programs"
    programs.mkdir()
    shutil.copy(compile_cost.PROGRAMS / "nothing.cpp", programs)
    held = bytearray(300_000_000)
    held[::4096] = b"x" * len(held[::4096])  # resident

    (cost,) = compile_cost.measure(tmp_path, "g++", programs)

    assert cost.peak_bytes is not None
    assert cost.peak_bytes < 200_000_000 < resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    del held

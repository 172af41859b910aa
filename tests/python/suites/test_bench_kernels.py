# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench kernel.cpp`: what is built, tried, planned, measured and shown of a kernel."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from weft_lab.errors import MissingError, UsageError, WrongAnswerFound
from weft_lab.measuring.programs import Program, probe
from weft_lab.suites.bench import kernel_building, kernels
from weft_lab.suites.bench.asked import Asked
from weft_lab.suites.bench.asking import Line, bench
from weft_lab.suites.bench.kernel_building import Built, Kernel, Wish, does_not_compile
from weft_lab.suites.bench.results import read

BuildOf = Callable[..., Path]

# Answers as a bench program of a kernel does: `BACKEND` decides how.
PROGRAM = r"""
import json, os, sys

backend, *arguments = BACKEND, *sys.argv[1:]
if arguments[:1] == ["--variant"]:
    backend = arguments[1]
facts = {
    "record": "program", "program": "p", "suite": "bench", "backend": backend, "toolchain": "gcc",
    "compiler": "g++ 12", "flags": "-O3", "libraries": {}, "weft_version": "0.1.0",
    "git_commit": "a", "executable_bytes": 1, "pid": 1, "cpus_usable": 2, "cpus_source": "a",
    "timer_cost_s": 1e-8, "timer_resolution_s": 1e-9, "call_overhead_s": 1e-9, "environment": {},
    "problems": ["run"],
}
print(json.dumps({"schema": 1, **facts}), flush=True)
for line in sys.stdin:
    cell = json.loads(line)
    record = {"schema": 1, "record": "result", "cell": cell, "backend": backend,
              "toolchain": "gcc", "samples_s": []}
    time_s = 1e-9 * cell["size"] * {"seq": 4, "fast": 1, "weft": 2}.get(backend, 3)
    if backend == "planted":  # a quarter of it is serial
        with open(f"{__file__}-{cell['threads']}", "a+") as turns:
            turns.write("+")
        turn = os.path.getsize(turns.name)
        time_s *= (1 + 0.02 * (turn * 7 % 11 - 5) / 5) * (0.25 + 0.75 / cell["threads"])
    if backend == "lame" or (backend, cell["size"] > 1000) == ("serial_below", True):
        record |= {"status": "skipped", "code": "not_offered", "message": f"{backend} has no sort",
                   "remedy": ""}
    elif backend == "wrong":
        record |= {"status": "wrong", "message": "3, expected 4"}
    elif backend == "throws":
        record |= {"status": "error", "field": None, "message": "run threw: it is full"}
    else:
        record |= {"status": "ok", "samples_s": [time_s] * 3, "calls_per_sample": 10,
                   "warmup_calls": 1, "phase_s": 1e-3, "first_call_s": 1e-3,
                   "statistic": "median", "statistic_s": time_s, "elements": cell["size"],
                   "bytes_min": 16 * cell["size"], "operations": 2.0 * cell["size"],
                   "oversubscribed": False,
                   "parallelism": {"cpu_over_wall": 1, "threads_active": 1, "sequential": None},
                   "counters": [], "resources": {"peak_rss_bytes": 1, "rss_growth_bytes": 0}}
    record |= {"started_unix_s": 1.0, "verify_s": 0.0, "setup_s": 0.0, "probe_s": 0.0,
               "wall_s": 0.0}
    print(json.dumps(record), flush=True)
"""


# The probe of a machine whose memory gives 20 GB/s, and whose threads do 40 Gop/s.
BANDWIDTH = r"""
import json, sys

facts = {"record": "program", "suite": "machine", "backend": "bandwidth", "toolchain": "gcc",
         "compiler": "g++ 12", "flags": "-O3", "executable_bytes": 1,
         "problems": ["read", "multiply_add"]}
print(json.dumps({"schema": 1, **facts}), flush=True)
for line in sys.stdin:
    cell = json.loads(line)
    record = {"schema": 1, "record": "result", "suite": "machine", "cell": cell, "status": "ok",
              "calls_per_sample": 1, "warmup_calls": 1, "wall_s": 0.0, "samples_s": [1e-3] * 5}
    rate = {"operations": 4e7, "bytes_min": 0} if cell["problem"] == "multiply_add" else {}
    print(json.dumps({**record, "bytes_min": 2e7, **rate}), flush=True)
"""


def bandwidth(folder: Path) -> Program:
    path = folder / "weft_bandwidth"
    path.write_text(f"#!{sys.executable}\n{BANDWIDTH}", encoding="utf-8")
    path.chmod(0o755)
    found = probe(path)
    assert isinstance(found, Program), found
    return found


def program(folder: Path, backend: str) -> Kernel:
    path = folder / f"weft_kernel_{backend}"
    text = PROGRAM.replace("BACKEND", repr(backend), 1)
    path.write_text(f"#!{sys.executable}\n{text}", encoding="utf-8")
    path.chmod(0o755)
    found = probe(path)
    assert isinstance(found, Program), found
    return Kernel(backend, found)


@pytest.fixture
def build_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> BuildOf:
    """Makes `bench` find these backends built."""

    def prepare(*backends: str) -> Path:
        source = tmp_path / "kernel.cpp"
        source.write_text("int main() {}", encoding="utf-8")
        made = [program(tmp_path, name) for name in backends]
        probe_of_machine = bandwidth(tmp_path)

        def build(wish: Wish, progress: object) -> Built:
            return Built(list(made), bandwidth=probe_of_machine)

        monkeypatch.setattr(kernels, "build", build)
        return source

    return prepare


def line(source: Path, **options: object) -> Line:
    chosen: dict[str, Any] = {
        "rounds": 3,
        "budget": "30s",
        "results": source.parent / "results",
        **options,
    }
    return Line((str(source),), **chosen)


def newest(source: Path) -> Path:
    return (source.parent / "results" / "latest").resolve()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("kernel.cpp",), True),
        (("a/b.cc",), True),
        (("./program",), False),
        (("cat", "kernel.cpp"), False),
        ((), False),
    ],
)
def test_one_source_is_a_kernel_and_all_else_a_command(
    words: Sequence[str], expected: bool
) -> None:
    assert kernels.is_kernel(words) is expected


def test_page_names_the_fastest_backend_and_its_rate(
    build_of: BuildOf, capsys: pytest.CaptureFixture[str]
) -> None:
    source = build_of("weft", "fast", "seq")

    bench(line(source, param=("n=1000,100000",), threads=("1,2",)))

    run = read(newest(source))
    assert run.asked.contestants[0].name == "seq"
    assert run.asked.serial == ("seq",)
    assert run.asked.num_cells == len(run.timed) == 2 * (1 + 2 + 2)
    assert {d.backend for d in run.view.decisions} == {"fast"}
    row = next(row for row in run.timed if row.name == "weft")
    assert row.metrics["memory rate"].value == pytest.approx(16 / 2)
    shown = capsys.readouterr().out
    assert "use fast with 1 thread" in shown
    assert "a call" in shown
    assert "memory" in shown
    page = (newest(source) / "report.html").read_text(encoding="utf-8")
    assert "Which backend should kernel.cpp use?" in page
    assert "g++ 12 -O3" in page


def test_page_has_the_roofline_position_where_bytes_and_operations_are_known(
    build_of: BuildOf, capsys: pytest.CaptureFixture[str]
) -> None:
    source = build_of("seq", "weft")

    bench(line(source, param=("n=100000000",), threads=("1",)))

    told = (
        "Roofline: at n = 100000000 weft with 1 thread moves 8.00 GB/s, 40 % of the 20.0 GB/s that "
        "memory gives 1 thread: memory-bound at 0.125 operations per byte."
    )
    # The terminal breaks lines.
    assert told in " ".join(capsys.readouterr().out.split())
    folder = newest(source)
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    assert told in markdown
    assert "## How near to the machine's roofs" in markdown
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "roof of 1 thread" in page  # within the drawing
    assert (folder / "figures" / "bench_roofline.svg").is_file()
    rows = json.loads((folder / "summary.json").read_text())["bench_roofline"]
    assert [(row["program"], row["share"]) for row in rows] == [
        ("weft", pytest.approx(0.4)), ("seq", pytest.approx(0.2)),
    ]  # fmt: skip


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="a curve needs two CPUs")
def test_kernel_with_a_known_serial_part_gets_it_inside_its_interval(build_of: BuildOf) -> None:
    source = build_of("seq", "planted")

    bench(line(source, param=("n=100000",), threads=("1,2",), rounds=15, budget="60s"))

    (row,) = json.loads((newest(source) / "summary.json").read_text())["bench_scaling"]
    assert row["program"] == "planted"
    assert row["serial_low"] <= 0.25 <= row["serial_high"]
    assert row["serial_high"] - row["serial_low"] < 0.1


def test_backend_that_lacks_an_operation_is_left_out_with_the_reason(
    build_of: BuildOf, capsys: pytest.CaptureFixture[str]
) -> None:
    source = build_of("seq", "lame")

    bench(line(source, param=("n=1000",)))

    run = read(newest(source))
    assert run.asked.left_out == (("lame", "has no sort"),)
    assert [each.name for each in run.asked.contestants] == ["seq"]
    assert "has no sort" in capsys.readouterr().out


def test_what_is_lacking_at_larger_sizes_only_is_named_and_is_no_failure(
    build_of: BuildOf, capsys: pytest.CaptureFixture[str]
) -> None:
    source = build_of("seq", "serial_below")

    bench(line(source, param=("n=1000,2000,4000",), threads=("1",)))

    run = read(newest(source))
    assert [row.cell.size for row in run.timed if row.name == "serial_below"] == [1000]
    left_out = json.loads((newest(source) / "summary.json").read_text())["bench_left_out"]
    reason = "has no sort (at n = 2000, 4000)"
    assert left_out == [{"program": "serial_below", "reason": reason}]
    assert reason in capsys.readouterr().out


@pytest.mark.parametrize(
    ("backend", "message"), [("wrong", "3, expected 4"), ("throws", "it is full")]
)
def test_wrong_and_throwing_ones_are_named_and_not_timed(
    build_of: BuildOf, backend: str, message: str
) -> None:
    source = build_of("seq", backend)

    with pytest.raises(WrongAnswerFound, match=message):
        bench(line(source, param=("n=1000",), threads=("1",)))

    run = read(newest(source))
    assert [row.name for row in run.timed] == ["seq"]
    failed = json.loads((newest(source) / "summary.json").read_text())["bench_failures"]
    assert [(row["program"], row["message"][-len(message) :]) for row in failed] == [
        (backend, message)
    ]


@pytest.mark.parametrize(
    ("wished", "remedy"),
    [
        ("seq@g++", "type --backend seq@gcc"),
        ("weft@clang++", "type --backend weft@clang"),
        ("all@icx", "type --backend all@gcc"),
    ],
)
def test_an_unknown_compiler_is_refused_with_the_name_that_works(
    tmp_path: Path, wished: str, remedy: str
) -> None:
    with pytest.raises(UsageError, match="known are gcc, clang, nvcxx") as caught:
        Wish(tmp_path / "kernel.cpp", (wished,)).check()

    assert caught.value.remedy == remedy


def test_a_compiler_that_is_not_installed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(MissingError, match=r"clang\+\+-19 is not there"):
        kernel_building.build(Wish(tmp_path / "kernel.cpp", ("seq@clang",)), lambda *_: None)


def test_a_main_that_does_not_run_the_kernel_is_told_what_to_return(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text("int main() {}", encoding="utf-8")
    path = tmp_path / "weft_kernel_seq"
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    skip = probe(path)
    assert not isinstance(skip, Program)
    monkeypatch.setattr(kernels, "build", lambda *_: Built(left_out={"seq": skip.message}))

    with pytest.raises(UsageError) as caught:
        bench(line(source))

    assert caught.value.remedy.startswith("let main return weft::bench::run(argc, argv")


def test_nothing_that_can_run_is_an_error(build_of: BuildOf) -> None:
    source = build_of("lame")

    with pytest.raises(UsageError, match=r"no backend can run .*lame has no sort"):
        bench(line(source))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"param": ("k=1,2",)}, "one parameter, n"),
        ({"param": ("n=1,2", "k=3")}, "one parameter, n"),
        ({"param": ("n=0",)}, "one parameter, n"),
        ({"metric": ("x: (.)",)}, "--metric is of commands"),
        ({"warmup": 1}, "--warmup is of commands"),
    ],
)
def test_options_of_commands_are_refused(
    build_of: BuildOf, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        bench(line(build_of("seq"), **options))


def build_folder(tmp_path: Path, *benches: str) -> Path:
    """As CMake's `weft_add_bench` leaves it; of `gnu` nothing is built."""
    made = [program(tmp_path, backend) for backend in ("seq", "fast")]
    lines = [f"{each.name} {each.program.path}\n" for each in made]
    folder = tmp_path / "build"
    for name in benches:
        (folder / name).mkdir(parents=True)
        text = "".join([*lines, f"gnu {folder}/none\n"])
        (folder / name / f"{name}.weft_bench").write_text(text, encoding="utf-8")
    return folder


def test_bench_of_another_project_is_found_in_its_build_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = build_folder(tmp_path, "sum", "sort")
    results = tmp_path / "results"

    bench(Line(("sum",), build_dir=folder, rounds=2, results=results, param=("n=1000",)))

    run = read((results / "latest").resolve())
    assert [each.name for each in run.asked.contestants] == ["seq", "fast"]
    assert run.asked.kernel == "sum"
    assert run.asked.left_out == (("gnu", f"is not built: cmake --build {folder}"),)
    assert "use fast" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "benches", "message"),
    [
        ((), ("sum", "sort"), r"holds 2 benches.*sort, sum.*--build-dir .* sort"),
        (("sums",), ("sum",), r"holds no bench 'sums'.*there are sum"),
        ((), (), r"holds no bench.*weft_add_bench"),
        (("sum", "sort"), ("sum",), r"'sort' is one kernel too many"),
    ],
)
def test_build_folder_without_the_one_bench_says_what_there_is(
    tmp_path: Path, words: tuple[str, ...], benches: tuple[str, ...], message: str
) -> None:
    folder = build_folder(tmp_path, *benches)
    folder.mkdir(exist_ok=True)

    with pytest.raises(UsageError, match=f"(?s){message}"):
        bench(Line(words, build_dir=folder, results=tmp_path / "results"))


def test_backends_are_of_kernels_only(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--backend is of a kernel"):
        bench(Line(("true",), backend=("weft",), results=tmp_path))


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot compile .*none\.cpp"):
        bench(line(tmp_path / "none.cpp"))


@pytest.mark.parametrize(
    ("chosen", "gcc", "clang"),
    [
        ((), True, True),
        (("weft",), True, True),
        (("weft@gcc",), True, False),
        (("all@clang",), False, True),
        (("seq",), False, False),
    ],
)
def test_names_of_backends_may_name_a_compiler(
    chosen: tuple[str, ...], gcc: bool, clang: bool
) -> None:
    wish = Wish(Path("/a/kernel.cpp"), chosen)

    wish.check()
    assert (wish.takes("weft", "gcc"), wish.takes("weft", "clang")) == (gcc, clang)


def test_unknown_backend_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(UsageError, match=r"'tbb' is no backend of a kernel.*onetbb"):
        Wish(Path("/a/kernel.cpp"), ("tbb",)).check()


def test_files_of_one_name_have_programs_of_their_own() -> None:
    targets = {Wish(Path(f"/{folder}/My kernel.cpp"), ()).target for folder in "ab"}

    assert len(targets) == 2
    assert all(target.startswith("weft_kernel_my_kernel_") for target in targets)


def test_first_error_is_told_with_the_line_of_the_users_file() -> None:
    own = "/a/kernel.cpp:7:12: error: 'x' was not declared\n"
    deep = [
        "/usr/include/stl.h: In instantiation of 'void f()':\n",
        "/a/kernel.cpp:9:3:   required from here\n",
        "/usr/include/stl.h:5:1: error: no match for 'operator<'\n",
        "/a/kernel.cpp:20:1: error: another\n",
    ]
    source = Path("/a/kernel.cpp")

    assert "kernel.cpp:7:12: error: 'x' was not declared" in str(does_not_compile(source, [own]))
    assert "kernel.cpp:9: /usr/include/stl.h:5:1: error: no match" in str(
        does_not_compile(source, deep)
    )


def test_what_was_asked_survives_the_manifest() -> None:
    made = Asked(
        (), (1, 2), (("n", ("8",)),), kernel="k.cpp", serial=("seq",), left_out=(("gnu", "why"),)
    )

    assert Asked.from_dict(json.loads(json.dumps(made.to_dict()))) == made


KERNEL = """
#include <cstddef>
#include <vector>
#include <weft/bench.hpp>

int main(int argc, char** argv) {
  return weft::bench::run(argc, argv, [](std::size_t n) { return std::vector<float>(n, 2.5F); },
                          [](auto& on, auto& in) { on.sort(in.begin(), in.end()); },
                          weft::bench::variant("planted", [](auto& in) { in.front() = 0; }));
}
"""


@pytest.mark.long
def test_real_kernel_is_compiled_and_its_planted_variant_refused(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text(KERNEL, encoding="utf-8")
    backends = ("seq@gcc", "openmp@gcc", "variants@gcc")

    with pytest.raises(WrongAnswerFound, match="planted"):
        bench(line(source, backend=backends, param=("n=100",), threads=("1",), rounds=2))

    run = read(newest(source))
    assert [row.name for row in run.timed] == ["seq"]
    assert ("openmp", "has no sort") in run.asked.left_out


@pytest.mark.long
def test_real_mistake_is_told_with_its_line(tmp_path: Path) -> None:
    source = tmp_path / "kernel.cpp"
    source.write_text(KERNEL.replace("in.begin()", "in.begn()"), encoding="utf-8")

    with pytest.raises(UsageError, match=r"'kernel\.cpp' does not compile.*kernel\.cpp:8:.*begn"):
        bench(line(source, backend=("seq@gcc",)))

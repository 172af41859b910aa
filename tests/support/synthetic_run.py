# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a result folder like a real run's: seeded, with noise, wrong answers and crashes."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Record = dict[str, Any]

BYTES_PER_S_ONE_THREAD = 11e9
BYTES_PER_S_ALL_THREADS = 19e9


@dataclass(frozen=True)
class Peer:
    """How a backend behaves: start cost, its sequential cut-off and its speed relative to `seq`."""

    overhead_s: float
    parallel_from: int = 1
    rate: float = 1.0
    missing: tuple[str, ...] = ()
    executable_bytes: int = 1 << 20


@dataclass(frozen=True)
class Problem:
    """What a case costs: seconds per element on one thread, and the bytes it must move."""

    name: str
    element_s: float
    bytes_per_element: float
    params: dict[str, int] = field(default_factory=dict)
    log_factor: bool = False

    @property
    def label(self) -> str:
        return " ".join([self.name, *(f"{key}={value}" for key, value in self.params.items())])


PEERS: dict[str, Peer] = {
    "seq": Peer(0.0, executable_bytes=412_000),
    "gnu": Peer(3e-6, 1 << 10, 1.0, ("inclusive_scan", "copy", "copy_if"), 640_000),
    "libstdcxx_tbb": Peer(6e-6, 1 << 3, 0.97, (), 1_850_000),
    "onetbb": Peer(5e-6, 1 << 3, 1.03, ("find", "copy_if", "merge"), 1_420_000),
    "onedpl_tbb": Peer(7e-6, 1 << 9, 0.98, (), 2_050_000),
    "onedpl_omp": Peer(2.5e-6, 1 << 9, 0.95, (), 1_710_000),
    "openmp": Peer(1.5e-6, 1, 1.05, ("sort", "merge", "copy_if"), 530_000),
    "thrust_omp": Peer(4e-6, 1 << 3, 0.8, (), 3_300_000),
}

PROBLEMS: tuple[Problem, ...] = (
    Problem("find", 0.32e-9, 4),
    Problem("for_each", 1.4e-9, 16, {"k_it": 1}),
    Problem("for_each", 1.1e-6, 16, {"k_it": 1000}),
    Problem("inclusive_scan", 0.9e-9, 16),
    Problem("reduce", 0.8e-9, 8),
    Problem("sort", 5.2e-9, 16, {}, log_factor=True),
    Problem("copy", 0.5e-9, 16),
    Problem("copy_if", 1.3e-9, 14),
    Problem("transform", 0.7e-9, 24),
    Problem("merge", 3.1e-9, 16),
)


@dataclass(frozen=True)
class Shape:
    """Which cells the run has. The defaults give about a thousand cells."""

    exponents: tuple[int, ...] = (3, 5, 7, 9, 11, 13, 15, 16, 17, 18, 20, 22, 24)
    threads: tuple[int, ...] = (1, 2, 4)
    backends: tuple[str, ...] = tuple(PEERS)
    problems: tuple[Problem, ...] = PROBLEMS
    types: tuple[str, ...] = ("double",)
    launches: int = 5
    samples: int = 20
    is_all_wrong: bool = False
    has_accidents: bool = True
    has_allocators: bool = True
    has_counters: bool = False
    cpus: int = 4
    cpu_model: str = "Synthetic CPU 4000"
    seed: int = 1


ONE_PROBLEM = tuple(problem for problem in PROBLEMS if problem.name == "reduce")
TWO_PROBLEMS = tuple(problem for problem in PROBLEMS if problem.name in ("reduce", "sort"))
FEW = ("seq", "gnu", "openmp")

# Runs that a report must survive.
UNUSUAL: dict[str, Shape] = {
    "empty": Shape(exponents=(), problems=(), has_accidents=False),
    "only_seq": Shape(exponents=(3, 12), backends=("seq",), problems=TWO_PROBLEMS, launches=3),
    "all_wrong": Shape(exponents=(3, 12), backends=FEW, problems=ONE_PROBLEM, is_all_wrong=True),
    "one_size": Shape(exponents=(16,), backends=FEW, problems=ONE_PROBLEM, launches=2, samples=5),
    "one_cpu": Shape(
        exponents=(3, 12), threads=(1,), cpus=1, backends=FEW, problems=ONE_PROBLEM, launches=3
    ),
    "one_launch": Shape(exponents=(3, 12), backends=FEW, problems=ONE_PROBLEM, launches=1),
    "two_types": Shape(
        exponents=(3, 14), backends=FEW, problems=ONE_PROBLEM, types=("double", "float"), launches=3
    ),
    "counted": Shape(
        exponents=(3, 14), backends=FEW, problems=ONE_PROBLEM, launches=3, has_counters=True
    ),
}


def write_run(folder: Path, shape: Shape = Shape()) -> Path:
    """Fills `folder` with samples.jsonl, manifest.json and skipped.json, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps(record, separators=(",", ":")) for record in _records(shape)]
    (folder / "samples.jsonl").write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(manifest(shape), indent=1), encoding="utf-8")
    (folder / "skipped.json").write_text(json.dumps(_skipped(shape), indent=1), encoding="utf-8")
    return folder


def true_time_s(problem: Problem, backend: str, size: int, threads: int) -> float:
    """Seconds per call without noise: start cost, then the slower of arithmetic and memory."""
    peer = PEERS[backend]
    workers = threads if size >= peer.parallel_from and backend != "seq" else 1
    work = size * problem.element_s / peer.rate
    if problem.log_factor:
        work *= max(1.0, math.log2(size)) / 4
    share = min(1.0, math.log2(max(workers, 1)) / 2 + 0.0) if workers > 1 else 0.0
    rate = BYTES_PER_S_ONE_THREAD + share * (BYTES_PER_S_ALL_THREADS - BYTES_PER_S_ONE_THREAD)
    in_cache = 3.0 if size * 8 < 1 << 20 else 1.0
    memory = size * problem.bytes_per_element / (rate * in_cache)
    start = peer.overhead_s * math.log2(workers + 1) if workers > 1 else 2e-9
    return start + max(work / workers, memory)


def _records(shape: Shape) -> Iterator[Record]:
    generator = random.Random(shape.seed)
    cells = list(_cells(shape))
    for backend in shape.backends:
        yield _program(backend, 0, shape)
    for launch in range(1, shape.launches + 1):
        for backend in shape.backends:
            generator.shuffle(cells)
            for problem, cell in cells:
                for variant in _variants(backend, cell):
                    yield from _result(
                        shape, generator, (problem, cell), (backend, variant, launch)
                    )


def _variants(backend: str, cell: Record) -> list[str]:
    if backend != "seq":
        return [f"{backend}@gcc"]
    return ["seq@gcc", "seq@gcc#control"] if cell["allocator"] == "default" else ["seq@gcc"]


def _cells(shape: Shape) -> Iterator[tuple[Problem, Record]]:
    top = max(shape.exponents, default=3)
    for element_type in shape.types:
        for problem in shape.problems:
            for exponent in shape.exponents:
                counts = shape.threads if exponent == top else (1, max(shape.threads))
                for threads in dict.fromkeys(counts):
                    yield problem, _cell(problem, element_type, 1 << exponent, threads, "default")
            if shape.has_allocators:
                yield (
                    problem,
                    _cell(problem, element_type, 1 << top, max(shape.threads), "first_touch"),
                )


def _cell(problem: Problem, element_type: str, size: int, threads: int, allocator: str) -> Record:
    key = f"stl/{problem.label}/{element_type}/{size}/{threads}/{allocator}/none/on"
    return {
        "id": key,
        "problem": problem.name,
        "type": element_type,
        "size": size,
        "threads": threads,
        "allocator": allocator,
        "placement": "none",
        "smt": "on",
        "params": problem.params,
        "seed": 42,
        "protocol": "robust",
    }


def _result(
    shape: Shape, generator: random.Random, what: tuple[Problem, Record], who: tuple[str, str, int]
) -> Iterator[Record]:
    problem, cell = what
    backend, variant, launch = who
    if backend == "seq" and cell["threads"] != 1:
        return
    status, extra = _fate(shape, backend, problem, cell)
    if status == "skipped" and launch > 1:
        return
    record: Record = {
        "schema": 1,
        "record": "result",
        "suite": "stl",
        "cell": cell,
        "backend": backend,
        "toolchain": "gcc",
        "variant": variant,
        "launch": launch,
        "round": launch,
        "run_id": "synthetic",
        "status": status,
        "samples_s": [],
        "elements": cell["size"],
        "bytes_min": int(cell["size"] * problem.bytes_per_element),
        "statistic": "median",
        **extra,
    }
    if status == "ok":
        record |= _measured(shape, generator, what, backend)
    yield record


def _measured(
    shape: Shape, generator: random.Random, what: tuple[Problem, Record], backend: str
) -> Record:
    problem, cell = what
    size, threads = cell["size"], cell["threads"]
    centre = true_time_s(problem, backend, size, threads)
    if cell["allocator"] == "first_touch" and threads > 1:
        centre *= (
            0.8 if problem.name in ("for_each", "reduce") and problem.element_s < 1e-7 else 1.06
        )
    centre *= generator.lognormvariate(0.0, 0.008)
    samples = [centre * generator.lognormvariate(0.002, 0.02) for _ in range(shape.samples)]
    if generator.random() < 0.2:
        samples[-1] *= 1.8
    is_parallel = backend != "seq" and size >= PEERS[backend].parallel_from and threads > 1
    median = sorted(samples)[len(samples) // 2]
    return {
        "samples_s": [float(f"{sample:.6g}") for sample in samples],
        "calls_per_sample": max(1, int(2e-6 / centre)),
        "warmup_calls": 3,
        "first_call_s": centre * 2,
        "statistic_s": median,
        "oversubscribed": threads > shape.cpus,
        "parallelism": {
            "cpu_over_wall": threads * 0.97 if is_parallel else 1.0,
            "threads_active": threads if is_parallel else 1,
            "sequential": (not is_parallel) if threads > 1 else False,
        },
        "counters": _counters(shape, size, median, threads),
        "resources": {"peak_rss_bytes": 30_000_000 + 16 * size, "rss_growth_bytes": 4096},
        "started_unix_s": 1_790_000_000.0,
        "verify_s": 0.01,
        "setup_s": 0.02,
        "wall_s": 0.05,
    }


def _counters(shape: Shape, size: int, median_s: float, threads: int) -> list[Record]:
    names = ("instructions", "fp_scalar", "fp_128", "fp_256", "memory_read", "memory_written")
    values = (size * 6.0, size * 1.0, 0.0, size * 0.25, size * 8.0, size * 8.0)
    counters = [{"name": "cpu_time", "unit": "s", "value": median_s * threads, "per": "call"}]
    for name, value in zip(names, values, strict=True):
        counter: Record = {
            "name": name,
            "unit": "bytes" if name.startswith("memory") else "events",
            "per": "call",
        }
        counter |= (
            {"value": value}
            if shape.has_counters
            else {"value": None, "reason": "no hardware counters in this guest"}
        )
        counters.append(counter)
    return counters


def _fate(shape: Shape, backend: str, problem: Problem, cell: Record) -> tuple[str, Record]:
    """What becomes of a cell: measured, wrong, crashed, or skipped with code and remedy."""
    if problem.name in PEERS[backend].missing:
        return "skipped", {
            "code": "not_offered",
            "message": f"{backend} has no {problem.name}",
            "remedy": "use another backend for it; ./weft list shows who offers what",
        }
    is_top = cell["size"] == 1 << max(shape.exponents)
    if shape.is_all_wrong:
        return "wrong", {"message": "element 17 is 3, expected 4"}
    if shape.has_accidents and is_top and cell["threads"] > 1:
        if (backend, problem.name) == ("thrust_omp", "inclusive_scan"):
            return "wrong", {"message": "element 4097 is 8390657, expected 8394754"}
        if (backend, problem.name) == ("onedpl_omp", "merge"):
            return "crashed", {
                "message": "signal 11 (segmentation fault)",
                "code": "crashed",
                "remedy": "run it by hand: ./weft run --only merge --backend onedpl_omp",
            }
    return "ok", {}


def _program(backend: str, launch: int, shape: Shape) -> Record:
    return {
        "schema": 1,
        "record": "program",
        "program": f"weft_stl_{backend}",
        "suite": "stl",
        "backend": backend,
        "toolchain": "gcc",
        "compiler": "g++ 12.2.0",
        "flags": "-O3 -march=native" + ("" if backend == "seq" else " -fopenmp"),
        "libraries": {} if backend == "seq" else {"libgomp": "201511"},
        "weft_version": "0.1.0",
        "git_commit": "abc1234",
        "executable_bytes": PEERS[backend].executable_bytes,
        "pid": 4000 + launch,
        "cpus_usable": shape.cpus,
        "cpus_source": "affinity mask",
        "timer_cost_s": 2.1e-8,
        "timer_resolution_s": 1e-9,
        "call_overhead_s": 1.2e-9,
        "environment": {"OMP_WAIT_POLICY": "passive", "OMP_NUM_THREADS": None},
        "problems": [problem.name for problem in shape.problems],
        "variant": f"{backend}@gcc",
        "launch": launch,
        "run_id": "synthetic",
    }


def _skipped(shape: Shape) -> Record:
    skips = [
        {
            "code": "missing_library",
            "message": "HPX was not found",
            "remedy": "set WEFT_HPX_DIR, or: spack install hpx",
            "suite": "stl",
            "label": None,
            "type": None,
            "size": None,
            "variant": "hpx@gcc",
            "count": 90,
        },
        {
            "code": "memory",
            "message": "2^30 doubles need 16 GiB, 7 GiB are free",
            "remedy": "choose --size 2^28",
            "suite": "stl",
            "label": "sort",
            "type": "double",
            "size": 1 << 30,
            "variant": None,
            "count": 8,
        },
    ]
    return {"schema": 1, "skipped": skips if shape.has_accidents else []}


def manifest(shape: Shape) -> Record:
    """The run's description, with the fields a real run writes."""
    programs = {f"{b}@gcc": _program(b, 0, shape) for b in shape.backends}
    return {
        "schema": 1,
        "run_id": "2026-01-02T030405-synthetic",
        "status": "complete",
        "weft_version": "0.1.0",
        "started_unix_s": 1_767_323_045.0,
        "finished_unix_s": 1_767_323_600.0,
        "measured_s": 540.0,
        "rounds": shape.launches,
        "command": ["./weft", "report"],
        "num_wrong": 0,
        "options": {
            "tier": "default",
            "budget_s": None,
            "suite": ["stl"],
            "seed": shape.seed,
            "protocol": "robust",
        },
        "machine": {
            "host": "synthetic",
            "kernel": "6.1.0",
            "architecture": "x86_64",
            "cpus_usable": shape.cpus,
            "memory_available_bytes": 8 << 30,
            "last_level_cache_bytes": 32 << 20,
            "load_average_1min": 0.12,
            "details": _details(shape),
            "details_missing": None,
        },
        "software": {
            "compilers": {"g++": "g++ (Debian 12.2.0-14) 12.2.0", "clang++-19": None},
            "python": "3.11.2",
            "packages": {"altair": "6.3.0"},
            "git": {"commit": "abc1234", "is_dirty": False},
            "environment": {},
        },
        "programs": programs,
        "bandwidth": _bandwidth(shape),
    }


def _bandwidth(shape: Shape) -> list[Record]:
    """The probe's triad with one thread and, where there are more CPUs, with all."""
    rates = {1: BYTES_PER_S_ONE_THREAD, shape.cpus: BYTES_PER_S_ALL_THREADS}
    if shape.cpus == 1:
        rates = {1: BYTES_PER_S_ONE_THREAD}
    return [
        {"problem": "triad", "threads": threads, "bytes_per_s": rate, "size": 1 << 24}
        for threads, rate in rates.items()
    ]


def _details(shape: Shape) -> Record:
    """As the program weft_machine describes a machine."""
    threads = list(range(shape.cpus))
    return {
        "schema": 1,
        "record": "machine",
        "cpu": {
            "cpu_model": shape.cpu_model,
            "cpu_mhz": 2400.0,
            "frequency_max_mhz": None,
            "governor": {"value": None, "reason": "the kernel shows no cpufreq"},
            "hypervisor": True,
        },
        "topology": {
            "packages": [0],
            "cores": [{"hardware_threads": [number], "kind": None} for number in threads],
            "hardware_threads": threads,
            "numa_nodes": [{"id": 0, "hardware_threads": threads}],
        },
        "limits": {"quota_cpus": {"value": None, "reason": "unlimited"}},
        "system": {"steal_fraction": 0.0, "perf_event_paranoid": 2},
    }

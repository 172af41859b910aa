# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a result folder of each suite whose content never changes, of a made-up machine."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from approaches_run import whole_run, write_approaches_run
from inncabs_run import FIB, write_inncabs_run
from synthetic_run import TWO_PROBLEMS, Shape, manifest, write_run

Record = dict[str, Any]
HERE = Path(__file__).resolve().parent
MPI = "openmpi-4.1.4"
ROUNDS = 3
SIZES = ",".join(str(1 << exponent) for exponent in range(0, 27, 2))
TIMES = ("--min-samples", "5")
# Job, transport, ranks, arguments of the program of message passing.
MPI_JOBS: tuple[tuple[str, str, int, tuple[str, ...]], ...] = (
    ("pingpong hot", "shm", 2, ("pingpong", "--sizes", SIZES)),
    ("pingpong hot", "tcp", 2, ("pingpong", "--sizes", SIZES)),
    ("pingpong cold", "shm", 2, ("pingpong", "--cache", "cold", "--sizes", SIZES)),
    ("pingpong loggp", "shm", 2, ("pingpong", "--mode", "loggp", "--sizes", "1,64,1024,4096")),
    ("pingpong pairs", "shm", 2, ("pingpong", "--mode", "pairs", "--sizes", "1,4194304")),
    *((f"ring {ranks}", "shm", ranks, ("ring",)) for ranks in (1, 2, 3, 4)),
    *(
        (
            f"sum3d 240x100x100 on {grid} a={a}",
            "shm",
            2,
            ("sum3d", "--size", "240,100,100", "--topology", grid.replace("x", ","), "--a", a),
        )
        for grid in ("2x1x1", "1x1x2")
        for a in ("0", "1")
    ),
    *(
        (
            f"sum3d late root{', barrier' if barrier == 'yes' else ''}",
            "shm",
            2,
            ("sum3d", "--size", "240,100,100", "--fresh", "yes", "--barrier", barrier),
        )
        for barrier in ("no", "yes")
    ),
    *((f"bandwidth {ranks}", "shm", ranks, ("bandwidth",)) for ranks in (1, 2)),
    *(
        (
            f"jacobi {grid}",
            "shm",
            ranks,
            ("jacobi", "--size", "192", "--topology", grid.replace("x", ",")),
        )
        for ranks, grid in ((1, "1x1x1"), (2, "2x1x1"), (2, "1x1x2"))
    ),
    ("pack 1", "shm", 1, ("pack", "--size", "192,192,192")),
)
CUBE = ("--halo", "3", "--fields", "3", "--dims", "2,1,1", "--periodic")
SMALL = ("--halo", "1", "--fields", "1", "--dims", "2,1,1", "--periodic")
# Problem, label, ranks, whether they share CPUs, arguments of the program of halos.
HALO_JOBS: tuple[tuple[str, str, int, bool, tuple[str, ...]], ...] = (
    ("paper", "250³ 2x1x1", 2, False, ("exchange", "--size", "250", *CUBE)),
    ("paper", "64³, 16³", 2, False, ("exchange", "--size", "64", *CUBE)),
    ("sweep", "sweep 2", 2, False, ("exchange", "--size", "4", *SMALL)),
    ("sweep", "sweep 2", 2, False, ("exchange", "--size", "16", *SMALL)),
    ("steps", "steps 2x1x1", 2, False, ("steps", "--size", "250", *CUBE)),
    ("overlap", "overlap", 2, False, ("overlap", "--size", "64", *CUBE)),
    *(
        ("weak", f"weak {ranks}", ranks, ranks > 2, ("exchange", "--size", "64", *CUBE[:4]))
        for ranks in (1, 2, 4)
    ),
    ("fig6", "fig6 4x2x2", 16, True, ("steps", "--size", "64", *CUBE[:4], "--dims", "4,2,2")),
    ("fig7", "fig7 2x2x2", 8, True, ("steps", "--size", "64", *CUBE[:4], "--dims", "2,2,2")),
)

# Problem, transport, ranks, arguments of the program of calls.
CALLS_JOBS: tuple[tuple[str, str, int, tuple[str, ...]], ...] = (
    *(
        (problem, transport, 2, ())
        for problem in (
            *("round_trip", "busy_round_trip", "post_rate", "collective"),
            *("gups", "heat", "uts"),
        )
        for transport in ("shm", "tcp")
    ),
    ("bandwidth", "shm", 2, ("--sizes", "8,65536,1048576")),
    ("bandwidth", "tcp", 2, ("--sizes", "8,65536,1048576")),
    ("idle", "shm", 2, ()),
    ("memory", "shm", 2, ("--functional", "yes")),
    ("memory", "shm", 5, ("--functional", "yes")),
)


def write_stl_run(folder: Path) -> Path:
    """Two algorithms on three backends, with wrong answers, a crash and what was skipped."""
    backends = ("seq", "gnu", "onedpl_omp", "thrust_omp")
    shape = Shape((10, 18, 22), backends=backends, problems=TWO_PROBLEMS, launches=3, samples=5)
    return write_run(folder, shape)


def write_tasks_run(folder: Path) -> Path:
    """Three problems on three runtimes: cost of a task, METG, and what idle workers use."""
    generator = random.Random(7)
    records = [
        _task_record(generator, launch, who, what)
        for launch in (1, 2, 3)
        for who in (("seq", 1), ("weft", 1), ("weft", 2), ("onetbb", 1), ("onetbb", 2))
        for what in (
            ("fib", 27, 832_040, {}),
            *(("grain", 1000, 1000, {"steps": steps}) for steps in (10, 100, 1000)),
            ("idle", 100, 0, {}),
        )
        if who[0] != "seq" or what[0] != "idle"
    ]
    return _write(folder, manifest(Shape(cpus=2)) | {"programs": {}}, records)


def _task_record(
    generator: random.Random,
    launch: int,
    who: tuple[str, int],
    what: tuple[str, int, int, Mapping[str, int]],
) -> Record:
    backend, threads = who
    problem, size, tasks, params = what
    task_s = {"seq": 2e-9, "weft": 2e-8, "onetbb": 6e-8}[backend] + 1e-9 * params.get("steps", 0)
    time_s = 0.1 if problem == "idle" else tasks * task_s / threads
    launch_s = time_s * generator.lognormvariate(0.0, 0.01)
    cpu_s = 0.02 * time_s if problem == "idle" else time_s * threads
    return {
        "schema": 1,
        "record": "result",
        "suite": "tasks",
        "backend": backend,
        "toolchain": "gcc",
        "variant": f"{backend}@gcc",
        "launch": launch,
        "round": launch,
        "run_id": "synthetic",
        "status": "ok",
        "samples_s": [launch_s * generator.lognormvariate(0.0, 0.01) for _ in range(5)],
        "statistic": "median",
        "elements": size,
        "bytes_min": 0,
        "tasks": tasks or None,
        "oversubscribed": False,
        "counters": [{"name": "cpu_time", "unit": "s", "value": cpu_s, "per": "call"}],
        "resources": {"peak_rss_bytes": 20 << 20, "rss_growth_bytes": 4096},
        "cell": {
            "problem": problem,
            "type": "double",
            "size": size,
            "threads": threads,
            "allocator": "default",
            "placement": "none",
            "smt": "on",
            "params": dict(params),
        },
    }


def write_fixed_inncabs_run(folder: Path) -> Path:
    """As the tests' run of fib, and of sort with a larger input."""
    return write_inncabs_run(folder, (*FIB, *(replace(c, problem="sort", size=3) for c in FIB)))


def write_fixed_approaches_run(folder: Path) -> Path:
    """As the tests' whole run."""
    return write_approaches_run(folder, whole_run())


def write_mpi_run(folder: Path) -> Path:
    """Launches of the program that stands for the suite's, without a launcher."""
    fake = _module("fake_mpi")
    records: list[Record] = []
    number = 0
    for round_ in range(1, ROUNDS + 1):
        for label, transport, ranks, arguments in MPI_JOBS:
            number += 1
            flags = ("--functional", "yes") if ranks > 2 else ()
            words = ["--mca", "btl", "vader" if transport == "shm" else transport]
            words += ["-n", str(ranks), "weft_mpi", *arguments, *TIMES, *flags]
            records += _answers(
                fake,
                words,
                launch=number,
                round=round_,
                mpi=MPI,
                transport=transport,
                label=label,
                command=f"mpirun -n {ranks} weft_mpi",
            )
    transports = [
        {
            "mpi": MPI,
            "transport": name,
            "report": report,
            "is_usable": name != "ucx",
            "words": "it says so" if name != "ucx" else "no components",
            "thresholds_bytes": {"btl_eager_limit": 4096} if name == "shm" else {},
            "command": f"mpirun --mca btl {name}",
        }
        for name, report in (("shm", "btl vader"), ("tcp", "btl tcp"), ("ucx", "pml ucx"))
    ]
    facts = {
        "tier": "quick",
        "cores_usable": 2,
        "cpus_usable": 2,
        "hosts": ["here"],
        "starter": "mpirun",
        "transports": transports,
        "num_launches": number,
    }
    skip = {"code": "no_transport", "message": "ucx: no components", "remedy": "see docs/mpi.md"}
    return _write(folder, _launched_manifest("mpi", facts), records, [skip])


def write_halo_run(folder: Path) -> Path:
    """Launches of the program that stands for the suite's, without a launcher."""
    fake = _module("fake_halo")
    records: list[Record] = []
    number = 0
    for round_ in range(1, ROUNDS + 1):
        for problem, label, ranks, is_functional, arguments in HALO_JOBS:
            number += 1
            flags = ("--functional",) if is_functional else ()
            records += _answers(
                fake,
                ["-n", str(ranks), "weft_mpi_halo", *arguments, *flags],
                launch=number,
                round=round_,
                mpi=MPI,
                job=problem,
                label=label,
                command=f"mpirun -n {ranks} weft_mpi_halo",
            )
    facts = {
        "tier": "quick",
        "cpus_usable": 2,
        "libraries": {MPI: "Open MPI v4.1.4"},
        "num_launches": number,
        "num_rounds": ROUNDS,
        "wrong": [],
    }
    skip = {"code": "missing_library", "message": "ghex: not measured", "remedy": "install it"}
    return _write(folder, _launched_manifest("halo", facts), records, [skip])


def write_distributed_run(folder: Path) -> Path:
    """Launches of the program that stands for the suite's, without a launcher."""
    fake = _module("fake_calls")
    records: list[Record] = []
    number = 0
    for round_ in range(1, ROUNDS + 1):
        for problem, transport, ranks, arguments in CALLS_JOBS:
            number += 1
            words = ["--mca", "btl", transport, "-n", str(ranks), "weft_mpi_calls", problem]
            records += _answers(
                fake,
                [*words, *arguments, "--samples", "5"],
                launch=number,
                round=round_,
                mpi=MPI,
                job=problem,
                transport=transport,
                label=f"{problem}, {transport}",
                command=f"mpirun -n {ranks} weft_mpi_calls",
            )
    facts = {
        "tier": "quick",
        "cpus_usable": 2,
        "libraries": {MPI: "Open MPI v4.1.4"},
        "num_launches": number,
        "num_rounds": ROUNDS,
        "wrong": [],
    }
    skip = {"code": "budget", "message": "the budget ended", "remedy": "give a larger --budget"}
    return _write(folder, _launched_manifest("distributed", facts), records, [skip])


WRITERS: Mapping[str, Callable[[Path], Path]] = {
    "stl": write_stl_run,
    "tasks": write_tasks_run,
    "inncabs": write_fixed_inncabs_run,
    "approaches": write_fixed_approaches_run,
    "mpi": write_mpi_run,
    "halo": write_halo_run,
    "distributed": write_distributed_run,
}


def _launched_manifest(suite: str, facts: Record) -> Record:
    described = manifest(Shape(cpus=2))
    kept = ("schema", "run_id", "status", "weft_version", "started_unix_s", "finished_unix_s")
    return {name: described[name] for name in kept} | {"options": {"tier": "quick"}, suite: facts}


def _answers(fake: ModuleType, words: list[str], **head: object) -> list[Record]:
    """What the program says, with what the lab adds; its noise depends on the launch alone."""
    random.seed(int(str(head["launch"])))
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(io.StringIO()):
        code = fake.main(words)
    assert code == 0, words
    return [{**json.loads(line), **head} for line in text.getvalue().splitlines()]


def _module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, HERE.parent / "python" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _write(
    folder: Path, described: Record, records: Iterable[Record], skipped: Iterable[Record] = ()
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (folder / "samples.jsonl").write_text(lines, encoding="utf-8")
    (folder / "manifest.json").write_text(json.dumps(described), encoding="utf-8")
    told = {"schema": 1, "skipped": list(skipped)}
    (folder / "skipped.json").write_text(json.dumps(told), encoding="utf-8")
    return folder

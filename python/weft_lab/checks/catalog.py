# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stages of `./weft test`, in the order they run. A stage is added here and nowhere else."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from weft_lab.checks import python_module
from weft_lab.checks.files import own_files
from weft_lab.checks.stage import Stage, Step
from weft_lab.errors import UsageError

# A failed test names its line by itself; what a debugger wants takes a quarter of the time.
NO_DEBUGGER = "-DCMAKE_CXX_FLAGS_DEBUG=-g0"
# g++ looks for memory to use again whenever it has doubled what it uses, precompiled headers
# included, which is a twelfth of its time; this many KiB are less than a runner has per processor.
NO_COLLECTION = f"{NO_DEBUGGER} --param=ggc-min-heapsize=500000"
# clang-tidy reads the library's sources one by one, and so does g++ wherever weft measures.
IN_BATCHES = "-DWEFT_UNITY=ON"


def find_stages(names: list[str]) -> list[Stage]:
    """Returns the named stages in the order of STAGES; without names, all but those on request."""
    unknown = [name for name in names if name not in {stage.name for stage in STAGES}]
    if unknown:
        known = ", ".join(stage.name for stage in STAGES)
        what = f"no test stage '{unknown[0]}'"
        raise UsageError(what, f"the stages are {known}", "type ./weft test --list")
    return [stage for stage in STAGES if (stage.name in names if names else not stage.on_request)]


def _jobs() -> str:
    return str(len(os.sched_getaffinity(0)))


def _configure(root: Path, preset: str, *options: str) -> Step:
    peers = {
        "WEFT_ONEDPL_ROOT": root / ".weft/onedpl",
        "WEFT_CCCL_ROOT": root / ".weft/cccl",
    }
    given = [f"-D{name}={path}" for name, path in peers.items() if path.is_dir()]
    return Step(f"configure {preset}", ["cmake", "--preset", preset, *given, *options])


def _build(preset: str, *targets: str) -> Step:
    wanted = ["--target", *targets] if targets else []
    return Step(f"build {preset}", ["cmake", "--build", "--preset", preset, "-j", _jobs(), *wanted])


def _ctest(preset: str, *options: str) -> Step:
    return Step(f"test {preset}", ["ctest", "--preset", preset, "-j", _jobs(), *options])


def _gcc(root: Path) -> list[Step]:
    # The stage of Python tests the module for Python.
    configure = _configure(root, "dev", NO_COLLECTION, IN_BATCHES)
    return [configure, _build("dev"), _ctest("dev", "-LE", python_module.LABEL)]


def _clang(root: Path) -> list[Step]:
    # Four kinds of tests were run by the stage of g++ and are the same here: what is a matter of
    # CMake and packages, what is slow for searching orders of steps or timing, peers that are one
    # library for every compiler, and what Python calls. Others this compiler builds with
    # AddressSanitizer, with the same assertions: the tools and their tests, and what is labelled
    # sanitized.
    preset = "dev-clang"
    left_out = (
        "-DWEFT_SLOW_TESTS=OFF",
        "-DWEFT_LIBRARY_PEERS=OFF",
        "-DWEFT_SANITIZED_TESTS=OFF",
        "-DWEFT_BUILD_TOOLS=OFF",
        "-DWEFT_PYTHON=OFF",
    )
    configure = _configure(root, preset, NO_DEBUGGER, IN_BATCHES, *left_out)
    return [configure, _build(preset), _ctest(preset, "-LE", "consumer|slow|library|^sanitized$")]


def _sanitizers(root: Path) -> list[Step]:
    # Peers' runtimes are not instrumented: what they do looks like races and leaks of ours. What is
    # slow measures times, which mean nothing here. What is unsanitized counts what a sanitizer adds
    # to. What is serial starts no thread; the races of what is labelled addresses are sought by
    # other tests. MPI libraries are not instrumented, so that ThreadSanitizer does not see what
    # orders their threads.
    left_out = "peer|slow|consumer|unsanitized"
    steps: list[Step] = []
    for preset, labels in (("asan", left_out), ("tsan", f"{left_out}|serial|addresses|^mpi$")):
        steps += [
            _configure(root, preset, IN_BATCHES),
            _build(preset, "weft_sanitized_tests"),
            _ctest(preset, "-LE", labels),
        ]
    return steps


def _headers(root: Path) -> list[Step]:
    return [_configure(root, "dev"), _build("dev", "all_verify_interface_header_sets")]


def _lint(root: Path) -> list[Step]:
    cpp = [str(path) for path in own_files(root, ".cpp", ".cu", ".hpp")]
    shell = ["weft", ".ci/run", *(str(path) for path in own_files(root, ".sh"))]
    python = [folder for folder in ("python", "tests", "packaging") if (root / folder).is_dir()]
    return [
        Step("clang-format", ["clang-format-19", "--dry-run", "--Werror", *cpp]),
        Step(
            "ruff", [sys.executable, "-m", "ruff", "check", "--output-format", "concise", *python]
        ),
        Step("ruff format", [sys.executable, "-m", "ruff", "format", "--check", *python]),
        Step(
            "mypy",
            [sys.executable, "-m", "mypy", "python/weft_lab", "python/weft", "packaging/python"],
        ),
        Step("shellcheck", ["shellcheck", "-x", *shell]),
    ]


def _tidy(root: Path) -> list[Step]:
    # A folder of its own: it runs beside the stage that configures and builds dev-clang.
    folder = "build/tidy"
    configure = _configure(root, "dev-clang", "-B", folder, "-DWEFT_PCH=OFF")
    check = [sys.executable, "-m", "weft_lab.checks.tidy", str(root), folder]
    return [
        Step("configure", configure.command),
        Step("clang-tidy", check),
    ]


def _pytest(title: str, *options: str) -> Step:
    # Safe path as ./weft starts us: the checkout's folders must not hide installed packages.
    return Step(title, [sys.executable, "-P", "-m", "pytest", "-q", "--tb", "short", *options])


def _python(_root: Path) -> list[Step]:
    module = [sys.executable, "-P", "-m", python_module.__name__, "build/dev"]
    return [
        _pytest("pytest", "-m", "not browser and not timed", "tests/python", "tests/shell"),
        Step("weft.halo", module, may_be_unchecked=True),
    ]


def _docs(root: Path) -> list[Step]:
    checks = {
        "links": "weft_lab.checks.links",
        "code blocks": "weft_lab.checks.code_blocks",
        "snippets": "weft_lab.checks.snippets",
    }
    return [
        Step(title, [sys.executable, "-m", module, str(root)]) for title, module in checks.items()
    ]


def _mpich(root: Path) -> list[Step]:
    # It finds MPICH beside the MPI that the other stages build with.
    languages = [sys.executable, "-m", "weft_lab.checks.languages", "build/mpich"]
    return [
        _configure(root, "mpich", NO_COLLECTION, IN_BATCHES),
        _build("mpich"),
        _ctest("mpich"),
        Step("in all languages", languages, may_be_unchecked=True),
    ]


def _claims(root: Path) -> list[Step]:
    # Measured statements about the harness hold on an idle machine: they run only on request.
    # A new one is a program among the targets and a step.
    folder = "build/claims"
    peers = _configure(root, "bench").command
    agreement = [sys.executable, "tests/harness/compare_bandwidth.py"]
    targets = ["weft_harness_claims", "weft_stream_reference", "weft_bandwidth"]
    return [
        Step("configure", [*peers, "-B", folder, "-DWEFT_BUILD_TESTS=ON"]),
        Step("build", ["cmake", "--build", folder, "-j", _jobs(), "--target", *targets]),
        Step("models recover", [sys.executable, "-m", "weft_lab.checks.model_calibration"]),
        Step(
            "limited cable",
            [sys.executable, "-m", "weft_lab.checks.cable_rate"],
            may_be_unchecked=True,
        ),
        Step(
            "as IMB says",
            [sys.executable, "-m", "weft_lab.checks.imb_agreement"],
            may_be_unchecked=True,
        ),
        Step("harness claims", [f"{folder}/tests/harness/weft_harness_claims"]),
        Step(
            "bandwidth agrees",
            [*agreement, f"{folder}/bin/weft_bandwidth", f"{folder}/bin/weft_stream_reference"],
        ),
    ]


STAGES = (
    Stage("tidy", "clang-tidy on what changed", _tidy, runs_beside=True),
    Stage("lint", "format, ruff, mypy strict, shellcheck", _lint, are_steps_independent=True),
    Stage(
        "meta",
        "the rules of the house, on the tree itself",
        lambda _: [_pytest("pytest", "tests/meta")],
    ),
    Stage("gcc", "build with g++, C++ tests", _gcc),
    # It uses a program that the stage of g++ builds, and waits more than it computes.
    Stage(
        "python",
        "tests of the lab, of ./weft and of weft.halo for Python",
        _python,
        runs_beside=True,
    ),
    Stage("headers", "every public header compiles alone", _headers),
    Stage("clang", "build with clang 19, C++ tests", _clang),
    Stage(
        "sanitizers", "our C++ tests under AddressSanitizer, UBSan and ThreadSanitizer", _sanitizers
    ),
    Stage(
        "browser", "the report in chromium", lambda _: [_pytest("pytest", "-m", "browser", "tests")]
    ),
    Stage(
        "docs", "links, C++ and command lines of README and docs", _docs, are_steps_independent=True
    ),
    Stage(
        "timed",
        "tests that say how long something may take",
        lambda _: [_pytest("pytest", "-m", "timed", "tests")],
    ),
    Stage("claims", "measured claims about the harness", _claims, on_request=True),
    Stage("mpich", "weft::halo in all its languages with MPICH", _mpich, on_request=True),
)

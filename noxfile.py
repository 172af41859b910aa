# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The stages of `./weft test`. A stage is a function here and nowhere else.

`./weft test` runs the stages tagged `default`, `./weft test --all` those tagged `all`, and
`./weft test --only NAME` any stage, also those tagged `request`. Programs come
from .weft/venv, which ./weft makes.
.weft/log/test-STAGE.log keeps what a stage's commands print.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nox

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT / "python"))
from weft_lab.checks import log_of  # noqa: E402  # needs the line above
from weft_lab.checks.files import own_files  # noqa: E402  # as above
from weft_lab.checks.running import NUM_CPUS, run, run_changed  # noqa: E402  # as above
from weft_lab.checks.unchanged import REASON, all_but_cpp_of, with_suffix  # noqa: E402  # as above

DEFAULT = ["default", "all"]
PYTHON = [sys.executable, "-P", "-m"]  # -P: the checkout's folders hide no installed package

nox.options.default_venv_backend = "none"
nox.options.tags = ["default"]


def workflow(session: nox.Session, preset: str) -> None:
    """Configures, builds and tests as CMakePresets.json says."""
    run(session, "cmake", "--workflow", "--preset", preset)


def pytest(session: nox.Session, *options: str) -> None:
    """Runs Python tests."""
    run(session, *PYTHON, "pytest", "-q", "--tb", "short", *options)


def shared_out(marks: str, *folders: str, how: str = "worksteal") -> list[str]:
    """Returns the command that runs tests with these marks on all processors.

    `how`: `worksteal` gives any test to the next free processor, `loadfile` a file's tests to one,
    which then makes what they share only once.
    """
    options = ["-q", "--tb", "short", "-n", NUM_CPUS, "--dist", how, "-m", marks]
    return [*PYTHON, "pytest", *options, *folders]


@nox.session(tags=DEFAULT)
def lint(session: nox.Session) -> None:
    """Formats, ruff, mypy strict, shellcheck."""
    cpp = log_of("lint", ROOT).with_name("cpp_files.txt")
    cpp.parent.mkdir(parents=True, exist_ok=True)
    cpp.write_text("".join(f"{path}\n" for path in own_files(ROOT, ".cpp", ".cu", ".hpp")))
    shell = ["weft", ".ci/run", *(str(path) for path in own_files(ROOT, ".sh"))]
    python = ["noxfile.py", "python", "tests", "packaging"]
    clang_format = ["clang-format-19", "--dry-run", "--Werror", f"--files={cpp}"]
    of_python = {
        "ruff": [*PYTHON, "ruff", "check", "--output-format", "concise", *python],
        "ruff format": [*PYTHON, "ruff", "format", "--check", *python],
        "mypy": [*PYTHON, "mypy", "noxfile.py", "python/weft_lab", "python/weft"],
    }
    run_changed(
        session,
        (with_suffix(".cpp", ".cu", ".hpp"), {"clang-format": clang_format}),
        (with_suffix(".py", ".toml", ".lock"), of_python),
        (with_suffix(".sh", ""), {"shellcheck": ["shellcheck", "-x", *shell]}),
    )


@nox.session(tags=DEFAULT)
def meta(session: nox.Session) -> None:
    """The rules of the house, on the tree itself."""
    run(session, *shared_out("not long", "tests/meta"))


@nox.session(tags=DEFAULT)
def gcc(session: nox.Session) -> None:
    """Builds with g++; all C++ tests but those of peers and those that take long."""
    workflow(session, "gcc")


@nox.session(tags=DEFAULT)
def python(session: nox.Session) -> None:
    """Tests of the lab, of ./weft and of weft for Python (needs stage gcc)."""
    tests = shared_out("not browser and not timed and not long", "tests/python", "tests/shell")
    reads = all_but_cpp_of("src", "include", "tools", "examples", "tests")
    run_changed(session, (reads, {"pytest": tests}))
    run(session, *PYTHON, "weft_lab.checks.python_module", "build/gcc")


@nox.session(tags=DEFAULT)
def docs(session: nox.Session) -> None:
    """Links, C++ and command lines of README and docs (needs stage gcc); the site of docs."""
    checks = {"links": ["."], "code_blocks": ["."], "snippets": [".", "build/gcc/bin"]}
    commands = {name: [*PYTHON, f"weft_lab.checks.{name}", *checks[name]] for name in checks}
    reads = all_but_cpp_of("src", "tools", "tests")  # what programs answer is for stage gcc
    site = {"site": [*PYTHON, "weft_lab", "docs"]}  # with examples cut from tests
    if not run_changed(session, (reads, commands), (all_but_cpp_of("src", "tools", "lab"), site)):
        session.skip(REASON)


@nox.session(tags=["all"])
def peers(session: nox.Session) -> None:
    """With g++: other projects' runtimes in the lab give right answers."""
    workflow(session, "peers")


@nox.session(tags=["all"])
def release(session: nox.Session) -> None:
    """README's first command, and a kernel's, build Release programs and measure."""
    run(session, *PYTHON, "weft_lab.checks.snippets", ".")


@nox.session(tags=["all"])
def slow(session: nox.Session) -> None:
    """C++ tests that take long, with g++, and Python tests that do."""
    workflow(session, "slow")
    run(session, *shared_out("long", "tests/python", how="loadfile"))


@nox.session(tags=["all"])
def headers(session: nox.Session) -> None:
    """With clang 19: every public header compiles alone."""
    workflow(session, "headers")


@nox.session(tags=["all"])
def clang(session: nox.Session) -> None:
    """With clang 19: tests of what a sanitizer's build does in another way."""
    workflow(session, "clang")


@nox.session(tags=["all"])
def asan(session: nox.Session) -> None:
    """With clang 19: C++ tests under AddressSanitizer and UndefinedBehaviorSanitizer."""
    workflow(session, "asan")


@nox.session(tags=["all"])
def fuzz(session: nox.Session) -> None:
    """With clang 19: a minute of damaged input for every reader of untrusted data."""
    run(session, *PYTHON, "weft_lab", "fuzz", "--seconds", "60")


@nox.session(tags=["all"])
def tsan(session: nox.Session) -> None:
    """With clang 19: C++ tests of the modules that start threads, under ThreadSanitizer."""
    workflow(session, "tsan")


@nox.session(tags=["all"])
def tidy(session: nox.Session) -> None:
    """clang-tidy on what changed since it was found clean."""
    run(session, "cmake", "--preset", "tidy")
    run(session, *PYTHON, "weft_lab.checks.tidy", ".", "build/tidy")


@nox.session(tags=["all"])
def browser(session: nox.Session) -> None:
    """The report and the documentation site in chromium."""
    run(session, *shared_out("browser", "tests/browser", how="loadfile"))


@nox.session(tags=["all"])
def timed(session: nox.Session) -> None:
    """Tests that say how long something may take, while nothing else runs."""
    pytest(session, "-m", "timed", "tests")


@nox.session(tags=["request"])
def tidy_whole(session: nox.Session) -> None:
    """clang-tidy on every source, clean or not; writes .ci/tidy_clean.txt, which tidy reads."""
    run(session, "cmake", "--preset", "tidy")
    options = ["--whole", "--record"]
    run(session, *PYTHON, "weft_lab.checks.tidy", ".", "build/tidy", *options)


@nox.session(tags=["request"])
def wheel(session: nox.Session) -> None:
    """pip builds the wheel as users do, and it works."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--no-deps", "--no-build-isolation", "--wheel-dir", folder]
        run(session, *PYTHON, "pip", "wheel", *options, ".")
        (built,) = Path(folder).glob("*.whl")
        session.env["WEFT_WHEEL"] = str(built)
        pytest(session, "-m", "long", "tests/python/checks/test_wheel.py")


@nox.session(tags=["request"])
def mpich(session: nox.Session) -> None:
    """weft::halo in all its languages, and weft::distributed, with MPICH."""
    workflow(session, "mpich")
    run(session, *PYTHON, "weft_lab.checks.languages", "build/mpich")


@nox.session(tags=["request"])
def claims(session: nox.Session) -> None:
    """Measured claims about the harness and the models; needs an idle machine."""
    folder = "build/claims"
    targets = ["weft_harness_claims", "weft_stream_reference", "weft_bandwidth"]
    agree = [sys.executable, "tests/harness/compare_bandwidth.py"]
    programs = [f"{folder}/bin/weft_bandwidth", f"{folder}/bin/weft_stream_reference"]
    run(session, "cmake", "--preset", "bench", "-B", folder, "-DWEFT_BUILD_TESTS=ON")
    run(session, "cmake", "--build", folder, "--target", *targets)
    run(session, *PYTHON, "weft_lab.checks.model_calibration")
    run(session, f"{folder}/tests/harness/weft_harness_claims")
    run(session, *agree, *programs)
    for name in ("cable_rate", "imb_agreement"):
        run(session, *PYTHON, f"weft_lab.checks.{name}")

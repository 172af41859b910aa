# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: quick to start, discovered verbs, help that fits a screen, completion."""

from __future__ import annotations

import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
from weft_here import call_here as call
from weft_lab import __version__, commands
from weft_lab.errors import EXIT_CODES, OutputError, WeftError

CHECKOUT = Path(__file__).resolve().parents[3]
VERBS = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))


@pytest.mark.parametrize("verb", ["", *VERBS])
def test_help_fits_a_screen(verb: str) -> None:
    done = call(*verb.split(), "--help", COLUMNS="100", LINES="50")

    assert done.returncode == 0
    assert len(done.stdout.splitlines()) <= 50


def test_version_is_that_of_the_package() -> None:
    assert call("--version").stdout == f"weft {__version__}\n"


@pytest.mark.parametrize("verb", ["run", "resume", "compare", "list"])
def test_help_has_an_example(verb: str) -> None:
    assert f"./weft {verb}" in call(verb, "--help", COLUMNS="100").stdout


def test_verbs_load_without_heavy_packages_and_those_of_tests() -> None:
    code = "import sys, weft_lab.cli as c; c.make_app(); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "python")}
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    ).stdout.split()

    assert not {"numpy", "scipy", "polars", "altair", "jinja2"} & set(loaded)
    assert not {"nox", "pytest"} & set(loaded), "only ./weft test installs these"


def test_a_verb_starts_without_the_modules_of_other_verbs() -> None:
    code = "import sys, weft_lab.cli as c; c.make_app('list'); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "python")}
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    ).stdout.split()

    verbs = {name for name in loaded if name.startswith("weft_lab.commands.")}
    assert verbs == {"weft_lab.commands.list"}


def test_list_names_every_axis_as_json() -> None:
    names = json.loads(call("list", "--json").stdout)

    suite, tasks, inncabs, approaches = names["suites"]
    assert "for_each k_it=1000" in suite["problems"]
    assert {"seq", "gnu", "onetbb"} <= {row["name"] for row in suite["backends"]}
    assert "grain steps=1000" in tasks["problems"]
    assert {"seq", "onetbb", "std_async"} <= {row["name"] for row in tasks["backends"]}
    assert {"seq", "std_async", "weft_future"} <= {row["name"] for row in inncabs["backends"]}
    assert "taylor_dynamic chunk_size=1" in approaches["problems"]
    assert {"seq", "openmp", "weft_sender"} <= {row["name"] for row in approaches["backends"]}
    assert names["types"] == ["int", "float", "double"]


def test_completion_knows_problems_after_a_comma() -> None:
    done = call(
        _WEFT_COMPLETE="complete_bash",
        COMP_WORDS="weft run --only sort,red",
        COMP_CWORD="3",
        _TYPER_COMPLETE_ARGS="weft run --only sort,red",
    )

    assert "sort,reduce" in done.stdout


def test_an_unknown_option_ends_with_2() -> None:
    done = call("run", "--fast")

    assert done.returncode == 2
    assert "--fast" in done.stderr


@pytest.mark.parametrize("verb", ["list", "list --json", "run --help"])
def test_output_that_cannot_be_written_is_one_error(verb: str) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "weft_lab", *verb.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
            env={**os.environ, "PYTHONPATH": str(CHECKOUT / "python")},
        )

    assert done.returncode == OutputError.exit_code
    assert "cannot write the output: No space left on device" in done.stderr
    assert "->" in done.stderr
    assert len(done.stderr.splitlines()) == 2


def test_a_mistyped_setting_ends_with_2_before_anything_is_done() -> None:
    done = call("list", WEFT_NOAPT="1")

    assert done.returncode == 2
    assert "WEFT_NOAPT" in done.stderr
    assert "did you mean WEFT_NO_APT" in done.stderr
    assert done.stdout == ""


def test_every_error_class_has_a_documented_exit_code() -> None:
    for error in WeftError.__subclasses__():
        assert error.exit_code in EXIT_CODES

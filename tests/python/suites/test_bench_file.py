# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`weft bench --file`: what a TOML file of commands and options means, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from weft_here import call_here
from weft_lab.errors import UsageError
from weft_lab.storage.store import ResultFolder
from weft_lab.suites.bench.asking import Line, asked_of
from weft_lab.suites.bench.bench_file import with_file

WHOLE = """
threads = [1, 2]
param = { n = "2^3..2^5", how = ["quick", "merge"] }
env = { MODE = "{how}", LEVEL = 3 }
metric = "rate=([0-9.]+)"
expect = ["code:0"]
warmup = 1
rounds = 4
seed = 7
timeout = 60
prepare = "true"
budget = "30s"

[[command]]
name = "omp"
run = "sh -c 'echo rate=1 {n}'"

[[command]]
run = ["/bin/echo", "rate=2", "{n} {how}"]
"""


def line_of(tmp_path: Path, text: str, *typed: str, **options: object) -> Line:
    place = tmp_path / "bench.toml"
    place.write_text(text, encoding="utf-8")
    return with_file(replace(Line(()), **options), place, typed)  # type: ignore[arg-type]  # options of several types


def test_a_file_says_all_that_the_options_say(tmp_path: Path) -> None:
    line = line_of(tmp_path, WHOLE)
    asked = asked_of(line)

    assert [(each.name, each.argv) for each in asked.contestants] == [
        ("omp", ("sh", "-c", "echo rate=1 {n}")),
        ("echo", ("/bin/echo", "rate=2", "{n} {how}")),
    ]
    assert asked.threads == (1, 2)
    assert dict(asked.params) == {"n": ("8", "16", "32"), "how": ("quick", "merge")}
    assert dict(asked.env) == {"MODE": "{how}", "LEVEL": "3"}
    assert (asked.warmup, asked.timeout_s, asked.prepare) == (1, 60.0, "true")
    assert (line.rounds, line.seed, line.budget) == (4, 7, "30s")
    assert [metric.name for metric in asked.metrics] == ["rate"]


def test_an_option_on_the_command_line_wins_also_with_its_default_value(tmp_path: Path) -> None:
    line = line_of(tmp_path, WHOLE, "warmup", "threads", warmup=0, threads=("1",))

    assert line.warmup == 0
    assert line.threads == ("1",)
    assert line.rounds == 4


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("[[command]\n", "is no TOML file: .*line 1"),
        ("", "names no command"),
        ("command = 'true'", "names no command"),
        ("[command]\nrun = 'true'", "names no command"),
        ("thread = 2\n[[command]]\nrun = 'true'", "unknown key 'thread' in the file"),
        ("[[command]]\nrum = 'true'", r"unknown key 'rum' in \[\[command\]\] number 1"),
        ("[[command]]\nname = 'a'", "no command to measure as 'a'"),
        ('[[command]]\nrun = "it\'s"', "cannot be split into words"),
        ("[[command]]\nrun = [true]", "run of .* = True: it has to be a text"),
        ("[[command]]\nrun = 'a'\n[[command]]\nrun = 'a'", "two commands are called 'a'"),
        ("warmup = -1\n[[command]]\nrun = 'a'", "warmup = -1: it has to be a whole number from 0"),
        ("rounds = 0\n[[command]]\nrun = 'a'", "rounds = 0"),
        ("rounds = true\n[[command]]\nrun = 'a'", "rounds = True"),
        ("timeout = 'soon'\n[[command]]\nrun = 'a'", "timeout = 'soon'"),
        ("param = 'n=1'\n[[command]]\nrun = 'a'", "it has to be a table"),
        ("results = 'x'\n[[command]]\nrun = 'a'", "unknown key 'results'"),
        ("[param]\nn = ['1,2']\n[[command]]\nrun = 'a'", "values without commas"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(UsageError) as error:
        line_of(tmp_path, text)

    assert "\n" not in error.value.what
    error.match(what)


def test_a_misspelt_key_is_told_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as error:
        line_of(tmp_path, "thread = 2\n[[command]]\nrun = 'true'")

    assert error.value.remedy == "did you mean 'threads'?"


def test_a_file_and_a_command_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--file and a command"):
        with_file(Line(("true",)), tmp_path / "bench.toml", ())
    with pytest.raises(UsageError, match="cannot read"):
        with_file(Line(()), tmp_path / "none.toml", ())


def test_a_file_is_run_by_its_name_alone_and_never_found(tmp_path: Path) -> None:
    text = "rounds = 2\nwarmup = 1\n[[command]]\nname = 'quiet'\nrun = 'true'\n"
    (tmp_path / "bench.toml").write_text(text, encoding="utf-8")

    alone = call_here("bench", cwd=tmp_path)
    by_name = call_here("bench", "--file", "bench.toml", "--rounds", "1", cwd=tmp_path)

    assert alone.returncode == 2
    assert "no command to measure" in alone.stderr
    assert by_name.returncode == 0, by_name.stderr
    manifest = ResultFolder.open(tmp_path / "results" / "latest").read_manifest()
    assert manifest["rounds"] == 1
    assert manifest["bench"]["warmup"] == 1
    assert manifest["bench"]["contestants"] == [{"name": "quiet", "argv": ["true"]}]

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of `./weft test` find what they look for, and their runner tells the truth."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner
from weft_lab.checks import catalog, execute, languages, links, python_module, snippets, tidy
from weft_lab.checks.files import own_files
from weft_lab.checks.stage import NOT_CHECKED, Stage, Step
from weft_lab.cli import make_app
from weft_lab.errors import UsageError
from weft_lab.suites import CHECKOUT


def stage(name: str, *scripts: str) -> Stage:
    """Returns a stage of Python one-liners."""
    steps = [Step(f"step {i}", [sys.executable, "-c", code]) for i, code in enumerate(scripts)]
    return Stage(name, "", lambda _: steps)


def quiet(_stage: str, _step: str) -> None:
    """Tells nothing."""


def test_stage_ends_at_its_first_failing_step_and_keeps_the_output(tmp_path: Path) -> None:
    failing = stage("a", "print('one')", "import sys; print('two'); sys.exit(3)", "print('three')")

    result = execute.run_stage(failing, tmp_path, quiet)

    assert result.failed_steps == ("step 1",)
    log = result.log.read_text()
    assert "one\nexit code 0" in log
    assert "two\nexit code 3" in log
    assert "three\n" not in log


def test_independent_steps_all_run(tmp_path: Path) -> None:
    failing = replace(stage("a", "exit(1)", "pass", "exit(1)"), are_steps_independent=True)

    result = execute.run_stage(failing, tmp_path, quiet)

    assert result.failed_steps == ("step 0", "step 2")


def test_missing_program_fails_with_its_name(tmp_path: Path) -> None:
    absent = Stage("a", "", lambda _: [Step("s", ["weft-no-such-program"])])

    result = execute.run_stage(absent, tmp_path, quiet)

    assert not result.is_passed
    assert "weft-no-such-program is not installed" in result.log.read_text()


@pytest.mark.parametrize(("keep_going", "names"), [(True, ["a", "b"]), (False, ["a"])])
def test_stages_go_on_after_a_failure_unless_told_to_stop(
    keep_going: bool, names: list[str], tmp_path: Path
) -> None:
    stages = [stage("a", "exit(1)"), stage("b", "pass")]

    results = execute.run_stages(stages, tmp_path, keep_going=keep_going, tell=quiet)

    assert [result.name for result in results] == names


def test_a_stage_runs_beside_those_after_it(tmp_path: Path) -> None:
    wait = "import pathlib, time\nwhile not pathlib.Path('made').exists(): time.sleep(0.01)"
    patient = replace(stage("patient", wait), runs_beside=True)
    maker = stage("maker", "import pathlib; pathlib.Path('made').touch()")

    results = execute.run_stages([patient, maker], tmp_path, keep_going=True, tell=quiet)

    assert [(result.name, result.is_passed) for result in results] == [
        ("patient", True),
        ("maker", True),
    ]


def test_a_stage_that_runs_beside_waits_for_those_before_it(tmp_path: Path) -> None:
    maker = stage("maker", "import pathlib; pathlib.Path('made').touch()")
    user = replace(stage("user", "open('made')"), runs_beside=True)

    results = execute.run_stages([maker, user], tmp_path, keep_going=True, tell=quiet)

    assert [(result.name, result.is_passed) for result in results] == [
        ("maker", True),
        ("user", True),
    ]


def test_a_stage_that_runs_alone_waits_for_those_beside(tmp_path: Path) -> None:
    slow = "import pathlib, time\ntime.sleep(0.5)\npathlib.Path('made').touch()"
    alone = replace(stage("alone", "open('made')"), runs_alone=True)

    results = execute.run_stages(
        [replace(stage("slow", slow), runs_beside=True), alone],
        tmp_path,
        keep_going=True,
        tell=quiet,
    )

    assert [(result.name, result.is_passed) for result in results] == [
        ("slow", True),
        ("alone", True),
    ]


def test_a_failure_beside_counts(tmp_path: Path) -> None:
    patient = replace(stage("patient", "exit(1)"), runs_beside=True)

    results = execute.run_stages(
        [patient, stage("b", "pass")], tmp_path, keep_going=True, tell=quiet
    )

    assert [result.is_passed for result in results] == [False, True]


def test_a_failure_beside_stops_what_was_told_to_stop(tmp_path: Path) -> None:
    broken = replace(stage("broken", "exit(1)"), runs_beside=True)
    log = tmp_path / ".weft/log/test-broken.log"
    wait = (
        "import pathlib, time\n"
        f"while 'exit code' not in pathlib.Path({str(log)!r}).read_text(): time.sleep(0.01)\n"
        "time.sleep(0.5)"  # for the stage to end after its log
    )
    stages = [broken, stage("patient", wait), stage("never", "pass")]

    results = execute.run_stages(stages, tmp_path, keep_going=False, tell=quiet)

    assert [result.name for result in results] == ["broken", "patient"]


def test_what_was_not_checked_is_neither_passed_over_nor_a_failure(tmp_path: Path) -> None:
    words = "print('not checked: no cable'); exit(77)"
    (plain,) = stage("claims", words).steps(tmp_path)
    patient = replace(plain, may_be_unchecked=True)

    left, failed = (
        execute.run_stage(Stage("claims", "", lambda _, step=step: [step]), tmp_path, quiet)
        for step in (patient, plain)
    )

    assert left.is_passed
    assert left.unchecked_steps == (f"{plain.title}: no cable",)
    assert not failed.is_passed, "only where a step may"


@pytest.mark.parametrize(
    ("tests", "ending"),
    [
        ("add_test(other /bin/false)", NOT_CHECKED),
        ("add_test(halo /bin/true)\nset_tests_properties(halo PROPERTIES LABELS python)", 0),
        ("add_test(halo /bin/false)\nset_tests_properties(halo PROPERTIES LABELS python)", 8),
    ],
)
def test_the_module_for_python_is_tested_where_it_was_built(
    tests: str, ending: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "is not configured; type ./weft test" in python_module.why_not(tmp_path)
    (tmp_path / "CTestTestfile.cmake").write_text(tests)
    monkeypatch.setattr(sys, "argv", ["python_module", str(tmp_path)])

    assert python_module.main() == ending
    if ending == NOT_CHECKED:
        assert "has no weft.halo for Python" in python_module.why_not(tmp_path)


def test_relevant_lines_are_the_errors_and_the_end() -> None:
    text = "\n".join(["a.cpp:1: error: bad", *(f"line {i}" for i in range(100))])

    lines = execute.relevant_lines(text)

    assert lines[:2] == ["a.cpp:1: error: bad", "[...]"]
    assert lines[-1] == "line 99"
    assert len(lines) == 2 + execute.TAIL_LINES


def test_unknown_stage_is_an_error_that_names_the_known() -> None:
    with pytest.raises(UsageError, match="no test stage 'lnit'"):
        catalog.find_stages(["lnit"])


def test_a_build_folder_without_a_language_says_what_that_needs() -> None:
    all_of_it = "".join(f"  Test #{n}: {name}\n" for n, name in enumerate(languages.NEEDS))

    assert languages.missing(f"Test project /x\n{all_of_it}\nTotal Tests: 4\n") == {}
    assert languages.missing(all_of_it.replace("halo.fortran.2", "halo.fortran.1")) == {
        "halo.fortran.2": languages.NEEDS["halo.fortran.2"]
    }
    assert len(languages.missing("Total Tests: 0\n")) == 4


@pytest.mark.parametrize("name", ["claims", "mpich"])
def test_some_stages_run_only_on_request_and_are_listed(name: str) -> None:
    assert name not in [stage.name for stage in catalog.find_stages([])]
    assert [stage.name for stage in catalog.find_stages([name])] == [name]

    listed = CliRunner().invoke(make_app(), ["test", "--list"]).output

    assert re.search(rf"^{name} .*\(only on request\)", listed, re.MULTILINE)
    assert all(stage.name in listed for stage in catalog.STAGES)


def test_the_stage_of_mpich_builds_and_runs_what_its_preset_says(tmp_path: Path) -> None:
    presets = json.loads((CHECKOUT / "CMakePresets.json").read_text(encoding="utf-8"))
    (how,) = [each for each in presets["configurePresets"] if each["name"] == "mpich"]
    (built,) = [each for each in presets["buildPresets"] if each["name"] == "mpich"]
    (stage_of_mpich,) = catalog.find_stages(["mpich"])

    commands = [" ".join(step.command) for step in stage_of_mpich.steps(tmp_path)]

    *commands, languages = commands
    assert [command.split()[0] for command in commands] == ["cmake", "cmake", "ctest"]
    assert all("--preset mpich" in command for command in commands)
    assert languages.endswith(f"-m weft_lab.checks.languages build/{how['name']}")
    compilers = [name for name in how["cacheVariables"] if name.endswith("_COMPILER")]
    assert compilers == ["MPI_CXX_COMPILER", "MPI_Fortran_COMPILER"]
    assert all(how["cacheVariables"][name].endswith(".mpich") for name in compilers)
    assert built["targets"] == ["weft_halo_tests"]


@pytest.mark.parametrize(
    ("code", "closing", "exit_code"),
    [("pass", "1 passed, 0 failed", 0), ("exit(1)", "0 passed, 1 failed", 1)],
)
def test_command_closes_with_the_count(
    code: str, closing: str, exit_code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft_lab.commands.test.CHECKOUT", tmp_path)
    monkeypatch.setattr("weft_lab.commands.test.find_stages", lambda _: [stage("a", code)])

    done = CliRunner().invoke(make_app(), ["test"])

    assert done.exit_code == exit_code
    assert done.output.rstrip().endswith(closing)


def test_own_files_leaves_out_what_was_built(tmp_path: Path) -> None:
    for name in ("a.py", "build/b.py", ".weft/c.py", "d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()

    assert own_files(tmp_path, ".py") == [Path("a.py")]


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text("# Some heading, with `code`\n")
    (tmp_path / "a.md").write_text(
        "[x](b.md) [x](b.md#some-heading-with-code) [x](https://example.org)\n"
        "[x](c.md) [x](b.md#no) ![p](p.png)\n```\n[x](d.md)\n```\n"
    )

    assert links.dead_links(Path("a.md"), tmp_path) == [
        "a.md: link to c.md: no such file",
        "a.md: link to b.md#no: no such heading",
        "a.md: link to p.png: no such file",
    ]


PAGE = """
```sh
$ ./weft report --quick   # two minutes
./weft compare a b
ls
```
<!-- not run: needs a cluster -->
```console
$ ./weft submit
```
```cpp
./weft no
```
```sh
./weft test
```
"""


def test_snippets_are_the_command_lines_of_shell_blocks() -> None:
    found = [(s.line, bool(s.reason)) for s in snippets.snippets(Path("a.md"), PAGE)]

    assert found == [
        ("./weft report --quick", False),
        ("./weft compare a b", False),
        ("./weft submit", True),
        ("./weft test", True),
    ]


@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("./weft report", "./weft report --budget 3s --backend seq"),
        ("./weft run --budget=10m", "./weft run --budget 3s --backend seq"),
        ("./weft run --budget 10m --suite x", "./weft run --suite x --budget 3s --backend seq"),
        ("./weft run --backend=gnu", "./weft run --backend=gnu --budget 3s"),
        ("./weft reproduce --list", "./weft reproduce --list"),
        ("./weft list", "./weft list"),
    ],
)
def test_measuring_snippets_are_cut_short(line: str, run: str) -> None:
    assert snippets.shortened(line) == run.split()


def test_a_budget_that_is_none_is_found_in_a_snippet() -> None:
    with pytest.raises(UsageError, match="10x"):
        snippets.shortened("./weft report --budget 10x")


def test_failing_snippet_is_a_failure(tmp_path: Path) -> None:
    assert snippets.run(snippets.Snippet(Path("a.md"), "true"), tmp_path)
    assert not snippets.run(snippets.Snippet(Path("a.md"), "false"), tmp_path)


def test_tidy_leaves_out_what_was_generated_or_installed(tmp_path: Path) -> None:
    names = ["a.cpp", "build/dev/b.cpp", ".weft/venv/nanobind/c.cpp"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    database = tmp_path / "compile_commands.json"
    entries = [{"directory": str(tmp_path), "file": name, "command": "c"} for name in names]
    database.write_text(json.dumps(entries))

    assert list(tidy.compilations(database, tmp_path)) == [tmp_path / "a.cpp"]


@pytest.mark.parametrize("changed", ["tests/c.hpp", "tests/.clang-tidy", ".clang-tidy"])
def test_tidy_looks_again_when_a_header_or_a_configuration_changes(
    tmp_path: Path, changed: str
) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / ".clang-tidy").touch()
    (tmp_path / "tests/.clang-tidy").touch()
    (tmp_path / "tests/a.cpp").write_text('#include "b.hpp"\n')
    (tmp_path / "tests/b.hpp").write_text('#include "tests/c.hpp"\n')
    (tmp_path / "tests/c.hpp").touch()
    database = tmp_path / "compile_commands.json"
    entry = {"directory": str(tmp_path), "file": "tests/a.cpp", "command": "c"}
    database.write_text(json.dumps([entry]))
    before = tidy.sources_to_check(database, tmp_path, "")

    (tmp_path / changed).write_text("changed\n")

    assert tidy.sources_to_check(database, tmp_path, "").keys() == before.keys()
    assert tidy.sources_to_check(database, tmp_path, "") != before


@pytest.mark.parametrize(
    ("text", "option", "num_checked"),
    [
        ("int a;", "-DMEANT", 1),
        ("int a = MEANT;", "-DMEANT", 2),
        ("int a = MEANT;", "-DMEANT=2", 2),
        ("int a = MEANT;", "-O2", 1),
        ("int a;", "-fopenmp", 1),
        ("#pragma omp parallel", "-fopenmp", 2),
    ],
)
def test_tidy_checks_a_source_once_for_each_way_it_reads(
    tmp_path: Path, text: str, option: str, num_checked: int
) -> None:
    (tmp_path / "a.cpp").write_text('#include "a.hpp"\n')
    (tmp_path / "a.hpp").write_text(f"{text}\n")
    database = tmp_path / "compile_commands.json"
    commands = ["c++ -c a.cpp -o 1.o", f"c++ {option} -c a.cpp -o 2.o"]
    entries = [
        {"directory": str(tmp_path), "file": "a.cpp", "command": command} for command in commands
    ]
    database.write_text(json.dumps(entries))

    found = json.loads((tidy.reduced(database, tmp_path) / database.name).read_text())

    assert [entry["command"] for entry in found] == commands[:num_checked]


def test_tidy_shows_every_error_and_no_count() -> None:
    output = "40674 warnings generated.\na.cpp:1:1: error: bad [x]\n2 warnings treated as errors\n"

    assert tidy.without_counts(output) == "a.cpp:1:1: error: bad [x]\n"

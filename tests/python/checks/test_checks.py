# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The checks of `./weft test` find what they look for, and their runner tells the truth."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner
from weft_lab.checks import NOT_CHECKED, languages, links, python_module, running, snippets, tidy
from weft_lab.checks.files import own_files
from weft_lab.cli import make_app
from weft_lab.commands import test
from weft_lab.errors import UsageError
from weft_lab.storage.checkout import CHECKOUT

NOXFILE = """
import sys
import nox
from weft_lab.checks.running import run, run_changed
from weft_lab.checks.unchanged import with_suffix

nox.options.default_venv_backend = "none"
PYTHON = [sys.executable, "-c"]
"""


@pytest.fixture
def stages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A checkout whose stages, all of them run by default, have these bodies."""

    def make(**bodies: str) -> Path:
        text = NOXFILE
        for name, body in bodies.items():
            text += f"@nox.session(tags=['default'])\ndef {name}(session):\n    {body}\n"
        (tmp_path / "noxfile.py").write_text(text)
        monkeypatch.setattr("weft_lab.commands.test.CHECKOUT", tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(CHECKOUT / "python"))
        return tmp_path / ".weft" / "log"

    return make


def test_stage_ends_at_its_first_failing_command_and_shows_and_keeps_its_output(
    stages: Callable[..., Path], capfd: pytest.CaptureFixture[str]
) -> None:
    scripts = ("print('one')", "import sys; print('two'); sys.exit(3)", "print('three')")
    logs = stages(a="; ".join(f"run(session, *PYTHON, {script!r})" for script in scripts))

    (result,) = test.run_stages(["a"], keep_going=True)

    assert result["result"] == "failed"
    lines = (logs / "test-a.log").read_text().splitlines()
    assert "one" in lines
    assert "two" in lines
    assert "three" not in lines
    shown = capfd.readouterr().out.splitlines()
    assert "  two" in shown
    assert "  one" not in shown


def test_independent_commands_all_run_and_those_that_failed_are_named(
    stages: Callable[..., Path],
) -> None:
    commands = "{'x': [*PYTHON, 'exit(1)'], 'y': [*PYTHON, ''], 'z': [*PYTHON, 'exit(1)']}"
    stages(a=f"run_changed(session, (with_suffix('.txt'), {commands}))")

    done = CliRunner().invoke(make_app(), ["test", "--only", "a"])

    assert done.exit_code == 1
    assert "FAILED: x, z" in done.stdout


def test_a_check_runs_again_when_a_file_that_it_reads_has_changed_or_it_failed(
    stages: Callable[..., Path], tmp_path: Path
) -> None:
    script = "print('ran'); import os; os.path.exists('broken.md') and exit(1)"
    check = f"(with_suffix('.txt'), {{'x': [*PYTHON, {script!r}]}})"
    log = stages(a=f"run_changed(session, {check}) or session.skip('unchanged')") / "test-a.log"
    read = tmp_path / "read.txt"

    def outcome() -> str:
        log.unlink(missing_ok=True)
        (result,) = test.run_stages(["a"], keep_going=True)
        has_run = log.exists() and "ran" in log.read_text().splitlines()
        assert has_run == (result["result"] != "skipped")
        return str(result["result"])

    read.write_text("1")
    assert outcome() == "success"
    assert outcome() == "skipped"
    (tmp_path / "other.cpp").write_text("a file more")
    assert [outcome(), outcome()] == ["success", "skipped"]
    (tmp_path / "other.cpp").write_text("not read")
    assert outcome() == "skipped"
    read.write_text("2")
    (tmp_path / "broken.md").write_text("")
    assert [outcome(), outcome()] == ["aborted", "aborted"]
    (tmp_path / "broken.md").unlink()
    assert [outcome(), outcome()] == ["success", "skipped"]
    (result,) = test.run_stages(["a"], keep_going=True, is_named=True)
    assert result["result"] == "success"


def test_what_passed_before_counts_as_passed(stages: Callable[..., Path]) -> None:
    stages(a="from weft_lab.checks.unchanged import REASON; session.skip(REASON)")

    done = CliRunner().invoke(make_app(), ["test"])

    assert "a      passed before: nothing it reads has changed" in done.stdout
    assert "1 passed, 0 failed, 0 skipped" in done.stdout


def test_missing_program_fails_its_stage(stages: Callable[..., Path]) -> None:
    stages(a="run(session, 'weft-no-such-program')")

    (result,) = test.run_stages(["a"], keep_going=True)

    assert result["result"] == "failed"


@pytest.mark.parametrize(("keep_going", "names"), [(True, ["a", "b"]), (False, ["a"])])
def test_stages_go_on_after_a_failure_unless_told_to_stop(
    keep_going: bool, names: list[str], stages: Callable[..., Path]
) -> None:
    stages(a="session.error('broken')", b="pass")

    results = test.run_stages(["a", "b"], keep_going=keep_going)

    assert [result["name"] for result in results] == names


def test_a_program_that_lacks_what_it_checks_skips_its_stage_with_the_reason(
    stages: Callable[..., Path],
) -> None:
    stages(claims="run(session, *PYTHON, \"print('no cable'); exit(77)\")")

    done = CliRunner().invoke(make_app(), ["test"])

    assert done.exit_code == 0
    assert re.search(r"^claims +not checked: no cable", done.output, re.MULTILINE)
    assert done.output.rstrip().endswith("0 passed, 0 failed, 1 skipped")


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
        assert "has no weft for Python" in python_module.why_not(tmp_path)


def test_relevant_lines_are_the_errors_and_the_end() -> None:
    text = "\n".join(["a.cpp:1: error: bad", *(f"line {i}" for i in range(100))])

    lines = running.relevant_lines(text)

    assert lines[:2] == ["a.cpp:1: error: bad", "[...]"]
    assert lines[-1] == "line 99"
    assert len(lines) == 2 + running.TAIL_LINES


def test_unknown_stage_is_an_error_that_names_the_known() -> None:
    with pytest.raises(UsageError, match="no test stage 'lnit'"):
        test.find_stages(test.list_stages(), "lnit", everything=False)


def test_a_build_folder_without_a_language_says_what_that_needs() -> None:
    all_of_it = "".join(f"  Test #{n}: {name}\n" for n, name in enumerate(languages.NEEDS))

    assert languages.missing(f"Test project /x\n{all_of_it}\nTotal Tests: 4\n") == {}
    assert languages.missing(all_of_it.replace("halo.fortran.2", "halo.fortran.1")) == {
        "halo.fortran.2": languages.NEEDS["halo.fortran.2"]
    }
    assert len(languages.missing("Total Tests: 0\n")) == 4


def names_of(*, everything: bool) -> list[str]:
    return test.find_stages(test.list_stages(), "", everything=everything)


@pytest.mark.parametrize("name", ["claims", "mpich"])
def test_some_stages_run_only_when_named_and_are_listed(name: str) -> None:
    assert name not in names_of(everything=True)
    assert test.find_stages(test.list_stages(), name, everything=False) == [name]

    listed = CliRunner().invoke(make_app(), ["test", "--list"]).output

    assert re.search(rf"^{name} .*--only {name}", listed, re.MULTILINE)


def test_all_stages_are_the_default_ones_and_more() -> None:
    assert set(names_of(everything=False)) < set(names_of(everything=True))
    assert "asan" not in names_of(everything=False)


def test_every_stage_that_builds_has_a_workflow_of_its_name() -> None:
    presets = json.loads((CHECKOUT / "CMakePresets.json").read_text(encoding="utf-8"))
    workflows = {each["name"] for each in presets["workflowPresets"]}

    used = set(re.findall(r'workflow\(session, "(\w+)"\)', (CHECKOUT / "noxfile.py").read_text()))

    assert used | {"deb", "deb-mpich"} == workflows  # these are for those who make packages


@pytest.mark.parametrize("name", ["mpich", "deb-mpich"])
def test_the_presets_of_mpich_name_its_compilers(name: str) -> None:
    presets = json.loads((CHECKOUT / "CMakePresets.json").read_text(encoding="utf-8"))
    (how,) = [each for each in presets["configurePresets"] if each["name"] == name]
    (built,) = [each for each in presets["buildPresets"] if each["name"] == "mpich"]

    compilers = [name for name in how["cacheVariables"] if name.endswith("_COMPILER")]

    assert compilers == ["MPI_CXX_COMPILER", "MPI_Fortran_COMPILER"]
    assert all(how["cacheVariables"][name].endswith(".mpich") for name in compilers)
    assert built["targets"] == ["weft_halo_tests", "weft_distributed_mpi_tests"]


@pytest.mark.parametrize(
    ("body", "closing", "exit_code"),
    [
        ("pass", "1 passed, 0 failed, 0 skipped", 0),
        ("session.error('no')", "0 passed, 1 failed, 0 skipped", 1),
    ],
)
def test_command_closes_with_the_count(
    body: str, closing: str, exit_code: int, stages: Callable[..., Path]
) -> None:
    stages(a=body)

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
        "<!-- site: - [x](e.md) -->\n"
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
./weft bench --threads 1,2 kernel.cpp
./weft bench -- sleep 0.1
```
"""


def test_snippets_are_the_command_lines_of_shell_blocks() -> None:
    found = [(s.line, bool(s.reason)) for s in snippets.snippets(Path("a.md"), PAGE)]

    assert found == [
        ("./weft report --quick", False),
        ("./weft compare a b", False),
        ("./weft submit", True),
        ("./weft test", True),
        ("./weft bench --threads 1,2 kernel.cpp", True),
        ("./weft bench -- sleep 0.1", False),
    ]


@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("./weft report", "./weft report --budget 1s --backend seq"),
        ("./weft run --budget=10m", "./weft run --budget 1s --backend seq"),
        ("./weft run --budget 10m --suite x", "./weft run --suite x --budget 1s --backend seq"),
        ("./weft run --backend=gnu", "./weft run --backend=gnu --budget 1s"),
        ("./weft reproduce --list", "./weft reproduce --list"),
        ("./weft list", "./weft list"),
        ("./weft bench -- sleep 1", "./weft bench --rounds 2 -- sleep 1"),
        (
            "./weft bench --param n=9 k.cpp",
            "./weft bench --backend seq@gcc,openmp@gcc --rounds 2 --param n=9 k.cpp",
        ),
    ],
)
def test_measuring_snippets_are_cut_short(line: str, run: str) -> None:
    assert snippets.shortened(line) == run.split()


def test_the_first_snippet_that_measures_is_found_and_others_are_given_programs() -> None:
    lines = ["./weft list", "./weft report --list", "./weft report", "./weft run"]
    left_out = snippets.Snippet(Path("a.md"), "./weft run", "it wants a cluster")
    page = [snippets.Snippet(Path("b.md"), line) for line in lines]

    assert snippets.first_measuring([[left_out], page]) == [[page[2]]]
    assert snippets.first_measuring([[left_out], page[:2]]) == []

    kernel = snippets.Snippet(Path("c.md"), "./weft bench k.cpp", snippets.COMPILES)
    other = snippets.Snippet(Path("c.md"), "./weft bench j.cpp", "it wants a cluster")
    built = snippets.Snippet(Path("c.md"), "./weft bench k.cpp")
    assert snippets.first_measuring([page, [other, kernel, kernel]]) == [[page[2], built]]

    words = [" ".join(snippets.shortened(line, Path("/bin"))) for line in lines[1:3]]
    assert words == [
        "./weft report --list",
        "./weft report --budget 1s --backend seq --programs /bin",
    ]


def test_a_budget_that_is_none_is_found_in_a_snippet() -> None:
    with pytest.raises(UsageError, match="10x"):
        snippets.shortened("./weft report --budget 10x")
    assert snippets.shortened("./weft bench -- a --budget 1") == [
        *("./weft", "bench", "--rounds", "2", "--", "a", "--budget", "1"),
    ]


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
    found = tidy.compilations(database, tmp_path)
    before = tidy.sources_to_check(found, tmp_path, "")

    (tmp_path / changed).write_text("changed\n")
    after = tidy.sources_to_check(found, tmp_path, "")

    assert after.keys() == before.keys()
    assert after != before


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

    folder = tidy.reduced(tidy.compilations(database, tmp_path), database)
    found = json.loads((folder / database.name).read_text())

    assert [entry["command"] for entry in found] == commands[:num_checked]


def test_tidy_shows_every_error_and_no_count() -> None:
    output = "40674 warnings generated.\na.cpp:1:1: error: bad [x]\n2 warnings treated as errors\n"

    assert tidy.without_counts(output) == "a.cpp:1:1: error: bad [x]\n"

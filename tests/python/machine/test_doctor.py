# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The doctor finds what is here, and says of what is missing why and how to get it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner
from weft_lab.cli import make_app
from weft_lab.machine import doctor
from weft_lab.machine import doctor_facts as doctor_machine
from weft_lab.machine.doctor import Finding, Requirement
from weft_lab.machine.doctor_facts import Fact


def wanted(**fields: object) -> Requirement:
    given = {
        "id": "x",
        "purpose": "p",
        "level": "report",
        "apt": "a",
        "module": "m",
        "otherwise": "o",
    }
    return Requirement(**{**given, **fields})  # type: ignore[arg-type]


def tool(folder: Path, name: str, output: str) -> dict[str, str]:
    """Makes a fake tool and returns an environment that has it on PATH."""
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{output}'\n")
    path.chmod(0o755)
    return {"PATH": str(folder)}


def test_every_requirement_can_be_looked_for_and_got() -> None:
    for row in doctor.requirements():
        assert [row.command, row.header, row.folder, row.config].count("") == 3, row.id
        assert row.level in {"report", "test", "backend"}
        assert row.apt
        assert row.module
        assert row.otherwise


@pytest.mark.parametrize(
    ("output", "missing"),
    [
        ("cmake version 3.25.1", ""),
        ("cmake version 3.9.0", "is 3.9.0, at least 3.24 is needed"),
        ("hello", "does not report its version"),
    ],
)
def test_tool_is_judged_by_its_version(output: str, missing: str, tmp_path: Path) -> None:
    environment = tool(tmp_path, "cmake", output)

    (found,) = doctor.examine([wanted(command="cmake", least="3.24")], tmp_path, environment)

    assert found.is_met == (missing == "")
    assert missing in found.missing


def test_missing_tool_and_folder_and_config_are_named(tmp_path: Path) -> None:
    rows = [wanted(command="cmake"), wanted(folder=".weft/a"), wanted(config="HPX")]

    found = doctor.examine(rows, tmp_path, {"PATH": str(tmp_path)})

    assert [row.missing for row in found] == [
        "no cmake on PATH",
        "no folder .weft/a",
        "no HPXConfig.cmake in WEFT_HPX_DIR or CMAKE_PREFIX_PATH",
    ]


def test_headers_are_looked_for_with_the_compiler() -> None:
    headers = ["vector", "weft/no/such/header.hpp", "sys/types.h"]

    assert doctor.found_headers(headers, os.environ) == {"vector", "sys/types.h"}


def test_header_without_a_compiler_is_unknown_not_absent(tmp_path: Path) -> None:
    (found,) = doctor.examine([wanted(header="vector")], tmp_path, {"PATH": str(tmp_path)})

    assert found.missing == "no C++ compiler to look for the header with"


def test_package_is_found_in_the_folder_the_user_names(tmp_path: Path) -> None:
    (tmp_path / "lib/cmake/HPX").mkdir(parents=True)
    (tmp_path / "lib/cmake/HPX/HPXConfig.cmake").touch()

    assert doctor.has_cmake_config("HPX", {"WEFT_HPX_DIR": str(tmp_path)})
    assert doctor.has_cmake_config("HPX", {"CMAKE_PREFIX_PATH": f"/nowhere:{tmp_path}"})
    assert not doctor.has_cmake_config("HPX", {})


def test_backend_lacks_what_its_requirements_lack() -> None:
    here, not_here = wanted(id="a", backends=("p", "q")), wanted(id="b", backends=("q",))
    findings = [Finding(here, None, ""), Finding(not_here, None, "gone")]

    assert doctor.backend_state(findings) == {"p": [], "q": ["b"]}
    assert not doctor.can("report", findings)


def test_json_is_one_object_and_the_exit_code_says_whether_a_report_can_be_made() -> None:
    done = CliRunner().invoke(make_app(), ["doctor", "--json"])

    told = json.loads(done.output)
    assert done.exit_code == (0 if told["can_report"] else 3)
    assert told["backends"]["gnu"]["is_available"]
    assert {"id", "is_met", "missing", "ways"} <= told["requirements"][0].keys()


def test_doctor_without_tools_exits_with_3_and_gives_three_ways(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    findings = doctor.examine(doctor.requirements(), tmp_path, {"PATH": str(tmp_path)})
    monkeypatch.setattr("weft_lab.commands.doctor.examine", lambda *_: findings)

    done = CliRunner().invoke(make_app(), ["doctor"])

    assert done.exit_code == 3
    assert "apt-get install cmake" in done.output
    assert "module load cmake" in done.output
    assert "pip install cmake" in done.output


def test_counters_that_the_machine_program_lacks_give_its_reason(tmp_path: Path) -> None:
    rows = [{"name": "cycles", "available": False, "reason": "no PMU"}, {"name": "page_faults"}]

    fact = doctor_machine._counters({"counters": rows}, tmp_path / "paranoid")

    assert fact == Fact("hardware counters", "no", "no PMU")


def test_counters_that_are_there_need_no_library(tmp_path: Path) -> None:
    fact = doctor_machine._counters({"counters": [{"name": "cycles", "available": True}]}, tmp_path)

    assert fact.value == "yes"
    assert "neither PAPI nor LIKWID needed" in fact.note


def test_unknown_facts_have_a_reason_and_no_value(tmp_path: Path) -> None:
    for fact in (
        doctor_machine._counters(None, tmp_path / "none"),
        doctor_machine._governor(tmp_path / "none"),
        doctor_machine._virtual(tmp_path / "none"),
    ):
        assert fact.value is None
        assert fact.note


def test_interrupted_share_is_a_share() -> None:
    assert 0.0 <= doctor_machine.interrupted_share(0.01) <= 1.0

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recipes of package managers agree with the project, and each rule finds a planted mistake."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import package_rules
import pytest

ROOT = Path(__file__).resolve().parents[2]
Rule = Callable[[Path], list[str]]
RULES = (
    package_rules.wrong_versions,
    package_rules.wrong_options,
    package_rules.wrong_variants,
    package_rules.wrong_names,
    package_rules.missing_files,
)
# Rule, file, what is right in it, and the mistake.
PLANTED: list[tuple[Rule, Path, str, str]] = [
    (package_rules.wrong_versions, package_rules.SPACK, '"0.1.0"', '"0.0.9"'),
    (package_rules.wrong_versions, package_rules.CONDA, '"0.1.0"', '"0.0.9"'),
    (package_rules.wrong_versions, package_rules.PORT, '"0.1.0"', '"0.0.9"'),
    (package_rules.wrong_options, package_rules.SPACK, "WEFT_PYTHON", "WEFT_PYTHONS"),
    (package_rules.wrong_options, package_rules.CONDA, "LAB=OFF", "LAB=ON"),
    (package_rules.wrong_options, package_rules.PORTFILE, "-DWEFT_BUILD_TOOLS=OFF", ""),
    (package_rules.wrong_variants, package_rules.SPACK, 'variant("mpi"', 'variant("openmpi"'),
    (package_rules.wrong_variants, package_rules.PORT, '"mpi": {', '"openmpi": {'),
    (package_rules.wrong_names, package_rules.SPACK, "class Weft(", "class WeftLib("),
    (package_rules.wrong_variants, package_rules.PORTFILE, "hwloc WEFT", "hwlok WEFT"),
    (package_rules.wrong_variants, package_rules.PORTFILE, "highway WEFT_HIGHWAY", ""),
    (package_rules.wrong_variants, package_rules.SPACK, '"WEFT_HWLOC"', '"WEFT_NATIVE"'),
    (package_rules.wrong_names, package_rules.SPACK, "CMakePackage, generator", "CMakePackage"),
    (package_rules.wrong_names, package_rules.PORT, '["contrib"]', "[]"),
    (package_rules.wrong_names, package_rules.CONDA, "- weft_tasks", "- weft_task"),
    (package_rules.wrong_names, package_rules.PORT, " WITH LLVM-exception", ""),
    (package_rules.missing_files, package_rules.SPACK, "parents[6]", "parents[5]"),
    (package_rules.missing_files, package_rules.CONDA, "weft/version.hpp", "weft/versions.hpp"),
    (package_rules.missing_files, package_rules.PORTFILE, "/../../..", "/../.."),
    (package_rules.missing_files, package_rules.CONTAINERS[0], "preset deb", "preset debian"),
    (package_rules.missing_files, package_rules.CONTAINERS[1], "g++ cmake", "g++ kmake"),
    (package_rules.missing_files, package_rules.CONTAINERS[1], "rm -rf build", "rm -rf bild"),
    (package_rules.missing_files, Path(".dockerignore"), "build", "bild"),
]


@pytest.mark.parametrize("rule", RULES)
def test_recipes_agree_with_the_project(rule: Rule) -> None:
    assert rule(ROOT) == []


@pytest.mark.parametrize(("rule", "path", "right", "wrong"), PLANTED)
def test_a_mistake_is_found(rule: Rule, path: Path, right: str, wrong: str, tmp_path: Path) -> None:
    for folder in ("packaging", "cmake", "src"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    for name in ("include", "python", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", ".dockerignore"):
        shutil.copy(ROOT / name, tmp_path)
    text = (tmp_path / path).read_text(encoding="utf-8")
    assert right in text
    assert rule(tmp_path) == []

    (tmp_path / path).write_text(text.replace(right, wrong, 1), encoding="utf-8")

    assert rule(tmp_path)

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recipes of package managers agree with the project: version, options, components, files."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import yaml

SPACK = Path("packaging/spack/spack_repo/weft/packages/weft/package.py")
CONDA = Path("packaging/conda/recipe.yaml")
PORT = Path("packaging/vcpkg/weft/vcpkg.json")
PORTFILE = PORT.with_name("portfile.cmake")
CONTAINERS = (
    Path("packaging/container/Containerfile"),
    Path("packaging/container/apptainer.def"),
)
LICENCE = "Apache-2.0 WITH LLVM-exception"
# Directives of Spack that `from spack.package import *` brings; all others are imported by name.
DIRECTIVES = {"conflicts", "depends_on", "license", "variant", "version"}
# Libraries that a recipe links only if its variant or feature asks for them, and their options.
LIBRARIES = {"hwloc": "WEFT_HWLOC", "highway": "WEFT_HIGHWAY"}
# What the preset `install` sets for every recipe, too.
SWITCHES = re.compile(r"^WEFT_(?:BUILD_\w+|PYTHON)$")
OPTION = re.compile(r"(?:option|set)\((WEFT_\w+) [^)]*(?:\bCACHE\b|\"|ON|OFF)")


def _read(root: Path, path: Path) -> str:
    return (root / path).read_text(encoding="utf-8")


def _project_version(root: Path) -> str:
    found = re.search(r"project\(weft VERSION ([0-9.]+)", _read(root, Path("CMakeLists.txt")))
    return found[1] if found else "no version"


def _options(root: Path) -> set[str]:
    files = [root / "CMakeLists.txt", *root.glob("cmake/*.cmake"), *root.glob("*/*/CMakeLists.txt")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in files)
    return set(OPTION.findall(text))


def _components(root: Path) -> set[str]:
    text = "".join(path.read_text(encoding="utf-8") for path in root.glob("src/*/module.cmake"))
    named = re.findall(r"weft_module\((\w+)|WEFT_MODULES (\w+)\)", text)
    return {name for pair in named for name in pair if name}


def _preset(root: Path, name: str) -> dict[str, Any] | None:
    presets = json.loads(_read(root, Path("CMakePresets.json")))["configurePresets"]
    return next((preset for preset in presets if preset["name"] == name), None)


def _calls(tree: ast.AST, name: str) -> list[ast.Call]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (getattr(node.func, "id", "") or getattr(node.func, "attr", "")) == name
    ]


def _strings(calls: list[ast.Call], position: int = 0) -> list[str]:
    given = (call.args[position] for call in calls if len(call.args) > position)
    return [each.value for each in given if isinstance(each, ast.Constant)]


def wrong_versions(root: Path) -> list[str]:
    """Returns the recipes whose version is not the project's."""
    recipe = yaml.safe_load(_read(root, CONDA))
    stated = {
        SPACK: _strings(_calls(ast.parse(_read(root, SPACK)), "version"))[-1],
        CONDA: recipe["context"]["version"],
        PORT: json.loads(_read(root, PORT))["version-semver"],
    }
    right = _project_version(root)
    return [
        f"{path} says {version}, not {right}"
        for path, version in stated.items()
        if version != right
    ]


def wrong_options(root: Path) -> list[str]:
    """Returns options that the project lacks, and switches unlike those of the preset `install`."""
    known = _options(root)
    preset = _preset(root, "install") or {"cacheVariables": {}}
    switches = {
        name: value for name, value in preset["cacheVariables"].items() if SWITCHES.match(name)
    }
    found: list[str] = []
    for path in (SPACK, CONDA, PORTFILE):
        text = _read(root, path)
        found += [
            f"{path}: the project has no option {name}"
            for name in sorted(set(re.findall(r"\bWEFT_[A-Z_]+\b", text)) - known)
        ]
        for name, value in switches.items():
            pattern = rf"{name}(?:=|\", )(?:{value}|{'True' if value == 'ON' else 'False'})\b"
            if not re.search(pattern, text):
                found.append(f"{path}: {name} is not {value}, as in the preset install")
    return found


def wrong_variants(root: Path) -> list[str]:
    """Returns what Spack's recipe asks of variants, and vcpkg's port of features, that are none."""
    tree = ast.parse(_read(root, SPACK))
    variants = set(_strings(_calls(tree, "variant")))
    used = set(_strings(_calls(tree, "define_from_variant"), 1))
    used |= set(re.findall(r"\"\+(\w+)\"", _read(root, SPACK)))
    port = json.loads(_read(root, PORT))
    features = set(port["features"])
    wanted = set(port["default-features"])
    portfile = _read(root, PORTFILE)
    asked = re.findall(r"^ +(\w+) ((?:WEFT|CMAKE)_\w+)\b(?!=)", portfile, re.MULTILINE)
    wanted |= {name for name, _ in asked}
    defined = _calls(tree, "define_from_variant")
    by_variant = set(zip(_strings(defined, 1), _strings(defined), strict=True))
    return [
        *(
            f"{path}: {name} does not decide {option}"
            for path, pairs in ((SPACK, by_variant), (PORTFILE, set(asked)))
            for name, option in LIBRARIES.items()
            if (name, option) not in pairs
        ),
        *(f"{SPACK}: no variant {name}" for name in sorted(used - variants)),
        *(f"{PORT}: no feature {name}" for name in sorted(wanted - features)),
    ]


def wrong_names(root: Path) -> list[str]:
    """Returns recipes with another name or licence, and components that weft does not have."""
    recipe, port = yaml.safe_load(_read(root, CONDA)), json.loads(_read(root, PORT))
    classes = [
        node for node in ast.parse(_read(root, SPACK)).body if isinstance(node, ast.ClassDef)
    ]
    found = [
        f"{path}: {said} instead of {wanted}"
        for path, said, wanted in (
            (SPACK, classes[0].name, "Weft"),
            (SPACK, _strings(_calls(classes[0], "license"))[0], LICENCE),
            (CONDA, recipe["package"]["name"], "weft"),
            (CONDA, recipe["about"]["license"], LICENCE),
            (PORT, port["name"], "weft"),
            (PORT, port["license"], LICENCE),
        )
        if said != wanted
    ]
    if {"name": "highway", "features": ["contrib"]} not in port["features"]["highway"][
        "dependencies"
    ]:
        found.append(f"{PORT}: libhwy-contrib is the feature contrib of the port highway")
    found += [f"{SPACK}: {name} is not imported" for name in sorted(_unknown_directives(root))]
    libraries = {
        name.removeprefix("weft_") for name in recipe["tests"][0]["package_contents"]["lib"]
    }
    usage = _read(root, PORT.with_name("usage"))
    named = re.findall(r"COMPONENTS ([\w ]+)\)", usage)
    libraries |= {*" ".join(named).split(), *re.findall(r"weft::(\w+)", usage)}
    return found + [f"no component {name}" for name in sorted(libraries - _components(root))]


def _unknown_directives(root: Path) -> set[str]:
    """Directives of Spack's recipe that neither spack.package nor an import brings."""
    tree = ast.parse(_read(root, SPACK))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    imported = {each.name for node in imports for each in node.names}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    calls = [node.value for node in classes[0].body if isinstance(node, ast.Expr)]
    names = {
        call.func.id
        for call in calls
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    }
    return names - imported - DIRECTIVES


def missing_files(root: Path) -> list[str]:
    """Returns files and presets that recipes name and that are not there."""
    recipe = yaml.safe_load(_read(root, CONDA))
    contents = recipe["tests"][0]["package_contents"]["include"]
    depth = re.search(r"\.parents\[(\d+)\]", _read(root, SPACK))
    up = re.search(r"CMAKE_CURRENT_LIST_DIR\}/([./]+)\"", _read(root, PORTFILE))
    needed = [
        (CONDA, (root / CONDA).parent / recipe["source"]["path"] / "CMakeLists.txt"),
        (CONDA, root / recipe["about"]["license_file"]),
        *((CONDA, root / name) for name in recipe["tests"][1]["files"]["source"]),
        *((CONDA, root / "include" / name) for name in contents),
        (SPACK, (root / SPACK).parents[int(depth[1]) if depth else 0] / "CMakeLists.txt"),
        (PORTFILE, (root / PORTFILE).parent / (up[1] if up else "nowhere") / "CMakeLists.txt"),
        (PORTFILE, root / "LICENSE"),
    ]
    found = [f"{path}: no file {file}" for path, file in needed if not file.resolve().is_file()]
    for path in CONTAINERS:
        text = _read(root, path)
        if not _leaves_out_the_hosts_build(root, path):
            found.append(f"{path}: takes build/ of the host, which CMake refuses elsewhere")
        presets = re.findall(r"--preset (\w+)", text)
        found += [f"{path}: no preset {name}" for name in presets if not _preset(root, name)]
        if "build/deb/" not in text or not presets:
            found.append(f"{path}: does not build the Debian packages")
        found += [f"{path}: no list in packaging/apt has {name}" for name in _unlisted(root, text)]
    return found


def _leaves_out_the_hosts_build(root: Path, path: Path) -> bool:
    """Podman and Docker read .dockerignore; Apptainer copies all."""
    if path.suffix == ".def":
        return "rm -rf build .weft" in _read(root, path).partition("cmake --workflow")[0]
    return {"build", ".weft"} <= set(_read(root, Path(".dockerignore")).splitlines())


def _unlisted(root: Path, text: str) -> list[str]:
    """Debian packages of `apt-get install` that no list of packaging/apt has."""
    lists = "".join(path.read_text(encoding="utf-8") for path in root.glob("packaging/apt/*.txt"))
    listed = set(re.findall(r"^([\w.+-]+) ", lists, re.MULTILINE))
    flat = text.replace("\\\n", " ")
    words = " ".join(re.findall(r"apt-get install ([^&\n]+)", flat)).split()
    return [word for word in words if not word.startswith(("-", "/")) and word not in listed]

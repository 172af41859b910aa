# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One name per thing: problems have tests, versions agree, headers and packages are listed."""

from __future__ import annotations

import re
from pathlib import Path

VERSIONS = {
    "CMakeLists.txt": r"project\(weft VERSION ([0-9.]+)",
    "python/weft_lab/__init__.py": r'__version__ = "([0-9.]+)"',
    "CITATION.cff": r"^version: \"?([0-9.]+)",
    "include/weft/version.hpp": r'^#define WEFT_VERSION_STRING "([0-9.]+)"',
}
# Headers that the header of all of their module leaves out, and why.
IN_NO_UMBRELLA = {
    "weft/algorithms/as_sender.hpp": "senders.hpp has it",
    "weft/algorithms/ranges.hpp": "costs as much to compile as all of algorithms.hpp",
    "weft/algorithms/senders.hpp": "includes weft/execution",
    "weft/algorithms/simd.hpp": "includes <experimental/simd>",
    "weft/distributed/algorithms.hpp": "includes weft/algorithms",
    "weft/distributed/mpi_request.hpp": "includes mpi.h",
    "weft/distributed/sort.hpp": "includes weft/algorithms",
    "weft/execution/annotating_executor.hpp": "executors.hpp has it",
    **dict.fromkeys(
        [
            *("weft/tasks/alarm.hpp", "weft/tasks/coroutine_interface.hpp"),
            *("weft/tasks/future_interface.hpp", "weft/tasks/runtime_interface.hpp"),
            *("weft/tasks/progress.hpp", "weft/tasks/runtime_knobs.hpp"),
            "weft/tasks/runtime_types.hpp",
        ],
        "for the modules above tasks, see CONTRIBUTING.md",
    ),
    "weft/execution/async.hpp": "executors.hpp has it",
    "weft/execution/executor.hpp": "executors.hpp has it",
    "weft/execution/executor_concept.hpp": "executor.hpp has it",
    "weft/execution/executors.hpp": "senders do without executors",
    "weft/execution/fork_join_executor.hpp": "executors.hpp has it",
    "weft/execution/limiting_executor.hpp": "executors.hpp has it",
    "weft/execution/parallel_executor.hpp": "executors.hpp has it",
    "weft/execution/scheduler_executor.hpp": "executors.hpp has it",
    "weft/execution/sequenced_executor.hpp": "executors.hpp has it",
    "weft/halo/async.hpp": "includes weft/execution",
    "weft/halo/cuda.hpp": "needs CUDA",
    "weft/halo/cuda_options.hpp": "cuda.hpp has it",
}


# A problem's own registration, or its row in a table of those that are called alike.
ROW = re.compile(r'(?:describe<\w+>\(|\{\{|per_unit\(|with_sum\()"(\w+)"')


def untested_problems(root: Path) -> list[str]:
    """Returns the problems of the lab that no C++ test of their suite names; the tests of a suite
    that is called like a module of the library are in `tests/<suite>_lab`.
    """
    found: list[str] = []
    for problem in sorted(root.glob("lab/*/problems/*.cpp")):
        suite = problem.parts[-3]
        tests = [
            path.read_text(encoding="utf-8") for path in root.glob(f"tests/{suite}*/*_test.cpp")
        ]
        rows = ROW.findall(problem.read_text(encoding="utf-8"))
        found += [
            f"{problem.relative_to(root)}: no test in tests/{suite} names {name}"
            for name in rows or [problem.stem]
            if not any(re.search(rf"\b{name}\b", text) for text in tests)
        ]
    return found


def differing_versions(root: Path) -> list[str]:
    """Returns the files whose version is not the one of CMakeLists.txt."""
    stated: dict[str, str] = {}
    for name, pattern in VERSIONS.items():
        path = root / name
        if path.is_file() and (match := re.search(pattern, path.read_text("utf-8"), re.MULTILINE)):
            stated[name] = match[1]
    right = stated.get("CMakeLists.txt", "no version")
    return [
        f"{name} says {version}, CMakeLists.txt {right}"
        for name, version in stated.items()
        if version != right
    ]


def unlisted_headers(root: Path) -> list[str]:
    """Returns the headers of the library that no module lists: they would not be installed."""
    modules = "".join(path.read_text("utf-8") for path in root.glob("src/*/module.cmake"))
    listed = set(re.findall(r"[\w/.]+\.hpp", modules))
    for umbrella in re.findall(r"UMBRELLA ([\w/.]+)", modules):
        included = (root / "include" / umbrella).read_text("utf-8")
        listed.update(re.findall(r'^#include "(weft/[\w/.]+)"', included, re.MULTILINE))
    headers = (path.relative_to(root / "include") for path in root.glob("include/weft/**/*.hpp"))
    return [
        f"include/{header}: in no src/*/module.cmake, so it is neither installed nor checked alone"
        for header in sorted(headers)
        if header.as_posix() not in listed
    ]


def hand_written_forwards(root: Path) -> list[str]:
    """Returns the <hpx/...> headers but the umbrella that hold only includes, or an #error."""
    found: list[str] = []
    for path in sorted(root.glob("include/weft/compat/hpx/**/*.hpp")):
        text = path.read_text(encoding="utf-8").replace("\\\n", "")
        lines = [re.sub(r"//.*", "", line).strip() for line in text.splitlines()]
        own = [line for line in lines if line and line != "#pragma once"]
        only_forwards = all(line.startswith(("#include", "#error")) for line in own)
        if only_forwards and path.name != "hpx.hpp":
            name = path.relative_to(root).as_posix()
            found.append(f"{name}: make it a row of src/compat/forwarding_headers.txt")
    return found


def incomplete_umbrellas(root: Path) -> list[str]:
    """Returns the public headers that `weft/<module>.hpp` should include and does not."""
    found: list[str] = []
    for umbrella in sorted(root.glob("include/weft/*.hpp")):
        text = umbrella.read_text(encoding="utf-8")
        for header in sorted(root.glob(f"include/weft/{umbrella.stem}/*.hpp")):
            name = header.relative_to(root / "include").as_posix()
            if f'#include "{name}"' not in text and name not in IN_NO_UMBRELLA:
                found.append(f"include/weft/{umbrella.name} does not include {name}")
    return found


# A row of docs/exec_names.md: names, state, header.
NAMES_ROW = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| (\w+) \| (?:`([\w/.]+)`)? *\|", re.MULTILINE)
# A template's parameters may stand before a declaration.
DECLARED = r"^[ \t]*(?:template <.*>[ \t]*)?(?:{kinds})"
KINDS = (
    r"(?:struct|class|enum class|concept)\s+(?:\[\[nodiscard\]\]\s+)?{name}\b(?!;)",
    r"using\s+(?:[\w:]+::)?{name}(?:;|\s*=)",
    r"inline constexpr [^;{{}}]*\b{name}(?:\{{|\s*=)",
    r"(?:\[\[nodiscard\]\]\s+)?(?:inline|constexpr|consteval)\s[\w<>:&\s]*\b{name}\(",
    r"(?:\[\[nodiscard\]\]\s+)?(?!return\b)[\w:<>]+ {name}\(\);",
    r"namespace\s+(?:\w+::)+{name}\s*\{{",
)


def _declares(text: str, name: str) -> bool:
    kinds = "|".join(kind.format(name=name) for kind in KINDS)
    return re.search(DECLARED.format(kinds=kinds), text, re.MULTILINE) is not None


def misstated_exec_names(root: Path) -> list[str]:
    """Returns the names of docs/exec_names.md whose state the headers do not bear out."""
    page = root / "docs/exec_names.md"
    if not page.is_file():
        return []
    rows = NAMES_ROW.findall(page.read_text(encoding="utf-8"))
    ours = "\n".join(
        path.read_text(encoding="utf-8")
        for path in sorted(root.glob("include/weft/execution/**/*.hpp"))
    )
    found: list[str] = []
    for names, state, header in rows:
        path = root / "include" / header
        if state in {"yes", "partly"} and not path.is_file():
            found.append(f"{page.name}: {names}: there is no header {header or 'in the row'}")
            continue
        for name in re.findall(r"\w+", names):
            if state in {"yes", "partly"}:
                if not _declares(path.read_text(encoding="utf-8"), name):
                    found.append(f"{page.name}: {name}: {header} does not declare it")
            elif state != "no" or _declares(ours, name):
                found.append(f"{page.name}: {name}: says {state}, but it is declared")
    return found if rows else [f"{page.name}: no row that can be read"]


def unreasoned_packages(root: Path) -> list[str]:
    """Returns the lines of the package lists that do not say why."""
    found: list[str] = []
    for path in sorted(root.glob("packaging/apt/*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.strip() and not re.search(r"#\s*\w", line):
                found.append(f"{path.name}: {line.strip()}: no reason")  # noqa: PERF401
    return found

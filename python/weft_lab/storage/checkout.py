# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The suites, problems and backends of this checkout, and how a problem is planned."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any

from weft_lab.storage import axes, data_files
from weft_lab.storage.own_copy import checkout

CHECKOUT = checkout()
DEFAULT_SUITE = "stl"
EVERY_SUITE = tuple(each.name for each in axes.every() if not each.has_own_verb)
# The suites that are measured as products of cells.
SUITES = tuple(each.name for each in axes.every() if each.has_cells)
TIER_NAMES = ("quick", "default", "full")
CASES_FILE = "suites.toml"
# The word for every problem in `--only`.
ALL = "all"
# A problem's own registration, or its row in a table of problems with the same call.
REGISTERED = re.compile(r'(?:describe<\w+>\(|\{\{|per_unit\(|with_sum\()"(\w+)"')
PROBE_KERNELS = (
    "copy",
    "scale",
    "add",
    "triad",
    "read",
    "write",
    "copy_nontemporal",
    "write_nontemporal",
)
NONTEMPORAL = "_nontemporal"
# Larger sizes would never end, and numbers would overflow.
GROWTHS_MAX = 200


@dataclass(frozen=True)
class Case:
    """One problem with its parameters.

    `sizes`: those of each tier, and none of a tier that it does not name; empty: the tier's own. A
    call of size n takes about `call_ns` * n^`power` * `growth`^n, and setting up `setup_ns` * n.
    Units: `_ns` nanoseconds.
    """

    problem: str
    params: tuple[tuple[str, int], ...] = ()
    call_ns: float = 1.0
    setup_ns: float = 8.0
    power: float = 1.0
    growth: float = 1.0
    sizes: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)

    def is_in_tier(self, tier: str) -> bool:
        """Whether it is measured there."""
        return not self.sizes or tier in self.sizes

    def call_s(self, size: int) -> float:
        """An estimate of one call on one thread."""
        growths = float(self.growth ** min(size, GROWTHS_MAX))
        return float(1e-9 * self.call_ns * size**self.power * growths)


def size_names(suites: Iterable[str]) -> Mapping[str, int]:
    """The name of a size, if these suites have names for all their sizes; else empty."""
    named = (axes.of(suite).size_names for suite in suites)
    return {name: size for names in named for size, name in names.items()}


def size_text(suite: str, size: int) -> str:
    """The size as it is typed: the name of a class of inputs, else the number."""
    return axes.of(suite).size_names.get(size, str(size))


def cases(suite: str, problems: list[str]) -> list[Case]:
    """The cases of `problems`, in order: one per row of `data/suites.toml`, else one without
    parameters."""
    table = _table()
    default = table["default"]
    result: list[Case] = []
    for problem in problems:
        rows = [row for row in table.get(suite, []) if row["problem"] == problem]
        for row in rows or [{"problem": problem}]:
            values = {**default, **row}
            values["params"] = tuple(sorted(row.get("params", {}).items()))
            values["sizes"] = {tier: tuple(sizes) for tier, sizes in row.get("sizes", {}).items()}
            result.append(Case(**values))
    return result


def problems_in_checkout(suite: str) -> list[str]:
    """Names that the files of `lab/<suite>/problems` register; else from their own names, one file
    for each problem; or from `lab/<suite>/<problem>/<problem>.hpp`, one folder
    each.
    """
    if axes.of(suite).registers:
        return _registered(suite)
    headers = (CHECKOUT / "lab" / suite).glob("*/*.hpp")
    folders = sorted(path.stem for path in headers if path.stem == path.parent.name)
    return _stems(suite, "problems") or folders


def core_problems(suite: str) -> tuple[str, ...]:
    """The problems of a run that names none; empty: all problems."""
    return tuple(_table().get("core", {}).get(suite, ()))


def bounding_kernels(suite: str, problem: str) -> tuple[str, ...]:
    """The kernels of the bandwidth probe that move data as `problem` may; empty: every kernel.

    For a kernel with non-temporal stores, also the ordinary one, which may be faster.
    """
    kernels = _table().get("bound", {}).get(suite, {})
    for kernel, names in kernels.items():
        if problem in names:
            return tuple(dict.fromkeys((kernel, kernel.removesuffix(NONTEMPORAL))))
    return ()


def operations_min(suite: str, problem: str, params: Mapping[str, int]) -> int | None:
    """The least arithmetic operations for each element of a call; None if unknown."""
    found = _table().get("operations", {}).get(suite, {}).get(problem)
    return params.get(found) if isinstance(found, str) else found


def is_cost(suite: str, problem: str) -> bool:
    """Whether the problem's time is the cost of a runtime's operations, without work to share."""
    return problem in _table().get("costs", {}).get(suite, ())


def backends_in_checkout(suite: str) -> list[str]:
    """Names from `lab/<suite>/backends/*.cpp`: one file each, named like the backend."""
    return _stems(suite, "backends")


@dataclass(frozen=True)
class BackendInfo:
    """A backend's entry in the suite's file in `data/`.

    `setting`: how its sequential cut-off is changed; `toolchain`: the only one that can build it,
    empty if every one can; `not_offered` and `known_wrong`: problems and reasons.
    """

    id: str
    display: str
    library: str = ""
    setting: str = ""
    needs: str = ""
    remedy: str = ""
    toolchain: str = ""
    not_offered: tuple[tuple[str, str], ...] = ()
    known_wrong: tuple[tuple[str, str], ...] = ()


@cache
def backend_infos(suite: str = "stl") -> dict[str, BackendInfo]:
    """Every row of the suite's file, by backend."""
    name = axes.of(suite).infos
    table = data_files.load(name)
    data_files.check_keys(name, "the file", table, ("backend",), ("backend",))
    data_files.check_rows(name, "backend", table["backend"], _names(BackendInfo), ("id", "display"))
    infos: dict[str, BackendInfo] = {}
    for row in table["backend"]:
        not_offered = _by_problem(row.pop("not_offered", {}))
        known_wrong = _by_problem(row.pop("known_wrong", {}))
        infos[row["id"]] = BackendInfo(**row, not_offered=not_offered, known_wrong=known_wrong)
    return infos


def _by_problem(reasons: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """A key names one problem, or several that share the reason."""
    return tuple(sorted((name, why) for names, why in reasons.items() for name in names.split()))


def display_name(variant: str) -> str:
    """The variant as the paper would write it: `GCC-TBB` for `libstdcxx_tbb@gcc`."""
    backend, _, toolchain = variant.partition("@")
    info = backend_infos().get(backend)
    name = info.display if info else backend
    return f"{toolchain.upper()}-{name}" if toolchain else name


def _registered(suite: str) -> list[str]:
    files = (CHECKOUT / "lab" / suite / "problems").glob("*.cpp")
    return sorted(
        name for path in files for name in REGISTERED.findall(path.read_text(encoding="utf-8"))
    )


def _stems(suite: str, kind: str) -> list[str]:
    return sorted(path.stem for path in (CHECKOUT / "lab" / suite / kind).glob("*.cpp"))


@cache
def _table() -> dict[str, Any]:
    table = data_files.load(CASES_FILE)
    known = _names(Case)
    sections = ("default", "core", "bound", "operations", "costs", *SUITES)
    data_files.check_keys(CASES_FILE, "the file", table, sections, ("default",))
    data_files.check_keys(CASES_FILE, "[core]", table.get("core", {}), SUITES)
    data_files.check_keys(CASES_FILE, "[bound]", table.get("bound", {}), SUITES)
    data_files.check_keys(CASES_FILE, "[operations]", table.get("operations", {}), SUITES)
    data_files.check_keys(CASES_FILE, "[costs]", table.get("costs", {}), SUITES)
    for suite, kernels in table.get("bound", {}).items():
        data_files.check_keys(CASES_FILE, f"[bound.{suite}]", kernels, PROBE_KERNELS)
    data_files.check_keys(CASES_FILE, "[default]", table["default"], known)
    for suite in SUITES:
        rows = table.get(suite, [])
        data_files.check_rows(CASES_FILE, suite, rows, known, ("problem",))
        for row in rows:
            place = f"sizes of [[{suite}]] {row['problem']}"
            data_files.check_keys(CASES_FILE, place, row.get("sizes", {}), TIER_NAMES)
    return table


def _names(row: type[Case | BackendInfo]) -> tuple[str, ...]:
    return tuple(member.name for member in fields(row))

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which C++ module may know what of another one, and that no header includes itself."""

from __future__ import annotations

import re
from pathlib import Path

from weft_lab.checks.files import own_files

INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)
NAMESPACE = re.compile(r"\bnamespace (?:weft::)?(\w+)(?:::\w+)* \{")

# A module may include itself and what stands here.
MAY_INCLUDE: dict[str, set[str]] = {
    "base": set(),
    "counters": {"base"},
    "tasks": {"base", "counters"},
    "execution": {"base", "counters", "tasks"},
    "algorithms": {"base", "counters", "tasks", "execution"},
    "policies": {"base", "counters", "tasks"},
    "halo": {"base", "counters"},
    "distributed": {"base", "counters", "tasks", "execution", "algorithms", "halo"},
}
MAY_INCLUDE["compat"] = set(MAY_INCLUDE)
JOINS_HALO_AND_EXECUTION = Path("include/weft/halo/async.hpp")
NODES = [*MAY_INCLUDE, "halo/async.hpp"]

# Private headers that other modules include all the same. Of `tasks` there is none: others take
# weft/tasks/runtime_interface.hpp and the headers that it names.
SHARED_PRIVATE_HEADERS = {
    "base/cgroup.hpp": "control groups limit processors (tasks) and memory (halo)",
    "base/nearest_name.hpp": "errors of counters suggest names as those of options do",
    "base/output_file.hpp": "files of counters, halo and distributed are replaced as a whole, too",
    "counters/core/localities.hpp": "ranks of a job read each other's counters",
    "counters/core/signals_blocked.hpp": "the thread that reads them gets no signals",
    "counters/core/tick_buckets.hpp": "tasks fills the histograms of the counter blocks",
    "counters/core/worker_threads.hpp": "tasks tells which threads are workers",
    "counters/print/active.hpp": "weft::init starts what prints counters",
    "counters/print/counter_options.hpp": "weft::init reads the options of counters, too",
    "counters/print/list_text.hpp": "weft::init lists counters",
    "counters/trace/trace_options.hpp": "weft::init reads the options of traces, too",
    "weft/execution/detail/workers_backend.hpp": "the backend of compat/parallel_scheduler.hpp",
}

# Headers of `tasks` that declare names of `execution`, for members that are templates: their bodies
# are compiled only where a program includes what defines them.
DECLARE_EXECUTION = {
    "include/weft/tasks/channel.hpp": "a channel's async_... members return senders",
    "include/weft/tasks/detail/futures/coroutine_promise.hpp": "a task may await senders",
    "include/weft/tasks/detail/futures/future_access.hpp": "future::then takes executors",
    "include/weft/tasks/future.hpp": "a future is a sender",
    "include/weft/tasks/runtime.hpp": "runtime::get_scheduler, which `execution` defines",
    "include/weft/tasks/lazy_task.hpp": "a task is a sender",
}


def module_of(path: Path) -> str | None:
    """Returns the library module that a file of include/weft or src belongs to."""
    parts = path.parts
    if parts[:2] == ("include", "weft") and len(parts) > 3:
        return parts[2]
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def _library_files(root: Path) -> list[Path]:
    return [path for path in own_files(root, ".cpp", ".hpp") if path.parts[0] in {"include", "src"}]


def _includes(root: Path, path: Path) -> list[str]:
    return INCLUDE.findall((root / path).read_text(encoding="utf-8"))


def _included_module(name: str) -> tuple[str | None, bool]:
    """Returns the module of an included header, and whether it is a private one."""
    first, *rest = name.split("/")
    if first == "weft" and len(rest) > 1:
        return rest[0], "detail" in rest[1:-1]
    return (first, True) if first in MAY_INCLUDE and rest else (None, False)


def wrong_includes(root: Path) -> list[str]:
    """Returns a message for every include against the direction, or of another's private parts."""
    found: list[str] = []
    for path in _library_files(root):
        module = module_of(path)
        for name in _includes(root, path):
            if name.split("/")[0] in {"lab", "tests"}:
                found.append(f"{path} includes {name}: the library uses neither lab nor tests")
            target, is_private = _included_module(name)
            if module is None or target is None:
                continue
            allowed = {module} | MAY_INCLUDE.get(module, set())
            if path == JOINS_HALO_AND_EXECUTION:
                allowed |= {"execution", "tasks"}
            if target not in allowed:
                found.append(f"{path} includes {name}: {module} may use {sorted(allowed)}")
            elif is_private and target != module and name not in SHARED_PRIVATE_HEADERS:
                found.append(f"{path} includes {name}, which is private to {target}")
    return found


def names_of_higher_modules(root: Path) -> list[str]:
    """Returns a message for every module that declares names of one it may not include."""
    found: list[str] = []
    for path in _library_files(root):
        module = module_of(path)
        if module is None:
            continue
        named = set(NAMESPACE.findall((root / path).read_text(encoding="utf-8")))
        above = (named & set(MAY_INCLUDE)) - MAY_INCLUDE.get(module, set()) - {module}
        if path.as_posix() in DECLARE_EXECUTION:
            above -= {"execution"}
        found += [f"{path} declares names of {name}, which {module} may not use" for name in above]
    return found


def unneeded_exceptions(root: Path) -> list[str]:
    """Returns a message for every exception above that nothing needs any more."""
    included = {name for path in _library_files(root) for name in _includes(root, path)}
    found = [f"nothing includes {name}" for name in SHARED_PRIVATE_HEADERS if name not in included]
    found += [
        f"{name} declares nothing of execution"
        for name in DECLARE_EXECUTION
        if "execution" not in NAMESPACE.findall((root / name).read_text(encoding="utf-8"))
    ]
    return found


def include_cycles(root: Path) -> list[str]:
    """Returns a message for every file of the library that includes itself by way of others."""
    files = {path.as_posix() for path in _library_files(root)}
    graph = {
        name: {
            full
            for each in _includes(root, Path(name))
            for full in (f"include/{each}", f"src/{each}")
            if full in files
        }
        for name in files
    }
    found: list[str] = []
    for start in sorted(graph):
        reached: set[str] = set()
        to_read = set(graph[start])
        while to_read:
            one = to_read.pop()
            reached.add(one)
            to_read |= graph[one] - reached
        if start in reached:
            found.append(f"{start} is in a circle of includes")
    return found


def module_graph(root: Path) -> dict[str, set[str]]:
    """Returns which modules each module includes directly."""
    graph: dict[str, set[str]] = {module: set() for module in NODES}
    for path in _library_files(root):
        module = "halo/async.hpp" if path == JOINS_HALO_AND_EXECUTION else module_of(path)
        for name in _includes(root, path):
            target, _ = _included_module(name)
            if module in graph and target in graph and target != module:
                graph[module].add(target)
    return graph


def graph_table(graph: dict[str, set[str]]) -> str:
    """Returns the graph as rows of a Markdown table, in the order of NODES."""
    rows = [
        f"| `{module}` | {', '.join(f'`{n}`' for n in NODES if n in graph[module]) or 'nothing'} |"
        for module in NODES
    ]
    return "\n".join(["| module | includes headers of |", "|---|---|", *rows])


# Headers that declare nothing of the library.
WITHOUT_LIBRARY = {"weft/version.hpp", "weft/base/durations.hpp"}


def not_tied_to_the_library(root: Path) -> list[str]:
    """Returns a message for every public header that reaches no weft/base/abi.hpp."""
    graph = {
        path.relative_to("include").as_posix(): _includes(root, path)
        for path in _library_files(root)
        if path.parts[0] == "include"
    }

    def reached(name: str) -> set[str]:
        found: set[str] = set()
        to_read = {name}
        while to_read:
            one = to_read.pop()
            found.add(one)
            to_read |= set(graph.get(one, ())) - found
        return found

    return [
        f'include/{name} does not include "weft/base/abi.hpp", nor does what it includes'
        for name in sorted(graph)
        if "/detail/" not in name
        and not name.startswith("weft/compat/hpx/")
        and name not in WITHOUT_LIBRARY
        and "weft/base/abi.hpp" not in reached(name)
    ]

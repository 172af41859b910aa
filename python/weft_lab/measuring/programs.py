# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds bench programs, builds the missing ones, and reads the description of each."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from weft_lab.errors import MissingError
from weft_lab.machine.toolchains import Toolchain
from weft_lab.measuring.plan import Skip
from weft_lab.measuring.process import BenchProcess, Death, Reply
from weft_lab.storage.checkout import CHECKOUT, backend_infos
from weft_lab.storage.store import Record

PROBE_TIMEOUT_S = 30.0
EXTRA_ROOTS = {"WEFT_ONEDPL_ROOT": "onedpl", "WEFT_CCCL_ROOT": "cccl"}
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Program:
    """A built bench program and its own description."""

    path: Path
    record: Record

    @property
    def variant(self) -> str:
        return f"{self.record['backend']}@{self.record['toolchain']}"

    @property
    def suite(self) -> str:
        return str(self.record["suite"])


@dataclass
class Found:
    """Programs by variant, and the ones that could not be built."""

    programs: list[Program] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)


def target_name(suite: str, backend: str) -> str:
    return f"weft_{suite}_{backend}"


def build_folder(toolchain: Toolchain) -> Path:
    return CHECKOUT / "build" / toolchain.preset


def find_in(folder: Path, names: Iterable[str] | None = None) -> Found:
    """The programs `weft_*` in a folder, or only those of `names`, each with its program record."""
    if names is None:
        paths = sorted(
            path for path in folder.glob("weft_*") if os.access(path, os.X_OK) and path.is_file()
        )
    else:
        paths = [folder / name for name in names]
    with ThreadPoolExecutor(max_workers=4) as pool:
        answers = list(pool.map(probe, paths))
    found = Found()
    for answer in answers:
        if isinstance(answer, Program):
            found.programs.append(answer)
        else:
            found.skips.append(answer)
    return found


def probe(path: Path) -> Program | Skip:
    """Starts the program and reads its first line."""
    try:
        with BenchProcess([str(path), "--stream"]) as process:
            answer = process.read_record(PROBE_TIMEOUT_S)
    except OSError as error:
        answer = Death(f"could not be started: {error.strerror}", ())
    if isinstance(answer, Reply) and answer.record.get("record") == "program":
        return Program(path, answer.record)
    reason = (
        "; ".join((answer.cause, *answer.last_lines))
        if isinstance(answer, Death)
        else "did not introduce itself"
    )
    return Skip(
        "not_built",
        f"{path.name}: {reason}",
        f"run it by hand: {path} --list",
        variant=path.name.removeprefix("weft_"),
    )


def file_of(step: str) -> str:
    """Returns `chunk.cpp` for `Building CXX object src/CMakeFiles/weft.dir/chunk.cpp.o`."""
    return step.rpartition(" ")[2].rpartition("/")[2].removesuffix(".o")


class Builder:
    """Configures one toolchain, and builds only the requested targets."""

    def __init__(
        self, toolchain: Toolchain, folder: Path | None = None, defines: Sequence[str] = ()
    ) -> None:
        self.toolchain = toolchain
        self.folder = folder or build_folder(toolchain)
        self._defines = defines
        self.log: list[str] = []

    def missing_tool(self) -> str | None:
        """The name of a missing tool that building needs."""
        tools = ("cmake", "ninja", self.toolchain.compiler)
        return next((tool for tool in tools if shutil.which(tool) is None), None)

    def configure(self) -> dict[str, str]:
        """Runs CMake; returns for each backend that it cannot build what would enable the backend.

        Errors: `MissingError` with CMake's own message.
        """
        command = [
            "cmake",
            "--preset",
            self.toolchain.preset,
            "-B",
            str(self.folder),
            *_extra_roots(),
            *self._defines,
        ]
        done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MissingError(
                what=f"cmake could not configure the {self.toolchain.name} programs",
                why=_first_error(done.stderr),
                remedy=f"see all of it with: {' '.join(command)}",
            )
        return remedies_in(done.stdout)

    def targets(self) -> set[str]:
        """The bench programs CMake defines here: those whose libraries it found."""
        command = ["ninja", "-C", str(self.folder), "-t", "targets", "all"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return set(re.findall(r"^(weft_[a-z0-9_]+): phony", done.stdout, flags=re.MULTILINE))

    def build(self, targets: Sequence[str], progress: Progress) -> dict[str, str]:
        """Builds what it can; returns the first error line of each target that failed."""
        command = ["ninja", "-C", str(self.folder), "-k", "0", *targets]
        name = self.toolchain.name
        code, self.log = _run_ninja(
            command, lambda done, total, step: progress(done, total, f"{name}: {file_of(step)}")
        )
        if code == 0:
            return {}
        errors = _errors_by_target(self.log)
        failed = [target for target in targets if not self._is_up_to_date(target)]
        general = next(iter(errors.values()), _first_error("".join(self.log)))
        return {target: errors.get(target, general) for target in failed}

    def _is_up_to_date(self, target: str) -> bool:
        command = ["ninja", "-C", str(self.folder), "-n", target]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return "no work to do" in done.stdout


def build_programs(
    toolchain: Toolchain,
    wanted: Sequence[tuple[str, str]],
    progress: Progress,
    extra: Sequence[str] = (),
) -> Found:
    """The programs of `wanted` (suite, backend) pairs by one toolchain, built if necessary.

    `extra`: further targets; the bench programs among them are in the result too.
    """
    builder = Builder(toolchain)
    tool = builder.missing_tool()
    if tool is not None:
        return Found([], [_no_tool(tool, toolchain, wanted)])
    remedies = builder.configure()
    known = builder.targets()
    names = {target_name(*pair): pair for pair in wanted}
    targets = [name for name in (*names, *extra) if name in known]
    errors = builder.build(targets, progress)
    is_bench = [name for name in targets if name not in errors and name != "weft_machine"]
    found = find_in(builder.folder / "bin", is_bench)
    for name, (suite, backend) in names.items():
        if name in errors:
            found.skips.append(
                _failed(suite, f"{backend}@{toolchain.name}", errors[name], builder.folder)
            )
        elif name not in known:
            found.skips.append(_no_library(suite, backend, toolchain.name, remedies.get(backend)))
    return found


def _extra_roots() -> list[str]:
    folders = {
        name: Path(os.environ.get(name) or CHECKOUT / ".weft" / folder)
        for name, folder in EXTRA_ROOTS.items()
    }
    return [f"-D{name}={path}" for name, path in folders.items() if path.is_dir()]


def _errors_by_target(log: Iterable[str]) -> dict[str, str]:
    """The first error line after each `FAILED:` line, by the target its path names."""
    errors: dict[str, str] = {}
    current = ""
    lines = iter(log)
    for line in lines:
        failed = re.match(r"FAILED: (\S+)", line)
        if failed:
            name = re.search(r"(weft_[a-z0-9_]+?)(?:\.dir|$)", failed[1])
            current = name[1] if name else failed[1]
            next(lines, None)  # the command, whose text may contain the word
        elif current and re.search(r"\berror\b|undefined reference|cannot find", line):
            errors.setdefault(current, line.strip())
    return errors


def _first_error(text: str) -> str:
    """The first line that mentions an error, with the next line if it only names the place."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if "error" in line.lower():
            is_place_only = line.endswith(":")
            return " ".join(lines[number : number + 1 + is_place_only])
    return lines[-1] if lines else "no message"


def _no_tool(tool: str, toolchain: Toolchain, wanted: Sequence[tuple[str, str]]) -> Skip:
    remedies = {"cmake": "apt-get install cmake", "ninja": "apt-get install ninja-build"}
    return not_built(
        toolchain,
        wanted,
        f"{tool} is not installed",
        remedies.get(tool, toolchain.remedy),
    )


def not_built(
    toolchain: Toolchain, wanted: Sequence[tuple[str, str]], why: str, remedy: str
) -> Skip:
    """One entry for everything that a toolchain should have built: the only backend, or `*`."""
    backends = {backend for _, backend in wanted}
    backend = backends.pop() if len(backends) == 1 else "*"
    what = "nothing was built" if backend == "*" else f"{backend} was not built"
    message = f"{what} by {toolchain.name}: {why}"
    return Skip("not_built", message, remedy, variant=f"{backend}@{toolchain.name}")


def _failed(suite: str, variant: str, error: str, folder: Path) -> Skip:
    target = target_name(suite, variant.partition("@")[0])
    return Skip(
        "not_built",
        f"{target} did not compile: {error}",
        f"see all of it with: ninja -C {folder} {target}",
        suite=suite,
        variant=variant,
    )


def _run_ninja(command: Sequence[str], progress: Progress) -> tuple[int, list[str]]:
    """Exit code and output; ends ninja when `progress` raises."""
    log: list[str] = []
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, "NINJA_STATUS": "[%f/%t] "},
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                log.append(line)
                step = re.match(r"\[(\d+)/(\d+)\] (.*)", line)
                if step:
                    progress(int(step[1]), int(step[2]), step[3])
        except BaseException:
            process.terminate()
            raise
    return process.returncode, log


def remedies_in(configure_output: str) -> dict[str, str]:
    """From lines such as `-- weft: stl backends not built: gnu, openmp (install OpenMP)`."""
    remedies: dict[str, str] = {}
    line = r"backends not built: ([^(\n]+) \((.+)\)"
    for match in re.finditer(line, configure_output):
        remedies.update(dict.fromkeys(match[1].split(", "), match[2]))
    return remedies


def _no_library(suite: str, backend: str, toolchain: str, remedy_by_cmake: str | None) -> Skip:
    info = backend_infos(suite).get(backend)
    needs = info.needs if info and info.needs else "what it needs"
    own_remedy = info.remedy if info else ""
    remedy = own_remedy or remedy_by_cmake or "./weft doctor says what is missing"
    return Skip(
        "missing_library",
        f"CMake did not find {needs} for {backend} with {toolchain}",
        remedy,
        suite=suite,
        variant=f"{backend}@{toolchain}",
    )

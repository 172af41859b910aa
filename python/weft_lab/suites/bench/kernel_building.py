# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a kernel for every backend and by every compiler that is here."""

from __future__ import annotations

import fcntl
import hashlib
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from weft_lab.errors import MissingError, UsageError
from weft_lab.machine.toolchains import CLANG, GCC, NVCXX
from weft_lab.measuring.process import BenchProcess, Reply
from weft_lab.measuring.programs import (
    Builder,
    Program,
    Progress,
    build_folder,
    find_in,
    probe,
)
from weft_lab.storage.checkout import CHECKOUT

COMPILERS = (GCC, CLANG, NVCXX)
# The backends that only nvc++ can build; it builds no others.
STDPAR = "stdpar"
SERIAL = "seq"
# The program of the user's hand-written variants.
VARIANTS = "variants"
# As in `--backend all@gcc`.
EVERY = "all"
START_TIMEOUT_S = 60.0
BANDWIDTH = "weft_bandwidth"
NOT_OF_A_NAME = re.compile(r"[^A-Za-z0-9_.+-]")


@dataclass(frozen=True)
class Kernel:
    """A built program of the kernel. `name`: as contestant; `variant`: of the user's own hand."""

    name: str
    program: Program
    variant: str = ""

    @property
    def command(self) -> list[str]:
        chosen = ["--variant", self.variant] if self.variant else []
        return [str(self.program.path), *chosen, "--stream"]

    @property
    def is_serial(self) -> bool:
        return not self.variant and bool(self.program.record["backend"] == SERIAL)


@dataclass
class Built:
    """The programs of a kernel.

    `left_out`: names and reasons of the missing ones; `bandwidth`: the probe of the machine.
    """

    kernels: list[Kernel] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    bandwidth: Program | None = None


@dataclass(frozen=True)
class Wish:
    """The file, and the backends as they were typed: `weft`, `weft@clang`, `all@gcc`; none: all."""

    source: Path
    backends: tuple[str, ...]

    @property
    def target(self) -> str:
        """The prefix of its programs' names: files of the same name may be in two folders."""
        key = hashlib.sha256(str(self.source).encode()).hexdigest()[:8]
        return f"weft_kernel_{re.sub('[^a-z0-9]', '_', self.source.stem.lower())}_{key}"

    def takes(self, backend: str, compiler: str) -> bool:
        own = {f"{each}{at}" for each in (backend, EVERY) for at in ("", f"@{compiler}")}
        is_wished = not self.backends or not own.isdisjoint(self.backends)
        return is_wished and (backend == STDPAR) == (compiler == NVCXX.name)

    def check(self) -> None:
        """Errors: `UsageError` for a backend that there is not."""
        for each in self.backends:
            if each.partition("@")[0] not in {EVERY, *known_backends()}:
                what = f"'{each}' is no backend of a kernel"
                why = f"known are {', '.join(sorted(known_backends()))}"
                raise UsageError(what, why, "type for example --backend weft,onetbb@clang")
            _check_compiler(each)


def _check_compiler(wished: str) -> None:
    backend, at, compiler = wished.partition("@")
    names = [known.name for known in COMPILERS]
    if at and compiler not in names:
        meant = (known.name for known in COMPILERS if known.compiler.startswith(compiler))
        what = f"'{wished}' names no compiler of a kernel"
        remedy = f"type --backend {backend}@{next(meant, GCC.name)}"
        raise UsageError(what, f"known are {', '.join(names)}", remedy)


def known_backends() -> set[str]:
    return {path.stem for path in (CHECKOUT / "lab" / "bench" / "backends").glob("*.hpp")}


def build(wish: Wish, progress: Progress) -> Built:
    """Builds by each compiler, g++ first. With two, names end with that of the compiler.

    Errors: `UsageError` for a file that does not compile; `MissingError` without a compiler.
    """
    wish.check()
    wished = [
        each
        for each in COMPILERS
        if any(wish.takes(backend, each.name) for backend in known_backends())
    ]
    compilers = [each for each in wished if each.is_found]
    if not compilers:
        missing = wished[0] if wished else NVCXX  # none: stdpar by a compiler that has none
        what, why = f"no compiler for '{wish.source.name}'", f"{missing.compiler} is not there"
        raise MissingError(what, why, missing.remedy)
    built = Built()
    if wish.takes(STDPAR, NVCXX.name) and NVCXX not in compilers:
        built.left_out[STDPAR] = f"is not here: {NVCXX.remedy}"
    for compiler in compilers:
        suffix = f"-{compiler.name}" if len(compilers) > 1 else ""
        defines = [f"-DWEFT_KERNEL={wish.source}", f"-DWEFT_KERNEL_NAME={wish.target}"]
        builder = Builder(compiler, defines=defines)
        if tool := builder.missing_tool():
            what = f"'{wish.source.name}' cannot be compiled"
            raise MissingError(what, f"{tool} is not installed", "./weft doctor says how to get it")
        with _alone_in(builder.folder):
            _build_by(builder, wish, suffix, built, progress)
    return built


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Waits while another run configures and builds there."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "kernels.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _build_by(builder: Builder, wish: Wish, suffix: str, built: Built, progress: Progress) -> None:
    remedies = builder.configure()
    prefix = f"{wish.target}_"
    every = builder.targets()
    targets = [each for each in every if each.startswith(prefix)]
    known = {each.removeprefix(prefix) for each in targets}
    # If the sequential program does not compile, no other does: one error is enough.
    if builder.build([f"{prefix}{SERIAL}"], progress):
        raise does_not_compile(wish.source, builder.log)
    chosen = [each for each in sorted(known_backends()) if wish.takes(each, builder.toolchain.name)]
    probes = {BANDWIDTH} & every if built.bandwidth is None else set()
    named = [f"{prefix}{each}" for each in chosen if each in known]
    errors = builder.build([*named, *probes], progress)
    built.bandwidth = built.bandwidth or _bandwidth_in(builder.folder)
    for backend in chosen:
        name, target = f"{backend}{suffix}", f"{prefix}{backend}"
        if backend not in known:
            built.left_out[name] = f"is not here: {remedies.get(backend, './weft doctor')}"
        elif target in errors:
            built.left_out[name] = f"did not compile: {errors[target]}"
        elif backend == VARIANTS:
            built.kernels += _variants(builder.folder / "bin" / target, suffix)
        else:
            found = find_in(builder.folder / "bin", [target])
            built.kernels += [Kernel(name, each) for each in found.programs]
            if found.skips:
                built.left_out[name] = found.skips[0].message


def _bandwidth_in(folder: Path) -> Program | None:
    path = folder / "bin" / BANDWIDTH
    found = probe(path) if path.is_file() else None
    return found if isinstance(found, Program) else None


def built_in(folder: Path, name: str, wish: Wish) -> tuple[str, Built]:
    """The bench that `weft_add_bench` of CMake made in a build folder, and its built programs.

    `name`: which one, if there are several.

    Errors: `UsageError` if there is none, and if there are several and none is named.
    """
    found = {path.stem: path for path in sorted(folder.rglob("*.weft_bench"))}
    chosen = [each for each in found if name in ("", each)]
    if len(chosen) != 1:
        what = f"'{folder}' holds no bench" + (f" '{name}'" if name else "")
        why, remedy = "weft_add_bench of CMake makes one", "configure the folder with it"
        if found:
            what = what if name else f"'{folder}' holds {len(found)} benches"
            why = f"there are {', '.join(found)}"
            remedy = f"./weft bench --build-dir {folder} {next(iter(found))}"
        raise UsageError(what, why, remedy)
    built = Built(bandwidth=_bandwidth_in(build_folder(GCC)))
    for line in found[chosen[0]].read_text(encoding="utf-8").splitlines():
        backend, _, path = line.partition(" ")
        if wish.backends and backend not in wish.backends:
            continue
        if not Path(path).is_file():
            built.left_out[backend] = f"is not built: cmake --build {folder}"
        elif backend == VARIANTS:
            built.kernels += _variants(Path(path), "")
        else:
            answer = probe(Path(path))
            if isinstance(answer, Program):
                built.kernels.append(Kernel(backend, answer))
            else:
                built.left_out[backend] = answer.message
    return chosen[0], built


def does_not_compile(source: Path, log: Sequence[str]) -> UsageError:
    """The compiler's first error; if that is in a header, also the line of the user's file that led
    there."""
    place = re.compile(rf"{re.escape(str(source))}:(\d+)")
    came_from = ""
    told = log[-1].strip() if log else "the compiler says nothing"
    for text in log:
        is_error = re.search(r"\berror: |undefined reference", text)
        if is_error:
            told = text.strip().replace(str(source), source.name)
            told = told if source.name in told else f"{came_from}{told}"
            break
        if found := place.search(text):
            came_from = f"{source.name}:{found[1]}: "
    what = f"'{source.name}' does not compile"
    return UsageError(what, told, "mend it, and type the same again")


def _variants(path: Path, suffix: str) -> list[Kernel]:
    """The lines in the user's file."""
    listed = subprocess.run([path, "--variants"], capture_output=True, text=True, check=False)
    found = []
    for text in listed.stdout.splitlines():
        kernel = Kernel(f"{NOT_OF_A_NAME.sub('_', text)}{suffix}", Program(path, {}), text)
        with BenchProcess(kernel.command) as process:
            answer = process.read_record(START_TIMEOUT_S)
        if isinstance(answer, Reply):
            found.append(replace(kernel, program=Program(path, answer.record)))
    return found

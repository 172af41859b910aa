# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Resolves the *.in files of this folder into lock files: exact versions, hashes of their wheels.

    .weft/venv/bin/python packaging/python/lock.py          newest versions
    .weft/venv/bin/python packaging/python/lock.py --keep   the versions locked now

pip is asked once per Python version and processor, so it keeps the index and the proxies it is
configured with, and none of them is written down.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
SPDX = "# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
PYTHONS = ("3.11", "3.12", "3.13")
PROCESSORS = ("x86_64", "aarch64")
NEWEST_GLIBC_MINOR = 36  # Debian 12; newer systems accept the same wheels
PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", re.MULTILINE)


@dataclass(frozen=True)
class Lock:
    """One lock file: what it pins, which lock it extends, whether dependencies belong to it."""

    name: str
    extends: str | None = None
    with_dependencies: bool = True


LOCKS = (
    Lock("report"),
    Lock("test", extends="report"),
    Lock("onedpl", with_dependencies=False),
    Lock("cccl", with_dependencies=False),
)


@dataclass
class Resolution:
    """Versions and hashes found so far, and the machines that they cover."""

    versions: dict[str, str] = field(default_factory=dict)
    hashes: dict[str, set[str]] = field(default_factory=dict)
    covered: list[str] = field(default_factory=list)
    not_covered: list[str] = field(default_factory=list)


def normalise(name: str) -> str:
    """Returns the one spelling of a package's name that PEP 503 defines."""
    return re.sub(r"[-_.]+", "-", name).lower()


def platform_tags(processor: str) -> list[str]:
    """Returns pip's options for every wheel tag that Debian 12's glibc accepts, newest first."""
    tags = [f"manylinux_2_{minor}_{processor}" for minor in range(NEWEST_GLIBC_MINOR, 4, -1)]
    tags += [f"manylinux2014_{processor}", f"manylinux1_{processor}", f"linux_{processor}"]
    return [option for tag in tags for option in ("--platform", tag)]


def ask_pip(
    requirements: list[Path], constraints: dict[str, str], python: str, processor: str, deps: bool
) -> list[dict[str, object]] | str:
    """Returns what pip would install on that machine, or pip's last words if it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        report, pins = Path(folder, "report.json"), Path(folder, "pins.txt")
        pins.write_text("".join(f"{name}=={version}\n" for name, version in constraints.items()))
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run"]
        command += ["--ignore-installed", "--only-binary", ":all:", "--report", str(report)]
        command += ["--target", str(Path(folder, "none")), "--constraint", str(pins)]
        command += ["--python-version", python, *platform_tags(processor)]
        command += [] if deps else ["--no-deps"]
        command += [part for path in requirements for part in ("--requirement", str(path))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return (done.stderr.strip().splitlines() or ["no message"])[-1]
        installs: list[dict[str, object]] = json.loads(report.read_text())["install"]
        return installs


def add(found: Resolution, installs: list[dict[str, object]]) -> None:
    """Adds one machine's answer; the first machine's versions hold for all."""
    for item in installs:
        metadata, download = item["metadata"], item["download_info"]
        assert isinstance(metadata, dict)
        assert isinstance(download, dict)
        name = normalise(metadata["name"])
        found.versions.setdefault(name, metadata["version"])
        found.hashes.setdefault(name, set()).add(download["archive_info"]["hashes"]["sha256"])


def resolve(lock: Lock, pins: dict[str, str]) -> Resolution:
    """Resolves one lock for every machine; the first, the baseline, must succeed."""
    found = Resolution()
    names = [lock.extends, lock.name] if lock.extends else [lock.name]
    inputs = [HERE / f"{name}.in" for name in names]
    for processor in PROCESSORS:
        for python in PYTHONS:
            machine = f"CPython {python} {processor}"
            constraints = {**pins, **found.versions}
            answer = ask_pip(inputs, constraints, python, processor, lock.with_dependencies)
            if isinstance(answer, str):
                if not found.covered:
                    what = f"{lock.name}.in does not resolve on {machine}: {answer}"
                    raise SystemExit(what)
                found.not_covered.append(machine)
                continue
            add(found, answer)
            found.covered.append(machine)
    return found


def render(lock: Lock, found: Resolution, leave_out: set[str]) -> str:
    """Returns the lock file's text, without the packages that the extended lock already pins."""
    lines = [SPDX, f"# Written by lock.py from {lock.name}.in; edit that and run `lock.py` again."]
    lines.append(f"# Covers: {', '.join(found.covered)} (Linux, glibc).")
    if found.not_covered:
        lines.append(f"# Not covered, no wheel: {', '.join(found.not_covered)}.")
    for name in sorted(found.versions.keys() - leave_out):
        hashes = [f"--hash=sha256:{value}" for value in sorted(found.hashes[name])]
        lines.append(" \\\n    ".join([f"{name}=={found.versions[name]}", *hashes]))
    return "\n".join(lines) + "\n"


def locked_versions(name: str) -> dict[str, str]:
    """Returns the versions that a lock file pins now; none if it does not exist."""
    path = HERE / f"{name}.lock"
    return dict(PIN.findall(path.read_text())) if path.exists() else {}


def main() -> None:
    """Writes every lock file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--keep", action="store_true", help="keep the versions locked now")
    keep = parser.parse_args().keep
    for lock in LOCKS:
        extended = locked_versions(lock.extends) if lock.extends else {}
        pins = {**extended, **(locked_versions(lock.name) if keep else {})}
        found = resolve(lock, pins)
        (HERE / f"{lock.name}.lock").write_text(render(lock, found, set(extended)))
        print(f"{lock.name}.lock: {len(found.versions)} packages, covers {found.covered}")


if __name__ == "__main__":
    main()

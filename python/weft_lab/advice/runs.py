# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A finished run for the verbs that read results: folder, manifest, records, and a warning about
damaged lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from weft_lab.advice.findings import Findings, find
from weft_lab.errors import ResultFolderError
from weft_lab.storage.store import Record, ResultFolder, Samples


@dataclass(frozen=True)
class Run:
    """One result folder, read and analysed."""

    folder: ResultFolder
    manifest: Record
    samples: Samples
    findings: Findings


def load(path: Path, warn: Callable[[str], None]) -> Run:
    """Reads a run and analyses it. Damaged lines are skipped and reported to `warn`.

    Errors: `ResultFolderError` if there is nothing to read.
    """
    folder, manifest, samples = read(path, warn)
    return Run(folder, manifest, samples, find(samples.records, manifest))


def read(path: Path, warn: Callable[[str], None]) -> tuple[ResultFolder, Record, Samples]:
    """A run's folder, manifest and records. Damaged lines are skipped and reported to `warn`.

    Errors: `ResultFolderError` if there is nothing to read.
    """
    folder = ResultFolder.open(path)
    manifest = folder.read_manifest()
    if "machine" not in manifest:
        what = f"'{folder.path}' holds no measurements"
        why = "the run was stopped before it had described the machine"
        raise ResultFolderError(what, why, f"continue with: ./weft resume {folder.path}")
    samples = folder.read_samples()
    for text in samples.damage():
        warn(text)
    return folder, manifest, samples

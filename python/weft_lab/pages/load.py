# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Converts an analysed run to a RunView: the only place where the report reads a result folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from weft_lab.advice import runs
from weft_lab.advice.findings import write_advice
from weft_lab.pages.view import GIB, Bandwidth, Record, RunView
from weft_lab.statistics.ratios import unexplained_noise
from weft_lab.storage.folder_files import parse, read
from weft_lab.storage.store import ResultFolder
from weft_lab.storage.variants import is_control

PROBE_KERNEL = "triad"


def silent(_: str) -> None:
    """Ignores a warning."""


def load(path: Path, warn: Callable[[str], None] = silent) -> RunView:
    """The view of a run for the verbs that read results.

    Errors: `ResultFolderError` if there is nothing to read.
    """
    return view_of(runs.load(path, warn))


def load_and_advise(path: Path, warn: Callable[[str], None] = silent) -> RunView:
    """As `load`, and writes `summary.json` and `advice.json` again from the samples.

    Errors: `ResultFolderError` when there is nothing to read or the folder cannot be written.
    """
    folder, manifest, samples = runs.read(path, warn)
    findings = write_advice(folder, samples.records, manifest)
    return view_of(runs.Run(folder, manifest, samples, findings))


def view_of(run: runs.Run) -> RunView:
    """The run without its A/A control, which is not a backend."""
    findings = run.findings
    return RunView(
        folder=run.folder.path,
        manifest=run.manifest,
        summaries=tuple(s for s in findings.summaries if not is_control(s.variant)),
        decisions=tuple(findings.decisions),
        break_evens=tuple(findings.break_evens),
        efficiencies=tuple(findings.threads_with_efficiency),
        noise_floor=findings.noise_floor,
        unexplained_noise=unexplained_noise(findings.summaries),
        threshold=findings.threshold,
        skipped=_skipped(run.folder),
        programs=_programs(run.manifest, run.samples.records),
        bandwidth=probe_bandwidth(run.manifest),
        probed=every_bandwidth(run.manifest),
        num_lines_lost=len(run.samples.corrupt) + (run.samples.torn_bytes > 0),
    )


def probe_bandwidth(manifest: Mapping[str, Any]) -> tuple[Bandwidth, ...]:
    """The bandwidth of the probe's triad by thread count, as STREAM's users quote it."""
    return tuple(row for row in every_bandwidth(manifest) if row.kernel == PROBE_KERNEL)


def every_bandwidth(manifest: Mapping[str, Any]) -> tuple[Bandwidth, ...]:
    """The bandwidth of each kernel of the probe by thread count."""
    return tuple(
        Bandwidth(int(row["threads"]), float(row["bytes_per_s"]) / GIB, str(row["problem"]))
        for row in manifest.get("bandwidth") or ()
    )


def _skipped(folder: ResultFolder) -> tuple[Record, ...]:
    try:
        content = parse(read(folder.skipped_path))
    except (OSError, ValueError):
        return ()
    return tuple(content.get("skipped", ()))


def _programs(manifest: Mapping[str, Any], records: Iterable[Record]) -> Mapping[str, Record]:
    """The manifest's programs, and those of the samples if a run was cut off before it closed."""
    in_samples = (r for r in records if r.get("record") == "program" and "variant" in r)
    found = {str(record["variant"]): record for record in in_samples}
    return {**found, **(manifest.get("programs") or {})}

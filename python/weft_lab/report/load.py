# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From a result folder on disk to a RunView: the one place where the report reads and analyses."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from weft_lab import analysis, statistics
from weft_lab.analysis import CellSummary
from weft_lab.plan import is_control
from weft_lab.report.view import GIB, Bandwidth, Record, RunView
from weft_lab.store import ResultFolder

MACHINE_SUITE = "machine"
PROBE_KERNEL = "triad"


def load(folder: ResultFolder) -> RunView:
    """Everything the report shows of `folder`. Errors: `ResultFolderError` from the store."""
    manifest = folder.read_manifest()
    samples = folder.read_samples()
    bandwidth = probe_bandwidth(manifest)
    every = _plausible(analysis.summarise(samples.records), manifest, bandwidth)
    noise = analysis.noise_floor(every)
    threshold = statistics.practical_threshold(noise)
    summaries = [s for s in every if s.cell.suite != MACHINE_SUITE and not is_control(s.variant)]
    return RunView(
        folder=folder.path,
        manifest=manifest,
        summaries=tuple(summaries),
        decisions=tuple(analysis.decide(summaries, threshold)),
        break_evens=tuple(analysis.break_even(summaries, threshold)),
        efficiencies=tuple(analysis.threads_with_efficiency(summaries)),
        noise_floor=noise,
        threshold=threshold,
        skipped=_skipped(folder),
        programs=_programs(manifest, samples.records),
        bandwidth=bandwidth,
        num_lines_lost=len(samples.corrupt) + (samples.torn_bytes > 0),
    )


def probe_bandwidth(manifest: Mapping[str, Any]) -> tuple[Bandwidth, ...]:
    """What the probe's triad reached by thread count, as STREAM's users quote it."""
    return tuple(
        Bandwidth(int(row["threads"]), float(row["bytes_per_s"]) / GIB)
        for row in manifest.get("bandwidth") or ()
        if row["problem"] == PROBE_KERNEL
    )


def _plausible(
    summaries: Sequence[CellSummary], manifest: Mapping[str, Any], bandwidth: Sequence[Bandwidth]
) -> list[CellSummary]:
    cache_bytes = (manifest.get("machine") or {}).get("last_level_cache_bytes")
    best = max((row["bytes_per_s"] for row in manifest.get("bandwidth") or ()), default=None)
    if cache_bytes is None or not bandwidth:
        return list(summaries)
    return analysis.flag_implausible(summaries, best, cache_bytes)


def _skipped(folder: ResultFolder) -> tuple[Record, ...]:
    try:
        content = json.loads(folder.skipped_path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ()
    return tuple(content.get("skipped", ()))


def _programs(manifest: Mapping[str, Any], records: Iterable[Record]) -> Mapping[str, Record]:
    """The manifest's programs; those of the samples where a run was cut off before it wrote them."""
    found = {str(r["variant"]): r for r in records if r.get("record") == "program" and "variant" in r}
    return {**found, **(manifest.get("programs") or {})}

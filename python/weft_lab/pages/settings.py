# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The decision in a form that can be pasted: flags and thread counts per backend."""

from __future__ import annotations

from collections import defaultdict

from weft_lab.pages.decision_rows import is_shown_faster
from weft_lab.pages.formats import significant
from weft_lab.pages.tables import decisions_in_order
from weft_lab.pages.view import RunView
from weft_lab.statistics.analysis_types import Decision

THREAD_SETTINGS = {
    "gnu": "export OMP_NUM_THREADS={threads}",
    "openmp": "export OMP_NUM_THREADS={threads}",
    "onedpl_omp": "export OMP_NUM_THREADS={threads}",
    "thrust_omp": "export OMP_NUM_THREADS={threads}",
    "libstdcxx_tbb": "tbb::global_control g(tbb::global_control::max_allowed_parallelism, "
    "{threads});  // in main()",
    "onetbb": "tbb::global_control g(tbb::global_control::max_allowed_parallelism, {threads});  "
    "// in main()",
    "onedpl_tbb": "tbb::global_control g(tbb::global_control::max_allowed_parallelism, "
    "{threads});  // in main()",
    "hpx": "./program --hpx:threads={threads}",
}


def settings_text(view: RunView) -> str:
    """One block per recommended parallel backend: its use, how to build it, how many threads."""
    chosen: dict[tuple[str, str, int], list[Decision]] = defaultdict(list)
    for decision in decisions_in_order(view):
        if is_shown_faster(decision):
            chosen[decision.variant, decision.backend, decision.threads].append(decision)
    blocks = [_block(view, *key, decisions) for key, decisions in chosen.items()]
    return (
        "\n\n".join(blocks)
        or f"# No parallel backend was significantly faster than {view.words.baseline} here."
    )


def _block(
    view: RunView, variant: str, backend: str, threads: int, decisions: list[Decision]
) -> str:
    program = (view.programs or {}).get(variant, {})
    uses = [f"#   {_use(view, decision)}" for decision in decisions]
    compiler = str(program.get("compiler") or "").partition(" ")[0] or "c++"
    build = (
        f"{compiler} {program['flags']}"
        if program.get("flags")
        else f"# flags of {variant} are not known"
    )
    threads_line = THREAD_SETTINGS.get(backend, "# threads: {threads}").format(threads=threads)
    return "\n".join([f"# {view.name(variant)}", *uses, build, threads_line])


def _use(view: RunView, decision: Decision) -> str:
    case = view.case_name(decision.label, decision.type)
    gain = f", {significant(decision.speedup.value)} x" if decision.speedup else ""
    return f"{case}, n >= {decision.size_low}{gain}"

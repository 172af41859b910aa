# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bars of the GCL paper's figures, with the paper's statements and the results here."""

from __future__ import annotations

from weft_lab.pages import formats
from weft_lab.pages.papers import Item
from weft_lab.pages.reproduced import Reproduction
from weft_lab.pages.static_files import draw
from weft_lab.suites.halo import charts, tables
from weft_lab.suites.halo.plan import PAPER_SIDE
from weft_lab.suites.halo.results import Results, Times
from weft_lab.suites.launched import write_item


def render_item(item: Item, results: Results) -> Reproduction:
    """Writes the item as a page, figures and CSV files below `reproduced/` of the run.

    Errors: `ResultFolderError` when it cannot be written.
    """
    folder = results.folder / "reproduced"
    shown = (tables.steps_table(results, (item.table_key,)), tables.bytes_table(results))
    lines = (*(f"The paper: {each}." for each in item.published), *found(item, results))
    svgs = []
    for mpi in results.mpis:
        spec = charts.steps(results, item.table_key, mpi)
        if spec is not None:
            stem = f"{item.table_key}_{mpi.replace('-', '_').replace('.', '_')}"
            svgs.append(draw(spec, folder, stem))
    return write_item(item, folder, lines, tuple(svgs), shown)


def found(item: Item, results: Results) -> list[str]:
    """The results of the bars here."""
    lines = []
    times = results.times(item.table_key)
    if not times:
        return ["Nothing was measured for it; see the table of what was not."]
    if any(each.shape.size[0] != PAPER_SIDE for each in times):
        side = times[0].shape.size[0]
        lines.append(
            f"Here with {side}³ cells per rank, not {PAPER_SIDE}³: --full takes the paper's size "
            "where memory allows."
        )
    if any(each.is_functional_only for each in times):
        count = times[0].shape.num_ranks
        lines.append(
            f"The {count} ranks share CPUs here, one node each in the paper: the bars show that "
            "all of it works, and how work divides; no verdict rests on them."
        )
    for mpi in results.mpis:
        own = {each.contestant: each for each in times if each.mpi == mpi}
        lines += _packings(mpi, own) + _generic(mpi, own)
    return lines


def _packings(mpi: str, own: dict[str, Times]) -> list[str]:
    """The paper's first comparison: by loops, by MPI_Pack, or left to datatypes."""
    names = {
        "loops": "weft_messages",
        "MPI_Pack": "weft_mpi_pack",
        "datatypes": "weft_mpi_datatype",
    }
    spent = {
        word: sum(own[name].middle_s(step) for step in tables.STEPS)
        for word, name in names.items()
        if name in own
    }
    if len(spent) < 2:
        return []
    order = sorted(spent, key=lambda word: spent[word])
    told = ", ".join(f"{word} {formats.seconds(spent[word])}" for word in order)
    return [f"{mpi}: packings by messages, from the fastest: {told}."]


def _generic(mpi: str, own: dict[str, Times]) -> list[str]:
    """The second claim: the cost of descriptors that are passed at the call."""
    uniform, generic = own.get("weft_own_memory"), own.get("weft_exchange_any")
    if uniform is None or generic is None:
        return []
    spent = [sum(each.middle_s(step) for step in tables.STEPS) for each in (uniform, generic)]
    return [
        f"{mpi}: the generic exchange takes {formats.signed_percent(spent[1] / spent[0] - 1.0)} "
        "of the uniform one's time more or less; no descriptors travel to a device here."
    ]
